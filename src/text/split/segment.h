/* segment.h: the units that words, longest and chars see in a text. Only files of text/ include it. */
#ifndef ATTN_TEXT_SPLIT_SEGMENT_H
#define ATTN_TEXT_SPLIT_SEGMENT_H

#include "text/kinds/kinds.h"

/* The next unit of TEXT at or after *AT, which moves behind it; white space is skipped; false: none
 * left.
 *
 * A word is a run of letters, marks and numbers (general categories L, M, N). Inside a word stay,
 * after the rules WB4 to WB13b of Unicode's UAX #29: an apostrophe (' or U+2019) between letters
 * (don't); a full stop or a comma between numbers (3.14, 1,000); '_' between any of these
 * (new_york); a format character such as U+200D, but not U+200B. Unlike UAX #29, a run of Han or
 * Kana is one word: `longest` finds the words in it. Anything else, punctuation and emoji, is a
 * unit of one grapheme cluster; an ill-formed byte is its own. */
bool attn_segment_word(attn_bytes text, size_t *at, attn_span *unit);

/* The end of a block of TEXT that begins at AT: some tens of kilobytes, up to a place behind white
 * space where neither the normal form (compose.c) nor words nor clusters join what is before and
 * what is after; the text's end where there is none. */
size_t attn_segment_block(attn_bytes text, size_t at);

/* The end of the grapheme cluster (UAX #29) that begins at AT < text.size. */
size_t attn_segment_cluster(attn_bytes text, size_t at);

#endif
