/* png.c: see png.h. The format is that of the PNG specification (W3C, third edition): a signature, and chunks of
 *
 *   length (u32, big-endian) | name | data | CRC-32 of name and data
 *
 * IHDR, the palette, its transparency, the rows behind zlib (each after a byte that names its filter), IEND. */
#include "config.h"

#include "output/png.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { N_COLORS = 256, STEPS = N_COLORS - 2, LEVEL = 6, DEPTH = 8, PALETTE = 3 };

uint8_t attn_pixel(attn_range range, double share)
{
    const double place = range == ATTN_RANGE_SIGNED ? (share + 1) / 2 : share;
    return (uint8_t)(1 + (place > 0 ? lround((place < 1 ? place : 1) * STEPS) : 0));
}

attn_rgb attn_pixel_color(attn_range range, uint8_t pixel)
{
    const double place = (double)(pixel - 1) / STEPS;
    return attn_color_at(range, range == ATTN_RANGE_SIGNED ? 2 * place - 1 : place);
}

static void put_u32(attn_buffer *out, size_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        attn_buffer_byte(out, (char)(value >> shift & 0xff));
}

static void put_chunk(attn_buffer *out, const char *name, const void *data, size_t size)
{
    uLong crc = crc32(0, (const Bytef *)name, 4);
    if (size > 0)
        crc = crc32(crc, data, (uInt)size);
    put_u32(out, size);
    attn_buffer_put(out, name, 4);
    attn_buffer_put(out, data, size);
    put_u32(out, crc);
}

static void put_header(size_t width, size_t height, attn_buffer *out)
{
    attn_buffer header = {0};
    put_u32(&header, width);
    put_u32(&header, height);
    attn_buffer_put(&header, (const char[5]){DEPTH, PALETTE}, 5);
    if (!header.failed)
        put_chunk(out, "IHDR", header.data, header.size);
    out->failed |= header.failed;
    attn_buffer_free(&header);
}

static void put_palette(attn_range range, attn_buffer *out)
{
    uint8_t palette[N_COLORS * 3] = {0};
    for (size_t i = 1; i < N_COLORS; i++) {
        const attn_rgb color = attn_pixel_color(range, (uint8_t)i);
        palette[3 * i] = color.red;
        palette[3 * i + 1] = color.green;
        palette[3 * i + 2] = color.blue;
    }
    put_chunk(out, "PLTE", palette, sizeof palette);
    put_chunk(out, "tRNS", "", 1); /* the opacity of color 0; the others are opaque */
}

static voidpf take_memory(voidpf context, uInt count, uInt size)
{
    (void)context;
    return attn_alloc_array(count, size);
}

static void give_back(voidpf context, voidpf pointer)
{
    (void)context;
    attn_free(pointer);
}

/* ROWS[size], deflated, as a chunk. False: out of memory. */
static bool put_deflated(uint8_t *rows, size_t size, attn_buffer *out)
{
    z_stream stream = {.zalloc = take_memory, .zfree = give_back};
    if (deflateInit(&stream, LEVEL) != Z_OK)
        return false;
    const size_t room = deflateBound(&stream, size);
    uint8_t *packed = attn_alloc_array(room, 1);
    stream.next_in = rows;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    const bool done = packed != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    if (done)
        put_chunk(out, "IDAT", packed, room - stream.avail_out);
    deflateEnd(&stream);
    attn_free(packed);
    return done;
}

/* A row that repeats the one above it is zeros behind the filter "up". */
static void fill_rows(const attn_image *image, uint8_t *rows)
{
    enum { FILTER_NONE, FILTER_UP = 2 };
    const size_t size = image->width * image->across + 1;
    memset(rows, 0, image->height * image->down * size);
    for (size_t i = 0; i < image->height; i++) {
        uint8_t *row = rows + i * image->down * size;
        *row++ = FILTER_NONE;
        for (size_t j = 0; j < image->width; j++, row += image->across)
            memset(row, image->pixels[i * image->width + j], image->across);
        for (size_t k = 1; k < image->down; k++, row += size - 1)
            *row++ = FILTER_UP;
    }
}

attn_status attn_png_put(const attn_image *image, attn_buffer *out, attn_error *error)
{
    const size_t width = image->width * image->across, height = image->height * image->down,
                 size = (width + 1) * height;
    uint8_t *rows = attn_alloc_array(size, 1);
    if (rows == NULL)
        return attn_fail_memory(error);
    fill_rows(image, rows);
    attn_buffer_put(out, "\x89PNG\r\n\x1a\n", 8);
    put_header(width, height, out);
    put_palette(image->range, out);
    const bool done = put_deflated(rows, size, out);
    put_chunk(out, "IEND", NULL, 0);
    attn_free(rows);
    return done && !out->failed ? ATTN_OK : attn_fail_memory(error);
}

void attn_base64_put(attn_bytes bytes, attn_buffer *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.size; i += 3) {
        const size_t left = bytes.size - i;
        const uint32_t three = (uint32_t)bytes.data[i] << 16 | (left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0) |
                               (left > 2 ? bytes.data[i + 2] : 0);
        const char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                              left > 2 ? digits[three & 63] : '='};
        attn_buffer_put(out, four, sizeof four);
    }
}
