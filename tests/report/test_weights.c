/* test_weights.c: `weights` and `scores`: rows, selections, filters, means over heads, words. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

#include <math.h>
#include <string.h>

START_TEST(weights_of_uniform_attention)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "weights");
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\thead\tquery\tquery_token\tkey\tkey_token\tweight\n"
                                          "0\t0\t0\t0\ta\t0\ta\t1\n"
                                          "0\t0\t0\t1\tb\t0\ta\t0.5\n"
                                          "0\t0\t0\t1\tb\t1\tb\t0.5\n");
}
END_TEST

/* Query b, key a: (0, 1)·W_Q = (3, 1), times a's key (1, 0): 3; the reverse is 0. Rows name the
 * query first. */
START_TEST(query_and_key_are_not_swapped)
{
    reports_run r = reports_start("{" REPORTS_TWO_WORDS
                                  "\"layers\": [{\"W_Q\": [[1, 0], [3, 1]], \"score\": \"dot\", \"mask\": \"none\"}]}",
                                  "scores");
    r.output.columns = "query_token,key_token,score";
    ck_assert_str_eq(reports_printed(&r), "query_token\tkey_token\tscore\na\ta\t1\na\tb\t0\nb\ta\t3\nb\tb\t1\n");
}
END_TEST

START_TEST(selections_leave_rows_out)
{
    static const char *tokens[] = {"b", NULL};
    reports_run r = reports_start(REPORTS_UNIFORM, "weights");
    r.texts[0] = "a b a";
    r.request.queries = "1-";
    r.request.key_tokens = (attn_strings){tokens, 1};
    r.output.no_header = true;
    ck_assert_str_eq(reports_printed(&r), "0\t0\t0\t1\tb\t1\tb\t0.5\n0\t0\t0\t2\ta\t1\tb\t0.33333334\n");
    r = reports_start(REPORTS_UNIFORM, "weights");
    r.output.format = reports_format("matrix");
    r.texts[0] = "a b a";
    r.request.keys = "0,2";
    r.request.queries = "-1";
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\thead\tquery\tquery_token\t0:a\t2:a\n"
                                          "0\t0\t0\t2\ta\t0.33333334\t0.33333334\n");
}
END_TEST

START_TEST(a_token_nobody_has_is_told_at_the_end)
{
    static const char *tokens[] = {"applle", NULL};
    reports_run r = reports_start("{\"words\": {\"apple\": [1, 0], \"b\": [0, 1]}}", "weights");
    r.request.query_tokens = (attn_strings){tokens, 1};
    r.texts[0] = "apple b";
    r.texts[1] = "b";
    ck_assert_str_eq(reports_refused(&r, ATTN_EDATA), "--query-token: no token of any text is 'applle'");
    ck_assert_str_eq(r.error.hint, "did you mean 'apple'?");
}
END_TEST

/* Filters look at finished weights: 0.5 stays 0.5 when its neighbour is left out. */
START_TEST(filters_do_not_change_the_softmax)
{
    reports_run r = reports_start(REPORTS_TWO_HEADS, "weights");
    r.request.heads = "0";
    r.request.min = (attn_given_number){true, 0.5f};
    const char *output = reports_printed(&r);
    /* e^3/(e^3 + 1) */
    ck_assert(fabs(reports_number(output, 1, 7) - 0.9525741268) < 1e-6);
    ck_assert(reports_number(output, 1, 5) == 0 && reports_number(output, 2, 5) == 1);
    ck_assert_ptr_null(strstr(output, "0.04742"));
    r = reports_start(REPORTS_UNIFORM, "weights");
    r.texts[0] = "a b a b";
    r.request.top = (attn_given_count){true, 2};
    r.request.queries = "3";
    r.output.no_header = true;
    ck_assert_str_eq(reports_printed(&r),
                     "0\t0\t0\t3\tb\t0\ta\t0.25\n0\t0\t0\t3\tb\t1\tb\t0.25\n"); /* ties by position */
    r = reports_start(REPORTS_TWO_HEADS, "scores");
    r.request.top = (attn_given_count){true, 2};
    r.request.heads = "1";
    r.request.queries = "0";
    r.output.columns = "key,score";
    ck_assert_str_eq(reports_printed(&r), "key\tscore\n1\t3\n0\t0\n"); /* descending */
}
END_TEST

