/* observer.h: how a report watches the pass. report/ implements it; pass/ never includes report/.
 *
 * A layer is shown in the order of computing:
 *
 *   BEFORE ─▶ NORMED ─▶ QUERY, KEY ─▶ VALUE ─▶ HEADS ─▶ ATTENDED ─▶ blocks ─▶ MIDDLE, FED ─▶ AFTER
 *
 * (parallel branches: FED before MIDDLE). Blocks come when what the layer attends to is known, so that a report that
 * works query by query has all it needs beside them. What is wanted decides how far the last layer is computed, and
 * never a number of what is computed. */
#ifndef ATTN_PASS_OBSERVER_H
#define ATTN_PASS_OBSERVER_H

#include "attention/attention.h"

/* What it wants, or-ed. Of several kinds of block each comes once for the same heads and queries, in the order of
 * attn_rows_kind. */
enum {
    ATTN_WANT_SCORES = 1,  /* blocks of scores s */
    ATTN_WANT_WEIGHTS = 2, /* blocks of weights */
    ATTN_WANT_BEFORE = 4,  /* the residual stream before a layer */
    ATTN_WANT_AFTER = 8,   /* … after a layer */
    ATTN_WANT_LOGITS = 16, /* the output head's logits, row blocks */
    ATTN_WANT_DOT = 32,    /* blocks of f */
    ATTN_WANT_PRODUCT = 64,
    ATTN_WANT_CAPPED = 128
};

typedef enum attn_order {
    ATTN_BY_HEAD, /* layer, head, query block */
    ATTN_BY_QUERY /* layer, query block with all its heads */
} attn_order;

typedef struct attn_block { /* valid during the call */
    attn_rows_kind kind;
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

/* Parts of the pass, each shown once a selected layer (or once a pass); a bit each. Rows are the text's tokens, but
 * those of CONTEXT, NORMED_CONTEXT, KEY and VALUE are the context's where there is one. */
typedef enum attn_part_kind {
    ATTN_PART_POSITIONS = 1 << 0,      /* what learned or sinusoidal positions add to the embeddings (before the norm
                                          that BERT puts on the sum); not shown where they add nothing */
    ATTN_PART_EMBEDDED = 1 << 1,       /* the stream that enters layer 0; neither is shown when the pass begins at a
                                          stream that was given */
    ATTN_PART_CONTEXT = 1 << 2,        /* the context's vectors, which every layer reads */
    ATTN_PART_NORMED = 1 << 3,         /* what attention's branch reads; σ of the norm before it */
    ATTN_PART_NORMED_CONTEXT = 1 << 4, /* the same of the context */
    ATTN_PART_QUERY_BEFORE = 1 << 5,   /* after bias and QK-norm, before rotary positions; with or without those */
    ATTN_PART_KEY_BEFORE = 1 << 6,
    ATTN_PART_QUERY = 1 << 7, /* as they meet */
    ATTN_PART_KEY = 1 << 8,
    ATTN_PART_VALUE = 1 << 9,     /* by key/value head, before W_O */
    ATTN_PART_HEADS = 1 << 10,    /* z: each head's sum of values, after the edits, before W_O */
    ATTN_PART_ATTENDED = 1 << 11, /* the heads through W_O (or mixed, or side by side) and its bias; σ of the norm
                                     after the branch, which is not yet run */
    ATTN_PART_MIDDLE = 1 << 12,   /* the stream with attention's branch; σ of the norm behind the residual, which is
                                     run already */
    ATTN_PART_FED = 1 << 13,      /* what the feed-forward adds, after the norm after that branch */
    ATTN_PART_FINAL = 1 << 14     /* the stream after the last layer; σ of the final norm, which is not yet run */
} attn_part_kind;

typedef struct attn_part { /* valid during the call */
    attn_part_kind kind;
    size_t layer; /* 0 before the layers, n_layers behind them */
    size_t n_rows;
    size_t n_heads;    /* of QUERY…HEADS; else 1 */
    size_t width;      /* of a row of one head */
    attn_heads values; /* number k of row i of head h: data[i·row_stride + h·head_stride + k] */
    const double *sigma; /* [n_rows]: what the norm divides by, √(variance + ε) or √(mean square + ε); NULL: there is no
                            such norm */
} attn_part;

typedef struct attn_observer {
    void *context;
    unsigned wants; /* ATTN_WANT_… */
    unsigned parts; /* ATTN_PART_… */
    attn_order order;
    /* Selections; NULL selects all. Blocks come only for selected heads and for query blocks that hold a selected
     * query. Parts have all heads and rows. */
    const uint8_t *layers;  /* [n_layers] */
    const uint8_t *heads;   /* [n_layers][max_heads] */
    size_t max_heads;       /* the row length of heads */
    const uint8_t *queries; /* [n_tokens] of this text */
    attn_status (*block)(void *context, const attn_block *block, attn_error *error);
    attn_status (*hidden)(void *context, const attn_hidden *hidden, attn_error *error);
    attn_status (*logits)(void *context, const attn_logits *logits, attn_error *error);
    attn_status (*part)(void *context, const attn_part *part, attn_error *error);
} attn_observer;

#endif
