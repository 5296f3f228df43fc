/* utf8.h: code points in byte strings, and how wide they are on a terminal. */
#ifndef ATTN_BASE_UTF8_H
#define ATTN_BASE_UTF8_H

#include "base/bytes.h"

/* The code point at BYTES[AT] (AT < size) and its length in *LENGTH. An ill-formed byte (overlong,
 * surrogate, above U+10FFFF, cut short) gives -1 and length 1. */
int32_t attn_utf8_decode(attn_bytes bytes, size_t at, size_t *length);

/* Writes CODE (0…10FFFF) to OUT[4]; returns its length. */
size_t attn_utf8_encode(uint32_t code, uint8_t *out);

/* True when all of BYTES is well-formed; else *BAD (may be NULL) is the offset of the first ill-formed. */
bool attn_utf8_valid(attn_bytes bytes, size_t *bad);

/* May what begins at BYTES[AT] not be shown as it is? Controls (C0, DEL, C1), the marks and overrides of writing direction
 * (Unicode's Bidi_Control), which make a text look like another, and bytes that are ill-formed. *LENGTH as above. */
bool attn_utf8_steers(attn_bytes bytes, size_t at, size_t *length);

/* Columns on a terminal: Hangul and CJK 2, combining marks 0, a picture of several code points (joined, with a skin tone,
 * of emoji style, a keycap, a flag) 2 in all; an ill-formed byte counts 1. */
size_t attn_utf8_width(attn_bytes bytes);
/* How many of the first bytes can stand in WIDTH columns; a character that is shown as one is not cut. */
size_t attn_utf8_fit(attn_bytes bytes, size_t width);

/* The first offset at or after AT (AT ≤ size) whose byte is not ASCII, or the size. */
size_t attn_utf8_ascii_end(attn_bytes bytes, size_t at);

#endif
