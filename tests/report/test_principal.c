/* principal.c: spreads that are known by hand, in every direction a start could miss. (tests/output/svg.sh holds a
 * picture's directions against numpy's singular vectors.) */
#include "config.h"

#include "report/principal.h"
#include "testing.h"

#include <math.h>

#define TOLERANCE 1e-9

/* ±3 along (3, 4)/5 and ±1 across: variances 18 and 2 of 20. */
START_TEST(test_two_directions)
{
    const float rows[4][2] = {
        {1.8f + 7, 2.4f - 1}, {-1.8f + 7, -2.4f - 1}, {-0.8f + 7, 0.6f - 1}, {0.8f + 7, -0.6f - 1}};
    attn_principal p;
    double place[2];
    ck_assert_int_eq(attn_principal_open(&p, rows[0], 4, 2, NULL), ATTN_OK);
    ck_assert_double_eq_tol(p.mean[0], 7, 1e-6);
    ck_assert_double_eq_tol(p.directions[0][0], 0.6, 1e-6);
    ck_assert_double_eq_tol(p.directions[0][1], 0.8, 1e-6);
    ck_assert_double_eq_tol(p.directions[1][0], 0.8, 1e-6); /* the larger of its numbers is positive */
    ck_assert_double_eq_tol(p.directions[1][1], -0.6, 1e-6);
    ck_assert_double_eq_tol(p.shares[0], 0.9, 1e-6);
    ck_assert_double_eq_tol(p.shares[1], 0.1, 1e-6);
    attn_principal_place(&p, rows[0], place);
    ck_assert_double_eq_tol(place[0], 3, 1e-6);
    ck_assert_double_eq_tol(place[1], 0, 1e-6);
    attn_principal_close(&p);
}
END_TEST

/* At a right angle to (1, …, 1), where a fixed start would see nothing: along (1, −1, 0) and (1, 1, −2). */
START_TEST(test_across_the_diagonal)
{
    const float rows[4][3] = {{4, -4, 0}, {-4, 4, 0}, {1, 1, -2}, {-1, -1, 2}};
    attn_principal p;
    ck_assert_int_eq(attn_principal_open(&p, rows[0], 4, 3, NULL), ATTN_OK);
    ck_assert_double_eq_tol(fabs(p.directions[0][0]), sqrt(0.5), TOLERANCE);
    ck_assert_double_eq_tol(p.directions[0][0], -p.directions[0][1], TOLERANCE);
    ck_assert_double_eq_tol(p.directions[1][2], sqrt(2.0 / 3), TOLERANCE); /* (−1, −1, 2)/√6 */
    ck_assert_double_eq_tol(p.directions[1][0], -sqrt(1.0 / 6), TOLERANCE);
    ck_assert_double_eq_tol(p.shares[0], 64.0 / 76, TOLERANCE);
    ck_assert_double_eq_tol(p.shares[1], 12.0 / 76, TOLERANCE);
    attn_principal_close(&p);
}
END_TEST

/* Two spreads nearly alike, 4.564 along the first and 4.56 along the second, and a start between the two: after 300 steps
 * of power iteration alone it would still be there. */
START_TEST(test_nearly_alike)
{
    const float rows[8][3] = {{1.001f, 0, 0},  {-1.001f, 0, 0},   {0, 1, 0},        {0, -1, 0},
                              {0.8f, 0.8f, 0}, {-0.8f, -0.8f, 0}, {0.8f, -0.8f, 0}, {-0.8f, 0.8f, 0}};
    attn_principal p;
    ck_assert_int_eq(attn_principal_open(&p, rows[0], 8, 3, NULL), ATTN_OK);
    ck_assert_double_eq_tol(p.directions[0][0], 1, TOLERANCE);
    ck_assert_double_eq_tol(p.directions[1][1], 1, TOLERANCE);
    attn_principal_close(&p);
}
END_TEST

START_TEST(test_what_spreads_no_further)
{
    const float line[3][2] = {{1, 2}, {2, 4}, {3, 6}}, point[2][2] = {{5, 6}, {5, 6}};
    attn_principal p;
    ck_assert_int_eq(attn_principal_open(&p, line[0], 3, 2, NULL), ATTN_OK); /* on a line */
    ck_assert_double_eq_tol(p.directions[0][1], 2 / sqrt(5), TOLERANCE);
    ck_assert_double_eq_tol(p.shares[0], 1, TOLERANCE);
    ck_assert_double_eq_tol(p.shares[1], 0, TOLERANCE);
    attn_principal_close(&p);
    ck_assert_int_eq(attn_principal_open(&p, point[0], 2, 2, NULL), ATTN_OK); /* at one place */
    ck_assert_double_eq(p.shares[0], 0);
    ck_assert_double_eq(p.directions[0][0], 0);
    attn_principal_close(&p);
    ck_assert_int_eq(attn_principal_open(&p, point[0], 0, 2, NULL), ATTN_OK); /* none at all */
    attn_principal_close(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("principal");
    TCase *tests = tcase_create("principal");
    tcase_add_test(tests, test_two_directions);
    tcase_add_test(tests, test_across_the_diagonal);
    tcase_add_test(tests, test_nearly_alike);
    tcase_add_test(tests, test_what_spreads_no_further);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
