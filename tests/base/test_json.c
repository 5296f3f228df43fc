/* test_json.c: the strict reader: what RFC 8259 allows is read, what it does not is refused at the
 * right line and column (counted by hand in each text), in the reader, in skipping and in trees
 * alike. Values come from the RFC and from hand calculation. Numbers: test_json_numbers.c. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "base/json.h"
#include "testing/memory.h"

#include <math.h>
#include <string.h>

/* The whole of TEXT by skipping. */
static attn_status skim(attn_bytes text, attn_error *error)
{
    attn_json *json = attn_json_open(text, "it", error);
    if (json == NULL)
        return ATTN_ENOMEM;
    if (attn_json_skip(json))
        attn_json_end(json);
    attn_status status = attn_json_status(json);
    attn_json_close(json);
    return status;
}

static attn_status grow_tree(attn_bytes text, attn_error *error)
{
    attn_json_node *root;
    attn_status status = attn_json_tree_of(text, "it", &root, error);
    ck_assert((root != NULL) == (status == ATTN_OK));
    attn_json_tree_free(root);
    return status;
}

static void refused(const char *text, uint64_t line, uint64_t column, const char *word)
{
    for (int by_tree = 0; by_tree < 2; by_tree++) {
        attn_error error = {0};
        attn_status status = (by_tree ? grow_tree : skim)(attn_bytes_of(text), &error);
        ck_assert_msg(status == ATTN_EDATA && error.status == ATTN_EDATA, "not refused: %s", text);
        ck_assert_msg(error.line == line && error.column == column, "%s: at %d:%d, expected %d:%d", text,
                      (int)error.line, (int)error.column, (int)line, (int)column);
        ck_assert_msg(strstr(error.message, word) != NULL, "no '%s' in: %s", word, error.message);
        ck_assert_str_eq(error.file, "it");
    }
}

