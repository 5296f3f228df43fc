/* test_options.c: the reading of argv, and the texts of a run. What is right: the manual's words. */
#include "config.h"

#include "testing.h"

#include "cli/options.h"
#include "cli/texts.h"
#include "cli/usage.h"
#include "testing/files.h"
#include "testing/reports.h"

#include <string.h>

static attn_status read_words(attn_request *request, attn_error *error, int argc, const char *const *words)
{
    static char storage[32][64];
    char *argv[33] = {NULL};
    ck_assert_int_le(argc, 32);
    for (int i = 0; i < argc; i++) {
        snprintf(storage[i], sizeof storage[i], "%s", words[i]);
        argv[i] = storage[i];
    }
    return attn_request_read(argc, argv, request, error);
}

#define READ(...)                                                                                                      \
    read_words(&request, &error, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)),                  \
               (const char *[]){__VA_ARGS__})

START_TEST(values_go_to_their_fields)
{
    attn_request request;
    attn_error error;
    ck_assert_int_eq(READ("attn", "-m", "x.json", "--layer=-1", "-H", "1.2", "-k3", "--scale=-.5", "-a", "causal",
                          "--mask", "band:2", "-j", "2", "a.txt", "-q", "b.txt"),
                     ATTN_OK);
    ck_assert_str_eq(request.model.model, "x.json");
    ck_assert_str_eq(request.report.layers, "-1");
    ck_assert_str_eq(request.report.heads, "1.2");
    ck_assert(request.report.top.given);
    ck_assert_uint_eq(request.report.top.value, 3);
    ck_assert(request.model.overrides.scale.given && !request.model.overrides.temperature.given);
    ck_assert_float_eq(request.model.overrides.scale.value, -.5F);
    ck_assert_uint_eq(request.model.overrides.masks.count, 2);
    ck_assert_str_eq(request.model.overrides.masks.items[1], "band:2");
    ck_assert_uint_eq(request.threads, 2);
    ck_assert(request.quiet && !request.texts.lines);
    ck_assert_uint_eq(request.texts.files.count, 2);
    ck_assert_str_eq(request.texts.files.items[1], "b.txt");
    attn_request_free(&request);
}
END_TEST

/* A value that is also what stands there when nothing is given: 0, the first choice. */
START_TEST(what_is_given_is_known)
{
    attn_request request;
    attn_error error;
    ck_assert_int_eq(READ("attn", "--min=0", "--precision=0", "--special=auto", "--columns="), ATTN_OK);
    ck_assert(request.report.min.given && request.report.min.value == 0);
    ck_assert(request.output.precision.given && request.output.precision.value == 0);
    for (size_t i = 0; i < attn_n_options; i++) {
        const char *name = attn_option_table[i].name;
        bool right = strcmp(name, "min") == 0 || strcmp(name, "precision") == 0 || strcmp(name, "special") == 0 ||
                     strcmp(name, "columns") == 0;
        ck_assert_msg(request.given[i] == right, "%s", name);
    }
    attn_request_free(&request);
    ck_assert_int_eq(READ("attn"), ATTN_OK);
    ck_assert(!request.report.min.given && !request.output.precision.given);
    attn_request_free(&request);
}
END_TEST

START_TEST(choices_become_what_their_stage_wants)
{
    attn_request request;
    attn_error error;
    ck_assert_int_eq(READ("attn", "-p", "nearest", "-f", "json", "-t", "bytes", "-s", "cosine", "--special=none",
                          "--average=heads", "--color=always", "--shade=row", "--draw=squares", "--width=20"),
                     ATTN_OK);
    ck_assert_ptr_eq(request.report.kind, reports_kind("nearest"));
    ck_assert_ptr_eq(request.output.format, reports_format("json"));
    ck_assert_str_eq(attn_kind_name(request.model.tokenizer), "bytes");
    ck_assert(request.model.overrides.has_score && request.model.overrides.score == ATTN_SCORE_COSINE);
    ck_assert(request.encode.no_special && request.report.average_heads);
    ck_assert_int_eq(request.output.color, ATTN_COLOR_ALWAYS);
    ck_assert_int_eq(request.output.shade, ATTN_SHADE_ROW);
    ck_assert_int_eq(request.output.draw, ATTN_DRAW_SQUARES);
    ck_assert_uint_eq(request.output.width, 20);
    attn_request_free(&request);
    ck_assert_int_eq(READ("attn", "--special=auto", "-t", "auto", "--color=never"), ATTN_OK);
    ck_assert(!request.encode.no_special && request.model.tokenizer == NULL);
    ck_assert_int_eq(request.output.color, ATTN_COLOR_NEVER);
    attn_request_free(&request);
}
END_TEST

/* Right: the manual's list of what each report takes. An option that a report does not read is refused, whatever its
 * value. */
