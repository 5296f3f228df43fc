/* unicode.h: classes of code points, for the splitters. Code points are as attn_utf8_decode gives
 * them: -1 is an ill-formed byte, of no class. From utf8proc's general categories. */
#ifndef ATTN_TEXT_UNICODE_UNICODE_H
#define ATTN_TEXT_UNICODE_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum attn_char_class {
    ATTN_CHAR_OTHER, /* unassigned, private use, format (Cf), ill-formed */
    ATTN_CHAR_LETTER,
    ATTN_CHAR_MARK,
    ATTN_CHAR_NUMBER,
    ATTN_CHAR_PUNCTUATION, /* P */
    ATTN_CHAR_SYMBOL,      /* S */
    ATTN_CHAR_SPACE,       /* Unicode White_Space */
    ATTN_CHAR_CONTROL      /* Cc but for white space */
} attn_char_class;

attn_char_class attn_char_class_of(int32_t code);
/* Unicode's White_Space property: U+0009–000D, 0020, 0085, 00A0, 1680, 2000–200A, 2028, 2029, 202F,
 * 205F, 3000. */
bool attn_char_is_space(int32_t code);
bool attn_char_is_letter(int32_t code); /* L */
bool attn_char_is_number(int32_t code); /* N */
bool attn_char_is_mark(int32_t code);   /* M */
bool attn_char_combines(int32_t code);  /* has a canonical combining class: most marks, and no letter */
/* What \w of a regular expression is by UTS #18: Alphabetic, M, Nd, Pc and Join_Control. */
bool attn_char_is_word(int32_t code);
/* Of a script that puts no spaces between words: Han, Kana and Bopomofo, and those of Unicode's Line_Break=SA (Thai, Lao,
 * Khmer, Myanmar and their kin), marks, signs of repetition and all. */
bool attn_char_is_unspaced(int32_t code);
/* As BERT has it, and tokenizer.json's Punctuation: P, and in ASCII every symbol. */
bool attn_char_is_punctuation(int32_t code);
/* What East Asia mostly writes: conjoining Hangul, ideographs, Hangul syllables. Letters all, without case, no marks:
 * asking this first saves look-ups. */
static inline bool attn_char_is_east_asian(int32_t code)
{
    return (code >= 0x1100 && code <= 0x11FF) || (code >= 0x3400 && code <= 0x9FFF) ||
           (code >= 0xAC00 && code <= 0xD7A3);
}
/* Unicode's simple lower case: one character; CODE where it has none. */
int32_t attn_char_lower(int32_t code);

#endif
