/* test_kernels.c: every kernel this machine can run, against the scalar one within the bounds of
 * kernels.h, at all small sizes, odd strides and misaligned pointers; the exponentials against libm
 * in double. */
#include "config.h"

#include "testing.h"

#include "kernels/kernels.h"
#include "testing/random.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 65, ROOM = 1 << 15, GUARD = 77777 };

static const attn_kernel_table *scalar(void)
{
    const attn_kernel_table *table = attn_kernels_named("scalar");
    ck_assert_ptr_nonnull(table);
    return table;
}

/* K, the _Ith kernel; the test is skipped where this machine can not run it. */
#define NEED_KERNEL(k)                                                                                                 \
    bool usable;                                                                                                       \
    const attn_kernel_table *k = attn_kernels_list((size_t)_i, &usable);                                               \
    if (!usable)                                                                                                       \
    testing_skip("this machine can not run the %s kernels", k->name)

static _Alignas(64) float packed_a[ROOM], packed_b[ROOM], other_a[ROOM];
static float x_rows[ROOM], y_rows[ROOM], c_fast[ROOM], c_slow[ROOM];

/* ---- tiles ---- */

typedef enum tile_kind { PRODUCT, ADDED_PRODUCT, DISTANCE } tile_kind;

static void run_tile(const attn_kernel_table *k, tile_kind kind, size_t rows, size_t depth, const float *a, float *c,
                     size_t stride)
{
    if (kind == DISTANCE)
        k->distance(rows, depth, a, packed_b, c, stride);
    else
        k->product(rows, depth, a, packed_b, c, stride, kind == ADDED_PRODUCT);
}

/* Σ|terms| of one element, for the bound. */
static double magnitude(tile_kind kind, size_t depth, const float *x, size_t column, float before)
{
    double sum = kind == ADDED_PRODUCT ? fabs((double)before) : 0;
    for (size_t k = 0; k < depth; k++) {
        double a = (double)x[k], b = (double)packed_b[k * ATTN_PANEL + column];
        sum += kind == DISTANCE ? (a - b) * (a - b) : fabs(a * b);
    }
    return sum;
}

static void check_tile(const attn_kernel_table *k, tile_kind kind, size_t rows, size_t depth)
{
    size_t x_stride = depth + 3, stride = ATTN_PANEL + 5;
    const float *x = x_rows + 1; /* misaligned */
    float *fast = c_fast + 3, *slow = c_slow + 3;
    size_t n = rows * stride + 40;
    random_fill(packed_b, depth * ATTN_PANEL, depth, 1);
    random_fill(fast, n, 5, 1);
    memcpy(slow, fast, n * sizeof *fast);
    k->pack_rows(rows, depth, x, x_stride, 1, packed_a);
    run_tile(k, kind, rows, depth, packed_a, fast, stride);
    for (size_t i = 0; i < rows; i++) { /* the scalar kernel, a row at a time */
        scalar()->pack_rows(1, depth, x + i * x_stride, x_stride, 1, other_a);
        run_tile(scalar(), kind, 1, depth, other_a, slow + i * stride, stride);
    }
    for (size_t i = 0; i < n; i++) {
        size_t row = i / stride, column = i % stride;
        double bound = 0;
        if (row < rows && column < ATTN_PANEL)
            bound = 2 * (double)(depth + 1) * 0x1p-24 *
                    magnitude(kind, depth, x + row * x_stride, column, random_number(i + 5 * 1000003));
        ck_assert_msg(fabs((double)fast[i] - (double)slow[i]) <= bound, "%s tile %d: rows %zu, depth %zu, at %zu",
                      k->name, (int)kind, rows, depth, i);
    }
}

START_TEST(tiles)
{
    NEED_KERNEL(k);
    random_fill(x_rows, ROOM, 1, 1);
    for (size_t depth = 1; depth <= MOST; depth++) {
        for (size_t rows = 1; rows <= k->tile_rows; rows++) {
            check_tile(k, PRODUCT, rows, depth);
            check_tile(k, ADDED_PRODUCT, rows, depth);
            check_tile(k, DISTANCE, rows, depth);
        }
    }
}
END_TEST

