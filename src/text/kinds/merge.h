/* merge.h: byte-pair merging: join the best neighbours until no two can be joined. Used by bpe.c
 * and sentencepiece.c. A rule is read-only once made; what a run changes lies in the caller's
 * workspace. */
#ifndef ATTN_TEXT_KINDS_MERGE_H
#define ATTN_TEXT_KINDS_MERGE_H

#include "base/bytes.h"
#include "base/error.h"
#include "text/kinds/kinds.h"

/* A stretch of a word that is, or shall become, one token. */
typedef struct attn_piece {
    uint32_t id;   /* or ATTN_NO_TOKEN: not in the vocabulary (yet) */
    uint32_t size; /* bytes */
    size_t start;  /* in the word */
} attn_piece;

typedef struct attn_merge_slot {
    uint64_t pair; /* left id << 32 | right id; UINT64_MAX: empty */
    uint32_t rank, id;
} attn_merge_slot;

/* Two pieces may be joined when their pair of ids is in the table, or, without a table, when the
 * joined spelling is a token that has a rank. The lowest rank goes first, among equals the
 * left-most. */
typedef struct attn_merge_rule {
    attn_merge_slot *slots; /* owned; [mask + 1], or NULL: by spelling */
    size_t mask;
    const attn_vocabulary *vocabulary; /* borrowed; by spelling */
    uint32_t *ranks;                   /* owned; [n_tokens]; by spelling; UINT32_MAX: never a result */
} attn_merge_rule;

/* By pairs where the spec has merges: best first; of a pair that is there twice the last counts, as in the tokenizers
 * library. Fails where a merge's parts or result are no tokens. Else by spelling: the highest of spec->scores first
 * (SentencePiece; only normal, user-defined and unused tokens of spec->types, if any, can be results), or without
 * scores the lowest id (tiktoken). On failure free it all the same. */
attn_status attn_merge_rule_open(attn_merge_rule *rule, const attn_vocabulary *vocabulary,
                                 const attn_tokenizer_spec *spec, attn_error *error);
void attn_merge_rule_free(attn_merge_rule *rule);

typedef struct attn_merge_space { /* {0} at first; reused from word to word */
    void *memory;                 /* owned */
    size_t size;
} attn_merge_space;
/* Room for SIZE bytes, their content is lost; false: out of memory. */
bool attn_merge_space_reserve(attn_merge_space *space, size_t size);
void attn_merge_space_free(attn_merge_space *space);

/* Merges PIECES[*COUNT], which lie one behind the other in WORD, in place. Time is near linear in
 * *COUNT. ATTN_OK, ATTN_ENOMEM, or ATTN_EUNSUPPORTED for more than 2^31 pieces. */
attn_status attn_merge(const attn_merge_rule *rule, attn_merge_space *space, const uint8_t *word, attn_piece *pieces,
                       size_t *count, attn_error *error);

#endif
