/* tail.c: one layer of the pass behind W_O: the norms around attention's branch, the feed-forward's branch,
 * residuals; all of it row by row. The pass runs it, and a report that asks what a layer would make of other rows. */
#include "config.h"

#include "pass/pass.h"

#include <string.h>

/* The feed-forward's addition to the stream, into the room FED. */
static attn_status ffn_branch(attn_pass *pass, const attn_layer *layer, attn_error *error)
{
    attn_rows_in h;
    attn_status status = attn_pass_norm(pass, &layer->ffn_before, ATTN_ROOM_NORMED,
                                        attn_rows_of(pass->x, pass->n, pass->width), &h, error);
    if (status != ATTN_OK)
        return status;
    float *fed = attn_pass_room_for(pass, ATTN_ROOM_FED, pass->n, pass->width, error);
    if (fed == NULL)
        return ATTN_ENOMEM;
    status = attn_feed_forward_run(pass, &layer->ffn, h, fed, error);
    if (status != ATTN_OK)
        return status;
    attn_rows_in rows = attn_rows_of(fed, pass->n, pass->width);
    if (layer->ffn_after.kind != ATTN_NORM_NONE)
        attn_norm_run(&layer->ffn_after, rows, fed, pass->width, pass->pool);
    return attn_pass_show(pass, ATTN_PART_FED, rows, error);
}

/* Add ROOM's rows to the stream, or put them in its place. */
static void join_stream(attn_pass *pass, attn_room room, size_t width, bool residual)
{
    attn_pass_room *r = &pass->rooms[room];
    if (residual) {
        attn_rows_add(pass->x, r->numbers, pass->n * width, pass->pool);
        return;
    }
    float *old = pass->x;
    size_t size = pass->n * pass->width;
    pass->x = r->numbers;
    pass->width = width;
    r->numbers = old;
    r->size = size;
}

/* The norm after the residual. */
static void norm_stream(attn_pass *pass, const attn_norm *norm)
{
    if (norm->kind != ATTN_NORM_NONE)
        attn_norm_run(norm, attn_rows_of(pass->x, pass->n, pass->width), pass->x, pass->width, pass->pool);
}

static attn_status join_attended(attn_pass *pass, const attn_layer *layer, size_t width, attn_error *error)
{
    join_stream(pass, ATTN_ROOM_ATTENDED, width, layer->residual);
    attn_rows_in middle = attn_rows_of(pass->x, pass->n, pass->width);
    attn_status status = attn_pass_measure(pass, ATTN_PART_MIDDLE, &layer->attention_post_residual, middle, error);
    norm_stream(pass, &layer->attention_post_residual);
    return status == ATTN_OK ? attn_pass_show(pass, ATTN_PART_MIDDLE, middle, error) : status;
}

attn_status attn_pass_tail(attn_pass *pass, size_t index, attn_error *error)
{
    const attn_layer *layer = &pass->model->layers[index];
    size_t width = attn_model_width(pass->model, (ptrdiff_t)index);
    float *attended = pass->rooms[ATTN_ROOM_ATTENDED].numbers;
    bool has_ffn = layer->ffn.down.w.data != NULL;
    attn_status status = ATTN_OK;
    if (layer->attention_after.kind != ATTN_NORM_NONE)
        attn_norm_run(&layer->attention_after, attn_rows_of(attended, pass->n, width), attended, width, pass->pool);
    if (has_ffn && layer->parallel)
        status = ffn_branch(pass, layer, error);
    if (status == ATTN_OK)
        status = join_attended(pass, layer, width, error);
    if (status == ATTN_OK && has_ffn && !layer->parallel)
        status = ffn_branch(pass, layer, error);
    if (status != ATTN_OK || !has_ffn)
        return status;
    join_stream(pass, ATTN_ROOM_FED, pass->width, true);
    norm_stream(pass, &layer->ffn_post_residual);
    return ATTN_OK;
}

/* The rows given stay as they are: a pass of its own works on copies. */
static attn_status copy_rows(attn_pass *pass, const float *x, const float *attended, size_t width, attn_error *error)
{
    size_t count;
    if (!attn_multiply(pass->n, pass->width, &count))
        return attn_fail_memory(error);
    pass->x = attn_alloc_aligned(count, sizeof *x);
    float *to = attn_pass_room_for(pass, ATTN_ROOM_ATTENDED, pass->n, width, error);
    if (pass->x == NULL || to == NULL)
        return attn_fail_memory(error);
    memcpy(pass->x, x, count * sizeof *x);
    memcpy(to, attended, pass->n * width * sizeof *to);
    return ATTN_OK;
}

attn_status attn_layer_tail(const attn_model *model, size_t layer, const float *x, const float *attended, size_t n,
                            float *out, attn_pool *pool, attn_error *error)
{
    static const attn_observer nobody = {0};
    attn_input input = {.n = n};
    size_t width = attn_model_width(model, (ptrdiff_t)layer);
    attn_pass pass = {
        .model = model,
        .input = &input,
        .observer = &nobody,
        .pool = pool,
        .n = n,
        .width = attn_model_width(model, (ptrdiff_t)layer - 1),
    };
    if (model->layers[layer].cut_short != NULL)
        return attn_fail(error, ATTN_EUNSUPPORTED, "layer %zu: %s", layer, model->layers[layer].cut_short);
    attn_status status = copy_rows(&pass, x, attended, width, error);
    if (status == ATTN_OK)
        status = attn_pass_tail(&pass, layer, error);
    if (status == ATTN_OK)
        memcpy(out, pass.x, n * width * sizeof *out);
    attn_pass_free(&pass);
    return status;
}
