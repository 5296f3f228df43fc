/* added.h: finds added tokens ("[MASK]", "<|endoftext|>") in a text: the left-most, then the
 * longest. */
#ifndef ATTN_TEXT_ADDED_H
#define ATTN_TEXT_ADDED_H

#include "text/spec.h"

typedef struct attn_added attn_added;

typedef struct attn_added_match {
    const attn_added_token *token; /* borrowed from what attn_added_open was given */
    size_t start, end;             /* with the white space that lstrip and rstrip take */
} attn_added_match;

/* A finder for TOKENS, of which those with an empty content are left out; keeps TOKENS (borrowed). *ADDED is NULL when
 * there is nothing to find. A content of more than 512 bytes is ATTN_EUNSUPPORTED. */
attn_status attn_added_open(const attn_added_token *tokens, size_t n_tokens, attn_added **added, attn_error *error);
void attn_added_close(attn_added *added);

/* The first match at or after FROM (special tokens only where PARSE_SPECIAL); false: none. NULL
 * ADDED: none. At each byte at most as many are looked at as the longest token has. */
bool attn_added_find(const attn_added *added, attn_bytes text, size_t from, bool parse_special,
                     attn_added_match *match);

#endif
