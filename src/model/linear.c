/* linear.c: y = x·W + b over the kernels' matrix product. */
#include "config.h"

#include "kernels/matmul.h"
#include "model/pass.h"

attn_status attn_linear_run(const attn_linear *linear, attn_rows_in x, float *y, size_t y_stride,
                            attn_pool *pool, attn_error *error)
{
    attn_product product = {0};
    product.x = x.data;
    product.x_stride = x.stride;
    product.n_rows = x.n;
    product.w = &linear->w;
    product.bias = linear->bias;
    product.y = y;
    product.y_stride = y_stride;
    return attn_matmul(&product, pool, error);
}
