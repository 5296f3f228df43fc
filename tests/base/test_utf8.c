/* test_utf8.c: code points, widths and composition. Right values: the Unicode Standard's table 3-7
 * and its examples of canonical composition (Unicode Standard Annex 15, figures 3 to 5). */
#include "config.h"

#include "testing.h"

#include "base/utf8.h"
#include "testing/memory.h"

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

START_TEST(widths)
{
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("abc")), 3);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xec\x96\xb4\xeb\xb6\x80")), 4); /* 어부 */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xe6\xbc\xa2\xe5\xad\x97")), 4); /* 漢字 */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("e\xcc\x81")), 1);                /* e, acute */
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xff"
                                                    "a")),
                      2);
    ck_assert_uint_eq(attn_utf8_width(attn_bytes_of("\xe1\x84\x80\xe1\x85\xa1")), 2); /* ᄀ + ᅡ */
}
END_TEST

static void composes(const char *from, size_t size, const char *to, size_t to_size)
{
    attn_buffer out = {0};
    ck_assert_int_eq(attn_utf8_nfc((attn_bytes){(const uint8_t *)from, size}, &out), ATTN_OK);
    ck_assert_msg(out.size == to_size && (to_size == 0 || memcmp(out.data, to, out.size) == 0), "'%.*s', expected '%s'",
                  (int)out.size, out.data, to);
    attn_buffer_free(&out);
}

START_TEST(composition)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"cafe\xcc\x81 au lait", "caf\xc3\xa9 au lait"},
        {"\xe2\x84\xab", "\xc3\x85"},                             /* ANGSTROM SIGN -> Å */
        {"s\xcc\xa3\xcc\x87", "\xe1\xb9\xa9"},                    /* s, dot below, dot above -> ṩ */
        {"s\xcc\x87\xcc\xa3", "\xe1\xb9\xa9"},                    /* marks in the other order */
        {"\xe1\xb8\x8b\xcc\xa3", "\xe1\xb8\x8d\xcc\x87"},         /* ḋ + dot below -> ḍ + dot above */
        {"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c"}, /* ᄒ ᅡ ᆫ -> 한 */
        {"\xef\xac\x81", "\xef\xac\x81"},                         /* the ligature fi stays */
        {"a\xff"
         "e\xcc\x81\xc3",
         "a\xff\xc3\xa9\xc3"}, /* ill-formed bytes pass */
        {"\xcc\x81x", "\xcc\x81x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        composes(cases[i].from, strlen(cases[i].from), cases[i].to, strlen(cases[i].to));
    composes("e\0e\xcc\x81", 5, "e\0\xc3\xa9", 4);
}
END_TEST

/* A hostile run of marks in descending classes must not cost its square. */
START_TEST(many_marks_are_sorted_in_linear_time)
{
    enum { MARKS = 200000 };
    char *text = malloc(2 * MARKS + 1);
    attn_buffer out = {0};
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < MARKS; i++)
        memcpy(text + 2 * i, i % 2 == 0 ? "\xcc\x87" : "\xcc\xa3", 2);
    ck_assert_int_eq(attn_utf8_nfc((attn_bytes){(uint8_t *)text, 2 * MARKS}, &out), ATTN_OK);
    ck_assert_uint_eq(out.size, 2 * MARKS);
    ck_assert(memcmp(out.data, "\xcc\xa3\xcc\xa3", 4) == 0);
    ck_assert(memcmp(out.data + out.size - 4, "\xcc\x87\xcc\x87", 4) == 0);
    attn_buffer_free(&out);
    free(text);
}
END_TEST

static attn_status compose_once(void *context, attn_error *error)
{
    static const char text[] = "cafe\xcc\x81 and \xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab";
    attn_buffer out = {0};
    attn_status status = attn_utf8_nfc(attn_bytes_of(text), &out);
    (void)context;
    attn_buffer_free(&out);
    return status == ATTN_ENOMEM ? attn_fail_memory(error) : status;
}

START_TEST(running_out_of_memory_is_said)
{
    ck_assert_uint_ge(memory_every_failure(compose_once, NULL), 3);
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
    tcase_add_test(tests, composition);
    tcase_add_test(tests, many_marks_are_sorted_in_linear_time);
    tcase_add_test(tests, running_out_of_memory_is_said);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
