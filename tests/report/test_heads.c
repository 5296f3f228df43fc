/* test_heads.c: `heads`: what each head does, in one row. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

#include <math.h>

/* Issue 6's exact values: uniform causal weights over four tokens: previous 13/48; a b a b:
 * induction 7/48. Also by hand: self and first 25/48, same (⅓ + ¼)/4 = 7/48, distance (0 + ½ + 1
 * + 1.5)/4 = ¾, entropy (0 + 1 + log2 3 + 2)/4. */
START_TEST(heads_of_uniform_attention)
{
    static const double right[] = {1.1462406252, 25.0 / 48, 13.0 / 48, 25.0 / 48, 7.0 / 48, 7.0 / 48, 0.75};
    reports_run r = reports_start(REPORTS_UNIFORM, "heads");
    r.texts[0] = "a b a b";
    const char *output = reports_printed(&r);
    ck_assert(reports_number(output, 1, 3) == 4);
    for (size_t i = 0; i < 7; i++)
        ck_assert_msg(fabs(reports_number(output, 1, 4 + i) - right[i]) < 1e-6, "%zu: %g", i,
                      reports_number(output, 1, 4 + i));
}
END_TEST

/* Scores (ln 2, 0, 0) for every query: weights ½, ¼, ¼, entropy 1.5 bits. */
START_TEST(entropy_in_bits)
{
    reports_run r =
        reports_start("{" REPORTS_TWO_WORDS "\"layers\": [{\"W_Q\": [[0.6931471806, 0], [0.6931471806, 0]], "
                      "\"score\": \"dot\", \"mask\": \"none\"}]}",
                      "heads");
    r.texts[0] = "a b b";
    const char *output = reports_printed(&r);
    ck_assert(fabs(reports_number(output, 1, 4) - 1.5) < 1e-6);
    ck_assert(fabs(reports_number(output, 1, 7) - 0.5) < 1e-6); /* first */
}
END_TEST

START_TEST(padding_is_no_query_of_heads)
{
    static const uint8_t hidden[] = {1, 0, 0};
    reports_run r = reports_start(REPORTS_UNIFORM, "heads");
    r.texts[0] = "a b a";
    r.hidden = hidden;
    const char *output = reports_printed(&r);
    ck_assert(reports_number(output, 1, 3) == 2);
    ck_assert(fabs(reports_number(output, 1, 4) - 0.5) < 1e-6); /* rows 1; ½ ½ */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("heads");
    TCase *tests = tcase_create("heads");
    tcase_add_test(tests, heads_of_uniform_attention);
    tcase_add_test(tests, entropy_in_bits);
    tcase_add_test(tests, padding_is_no_query_of_heads);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
