/* test_json.c: the strict reader: what RFC 8259 allows is read, what it does not is refused at the
 * right line and column (counted by hand in each text), in the reader, in skipping and in trees
 * alike. Values come from the RFC, from shared/cases 017, 100, 101, 103, 104 and from hand
 * calculation. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

static attn_bytes bytes_of(const char *text)
{
    return (attn_bytes){(const uint8_t *)text, strlen(text)};
}

/* The whole of TEXT by skipping. */
static attn_status skim(attn_bytes text, attn_error *error)
{
    attn_json *json = attn_json_open(text, "it", error);
    attn_status status;
    if (json == NULL)
        return ATTN_ENOMEM;
    if (attn_json_skip(json))
        attn_json_end(json);
    status = attn_json_status(json);
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
        attn_status status = (by_tree ? grow_tree : skim)(bytes_of(text), &error);
        ck_assert_msg(status == ATTN_EDATA && error.status == ATTN_EDATA, "not refused: %s", text);
        ck_assert_msg(error.line == line && error.column == column, "%s: at %d:%d, expected %d:%d",
                      text, (int)error.line, (int)error.column, (int)line, (int)column);
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
        {"\xff\xfe[\0]", 1, 1, "0xff"},
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
        ck_assert_msg(skim(bytes_of(texts[i]), &error) == ATTN_OK, "%s: %s", texts[i],
                      error.message);
        ck_assert_msg(grow_tree(bytes_of(texts[i]), &error) == ATTN_OK, "%s: %s", texts[i],
                      error.message);
    }
}
END_TEST

static void nested(char *text, size_t depth)
{
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
}

START_TEST(nesting_has_a_limit)
{
    static char text[200001];
    attn_error error = {0};
    nested(text, ATTN_JSON_DEPTH);
    ck_assert_int_eq(skim(bytes_of(text), &error), ATTN_OK);
    ck_assert_int_eq(grow_tree(bytes_of(text), &error), ATTN_OK);
    nested(text, ATTN_JSON_DEPTH + 1);
    refused(text, 1, ATTN_JSON_DEPTH + 1, "deeper than 64");
    nested(text, 100000);
    refused(text, 1, ATTN_JSON_DEPTH + 1, "deeper than 64");
}
END_TEST

START_TEST(strings_are_unescaped)
{
    static const char text[] =
        "[\"plain\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\uD83E\\udd99\\u20ac\","
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
    attn_json *json = attn_json_open(bytes_of(text), NULL, &error);
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
    attn_json *json =
        attn_json_open(bytes_of("{\"\\u0061\":\"\\u0062\",\"\\u0063\":\"d\"}"), NULL, &error);
    attn_bytes first, second, value;
    ck_assert(attn_json_object(json) && attn_json_key(json, &first));
    ck_assert(attn_json_string(json, &value) && attn_json_key(json, &second));
    ck_assert(attn_json_string(json, &value));
    ck_assert(attn_bytes_are(first, "a") && attn_bytes_are(second, "c") &&
              attn_bytes_are(value, "d"));
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
            ck_assert_int_eq(skim(bytes_of(text), &error), ATTN_EDATA);
            ck_assert_uint_eq(error.column, at + 1);
            snprintf(text + used, 32, "\"Key\":0}");
            ck_assert_int_eq(skim(bytes_of(text), &error), ATTN_OK);
        }
}
END_TEST

typedef bool read_one(attn_json *json);

static bool read_string(attn_json *json)
{
    attn_bytes value;
    return attn_json_string(json, &value);
}

static bool read_f32(attn_json *json)
{
    float value;
    return attn_json_f32(json, &value);
}

static bool read_f64(attn_json *json)
{
    double value;
    return attn_json_f64(json, &value);
}

static bool read_small(attn_json *json)
{
    uint64_t value;
    return attn_json_u64(json, 4096, &value);
}

static bool read_bool(attn_json *json)
{
    bool value;
    return attn_json_bool(json, &value);
}

