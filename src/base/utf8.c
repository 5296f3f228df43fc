/* utf8.c: see utf8.h. Widths use utf8proc's tables; normal forms are text/unicode's. Nothing here allocates. */
#include "config.h"

#include "base/utf8.h"

#include <string.h>
#include <utf8proc.h>

/* How a lead byte goes on: its length, and the range its second byte must lie in (Unicode table 3-7). */
static size_t lead_length(uint8_t lead, uint8_t *low, uint8_t *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef) {
        if (lead == 0xe0)
            *low = 0xa0;
        if (lead == 0xed)
            *high = 0x9f;
        return 3;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        if (lead == 0xf0)
            *low = 0x90;
        if (lead == 0xf4)
            *high = 0x8f;
        return 4;
    }
    return 0;
}

int32_t attn_utf8_decode(attn_bytes bytes, size_t at, size_t *length)
{
    const uint8_t *data = bytes.data + at;
    size_t left = bytes.size - at;
    *length = 1;
    if (data[0] < 0x80)
        return data[0];
    uint8_t low, high;
    size_t size = lead_length(data[0], &low, &high);
    if (size == 0 || size > left || data[1] < low || data[1] > high)
        return -1;
    uint32_t code = data[0] & (0xffU >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((data[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (data[i] & 0x3fU);
    }
    *length = size;
    return (int32_t)code;
}

size_t attn_utf8_encode(uint32_t code, uint8_t *out)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (uint8_t)(0xc0 | code >> 6);
        out[1] = (uint8_t)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (uint8_t)(0xe0 | code >> 12);
        out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (code & 0x3f));
    return 4;
}

size_t attn_utf8_ascii_end(attn_bytes bytes, size_t at)
{
    uint64_t word;
    for (; bytes.size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes.data + at, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (at < bytes.size && bytes.data[at] < 0x80)
        at++;
    return at;
}

/* The end of the characters of three bytes from AT on whose second may be any: most of what East Asia writes. */
static size_t plain_end(attn_bytes bytes, size_t at)
{
    for (; bytes.size - at >= 3; at += 3) {
        const uint8_t *data = bytes.data + at;
        if ((data[0] & 0xf0) != 0xe0 || data[0] == 0xe0 || data[0] == 0xed || (data[1] & 0xc0) != 0x80 ||
            (data[2] & 0xc0) != 0x80)
            break;
    }
    return at;
}

bool attn_utf8_valid(attn_bytes bytes, size_t *bad)
{
    size_t at = 0;
    while ((at = plain_end(bytes, attn_utf8_ascii_end(bytes, at))) < bytes.size) {
        size_t length;
        if (attn_utf8_decode(bytes, at, &length) < 0) {
            if (bad != NULL)
                *bad = at;
            return false;
        }
        at += length;
    }
    return true;
}

bool attn_utf8_steers(attn_bytes bytes, size_t at, size_t *length)
{
    const int32_t code = attn_utf8_decode(bytes, at, length);
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static size_t width_of(int32_t code)
{
    /* the vowels and finals of conjoining Hangul stand in the syllable their leading consonant opens */
    if ((code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff))
        return 0;
    return code < 0 ? 1 : (size_t)utf8proc_charwidth(code);
}

enum { JOINER = 0x200D, EMOJI_STYLE = 0xFE0F, KEYCAP = 0x20E3 };

static bool is_skin_tone(int32_t code)
{
    return code >= 0x1F3FB && code <= 0x1F3FF;
}

static bool is_flag_letter(int32_t code)
{
    return code >= 0x1F1E6 && code <= 0x1F1FF;
}

/* Pictures are symbols: none is a letter, so that a joiner or a mark between letters makes none. */
static bool is_symbol(int32_t code)
{
    return code >= 0 &&
           (utf8proc_category(code) == UTF8PROC_CATEGORY_SO || utf8proc_category(code) == UTF8PROC_CATEGORY_SM);
}

/* Whether CODE makes of BASE, the last character that has a width, one picture of two cells; BEFORE: the code before. */
static bool makes_picture(int32_t base, int32_t before, int32_t code)
{
    if (code == KEYCAP)
        return (base >= '0' && base <= '9') || base == '#' || base == '*';
    if (code == EMOJI_STYLE)
        return is_symbol(base) || base == 0x203C || base == 0x2049; /* ‼ ⁉ are no symbols */
    if (is_flag_letter(code))
        return is_flag_letter(before);
    return is_symbol(base) && is_symbol(code) && before == JOINER;
}

/* The columns of the first bytes that stand in MOST; *FITTING: how many these are. */
static size_t measure(attn_bytes bytes, size_t most, size_t *fitting)
{
    size_t width = 0, cells = 0, length; /* CELLS: of BASE, not yet in WIDTH */
    int32_t base = -1, before = -1;
    for (size_t at = 0; at < bytes.size; at += length) {
        const size_t whole = width + cells;
        *fitting = at;
        const int32_t code = attn_utf8_decode(bytes, at, &length);
        if (makes_picture(base, before, code) || (is_skin_tone(code) && is_symbol(base))) {
            cells = 2;
            before = is_flag_letter(code) ? -1 : code;
        } else {
            const size_t more = width_of(code);
            width += more > 0 ? cells : 0;
            cells = more > 0 ? more : cells;
            base = more > 0 ? code : base;
            before = code;
        }
        if (width + cells > most)
            return whole;
    }
    *fitting = bytes.size;
    return width + cells;
}

size_t attn_utf8_width(attn_bytes bytes)
{
    size_t fitting;
    return measure(bytes, SIZE_MAX, &fitting);
}

size_t attn_utf8_fit(attn_bytes bytes, size_t width)
{
    size_t fitting;
    measure(bytes, width, &fitting);
    return fitting;
}
