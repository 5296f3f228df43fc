/* text_file.c: see text_file.h. */
#include "config.h"

#include "base/text_file.h"
#include "base/buffer.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum { STEP = 1 << 16, GZIP = 16 + MAX_WBITS };

static voidpf zlib_alloc(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return attn_alloc_array(count, size);
}

static void zlib_free(voidpf opaque, voidpf address)
{
    (void)opaque;
    attn_free(address);
}

static bool is_gzip(attn_bytes bytes)
{
    return bytes.size >= 3 && bytes.data[0] == 0x1F && bytes.data[1] == 0x8B && bytes.data[2] == 8;
}

/* One member of a gzip file from BYTES on; they move behind it. */
static attn_status inflate_member(z_stream *stream, attn_bytes *bytes, attn_buffer *out, attn_error *error)
{
    int result = Z_OK;
    while (result == Z_OK) {
        const size_t step = out->size < STEP ? STEP : out->size / 2 < (1U << 30) ? out->size / 2 : 1U << 30;
        char *room = attn_buffer_room(out, step);
        const uInt given = (uInt)(bytes->size < (1U << 30) ? bytes->size : 1U << 30);
        if (room == NULL)
            return attn_fail_memory(error);
        stream->next_in = bytes->data;
        stream->avail_in = given;
        stream->next_out = (Bytef *)room;
        stream->avail_out = (uInt)step;
        result = inflate(stream, Z_NO_FLUSH);
        out->size += step - stream->avail_out;
        bytes->data += given - stream->avail_in;
        bytes->size -= given - stream->avail_in;
    }
    if (result == Z_MEM_ERROR)
        return attn_fail_memory(error);
    if (result == Z_BUF_ERROR)
        return attn_fail(error, ATTN_EDATA, "the gzip file ends early: it was cut short");
    return result == Z_STREAM_END ? ATTN_OK : attn_fail(error, ATTN_EDATA, "the gzip file is damaged");
}

/* All members, one behind the other; zeros behind the last, as tapes have them, are no more of it. */
static attn_status unzip(attn_bytes bytes, attn_buffer *out, attn_error *error)
{
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    attn_status status = ATTN_OK;
    if (inflateInit2(&stream, GZIP) != Z_OK)
        return attn_fail_memory(error);
    while (bytes.size > 0 && bytes.data[0] != 0 && status == ATTN_OK) {
        status = inflate_member(&stream, &bytes, out, error);
        if (status == ATTN_OK && inflateReset(&stream) != Z_OK)
            status = attn_fail_memory(error);
    }
    inflateEnd(&stream);
    return status;
}

static uint16_t unit_at(attn_bytes bytes, size_t at, bool big)
{
    return (uint16_t)(big ? bytes.data[at] << 8 | bytes.data[at + 1] : bytes.data[at + 1] << 8 | bytes.data[at]);
}

/* UTF-16 behind its mark as UTF-8. */
static attn_status recode(attn_bytes bytes, bool big, attn_buffer *out, attn_error *error)
{
    for (size_t at = 2; at < bytes.size; at += 2) {
        if (at + 1 == bytes.size) {
            attn_fail(error, ATTN_EDATA, "the UTF-16 text ends within a character");
            return attn_error_offset(error, at);
        }
        int32_t code = unit_at(bytes, at, big);
        const size_t first = at;
        if (code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size) {
            const int32_t low = unit_at(bytes, at + 2, big);
            if (low >= 0xDC00 && low < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                at += 2;
            }
        }
        if (code >= 0xD800 && code < 0xE000) {
            attn_fail(error, ATTN_EDATA, "the UTF-16 text holds half a character (U+%04X)", (unsigned)code);
            return attn_error_offset(error, first);
        }
        uint8_t utf8[4];
        attn_buffer_put(out, utf8, attn_utf8_encode((uint32_t)code, utf8));
    }
    return out->failed ? attn_fail_memory(error) : ATTN_OK;
}

/* OUT's bytes in the place of FILE's. */
static void replace(attn_file *file, attn_buffer *out)
{
    attn_file_forget(file);
    file->bytes = attn_buffer_bytes(out);
    *out = (attn_buffer){0};
}

static bool begins_with(attn_bytes bytes, uint8_t first, uint8_t second)
{
    return bytes.size >= 2 && bytes.data[0] == first && bytes.data[1] == second;
}

/* Little-endian UTF-32 begins with the mark of UTF-16, and two zeros. */
static bool is_utf32(attn_bytes bytes)
{
    return bytes.size >= 4 && bytes.data[2] == 0 && bytes.data[3] == 0;
}

attn_status attn_file_as_text(attn_file *file, const char **from, attn_error *error)
{
    attn_buffer out = {0};
    *from = NULL;
    attn_status status = ATTN_OK;
    if (is_gzip(file->bytes)) {
        status = unzip(file->bytes, &out, error);
        if (status == ATTN_OK)
            replace(file, &out);
    }
    const bool big = begins_with(file->bytes, 0xFE, 0xFF);
    if (status == ATTN_OK && (big || (begins_with(file->bytes, 0xFF, 0xFE) && !is_utf32(file->bytes)))) {
        *from = attn_foreign_utf(file->bytes);
        status = recode(file->bytes, big, &out, error);
        if (status == ATTN_OK)
            replace(file, &out);
    }
    attn_buffer_free(&out);
    if (status == ATTN_OK)
        status = attn_foreign_refuse(file->bytes, error);
    return status == ATTN_OK ? ATTN_OK : attn_error_file(error, file->name);
}