static bool read_matrix(attn_json *json)
{
    attn_json_numbers numbers;
    if (!attn_json_matrix(json, "W_Q", 2, &numbers)) {
        ck_assert_ptr_null(numbers.values);
        return false;
    }
    attn_free(numbers.values);
    return true;
}

static bool read_vector(attn_json *json)
{
    attn_json_numbers numbers;
    if (!attn_json_matrix(json, "b_Q", 1, &numbers))
        return false;
    attn_free(numbers.values);
    return true;
}

static bool read_three(attn_json *json)
{
    float values[3];
    return attn_json_vector(json, "'cat'", values, 3);
}

START_TEST(the_wrong_value_is_refused_where_it_stands)
{
    static const struct {
        read_one *read;
        const char *text;
        uint64_t line, column;
        const char *message;
    } cases[] = {
        {read_string, " 1", 1, 2, "expected a string, found 1"},
        {read_string, "null", 1, 1, "expected a string, found null"},
        {read_f32, "\"1.0\"", 1, 1, "expected a number, found a string"},
        {read_f32, "true", 1, 1, "expected a number, found true"},
        {read_f32, "1e39", 1, 1, "1e39 is too large for a float32"},
        {read_f32, "-1e400", 1, 1, "-1e400 is too large for a float32"},
        {read_f64, "1e400", 1, 1, "1e400 is too large for a double"},
        {read_small, "1.5", 1, 1, "expected a whole number from 0 to 4096, found 1.5"},
        {read_small, "1.0", 1, 1, "expected a whole number from 0 to 4096, found 1.0"},
        {read_small, "1e3", 1, 1, "found 1e3"},
        {read_small, "-1", 1, 1, "found -1"},
        {read_small, "4097", 1, 1, "found 4097"},
        {read_small, "4294967297", 1, 1, "found 4294967297"},
        {read_small, "\"2\"", 1, 1, "expected a number, found a string"},
        {read_bool, "1", 1, 1, "expected true or false, found 1"},
        {read_matrix, "[]", 1, 1, "W_Q: the array is empty"},
        {read_matrix, "[[]]", 1, 2, "W_Q: row 0 is empty"},
        {read_matrix, "[[1],[]]", 1, 6, "W_Q: row 1 is empty"},
        {read_matrix, "[[1,0],\n [0]]", 2, 2,
         "W_Q: row 1 has length 1, the rows before it have length 2"},
        {read_matrix, "[[1,0],[0,1,2]]", 1, 8, "W_Q: row 1 has length 3"},
        {read_matrix, "[1,2]", 1, 2, "W_Q: expected a row of numbers, found 1"},
        {read_matrix, "[[1,2],3]", 1, 8, "W_Q: expected a row of numbers, found 3"},
        {read_matrix, "[[1,[2]]]", 1, 5, "W_Q: row 0: expected a number, found an array"},
        {read_matrix, "[[1],[null]]", 1, 7, "W_Q: row 1: expected a number, found null"},
        {read_matrix, "[[1,\n\"2\"]]", 2, 1, "W_Q: row 0: expected a number, found a string"},
        {read_matrix, "[[1 2]]", 1, 5, "W_Q: row 0: expected ',' or ']', found 2"},
        {read_matrix, "[[1,]]", 1, 5, "W_Q: row 0: expected a number, found ']'"},
        {read_matrix, "[[1],]", 1, 6, "W_Q: expected a value, found ']'"},
        {read_matrix, "[[01]]", 1, 3, "W_Q: row 0: '01' is not a number"},
        {read_matrix, "[[0.5x]]", 1, 3, "W_Q: row 0: '0.5x' is not a number"},
        {read_matrix, "[[0.]]", 1, 3, "W_Q: row 0: '0.' is not a number"},
        {read_matrix, "[[NaN]]", 1, 3, "W_Q: row 0: expected a number, found NaN"},
        {read_matrix, "[[1],[1e39]]", 1, 7, "W_Q: row 1: 1e39 is too large"},
        {read_matrix, "5", 1, 1, "W_Q: expected an array of rows of numbers, found 5"},
        {read_matrix, "{}", 1, 1, "W_Q: expected an array of rows of numbers, found an object"},
        {read_vector, "[[1]]", 1, 2, "b_Q: expected a number, found an array"},
        {read_vector, "[]", 1, 1, "b_Q: the array is empty"},
        {read_three, "[1,2]", 1, 1, "'cat': expected 3 numbers, found fewer"},
        {read_three, "[1,2,3,4]", 1, 1, "'cat': expected 3 numbers, found more"},
        {read_three, "[]", 1, 2, "'cat': expected a number, found ']'"},
        {read_three, "[1,2,x]", 1, 6, "'cat': expected a number, found x"},
        {read_three, "[1,2,3", 1, 7, "'cat': expected ',' or ']'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        attn_error error = {0};
        attn_json *json = attn_json_open(bytes_of(cases[i].text), "it", &error);
        char message[sizeof error.message];
        ck_assert_msg(!cases[i].read(json), "not refused: %s", cases[i].text);
        ck_assert_msg(strstr(error.message, cases[i].message) == error.message ||
                          strstr(error.message, cases[i].message) != NULL,
                      "%s: %s", cases[i].text, error.message);
        ck_assert_msg(error.line == cases[i].line && error.column == cases[i].column,
                      "%s: at %d:%d", cases[i].text, (int)error.line, (int)error.column);
        strcpy(message, error.message);
        ck_assert(!cases[i].read(json)); /* stays failed, and keeps the first error */
        ck_assert_int_eq(attn_json_end(json), ATTN_EDATA);
        attn_json_fail(json, "another");
        ck_assert_str_eq(error.message, message);
        attn_json_close(json);
    }
}
END_TEST

START_TEST(matrices_are_read)
{
    static const char text[] =
        "[\n [1, -2.5, 3e2], [0.125,\t-0.0078125 ,1E-1],\r\n[16777217,-0, 0.30000000000000004]\n]";
    static const float expected[9] = {1,    -2.5f,    300,   0.125f, -0.0078125f,
                                      0.1f, 16777216, -0.0f, 0.3f};
    attn_error error = {0};
    attn_json *json = attn_json_open(bytes_of(text), NULL, &error);
    attn_json_numbers numbers;
    ck_assert(attn_json_matrix(json, "W_Q", 2, &numbers));
    ck_assert_uint_eq(numbers.n_rows, 3);
    ck_assert_uint_eq(numbers.n_columns, 3);
    ck_assert_uint_eq(numbers.rank, 2);
    ck_assert(memcmp(numbers.values, expected, sizeof expected) == 0);
    ck_assert_int_eq(attn_json_end(json), ATTN_OK);
    attn_free(numbers.values);
    attn_json_close(json);

    json = attn_json_open(bytes_of("[ 1, 2 ]"), NULL, &error);
    ck_assert(attn_json_matrix(json, "b", 0, &numbers));
    ck_assert_uint_eq(numbers.rank, 1);
    ck_assert_uint_eq(numbers.n_rows, 1);
    ck_assert_uint_eq(numbers.n_columns, 2);
    attn_free(numbers.values);
    attn_json_close(json);
}
END_TEST

/* Many numbers of every length, so that the fast reader, its margin at the end and the slow one all
 * work: values from strtof, which reads decimals right. */
START_TEST(every_shape_of_number_in_a_row)
{
    static char text[400000];
    static float expected[20000];
    size_t used = 0, n = 0;
    attn_error error = {0};
    attn_json *json;
    attn_json_numbers numbers;
    uint64_t state = 99;
    text[used++] = '[';
    for (n = 0; n < 20000; n++) {
        char number[40], *p = number;
        size_t whole = n % 7 == 0 ? 1 + n % 5 : 1, digits = n % 19;
        if (n % 3 == 0)
            *p++ = '-';
        for (size_t i = 0; i < whole + digits; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
            if (i == whole)
                *p++ = '.';
            *p++ = (char)('0' + (i == 0 && whole > 1) + (int)((state >> 33) % 9));
        }
        *p = '\0';
        if (n % 11 == 0)
            snprintf(p, 8, "e%d", (int)(n % 13) - 6);
        expected[n] = strtof(number, NULL);
        used += (size_t)snprintf(text + used, 64, "%s%s%s", n > 0 ? "," : "", n % 5 == 0 ? " " : "",
                                 number);
    }
    text[used++] = ']';
    json = attn_json_open((attn_bytes){(uint8_t *)text, used}, NULL, &error);
    ck_assert_msg(attn_json_matrix(json, "x", 1, &numbers), "%s", error.message);
    ck_assert_uint_eq(numbers.n_columns, n);
    ck_assert(memcmp(numbers.values, expected, sizeof expected) == 0);
    attn_free(numbers.values);
    attn_json_close(json);
}
END_TEST

START_TEST(places_are_line_and_column)
{
    attn_error error = {0};
    attn_json *json = attn_json_open(bytes_of("{ \"a\": 1,\n  \"b\":\n   [5,\n6] }"), NULL, &error);
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
    static const char text[] =
        "{\"n\": 12,\n\"x\": -0.5, \"s\": \"a\\u00e9\", \"list\": [true, false, null, {}],\n"
        "\"big\": 9007199254740993}";
    attn_error error = {0};
    attn_json_node *root;
    const attn_json_node *list, *item;
    double number;
    uint64_t whole;
    bool boolean;
    ck_assert_int_eq(attn_json_tree_of(bytes_of(text), NULL, &root, &error), ATTN_OK);
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
    ck_assert_int_eq(grow_tree(bytes_of("[\"a\\u0000b\"]"), &error), ATTN_EDATA);
    ck_assert_int_eq(grow_tree(bytes_of("{\"a\\u0000b\":1}"), &error), ATTN_EDATA);
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

/* A matrix of one number, cut everywhere, with the margin of the fast reader beyond the end. */
START_TEST(truncation_of_a_matrix_is_refused)
{
    static const char text[] =
        "[[0.5, 0.25],[-1.123456789, 0.1234567890123456], [1.5,2.5],[0.5, 0.25]]";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        uint8_t *copy = malloc(size > 0 ? size : 1);
        attn_error error = {0};
        attn_json *json;
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, text, size);
        json = attn_json_open((attn_bytes){copy, size}, NULL, &error);
        ck_assert(!read_matrix(json));
        attn_json_close(json);
        free(copy);
    }
}
END_TEST

