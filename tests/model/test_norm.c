/* test_norm.c: norms by hand. */
#include "config.h"

#include "testing.h"

#include "model/norm.h"

/* (1, 2, 3, 6): mean 3, variance 3.5, mean of squares 12.5. */
START_TEST(norms_by_hand)
{
    const float x[] = {1, 2, 3, 6}, weight[] = {1, 2, 1, 1}, bias[] = {0, 0, 1, 0};
    float out[4];
    attn_norm norm = {.kind = ATTN_NORM_LAYER, .weight = weight, .bias = bias, .epsilon = 0.5F};
    attn_rows_in rows = {.data = x, .n = 1, .width = 4, .stride = 4};
    attn_norm_run(&norm, rows, out, 4, NULL);
    ck_assert_float_eq_tol(out[0], -1.0F, 1e-6F); /* −2/√4 */
    ck_assert_float_eq_tol(out[1], -1.0F, 1e-6F); /* −1/2 · 2 */
    ck_assert_float_eq_tol(out[2], 1.0F, 1e-6F);
    ck_assert_float_eq_tol(out[3], 1.5F, 1e-6F);
    norm.kind = ATTN_NORM_RMS;
    norm.epsilon = 3.5F;
    norm.weight = NULL;
    norm.bias = NULL;
    attn_norm_run(&norm, rows, out, 4, NULL);
    ck_assert_float_eq_tol(out[3], 1.5F, 1e-6F); /* 6/√16 */
    ck_assert_float_eq_tol(out[0], 0.25F, 1e-6F);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("norm");
    TCase *tests = tcase_create("norm");
    tcase_add_test(tests, norms_by_hand);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
