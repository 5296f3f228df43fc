/* unicode.c: see unicode.h. */
#include "config.h"

#include "text/unicode/unicode.h"

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
    if (code < 0)
        return ATTN_CHAR_OTHER;
    if (code < 0x80)
        return (attn_char_class)ascii_classes[code];
    if (attn_char_is_space(code))
        return ATTN_CHAR_SPACE;
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return ATTN_CHAR_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return ATTN_CHAR_MARK;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return ATTN_CHAR_NUMBER;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
        return ATTN_CHAR_PUNCTUATION;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
        return ATTN_CHAR_SYMBOL;
    case UTF8PROC_CATEGORY_CC:
        return ATTN_CHAR_CONTROL;
    default:
        return ATTN_CHAR_OTHER;
    }
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

bool attn_char_is_mark(int32_t code)
{
    return attn_char_class_of(code) == ATTN_CHAR_MARK;
}

int32_t attn_char_lower(int32_t code)
{
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
    return utf8proc_tolower(code);
}
