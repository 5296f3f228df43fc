/* hints.h: what to say about text that is not in the vocabulary: the run's list of unknowns, the
 * errors and their hints. Only files of text/ include it. */
#ifndef ATTN_TEXT_HINTS_H
#define ATTN_TEXT_HINTS_H

#include "text/kinds/kinds.h"

/* Counts the original's SPAN in encoder->unknowns (nothing when that is NULL). ATTN_ENOMEM or
 * ATTN_OK. */
attn_status attn_unknowns_add(attn_encoder *encoder, attn_span span);

/* --unknown=error: says what is not in the vocabulary, and where. Returns ATTN_EDATA. */
attn_status attn_fail_unknown(attn_encoder *encoder, attn_span span);

/* The same where the file names an unknown token that the vocabulary lacks. */
attn_status attn_fail_needs_unknown(attn_encoder *encoder, attn_span span);

/* `ids`: what is no token id, and where. Returns ATTN_EDATA. */
attn_status attn_fail_not_id(attn_encoder *encoder, attn_span span);

/* Nothing of the text was found: names what was looked for, with a hint where there is one.
 * ATTN_EDATA. */
attn_status attn_fail_none_known(attn_encoder *encoder);

/* The error's offset into the text, where it has one, as line and column. */
void attn_fail_place(attn_encoder *encoder);

#endif
