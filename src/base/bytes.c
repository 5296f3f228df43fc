/* bytes.c: see bytes.h. */
#include "config.h"

#include "base/bytes.h"

#include <string.h>

attn_bytes attn_bytes_of(const char *text)
{
    return (attn_bytes){.data = (const uint8_t *)text, .size = strlen(text)};
}

bool attn_bytes_equal(attn_bytes a, attn_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool attn_bytes_are(attn_bytes a, const char *text)
{
    return attn_bytes_equal(a, attn_bytes_of(text));
}

int attn_hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool attn_bytes_end_with(attn_bytes bytes, const char *end)
{
    size_t size = strlen(end);
    return bytes.size >= size && memcmp(bytes.data + bytes.size - size, end, size) == 0;
}

attn_bytes attn_bytes_without_bom(attn_bytes bytes)
{
    static const uint8_t mark[] = {0xEF, 0xBB, 0xBF};
    if (bytes.size < sizeof mark || memcmp(bytes.data, mark, sizeof mark) != 0)
        return bytes;
    return (attn_bytes){bytes.data + sizeof mark, bytes.size - sizeof mark};
}

attn_cursor attn_cursor_at(attn_bytes bytes)
{
    return (attn_cursor){.bytes = bytes};
}

size_t attn_cursor_left(const attn_cursor *cursor)
{
    return cursor->bytes.size - cursor->position;
}

bool attn_cursor_take(attn_cursor *cursor, uint64_t count, attn_bytes *taken)
{
    if (count > attn_cursor_left(cursor))
        return false;
    taken->data = count > 0 ? cursor->bytes.data + cursor->position : NULL;
    taken->size = (size_t)count;
    cursor->position += (size_t)count;
    return true;
}

bool attn_cursor_skip(attn_cursor *cursor, uint64_t count)
{
    attn_bytes skipped;
    return attn_cursor_take(cursor, count, &skipped);
}

bool attn_cursor_u8(attn_cursor *cursor, uint8_t *value)
{
    attn_bytes taken;
    if (!attn_cursor_take(cursor, 1, &taken))
        return false;
    *value = taken.data[0];
    return true;
}

bool attn_cursor_u16(attn_cursor *cursor, uint16_t *value)
{
    attn_bytes taken;
    if (!attn_cursor_take(cursor, 2, &taken))
        return false;
    *value = attn_load_u16(taken.data);
    return true;
}

bool attn_cursor_u32(attn_cursor *cursor, uint32_t *value)
{
    attn_bytes taken;
    if (!attn_cursor_take(cursor, 4, &taken))
        return false;
    *value = attn_load_u32(taken.data);
    return true;
}

bool attn_cursor_u64(attn_cursor *cursor, uint64_t *value)
{
    attn_bytes taken;
    if (!attn_cursor_take(cursor, 8, &taken))
        return false;
    *value = attn_load_u64(taken.data);
    return true;
}

bool attn_cursor_f32(attn_cursor *cursor, float *value)
{
    attn_bytes taken;
    if (!attn_cursor_take(cursor, 4, &taken))
        return false;
    *value = attn_load_f32(taken.data);
    return true;
}