typedef struct budget {
    size_t allocations, fail_at; /* this one fails, from 1 */
} budget;

static bool count(void *context, size_t size)
{
    budget *left = context;
    (void)size;
    return ++left->allocations != left->fail_at;
}

static attn_status read_sample_matrix(attn_error *error)
{
    attn_json *json = attn_json_open(bytes_of("[[1,2],[3,4]]"), NULL, error);
    attn_status status;
    if (json == NULL)
        return ATTN_ENOMEM;
    read_matrix(json);
    status = attn_json_status(json);
    attn_json_close(json);
    return status;
}

START_TEST(every_failed_allocation_is_said)
{
    for (int kind = 0; kind < 3; kind++) {
        size_t failures = 0;
        for (size_t nth = 1;; nth++) {
            attn_error error = {0};
            budget left = {0, nth};
            attn_status status;
            attn_set_alloc_hook(count, &left);
            if (kind == 0)
                status = skim(bytes_of(sample), &error);
            else if (kind == 1)
                status = grow_tree(bytes_of(sample), &error);
            else
                status = read_sample_matrix(&error);
            attn_set_alloc_hook(NULL, NULL);
            ck_assert_int_eq(status, error.status);
            if (left.allocations < nth)
                break;
            ck_assert(status == ATTN_ENOMEM ||
                      status == ATTN_OK); /* making a matrix smaller may fail */
            failures += status == ATTN_ENOMEM;
        }
        ck_assert_uint_ge(failures, 2);
    }
}
END_TEST

