/* test_embeddings.c: `embeddings`: the vectors before and after a layer. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

START_TEST(embeddings_before_and_after)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "embeddings");
    ck_assert_str_eq(reports_printed(&r),
                     "text\tlayer\tposition\ttoken\tv0\tv1\n0\t0\t0\ta\t1\t0\n0\t0\t1\tb\t0.5\t0.5\n");
    r = reports_start(REPORTS_UNIFORM, "embeddings");
    r.output.columns = "v1,token,v0";
    ck_assert_str_eq(reports_printed(&r), "v1\ttoken\tv0\n0\ta\t1\n0.5\tb\t0.5\n");
    r = reports_start(REPORTS_UNIFORM, "embeddings");
    r.output.columns = "token,v2";
    reports_refused(&r, ATTN_EUSAGE);
    r = reports_start(REPORTS_UNIFORM, "embeddings");
    r.output.columns = "v1,v";
    r.output.format = reports_format("table");
    r.request.queries = "0";
    ck_assert_str_eq(reports_printed(&r), "    v1      v0      v1\n0.0000  1.0000  0.0000\n");
    r = reports_start(REPORTS_UNIFORM, "embeddings");
    r.request.at = "before";
    r.request.queries = "-1";
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\tposition\ttoken\tv0\tv1\n0\t0\t1\tb\t0\t1\n");
    r = reports_start(REPORTS_UNIFORM, "embeddings");
    r.request.at = "before,after";
    r.request.queries = "1";
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\tposition\ttoken\tat\tv0\tv1\n"
                                          "0\t0\t1\tb\tbefore\t0\t1\n0\t0\t1\tb\tafter\t0.5\t0.5\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("embeddings");
    TCase *tests = tcase_create("embeddings");
    tcase_add_test(tests, embeddings_before_and_after);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