START_TEST(mean_over_heads_only_when_asked)
{
    reports_run r = reports_start(REPORTS_TWO_HEADS, "weights");
    const char *output = reports_printed(&r);
    ck_assert(fabs(reports_number(output, 1, 7) - 0.9525741268) < 1e-6);
    ck_assert(fabs(reports_number(output, 5, 7) - 0.0474258732) < 1e-6);
    r = reports_start(REPORTS_TWO_HEADS, "weights");
    r.request.average_heads = true;
    r.output.precision = (attn_given_count){true, 6};
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\thead\tquery\tquery_token\tkey\tkey_token\tweight\n"
                                          "0\t0\tmean\t0\ta\t0\ta\t0.500000\n0\t0\tmean\t0\ta\t1\tb\t0.500000\n"
                                          "0\t0\tmean\t1\tb\t0\ta\t0.500000\n0\t0\tmean\t1\tb\t1\tb\t0.500000\n");
    r = reports_start(REPORTS_TWO_HEADS, "weights"); /* of the selected heads only */
    r.request.average_heads = true;
    r.request.heads = "1";
    output = reports_printed(&r);
    ck_assert(fabs(reports_number(output, 1, 7) - 0.0474258732) < 1e-6);
}
END_TEST

/* Four tokens, two words, uniform causal rows 1; ½ ½; ⅓ ⅓ ⅓; ¼ ¼ ¼ ¼. Keys summed, queries
 * averaged: word 0: (1 + (½+½))/2 = 1 on itself; word 1: (⅔ + ½)/2 = 7/12 and (⅓ + ½)/2 = 5/12. */
START_TEST(words_sum_keys_and_average_queries)
{
    attn_token items[] = {{.id = 0, .word = 0, .start = 0, .end = 2},
                          {.id = 1, .word = 0, .start = 2, .end = 4},
                          {.id = 0, .word = 1, .start = 4, .end = 7},
                          {.id = 1, .word = 1, .start = 7, .end = 9}};
    const attn_tokens tokens = {.items = items, .count = 4, .capacity = 4};
    reports_run r = reports_start(REPORTS_UNIFORM, "weights");
    r.texts[0] = "sm\xff"
                 "l words";
    r.tokens = &tokens;
    r.request.by_word = true;
    r.output.no_header = true;
    r.output.precision = (attn_given_count){true, 6};
    ck_assert_str_eq(reports_printed(&r), "0\t0\t0\t0\tsm\\\\xFFl\t0\tsm\\\\xFFl\t1.000000\n"
                                          "0\t0\t0\t1\tword\t0\tsm\\\\xFFl\t0.583333\n"
                                          "0\t0\t0\t1\tword\t1\tword\t0.416667\n");
    r = reports_start(REPORTS_UNIFORM, "weights");
    r.texts[0] = "smol words";
    r.tokens = &tokens;
    r.request.by_word = true;
    r.request.average_heads = true;
    r.request.queries = "1";
    r.output.format = reports_format("matrix");
    const char *output = reports_printed(&r);
    ck_assert(fabs(reports_number(output, 1, 5) - 7.0 / 12) < 1e-6);
}
END_TEST

START_TEST(specials_are_words_of_their_own)
{
    attn_token items[] = {{.id = 0, .special = 1}, {.id = 1, .end = 1}, {.id = 0, .special = 1, .start = 1, .end = 1}};
    const attn_tokens tokens = {.items = items, .count = 3, .capacity = 3};
    reports_run r = reports_start(REPORTS_UNIFORM, "weights");
    r.texts[0] = "x";
    r.tokens = &tokens;
    r.request.by_word = true;
    r.request.queries = "2";
    r.output.columns = "key_token";
    ck_assert_str_eq(reports_printed(&r), "key_token\na\nx\na\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("weights");
    TCase *tests = tcase_create("weights");
    tcase_add_test(tests, weights_of_uniform_attention);
    tcase_add_test(tests, query_and_key_are_not_swapped);
    tcase_add_test(tests, selections_leave_rows_out);
    tcase_add_test(tests, a_token_nobody_has_is_told_at_the_end);
    tcase_add_test(tests, filters_do_not_change_the_softmax);
    tcase_add_test(tests, mean_over_heads_only_when_asked);
    tcase_add_test(tests, words_sum_keys_and_average_queries);
    tcase_add_test(tests, specials_are_words_of_their_own);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
