/* wordpieces.h: the pieces of WordPiece, apart by whether they begin a word: what wordpiece.c (BERT's own steps) and
 * wordpiece_steps.c (tokenizer.json's) cut words by. Only they include it. */
#ifndef ATTN_TEXT_KINDS_WORDPIECES_H
#define ATTN_TEXT_KINDS_WORDPIECES_H

#include "text/kinds/entries.h"
#include "text/kinds/kinds.h"

typedef struct attn_wordpieces {
    attn_entries first; /* pieces that begin a word */
    attn_entries rest;  /* the others, without their "##" */
    size_t limit;       /* characters of a word; a longer one is unknown */
} attn_wordpieces;

/* The pieces of TOKENIZER, which must outlive them. On failure free them all the same. */
attn_status attn_wordpieces_open(attn_wordpieces *pieces, const attn_tokenizer *tokenizer, attn_error *error);
void attn_wordpieces_free(attn_wordpieces *pieces);

/* True when WORD has more characters than may be. */
bool attn_wordpieces_too_long(const attn_wordpieces *pieces, attn_bytes word);

/* The longest piece at AT of WORD, which begins it where AT is 0: its bytes and *ID, or 0. */
size_t attn_wordpieces_next(const attn_wordpieces *pieces, attn_bytes word, size_t at, uint32_t *id);

#endif