START_TEST(what_is_not_json_is_refused)
{
    static const struct {
        const char *text;
        uint64_t line, column;
        const char *word;
    } cases[] = {
        {"", 1, 1, "the end of the text"},
        {"  \n ", 2, 2, "the end of the text"},
        {"[1,2", 1, 5, "',' or ']', found the end"},
        {"[1,]", 1, 4, "a value, found ']'"},
        {"[,1]", 1, 2, "found ','"},
        {"[1 2]", 1, 4, "',' or ']', found 2"},
        {"[1}", 1, 3, "',' or ']', found '}'"},
        {"{\"a\":1,}", 1, 8, "a key, found '}'"},
        {"{\"a\" 1}", 1, 6, "':' after the key"},
        {"{\"a\":}", 1, 6, "found '}'"},
        {"{a:1}", 1, 2, "a key in double quotes, found a"},
        {"{1:1}", 1, 2, "a key in double quotes"},
        {"{\"a\":1 \"b\":2}", 1, 8, "',' or '}', found a string"},
        {"{\"a\":1", 1, 7, "the end"},
        {"[1] 2", 1, 5, "nothing after the value, found 2"},
        {"{}\n\n x", 3, 2, "nothing after the value"},
        {"01", 1, 1, "'01'"},
        {"-", 1, 1, "'-'"},
        {"[1.]", 1, 2, "'1.'"},
        {"[.5]", 1, 2, "found .5"},
        {"[+1]", 1, 2, "found +1"},
        {"[1e]", 1, 2, "'1e'"},
        {"[1e+]", 1, 2, "'1e+'"},
        {"[-01]", 1, 2, "'-01'"},
        {"[1.e5]", 1, 2, "'1.e5'"},
        {"[0x10]", 1, 2, "'0x10'"},
        {"[1_000]", 1, 2, "'1_000'"},
        {"[NaN]", 1, 2, "NaN"},
        {"[-Infinity]", 1, 2, "-Infinity"},
        {"[tru]", 1, 2, "tru"},
        {"[True]", 1, 2, "True"},
        {"[nulls]", 1, 2, "nulls"},
        {"['a']", 1, 2, "'''"},
        {"[1, // no\n2]", 1, 5, "'/'"},
        {"[\"a\tb\"]", 1, 4, "\\u0009"},
        {"[\"a\nb\"]", 1, 4, "\\u000a"},
        {"[\"abc", 1, 6, "'\"' at the end of the string"},
        {"[\"a\\x\"]", 1, 5, "after '\\'"},
        {"[\"a\\", 1, 5, "the end of the text"},
        {"[\"\\u12g4\"]", 1, 7, "hexadecimal"},
        {"[\"\\u12", 1, 7, "hexadecimal"},
        {"[\"\\ud83e\"]", 1, 3, "\\ud83e"},
        {"[\"\\ud83ex\"]", 1, 3, "surrogate"},
        {"[\"\\ud83e\\u0041\"]", 1, 3, "surrogate"},
        {"[\"\\udd99\"]", 1, 3, "surrogate"},
        {"[\"\\ud83e\\ud83e\"]", 1, 3, "surrogate"},
        {"[\"a\xff\"]", 1, 4, "0xff"},
        {"[\"\xed\xa0\x80\"]", 1, 3, "0xed"},
        {"[\"\xc0\xaf\"]", 1, 3, "0xc0"},
        {"[\"12345678\xe2\x82\"]", 1, 11, "0xe2"},
        {"\xff\xfe[\0]", 1, 1, "UTF-16LE"},
        {"{\"a\":1,\n \"b\":2,\n \"a\":3}", 3, 2, "'a' is there twice"},
        {"{\"a\":1,\"\\u0061\":2}", 1, 8, "'a' is there twice"},
        {"{\"x\":{\"a\":1,\"a\":2}}", 1, 13, "twice"},
        {"\xef\xbb\xbf[1,x]", 1, 4, "found x"},
        {"[1,\r\n2,\r\nx]", 3, 1, "found x"},
        {"\x01", 1, 1, "byte 0x01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i].text, cases[i].line, cases[i].column, cases[i].word);
}
END_TEST

START_TEST(what_is_json_is_read)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "-0.0e-0",
                                        "1E+2",
                                        "[]",
                                        "{}",
                                        "[[],{}]",
                                        " [ 1 , 2 ] ",
                                        "\"\"",
                                        "null",
                                        "true",
                                        "false",
                                        "\xef\xbb\xbf{}",
                                        "[1e-400]",
                                        "[123456789012345678901234567890]",
                                        "\r\n\t 1 \r\n\t",
                                        "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83e\\udd99\"]",
                                        "{\"\":{\"\":0}}",
                                        "{\"a\":1,\"A\":2}",
                                        "[\"\x7f\xc2\x80\xf4\x8f\xbf\xbf\"]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        attn_error error = {0};
        ck_assert_msg(skim(attn_bytes_of(texts[i]), &error) == ATTN_OK, "%s: %s", texts[i], error.message);
        ck_assert_msg(grow_tree(attn_bytes_of(texts[i]), &error) == ATTN_OK, "%s: %s", texts[i], error.message);
    }
}
END_TEST

static void nested(char *text, size_t depth)
{
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
}

START_TEST(the_first_byte_tells_what_it_is)
{
    ck_assert_int_eq(attn_json_first(attn_bytes_of("\xEF\xBB\xBF \t\r\n[1]")), '[');
    ck_assert_int_eq(attn_json_first(attn_bytes_of("{")), '{');
    ck_assert_int_eq(attn_json_first((attn_bytes){(const uint8_t *)"\0{", 2}), 0);
    ck_assert_int_eq(attn_json_first(attn_bytes_of(" \n")), -1);
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    static char text[200001];
    attn_error error = {0};
    nested(text, ATTN_JSON_DEPTH);
    ck_assert_int_eq(skim(attn_bytes_of(text), &error), ATTN_OK);
    ck_assert_int_eq(grow_tree(attn_bytes_of(text), &error), ATTN_OK);
    nested(text, ATTN_JSON_DEPTH + 1);
    refused(text, 1, ATTN_JSON_DEPTH + 1, "deeper than 64");
    nested(text, 100000);
    refused(text, 1, ATTN_JSON_DEPTH + 1, "deeper than 64");
}
END_TEST

