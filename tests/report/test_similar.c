/* test_similar.c: `similar`: sums and differences of words. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

#include <string.h>

/* q + w3, each of length 1: (1 + √½, √½), nearest w0 (cosine 1.777818/(1.847759·1.004988) = .95736)
 * before twin (.92388). Without the division by the lengths it would be (1.5, .5). q − w3 = (1 −
 * √½, −√½): twin .38268, w0 .222183/(.765367·1.004988) = .28885. */
START_TEST(similar_adds_words_of_length_one)
{
    reports_run r = reports_start(REPORTS_STILL, "similar");
    r.texts[0] = "q +  w3";
    r.texts[1] = "q - w3";
    r.request.top = (attn_given_count){true, 2};
    r.output.precision = (attn_given_count){true, 4};
    ck_assert_str_eq(reports_printed(&r), "text\tquery\trank\tneighbor\tsimilarity\n"
                                          "0\tq + w3\t1\tw0\t0.9574\n0\tq + w3\t2\ttwin\t0.9239\n"
                                          "1\tq - w3\t1\ttwin\t0.3827\n1\tq - w3\t2\tw0\t0.2889\n");
}
END_TEST

START_TEST(similar_and_unknown_words)
{
    const char *output;
    reports_run r = reports_start(REPORTS_STILL, "similar");
    r.texts[0] = "zzz q";
    r.request.top = (attn_given_count){true, 1};
    r.output.columns = "neighbor";
    ck_assert_int_eq(reports_try(&r, &output, NULL), ATTN_OK);
    ck_assert_str_eq(output, "neighbor\ntwin\n");
    ck_assert_uint_eq(r.encoding.unknowns.count, 1);
    ck_assert_str_eq(r.encoding.unknowns.kept[0], "zzz");
    reports_end(&r);
    r = reports_start(REPORTS_STILL, "similar");
    r.texts[0] = "zzz";
    ck_assert_ptr_nonnull(strstr(reports_refused(&r, ATTN_EDATA), "zzz"));
    r = reports_start(REPORTS_STILL, "similar");
    r.texts[0] = "q - + w3";
    ck_assert_str_eq(reports_refused(&r, ATTN_EDATA), "expected a word after '-', found '+'");
    r = reports_start(REPORTS_STILL, "similar");
    r.texts[0] = "q -";
    ck_assert_str_eq(reports_refused(&r, ATTN_EDATA), "expected a word after '-', found the end of the query");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("similar");
    TCase *tests = tcase_create("similar");
    tcase_add_test(tests, similar_adds_words_of_length_one);
    tcase_add_test(tests, similar_and_unknown_words);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
