/* test_describe.c: `model`: what was understood of a model. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

#include <string.h>

START_TEST(model_says_what_was_understood)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "model");
    r.output.columns = "item,name,value,shape";
    const char *output = reports_printed(&r);
    ck_assert_ptr_nonnull(strstr(output, "model\tfamily\ttoy\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tscore\tdot\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tmask\tcausal\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tW_K\tidentity\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tW_Q\tF32 [2][2]\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "\t[2][2]\n"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("describe");
    TCase *tests = tcase_create("describe");
    tcase_add_test(tests, model_says_what_was_understood);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