/* A row's bytes are the same at every place in the tile and in any company. */
START_TEST(rows_are_alone)
{
    NEED_KERNEL(k);
    float alone[ATTN_PANEL];
    random_fill(x_rows, ROOM, 2, 1);
    random_fill(packed_b, ROOM, 3, 1);
    for (size_t depth = 1; depth <= MOST; depth++) {
        k->pack_rows(k->tile_rows, depth, x_rows, depth, 1, packed_a);
        k->product(k->tile_rows, depth, packed_a, packed_b, c_fast, ATTN_PANEL, false);
        for (size_t i = 0; i < k->tile_rows; i++) {
            k->pack_rows(1, depth, x_rows + i * depth, depth, 1, packed_a);
            k->product(1, depth, packed_a, packed_b, alone, ATTN_PANEL, false);
            ck_assert(memcmp(alone, c_fast + i * ATTN_PANEL, sizeof alone) == 0);
        }
    }
}
END_TEST

static void check_weigh(const attn_kernel_table *k, size_t rows, size_t depth)
{
    size_t stride = ATTN_PANEL + 7;
    float factor[ATTN_MAX_TILE_ROWS];
    const float *a = x_rows + 1;
    random_fill(factor, rows, 9, 1);
    random_fill(packed_b, (depth + 1) * ATTN_PANEL, 10, 1);
    random_fill(c_fast, rows * stride + 20, 11, 1);
    memcpy(c_slow, c_fast, (rows * stride + 20) * sizeof *c_fast);
    k->weigh(rows, depth, a, packed_b, factor, c_fast + 1, stride);
    scalar()->weigh(rows, depth, a, packed_b, factor, c_slow + 1, stride);
    for (size_t i = 0; i < rows * stride + 20; i++)
        ck_assert_msg(fabs((double)c_fast[i] - (double)c_slow[i]) <=
                          2 * (double)(depth + 1) * 0x1p-24 * (double)(depth + 1),
                      "%s: rows %zu, depth %zu, at %zu", k->name, rows, depth, i);
}

START_TEST(weighing)
{
    NEED_KERNEL(k);
    random_fill(x_rows, ROOM, 8, 1);
    for (size_t depth = 0; depth <= MOST; depth++)
        for (size_t rows = 1; rows <= k->tile_rows; rows++)
            check_weigh(k, rows, depth);
}
END_TEST

/* ---- packing ---- */

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void check_packed(size_t rows, size_t depth, size_t width, const float *x, size_t x_stride, const float *packed)
{
    for (size_t k = 0; k < depth; k++)
        for (size_t i = 0; i < width; i++)
            ck_assert(packed[k * width + i] == (i < rows ? 0.5F * x[i * x_stride + k] : 0));
    ck_assert(packed[depth * width] == GUARD);
}

START_TEST(packing)
{
    NEED_KERNEL(k);
    const float *x = x_rows + 1;
    random_fill(x_rows, ROOM, 4, 1);
    for (size_t depth = 1; depth <= MOST; depth++) {
        for (size_t rows = 1; rows <= ATTN_PANEL; rows++) {
            packed_b[depth * ATTN_PANEL] = GUARD;
            ck_assert(k->pack_panel(rows, depth, x, depth + 2, 0.5F, packed_b));
            check_packed(rows, depth, ATTN_PANEL, x, depth + 2, packed_b);
        }
        for (size_t rows = 1; rows <= k->tile_rows; rows++) {
            packed_a[depth * k->tile_rows] = GUARD;
            ck_assert(k->pack_rows(rows, depth, x, depth + 2, 0.5F, packed_a));
            check_packed(rows, depth, k->tile_rows, x, depth + 2, packed_a);
        }
    }
}
END_TEST

START_TEST(copying)
{
    NEED_KERNEL(k);
    const float *x = x_rows + 1;
    random_fill(x_rows, ROOM, 4, 1);
    for (size_t depth = 0; depth <= MOST; depth++) {
        for (size_t width = 1; width <= ATTN_PANEL; width++) {
            packed_b[depth * ATTN_PANEL] = GUARD;
            ck_assert(k->copy_panel(depth, width, x, width + 3, packed_b));
            for (size_t i = 0; i < depth * ATTN_PANEL; i++) {
                size_t row = i / ATTN_PANEL, column = i % ATTN_PANEL;
                ck_assert(packed_b[i] == (column < width ? x[row * (width + 3) + column] : 0));
            }
            ck_assert(packed_b[depth * ATTN_PANEL] == GUARD);
        }
    }
}
END_TEST

