/* scalar.c: the reference kernels in plain C: right by reading, and what the others are tested against. */
#include "config.h"

#include "kernels/kernels.h"
#include "kernels/sets.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS = 4, PANEL = ATTN_PANEL };

static void product(size_t rows, size_t depth, const float *a, const float *b, float *c, size_t c_stride, bool add)
{
    for (size_t i = 0; i < rows; i++) {
        float sum[PANEL] = {0};
        for (size_t k = 0; k < depth; k++)
            for (size_t j = 0; j < PANEL; j++)
                sum[j] += a[k * ROWS + i] * b[k * PANEL + j];
        for (size_t j = 0; j < PANEL; j++)
            c[i * c_stride + j] = add ? c[i * c_stride + j] + sum[j] : sum[j];
    }
}

static void weigh(size_t rows, size_t depth, const float *a, const float *b, const float *factor, float *c,
                  size_t c_stride)
{
    for (size_t i = 0; i < rows; i++) {
        float sum[PANEL];
        for (size_t j = 0; j < PANEL; j++)
            sum[j] = factor[i] * c[i * c_stride + j];
        for (size_t k = 0; k < depth; k++)
            for (size_t j = 0; j < PANEL; j++)
                sum[j] += a[i * ATTN_KEY_BLOCK + k] * b[k * PANEL + j];
        memcpy(c + i * c_stride, sum, sizeof sum);
    }
}

static void distance(size_t rows, size_t depth, const float *a, const float *b, float *c, size_t c_stride)
{
    for (size_t i = 0; i < rows; i++) {
        float sum[PANEL] = {0};
        for (size_t k = 0; k < depth; k++) {
            for (size_t j = 0; j < PANEL; j++) {
                float d = a[k * ROWS + i] - b[k * PANEL + j];
                sum[j] += d * d;
            }
        }
        memcpy(c + i * c_stride, sum, sizeof sum);
    }
}

static bool pack(size_t rows, size_t depth, const float *x, size_t x_stride, float factor, float *packed, size_t width)
{
    bool finite = true;
    for (size_t k = 0; k < depth; k++) {
        for (size_t i = 0; i < rows; i++) {
            float value = factor * x[i * x_stride + k];
            finite = finite && isfinite(value);
            packed[k * width + i] = isnan(value) ? NAN : value;
        }
        for (size_t i = rows; i < width; i++)
            packed[k * width + i] = 0;
    }
    return finite;
}

static bool pack_panel(size_t rows, size_t depth, const float *x, size_t x_stride, float factor, float *panel)
{
    return pack(rows, depth, x, x_stride, factor, panel, PANEL);
}

static bool copy_panel(size_t depth, size_t width, const float *x, size_t x_stride, float *panel)
{
    bool finite = true;
    for (size_t k = 0; k < depth; k++) {
        for (size_t j = 0; j < PANEL; j++) {
            panel[k * PANEL + j] = j < width ? x[k * x_stride + j] : 0;
            finite = finite && isfinite(panel[k * PANEL + j]);
        }
    }
    return finite;
}

static bool pack_rows(size_t rows, size_t depth, const float *x, size_t x_stride, float factor, float *packed)
{
    return pack(rows, depth, x, x_stride, factor, packed, ROWS);
}

static float row_max(const float *x, size_t n)
{
    float max = x[0];
    for (size_t j = 1; j < n; j++)
        max = x[j] > max ? x[j] : max;
    return max;
}

static void soften(size_t rows, size_t n, float *x, float *max, float *sum, float *factor)
{
    for (size_t i = 0; i < rows; i++) {
        float *row = x + i * ATTN_KEY_BLOCK;
        float largest = row_max(row, n), total = 0;
        if (largest <= max[i])
            largest = max[i];
        factor[i] = largest == -INFINITY ? 1 : exp2f(max[i] - largest);
        for (size_t j = 0; j < n; j++) {
            row[j] = row[j] == -INFINITY ? 0 : exp2f(row[j] - largest); /* NaN stays, whatever the largest is */
            total += row[j];
        }
        max[i] = largest;
        sum[i] = factor[i] * sum[i] + total;
    }
}

static void exp_row(float *x, size_t n, float max, float factor)
{
    for (size_t j = 0; j < n; j++) {
        x[j] = expf(factor * (x[j] - max));
        x[j] = x[j] < FLT_MIN ? 0 : x[j];
    }
}

static void tanh_row(float *x, size_t n, float in, float out)
{
    for (size_t j = 0; j < n; j++)
        x[j] = out * tanhf(in * x[j]);
}

static void scale_row(size_t n, float factor, const float *x, float *y)
{
    for (size_t j = 0; j < n; j++)
        y[j] = factor * x[j];
}

static void dots(size_t n_rows, size_t depth, const float *a, const float *b, size_t b_stride, float *dot)
{
    for (size_t r = 0; r < n_rows; r++) {
        float sum = 0;
        for (size_t k = 0; k < depth; k++)
            sum += a[k] * b[r * b_stride + k];
        dot[r] = sum;
    }
}

const attn_kernel_table attn_kernels_scalar = {
    .name = "scalar",
    .needs = "nothing",
    .tile_rows = ROWS,
    .product = product,
    .weigh = weigh,
    .distance = distance,
    .pack_panel = pack_panel,
    .copy_panel = copy_panel,
    .pack_rows = pack_rows,
    .row_max = row_max,
    .soften = soften,
    .exp_row = exp_row,
    .tanh_row = tanh_row,
    .scale_row = scale_row,
    .dots = dots,
};
