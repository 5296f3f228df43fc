/* Patterns by PCRE2 and the differences from Oniguruma and Rust's regex. What each class holds is from the
 * Unicode character database (White_Space, Script, general categories); the same patterns agree with Rust's engine
 * in tests/text/npm_compare. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "testing/memory.h"
#include "text/split/pattern.h"

#include <string.h>

static const struct {
    const char *pattern, *text, *matches; /* separated by '|' */
} examples[] = {{"\\s+",
                 "a \u3000\xC2\x85"
                 "b",
                 " \u3000\xC2\x85"},
                {"\\s", "a\u180Eb", ""}, /* no White_Space since Unicode 6.3 */
                {"[^\\s]+", "a\u180Eb", "a\u180Eb"},
                {"\\s",
                 "a\x1C\x1D\x1E\x1F"
                 "b",
                 ""}, /* white space in Python only */
                {"[\\S]+", "a\x1C b\u180E", "a\x1C|b\u180E"},
                /* Oniguruma counts Latin-1's numbers, and no others, as letters of a word; Rust does not */
                {"\\w+", "e\u0301\u0903 x_1\u203F2 ⓐ \u00B2 \u2074", "e\u0301\u0903|x_1\u203F2|ⓐ|\u00B2"},
                {"[^\\w ]+", "a\u0301- b", "-"},
                {"\\b\\w+\\b", "e\u0301a b", "e\u0301a|b"},
                {"\\d+", "1٣ ½", "1٣"},
                {"\\p{Han}+", "中、文々", "中|文々"}, /* '、' has the script Common, Han only as extension */
                {"\\P{Han}+", "中、文", "、"},
                {"[\\p{L}&&[^\\p{Han}]]+", "ab中c", "ab|c"},
                {"[a-z&&[^aeiou]]+", "hello", "h|ll"},
                {"[^a-z&&[^aeiou]]+", "hello", "e|o"}, /* everything but consonants */
                {"[a-z&&b-y&&c-x]+", "abcxyz", "cx"},
                {"[a[0-9]c]+", "a1bc2", "a1|c2"},
                {"[a[^\\s]]+", "a b", "a|b"},
                {"[]a]+", "]ab", "]a"},
                {"[\\]\\-&]+", "&-]&&", "&-]&&"},
                {"(?i:'s|'re)", "'S'rE'\u017F'x", "'S|'rE|'\u017F"},
                {"(a)(b)?|(?<=a)c(?!d)", "abaccd", "ab|a|c"},
                {"a+?b|\\x41\\u0042", "aabAB", "aab|AB"},
                {"^a|b$", "a\nab\nb", "a|a|b|b"}, /* Oniguruma's lines */
                {".", "\r\n", "\r"},              /* only \n ends a line */
                {"x*", "axxb", "xx"},             /* empty matches split nothing */
                {"\\p{Letter}+|\\p{Nd}", "ab1", "ab|1"},
                {"\\p{^L}", "a1", "1"},
                {"\\s+(?!\\S)|\\S+", "a  b", "a| |b"}};

START_TEST(matches_as_the_reference)
{
    const attn_bytes text = attn_bytes_of(examples[_i].text);
    attn_pattern *pattern = NULL;
    attn_pattern_search search;
    attn_error error = {0};
    attn_buffer found = {0};
    size_t start, end;
    ck_assert_msg(attn_pattern_open(attn_bytes_of(examples[_i].pattern), &pattern, &error) == ATTN_OK, "%s: %s",
                  examples[_i].pattern, error.message);
    ck_assert_int_eq(attn_pattern_begin(pattern, text, &search, NULL), ATTN_OK);
    while (attn_pattern_next(&search, &start, &end)) {
        if (found.size > 0)
            attn_buffer_byte(&found, '|');
        attn_buffer_put(&found, text.data + start, end - start);
    }
    ck_assert_int_eq(attn_pattern_status(&search, NULL), ATTN_OK);
    attn_buffer_byte(&found, '\0');
    ck_assert_msg(strcmp(found.data, examples[_i].matches) == 0, "%s: expected '%s', found '%s'", examples[_i].pattern,
                  examples[_i].matches, found.data);
    attn_buffer_free(&found);
    attn_pattern_end(&search);
    attn_pattern_close(pattern);
}
END_TEST

