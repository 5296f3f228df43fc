/* vector.h: the kernels written once for every instruction set. Not a header of declarations:
 * avx2.c, avx512.c and neon.c define the operations below and include it once.
 *
 *   vec, LANES           a register of LANES floats
 *   TILE_ROWS            rows of the tile; TILE_CASES(CASE) names CASE(1) … CASE(TILE_ROWS)
 *   v_set, v_load, v_store, v_add, v_sub, v_mul, v_div
 *   v_fma                a·b + c
 *   v_abs, v_copysign    |a|; a >= 0 with b's sign
 *   v_min, v_max         the second one where either is NaN, or NaN
 *   v_unless_below       a, but 0 where b < c
 *   v_round, v_power     to whole numbers; p·2^n, n whole
 *   LEAST_POWER          v_power(1, LEAST_POWER) is 0, and v_power right above it for p in [1, 1.5)
 *   v_sum, v_largest     of the lanes
 *   strip, BLOCK         a register of BLOCK floats, for transposing: s_set, s_load, s_mul, s_fma,
 *                        s_sum, s_store_some (the first n), s_transpose (BLOCK of them)
 *   TABLE, NAME, NEEDS   of the table
 *
 * Loops over a tile have constant bounds once inlined: the accumulators stay in registers. */

#include "kernels/kernels.h"
#include "kernels/sets.h"

#include <math.h>
#include <string.h>

enum { PANEL_VECTORS = ATTN_PANEL / LANES };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

/* ---- tiles ---- */

INLINE void product_of(const size_t rows, size_t depth, const float *restrict a, const float *restrict b, float *c,
                       size_t c_stride, bool add)
{
    vec sum[TILE_ROWS][PANEL_VECTORS];
    UNROLL
    for (size_t i = 0; i < rows; i++) {
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++)
            sum[i][v] = v_set(0);
    }
    for (size_t k = 0; k < depth; k++) {
        vec column[PANEL_VECTORS];
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++)
            column[v] = v_load(b + k * ATTN_PANEL + v * LANES);
        UNROLL
        for (size_t i = 0; i < rows; i++) {
            vec element = v_set(a[k * TILE_ROWS + i]);
            UNROLL
            for (size_t v = 0; v < PANEL_VECTORS; v++)
                sum[i][v] = v_fma(element, column[v], sum[i][v]);
        }
    }
    UNROLL
    for (size_t i = 0; i < rows; i++) {
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++) {
            float *to = c + i * c_stride + v * LANES;
            v_store(to, add ? v_add(v_load(to), sum[i][v]) : sum[i][v]);
        }
    }
}

static void product(size_t rows, size_t depth, const float *a, const float *b, float *c, size_t c_stride, bool add)
{
#define CASE(n)                                                                                                        \
    case n:                                                                                                            \
        product_of(n, depth, a, b, c, c_stride, add);                                                                  \
        break;
    switch (rows) {
        TILE_CASES(CASE)
    }
#undef CASE
}

INLINE void weigh_of(const size_t rows, size_t depth, const float *restrict a, const float *restrict b,
                     const float *factor, float *c, size_t c_stride)
{
    vec sum[TILE_ROWS][PANEL_VECTORS];
    UNROLL
    for (size_t i = 0; i < rows; i++) {
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++)
            sum[i][v] = v_mul(v_set(factor[i]), v_load(c + i * c_stride + v * LANES));
    }
    for (size_t k = 0; k < depth; k++) {
        vec column[PANEL_VECTORS];
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++)
            column[v] = v_load(b + k * ATTN_PANEL + v * LANES);
        UNROLL
        for (size_t i = 0; i < rows; i++) {
            vec element = v_set(a[i * ATTN_KEY_BLOCK + k]);
            UNROLL
            for (size_t v = 0; v < PANEL_VECTORS; v++)
                sum[i][v] = v_fma(element, column[v], sum[i][v]);
        }
    }
    UNROLL
    for (size_t i = 0; i < rows; i++) {
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++)
            v_store(c + i * c_stride + v * LANES, sum[i][v]);
    }
}

static void weigh(size_t rows, size_t depth, const float *a, const float *b, const float *factor, float *c,
                  size_t c_stride)
{
#define CASE(n)                                                                                                        \
    case n:                                                                                                            \
        weigh_of(n, depth, a, b, factor, c, c_stride);                                                                 \
        break;
    switch (rows) {
        TILE_CASES(CASE)
    }
#undef CASE
}

