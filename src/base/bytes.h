/* bytes.h: a borrowed run of bytes, and the bounded cursor: the only code that turns a file's bytes into
 * integers. A cursor never reads past its end: a read that does not fit returns false, moves nothing and
 * leaves the result alone. */
#ifndef ATTN_BASE_BYTES_H
#define ATTN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

attn_cursor attn_cursor_at(attn_bytes bytes);
size_t attn_cursor_left(const attn_cursor *cursor);
bool attn_cursor_skip(attn_cursor *cursor, uint64_t count);
bool attn_cursor_take(attn_cursor *cursor, uint64_t count, attn_bytes *taken);
bool attn_cursor_u8(attn_cursor *cursor, uint8_t *value);
bool attn_cursor_u16(attn_cursor *cursor, uint16_t *value); /* little-endian, as all below */
bool attn_cursor_u32(attn_cursor *cursor, uint32_t *value);
bool attn_cursor_u64(attn_cursor *cursor, uint64_t *value);
bool attn_cursor_f32(attn_cursor *cursor, float *value);
bool attn_cursor_f64(attn_cursor *cursor, double *value);

/* Loads from memory already checked, any alignment. */
uint16_t attn_load_u16(const uint8_t *data);
uint32_t attn_load_u32(const uint8_t *data);
uint64_t attn_load_u64(const uint8_t *data);
float attn_load_f32(const uint8_t *data);
double attn_load_f64(const uint8_t *data);
uint16_t attn_load_u16_big(const uint8_t *data);
uint32_t attn_load_u32_big(const uint8_t *data);
uint64_t attn_load_u64_big(const uint8_t *data);

#endif
