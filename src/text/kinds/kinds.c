/* kinds.c: the look-up in the list of kinds (spec.h). Knows no kind but by its row. */
#include "config.h"

#include "text/kinds/kinds.h"

#include <string.h>

#define ATTN_ROW(name) &attn_kind_##name,
static const attn_kind *const kinds[] = {ATTN_KINDS(ATTN_ROW)};
#undef ATTN_ROW
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* What a spec that names no kind is. */
static const attn_kind *automatic(const attn_tokenizer_spec *spec)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i]->suits != NULL && kinds[i]->suits(spec))
            return kinds[i];
    return kinds[0];
}

const attn_kind *attn_kind_for(attn_tokenizer_spec *spec)
{
    if (spec->kind == NULL)
        spec->kind = automatic(spec);
    return spec->kind->variant != NULL ? spec->kind->variant(spec) : spec->kind;
}

const char *attn_kind_name_at(size_t index)
{
    if (index == 0)
        return "auto";
    return index <= N_KINDS ? kinds[index - 1]->name : NULL;
}

const char *attn_kind_name(const attn_kind *kind)
{
    return kind != NULL ? kind->name : attn_kind_name_at(0);
}

bool attn_kind_find(const char *name, const attn_kind **kind)
{
    for (size_t i = 0; attn_kind_name_at(i) != NULL; i++)
        if (strcmp(attn_kind_name_at(i), name) == 0) {
            *kind = i > 0 ? kinds[i - 1] : NULL;
            return true;
        }
    return false;
}

attn_wordless attn_kind_wordless(const attn_kind *kind)
{
    return kind->wordless;
}