static void distance(size_t rows, size_t depth, const float *a, const float *b, float *c, size_t c_stride)
{
    for (size_t i = 0; i < rows; i++) {
        vec sum[PANEL_VECTORS];
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++)
            sum[v] = v_set(0);
        for (size_t k = 0; k < depth; k++) {
            vec element = v_set(a[k * TILE_ROWS + i]);
            UNROLL
            for (size_t v = 0; v < PANEL_VECTORS; v++) {
                vec d = v_sub(element, v_load(b + k * ATTN_PANEL + v * LANES));
                sum[v] = v_fma(d, d, sum[v]);
            }
        }
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++)
            v_store(c + i * c_stride + v * LANES, sum[v]);
    }
}

/* ---- packing ---- */

static void make_canonical(float *packed, size_t n)
{
    for (size_t i = 0; i < n; i++)
        packed[i] = isnan(packed[i]) ? NAN : packed[i];
}

static bool pack_some(size_t rows, size_t from, size_t depth, const float *x, size_t x_stride, float factor,
                      float *packed, size_t width)
{
    float zero = 0; /* Σ 0·x: NaN once an x is not finite */
    for (size_t k = from; k < depth; k++) {
        for (size_t i = 0; i < rows; i++) {
            float value = factor * x[i * x_stride + k];
            zero += 0 * value;
            packed[k * width + i] = value;
        }
        for (size_t i = rows; i < width; i++)
            packed[k * width + i] = 0;
    }
    return zero == 0;
}

/* BLOCK rows by BLOCK columns at a time, transposed in registers; WIDTH rows in all. */
INLINE bool pack_full(const size_t width, size_t depth, const float *x, size_t x_stride, float factor, float *packed)
{
    strip zero = s_set(0), scale = s_set(factor);
    size_t whole = depth / BLOCK * BLOCK;
    for (size_t k = 0; k < whole; k += BLOCK) {
        UNROLL
        for (size_t first = 0; first < width; first += BLOCK) {
            const size_t rows = width - first < BLOCK ? width - first : BLOCK;
            strip block[BLOCK];
            UNROLL
            for (size_t i = 0; i < BLOCK; i++) {
                block[i] = s_mul(scale, s_load(x + (first + (i < rows ? i : rows - 1)) * x_stride + k));
                zero = s_fma(block[i], s_set(0), zero);
            }
            s_transpose(block);
            UNROLL
            for (size_t i = 0; i < BLOCK; i++)
                s_store_some(packed + (k + i) * width + first, block[i], rows);
        }
    }
    bool finite = s_sum(zero) == 0;
    if (whole < depth)
        finite = pack_some(width, whole, depth, x, x_stride, factor, packed, width) && finite;
    return finite;
}

static bool pack_panel(size_t rows, size_t depth, const float *x, size_t x_stride, float factor, float *panel)
{
    bool finite = rows == ATTN_PANEL ? pack_full(ATTN_PANEL, depth, x, x_stride, factor, panel)
                                     : pack_some(rows, 0, depth, x, x_stride, factor, panel, ATTN_PANEL);
    if (!finite)
        make_canonical(panel, depth * ATTN_PANEL);
    return finite;
}

static bool copy_panel(size_t depth, size_t width, const float *x, size_t x_stride, float *panel)
{
    float sum = 0;
    vec zero[PANEL_VECTORS];
    UNROLL
    for (size_t v = 0; v < PANEL_VECTORS; v++)
        zero[v] = v_set(0);
    for (size_t k = 0; k < depth; k++) {
        const float *from = x + k * x_stride;
        float padded[ATTN_PANEL] = {0};
        if (width < ATTN_PANEL) {
            for (size_t j = 0; j < width; j++)
                padded[j] = from[j];
            from = padded;
        }
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++) {
            vec part = v_load(from + v * LANES);
            zero[v] = v_fma(part, v_set(0), zero[v]);
            v_store(panel + k * ATTN_PANEL + v * LANES, part);
        }
    }
    UNROLL
    for (size_t v = 0; v < PANEL_VECTORS; v++)
        sum += v_sum(zero[v]);
    return sum == 0;
}

static bool pack_rows(size_t rows, size_t depth, const float *x, size_t x_stride, float factor, float *packed)
{
    bool finite = rows == TILE_ROWS ? pack_full(TILE_ROWS, depth, x, x_stride, factor, packed)
                                    : pack_some(rows, 0, depth, x, x_stride, factor, packed, TILE_ROWS);
    if (!finite)
        make_canonical(packed, depth * TILE_ROWS);
    return finite;
}

