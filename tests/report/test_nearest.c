/* test_nearest.c: `nearest`: the words nearest to each token's vector. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

/* q = (1, 0): w0 = (1, .1) has cosine 1/√1.01; w3, w1 = √½ in file order; z is a zero vector: 0;
 * twin's is 1. */
START_TEST(nearest_words)
{
    reports_run r = reports_start(REPORTS_STILL, "nearest");
    r.texts[0] = "q z";
    r.output.columns = "token,rank,neighbor,similarity";
    r.output.precision = (attn_given_count){true, 6};
    ck_assert_str_eq(reports_printed(&r), "token\trank\tneighbor\tsimilarity\n"
                                          "q\t1\ttwin\t1.000000\nq\t2\tw0\t0.995037\nq\t3\tw3\t0.707107\n"
                                          "q\t4\tw1\t0.707107\nq\t5\tz\t0.000000\n"
                                          "z\t1\tq\t0.000000\nz\t2\tw3\t0.000000\nz\t3\tw1\t0.000000\n"
                                          "z\t4\tw0\t0.000000\nz\t5\ttwin\t0.000000\n");
    r = reports_start(REPORTS_STILL, "nearest");
    r.texts[0] = "q";
    r.request.with_self = true;
    r.request.top = (attn_given_count){true, 2};
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\tposition\ttoken\tat\trank\tneighbor\tsimilarity\n"
                                          "0\t0\t0\tq\tafter\t1\tq\t1\n0\t0\t0\tq\tafter\t2\ttwin\t1\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nearest");
    TCase *tests = tcase_create("nearest");
    tcase_add_test(tests, nearest_words);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
