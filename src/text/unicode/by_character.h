/* by_character.h: the normalizer's steps that look at one character at a time. Only files of text/ include it. */
#ifndef ATTN_TEXT_UNICODE_BY_CHARACTER_H
#define ATTN_TEXT_UNICODE_BY_CHARACTER_H

#include "text/unicode/normal.h"

/* Character by character, as tokenizer.json's Lowercase (Rust's char::to_lowercase): Σ is σ also at a word's end, and İ
 * becomes two, i and a dot above. Not FULL: one character stays one, İ becomes i. */
attn_status attn_rewrite_lowercase(bool full, attn_rewrite *rewrite);
/* Combining marks (M) leave, or what has a COMBINING class. */
attn_status attn_rewrite_strip_marks(bool combining, attn_rewrite *rewrite);
/* SentencePiece's nmt rules: control characters leave, odd blanks become ' '. */
attn_status attn_rewrite_nmt(attn_rewrite *rewrite);

#endif