/* Whatever stands where: the packers say that it is not finite, and make NaN canonical. */
START_TEST(packing_what_is_not_finite)
{
    enum { ROWS = ATTN_PANEL, DEPTH = 19 };
    NEED_KERNEL(k);
    const uint32_t odd_nan = 0x7fc001ffu;
    float bad[2] = {INFINITY, 0};
    memcpy(&bad[1], &odd_nan, sizeof odd_nan);
    random_fill(x_rows, ROWS * DEPTH, 4, 1);
    for (size_t at = 0; at < ROWS * DEPTH; at++) {
        float kept = x_rows[at];
        size_t row = at / DEPTH, column = at % DEPTH;
        for (size_t b = 0; b < 2; b++) {
            x_rows[at] = bad[b];
            ck_assert(!k->pack_panel(ROWS, DEPTH, x_rows, DEPTH, 1, packed_b));
            ck_assert(b == 0 || bits_of(packed_b[column * ATTN_PANEL + row]) == bits_of(NAN));
            ck_assert(!k->copy_panel(DEPTH, ROWS, x_rows, ROWS, packed_b));
            ck_assert(k->pack_rows(k->tile_rows, DEPTH, x_rows, DEPTH, 1, packed_a) == (row >= k->tile_rows));
        }
        x_rows[at] = kept;
    }
}
END_TEST

/* ---- exponentials ---- */

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* |got − want| in units of the last place of the float32 nearest to WANT. */
static double ulps(float got, double want)
{
    float near = fabsf((float)want);
    double unit = (double)(nextafterf(near, INFINITY) - near);
    return fabs((double)got - want) / unit;
}

/* Of the floats that matter every 61st is tried, or every ATTN_STEPth: 1 tries them all, in
 * minutes. */
static uint32_t step(void)
{
    const char *text = getenv("ATTN_STEP");
    long wanted = text != NULL ? strtol(text, NULL, 10) : 0;
    return wanted > 0 ? (uint32_t)wanted : 61;
}

START_TEST(powers_of_2)
{
    enum { N = ATTN_KEY_BLOCK };
    NEED_KERNEL(k);
    float x[N], given[N], max, sum, factor;
    double worst = 0;
    for (uint32_t bits = bits_of(0x1p-26F); bits < bits_of(160.0F);) {
        double total = 0;
        for (size_t j = 0; j < N; j++, bits += step())
            x[j] = given[j] = -float_of(bits);
        max = 0;
        sum = 0.25F;
        k->soften(1, N, x, &max, &sum, &factor);
        ck_assert(max == 0 && factor == 1);
        for (size_t j = 0; j < N; j++) {
            double want = exp2((double)given[j]);
            total += (double)x[j];
            if (given[j] <= -150)
                ck_assert(x[j] == 0);
            else if (given[j] < -126)
                ck_assert(fabs((double)x[j] - want) <= 0x1p-126);
            else if (ulps(x[j], want) > worst)
                worst = ulps(x[j], want);
        }
        ck_assert(fabs((double)sum - 0.25 - total) <= 1e-5 * (total + 0.25));
    }
    ck_assert_msg(worst <= 3, "%s: %g ulp", k->name, worst);
}
END_TEST

START_TEST(exponentials)
{
    enum { N = 61 };
    NEED_KERNEL(k);
    double worst = 0;
    float x[N], given[N];
    for (uint32_t bits = bits_of(0x1p-26F); bits < bits_of(110.0F);) {
        for (size_t j = 0; j < N; j++, bits += step())
            x[j] = given[j] = -float_of(bits);
        k->exp_row(x, N, 0, 1);
        for (size_t j = 0; j < N; j++) {
            double want = exp((double)given[j]);
            if (want < 0x1p-126)
                ck_assert(fabs((double)x[j] - want) <= 0x1p-126);
            else if (ulps(x[j], want) > worst)
                worst = ulps(x[j], want);
        }
    }
    ck_assert_msg(worst <= 1.25, "%s: %g ulp", k->name, worst);
}
END_TEST

