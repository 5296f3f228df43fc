/* wordpiece.h: BERT's normal form. Only files of text/ include it. */
#ifndef ATTN_TEXT_KINDS_WORDPIECE_H
#define ATTN_TEXT_KINDS_WORDPIECE_H

#include "text/kinds/kinds.h"

/* Appends RAW in BERT's normal form to NORMAL: control characters, NUL and U+FFFD (an ill-formed
 * byte is one) left out, white space as ' ', spaces around CJK ideographs, accents stripped
 * (canonical decomposition without Mn), lower case, as the tokenizer's spec says. ATTN_ENOMEM or
 * ATTN_OK. */
attn_status attn_wordpiece_fold(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, attn_normal *normal,
                                attn_error *error);

#endif