START_TEST(options_that_do_not_apply_are_refused)
{
    static const char *const wrong[][2] = {
        {"--min=0", "tokens"}, {"--by-word", "scores"},      {"--key-token=a", "heads"},  {"--at=before", "weights"},
        {"-k3", "embeddings"}, {"--average=heads", "heads"}, {"--final-norm", "weights"}, {"--with-self", "next"},
        {"-H0", "nearest"},    {"-L0", "similar"},           {"--query=0", "similar"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attn_request request;
        attn_file_list inputs = {0};
        attn_error error = {0};
        ck_assert_int_eq(READ("attn", "-T", "a", wrong[i][0], "-p", wrong[i][1]), ATTN_OK);
        ck_assert_int_eq(attn_usage_check(&request, &inputs, &error), ATTN_EUSAGE);
        ck_assert_msg(strstr(error.message, " does not apply to --print=") != NULL, "%s", error.message);
        ck_assert_msg(strstr(error.message, wrong[i][1]) != NULL, "%s", error.message);
        attn_request_free(&request);
    }
}
END_TEST

START_TEST(standard_input_is_read_once)
{
    static const char *const readers[] = {"-m", "-v", "-e", "-w", "-c", "-a", "--positions"};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        attn_request request;
        attn_file_list inputs = {0};
        attn_error error = {0};
        ck_assert_int_eq(READ("attn", readers[i], "-"), ATTN_OK);
        ck_assert_msg(attn_usage_check(&request, &inputs, &error) == ATTN_EUSAGE, "%s", readers[i]);
        ck_assert_ptr_nonnull(strstr(error.message, "asked for 2 times"));
        attn_request_free(&request);
        ck_assert_int_eq(READ("attn", readers[i], "-", "-T", "-"), ATTN_OK);
        ck_assert_msg(attn_usage_check(&request, &inputs, &error) == ATTN_OK, "%s", readers[i]);
        attn_request_free(&request);
    }
}
END_TEST

START_TEST(wrong_usage_is_named)
{
    static const char *const wrong[][2] = {
        {"--scale=1e400", "--scale"},
        {"--scale=1x", "--scale"},
        {"--scale=", "--scale"},
        {"--scale=nan", "--scale"},
        {"--temperature=0", "--temperature"},
        {"-k-1", "--top"},
        {"-k1.5", "--top"},
        {"-k99999999999999999999", "too large"},
        {"--precision=61", "--precision"},
        {"-fcsv", "--format"},
        {"--nosuch", "--nosuch"},
        {"-Z", "-Z"},
        {"--lines=yes", "--lines"},
        {"-m", "-m"},
        {"--model", "--model"},
        {"-pweight", "did you mean"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        attn_request request;
        attn_error error = {0};
        char text[512];
        ck_assert_msg(READ("attn", wrong[i][0]) == ATTN_EUSAGE, "%s", wrong[i][0]);
        attn_error_text(&error, text, sizeof text);
        if (strcmp(wrong[i][1], "did you mean") == 0)
            ck_assert_msg(strstr(text, "did you mean 'weights'?") != NULL, "%s", text);
        else
            ck_assert_msg(strstr(text, wrong[i][1]) != NULL, "%s: %s", wrong[i][0], text);
        attn_request_free(&request);
    }
}
END_TEST

START_TEST(every_row_is_whole)
{
    for (size_t i = 0; i < attn_n_options; i++) {
        const attn_option *row = &attn_option_table[i];
        ck_assert_msg(row->help != NULL && row->help[0] != '\0', "%s", row->name);
        ck_assert_msg((row->argument == NULL) == (row->kind == ATTN_OPTION_FLAG), "%s", row->name);
        ck_assert_msg((row->choices != NULL) == (row->kind == ATTN_OPTION_CHOICE), "%s", row->name);
        ck_assert_msg((row->least > 0) == (row->kind == ATTN_OPTION_COUNT), "%s", row->name);
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(row->name, attn_option_table[j].name);
            ck_assert(row->letter == 0 || row->letter != attn_option_table[j].letter);
        }
    }
}
END_TEST

static void check_body(const char *text, bool keep, const char *body)
{
    attn_bytes found = attn_text_body(attn_bytes_of(text), keep);
    ck_assert_msg(attn_bytes_are(found, body), "%s", text);
}

START_TEST(one_line_end_and_a_mark_go)
{
    check_body("a\n", false, "a");
    check_body("a\r\n", false, "a");
    check_body("a\n\n", false, "a\n");
    check_body("a\r", false, "a\r");
    check_body("a\n", true, "a\n");
    check_body("\xEF\xBB\xBF"
               "a",
               true, "a");
    check_body("\n", false, "");
    check_body("", false, "");
}
END_TEST

START_TEST(lines_of_a_file)
{
    static const char *const lines[] = {"a", "", " b", "c\r", "d"};
    attn_request request;
    attn_error error;
    attn_raw_text text;
    const char *path = files_text("\xEF\xBB\xBF"
                                  "a\n\n b\r\nc\r\r\nd");
    ck_assert_int_eq(READ("attn", "--lines", path, "/nonexistent/file", path), ATTN_OK);
    attn_texts texts = attn_texts_of(&request.texts, false);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(attn_texts_next(&texts, &text, &error), ATTN_NEXT_TEXT);
        ck_assert_msg(attn_bytes_are(text.bytes, lines[i]), "line %zu", i);
        ck_assert_uint_eq(text.line, i + 1);
        ck_assert_uint_eq(text.number, i);
    }
    ck_assert_int_eq(attn_texts_next(&texts, &text, &error), ATTN_NEXT_ERROR);
    ck_assert_int_eq(attn_texts_next(&texts, &text, &error), ATTN_NEXT_TEXT);
    ck_assert_uint_eq(text.number, 6);
    attn_texts_close(&texts);
    attn_request_free(&request);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command line");
    TCase *tests = tcase_create("command line");
    tcase_add_test(tests, values_go_to_their_fields);
    tcase_add_test(tests, what_is_given_is_known);
    tcase_add_test(tests, choices_become_what_their_stage_wants);
    tcase_add_test(tests, options_that_do_not_apply_are_refused);
    tcase_add_test(tests, standard_input_is_read_once);
    tcase_add_test(tests, wrong_usage_is_named);
    tcase_add_test(tests, every_row_is_whole);
    tcase_add_test(tests, one_line_end_and_a_mark_go);
    tcase_add_test(tests, lines_of_a_file);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