START_TEST(tangents)
{
    enum { N = 61 };
    NEED_KERNEL(k);
    double worst = 0;
    float x[N], given[N];
    for (uint32_t bits = bits_of(0x1p-40F); bits < bits_of(1e6F);) {
        for (size_t j = 0; j < N; j++, bits += step())
            x[j] = given[j] = j % 2 == 0 ? float_of(bits) : -float_of(bits);
        k->tanh_row(x, N, 1, 1);
        for (size_t j = 0; j < N; j++)
            if (ulps(x[j], tanh((double)given[j])) > worst)
                worst = ulps(x[j], tanh((double)given[j]));
    }
    ck_assert_msg(worst <= 4, "%s: %g ulp", k->name, worst);
    x[0] = 100;
    k->tanh_row(x, 1, 1 / 50.0F, 50); /* the issue's: 50·tanh 2 */
    ck_assert(fabs((double)x[0] - 48.201379) <= 4e-6);
}
END_TEST

START_TEST(special_numbers)
{
    NEED_KERNEL(k);
    float x[ATTN_PANEL], max = 1, sum = 1, factor = 0;
    for (size_t j = 0; j < ATTN_PANEL; j++) {
        for (size_t i = 0; i < ATTN_PANEL; i++)
            x[i] = i == j ? NAN : 0;
        sum = 1;
        k->soften(1, ATTN_PANEL, x, &max, &sum, &factor);
        ck_assert(isnan(sum) && isnan(x[j]));
        max = 1;
    }
    for (size_t j = 0; j < ATTN_PANEL; j++)
        x[j] = -INFINITY;
    max = -INFINITY;
    sum = 0;
    k->soften(1, ATTN_PANEL, x, &max, &sum, &factor); /* nothing seen */
    ck_assert(max == -INFINITY && sum == 0 && factor == 1 && x[0] == 0 && x[ATTN_PANEL - 1] == 0);
    for (size_t j = 0; j < ATTN_PANEL; j++)
        x[j] = -INFINITY;
    max = 3;
    sum = 2;
    k->soften(1, ATTN_PANEL, x, &max, &sum, &factor); /* nothing more */
    ck_assert(max == 3 && sum == 2 && factor == 1 && x[5] == 0);
    for (size_t j = 0; j < ATTN_PANEL; j++) { /* nothing seen but a NaN */
        for (size_t i = 0; i < ATTN_PANEL; i++)
            x[i] = i == j ? NAN : -INFINITY;
        max = -INFINITY;
        sum = 0;
        k->soften(1, ATTN_PANEL, x, &max, &sum, &factor);
        ck_assert(isnan(sum));
    }
    max = 3;
    sum = 2;
    x[0] = 5;
    x[1] = 4;
    for (size_t j = 2; j < ATTN_PANEL; j++)
        x[j] = -INFINITY;
    k->soften(1, ATTN_PANEL, x, &max, &sum, &factor); /* 2·2^-2 + 1 + 2^-1 */
    ck_assert(max == 5 && factor == 0.25F && sum == 2 && x[0] == 1 && x[1] == 0.5F && x[2] == 0);
    x[0] = NAN;
    x[1] = -INFINITY;
    x[2] = 0;
    k->exp_row(x, 3, 0, 1);
    ck_assert(isnan(x[0]) && x[1] == 0 && x[2] == 1);
    x[0] = NAN;
    x[1] = -INFINITY;
    x[2] = INFINITY;
    k->tanh_row(x, 3, 1, 1);
    ck_assert(isnan(x[0]) && x[1] == -1 && x[2] == 1);
}
END_TEST

