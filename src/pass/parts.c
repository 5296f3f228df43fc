/* parts.c: hands the parts of the pass to the observer as they are computed, with the norms' σ. Nothing is computed
 * here that the observer does not want, and nothing of it feeds back. */
#include "config.h"

#include "pass/pass.h"

static bool wanted(const attn_pass *pass, attn_part_kind kind)
{
    return (pass->parts & (unsigned)kind) != 0;
}

attn_status attn_pass_measure(attn_pass *pass, attn_part_kind kind, const attn_norm *norm, attn_rows_in x,
                              attn_error *error)
{
    if (!wanted(pass, kind) || norm->kind == ATTN_NORM_NONE)
        return ATTN_OK;
    if (pass->sigma == NULL)
        pass->sigma = attn_alloc_array(pass->n > pass->n_keys ? pass->n : pass->n_keys, sizeof *pass->sigma);
    if (pass->sigma == NULL)
        return attn_fail_memory(error);
    attn_norm_sigma(norm, x, pass->sigma);
    pass->measured = true;
    return ATTN_OK;
}

static attn_status hand_over(attn_pass *pass, attn_part *part, attn_error *error)
{
    part->layer = pass->layer;
    part->sigma = pass->measured ? pass->sigma : NULL;
    pass->measured = false;
    return pass->observer->part(pass->observer->context, part, error);
}

attn_status attn_pass_show(attn_pass *pass, attn_part_kind kind, attn_rows_in rows, attn_error *error)
{
    if (!wanted(pass, kind))
        return ATTN_OK;
    attn_part part = {
        .kind = kind,
        .n_rows = rows.n,
        .n_heads = 1,
        .width = rows.width,
        .values = {.data = rows.data, .row_stride = rows.stride},
    };
    return hand_over(pass, &part, error);
}

attn_status attn_pass_show_heads(attn_pass *pass, attn_part_kind kind, attn_heads rows, size_t n, size_t n_heads,
                                 size_t dim, attn_error *error)
{
    if (!wanted(pass, kind))
        return ATTN_OK;
    attn_part part = {.kind = kind, .n_rows = n, .n_heads = n_heads, .width = dim, .values = rows};
    return hand_over(pass, &part, error);
}
