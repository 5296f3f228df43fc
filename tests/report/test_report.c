/* test_report.c: what all reports have in common: texts without tokens, refusals, failing memory. */
#include "config.h"

#include "testing.h"

#include "testing/memory.h"
#include "testing/reports.h"

#include <string.h>

START_TEST(an_empty_text_has_no_rows)
{
    static const char *const reports[] = {"weights", "pull",    "moves",  "embeddings", "queries",
                                          "values",  "nearest", "tokens", "heads"};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        reports_run r = reports_start(REPORTS_UNIFORM, reports[i]);
        r.texts[0] = "";
        r.output.no_header = true;
        ck_assert_str_eq(reports_printed(&r), "");
    }
}
END_TEST

START_TEST(what_does_not_apply_is_refused)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "heads");
    r.output.format = reports_format("npy");
    reports_refused(&r, ATTN_EUSAGE);
    r = reports_start(REPORTS_UNIFORM, "weights");
    r.output.format = reports_format("npy");
    r.several_texts = true;
    ck_assert_ptr_nonnull(strstr(reports_refused(&r, ATTN_EUSAGE), "one text"));
    r = reports_start(REPORTS_UNIFORM, "weights");
    r.output.format = reports_format("json");
    r.output.columns = "key";
    reports_refused(&r, ATTN_EUSAGE);
    r = reports_start(REPORTS_UNIFORM, "next");
    ck_assert_ptr_nonnull(strstr(reports_refused(&r, ATTN_EUNSUPPORTED), "no output head"));
    r = reports_start("{" REPORTS_TWO_WORDS "\"layers\": [{\"W_V\": [[1, 0, 0], [0, 1, 0]]}]}", "nearest");
    ck_assert_ptr_nonnull(strstr(reports_refused(&r, ATTN_EUSAGE), "vectors of 3 numbers, the vocabulary's have 2"));
}
END_TEST

/* The pass asks for itself: a caller of the library may not have. */
START_TEST(more_tokens_than_the_model_reads)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "weights");
    r.model.max_tokens = 1;
    ck_assert_str_eq(reports_refused(&r, ATTN_EDATA), "the text has 2 tokens, the model reads at most 1");
    r = reports_start(REPORTS_UNIFORM, "tokens");
    r.model.max_tokens = 1;
    r.output.columns = "token";
    ck_assert_str_eq(reports_printed(&r), "token\na\nb\n");
}
END_TEST

static attn_status try_again(void *context, attn_error *error)
{
    reports_run *run = context;
    attn_status status = reports_try(run, NULL, NULL);
    *error = run->error;
    return status;
}

static const char *const reports[] = {"weights", "scores", "embeddings", "nearest",
                                      "similar", "tokens", "heads",      "model"};

/* A failed allocation at any point ends in ATTN_ENOMEM, never in a shorter output. */
START_TEST(every_failed_allocation_is_told)
{
    const char *output;
    reports_run r = reports_start(REPORTS_UNIFORM, reports[_i]);
    r.request.average_heads = r.request.by_word = _i == 0;
    r.request.top = (attn_given_count){_i == 0 || _i == 3, 1};
    ck_assert_int_eq(reports_try(&r, &output, NULL), ATTN_OK);
    char *right = strdup(output);
    ck_assert_uint_gt(memory_fail_each(try_again, &r, MEMORY_FROM).failures, 4);
    ck_assert_int_eq(reports_try(&r, &output, NULL), ATTN_OK);
    ck_assert_str_eq(output, right);
    free(right);
    reports_end(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *tests = tcase_create("report");
    tcase_add_test(tests, an_empty_text_has_no_rows);
    tcase_add_test(tests, what_does_not_apply_is_refused);
    tcase_add_test(tests, more_tokens_than_the_model_reads);
    tcase_add_loop_test(tests, every_failed_allocation_is_told, 0, sizeof reports / sizeof reports[0]);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
