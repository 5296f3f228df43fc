/* split.h: the split patterns that published byte-level tokenizers share, written by hand. Any
 * other pattern is pattern.h's. Only files of text/ include it. */
#ifndef ATTN_TEXT_SPLIT_SPLIT_H
#define ATTN_TEXT_SPLIT_SPLIT_H

#include "text/spec.h"

/* The end of the piece of TEXT that begins at AT (AT < TEXT.size): what the first match of the
 * rule's pattern at AT covers; every pattern here matches everywhere. RULE is not NONE or PATTERN.
 * Ill-formed bytes are no letters, digits or white space. */
size_t attn_split_end(attn_pretokenizer rule, attn_bytes text, size_t at);

/* The rule whose pattern is spelled PATTERN, or ATTN_SPLIT_PATTERN when there is none. */
attn_pretokenizer attn_split_known(attn_bytes pattern);

#endif
