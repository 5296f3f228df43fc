/* forward.h: the one forward pass, and what a report may ask of a layer beside it. */
#ifndef ATTN_PASS_FORWARD_H
#define ATTN_PASS_FORWARD_H

#include "model/model.h"
#include "model/norm.h"
#include "pass/observer.h"

/* What is put in the place of a head's output z, between its sum of values and W_O. */
typedef enum attn_edit_kind {
    ATTN_EDIT_ZERO,
    ATTN_EDIT_MEAN, /* the mean of the head's rows over the text, padding left out */
    ATTN_EDIT_ROWS
} attn_edit_kind;

#define ATTN_EVERY_POSITION SIZE_MAX

typedef struct attn_edit {
    attn_edit_kind kind;
    size_t layer, head;
    size_t position;   /* or ATTN_EVERY_POSITION */
    const float *rows; /* borrowed; ROWS: [1 or n][value_dim], one row for a position */
} attn_edit;

typedef struct attn_input { /* one text */
    const uint32_t *ids;    /* borrowed; [n] */
    size_t n;
    /* Vectors of ids that follow the model's own: id n_vocab + i is row i. */
    const float *made; /* borrowed; [n_made][d_model] */
    size_t n_made;
    const uint8_t *hidden_keys; /* borrowed; [n], 1: padding, hidden as a key; NULL: none. Positions count from the
                                   first that is not padding */
    /* cross-attention: keys and values come from this text; NULL: from the text itself */
    const uint32_t *context_ids; /* [n_context] */
    size_t n_context;
    const float *context_made; /* borrowed; [n_context_made][d_model], for the context's ids */
    size_t n_context_made;
    const uint8_t *context_hidden;
    /* Begin before layer `start` with this stream instead of the ids' vectors; start == n_layers leaves the logits.
     * Layers before it are not shown. */
    const float *stream; /* borrowed; [n][width before the layer]; NULL: from the ids, start is 0 */
    size_t start;
    /* Carried out one after the other, so that of two for the same rows the last one counts. MEAN sees what those
     * before it left. */
    const attn_edit *edits; /* borrowed; [n_edits] */
    size_t n_edits;
    attn_progress *progress; /* of the pass; NULL */
    void *progress_context;
    uint64_t n_masked_rows; /* out: rows with every key masked, over the layers and heads run */
} attn_input;

/* Runs the layers up to the last one OBSERVER wants, calling it on this thread in its order; workers run a bounded
 * number of blocks ahead. Stops with the observer's own status when that is not ATTN_OK. */
attn_status attn_forward(const attn_model *model, attn_input *input, const attn_observer *observer, attn_pool *pool,
                         attn_error *error);

/* W_O of one layer, head by head: what a value adds to the stream through each. */
typedef struct attn_head_outputs {
    const attn_layer *layer; /* borrowed */
    size_t width;            /* of the output */
    attn_tensor w;           /* [n_heads·value_dim][width]; data NULL: none, heads are mixed or lie side by side */
    float *numbers;          /* owned, or NULL: a view of the model's */
} attn_head_outputs;

/* Turns W_O to float32 once, since a head's rows of a block type need not be whole blocks. Only ATTN_ENOMEM fails. */
attn_status attn_head_outputs_open(const attn_model *model, size_t layer, attn_head_outputs *outputs,
                                   attn_error *error);
/* f = v·W_O^h for rows v[n][value_dim], without W_O's bias: to OUT[n][width], OUT_STRIDE floats from row to row.
 * HEAD is a query head, whichever key/value head its values come from. With head_mix f = mix_h·v; without W_O the
 * values stand in the head's own columns, zeros beside them. A row depends on its own v alone. */
attn_status attn_head_output(const attn_head_outputs *outputs, size_t head, attn_rows_in v, float *out,
                             size_t out_stride, attn_pool *pool, attn_error *error);
void attn_head_outputs_close(attn_head_outputs *outputs); /* {0} is fine */

/* Everything of LAYER behind W_O, row by row: norms, residuals, feed-forward. X[n][width before the layer] is the
 * stream that entered it, ATTENDED[n][width] what attention's branch gave (ATTN_PART_ATTENDED); the stream after the
 * layer goes to OUT[n][width]. Given the pass's own rows, any of them, it gives the pass's bytes. ATTN_EUNSUPPORTED
 * for a layer that is cut short. */
attn_status attn_layer_tail(const attn_model *model, size_t layer, const float *x, const float *attended, size_t n,
                            float *out, attn_pool *pool, attn_error *error);

/* The output head's row of ID (a column of W in y = x·W): the logit before the soft-cap is ROW·h + *BIAS, h what the
 * head reads (behind the final norm, and behind BERT's transform where there is one). ROW[as wide as h]; the model's
 * logit_scale is inside both. MODEL has a head, ID is below its width. */
void attn_head_row(const attn_model *model, uint32_t id, float *row, float *bias);

#endif
