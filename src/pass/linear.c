/* linear.c: y = x·W + b over the kernels' matrix product; and a norm into a room of the pass. */
#include "config.h"

#include "kernels/matmul.h"
#include "pass/pass.h"

attn_status attn_linear_run(const attn_linear *linear, attn_rows_in x, float *y, size_t y_stride, attn_pool *pool,
                            attn_error *error)
{
    size_t groups = linear->group == 0 ? 1 : attn_linear_out(linear) / linear->group;
    attn_product product = {.x = x.data, .x_stride = x.stride, .n_rows = x.n, .y_stride = y_stride};
    attn_status status = ATTN_OK;
    for (size_t g = 0; g < groups && status == ATTN_OK; g++) {
        attn_tensor columns =
            linear->group == 0 ? linear->w : attn_tensor_columns(linear->w, g * linear->group_stride, linear->group);
        product.w = &columns;
        product.bias = linear->bias != NULL ? linear->bias + g * linear->group : NULL;
        product.y = y + g * linear->group;
        status = attn_matmul(&product, pool, error);
    }
    return status;
}

attn_status attn_pass_norm(attn_pass *pass, const attn_norm *norm, attn_room room, attn_rows_in x, attn_rows_in *out,
                           attn_error *error)
{
    *out = x;
    if (norm->kind == ATTN_NORM_NONE)
        return ATTN_OK;
    float *to = attn_pass_room_for(pass, room, x.n, x.width, error);
    if (to == NULL)
        return ATTN_ENOMEM;
    attn_norm_run(norm, x, to, x.width, pass->pool);
    *out = attn_rows_of(to, x.n, x.width);
    return ATTN_OK;
}
