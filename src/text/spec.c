/* spec.c: what the readers and loaders that fill a spec share. */
#include "config.h"

#include "text/spec.h"

attn_tokenizer_spec attn_tokenizer_spec_default(void)
{
    return (attn_tokenizer_spec){.unknown = ATTN_NO_TOKEN, .continuation = "##", .max_word_chars = 100};
}

uint32_t attn_spec_find(const attn_tokenizer_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_tokens; i++)
        if (attn_bytes_are(spec->tokens[i], name))
            return (uint32_t)i;
    return ATTN_NO_TOKEN;
}

uint32_t attn_spec_find_unknown(const attn_tokenizer_spec *spec)
{
    static const char *const names[] = {"[UNK]", "<unk>", "<UNK>"};
    uint32_t id = ATTN_NO_TOKEN;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && id == ATTN_NO_TOKEN; i++)
        id = attn_spec_find(spec, names[i]);
    return id;
}

void attn_spec_override(attn_tokenizer_spec *spec, const attn_kind *kind)
{
    if (kind == NULL || kind == spec->kind)
        return;
    spec->kind = kind;
    spec->n_prefix = 0;
    spec->n_suffix = 0;
    spec->normalizer = NULL;
    spec->presplitter = NULL;
}