/* Rows of every length and number against the scalar kernel. */
START_TEST(softening)
{
    NEED_KERNEL(k);
    float max[2][ATTN_MAX_TILE_ROWS], sum[2][ATTN_MAX_TILE_ROWS], factor[2][ATTN_MAX_TILE_ROWS];
    for (size_t n = ATTN_PANEL; n <= ATTN_KEY_BLOCK; n += ATTN_PANEL) {
        size_t rows = 1 + n / ATTN_PANEL % k->tile_rows;
        random_fill(c_fast, rows * ATTN_KEY_BLOCK, n, 1);
        for (size_t i = 0; i < rows * ATTN_KEY_BLOCK; i++)
            c_slow[i] = c_fast[i] *= 30;
        random_fill(max[0], rows, n + 1, 1);
        random_fill(sum[0], rows, n + 2, 1);
        memcpy(max[1], max[0], sizeof max[0]);
        memcpy(sum[1], sum[0], sizeof sum[0]);
        k->soften(rows, n, c_fast, max[0], sum[0], factor[0]);
        scalar()->soften(rows, n, c_slow, max[1], sum[1], factor[1]);
        for (size_t i = 0; i < rows * ATTN_KEY_BLOCK; i++)
            ck_assert(fabsf(c_fast[i] - c_slow[i]) <= 1e-6F * fabsf(c_slow[i]));
        for (size_t i = 0; i < rows; i++) {
            ck_assert(max[0][i] == max[1][i]);
            ck_assert(fabsf(factor[0][i] - factor[1][i]) <= 1e-6F * factor[1][i]);
            ck_assert(fabsf(sum[0][i] - sum[1][i]) <= 2e-5F * fabsf(sum[1][i]));
        }
    }
}
END_TEST

/* ---- rows ---- */

START_TEST(rows_of_all_lengths)
{
    NEED_KERNEL(k);
    const float *x = x_rows + 1;
    random_fill(x_rows, ROOM, 12, 1);
    random_fill(y_rows, ROOM, 13, 1);
    for (size_t n = 1; n <= MOST + 200; n++) {
        float fast[3], slow[3];
        ck_assert(k->row_max(x, n) == scalar()->row_max(x, n));
        k->dots(3, n, x, y_rows + 1, n + 1, fast);
        scalar()->dots(3, n, x, y_rows + 1, n + 1, slow);
        for (size_t i = 0; i < 3; i++)
            ck_assert(fabs((double)fast[i] - (double)slow[i]) <= 2 * (double)n * 0x1p-24 * (double)n);
        random_fill(c_fast, n + 2, 14, 1);
        memcpy(c_slow, c_fast, (n + 2) * sizeof *c_fast);
        k->scale_row(n, 0.3F, x, c_fast + 1);
        scalar()->scale_row(n, 0.3F, x, c_slow + 1);
        ck_assert(memcmp(c_fast, c_slow, (n + 2) * sizeof *c_fast) == 0);
    }
    x_rows[30] = 2; /* the largest at every place */
    for (size_t from = 0; from <= 30; from++)
        ck_assert(k->row_max(x_rows + from, 31) == 2);
}
END_TEST

START_TEST(the_table)
{
    size_t n = 0;
    bool usable;
    for (; attn_kernels_list(n, &usable) != NULL; n++) {
        const attn_kernel_table *k = attn_kernels_list(n, NULL);
        ck_assert(k->tile_rows >= 1 && k->tile_rows <= ATTN_MAX_TILE_ROWS);
        ck_assert(attn_kernels_named(k->name) == (usable ? k : NULL));
    }
    ck_assert(n >= 1);
    ck_assert_ptr_null(attn_kernels_named("none such"));
    ck_assert_str_eq(attn_kernels_list(n - 1, NULL)->name, "scalar");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels");
    TCase *group = tcase_create("kernels");
    int n = 0;
    while (attn_kernels_list((size_t)n, NULL) != NULL)
        n++;
    tcase_set_timeout(group, 600);
    tcase_add_test(group, the_table);
    tcase_add_loop_test(group, tiles, 0, n);
    tcase_add_loop_test(group, rows_are_alone, 0, n);
    tcase_add_loop_test(group, weighing, 0, n);
    tcase_add_loop_test(group, packing, 0, n);
    tcase_add_loop_test(group, copying, 0, n);
    tcase_add_loop_test(group, packing_what_is_not_finite, 0, n);
    tcase_add_loop_test(group, powers_of_2, 0, n);
    tcase_add_loop_test(group, exponentials, 0, n);
    tcase_add_loop_test(group, tangents, 0, n);
    tcase_add_loop_test(group, special_numbers, 0, n);
    tcase_add_loop_test(group, softening, 0, n);
    tcase_add_loop_test(group, rows_of_all_lengths, 0, n);
    suite_add_tcase(suite, group);
    return testing_run(suite);
}
