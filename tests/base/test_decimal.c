/* test_decimal.c: decimal text against strtof and strtod (the C library's, in the C locale, rounds
 * every decimal correctly) on random and on hard decimals, and in a locale with a decimal comma. */
#include "config.h"

#include "testing.h"

#include "base/decimal.h"
#include "base/decimal_short.h"
#include "testing/locales.h"
#include "testing/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { RANDOM_DECIMALS = 1000000, HARD_DECIMALS = 100000, LONG_DECIMALS = 4000, ROOM = 2048 };

/* The double at the beginning of TEXT, in the two steps that readers take. */
static attn_decimal_result read_double(attn_bytes text, double *value, size_t *used)
{
    attn_decimal decimal;
    bool found = attn_decimal_scan(text, &decimal);
    *used = decimal.used;
    return found ? attn_decimal_to_f64(&decimal, value) : ATTN_DECIMAL_NONE;
}

/* TEXT as float32 and double: bit for bit what the C library reads, of the same length. */
static void compare(const char *text)
{
    char *end;
    float single = 0, expected_single = strtof(text, &end);
    double both = 0, expected_both = strtod(text, NULL);
    size_t used_single, used_both;
    if (attn_decimal_f32(attn_bytes_of(text), &single, &used_single) == ATTN_DECIMAL_OVERFLOW)
        single = text[0] == '-' ? -INFINITY : INFINITY;
    if (read_double(attn_bytes_of(text), &both, &used_both) == ATTN_DECIMAL_OVERFLOW)
        both = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    if (memcmp(&single, &expected_single, sizeof single) != 0 || memcmp(&both, &expected_both, sizeof both) != 0 ||
        used_single != (size_t)(end - text) || used_both != used_single)
        ck_abort_msg("%s: %a (%zu characters) and %a, expected %a (%zu) and %a", text, (double)single, used_single,
                     both, (double)expected_single, (size_t)(end - text), expected_both);
}

static void put_digits(uint64_t *state, char **p, size_t n)
{
    while (n-- > 0)
        *(*p)++ = (char)('0' + random_next64(state) % 10);
}

START_TEST(random_decimals_are_as_the_c_library_reads_them)
{
    uint64_t state = UINT64_C(88172645463325252);
    char text[128];
    for (size_t i = 0; i < RANDOM_DECIMALS; i++) {
        char *p = text;
        size_t digits = 1 + random_next64(&state) % 24, whole = random_next64(&state) % (digits + 1);
        if (random_next64(&state) % 2 == 0)
            *p++ = '-';
        put_digits(&state, &p, whole);
        if (whole < digits)
            *p++ = '.';
        put_digits(&state, &p, digits - whole);
        *p = '\0';
        if (i % 3 == 0)
            snprintf(p, 16, "e%d", (int)(random_next64(&state) % 110) - 55);
        else if (i % 3 == 1)
            snprintf(p, 16, "E%+d", (int)(random_next64(&state) % 720) - 360);
        compare(text);
    }
}
END_TEST

/* Writes A + (a little) in several ways around the middle of two neighbours. */
static void compare_around(double middle)
{
    static const int digits[] = {8, 9, 15, 16, 17, 18, 19, 20, 21, 25, 40};
    char text[ROOM];
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
        snprintf(text, sizeof text, "%.*g", digits[i], middle);
        compare(text);
    }
    snprintf(text, sizeof text, "%.160f", middle); /* exact: it is a multiple of 2^-150 */
    compare(text);
    size_t length = strlen(text);
    memcpy(text + length, "1", 2);
    compare(text);
}

START_TEST(middles_of_two_float32_are_not_rounded_twice)
{
    uint64_t state = UINT64_C(1234567891);
    for (size_t i = 0; i < HARD_DECIMALS; i++) {
        uint32_t bits = (uint32_t)random_next64(&state) % UINT32_C(0x7f7fffff);
        float low, high;
        if (i % 8 == 0)
            bits %= UINT32_C(0x00800000); /* subnormal */
        low = attn_float_of_bits(bits);
        high = attn_float_of_bits(bits + 1);
        compare_around(((double)low + (double)high) / 2);
    }
}
END_TEST