static attn_status read_case(const char *name, bool matrices)
{
    char path[256];
    const char *found;
    attn_file file;
    attn_error error = {0};
    attn_status status;
    snprintf(path, sizeof path, "cases/%s", name);
    found = testing_shared(path);
    ck_assert_msg(found != NULL, "%s is missing", name);
    ck_assert_int_eq(attn_file_open(found, &file, &error), ATTN_OK);
    if (matrices) {
        attn_json *json = attn_json_open(file.bytes, name, &error);
        attn_bytes key;
        if (attn_json_object(json))
            while (attn_json_key(json, &key))
                if (key.data[0] == 'W' ? !read_matrix(json) : !attn_json_skip(json))
                    break;
        status = attn_json_end(json);
        attn_json_close(json);
    } else {
        status = skim(file.bytes, &error);
    }
    attn_file_close(&file);
    return status;
}

START_TEST(shared_cases)
{
    static const struct {
        const char *name;
        bool matrices;
        attn_status status;
    } cases[] = {
        {"017-vocab-json-surrogates/vocab.json", false, ATTN_OK},
        {"017-vocab-json-surrogates/bad.json", false, ATTN_EDATA},
        {"100-json-number-overflow/e39.json", true, ATTN_EDATA},
        {"100-json-number-overflow/e400.json", true, ATTN_EDATA},
        {"100-json-number-overflow/em400.json", true, ATTN_EDATA},
        {"100-json-number-overflow/tiny.json", true, ATTN_OK},
        {"101-json-deep-nesting/open.json", false, ATTN_EDATA},
        {"101-json-deep-nesting/closed.json", false, ATTN_EDATA},
        {"101-json-deep-nesting/obj.json", false, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/bool.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/deep.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/empty.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/emptyrow.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/extra.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/flat.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/null.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/object.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/ragged.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/scalar.json", true, ATTN_EDATA},
        {"103-json-ragged-and-wrong-types/strings.json", true, ATTN_EDATA},
        {"104-json-nan-literals-in-out/Infinity.json", true, ATTN_EDATA},
        {"104-json-nan-literals-in-out/NaN.json", true, ATTN_EDATA},
        {"104-json-nan-literals-in-out/mInf.json", true, ATTN_EDATA},
        {"104-json-nan-literals-in-out/nan.json", true, ATTN_EDATA},
        {"104-json-nan-literals-in-out/weights.json", true, ATTN_OK},
    };
    if (testing_shared("cases") == NULL) {
        printf("SKIP: shared_cases: no outside data (ATTN_SHARED)\n");
        return;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(read_case(cases[i].name, cases[i].matrices) == cases[i].status, "%s",
                      cases[i].name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_is_not_json_is_refused);
    tcase_add_test(tests, what_is_json_is_read);
    tcase_add_test(tests, nesting_has_a_limit);
    tcase_add_test(tests, strings_are_unescaped);
    tcase_add_test(tests, keys_stay_while_their_object_is_open);
    tcase_add_test(tests, duplicates_are_found_among_few_and_many_keys);
    tcase_add_test(tests, the_wrong_value_is_refused_where_it_stands);
    tcase_add_test(tests, matrices_are_read);
    tcase_add_test(tests, every_shape_of_number_in_a_row);
    tcase_add_test(tests, places_are_line_and_column);
    tcase_add_test(tests, trees);
    tcase_add_test(tests, truncation_at_every_byte_is_refused);
    tcase_add_test(tests, truncation_of_a_matrix_is_refused);
    tcase_add_test(tests, every_failed_allocation_is_said);
    tcase_add_test(tests, shared_cases);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
