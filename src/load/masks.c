/* masks.c: the mask that options ask for (-a), which takes the place of every layer's own: rules and files, all of
 * which must allow. Read before the model, so that a mistyped rule costs no load. */
#include "config.h"

#include "base/suggest.h"
#include "load/loader.h"
#include "load/mask_file.h"

#include <string.h>

static const char *rule_name_at(size_t index)
{
    return attn_mask_rule_names[index];
}

/* NAME is no rule: it must be a file. A mistyped rule is wrong usage rather than a missing file. */
static attn_status check_file(const char *name, attn_error *error)
{
    if (strcmp(name, "-") == 0 || attn_path_exists(name))
        return ATTN_OK;
    const char *near = attn_suggest(name, rule_name_at);
    attn_fail(error, ATTN_EUSAGE, "--mask: expected causal, none, window:W, band:W, prefix:N or a file, found '%s'",
              name);
    if (near != NULL)
        attn_error_hint(error, "did you mean '%s'?", near);
    return ATTN_EUSAGE;
}

static attn_status add_file(attn_loader *loader, const char *name)
{
    attn_model *model = loader->model;
    attn_mask *mask = &loader->mask;
    attn_mask_file file;
    attn_status status = check_file(name, loader->error);
    if (status == ATTN_OK)
        status = attn_mask_file_read(name, &model->files, &model->arena, &file, loader->error);
    if (status != ATTN_OK)
        return status;
    if (mask->n_matrices == ATTN_MAX_MASK_MATRICES)
        return attn_fail(loader->error, ATTN_EUSAGE, "more than %d mask files", ATTN_MAX_MASK_MATRICES);
    mask->matrices[mask->n_matrices++] = file.matrix;
    return ATTN_OK;
}

attn_status attn_load_masks(attn_loader *loader)
{
    const attn_strings *masks = &loader->request->overrides.masks;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < masks->count && status == ATTN_OK; i++) {
        bool wrong;
        if (attn_mask_add_rule(&loader->mask, masks->items[i], &wrong, loader->error))
            continue;
        status = wrong ? ATTN_EUSAGE : add_file(loader, masks->items[i]);
    }
    return status;
}
