/* test_activation.c: the bends against libm in double. */
#include "config.h"

#include "testing.h"

#include "pass/pass.h"

#include <math.h>

static double right_value(attn_activation activation, double x)
{
    switch (activation) {
    case ATTN_GELU:
        return x * 0.5 * erfc(-x / sqrt(2.0));
    case ATTN_GELU_TANH:
        return 0.5 * x * (1.0 + tanh(sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case ATTN_SILU:
        return x / (1.0 + exp(-x));
    case ATTN_QUICK_GELU:
        return x / (1.0 + exp(-1.702 * x));
    default:
        return x > 0.0 ? x : 0.0;
    }
}

/* Within 3e-7 of the value's size and 4e-7 of 1 near 0: closer than the two kinds of GELU are to
 * each other. */
START_TEST(activations_everywhere)
{
    attn_activation activation = (attn_activation)_i;
    float x[1001], y[1001];
    for (size_t n = 1; n <= 1001; n += 250) {
        for (size_t i = 0; i < n; i++)
            x[i] = y[i] = ((float)i - 500.0F) * 0.025F;
        attn_activation_run(activation, y, n);
        for (size_t i = 0; i < n; i++) {
            double right = right_value(activation, (double)x[i]);
            ck_assert_double_eq_tol((double)y[i], right, 4e-7 + 3e-7 * fabs(right));
        }
    }
}
END_TEST

START_TEST(activations_at_the_ends)
{
    attn_activation activation = (attn_activation)_i;
    float x[] = {NAN, 3e38F, -3e38F, 1e30F, -1e30F, 0.0F, -0.0F};
    attn_activation_run(activation, x, 7);
    ck_assert(isnan(x[0]));
    ck_assert_float_eq(x[1], 3e38F);
    ck_assert_float_eq(x[2], 0.0F);
    ck_assert_float_eq(x[3], 1e30F);
    ck_assert_float_eq(x[4], 0.0F);
    ck_assert_float_eq(x[5], 0.0F);
    ck_assert_float_eq(x[6], 0.0F);
}
END_TEST

static Suite *activation_suite(void)
{
    Suite *suite = suite_create("activation");
    TCase *values = tcase_create("values");
    tcase_add_loop_test(values, activations_everywhere, ATTN_GELU, ATTN_QUICK_GELU + 1);
    tcase_add_loop_test(values, activations_at_the_ends, ATTN_GELU, ATTN_QUICK_GELU + 1);
    suite_add_tcase(suite, values);
    return suite;
}

int main(void)
{
    return testing_run(activation_suite());
}
