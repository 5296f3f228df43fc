/* coder.h: what byte-level BPE, SentencePiece's BPE and Unigram have in common: normal form, words,
 * a cache of words, and the emission of pieces. A kind adds the function that cuts one word into
 * pieces. Only files of text/ include it. */
#ifndef ATTN_TEXT_KINDS_CODER_H
#define ATTN_TEXT_KINDS_CODER_H

#include "text/kinds/merge.h"
#include "text/unicode/normalize.h"
#include "text/split/presplit.h"

typedef struct attn_word_cache attn_word_cache; /* word_cache.h */

enum { ATTN_CODER_LONGEST = 24 }; /* bytes of a word; the cache's are shorter */

/* One encode's workspace. */
typedef struct attn_coder_space {
    attn_piece *pieces; /* owned; [n_pieces]: the current word's */
    size_t n_pieces, capacity;
    attn_piece *holes; /* owned; [n_holes]: the unknown pieces of the word that were dropped, in order */
    size_t n_holes, hole_capacity;
    bool drops;              /* unknown pieces are dropped before merging */
    attn_merge_space memory; /* owned; whatever the kind's cutter needs */
    attn_buffer spelling;    /* owned; likewise */
    attn_words words;        /* owned */
    attn_word_cache *cache;  /* owned */
    double sum;              /* of the scores of a Unigram's path up to the current word; its cut takes and leaves it */
    float margin; /* by how much the word's path was the best; 0: what it was depends on more than the word */
    bool unknown; /* an unknown stretch waits to be emitted (fused with its neighbours) */
    size_t unknown_start, unknown_end;
    uint32_t unknown_word;
} attn_coder_space;

/* Cuts WORD (not empty) into SPACE->pieces. */
typedef attn_status attn_cutter(const void *model, attn_coder_space *space, attn_bytes word, attn_error *error);

typedef struct attn_coder { /* the first field of a kind's state */
    attn_steps *normalizer; /* owned; or NULL */
    attn_steps *presplit;   /* owned; or NULL */
    attn_cutter *cut;
    const void *model; /* borrowed; for cut */
    bool at_marks;     /* no token reaches over the start of a '▁': words begin there */
    /* A Unigram's: sums are rounded, so which of two paths is better may depend on what stands before a word. */
    const double *scores; /* borrowed, or NULL: no such model; [n_tokens] */
    bool float_sums;      /* sums are rounded to float32 */
    double word_bound;    /* more than the sum of a word that the cache holds can be */
    bool fuse_unknown;    /* unknown neighbours are one unknown */
    bool drop_unknown;    /* unknown pieces without a token for them are dropped before merging */
} attn_coder;

/* Compiles the spec's normalizer and presplitter, or those that its plain fields ask for; CUT with MODEL (borrowed)
 * cuts the words. On failure close it all the same. */
attn_status attn_coder_open(attn_coder *coder, const attn_tokenizer_spec *spec, attn_cutter *cut, const void *model,
                            attn_error *error);
void attn_coder_close(attn_coder *coder);

/* Room for COUNT pieces in SPACE (its pieces are then not kept). */
attn_status attn_coder_reserve(attn_coder_space *space, size_t count, attn_error *error);

/* attn_merge of SPACE->pieces, which are WORD's; where SPACE drops, unknown pieces become holes first, so that their
 * neighbours meet. */
attn_status attn_coder_merge(const attn_merge_rule *rule, attn_coder_space *space, attn_bytes word, attn_error *error);

/* The ids of the byte tokens <0x00> … <0xFF>, or ATTN_NO_TOKEN. */
void attn_byte_token_ids(const attn_vocabulary *vocabulary, uint32_t ids[256]);

/* The row's functions for a kind with a coder. */
attn_status attn_coder_normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool is_text,
                                 attn_normal *normal, attn_error *error);
attn_status attn_coder_encode(attn_encoder *encoder, const attn_run *run);
void attn_coder_free_scratch(void *scratch);

/* BPE over characters (sentencepiece.c): what attn_kind_bpe is for a spec that is not byte-level. */
extern const attn_kind attn_kind_sentencepiece;

/* True when in no token of VOCABULARY a '▁' stands behind anything but '▁'. */
bool attn_marks_begin_words(const attn_vocabulary *vocabulary);

#endif
