/* test_matmul.c: y = x·W + bias against sums in double, at sizes around every block edge. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "kernels/matmul.h"
#include "testing/memory.h"
#include "testing/random.h"

#include <math.h>
#include <string.h>

static float *numbers(size_t n, size_t seed)
{
    float *x = attn_alloc_array(n, sizeof *x);
    ck_assert_ptr_nonnull(x);
    random_fill(x, n, seed, 1);
    return x;
}

/* The largest |y − Σ x·w| over what rounding allows: (in + 2)·2^-24·(Σ|x·w| + |bias|). */
static double worst(const attn_product *p, const float *w, size_t in, size_t out)
{
    double worst = 0;
    for (size_t i = 0; i < p->n_rows; i++) {
        for (size_t j = 0; j < out; j++) {
            double sum = p->bias != NULL ? (double)p->bias[j] : 0, size = fabs(sum), error;
            for (size_t k = 0; k < in; k++) {
                double term = (double)p->x[i * p->x_stride + k] * (double)w[k * out + j];
                sum += term;
                size += fabs(term);
            }
            error = fabs((double)p->y[i * p->y_stride + j] - sum);
            error /= ((double)in + 2) * 0x1p-24 * size + 1e-30;
            worst = error > worst ? error : worst;
        }
    }
    return worst;
}

/* W as [in][out] or as a transposed view of [out][in]; rows of x and y with a gap. */
static void check_size(size_t n, size_t in, size_t out, bool transposed, attn_pool *pool)
{
    float *x = numbers(n * (in + 3), 1), *w = numbers(in * out, 2), *bias = numbers(out, 3);
    float *stored = numbers(in * out, 4), *y = numbers(n * (out + 5) + 1, 5);
    attn_tensor view = attn_tensor_f32(w, in, out);
    attn_product p = {
        .x = x, .x_stride = in + 3, .n_rows = n, .w = &view, .bias = bias, .y = y + 1, .y_stride = out + 5};
    if (transposed) {
        for (size_t k = 0; k < in; k++)
            for (size_t j = 0; j < out; j++)
                stored[j * in + k] = w[k * out + j];
        view = attn_tensor_transpose(attn_tensor_f32(stored, out, in));
    }
    ck_assert_int_eq(attn_matmul(&p, pool, NULL), ATTN_OK);
    ck_assert_msg(worst(&p, w, in, out) <= 1, "%zu x %zu x %zu", n, in, out);
    for (size_t i = 0; i < n; i++) /* the gaps are not touched */
        for (size_t j = out; j < out + 5 && i * (out + 5) + j < n * (out + 5); j++)
            ck_assert(p.y[i * p.y_stride + j] == random_number(i * (out + 5) + j + 1 + 5 * 1000003));
    attn_free(x);
    attn_free(w);
    attn_free(bias);
    attn_free(stored);
    attn_free(y);
}

START_TEST(every_edge)
{
    static const size_t sizes[] = {1, 2, 7, 15, 16, 17, 33, 65, 97, 255, 256, 257, 300};
    enum { N = sizeof sizes / sizeof sizes[0] };
    attn_pool *pool;
    ck_assert_int_eq(attn_pool_open(2, &pool, NULL), ATTN_OK);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            check_size(sizes[i], sizes[j], sizes[(i + j) % N], false, pool);
            check_size(sizes[i], sizes[j], sizes[(i + 2 * j) % N], true, pool);
        }
    }
    attn_pool_close(pool);
}
END_TEST

/* A W of more than 2^20 numbers is cut another way. */
START_TEST(large_weights)
{
    attn_pool *pool;
    ck_assert_int_eq(attn_pool_open(2, &pool, NULL), ATTN_OK);
    check_size(3, 1030, 1025, false, pool);
    check_size(201, 4100, 257, true, pool);
    check_size(1, 257, 4101, false, NULL);
    attn_pool_close(pool);
}
END_TEST