START_TEST(strings_are_unescaped)
{
    static const char text[] = "[\"plain\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\uD83E\\udd99\\u20ac\","
                               "\"a\\u0000b\", \"\xea\xb0\x80\"]";
    static const struct {
        const char *bytes;
        size_t size;
    } expected[] = {{"plain", 5},
                    {"\"\\/\b\f\n\r\t", 8},
                    {"\xc3\xa9\xf0\x9f\xa6\x99\xe2\x82\xac", 9},
                    {"a\0b", 3},
                    {"\xea\xb0\x80", 3}};
    attn_error error = {0};
    attn_json *json = attn_json_open(attn_bytes_of(text), NULL, &error);
    attn_bytes value;
    size_t n = 0;
    ck_assert(attn_json_array(json));
    while (attn_json_element(json)) {
        ck_assert(attn_json_string(json, &value));
        ck_assert_uint_eq(value.size, expected[n].size);
        ck_assert(memcmp(value.data, expected[n].bytes, value.size) == 0);
        n++;
    }
    ck_assert_uint_eq(n, 5);
    ck_assert_int_eq(attn_json_end(json), ATTN_OK);
    attn_json_close(json);
}
END_TEST

START_TEST(keys_stay_while_their_object_is_open)
{
    attn_error error = {0};
    attn_json *json = attn_json_open(attn_bytes_of("{\"\\u0061\":\"\\u0062\",\"\\u0063\":\"d\"}"), NULL, &error);
    attn_bytes first, second, value;
    ck_assert(attn_json_object(json) && attn_json_key(json, &first));
    ck_assert(attn_json_string(json, &value) && attn_json_key(json, &second));
    ck_assert(attn_json_string(json, &value));
    ck_assert(attn_bytes_are(first, "a") && attn_bytes_are(second, "c") && attn_bytes_are(value, "d"));
    ck_assert(!attn_json_key(json, &value));
    ck_assert_int_eq(attn_json_end(json), ATTN_OK);
    attn_json_close(json);
}
END_TEST

/* Around the size at which an object's keys move to a hash table. */
START_TEST(duplicates_are_found_among_few_and_many_keys)
{
    static char text[200000];
    for (size_t n = 1; n < 4000; n = n < 20 ? n + 1 : n * 3)
        for (size_t twice = 0; twice < n; twice += 1 + n / 7) {
            attn_error error = {0};
            size_t used = 0, at;
            text[used++] = '{';
            for (size_t i = 0; i < n; i++)
                used += (size_t)snprintf(text + used, 32, "\"key%zu\":%zu,", i, i);
            at = used;
            snprintf(text + used, 32, "\"key%zu\":0}", twice);
            ck_assert_int_eq(skim(attn_bytes_of(text), &error), ATTN_EDATA);
            ck_assert_uint_eq(error.column, at + 1);
            snprintf(text + used, 32, "\"Key\":0}");
            ck_assert_int_eq(skim(attn_bytes_of(text), &error), ATTN_OK);
        }
}
END_TEST

START_TEST(places_are_line_and_column)
{
    attn_error error = {0};
    attn_json *json = attn_json_open(attn_bytes_of("{ \"a\": 1,\n  \"b\":\n   [5,\n6] }"), NULL, &error);
    uint64_t line, column, value;
    attn_bytes key;
    ck_assert(attn_json_object(json) && attn_json_key(json, &key));
    attn_json_place(json, &line, &column);
    ck_assert(line == 1 && column == 8);
    ck_assert(attn_json_u64(json, 9, &value));
    attn_json_place(json, &line, &column); /* the next key */
    ck_assert(line == 2 && column == 3);
    ck_assert(attn_json_key(json, &key));
    attn_json_place(json, &line, &column);
    ck_assert(line == 3 && column == 4);
    ck_assert(attn_json_array(json) && attn_json_element(json) && attn_json_u64(json, 9, &value));
    ck_assert(attn_json_element(json) && attn_json_u64(json, 9, &value));
    ck_assert_int_eq(attn_json_fail(json, "six is too many"), ATTN_EDATA);
    ck_assert(error.line == 4 && error.column == 1);
    attn_json_close(json);
}
END_TEST

