/* test_number.c: numbers to text. Right values: strtof (glibc rounds correctly) for "reads back", a
 * search over all shorter decimals for "shortest", glibc's printf (exact) for fixed decimals, case
 * 083 and the hard values of the literature for single ones. Beyond this suite, all 2,139,095,039
 * positive floats were once compared with std::to_chars' shortest digits: none differed. */
#include "config.h"

#include "testing.h"

#include "output/number.h"
#include "testing/locales.h"
#include "testing/random.h"

#include <math.h>
#include <string.h>

static const char *shown(float value, int precision)
{
    static char text[ATTN_NUMBER_ROOM + 1];
    text[attn_number_f32(value, precision, text)] = '\0';
    return text;
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

START_TEST(known_values)
{
    static const struct {
        float value;
        const char *text;
    } rows[] = {
        {44, "44"},
        {0, "0"},
        {-0.0f, "0"},
        {0.1f, "0.1"},
        {0.5f, "0.5"},
        {1.0f / 3, "0.33333334"},
        {100, "100"},
        {-1200, "-1200"},
        {2.5f, "2.5"},
        {16777216, "16777216"},
        {0.3f, "0.3"},
        /* case 083 */
        {1.2345679f, "1.2345679"},
        {3.4028235e38f, "340282350000000000000000000000000000000"},
        {1e-41f, "0.00000000000000000000000000000000000000001"},
        /* the least subnormal and normal; a power of two, whose lower neighbour is nearer */
        {0x1p-149f, "0.000000000000000000000000000000000000000000001"},
        {0x1p-126f, "0.000000000000000000000000000000000000011754944"},
        {0x1p-44f, "0.00000000000005684342"},
        /* 8589973504: of 8589973000 and …4000 the second is nearer */
        {9e9f, "9000000000"},
        {8.589973e9f, "8589974000"},
        {33554432, "33554432"},
        /* what softmax of the first example gives */
        {0.9982804f, "0.9982804"},
        {0.0017195682f, "0.0017195682"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(shown(rows[i].value, ATTN_SHORTEST), rows[i].text);
    ck_assert_str_eq(shown(NAN, ATTN_SHORTEST), "nan");
    ck_assert_str_eq(shown(INFINITY, 3), "inf");
    ck_assert_str_eq(shown(-INFINITY, ATTN_SHORTEST), "-inf");
}
END_TEST

/* The count of significant digits of a text of ours. */
static int significant(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        n++;
    }
    return n - zeros;
}

static void check_shortest(float value)
{
    const char *text = shown(value, ATTN_SHORTEST);
    int n = significant(text);
    char other[64];
    float back = strtof(text, NULL);
    ck_assert_msg(back == value, "%a printed as %s", (double)value, text);
    ck_assert_msg(strchr(text, 'e') == NULL, "%s", text);
    if (n > 1) { /* the nearest decimal of one digit less, and its neighbours, must not read back */
        snprintf(other, sizeof other, "%.*e", n - 2, (double)value);
        ck_assert_msg(strtof(other, NULL) != value, "%s is longer than %s", text, other);
    }
    snprintf(other, sizeof other, "%.*e", n - 1, (double)value);
    if (strtof(other, NULL) == value) /* of this length the nearest one is wanted */
        ck_assert_msg(strtod(text, NULL) == strtod(other, NULL), "%s is nearer than %s", other, text);
}

START_TEST(every_kind_of_float_is_shortest)
{
    uint32_t state = 2463534242u;
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 40; i++) {
            check_shortest(of_bits(exponent << 23 | i));
            check_shortest(of_bits(exponent << 23 | (0x7fffff - i)));
        }
    for (int i = 0; i < 200000; i++) {
        uint32_t bits = random_next(&state);
        if ((bits >> 23 & 255) != 255)
            check_shortest(of_bits(bits));
    }
}
END_TEST

/* printf keeps the sign of what rounds to zero; we do not. */
static const char *expected_fixed(float value, int precision)
{
    static char text[256];
    snprintf(text, sizeof text, "%.*f", precision, (double)value);
    return text[0] == '-' && strspn(text, "-0.") == strlen(text) ? text + 1 : text;
}

START_TEST(fixed_decimals_are_exact)
{
    uint32_t state = 88172645u;
    static const float ties[] = {
        0.5f,     1.5f,       2.5f, 0.125f, 0.375f,    0.0625f,         1e9f,       0x1p-149f, 0x1p-64f,
        0x1p-65f, 0x1.8p-64f, 9.5f, 99.5f,  999999.5f, 0x1.fffffep127f, 0.99999994f};
    for (size_t i = 0; i < sizeof ties / sizeof *ties; i++)
        for (int precision = 0; precision <= 60; precision++)
            ck_assert_str_eq(shown(ties[i], precision), expected_fixed(ties[i], precision));
    for (int i = 0; i < 300000; i++) {
        float value = of_bits(random_next(&state));
        int precision = (int)(random_next(&state) % 61);
        if (isfinite(value))
            ck_assert_str_eq(shown(value, precision), expected_fixed(value, precision));
    }
    ck_assert_str_eq(shown(-0.0001f, 2), "0.00");
    ck_assert_str_eq(shown(1.0f / 3, 4), "0.3333");
}
END_TEST

START_TEST(no_locale_changes_the_point)
{
    if (!locales_decimal_comma())
        testing_skip("no locale with a decimal comma");
    ck_assert_str_eq(shown(1.5f, ATTN_SHORTEST), "1.5");
    ck_assert_str_eq(shown(1.5f, 3), "1.500");
}
END_TEST

START_TEST(whole_numbers)
{
    char text[ATTN_NUMBER_ROOM];
    static const uint64_t values[] = {0, 9, 10, 99, 100, 12345, 4294967296, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char right[32];
        snprintf(right, sizeof right, "%llu", (unsigned long long)values[i]);
        text[attn_number_u64(values[i], text)] = '\0';
        ck_assert_str_eq(text, right);
    }
}
END_TEST

START_TEST(many_at_once_are_the_same)
{
    enum { N = 1000 };
    float values[N] = {NAN, INFINITY, -INFINITY, 0, -0.0f, 1, 0.5f, -2.5f, 1e-45f, 3.4028235e38f, 16777216, -1e9f};
    static char text[N * (ATTN_NUMBER_ROOM + 1)], one[ATTN_NUMBER_ROOM + 1];
    uint32_t state = 12345;
    for (size_t i = 12; i < N; i++)
        values[i] = of_bits(random_next(&state));
    for (int precision = -1; precision < 8; precision += 4)
        for (size_t n = 0; n <= N; n = n < 40 ? n + 1 : n * 2) {
            size_t size = attn_numbers_f32(values, n, precision, ';', text), at = 0;
            for (size_t i = 0; i < n; i++) {
                size_t length = attn_number_f32(values[i], precision, one + 1) + 1;
                one[0] = ';';
                ck_assert(at + length <= size);
                ck_assert_mem_eq(text + at, one, length);
                at += length;
            }
            ck_assert_uint_eq(at, size);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("number");
    TCase *tests = tcase_create("number");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, known_values);
    tcase_add_test(tests, every_kind_of_float_is_shortest);
    tcase_add_test(tests, fixed_decimals_are_exact);
    tcase_add_test(tests, many_at_once_are_the_same);
    tcase_add_test(tests, no_locale_changes_the_point);
    tcase_add_test(tests, whole_numbers);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