/* ---- rows ---- */

static float row_max(const float *x, size_t n)
{
    size_t j = 0;
    float max = -INFINITY;
    if (n >= 4 * LANES) {
        vec largest[4];
        UNROLL
        for (size_t v = 0; v < 4; v++)
            largest[v] = v_load(x + v * LANES);
        for (j = 4 * LANES; j + 4 * LANES <= n; j += 4 * LANES) {
            UNROLL
            for (size_t v = 0; v < 4; v++)
                largest[v] = v_max(largest[v], v_load(x + j + v * LANES));
        }
        max = v_largest(v_max(v_max(largest[0], largest[1]), v_max(largest[2], largest[3])));
    }
    for (; j + LANES <= n; j += LANES) {
        float largest = v_largest(v_load(x + j));
        max = largest <= max ? max : largest;
    }
    for (; j < n; j++)
        max = x[j] <= max ? max : x[j];
    return max;
}

/* 2^x for x <= 0. The polynomial is the least relative error on [-½, ½] with p(0) = 1 (1.6·2^-24 before rounding). */
INLINE vec power_of_2(vec x)
{
    x = v_max(v_set(LEAST_POWER), x);
    vec whole = v_round(x);
    vec r = v_sub(x, whole);
    vec p = v_set(0x1.5bba14p-10F);
    p = v_fma(p, r, v_set(0x1.3cea88p-7F));
    p = v_fma(p, r, v_set(0x1.c6b752p-5F));
    p = v_fma(p, r, v_set(0x1.ebf9bcp-3F));
    p = v_fma(p, r, v_set(0x1.62e42ap-1F));
    p = v_fma(p, r, v_set(1));
    return v_power(p, whole);
}

/* e^r − 1 with r = x − n·ln 2, |r| <= ln 2 / 2, and *N. */
INLINE vec reduced_exponential(vec x, vec *n)
{
    *n = v_round(v_mul(x, v_set(0x1.715476p+0F)));
    vec r = v_fma(*n, v_set(-0x1.62e4p-1F), x); /* ln 2 in two parts: n times the first is exact */
    r = v_fma(*n, v_set(-0x1.7f7d1cp-20F), r);
    vec p = v_set(0x1.6a2434p-10F);
    p = v_fma(p, r, v_set(0x1.1239e2p-7F));
    p = v_fma(p, r, v_set(0x1.5558f2p-5F));
    p = v_fma(p, r, v_set(0x1.555492p-3F));
    p = v_fma(p, r, v_set(0x1.fffffcp-2F));
    return v_fma(v_mul(p, r), r, r);
}

INLINE vec exponential(vec x)
{
    const vec least = v_set(-87.3365447F); /* ln of the smallest normal number */
    vec n;
    vec p = reduced_exponential(v_max(v_set(-100), x), &n);
    return v_unless_below(v_power(v_add(p, v_set(1)), n), x, least);
}

/* With E = e^(2|x|) − 1 = 2^n·(p + 1) − 1: tanh |x| = E / (E + 2). */
INLINE vec hyperbolic_tangent(vec x)
{
    const vec one = v_set(1);
    vec n;
    vec p = reduced_exponential(v_min(v_set(40), v_mul(v_set(2), v_abs(x))), &n);
    vec scale = v_power(one, n);
    vec e = v_fma(scale, p, v_sub(scale, one));
    return v_copysign(v_div(e, v_add(e, v_set(2))), x);
}

/* The largest of x[n] and LARGEST, n a multiple of ATTN_PANEL. */
INLINE float panel_max(const float *x, size_t n, float largest)
{
    vec max[2] = {v_set(largest), v_set(largest)};
    size_t j = 0;
    for (; j + 4 * LANES <= n; j += 4 * LANES) {
        max[0] = v_max(max[0], v_max(v_load(x + j), v_load(x + j + LANES)));
        max[1] = v_max(max[1], v_max(v_load(x + j + 2 * LANES), v_load(x + j + 3 * LANES)));
    }
    for (; j < n; j += LANES)
        max[0] = v_max(max[0], v_load(x + j));
    return v_largest(v_max(max[0], max[1]));
}

