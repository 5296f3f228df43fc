/* bytes.h: a borrowed run of bytes, and the bounded cursor: the only code that turns a file's bytes into
 * integers. A cursor never reads past its end: a read that does not fit returns false, moves nothing and
 * leaves the result alone. */
#ifndef ATTN_BASE_BYTES_H
#define ATTN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct attn_bytes {
    const uint8_t *data; /* borrowed; [size]; may be NULL when size is 0 */
    size_t size;
} attn_bytes;

typedef struct attn_cursor {
    attn_bytes bytes;
    size_t position; /* <= bytes.size */
} attn_cursor;

attn_bytes attn_bytes_of(const char *text); /* a C string without its NUL */
bool attn_bytes_equal(attn_bytes a, attn_bytes b);
bool attn_bytes_are(attn_bytes a, const char *text);
/* The value of the hexadecimal digit C; -1: it is none. */
int attn_hex_digit(int c);
bool attn_bytes_end_with(attn_bytes bytes, const char *end);
attn_bytes attn_bytes_without_bom(attn_bytes bytes); /* UTF-8's mark at the beginning is no part of a text */

attn_cursor attn_cursor_at(attn_bytes bytes);
size_t attn_cursor_left(const attn_cursor *cursor);
bool attn_cursor_skip(attn_cursor *cursor, uint64_t count);
bool attn_cursor_take(attn_cursor *cursor, uint64_t count, attn_bytes *taken);
bool attn_cursor_u8(attn_cursor *cursor, uint8_t *value);
bool attn_cursor_u16(attn_cursor *cursor, uint16_t *value); /* little-endian, as all below */
bool attn_cursor_u32(attn_cursor *cursor, uint32_t *value);
bool attn_cursor_u64(attn_cursor *cursor, uint64_t *value);
bool attn_cursor_f32(attn_cursor *cursor, float *value);

/* Loads from memory already checked, any alignment. Byte order is spelled out, so the host's own does not
 * matter; inline, so that a loop over many of them becomes plain (vector) loads. */
static inline uint16_t attn_load_u16(const uint8_t *data)
{
    return (uint16_t)(data[0] | data[1] << 8);
}

static inline uint32_t attn_load_u32(const uint8_t *data)
{
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

static inline uint64_t attn_load_u64(const uint8_t *data)
{
    return (uint64_t)attn_load_u32(data) | (uint64_t)attn_load_u32(data + 4) << 32;
}

static inline uint16_t attn_load_u16_big(const uint8_t *data)
{
    return (uint16_t)(data[0] << 8 | data[1]);
}

static inline uint32_t attn_load_u32_big(const uint8_t *data)
{
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | (uint32_t)data[3];
}

static inline uint64_t attn_load_u64_big(const uint8_t *data)
{
    return (uint64_t)attn_load_u32_big(data) << 32 | (uint64_t)attn_load_u32_big(data + 4);
}

static inline float attn_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double attn_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float attn_load_f32(const uint8_t *data)
{
    return attn_float_of_bits(attn_load_u32(data));
}

static inline double attn_load_f64(const uint8_t *data)
{
    return attn_double_of_bits(attn_load_u64(data));
}

#endif