/* Row r of a product of 130 rows has the bytes of that row alone, at 1, 2, 3 and 7 threads. */
START_TEST(rows_do_not_depend_on_company)
{
    enum { ROWS = 130, IN = 300, OUT = 210 };
    static const size_t threads[] = {1, 2, 3, 7};
    float *x = numbers((size_t)ROWS * IN, 1), *w = numbers((size_t)IN * OUT, 2);
    float *whole = numbers((size_t)ROWS * OUT, 3), *again = numbers((size_t)ROWS * OUT, 4);
    attn_tensor view = attn_tensor_f32(w, IN, OUT);
    for (size_t t = 0; t < 4; t++) {
        attn_pool *pool;
        attn_product p = {
            .x = x, .x_stride = IN, .n_rows = ROWS, .w = &view, .y = t == 0 ? whole : again, .y_stride = OUT};
        ck_assert_int_eq(attn_pool_open(threads[t], &pool, NULL), ATTN_OK);
        ck_assert_int_eq(attn_matmul(&p, pool, NULL), ATTN_OK);
        ck_assert(memcmp(whole, p.y, sizeof(float) * ROWS * OUT) == 0);
        attn_pool_close(pool);
    }
    for (size_t n = 1; n <= 40; n += 3) {
        attn_product p = {.x = x + 7 * IN, .x_stride = IN, .n_rows = n, .w = &view, .y = again, .y_stride = OUT};
        ck_assert_int_eq(attn_matmul(&p, NULL, NULL), ATTN_OK);
        ck_assert(memcmp(whole + 7 * OUT, again, sizeof(float) * n * OUT) == 0);
    }
    attn_free(x);
    attn_free(w);
    attn_free(whole);
    attn_free(again);
}
END_TEST

/* By hand: halves are exact, so the product must be. W is a column range of a wider matrix of F16.
 */
START_TEST(other_types_and_views)
{
    static const uint16_t fused[2][4] = {{0x3c00, 0x4000, 0xbc00, 0x3800},  /* 1 2 -1 .5 */
                                         {0x4200, 0xc000, 0x3400, 0x0000}}; /* 3 -2 .25 0 */
    static const float x[2][2] = {{1, 2}, {-4, 0.5F}};
    static const float expected[2][2] = {{-2, -0.5F}, {-9, 4.125F}};
    size_t shape[2] = {2, 4};
    float y[2][2];
    attn_tensor whole = attn_tensor_make(fused, ATTN_F16, 2, shape);
    attn_tensor middle = attn_tensor_columns(whole, 1, 2);
    attn_product p = {.x = &x[0][0], .x_stride = 2, .n_rows = 2, .w = &middle, .y = &y[0][0], .y_stride = 2};
    ck_assert_int_eq(attn_matmul(&p, NULL, NULL), ATTN_OK);
    for (size_t i = 0; i < 4; i++)
        ck_assert((&y[0][0])[i] == (&expected[0][0])[i]);
}
END_TEST

static attn_status multiply(void *context, attn_error *error)
{
    float x[4] = {1, 2, 3, 4}, y[4];
    attn_tensor w = attn_tensor_f32(x, 2, 2);
    attn_product p = {.x = x, .x_stride = 2, .n_rows = 2, .w = &w, .y = y, .y_stride = 2};
    (void)context;
    return attn_matmul(&p, NULL, error);
}

START_TEST(want_of_memory)
{
    ck_assert_uint_ge(memory_every_failure(multiply, NULL), 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("matmul");
    TCase *group = tcase_create("matmul");
    tcase_set_timeout(group, 120);
    tcase_add_test(group, every_edge);
    tcase_add_test(group, large_weights);
    tcase_add_test(group, rows_do_not_depend_on_company);
    tcase_add_test(group, other_types_and_views);
    tcase_add_test(group, want_of_memory);
    suite_add_tcase(suite, group);
    return testing_run(suite);
}
