/* test_utf8.c: code points and widths. Right values: the Unicode Standard's table 3-7. */
#include "config.h"

#include "testing.h"

#include "base/utf8.h"

#include <string.h>

/* Well-formed sequences by table 3-7 of the standard, written out: the check's other half. */
static bool is_well_formed(const uint8_t *s, size_t n)
{
#define IN(i, low, high) (s[i] >= (low) && s[i] <= (high))
    switch (n) {
    case 1:
        return s[0] < 0x80;
    case 2:
        return IN(0, 0xc2, 0xdf) && IN(1, 0x80, 0xbf);
    case 3:
        return IN(2, 0x80, 0xbf) && ((s[0] == 0xe0 && IN(1, 0xa0, 0xbf)) || (IN(0, 0xe1, 0xec) && IN(1, 0x80, 0xbf)) ||
                                     (s[0] == 0xed && IN(1, 0x80, 0x9f)) || (IN(0, 0xee, 0xef) && IN(1, 0x80, 0xbf)));
    default:
        return IN(2, 0x80, 0xbf) && IN(3, 0x80, 0xbf) &&
               ((s[0] == 0xf0 && IN(1, 0x90, 0xbf)) || (IN(0, 0xf1, 0xf3) && IN(1, 0x80, 0xbf)) ||
                (s[0] == 0xf4 && IN(1, 0x80, 0x8f)));
    }
#undef IN
}

/* How much of S [SIZE] is well-formed. */
static size_t well_formed_part(const uint8_t *s, size_t size)
{
    size_t at = 0;
    for (size_t n = 1; n <= 4 && at + n <= size; n++)
        if (is_well_formed(s + at, n)) {
            at += n;
            n = 0;
        }
    return at;
}

START_TEST(every_short_sequence)
{
    static const uint8_t third[] = {0x41, 0x7f, 0x80, 0xbf, 0xc0};
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
            for (size_t c = 0; c < sizeof third; c++)
                for (size_t d = 0; d < sizeof third; d++) {
                    uint8_t s[4] = {(uint8_t)a, (uint8_t)b, third[c], third[d]};
                    size_t length, expected = 0;
                    int32_t code = attn_utf8_decode((attn_bytes){s, 4}, 0, &length);
                    for (size_t n = 1; n <= 4 && expected == 0; n++)
                        if (is_well_formed(s, n))
                            expected = n;
                    if ((code >= 0) != (expected > 0) || length != (expected > 0 ? expected : 1))
                        ck_abort_msg("%02x %02x %02x %02x: %d", a, b, s[2], s[3], (int)code);
                    if (expected > 1 && attn_utf8_decode((attn_bytes){s, expected - 1}, 0, &length) >= 0)
                        ck_abort_msg("%02x %02x %02x %02x cut short", a, b, s[2], s[3]);
                    size_t bad = 4;
                    if (attn_utf8_valid((attn_bytes){s, 4}, &bad) != (bad == 4) || bad != well_formed_part(s, 4))
                        ck_abort_msg("%02x %02x %02x %02x: ill-formed at %zu", a, b, s[2], s[3], bad);
                }
}
END_TEST

START_TEST(encoding_and_decoding_are_inverse)
{
    for (uint32_t code = 0; code < 0x110000; code++) {
        uint8_t s[4];
        size_t length, size = attn_utf8_encode(code, s);
        int32_t back = attn_utf8_decode((attn_bytes){s, size}, 0, &length);
        bool surrogate = code >= 0xd800 && code < 0xe000;
        if (back != (surrogate ? -1 : (int32_t)code) || (!surrogate && length != size))
            ck_abort_msg("U+%04X: %d", (unsigned)code, (int)back);
    }
}
END_TEST

START_TEST(the_first_bad_byte_is_found)
{
    static const char good[] = "plain, then \xea\xb0\x80\xf0\x9f\xa6\x99 and more";
    static const char bad[] = "0123456789abcdef\xea\xb0\x80\xed\xa0\x80";
    size_t at = 0;
    ck_assert(attn_utf8_valid((attn_bytes){(const uint8_t *)good, sizeof good - 1}, &at));
    ck_assert(!attn_utf8_valid((attn_bytes){(const uint8_t *)bad, sizeof bad - 1}, &at));
    ck_assert_uint_eq(at, 19);
    ck_assert(attn_utf8_valid((attn_bytes){NULL, 0}, NULL));
}
END_TEST

/* What can stand in so many columns: nothing of it is half a character. */
START_TEST(fitting)
{
    ck_assert_uint_eq(attn_utf8_fit(attn_bytes_of("abc"), 2), 2);
    ck_assert_uint_eq(attn_utf8_fit(attn_bytes_of("abc"), 7), 3);
    ck_assert_uint_eq(attn_utf8_fit(attn_bytes_of("어부"), 3), 3);
    ck_assert_uint_eq(attn_utf8_fit(attn_bytes_of("e\u0301e\u0301"), 1), 3); /* with its acute */
    ck_assert_uint_eq(attn_utf8_fit(attn_bytes_of("👨\u200D👩x"), 2), 11);
    ck_assert_uint_eq(attn_utf8_fit(attn_bytes_of("👨\u200D👩x"), 1), 0);
}
END_TEST

START_TEST(widths)
{
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("abc")), 3);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xec\x96\xb4\xeb\xb6\x80")), 4); /* 어부 */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xe6\xbc\xa2\xe5\xad\x97")), 4); /* 漢字 */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("e\xcc\x81")), 1);                /* e, acute */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xff"
                                                    "a")),
                      2);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("👨\u200D👩\u200D👧\u200D👦")), 2); /* a family */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("x👨\u200D👩y")), 4);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("👍🏽")), 2);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("☝🏽")), 2);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("한🏽")), 4); /* no hand: the tone stands alone */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("❤\uFE0F")), 2);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("❤\uFE0F\u200D🔥")), 2);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("🏴\u200D☠\uFE0F!")), 3);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("1\uFE0F\u20E3"
                                                    "2\u20E3")),
                      4);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("a\uFE0F")), 1); /* a letter has no such style */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("🇰🇷🇯🇵")), 4);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("👍👍")), 4);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("क्\u200Dष")), 2); /* a joiner between letters joins no cells */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xe1\x84\x80\xe1\x85\xa1")), 2); /* ᄀ + ᅡ */
}
END_TEST

/* The code points of Bidi_Control are those of PropList.txt (Unicode 15); controls those of general category Cc. */
START_TEST(what_steers_a_terminal)
{
    static const uint32_t steers[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                         {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}};
    for (uint32_t code = 0; code < 0x3000; code++) {
        uint8_t text[4];
        size_t length, size = attn_utf8_encode(code, text);
        bool expected = false;
        for (size_t i = 0; i < sizeof steers / sizeof *steers; i++)
            expected |= code >= steers[i][0] && code <= steers[i][1];
        ck_assert_msg(attn_utf8_steers((attn_bytes){text, size}, 0, &length) == expected, "U+%04X", (unsigned)code);
        ck_assert_uint_eq(length, size);
    }
    size_t length;
    ck_assert(attn_utf8_steers(attn_bytes_of("\xe9"), 0, &length));
    ck_assert_uint_eq(length, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("utf8");
    TCase *tests = tcase_create("utf8");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_short_sequence);
    tcase_add_test(tests, encoding_and_decoding_are_inverse);
    tcase_add_test(tests, the_first_bad_byte_is_found);
    tcase_add_test(tests, widths);
    tcase_add_test(tests, fitting);
    tcase_add_test(tests, what_steers_a_terminal);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
