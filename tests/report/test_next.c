/* test_next.c: `next`: the likeliest tokens behind each, or in a mask's place. Over toy models small
 * enough to work out by hand: the values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "testing/reports.h"

#include <math.h>
#include <string.h>

/* Logits (0, ln 2, ln 5) for a: probabilities ⅛, ¼, ⅝ (issue 5); all equal for b: ties by id. */
START_TEST(next_tokens)
{
    static const float head[2][3] = {{0, 0.6931471806f, 1.6094379124f}, {0, 0, 0}};
    reports_run r = reports_start("{\"words\": {\"a\": [1, 0], \"b\": [0, 1], \"c\": [0, 1]}, \"layers\": "
                                  "[{\"mask\": \"window:1\"}]}",
                                  "next");
    r.model.head.w = attn_tensor_f32(&head[0][0], 2, 3);
    r.output.precision = (attn_given_count){true, 4};
    r.request.top = (attn_given_count){true, 2};
    ck_assert_str_eq(reports_printed(&r), "text\tposition\ttoken\trank\tid\tnext\tprobability\n"
                                          "0\t0\ta\t1\t2\tc\t0.6250\n0\t0\ta\t2\t1\tb\t0.2500\n"
                                          "0\t1\tb\t1\t0\ta\t0.3333\n0\t1\tb\t2\t1\tb\t0.3333\n");
}
END_TEST

/* A logit that is NaN leaves no probability of its row: the sum over all is NaN. What is larger still stands first. */
START_TEST(odd_logits)
{
    static const float head[2][3] = {{0, NAN, 1}, {0, 0, 0}};
    reports_run r = reports_start("{\"words\": {\"a\": [1, 0], \"b\": [0.5, 1], \"c\": [0, 1]}, \"layers\": "
                                  "[{\"mask\": \"window:1\"}]}",
                                  "next");
    r.model.head.w = attn_tensor_f32(&head[0][0], 2, 3);
    r.request.queries = "0";
    r.output.columns = "next,probability";
    ck_assert_str_eq(reports_printed(&r), "next\tprobability\nc\tnan\na\tnan\nb\tnan\n");
}
END_TEST

START_TEST(masks_are_filled)
{
    const char *output;
    static const float head[2][3] = {{0, 1, 2}, {2, 1, 0}};
    reports_run r = reports_start("{\"vocab\": [\"a\", \"b\", \"[MASK]\"], \"embeddings\": [[1, 0], [1, 0], [0, 1]], "
                                  "\"tokenizer\": \"whitespace\", \"layers\": [{\"mask\": \"window:1\"}]}",
                                  "next");
    r.model.head.w = attn_tensor_f32(&head[0][0], 2, 3);
    r.model.masked_lm = true;
    r.texts[0] = "a [MASK] b";
    r.request.top = (attn_given_count){true, 1};
    r.output.columns = "position,next";
    ck_assert_int_eq(reports_try(&r, &output, NULL), ATTN_OK);
    ck_assert_str_eq(output, "position\tnext\n1\ta\n");
    r.texts[0] = "a b";
    ck_assert_str_eq(reports_printed(&r), "position\tnext\n0\t[MASK]\n1\t[MASK]\n");
}
END_TEST

/* The model's head belongs to its last layer, and no other is shown for it. */
START_TEST(only_the_last_layer)
{
    static const char *const refused[] = {"0", "0-", "0,1"};
    const char *path = testing_source("tests/model/families/gpt2");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        reports_run r = reports_start_ids(path, "next");
        r.request.layers = refused[i];
        const char *message = reports_refused(&r, ATTN_EUSAGE);
        ck_assert_msg(strstr(message, "last layer (1) only") != NULL, "%s", message);
    }
    reports_run r = reports_start_ids(path, "next");
    r.texts[0] = "1 2";
    r.request.layers = "-1";
    reports_printed(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("next");
    TCase *tests = tcase_create("next");
    tcase_add_test(tests, next_tokens);
    tcase_add_test(tests, odd_logits);
    tcase_add_test(tests, masks_are_filled);
    tcase_add_test(tests, only_the_last_layer);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
