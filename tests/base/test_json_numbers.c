/* test_json_numbers.c: values of the JSON reader that must be of one kind, numbers and matrices
 * above all: what is wrong is refused where it stands (places counted by hand). Values by hand and
 * from strtof; shared/cases 017, 100, 101, 103, 104. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "testing/files.h"
#include "testing/memory.h"
#include "testing/random.h"

#include <string.h>

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
        {read_matrix, "[[1,0],\n [0]]", 2, 2, "W_Q: row 1 has length 1, the rows before it have length 2"},
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
        attn_json *json = attn_json_open(attn_bytes_of(cases[i].text), "it", &error);
        char message[sizeof error.message];
        ck_assert_msg(!cases[i].read(json), "not refused: %s", cases[i].text);
        ck_assert_msg(strstr(error.message, cases[i].message) == error.message ||
                          strstr(error.message, cases[i].message) != NULL,
                      "%s: %s", cases[i].text, error.message);
        ck_assert_msg(error.line == cases[i].line && error.column == cases[i].column, "%s: at %d:%d", cases[i].text,
                      (int)error.line, (int)error.column);
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
    static const float expected[9] = {1, -2.5f, 300, 0.125f, -0.0078125f, 0.1f, 16777216, -0.0f, 0.3f};
    attn_error error = {0};
    attn_json *json = attn_json_open(attn_bytes_of(text), NULL, &error);
    attn_json_numbers numbers;
    ck_assert(attn_json_matrix(json, "W_Q", 2, &numbers));
    ck_assert_uint_eq(numbers.n_rows, 3);
    ck_assert_uint_eq(numbers.n_columns, 3);
    ck_assert_uint_eq(numbers.rank, 2);
    ck_assert(memcmp(numbers.values, expected, sizeof expected) == 0);
    ck_assert_int_eq(attn_json_end(json), ATTN_OK);
    attn_free(numbers.values);
    attn_json_close(json);

    json = attn_json_open(attn_bytes_of("[ 1, 2 ]"), NULL, &error);
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
    enum { N = sizeof expected / sizeof expected[0] };
    size_t used = 0;
    attn_error error = {0};
    attn_json_numbers numbers;
    uint64_t state = 99;
    text[used++] = '[';
    for (size_t n = 0; n < N; n++) {
        char number[40], *p = number;
        size_t whole = n % 7 == 0 ? 1 + n % 5 : 1, digits = n % 19;
        if (n % 3 == 0)
            *p++ = '-';
        for (size_t i = 0; i < whole + digits; i++) {
            if (i == whole)
                *p++ = '.';
            *p++ = (char)('0' + (i == 0 && whole > 1) + (int)(random_next64(&state) % 9));
        }
        *p = '\0';
        if (n % 11 == 0)
            snprintf(p, 8, "e%d", (int)(n % 13) - 6);
        expected[n] = strtof(number, NULL);
        used += (size_t)snprintf(text + used, 64, "%s%s%s", n > 0 ? "," : "", n % 5 == 0 ? " " : "", number);
    }
    text[used++] = ']';
    attn_json *json = attn_json_open((attn_bytes){(uint8_t *)text, used}, NULL, &error);
    ck_assert_msg(attn_json_matrix(json, "x", 1, &numbers), "%s", error.message);
    ck_assert_uint_eq(numbers.n_columns, N);
    ck_assert(memcmp(numbers.values, expected, sizeof expected) == 0);
    attn_free(numbers.values);
    attn_json_close(json);
}
END_TEST

/* A matrix of one number, cut everywhere, with the margin of the fast reader beyond the end. */
START_TEST(truncation_of_a_matrix_is_refused)
{
    static const char text[] = "[[0.5, 0.25],[-1.123456789, 0.1234567890123456], [1.5,2.5],[0.5, 0.25]]";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        uint8_t *copy = malloc(size > 0 ? size : 1);
        attn_error error = {0};
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, text, size);
        attn_json *json = attn_json_open((attn_bytes){copy, size}, NULL, &error);
        ck_assert(!read_matrix(json));
        attn_json_close(json);
        free(copy);
    }
}
END_TEST

static attn_status read_sample_matrix(void *context, attn_error *error)
{
    attn_json *json = attn_json_open(attn_bytes_of("[[1,2],[3,4]]"), NULL, error);
    (void)context;
    if (json == NULL)
        return ATTN_ENOMEM;
    read_matrix(json);
    attn_status status = attn_json_status(json);
    attn_json_close(json);
    return status;
}

START_TEST(every_failed_allocation_is_said) /* but making it smaller may fail */
{
    ck_assert_uint_ge(memory_fail_each(read_sample_matrix, NULL, MEMORY_ONE).failures, 2);
}
END_TEST

/* The whole of a file of shared/cases, or its matrices. */
static attn_status read_case(const char *path, bool matrices)
{
    attn_file file;
    attn_error error = {0};
    attn_bytes key;
    ck_assert_int_eq(attn_file_open(path, NULL, &file, &error), ATTN_OK);
    attn_json *json = attn_json_open(file.bytes, path, &error);
    if (!matrices)
        attn_json_skip(json);
    else if (attn_json_object(json))
        while (attn_json_key(json, &key))
            if (key.data[0] == 'W' ? !read_matrix(json) : !attn_json_skip(json))
                break;
    attn_status status = attn_json_end(json);
    attn_json_close(json);
    attn_file_close(&file);
    return status;
}

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

START_TEST(shared_case)
{
    const char *name = files_join("cases", cases[_i].name);
    testing_need(name);
    ck_assert_msg(read_case(testing_shared(name), cases[_i].matrices) == cases[_i].status, "%s", name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json_numbers");
    TCase *tests = tcase_create("json_numbers");
    tcase_add_test(tests, the_wrong_value_is_refused_where_it_stands);
    tcase_add_test(tests, matrices_are_read);
    tcase_add_test(tests, every_shape_of_number_in_a_row);
    tcase_add_test(tests, truncation_of_a_matrix_is_refused);
    tcase_add_test(tests, every_failed_allocation_is_said);
    tcase_add_loop_test(tests, shared_case, 0, sizeof cases / sizeof cases[0]);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
