/* byte_alphabet.h: how vocabularies spell what is no plain text. GPT-2's writes any byte as a printable character:
 * '!' … '~', '¡' … '¬' and '®' … 'ÿ' stand for themselves, the other 68 bytes for U+0100, U+0101 … in order.
 * SentencePiece's writes a blank as '▁' and a byte, where it must, as <0xNN>. */
#ifndef ATTN_TEXT_BYTE_ALPHABET_H
#define ATTN_TEXT_BYTE_ALPHABET_H

#include "base/buffer.h"

/* The character that stands for BYTE: below U+0144. */
uint32_t attn_byte_alphabet_code(uint8_t byte);
/* The byte that CODE stands for, or -1. */
int attn_byte_alphabet_byte(int32_t code);
/* Appends the bytes that SPELLING stands for; a character outside the alphabet stands for its own
 * UTF-8. */
void attn_byte_alphabet_decode(attn_bytes spelling, attn_buffer *out);
/* Appends the spelling of BYTES. */
void attn_byte_alphabet_encode(attn_bytes bytes, attn_buffer *out);
/* The byte of a spelling "<0xNN>"; -1: it is none. */
int attn_byte_token(attn_bytes spelling);

#define ATTN_WORD_MARK "\xE2\x96\x81" /* '▁' U+2581 */
enum { ATTN_WORD_MARK_SIZE = sizeof ATTN_WORD_MARK - 1 };
/* Whether a '▁' begins at AT <= BYTES.size. */
static inline bool attn_is_word_mark(attn_bytes bytes, size_t at)
{
    return bytes.size - at >= ATTN_WORD_MARK_SIZE && memcmp(bytes.data + at, ATTN_WORD_MARK, ATTN_WORD_MARK_SIZE) == 0;
}

#endif
