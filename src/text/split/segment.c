/* segment.c: see segment.h. */
#include "config.h"

#include "base/utf8.h"
#include "text/split/segment.h"
#include "text/unicode/unicode.h"

#include <utf8proc.h>

enum { BLOCK = 64 * 1024 };
enum { RIGHT_QUOTE = 0x2019, ZERO_WIDTH_SPACE = 0x200B };

/* Whether a cluster ends between CODE and NEXT; ASCII without asking the tables. */
static bool breaks(int32_t code, int32_t next, int32_t *state)
{
    if (next < 0)
        return true;
    if (code < 0x80 && next < 0x80)
        return code != '\r' || next != '\n';
    return utf8proc_grapheme_break_stateful(code, next, state);
}

size_t attn_segment_cluster(attn_bytes text, size_t at)
{
    size_t length;
    int32_t state = 0;
    int32_t code = attn_utf8_decode(text, at, &length);
    for (at += length; code >= 0 && at < text.size; at += length) {
        int32_t next = attn_utf8_decode(text, at, &length);
        if (breaks(code, next, &state))
            break;
        code = next;
    }
    return at;
}

static bool is_format(int32_t code)
{
    return code >= 0x80 && code != ZERO_WIDTH_SPACE && utf8proc_category(code) == UTF8PROC_CATEGORY_CF;
}

/* Whether CODE, of no word class itself, stays inside a word between BEFORE and AFTER. */
static bool joins(attn_char_class before, int32_t code, attn_char_class after)
{
    const bool letters = (before == ATTN_CHAR_LETTER || before == ATTN_CHAR_MARK) && after == ATTN_CHAR_LETTER;
    const bool numbers = before == ATTN_CHAR_NUMBER && after == ATTN_CHAR_NUMBER;
    switch (code) {
    case '\'':
    case RIGHT_QUOTE:
        return letters;
    case '.':
    case ',':
        return numbers;
    case '_':
        return after == ATTN_CHAR_LETTER || after == ATTN_CHAR_NUMBER;
    default:
        return false;
    }
}

static bool is_word_class(attn_char_class class)
{
    return class == ATTN_CHAR_LETTER || class == ATTN_CHAR_NUMBER || class == ATTN_CHAR_MARK;
}

/* The end of the word whose first code point, of CLASS, ends at AT. */
static size_t word_end(attn_bytes text, size_t at, attn_char_class class)
{
    size_t length, next_length;
    while (at < text.size) {
        int32_t code = attn_utf8_decode(text, at, &length);
        attn_char_class next = attn_char_class_of(code);
        if (is_word_class(next)) {
            class = next == ATTN_CHAR_MARK ? class : next;
        } else if (!is_format(code)) {
            if (at + length >= text.size)
                break;
            next = attn_char_class_of(attn_utf8_decode(text, at + length, &next_length));
            if (!joins(class, code, next))
                break;
        }
        at += length;
    }
    return at;
}

bool attn_segment_word(attn_bytes text, size_t *at, attn_span *unit)
{
    size_t length;
    while (*at < text.size) {
        attn_char_class class = attn_char_class_of(attn_utf8_decode(text, *at, &length));
        unit->start = *at;
        *at += length;
        if (class == ATTN_CHAR_SPACE)
            continue;
        if (class == ATTN_CHAR_LETTER || class == ATTN_CHAR_NUMBER)
            *at = word_end(text, *at, class);
        else
            *at = attn_segment_cluster(text, unit->start);
        unit->end = *at;
        return true;
    }
    return false;
}

size_t attn_segment_block(attn_bytes text, size_t at)
{
    if (text.size - at <= BLOCK)
        return text.size;
    for (at += BLOCK; at < text.size; at++) {
        const uint8_t before = text.data[at - 1];
        if ((before == ' ' || before == '\n') && attn_segment_cluster(text, at - 1) == at)
            return at;
    }
    return text.size;
}
