/* byte_alphabet.h: GPT-2's way to write any byte as a printable character: '!' … '~', '¡' … '¬' and
 * '®' … 'ÿ' stand for themselves, the other 68 bytes for U+0100, U+0101 … in order. */
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

#endif
