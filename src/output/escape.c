/* escape.c: texts made safe for the reader of each format. */
#include "config.h"

#include "output/escape.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static void put_hex(attn_buffer *out, const char *before, uint8_t byte)
{
    static const char digits[] = "0123456789ABCDEF";
    attn_buffer_text(out, before);
    attn_buffer_byte(out, digits[byte >> 4]);
    attn_buffer_byte(out, digits[byte & 15]);
}

void attn_escape_tsv(attn_bytes text, attn_buffer *out)
{
    size_t done = 0;
    for (size_t i = 0; i < text.size; i++) {
        static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
        const char *found = text.data[i] != '\0' ? strchr(special, text.data[i]) : NULL;
        if (found == NULL)
            continue;
        attn_buffer_put(out, text.data + done, i - done);
        attn_buffer_byte(out, '\\');
        attn_buffer_byte(out, letters[found - special]);
        done = i + 1;
    }
    if (done < text.size)
        attn_buffer_put(out, text.data + done, text.size - done);
}

static void put_json_ascii(uint8_t byte, attn_buffer *out)
{
    static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = byte != 0 ? strchr(special, byte) : NULL;
    if (found != NULL) {
        attn_buffer_byte(out, '\\');
        attn_buffer_byte(out, letters[found - special]);
    } else if (byte < 0x20 || byte == 0x7f) {
        attn_buffer_format(out, "\\u%04x", (unsigned)byte);
    } else {
        attn_buffer_byte(out, (char)byte);
    }
}

/* What ends a script's element, or a line of it, within HTML. */
static bool means_html(int32_t code)
{
    return code == '<' || code == '>' || code == '&' || code == 0x2028 || code == 0x2029;
}

static void put_json(attn_bytes text, bool in_html, attn_buffer *out)
{
    attn_buffer_byte(out, '"');
    for (size_t i = 0, length; i < text.size; i += length) {
        int32_t code = attn_utf8_decode(text, i, &length);
        if (code < 0)
            put_hex(out, "\\\\x", text.data[i]);
        else if (in_html && means_html(code))
            attn_buffer_format(out, "\\u%04x", (unsigned)code);
        else if (code < 0x80)
            put_json_ascii((uint8_t)code, out);
        else
            attn_buffer_put(out, text.data + i, length);
    }
    attn_buffer_byte(out, '"');
}

void attn_escape_json(attn_bytes text, attn_buffer *out)
{
    put_json(text, false, out);
}

void attn_escape_script(attn_bytes text, attn_buffer *out)
{
    put_json(text, true, out);
}

void attn_escape_table(attn_bytes text, attn_buffer *out)
{
    size_t i = 0, length;
    for (; i < text.size && text.data[i] == ' '; i++)
        attn_buffer_text(out, "\xe2\x90\xa3"); /* ␣ */
    for (; i < text.size; i += length) {
        int32_t code = attn_utf8_decode(text, i, &length);
        if (code == '\t' || code == '\n' || code == '\r')
            attn_buffer_text(out, code == '\t' ? "\\t" : code == '\n' ? "\\n" : "\\r");
        else if (attn_utf8_steers(text, i, &length))
            for (size_t j = 0; j < length; j++)
                put_hex(out, "\\x", text.data[i + j]);
        else
            attn_buffer_put(out, text.data + i, length);
    }
}

static const char *entity_of(int32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

static void put_picture_of_control(uint32_t control, attn_buffer *out)
{
    uint8_t picture[4];
    attn_buffer_put(out, picture, attn_utf8_encode(control == 0x7f ? 0x2421 : 0x2400 + control, picture));
}

void attn_escape_xml(attn_bytes text, attn_buffer *out)
{
    for (size_t i = 0, length; i < text.size; i += length) {
        const int32_t code = attn_utf8_decode(text, i, &length);
        const char *entity = entity_of(code);
        if (entity != NULL)
            attn_buffer_text(out, entity);
        else if ((code >= 0 && code < 0x20) || code == 0x7f)
            put_picture_of_control((uint32_t)code, out);
        else if (attn_utf8_steers(text, i, &length) || code == 0xfffe || code == 0xffff)
            for (size_t j = 0; j < length; j++)
                put_hex(out, "\\x", text.data[i + j]);
        else
            attn_buffer_put(out, text.data + i, length);
    }
}
