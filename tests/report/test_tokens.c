/* test_tokens.c: `tokens`. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

START_TEST(tokens_and_offsets)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "tokens");
    r.texts[0] = "a  b";
    ck_assert_str_eq(reports_printed(&r),
                     "text\tposition\tid\ttoken\tstart\tend\n0\t0\t0\ta\t0\t1\n0\t1\t1\tb\t3\t4\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokens");
    TCase *tests = tcase_create("tokens");
    tcase_add_test(tests, tokens_and_offsets);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
