/* text_file.c: see text_file.h. */
#include "config.h"

#include "base/text_file.h"
#include "base/buffer.h"
#include "base/foreign.h"
#include "base/gunzip.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

enum { STEP = 1 << 16 };

/* All of it, in steps of half of what there is. */
static attn_status unzip(attn_bytes bytes, attn_buffer *out, attn_error *error)
{
    attn_gunzip *gunzip;
    size_t step = STEP, got = STEP;
    attn_status status = attn_gunzip_open(bytes, &gunzip, error);
    while (status == ATTN_OK && got == step) {
        step = out->size / 2 < STEP ? STEP : out->size / 2;
        char *room = attn_buffer_room(out, step);
        status = room != NULL ? attn_gunzip_read(gunzip, (uint8_t *)room, step, &got, error) : attn_fail_memory(error);
        out->size += status == ATTN_OK ? got : 0;
    }
    attn_gunzip_close(gunzip);
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
    if (attn_is_gzip(file->bytes)) {
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
