/* json_string.c: strings of the JSON reader: unescaped, and well-formed UTF-8 or refused. */
#include "config.h"

#include "base/json_reader.h"
#include "base/utf8.h"

#include <string.h>

/* Whether one of the eight bytes of WORD ends a run of plain ASCII: a quote, a backslash, a control character or a
 * byte of 0x80 and above. (The usual test for a byte below N, on bytes below 0x80.) */
static bool has_special(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t below = (word - ones * 0x20) | (quote - ones) | (backslash - ones) | word;
    return (below & tops) != 0;
}

static const uint8_t *skip_plain(const uint8_t *p, const uint8_t *end)
{
    uint64_t word;
    for (; end - p >= (ptrdiff_t)sizeof word; p += sizeof word) {
        memcpy(&word, p, sizeof word);
        if (has_special(word))
            break;
    }
    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* To the first quote or backslash from P on; NULL after a failure. */
static const uint8_t *skip_text(attn_json *json, const uint8_t *p)
{
    while ((p = skip_plain(p, json->end)) < json->end && *p >= 0x80) {
        attn_bytes rest = {.data = p, .size = (size_t)(json->end - p)};
        size_t length;
        if (attn_utf8_decode(rest, 0, &length) < 0) {
            attn_json_refuse_text(json, p, "expected UTF-8 text, found byte 0x%02x", *p);
            return NULL;
        }
        p += length;
    }
    if (p == json->end) {
        attn_json_refuse(json, p, "'\"' at the end of the string");
        return NULL;
    }
    if (*p < 0x20) {
        attn_json_refuse_text(json, p, "a control character in a string must be written as \\u%04x", *p);
        return NULL;
    }
    return p;
}

/* Four hexadecimal digits at P. */
static bool hex4(attn_json *json, const uint8_t *p, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, p++) {
        uint32_t digit;
        if (p < json->end && *p >= '0' && *p <= '9')
            digit = (uint32_t)(*p - '0');
        else if (p < json->end && (*p | 0x20) >= 'a' && (*p | 0x20) <= 'f')
            digit = (uint32_t)((*p | 0x20) - 'a' + 10);
        else
            return attn_json_refuse(json, p, "four hexadecimal digits after \\u");
        *code = *code << 4 | digit;
    }
    return true;
}

/* The character of the \u escape at P (its backslash), and past it, over the second half of a pair. */
static const uint8_t *unicode_escape(attn_json *json, const uint8_t *p, uint32_t *code)
{
    const uint8_t *from = p;
    if (!hex4(json, p + 2, code))
        return NULL;
    p += 6;
    if (*code < 0xd800 || *code > 0xdfff)
        return p;
    if (*code < 0xdc00 && json->end - p >= 2 && p[0] == '\\' && p[1] == 'u') {
        uint32_t low;
        if (!hex4(json, p + 2, &low))
            return NULL;
        if (low >= 0xdc00 && low <= 0xdfff) {
            *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
            return p + 6;
        }
    }
    attn_json_refuse_text(json, from, "\\u%04x is half of a surrogate pair, its other half is missing",
                          (unsigned)*code);
    return NULL;
}

/* Appends the character of the escape at P (its backslash); past it, or NULL after a failure. */
static const uint8_t *unescape(attn_json *json, const uint8_t *p, attn_buffer *out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name;
    uint8_t encoded[4];
    uint32_t code;
    if (json->end - p < 2) {
        attn_json_refuse(json, p + 1, "a character after '\\'");
        return NULL;
    }
    if (p[1] == 'u') {
        p = unicode_escape(json, p, &code);
        if (p != NULL)
            attn_buffer_put(out, encoded, attn_utf8_encode(code, encoded));
        return p;
    }
    name = p[1] != '\0' ? strchr(names, p[1]) : NULL;
    if (name == NULL) {
        attn_json_refuse(json, p + 1, "one of \" \\ / b f n r t u after '\\'");
        return NULL;
    }
    attn_buffer_byte(out, values[name - names]);
    return p + 2;
}

/* From the first backslash at P on to the closing quote, which is returned. */
static const uint8_t *unescape_all(attn_json *json, const uint8_t *start, const uint8_t *p)
{
    attn_buffer *out = &json->string;
    out->size = 0;
    attn_buffer_put(out, start, (size_t)(p - start));
    while (*p == '\\') {
        const uint8_t *from = unescape(json, p, out);
        p = from != NULL ? skip_text(json, from) : NULL;
        if (p == NULL)
            return NULL;
        attn_buffer_put(out, from, (size_t)(p - from));
    }
    if (out->failed) {
        attn_json_refuse_memory(json);
        return NULL;
    }
    return p;
}

bool attn_json_scan_string(attn_json *json, attn_arena *arena, attn_bytes *value)
{
    const uint8_t *start = json->at + 1, *p = skip_text(json, start);
    if (p == NULL)
        return false;
    if (*p == '"') {
        *value = (attn_bytes){.data = start, .size = (size_t)(p - start)};
    } else {
        p = unescape_all(json, start, p);
        if (p == NULL)
            return false;
        *value = attn_buffer_bytes(&json->string);
        if (arena != NULL) {
            char *copy = attn_arena_text(arena, json->string.data, json->string.size);
            if (copy == NULL)
                return attn_json_refuse_memory(json);
            value->data = (const uint8_t *)copy;
        }
    }
    json->at = p + 1;
    return true;
}
