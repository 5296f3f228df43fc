/* test_options.c: the reading of argv, and the texts of a run. What is right: the manual's words. */
#include "config.h"

#include "testing.h"

#include "cli/options.h"
#include "cli/texts.h"
#include "testing/files.h"

#include <math.h>
#include <string.h>

static attn_status read_words(attn_options *options, attn_error *error, int argc, const char *const *words)
{
    static char storage[32][64];
    char *argv[33] = {NULL};
    ck_assert_int_le(argc, 32);
    for (int i = 0; i < argc; i++) {
        snprintf(storage[i], sizeof storage[i], "%s", words[i]);
        argv[i] = storage[i];
    }
    return attn_options_read(argc, argv, options, error);
}

#define READ(...)                                                                                                      \
    read_words(&options, &error, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)),                  \
               (const char *[]){__VA_ARGS__})

START_TEST(values_go_to_their_fields)
{
    attn_options options;
    attn_error error;
    ck_assert_int_eq(READ("attn", "-m", "x.json", "--layer=-1", "-H", "1.2", "-k3", "--scale=-.5", "-a", "causal",
                          "--mask", "band:2", "-j", "2", "a.txt", "-q", "b.txt"),
                     ATTN_OK);
    ck_assert_str_eq(options.model, "x.json");
    ck_assert_str_eq(options.layers, "-1");
    ck_assert_str_eq(options.heads, "1.2");
    ck_assert_uint_eq(options.top, 3);
    ck_assert_float_eq(options.scale, -.5F);
    ck_assert(isnan(options.temperature));
    ck_assert_uint_eq(options.masks.count, 2);
    ck_assert_str_eq(options.masks.items[1], "band:2");
    ck_assert_uint_eq(options.threads, 2);
    ck_assert(options.quiet && !options.lines);
    ck_assert_uint_eq(options.files.count, 2);
    ck_assert_str_eq(options.files.items[1], "b.txt");
    attn_options_free(&options);
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
        {"-k0", "--top"},
        {"-k-1", "--top"},
        {"-k1.5", "--top"},
        {"-k99999999999999999999", "--top"},
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
        attn_options options;
        attn_error error = {0};
        char text[512];
        ck_assert_msg(READ("attn", wrong[i][0]) == ATTN_EUSAGE, "%s", wrong[i][0]);
        attn_error_text(&error, text, sizeof text);
        if (strcmp(wrong[i][1], "did you mean") == 0)
            ck_assert_msg(strstr(text, "did you mean 'weights'?") != NULL, "%s", text);
        else
            ck_assert_msg(strstr(text, wrong[i][1]) != NULL, "%s: %s", wrong[i][0], text);
        attn_options_free(&options);
    }
}
END_TEST

START_TEST(every_row_is_whole)
{
    for (size_t i = 0; i < attn_n_options; i++) {
        const attn_option *row = &attn_option_table[i];
        ck_assert_msg(row->help != NULL && row->help[0] != '\0', "%s", row->name);
        ck_assert_msg((row->argument == NULL) == (row->kind == ATTN_OPTION_FLAG), "%s", row->name);
        ck_assert_msg((row->choice != NULL) == (row->kind == ATTN_OPTION_CHOICE), "%s", row->name);
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
    attn_options options;
    attn_error error;
    attn_texts texts;
    attn_raw_text text;
    const char *path = files_text("\xEF\xBB\xBF"
                                  "a\n\n b\r\nc\r\r\nd");
    ck_assert_int_eq(READ("attn", "--lines", path, "/nonexistent/file", path), ATTN_OK);
    texts = attn_texts_of(&options);
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
    attn_options_free(&options);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command line");
    TCase *tests = tcase_create("command line");
    tcase_add_test(tests, values_go_to_their_fields);
    tcase_add_test(tests, wrong_usage_is_named);
    tcase_add_test(tests, every_row_is_whole);
    tcase_add_test(tests, one_line_end_and_a_mark_go);
    tcase_add_test(tests, lines_of_a_file);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
