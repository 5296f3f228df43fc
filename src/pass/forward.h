/* forward.h: the one forward pass. */
#ifndef ATTN_PASS_FORWARD_H
#define ATTN_PASS_FORWARD_H

#include "model/model.h"
#include "pass/observer.h"

typedef struct attn_input { /* one text */
    const uint32_t *ids;    /* borrowed; [n] */
    size_t n;
    /* borrowed; [n], 1: padding, hidden as a key; NULL: none. Positions count from the first that is not padding */
    const uint8_t *hidden_keys;
    /* cross-attention: keys and values come from this text; NULL: from the text itself */
    const uint32_t *context_ids; /* borrowed; [n_context] */
    size_t n_context;
    const uint8_t *context_hidden; /* borrowed; [n_context]; as hidden_keys */
    attn_progress *progress;       /* of the pass; NULL */
    void *progress_context;
    uint64_t n_masked_rows; /* out: rows with every key masked, over the layers and heads run */
} attn_input;

/* Runs the layers up to the last one OBSERVER wants, calling it on this thread in its order;
 * workers run a bounded number of blocks ahead. Stops with the observer's own status when that is
 * not ATTN_OK. */
attn_status attn_forward(const attn_model *model, attn_input *input, const attn_observer *observer, attn_pool *pool,
                         attn_error *error);

#endif
