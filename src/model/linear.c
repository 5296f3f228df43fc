/* linear.c: y = x·W + b over the kernels' matrix product. The matrix stays in its file's type: blocks of it
 * are converted as the product needs them. */
#include "config.h"

#include "model/pass.h"

#include <string.h>

enum { LINEAR_BLOCK = 1 << 18 }; /* converted numbers at once, about */

static void add_bias(const float *bias, float *y, size_t n, size_t width, size_t stride)
{
    size_t i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < width; k++)
            y[i * stride + k] = bias != NULL ? bias[k] : 0.0F;
}

attn_status attn_linear_run(const attn_linear *linear, attn_rows_in x, float *y, size_t y_stride,
                            attn_pool *pool, attn_error *error)
{
    size_t out = linear->w.shape[1], rows = LINEAR_BLOCK / out + 1, row, i, r, k;
    float *block;
    (void)pool;
    if (rows > x.width)
        rows = x.width;
    block = attn_alloc_aligned(rows, out * sizeof(float));
    if (block == NULL)
        return attn_fail_memory(error);
    add_bias(linear->bias, y, x.n, out, y_stride);
    for (row = 0; row < x.width; row += rows) {
        size_t count = x.width - row < rows ? x.width - row : rows;
        attn_tensor_read(&linear->w, row, count, 0, out, block, out);
        for (i = 0; i < x.n; i++)
            for (r = 0; r < count; r++)
                for (k = 0; k < out; k++)
                    y[i * y_stride + k] += x.data[i * x.stride + row + r] * block[r * out + k];
    }
    attn_free(block);
    return ATTN_OK;
}