/* Needs a type that holds the middle of two doubles. */
START_TEST(middles_of_two_doubles_are_decided_by_the_last_digit)
{
#if LDBL_MANT_DIG > DBL_MANT_DIG
    uint64_t state = UINT64_C(987654321);
    static char text[ROOM];
    for (size_t i = 0; i < LONG_DECIMALS; i++) {
        uint64_t bits = random_next64(&state) % UINT64_C(0x7fefffffffffffff);
        long double middle;
        if (i % 4 == 0)
            bits %= UINT64_C(0x0010000000000000);
        middle = ((long double)attn_double_of_bits(bits) + attn_double_of_bits(bits + 1)) / 2;
        snprintf(text, sizeof text, "%.1100Lf", middle);
        compare(text);
        text[strlen(text) - 1] = '1';
        compare(text);
        snprintf(text, sizeof text, "%.18Le", middle);
        compare(text);
        snprintf(text, sizeof text, "%.30Le", middle);
        compare(text);
    }
#endif
}
END_TEST

START_TEST(known_values)
{
    /* 16777217 = 2^24 + 1 lies between two float32: to even. One more digit far behind decides
     * otherwise. 1.00000017881393432617187499 (Go's strconv tests) is rounded twice by a reader
     * that goes by double. */
    static const struct {
        const char *text;
        uint32_t bits;
    } known[] = {
        {"16777217", 0x4b800000},
        {"16777219", 0x4b800002},
        {"16777217.0000000000000000000000000000000000000000000000000000001", 0x4b800001},
        {"1.00000017881393432617187499", 0x3f800001},
        {"1.000000178813934326171875", 0x3f800002},
        {"1.00000017881393432617187501", 0x3f800002},
        {"3.4028234663852886e38", 0x7f7fffff},
        {"3.4028235677973366e38", 0x7f7fffff}, /* just below the middle to what would be next */
        {"1.401298464324817e-45", 0x00000001},
        {"7.006492321624086e-46", 0x00000001}, /* just above half the smallest */
        {"7.006492321624085e-46", 0x00000000},
        {"0.000000000000000000000000000000000000000000000000000000000000000000", 0},
        {"-0", 0x80000000},
        {"1e-400", 0},
        {"00000000000000000000000000000000001", 0x3f800000},
        {"0e999999999999999999999", 0},
        {"1e-999999999999999999999999", 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        float value;
        size_t used;
        ck_assert_int_eq(attn_decimal_f32(attn_bytes_of(known[i].text), &value, &used), ATTN_DECIMAL_OK);
        ck_assert_msg(memcmp(&value, &known[i].bits, sizeof value) == 0, "%s: %a", known[i].text, (double)value);
        compare(known[i].text);
    }
}
END_TEST

START_TEST(too_large_is_said)
{
    static const char *const texts[] = {"3.4028235677973367e38", "1e39", "-1e400", "1e999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        float value = 7;
        size_t used;
        ck_assert_int_eq(attn_decimal_f32(attn_bytes_of(texts[i]), &value, &used), ATTN_DECIMAL_OVERFLOW);
        ck_assert_uint_eq(used, strlen(texts[i]));
        ck_assert(value == 7);
    }
}
END_TEST

START_TEST(what_is_no_number_and_where_numbers_end)
{
    static const struct {
        const char *text;
        size_t used; /* 0: no number */
    } cases[] = {{"", 0},    {"-", 0},   {"+", 0},    {".", 0},  {"e5", 0},    {"nan", 0},    {"inf", 0},
                 {" 1", 0},  {"--1", 0}, {"0x10", 1}, {"1e", 1}, {"1e+", 1},   {"1.5.2", 3},  {"12abc", 2},
                 {"1,5", 1}, {".5", 2},  {"5.", 2},   {"+3", 2}, {"1e5e5", 3}, {"-.5e-1x", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float value;
        size_t used;
        attn_decimal_result result = attn_decimal_f32(attn_bytes_of(cases[i].text), &value, &used);
        ck_assert_msg((result == ATTN_DECIMAL_NONE) == (cases[i].used == 0), "'%s'", cases[i].text);
        ck_assert_msg(used == cases[i].used, "'%s': %zu", cases[i].text, used);
    }
}
END_TEST

/* Found by fuzzing: digits behind a second point do not belong to a long number. */
START_TEST(a_long_number_ends_where_it_ends)
{
    static const char text[] = "0000000000000017000.001.0000042";
    double value;
    size_t used;
    ck_assert_int_eq(read_double(attn_bytes_of(text), &value, &used), ATTN_DECIMAL_OK);
    ck_assert_uint_eq(used, 23);
    ck_assert(value == 17000.001);
}
END_TEST

START_TEST(whole_numbers)
{
    uint64_t value = 5;
    ck_assert(attn_decimal_u64(attn_bytes_of("18446744073709551615"), UINT64_MAX, &value));
    ck_assert(value == UINT64_MAX);
    ck_assert(!attn_decimal_u64(attn_bytes_of("18446744073709551616"), UINT64_MAX, &value));
    ck_assert(!attn_decimal_u64(attn_bytes_of("99999999999999999999999"), UINT64_MAX, &value));
    ck_assert(!attn_decimal_u64(attn_bytes_of("11"), 10, &value));
    ck_assert(!attn_decimal_u64(attn_bytes_of(""), 10, &value));
    ck_assert(!attn_decimal_u64(attn_bytes_of("-1"), 10, &value));
    ck_assert(!attn_decimal_u64(attn_bytes_of("1.0"), 10, &value));
    ck_assert(value == UINT64_MAX);
    ck_assert(attn_decimal_u64(attn_bytes_of("10"), 10, &value));
    ck_assert(value == 10);
}
END_TEST

/* The inline reader of common shapes: where it answers, strtof's answer. */
START_TEST(short_numbers_are_as_the_c_library_reads_them)
{
    uint64_t state = UINT64_C(5555555555);
    size_t answered = 0;
    for (size_t i = 0; i < RANDOM_DECIMALS; i++) {
        char text[2 * ATTN_DECIMAL_MARGIN] = "", *p = text, *end;
        float value, expected;
        const uint8_t *past;
        if (random_next64(&state) % 2 == 0)
            *p++ = '-';
        put_digits(&state, &p, 1);
        *p++ = '.';
        put_digits(&state, &p, random_next64(&state) % 26);
        *p++ = "  \n,]e"[random_next64(&state) % 6];
        *p = '7';
        expected = strtof(text, &end);
        past = attn_decimal_short((const uint8_t *)text, &value);
        if (past == NULL)
            continue;
        answered++;
        ck_assert_msg(memcmp(&value, &expected, sizeof value) == 0 && (const char *)past == end, "%s: %a, expected %a",
                      text, (double)value, (double)expected);
    }
    ck_assert_uint_gt(answered, RANDOM_DECIMALS / 2);
}
END_TEST

START_TEST(a_decimal_comma_changes_nothing)
{
    float value;
    size_t used;
    if (!locales_decimal_comma())
        testing_skip("no locale with a decimal comma");
    ck_assert_int_eq(attn_decimal_f32(attn_bytes_of("1.5"), &value, &used), ATTN_DECIMAL_OK);
    ck_assert(value == 1.5f);
    ck_assert_uint_eq(used, 3);
    ck_assert_int_eq(attn_decimal_f32(attn_bytes_of("1,5"), &value, &used), ATTN_DECIMAL_OK);
    ck_assert(value == 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decimal");
    TCase *tests = tcase_create("decimal");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, random_decimals_are_as_the_c_library_reads_them);
    tcase_add_test(tests, middles_of_two_float32_are_not_rounded_twice);
    tcase_add_test(tests, middles_of_two_doubles_are_decided_by_the_last_digit);
    tcase_add_test(tests, known_values);
    tcase_add_test(tests, too_large_is_said);
    tcase_add_test(tests, what_is_no_number_and_where_numbers_end);
    tcase_add_test(tests, a_long_number_ends_where_it_ends);
    tcase_add_test(tests, whole_numbers);
    tcase_add_test(tests, short_numbers_are_as_the_c_library_reads_them);
    tcase_add_test(tests, a_decimal_comma_changes_nothing);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
