/* observer.h: how a report watches the pass. report/ implements it; pass/ never includes report/. */
#ifndef ATTN_PASS_OBSERVER_H
#define ATTN_PASS_OBSERVER_H

#include "attention/attention.h"

/* What it wants, or-ed. */
enum {
    ATTN_WANT_SCORES = 1,  /* blocks of scores s */
    ATTN_WANT_WEIGHTS = 2, /* blocks of weights; with SCORES: both kinds of block come, scores first */
    ATTN_WANT_BEFORE = 4,  /* the residual stream before a layer */
    ATTN_WANT_AFTER = 8,   /* … after a layer */
    ATTN_WANT_LOGITS = 16  /* the output head's logits, row blocks */
};

typedef enum attn_order {
    ATTN_BY_HEAD, /* layer, head, query block */
    ATTN_BY_QUERY /* layer, query block with all its heads */
} attn_order;

typedef struct attn_block { /* valid during the call */
    attn_rows_kind kind;    /* ATTN_ROWS_SCORES or ATTN_ROWS_WEIGHTS */
    size_t layer;
    size_t head, n_heads;    /* heads head…head+n_heads−1, all selected */
    size_t query, n_queries; /* queries query…query+n_queries−1 */
    size_t n_keys;
    const float *values;    /* [n_heads][n_queries][n_keys] */
    const uint8_t *visible; /* [n_heads][n_queries][n_keys]; 0: masked */
} attn_block;

typedef struct attn_hidden { /* valid during the call */
    size_t layer;
    bool after;
    size_t n_tokens, width;
    const float *values; /* [n_tokens][width] */
} attn_hidden;

typedef struct attn_logits { /* valid during the call; row blocks in order */
    size_t position, n_positions, n_vocab;
    const float *values; /* [n_positions][n_vocab] */
} attn_logits;

typedef struct attn_observer {
    void *context;
    unsigned wants;
    attn_order order;
    /* Selections; NULL selects all. Blocks come only for selected heads and for query blocks that
     * hold a selected query. */
    const uint8_t *layers;  /* [n_layers] */
    const uint8_t *heads;   /* [n_layers][max_heads] */
    size_t max_heads;       /* the row length of heads */
    const uint8_t *queries; /* [n_tokens] of this text */
    attn_status (*block)(void *context, const attn_block *block, attn_error *error);
    attn_status (*hidden)(void *context, const attn_hidden *hidden, attn_error *error);
    attn_status (*logits)(void *context, const attn_logits *logits, attn_error *error);
} attn_observer;

#endif
