/* unicode.c: see unicode.h. */
#include "config.h"

#include "text/unicode/unicode.h"

#include <stddef.h>
#include <utf8proc.h>

/* clang-format off */
#define O ATTN_CHAR_CONTROL
#define W ATTN_CHAR_SPACE
#define P ATTN_CHAR_PUNCTUATION
#define S ATTN_CHAR_SYMBOL
#define N ATTN_CHAR_NUMBER
#define L ATTN_CHAR_LETTER
static const uint8_t ascii_classes[128] = {
    O, O, O, O, O, O, O, O, O, W, W, W, W, W, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
    W, P, P, P, S, P, P, P, P, P, P, S, P, P, P, P, N, N, N, N, N, N, N, N, N, N, P, P, S, S, S, P,
    P, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, P, P, P, S, P,
    S, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, P, S, P, S, O};
#undef O
#undef W
#undef P
#undef S
#undef N
#undef L
/* clang-format on */

bool attn_char_is_space(int32_t code)
{
    if (code < 0x80)
        return code == ' ' || (code >= '\t' && code <= '\r');
    return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

attn_char_class attn_char_class_of(int32_t code)
{
    static const uint8_t classes[] = {
        [UTF8PROC_CATEGORY_LU] = ATTN_CHAR_LETTER,      [UTF8PROC_CATEGORY_LL] = ATTN_CHAR_LETTER,
        [UTF8PROC_CATEGORY_LT] = ATTN_CHAR_LETTER,      [UTF8PROC_CATEGORY_LM] = ATTN_CHAR_LETTER,
        [UTF8PROC_CATEGORY_LO] = ATTN_CHAR_LETTER,      [UTF8PROC_CATEGORY_MN] = ATTN_CHAR_MARK,
        [UTF8PROC_CATEGORY_MC] = ATTN_CHAR_MARK,        [UTF8PROC_CATEGORY_ME] = ATTN_CHAR_MARK,
        [UTF8PROC_CATEGORY_ND] = ATTN_CHAR_NUMBER,      [UTF8PROC_CATEGORY_NL] = ATTN_CHAR_NUMBER,
        [UTF8PROC_CATEGORY_NO] = ATTN_CHAR_NUMBER,      [UTF8PROC_CATEGORY_PC] = ATTN_CHAR_PUNCTUATION,
        [UTF8PROC_CATEGORY_PD] = ATTN_CHAR_PUNCTUATION, [UTF8PROC_CATEGORY_PS] = ATTN_CHAR_PUNCTUATION,
        [UTF8PROC_CATEGORY_PE] = ATTN_CHAR_PUNCTUATION, [UTF8PROC_CATEGORY_PI] = ATTN_CHAR_PUNCTUATION,
        [UTF8PROC_CATEGORY_PF] = ATTN_CHAR_PUNCTUATION, [UTF8PROC_CATEGORY_PO] = ATTN_CHAR_PUNCTUATION,
        [UTF8PROC_CATEGORY_SM] = ATTN_CHAR_SYMBOL,      [UTF8PROC_CATEGORY_SC] = ATTN_CHAR_SYMBOL,
        [UTF8PROC_CATEGORY_SK] = ATTN_CHAR_SYMBOL,      [UTF8PROC_CATEGORY_SO] = ATTN_CHAR_SYMBOL,
        [UTF8PROC_CATEGORY_CC] = ATTN_CHAR_CONTROL,
    };
    _Static_assert(ATTN_CHAR_OTHER == 0, "what the table does not name is of no class");
    if (code < 0)
        return ATTN_CHAR_OTHER;
    if (code < 0x80)
        return (attn_char_class)ascii_classes[code];
    if (attn_char_is_space(code))
        return ATTN_CHAR_SPACE;
    const size_t category = (size_t)utf8proc_category(code);
    return category < sizeof classes ? (attn_char_class)classes[category] : ATTN_CHAR_OTHER;
}

bool attn_char_is_letter(int32_t code)
{
    return attn_char_class_of(code) == ATTN_CHAR_LETTER;
}

bool attn_char_is_number(int32_t code)
{
    return attn_char_class_of(code) == ATTN_CHAR_NUMBER;
}

bool attn_char_is_punctuation(int32_t code)
{
    const attn_char_class class = attn_char_class_of(code);
    return class == ATTN_CHAR_PUNCTUATION || (class == ATTN_CHAR_SYMBOL && code < 0x80);
}

/* The blocks of these scripts in order, without the punctuation at U+3000. */
static const struct {
    int32_t first, last;
} unspaced[] = {
    {0x0E00, 0x0E3A},   /* Thai */
    {0x0E40, 0x0EFF},   /* Thai, Lao */
    {0x1000, 0x109F},   /* Myanmar */
    {0x1780, 0x17FF},   /* Khmer */
    {0x1950, 0x19DF},   /* Tai Le, New Tai Lue */
    {0x1A20, 0x1AAF},   /* Tai Tham */
    {0x2E80, 0x2FDF},   /* radicals of Han */
    {0x3005, 0x3007},   /* 々〆〇 */
    {0x3021, 0x3029},   /* Hangzhou numerals */
    {0x3031, 0x303C},   /* repetition of Kana, Hangzhou numerals, iteration of Han */
    {0x3040, 0x312F},   /* Kana, Bopomofo */
    {0x31A0, 0x31BF},   /* Bopomofo */
    {0x31F0, 0x31FF},   /* Kana */
    {0x3400, 0x4DBF},   /* Han */
    {0x4E00, 0x9FFF},   /* Han */
    {0xA9E0, 0xA9FF},   /* Myanmar */
    {0xAA60, 0xAADF},   /* Myanmar, Tai Viet */
    {0xF900, 0xFAFF},   /* Han */
    {0xFF66, 0xFF9F},   /* Kana of half a width */
    {0x11700, 0x1174F}, /* Ahom */
    {0x1AFF0, 0x1B16F}, /* Kana */
    {0x20000, 0x3FFFF}, /* Han */
};

bool attn_char_is_unspaced(int32_t code)
{
    const size_t n = sizeof unspaced / sizeof *unspaced;
    size_t i = 0;
    while (i < n && code > unspaced[i].last)
        i++;
    return i < n && code >= unspaced[i].first;
}

bool attn_char_is_mark(int32_t code)
{
    return attn_char_class_of(code) == ATTN_CHAR_MARK;
}

bool attn_char_combines(int32_t code)
{
    return code >= 0x80 && utf8proc_get_property(code)->combining_class != 0;
}

bool attn_char_is_word(int32_t code)
{
    switch (code >= 0 ? utf8proc_category(code) : UTF8PROC_CATEGORY_CN) {
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
        return true;
    case UTF8PROC_CATEGORY_SO: /* Other_Alphabetic among symbols: letters in circles and squares */
        return (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F149) ||
               (code >= 0x1F150 && code <= 0x1F169) || (code >= 0x1F170 && code <= 0x1F189);
    default:
        return code == 0x200C || code == 0x200D || attn_char_is_letter(code) || attn_char_is_mark(code);
    }
}

int32_t attn_char_lower(int32_t code)
{
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
    return utf8proc_tolower(code);
}