static const struct {
    const char *pattern;
    attn_status status;
    const char *names; /* what the message must show */
} refused[] = {{"a\\h", ATTN_EUNSUPPORTED, "\\h"},
               {"\\R", ATTN_EUNSUPPORTED, "\\R"},
               {"(?x)a", ATTN_EUNSUPPORTED, "(?x"},
               {"(a)\\1", ATTN_EUNSUPPORTED, "\\1"},
               {"[[:alpha:]]", ATTN_EUNSUPPORTED, "[:alpha:"},
               {"[a--b]", ATTN_EUNSUPPORTED, "--"},
               {"(*ACCEPT)", ATTN_EUNSUPPORTED, "(*A"},
               {"(?P<n>a)", ATTN_EUNSUPPORTED, "(?P"},
               {"[\\W]", ATTN_EUNSUPPORTED, "\\W"},
               {"\\xff", ATTN_EUNSUPPORTED, "\\xff"},
               {"[a", ATTN_EDATA, "']'"},
               {"[&&a]", ATTN_EDATA, "empty"},
               {"(a", ATTN_EDATA, "(?:a"},
               {"a**+*", ATTN_EDATA, "a**+*"},
               {"\\p{NoSuchThing}", ATTN_EDATA, "NoSuchThing"},
               {"\\", ATTN_EUNSUPPORTED, "\\"}};

START_TEST(refuses_by_name)
{
    attn_pattern *pattern;
    attn_error error = {0};
    ck_assert_int_eq(attn_pattern_open(attn_bytes_of(refused[_i].pattern), &pattern, &error), refused[_i].status);
    ck_assert_ptr_null(pattern);
    ck_assert_msg(strstr(error.message, refused[_i].names) != NULL, "%s: %s", refused[_i].pattern, error.message);
}
END_TEST

/* Ill-formed bytes match nothing, not even a class that excludes little, and what stands around them is found. */
START_TEST(passes_over_ill_formed_bytes)
{
    static const char text[] = "ab\xFF\xE2\x80 cd\xC0\x80";
    const size_t expected[][2] = {{0, 2}, {5, 8}};
    attn_pattern *pattern;
    attn_pattern_search search;
    size_t start, end, n = 0;
    ck_assert_int_eq(attn_pattern_open(attn_bytes_of("[^!]+"), &pattern, NULL), ATTN_OK);
    ck_assert_int_eq(attn_pattern_begin(pattern, attn_bytes_of(text), &search, NULL), ATTN_OK);
    for (; attn_pattern_next(&search, &start, &end); n++) {
        ck_assert_uint_lt(n, 2);
        ck_assert_uint_eq(start, expected[n][0]);
        ck_assert_uint_eq(end, expected[n][1]);
    }
    ck_assert_uint_eq(n, 2);
    attn_pattern_end(&search);
    attn_pattern_close(pattern);
}
END_TEST

/* ---- steps ---- */

typedef struct walk {
    size_t matches;
    uint64_t steps;
    attn_status status;
    attn_error error;
} walk;

/* PATTERN over COUNT times UNIT and TAIL. */
static walk walk_over(const char *source, const char *unit, size_t count, const char *tail)
{
    walk w = {.status = ATTN_OK};
    attn_buffer text = {0};
    attn_pattern *pattern = NULL;
    attn_pattern_search search;
    size_t start, end;
    for (size_t i = 0; i < count; i++)
        attn_buffer_text(&text, unit);
    attn_buffer_text(&text, tail);
    ck_assert(!text.failed);
    ck_assert_int_eq(attn_pattern_open(attn_bytes_of(source), &pattern, NULL), ATTN_OK);
    ck_assert_int_eq(attn_pattern_begin(pattern, attn_buffer_bytes(&text), &search, NULL), ATTN_OK);
    while (attn_pattern_next(&search, &start, &end))
        w.matches++;
    w.status = attn_pattern_status(&search, &w.error);
    w.steps = search.steps;
    ck_assert_uint_le(w.steps, attn_pattern_limit(attn_buffer_bytes(&text)) + text.size + 1);
    attn_pattern_end(&search);
    attn_pattern_close(pattern);
    attn_buffer_free(&text);
    return w;
}

