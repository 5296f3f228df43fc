/* norm.h: LayerNorm and RMSNorm of rows: what the pass runs inside a layer, and a report at its end. */
#ifndef ATTN_MODEL_NORM_H
#define ATTN_MODEL_NORM_H

#include "model/model.h"

typedef struct attn_rows_in { /* rows of numbers */
    const float *data;        /* borrowed; [n][width], STRIDE floats from row to row */
    size_t n, width, stride;
} attn_rows_in;

/* DATA[n][width], one row behind the other. */
static inline attn_rows_in attn_rows_of(const float *data, size_t n, size_t width)
{
    return (attn_rows_in){.data = data, .n = n, .width = width, .stride = width};
}

/* Norm of each row, to OUT (may be x itself). ATTN_NORM_NONE copies. */
void attn_norm_run(const attn_norm *norm, attn_rows_in x, float *out, size_t out_stride, attn_pool *pool);
/* A norm is a linear map but for its σ, and a bias: norm(x) = map(x)/σ + bias. With σ taken from a row of the pass and
 * kept ("frozen"), a sum's parts go through it one by one.
 *   σ of row i       √(variance + ε) of LayerNorm, √(mean square + ε) of RMSNorm: to SIGMA[n]
 *   map              weight ⊙ (x − mean of x), or weight ⊙ x: to OUT (may be x itself)
 * NORM is not ATTN_NORM_NONE. */
void attn_norm_sigma(const attn_norm *norm, attn_rows_in x, double *sigma);
void attn_norm_map(const attn_norm *norm, attn_rows_in x, float *out, size_t out_stride);
/* The model's final norm of each row of X[n][d_model] to OUT[n][d_model]. */
void attn_final_norm_run(const attn_model *model, const float *x, size_t n, float *out, attn_pool *pool);

#endif
