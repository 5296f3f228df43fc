/* png.c: the chunks as the PNG specification lays them out, their check sums and their data as zlib's own functions
 * read them; base64 as RFC 4648 shows it; and texts as XML and HTML hold them, since pictures and pages use all three. */
#include "config.h"

#include "output/escape.h"
#include "output/png.h"
#include "testing.h"

#include <string.h>
#include <zlib.h>

enum { WIDTH = 7, HEIGHT = 3 };

static uint32_t u32_at(const attn_buffer *file, size_t at)
{
    ck_assert_uint_le(at + 4, file->size);
    const uint8_t *bytes = (const uint8_t *)file->data + at;
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The data of the chunk at AT, which must be NAME; *NEXT: where the one behind it begins. */
static const uint8_t *chunk_at(const attn_buffer *file, size_t at, const char *name, uint32_t *size, size_t *next)
{
    const uint8_t *bytes = (const uint8_t *)file->data + at;
    *size = u32_at(file, at);
    *next = at + 12 + *size;
    ck_assert_uint_le(*next, file->size);
    ck_assert_mem_eq(bytes + 4, name, 4);
    ck_assert_uint_eq(u32_at(file, *next - 4), crc32(0, bytes + 4, 4 + *size));
    return bytes + 8;
}

static void make_pixels(uint8_t pixels[HEIGHT * WIDTH])
{
    for (size_t i = 0; i < HEIGHT * WIDTH; i++)
        pixels[i] = (uint8_t)(i * 37);
}

START_TEST(test_chunks)
{
    uint8_t pixels[HEIGHT * WIDTH], rows[HEIGHT * (WIDTH + 1)];
    attn_buffer file = {0};
    uint32_t size;
    size_t at = 8;
    const attn_image image = {
        .range = ATTN_RANGE_UNIT, .pixels = pixels, .width = WIDTH, .height = HEIGHT, .across = 1, .down = 1};
    make_pixels(pixels);
    ck_assert_int_eq(attn_png_put(&image, &file, NULL), ATTN_OK);
    ck_assert_mem_eq(file.data, "\x89PNG\r\n\x1a\n", 8);
    /* 8 bits a pixel, color type 3 (a palette), deflate, its only filters, not interlaced */
    ck_assert_mem_eq(chunk_at(&file, at, "IHDR", &size, &at), "\0\0\0\x07\0\0\0\x03\x08\x03\0\0\0", 13);
    const uint8_t *palette = chunk_at(&file, at, "PLTE", &size, &at);
    ck_assert_uint_eq(size, 3 * 256);
    ck_assert_mem_eq(palette + 3, "\x44\x01\x54", 3);                   /* viridis at 0 */
    ck_assert_mem_eq(palette + 3 * 128, "\x21\x91\x8c", 3);             /* in its middle */
    ck_assert_mem_eq(palette + 3 * 255, "\xfd\xe7\x25", 3);             /* at 1 */
    ck_assert_mem_eq(chunk_at(&file, at, "tRNS", &size, &at), "\0", 1); /* color 0 can not be seen */
    ck_assert_uint_eq(size, 1);
    const uint8_t *data = chunk_at(&file, at, "IDAT", &size, &at);
    uLongf length = sizeof rows;
    ck_assert_int_eq(uncompress(rows, &length, data, size), Z_OK);
    ck_assert_uint_eq(length, sizeof rows);
    for (size_t i = 0; i < HEIGHT; i++) {
        ck_assert_uint_eq(rows[i * (WIDTH + 1)], 0); /* no filter */
        ck_assert_mem_eq(rows + i * (WIDTH + 1) + 1, pixels + i * WIDTH, WIDTH);
    }
    chunk_at(&file, at, "IEND", &size, &at);
    ck_assert_uint_eq(size, 0);
    ck_assert_uint_eq(at, file.size);
    ck_assert_mem_eq(file.data + at - 4, "\xae\x42\x60\x82", 4); /* every PNG ends so */
    attn_buffer_free(&file);
}
END_TEST

/* What is enlarged: 2 x 1 pixels, each 3 wide and 2 high. The second row is told by the filter "up": nothing differs. */
START_TEST(test_enlarged)
{
    const uint8_t pixels[2] = {9, 200}, expected[2][7] = {{0, 9, 9, 9, 200, 200, 200}, {2, 0, 0, 0, 0, 0, 0}};
    const attn_image image = {
        .range = ATTN_RANGE_UNIT, .pixels = pixels, .width = 2, .height = 1, .across = 3, .down = 2};
    attn_buffer file = {0};
    uint8_t rows[sizeof expected];
    uLongf length = sizeof rows;
    uint32_t size;
    size_t at = 8;
    ck_assert_int_eq(attn_png_put(&image, &file, NULL), ATTN_OK);
    ck_assert_mem_eq(chunk_at(&file, at, "IHDR", &size, &at), "\0\0\0\x06\0\0\0\x02", 8);
    chunk_at(&file, at, "PLTE", &size, &at);
    chunk_at(&file, at, "tRNS", &size, &at);
    const uint8_t *data = chunk_at(&file, at, "IDAT", &size, &at);
    ck_assert_int_eq(uncompress(rows, &length, data, size), Z_OK);
    ck_assert_uint_eq(length, sizeof expected);
    ck_assert_mem_eq(rows, expected, sizeof expected);
    attn_buffer_free(&file);
}
END_TEST

START_TEST(test_pixels)
{
    ck_assert_uint_eq(attn_pixel(ATTN_RANGE_UNIT, 0), 1);
    ck_assert_uint_eq(attn_pixel(ATTN_RANGE_UNIT, 1), 255);
    ck_assert_uint_eq(attn_pixel(ATTN_RANGE_UNIT, 0.5), 128);
    ck_assert_uint_eq(attn_pixel(ATTN_RANGE_SIGNED, -1), 1);
    ck_assert_uint_eq(attn_pixel(ATTN_RANGE_SIGNED, 0), 128);
    ck_assert_uint_eq(attn_pixel(ATTN_RANGE_SIGNED, 1), 255);
    for (int range = ATTN_RANGE_UNIT; range <= ATTN_RANGE_SIGNED; range++)
        for (int pixel = 1; pixel < 256; pixel++) {
            const double place = (pixel - 1) / 254.0;
            const attn_rgb color = attn_pixel_color((attn_range)range, (uint8_t)pixel),
                           same = attn_color_at((attn_range)range, range == ATTN_RANGE_SIGNED ? 2 * place - 1 : place);
            ck_assert_mem_eq(&color, &same, sizeof color);
        }
}
END_TEST

START_TEST(test_base64)
{
    /* RFC 4648, section 10 */
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    attn_buffer out = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        out.size = 0;
        attn_base64_put(attn_bytes_of(pairs[i][0]), &out);
        ck_assert_uint_eq(out.size, strlen(pairs[i][1]));
        ck_assert(attn_bytes_are(attn_buffer_bytes(&out), pairs[i][1]));
    }
    out.size = 0;
    attn_base64_put((attn_bytes){(const uint8_t *)"\xff\xef\xbe\xfb\xe0", 5}, &out);
    ck_assert_mem_eq(out.data, "/+++++A=", 8);
    attn_buffer_free(&out);
}
END_TEST

START_TEST(test_xml)
{
    static const char text[] = "<b a=\"1\">&'\n\t\0\x7f 가\xd7\x90\xf0\x9f\x98\x80\xe2\x80\xae\xef\xbf\xbf\xff\xc2\x85",
                      safe[] = "&lt;b a=&quot;1&quot;&gt;&amp;'␊␉␀␡ 가א😀\\xE2\\x80\\xAE\\xEF\\xBF\\xBF\\xFF\\xC2\\x85";
    attn_buffer out = {0};
    attn_escape_xml((attn_bytes){(const uint8_t *)text, sizeof text - 1}, &out);
    ck_assert_uint_eq(out.size, sizeof safe - 1);
    ck_assert_mem_eq(out.data, safe, out.size);
    attn_buffer_free(&out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("png");
    TCase *tests = tcase_create("png");
    tcase_add_test(tests, test_chunks);
    tcase_add_test(tests, test_enlarged);
    tcase_add_test(tests, test_pixels);
    tcase_add_test(tests, test_base64);
    tcase_add_test(tests, test_xml);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
