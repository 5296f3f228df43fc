/* head_output.c: W_O taken apart by head: what a value adds to the stream through one head. The pass runs W_O whole;
 * reports that ask who added what use this. */
#include "config.h"

#include "kernels/matmul.h"
#include "pass/pass.h"

#include <string.h>

attn_status attn_head_outputs_open(const attn_model *model, size_t layer, attn_head_outputs *outputs, attn_error *error)
{
    const attn_layer *l = &model->layers[layer];
    size_t count;
    *outputs = (attn_head_outputs){.layer = l, .width = attn_model_width(model, (ptrdiff_t)layer), .w = l->o.w};
    if (l->o.w.data == NULL || (l->o.w.dtype == ATTN_F32 && !l->o.w.big_endian))
        return ATTN_OK;
    if (!attn_tensor_count(&l->o.w, &count))
        return attn_fail_memory(error);
    outputs->numbers = attn_alloc_aligned(count, sizeof(float));
    if (outputs->numbers == NULL)
        return attn_fail_memory(error);
    attn_tensor_to_f32(&l->o.w, outputs->numbers);
    outputs->w = attn_tensor_f32(outputs->numbers, l->o.w.shape[0], l->o.w.shape[1]);
    return ATTN_OK;
}

/* Without W_O: the head's part of the mixture, or its own columns. */
static void place_rows(const attn_head_outputs *outputs, size_t head, attn_rows_in v, float *out, size_t out_stride)
{
    const float *mix = outputs->layer->head_mix;
    for (size_t i = 0; i < v.n; i++) {
        const float *from = v.data + i * v.stride;
        float *to = out + i * out_stride;
        if (mix != NULL) {
            for (size_t k = 0; k < v.width; k++)
                to[k] = mix[head] * from[k];
        } else {
            memset(to, 0, outputs->width * sizeof *to);
            memcpy(to + head * v.width, from, v.width * sizeof *to);
        }
    }
}

attn_status attn_head_output(const attn_head_outputs *outputs, size_t head, attn_rows_in v, float *out,
                             size_t out_stride, attn_pool *pool, attn_error *error)
{
    if (outputs->w.data == NULL) {
        place_rows(outputs, head, v, out, out_stride);
        return ATTN_OK;
    }
    attn_tensor rows = attn_tensor_rows(outputs->w, head * v.width, v.width);
    const attn_product product = {
        .x = v.data, .x_stride = v.stride, .n_rows = v.n, .w = &rows, .y = out, .y_stride = out_stride};
    return attn_matmul(&product, pool, error);
}

void attn_head_outputs_close(attn_head_outputs *outputs)
{
    attn_free(outputs->numbers);
    *outputs = (attn_head_outputs){0};
}