/* x = 2^(x − max); their sum. One accumulator: zeros before and behind do not change the order of the rest. */
INLINE float panel_powers(float *x, size_t n, float max)
{
    const vec largest = v_set(max);
    vec sum = v_set(0);
    for (size_t j = 0; j < n; j += ATTN_PANEL) {
        UNROLL
        for (size_t v = 0; v < PANEL_VECTORS; v++) {
            float *at = x + j + v * LANES;
            vec power = power_of_2(v_sub(v_load(at), largest));
            v_store(at, power);
            sum = v_add(sum, power);
        }
    }
    return v_sum(sum);
}

/* A row of −INFINITY becomes 0; what else there is are NaN that the maximum has passed over. */
INLINE void clear_hidden(float *x, size_t n, float *sum)
{
    for (size_t j = 0; j < n; j++)
        if (x[j] != -INFINITY)
            *sum = NAN;
    memset(x, 0, n * sizeof *x);
}

/* All maxima first: they do not wait for each other, nor the powers for them. */
static void soften(size_t rows, size_t n, float *x, float *max, float *sum, float *factor)
{
    for (size_t i = 0; i < rows; i++) {
        float largest = panel_max(x + i * ATTN_KEY_BLOCK, n, max[i]);
        float shrink[LANES] = {1};
        if (largest != -INFINITY)
            v_store(shrink, power_of_2(v_set(max[i] - largest)));
        factor[i] = shrink[0];
        max[i] = largest;
    }
    for (size_t i = 0; i < rows; i++) {
        float *row = x + i * ATTN_KEY_BLOCK;
        if (max[i] == -INFINITY)
            clear_hidden(row, n, &sum[i]);
        else
            sum[i] = factor[i] * sum[i] + panel_powers(row, n, max[i]);
    }
}

static void exp_row(float *x, size_t n, float max, float factor)
{
    const vec largest = v_set(max), scale = v_set(factor);
    size_t j = 0;
    for (; j + LANES <= n; j += LANES)
        v_store(x + j, exponential(v_mul(scale, v_sub(v_load(x + j), largest))));
    if (j < n) {
        float tail[LANES] = {0};
        memcpy(tail, x + j, (n - j) * sizeof *x);
        v_store(tail, exponential(v_mul(scale, v_sub(v_load(tail), largest))));
        memcpy(x + j, tail, (n - j) * sizeof *x);
    }
}

static void tanh_row(float *x, size_t n, float in, float out)
{
    const vec inner = v_set(in), outer = v_set(out);
    size_t j = 0;
    for (; j + LANES <= n; j += LANES)
        v_store(x + j, v_mul(outer, hyperbolic_tangent(v_mul(inner, v_load(x + j)))));
    if (j < n) {
        float tail[LANES] = {0};
        memcpy(tail, x + j, (n - j) * sizeof *x);
        v_store(tail, v_mul(outer, hyperbolic_tangent(v_mul(inner, v_load(tail)))));
        memcpy(x + j, tail, (n - j) * sizeof *x);
    }
}

static void scale_row(size_t n, float factor, const float *x, float *y)
{
    const vec scale = v_set(factor);
    size_t j = 0;
    for (; j + LANES <= n; j += LANES)
        v_store(y + j, v_mul(scale, v_load(x + j)));
    for (; j < n; j++)
        y[j] = factor * x[j];
}

static float dot(size_t depth, const float *a, const float *b)
{
    size_t k = 0;
    float rest = 0;
    vec sum[4];
    UNROLL
    for (size_t v = 0; v < 4; v++)
        sum[v] = v_set(0);
    for (; k + 4 * LANES <= depth; k += 4 * LANES) {
        UNROLL
        for (size_t v = 0; v < 4; v++)
            sum[v] = v_fma(v_load(a + k + v * LANES), v_load(b + k + v * LANES), sum[v]);
    }
    for (; k + LANES <= depth; k += LANES)
        sum[0] = v_fma(v_load(a + k), v_load(b + k), sum[0]);
    for (; k < depth; k++)
        rest += a[k] * b[k];
    return v_sum(v_add(v_add(sum[0], sum[1]), v_add(sum[2], sum[3]))) + rest;
}

static void dots(size_t n_rows, size_t depth, const float *a, const float *b, size_t b_stride, float *out)
{
    for (size_t r = 0; r < n_rows; r++)
        out[r] = dot(depth, a, b + r * b_stride);
}

const attn_kernel_table TABLE = {
    .name = NAME,
    .needs = NEEDS,
    .tile_rows = TILE_ROWS,
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
