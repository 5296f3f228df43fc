/* test_text_file.c: gzip of two members (made by gzip -n) whole, cut at every byte and damaged; UTF-16 of every character
 * against UTF-8 by the Unicode standard's table 3-6, taken apart by hand. */
#include "config.h"

#include "testing.h"

#include "base/text_file.h"
#include "base/utf8.h"
#include "testing/files.h"

#include <string.h>

static const unsigned char two_members[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2b, 0xc9,
                                            0x48, 0x55, 0xc8, 0xce, 0xcc, 0x4b, 0x07, 0x00, 0x13, 0xc1, 0x10, 0xef,
                                            0x08, 0x00, 0x00, 0x00, 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                            0x00, 0x03, 0x53, 0xc8, 0x4f, 0x53, 0xf0, 0x2c, 0x2e, 0x4a, 0x4c, 0xcd,
                                            0xe1, 0x02, 0x00, 0xcc, 0x53, 0xd4, 0x20, 0x0b, 0x00, 0x00, 0x00};
enum { FIRST_MEMBER = 28 };
static const char text[] = "the king of Israel\n";

static attn_status open_bytes(const void *data, size_t size, attn_file *file, const char **from, attn_error *error)
{
    ck_assert_int_eq(attn_file_open_text(files_bytes(data, size), NULL, file, error), ATTN_OK);
    return attn_file_as_text(file, from, error);
}

START_TEST(gzip_cut_anywhere)
{
    for (size_t cut = 3; cut <= sizeof two_members; cut++) {
        attn_file file;
        attn_error error = {0};
        const char *from;
        const attn_status status = open_bytes(two_members, cut, &file, &from, &error);
        if (cut == FIRST_MEMBER || cut == sizeof two_members) {
            ck_assert_int_eq(status, ATTN_OK);
            ck_assert_uint_eq(file.bytes.size, cut == FIRST_MEMBER ? strlen("the king") : strlen(text));
            ck_assert_mem_eq(file.bytes.data, text, file.bytes.size);
            ck_assert_ptr_null(from);
        } else {
            ck_assert_int_eq(status, ATTN_EDATA);
            ck_assert_ptr_nonnull(strstr(error.message, "gzip file"));
            ck_assert_str_ne(error.file, "");
        }
        attn_file_close(&file);
    }
}
END_TEST

/* Each byte changed in turn: a message, or the same text (the header's time and system are of no matter). */
START_TEST(gzip_damaged)
{
    unsigned char bytes[sizeof two_members];
    for (size_t at = 3; at < sizeof bytes; at++) {
        attn_file file;
        attn_error error = {0};
        const char *from;
        memcpy(bytes, two_members, sizeof bytes);
        bytes[at] ^= 0x11;
        if (open_bytes(bytes, sizeof bytes, &file, &from, &error) == ATTN_OK && at >= 10 && at < FIRST_MEMBER)
            ck_abort_msg("byte %zu may be anything", at);
        attn_file_close(&file);
    }
}
END_TEST

/* U+0000 … U+10FFFF without the surrogates, in either order of bytes. */
START_TEST(utf16_of_every_character)
{
    const bool big = _i == 1;
    unsigned char *wide = malloc(4 * 0x110000 + 2), *w = wide;
    uint8_t *utf8 = malloc(4 * 0x110000), *u = utf8;
    attn_file file;
    attn_error error;
    const char *from;
    ck_assert(wide != NULL && utf8 != NULL);
    *w++ = big ? 0xFE : 0xFF; /* the mark, which is no part of the text */
    *w++ = big ? 0xFF : 0xFE;
    for (uint32_t code = 1; code < 0x110000; code = code == 0xD7FF ? 0xE000 : code + 1) {
        const uint32_t units[] = {code < 0x10000 ? code : 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF)};
        for (size_t i = 0; i < (code < 0x10000 ? 1U : 2U); i++) {
            *w++ = (unsigned char)(big ? units[i] >> 8 : units[i] & 0xFF);
            *w++ = (unsigned char)(big ? units[i] & 0xFF : units[i] >> 8);
        }
        const uint8_t first = code < 0x80 ? 0 : code < 0x800 ? 0xC0 : code < 0x10000 ? 0xE0 : 0xF0;
        const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        *u++ = (uint8_t)(first | code >> (6 * more));
        for (int i = more; i-- > 0;)
            *u++ = (uint8_t)(0x80 | (code >> (6 * i) & 0x3F));
    }
    ck_assert_int_eq(open_bytes(wide, (size_t)(w - wide), &file, &from, &error), ATTN_OK);
    ck_assert_str_eq(from, big ? "UTF-16BE" : "UTF-16LE");
    ck_assert_uint_eq(file.bytes.size, (size_t)(u - utf8));
    ck_assert_mem_eq(file.bytes.data, utf8, file.bytes.size);
    attn_file_close(&file);
    free(wide);
    free(utf8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("text_file");
    TCase *tcase = tcase_create("text_file");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, gzip_cut_anywhere);
    tcase_add_test(tcase, gzip_damaged);
    tcase_add_loop_test(tcase, utf16_of_every_character, 0, 2);
    suite_add_tcase(suite, tcase);
    return testing_run(suite);
}
