/* test_fit.c: texts in so many columns. What is right: hand counts; Hangul is 2 wide (Unicode's UAX 11). */
#include "config.h"

#include "output/fit.h"
#include "testing.h"
#include "testing/sinks.h"

#include <math.h>
#include <string.h>

static const char *label(const char *text, size_t width, bool ascii)
{
    static attn_buffer out;
    attn_buffer_free(&out);
    const size_t columns = attn_fit_label(attn_bytes_of(text), width, ascii, &out);
    attn_buffer_format(&out, "|%zu", columns);
    attn_buffer_byte(&out, '\0');
    return out.data;
}

START_TEST(labels_are_cut_by_columns)
{
    ck_assert_str_eq(label("", 3, false), "|0");
    ck_assert_str_eq(label("abc", 3, false), "abc|3");
    ck_assert_str_eq(label("abcd", 3, false), "ab…|3");
    ck_assert_str_eq(label("abcd", 3, true), "ab~|3");
    ck_assert_str_eq(label("어부", 4, false), "어부|4");
    ck_assert_str_eq(label("어부", 3, false), "어…|3");
    ck_assert_str_eq(label("어부가", 4, false), "어…|3"); /* half of a syllable is no syllable */
    ck_assert_str_eq(label("👨\u200D👩\u200D👧x", 3, false), "👨\u200D👩\u200D👧x|3");
    ck_assert_str_eq(label("a👨\u200D👩\u200D👧", 2, false), "a…|2");
    ck_assert_str_eq(label("e\u0301x", 1, false), "…|1");
}
END_TEST

typedef struct prose {
    const char *text;
    size_t limit;
} prose;

static attn_status write_prose(attn_sink *sink, void *context, attn_error *error)
{
    const prose *p = context;
    attn_paragraph paragraph = {.sink = sink, .limit = p->limit};
    (void)error;
    attn_fit_text(&paragraph, attn_bytes_of(p->text));
    attn_fit_end(&paragraph);
    return ATTN_OK;
}

static const char *written(const char *text, size_t limit)
{
    prose p = {text, limit};
    const char *output;
    size_t size;
    ck_assert_int_eq(sinks_run(write_prose, &p, &output, &size, NULL), ATTN_OK);
    return output;
}

START_TEST(words_go_on_in_the_next_line)
{
    ck_assert_str_eq(written("ab cd ef", 8), "ab cd ef\n");
    ck_assert_str_eq(written("ab cd ef", 7), "ab cd\nef\n");
    ck_assert_str_eq(written("  ab  cd ", 5), "ab cd\n");
    ck_assert_str_eq(written("그물 그물", 8), "그물\n그물\n");
    ck_assert_str_eq(written("x abcdefgh y", 5), "x\nabcd…\ny\n");
    ck_assert_str_eq(written("", 5), "");
}
END_TEST

static const char *number(double value)
{
    static char text[ATTN_NUMBER_ROOM];
    text[attn_fit_number(value, text)] = '\0';
    return text;
}

START_TEST(numbers_are_brief)
{
    ck_assert_str_eq(number(0), "0.0000");
    ck_assert_str_eq(number(-0.25), "-0.2500");
    ck_assert_str_eq(number(9999.25), "9999.2500");
    ck_assert_str_eq(number(123456), "1.23e5");
    ck_assert_str_eq(number(-999999), "-1.00e6");
    ck_assert_str_eq(number(0.000125), "1.25e-4");
    ck_assert_str_eq(number(3.4028234e38), "3.40e38");
    ck_assert_str_eq(number((double)INFINITY), "inf");
    ck_assert_str_eq(number((double)NAN), "nan");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit");
    TCase *tests = tcase_create("fit");
    tcase_add_test(tests, labels_are_cut_by_columns);
    tcase_add_test(tests, words_go_on_in_the_next_line);
    tcase_add_test(tests, numbers_are_brief);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