/* A pattern that takes more time than is linear in the text is an error that names it: nested repeats in one match,
 * many matches that are slow but no slower than one may be, a look-ahead to the text's end from everywhere. */
static const struct {
    const char *pattern, *unit, *tail;
    size_t enough, too_many; /* units */
} slow[] = {{"(?:a+)+[bc]", "a", "", 8, 64},          {"(?:a|aa)+b|a", "aaaaaaaaaaaaaaaaaaaaac", "", 4, 3000},
            {"a(?=.*b)|[^a]", "a", "b", 1000, 30000}, {"a(?!.*b)|.", "a", "", 1000, 200000},
            {"a.*b|a", "a", "", 1000, 30000},         {"\\d{1,3}(?=(?:\\d{3})*\\b)", "1", "", 1000, 200000}};

START_TEST(gives_up)
{
    const walk fine = walk_over(slow[_i].pattern, slow[_i].unit, slow[_i].enough, slow[_i].tail);
    const walk failed = walk_over(slow[_i].pattern, slow[_i].unit, slow[_i].too_many, slow[_i].tail);
    ck_assert_int_eq(fine.status, ATTN_OK);
    ck_assert_int_eq(failed.status, ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(failed.error.message, slow[_i].pattern));
    ck_assert_ptr_nonnull(strstr(failed.error.message, "steps"));
}
END_TEST

/* What reads a text once is not counted where words are short, and is linear where they are long. */
static const struct {
    const char *pattern, *unit;
} quick[] = {{"\\s+(?!\\S)|\\s+|\\S+", " "},
             {"\\p{L}+|\\p{N}+", "a"},
             {"(?:\\w|-)+", "a"},
             {"[^x]+|x", "한"},
             {" {2,}", "a b "},
             {"\\w+\\s*", "word "},
             {"(?:[^\\n]*\\n)+?", "a line of it\n"},
             {"\\p{N}{1,3}(?=\\p{N}{3}|a)", "1"},
             {"z", "a"}};

START_TEST(is_linear)
{
    const walk once = walk_over(quick[_i].pattern, quick[_i].unit, 20000, "");
    const walk twice = walk_over(quick[_i].pattern, quick[_i].unit, 40000, "");
    ck_assert_int_eq(once.status, ATTN_OK);
    ck_assert_int_eq(twice.status, ATTN_OK);
    ck_assert_uint_le(twice.steps, 2 * once.steps + 1000);
    ck_assert_uint_le(once.steps, 20000 * 8 * strlen(quick[_i].unit));
}
END_TEST

START_TEST(words_are_not_counted)
{
    ck_assert_uint_eq(walk_over("\\w+|\\s+(?!\\S)|\\s+", "some words ", 20000, "").steps, 0);
    ck_assert_uint_eq(walk_over("\\w+|\\s+(?!\\S)|\\s+", "some words ", 20000, "").matches, 80000);
}
END_TEST

static attn_status search_once(void *context, attn_error *error)
{
    attn_pattern *pattern;
    attn_pattern_search search;
    size_t start, end;
    (void)context;
    attn_status status = attn_pattern_open(attn_bytes_of("[a-z&&[^b]]+|\\s"), &pattern, error);
    if (status != ATTN_OK)
        return status;
    status = attn_pattern_begin(pattern, attn_bytes_of("abc d"), &search, error);
    if (status == ATTN_OK) {
        while (attn_pattern_next(&search, &start, &end))
            continue;
        status = attn_pattern_status(&search, error);
        attn_pattern_end(&search);
    }
    attn_pattern_close(pattern);
    return status;
}

START_TEST(survives_failing_allocations)
{
    ck_assert_uint_gt(memory_fail_each(search_once, NULL, MEMORY_FROM).failures, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pattern");
    TCase *tests = tcase_create("pattern");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, matches_as_the_reference, 0, sizeof examples / sizeof *examples);
    tcase_add_loop_test(tests, refuses_by_name, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, passes_over_ill_formed_bytes);
    tcase_add_loop_test(tests, gives_up, 0, sizeof slow / sizeof *slow);
    tcase_add_loop_test(tests, is_linear, 0, sizeof quick / sizeof *quick);
    tcase_add_test(tests, words_are_not_counted);
    tcase_add_test(tests, survives_failing_allocations);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