START_TEST(trees)
{
    static const char text[] = "{\"n\": 12,\n\"x\": -0.5, \"s\": \"a\\u00e9\", \"list\": [true, false, null, {}],\n"
                               "\"big\": 9007199254740993}";
    attn_error error = {0};
    attn_json_node *root;
    const attn_json_node *list, *item;
    double number;
    uint64_t whole;
    bool boolean;
    ck_assert_int_eq(attn_json_tree_of(attn_bytes_of(text), NULL, &root, &error), ATTN_OK);
    ck_assert_int_eq(attn_json_node_type(root), ATTN_JSON_OBJECT);
    ck_assert_uint_eq(attn_json_node_size(root), 5);
    ck_assert(attn_json_node_u64(attn_json_node_member(root, "n"), 12, &whole) && whole == 12);
    ck_assert(!attn_json_node_u64(attn_json_node_member(root, "n"), 11, &whole));
    ck_assert(attn_json_node_number(attn_json_node_member(root, "x"), &number) && number == -0.5);
    ck_assert(!attn_json_node_u64(attn_json_node_member(root, "x"), 11, &whole));
    ck_assert(attn_json_node_u64(attn_json_node_member(root, "big"), UINT64_MAX, &whole));
    ck_assert(whole == UINT64_C(9007199254740993)); /* 2^53 + 1, which no double is */
    ck_assert_str_eq(attn_json_node_text(attn_json_node_member(root, "s")), "a\xc3\xa9");
    ck_assert_ptr_null(attn_json_node_text(root));
    ck_assert_ptr_null(attn_json_node_member(root, "N"));
    ck_assert_uint_eq(attn_json_node_line(attn_json_node_member(root, "x")), 2);
    ck_assert_uint_eq(attn_json_node_line(attn_json_node_member(root, "big")), 3);
    list = attn_json_node_member(root, "list");
    ck_assert_str_eq(attn_json_node_key(list), "list");
    item = attn_json_node_first(list);
    ck_assert(attn_json_node_bool(item, &boolean) && boolean);
    item = attn_json_node_next(item);
    ck_assert(attn_json_node_bool(item, &boolean) && !boolean);
    item = attn_json_node_next(item);
    ck_assert_int_eq(attn_json_node_type(item), ATTN_JSON_NULL);
    item = attn_json_node_next(item);
    ck_assert_int_eq(attn_json_node_type(item), ATTN_JSON_OBJECT);
    ck_assert_ptr_null(attn_json_node_next(item));
    ck_assert_int_eq(attn_json_node_type(NULL), ATTN_JSON_INVALID);
    attn_json_tree_free(root);
    attn_json_tree_free(NULL);
    ck_assert_int_eq(grow_tree(attn_bytes_of("[\"a\\u0000b\"]"), &error), ATTN_EDATA);
    ck_assert_int_eq(grow_tree(attn_bytes_of("{\"a\\u0000b\":1}"), &error), ATTN_EDATA);
}
END_TEST

static const char sample[] = "\xef\xbb\xbf{\"comment\": \"caf\\u00e9 \xea\xb0\x80\", \"W\": [[1, "
                             "2.5], [-3e-2, 0.123456789]], \"t\": [true,"
                             " null, {\"a\": {}, \"b\": [], \"c\": 1, \"d\": 2, \"e\": 3, \"f\": "
                             "4, \"g\": 5, \"h\": 6, \"i\\t\": 7}]}";

/* Every beginning of a text on a heap block of its own size: refused, never read past. */
START_TEST(truncation_at_every_byte_is_refused)
{
    for (size_t size = 0; size < sizeof sample - 1; size++) {
        uint8_t *copy = malloc(size > 0 ? size : 1);
        attn_error error = {0};
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, sample, size);
        ck_assert_int_eq(skim((attn_bytes){copy, size}, &error), ATTN_EDATA);
        ck_assert_int_eq(grow_tree((attn_bytes){copy, size}, &error), ATTN_EDATA);
        free(copy);
    }
}
END_TEST

static attn_status skim_sample(void *context, attn_error *error)
{
    (void)context;
    return skim(attn_bytes_of(sample), error);
}

static attn_status grow_sample(void *context, attn_error *error)
{
    (void)context;
    return grow_tree(attn_bytes_of(sample), error);
}

START_TEST(every_failed_allocation_is_said)
{
    ck_assert_uint_ge(memory_every_failure(skim_sample, NULL), 2);
    ck_assert_uint_ge(memory_every_failure(grow_sample, NULL), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_is_not_json_is_refused);
    tcase_add_test(tests, what_is_json_is_read);
    tcase_add_test(tests, the_first_byte_tells_what_it_is);
    tcase_add_test(tests, nesting_has_a_limit);
    tcase_add_test(tests, strings_are_unescaped);
    tcase_add_test(tests, keys_stay_while_their_object_is_open);
    tcase_add_test(tests, duplicates_are_found_among_few_and_many_keys);
    tcase_add_test(tests, places_are_line_and_column);
    tcase_add_test(tests, trees);
    tcase_add_test(tests, truncation_at_every_byte_is_refused);
    tcase_add_test(tests, every_failed_allocation_is_said);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
