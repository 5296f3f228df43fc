/* charsmap.h: SentencePiece's precompiled map from strings to strings: a double-array trie and a block of replacements.
 * Only files of text/ include it. */
#ifndef ATTN_TEXT_UNICODE_CHARSMAP_H
#define ATTN_TEXT_UNICODE_CHARSMAP_H

#include "text/unicode/normal.h"

typedef struct attn_charsmap {
    const uint8_t *units; /* borrowed; [n_units] little-endian 32-bit units */
    size_t n_units;
    attn_bytes replacements; /* borrowed; strings ended by NUL */
} attn_charsmap;

/* MAP's fields point into BLOB. ATTN_EDATA: it is damaged. */
attn_status attn_charsmap_open(attn_bytes blob, attn_charsmap *map, attn_error *error);
/* The longest entry that TEXT begins with: its length, and what it becomes; 0: none. */
size_t attn_charsmap_find(const attn_charsmap *map, attn_bytes text, attn_bytes *replacement);
/* GRAPHEMES: whole grapheme clusters are looked up, as tokenizer.json's users do; else the longest entry at each place,
 * as SentencePiece does. */
attn_status attn_charsmap_rewrite(const attn_charsmap *map, bool graphemes, attn_rewrite *rewrite);

#endif
