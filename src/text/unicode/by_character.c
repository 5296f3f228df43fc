/* by_character.c: the steps that look at one character at a time: lower case, accents off, SentencePiece's clean-up.
 * Used by normalize.c, the first by compose.c too. */
#include "config.h"

#include "base/utf8.h"
#include "text/unicode/by_character.h"
#include "text/unicode/unicode.h"

enum { DOTTED_I = 0x130, DOT_ABOVE = 0x307 };

attn_status attn_rewrite_lowercase(bool full, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    attn_status status = ATTN_OK;
    size_t length;
    for (size_t at = 0; at < text.size && status == ATTN_OK; at += length) {
        const int32_t code = attn_utf8_decode(text, at, &length), lower = attn_char_lower(code);
        if (lower == code)
            continue;
        status = attn_rewrite_code(rewrite, at, at + length, lower);
        if (full && code == DOTTED_I && status == ATTN_OK)
            status = attn_rewrite_code(rewrite, at, at + length, DOT_ABOVE);
    }
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

attn_status attn_rewrite_strip_marks(bool combining, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    attn_status status = ATTN_OK;
    size_t length;
    for (size_t at = 0; at < text.size && status == ATTN_OK; at += length) {
        const int32_t code = attn_utf8_decode(text, at, &length);
        if (combining ? attn_char_combines(code) : attn_char_is_mark(code))
            status = attn_rewrite_take_off(rewrite, at, at + length);
    }
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

/* What SentencePiece's nmt rules leave out. */
static bool leaves(int32_t code)
{
    return (code >= 1 && code <= 8) || code == 0xb || (code >= 0xe && code <= 0x1f) || code == 0x7f || code == 0x8f ||
           code == 0x9f;
}

/* What they take for a blank. */
static bool is_blank(int32_t code)
{
    return code == 9 || code == 0xa || code == 0xc || code == 0xd || code == 0x1680 ||
           (code >= 0x200b && code <= 0x200f) || code == 0x2028 || code == 0x2029 || code == 0x2581 || code == 0xfeff ||
           code == 0xfffd;
}

attn_status attn_rewrite_nmt(attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    attn_status status = ATTN_OK;
    size_t length;
    for (size_t at = 0; at < text.size && status == ATTN_OK; at += length) {
        const int32_t code = attn_utf8_decode(text, at, &length);
        if (leaves(code))
            status = attn_rewrite_skip(rewrite, at, at + length);
        else if (is_blank(code))
            status = attn_rewrite_replace(rewrite, at, at + length, " ", 1);
    }
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}
