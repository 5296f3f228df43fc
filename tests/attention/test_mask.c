/* test_mask.c: every mask rule against its sentence in mask.h, pair by pair, and bounds against rows. */
#include "config.h"

#include "testing.h"

#include "attention/mask.h"

#include <math.h>

enum { N = 9 };

static bool visible(const attn_mask *mask, size_t query, size_t key)
{
    float add[N];
    attn_mask_row(mask, 0, query, 0, N, add);
    return !isinf(add[key]);
}

/* The interval that bounds promise must hold for every query of every block. */
static void check_bounds(const attn_mask *mask, size_t n_queries)
{
    for (size_t q = 0; q < n_queries; q++) {
        for (size_t n = 1; q + n <= n_queries; n++) {
            attn_mask_span span = attn_mask_bounds(mask, q, n, N);
            for (size_t i = q; i < q + n; i++) {
                for (size_t j = 0; j < N; j++) {
                    if (j < span.low || j >= span.high)
                        ck_assert(!visible(mask, i, j));
                    if (j >= span.clear_low && j < span.clear_high)
                        ck_assert(visible(mask, i, j));
                }
            }
        }
    }
}

START_TEST(causal_offset_by_a_past)
{
    attn_mask mask = {.causal = true, .past = 3};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < N; j++)
            ck_assert_int_eq(visible(&mask, i, j), j <= i + 3);
    check_bounds(&mask, 6);
    ck_assert_uint_eq(attn_mask_bounds(&mask, 0, 2, N).high, 5);
    ck_assert_uint_eq(attn_mask_bounds(&mask, 0, 2, N).clear_high, 4);
}
END_TEST

START_TEST(queries_may_stand_before_all_keys)
{
    attn_mask mask = {.causal = true, .past = -2};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < N; j++)
            ck_assert_int_eq(visible(&mask, i, j), j + 2 <= i);
    check_bounds(&mask, 6);
}
END_TEST

START_TEST(window_counts_the_token_itself)
{
    attn_mask mask = {.window = 2};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            ck_assert_int_eq(visible(&mask, i, j), j <= i && i < j + 2);
    check_bounds(&mask, N);
    ck_assert_uint_eq(attn_mask_bounds(&mask, 4, 1, N).low, 3);
}
END_TEST

START_TEST(band_looks_both_ways)
{
    attn_mask mask = {.band = 3};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            ck_assert_int_eq(visible(&mask, i, j), (i > j ? i - j : j - i) < 3);
    check_bounds(&mask, N);
}
END_TEST

START_TEST(prefix_is_seen_by_all)
{
    attn_mask mask = {.has_prefix = true, .prefix = 4};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            ck_assert_int_eq(visible(&mask, i, j), j <= i || j < 4);
    check_bounds(&mask, N);
}
END_TEST

START_TEST(rules_compose)
{
    static const uint8_t hidden[N] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    float values[N * N] = {0};
    attn_mask mask = {.causal = true, .band = 4, .hidden_keys = hidden, .n_matrices = 2};
    float add[N];
    values[6 * N + 3] = -INFINITY;
    values[6 * N + 5] = 1.5F;
    mask.matrices[0] = mask.matrices[1] = (attn_mask_matrix){values, 1, N, N};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            ck_assert_int_eq(visible(&mask, i, j), j <= i && i < j + 4 && !hidden[j] && !(i == 6 && j == 3));
    check_bounds(&mask, N);
    attn_mask_row(&mask, 0, 6, 4, 3, add);
    ck_assert(isinf(add[0]) && add[1] == 3 && add[2] == 0);
}
END_TEST

START_TEST(rules_are_read_strictly)
{
    attn_mask mask = {0};
    attn_error error = {0};
    bool wrong;
    ck_assert(attn_mask_add_rule(&mask, "window:5", &wrong, &error));
    ck_assert(attn_mask_add_rule(&mask, "window:3", &wrong, &error));
    ck_assert(attn_mask_add_rule(&mask, "window:4", &wrong, &error));
    ck_assert_uint_eq(mask.window, 3);
    ck_assert(attn_mask_add_rule(&mask, "prefix:0", &wrong, &error) && mask.has_prefix);
    ck_assert(attn_mask_add_rule(&mask, "none", &wrong, &error) && !mask.causal);
    ck_assert(attn_mask_add_rule(&mask, "causal", &wrong, &error) && mask.causal);
    ck_assert(!attn_mask_add_rule(&mask, "window:0", &wrong, &error) && wrong);
    ck_assert(!attn_mask_add_rule(&mask, "band", &wrong, &error) && wrong);
    ck_assert(!attn_mask_add_rule(&mask, "window:-1", &wrong, &error) && wrong);
    ck_assert(!attn_mask_add_rule(&mask, "window:2x", &wrong, &error) && wrong);
    ck_assert(!attn_mask_add_rule(&mask, "mask.json", &wrong, &error) && !wrong);
}
END_TEST

START_TEST(matrices_must_fit)
{
    float values[6] = {0};
    attn_mask mask = {.n_matrices = 1};
    attn_error error;
    mask.matrices[0] = (attn_mask_matrix){values, 1, 2, 3};
    ck_assert_int_eq(attn_mask_check(&mask, 4, 2, 3, &error), ATTN_OK);
    ck_assert_int_eq(attn_mask_check(&mask, 4, 3, 3, &error), ATTN_EDATA);
    mask.matrices[0].n_heads = 2;
    ck_assert_int_eq(attn_mask_check(&mask, 4, 2, 3, &error), ATTN_EDATA);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mask");
    TCase *tests = tcase_create("mask");
    tcase_add_test(tests, causal_offset_by_a_past);
    tcase_add_test(tests, queries_may_stand_before_all_keys);
    tcase_add_test(tests, window_counts_the_token_itself);
    tcase_add_test(tests, band_looks_both_ways);
    tcase_add_test(tests, prefix_is_seen_by_all);
    tcase_add_test(tests, rules_compose);
    tcase_add_test(tests, rules_are_read_strictly);
    tcase_add_test(tests, matrices_must_fit);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
