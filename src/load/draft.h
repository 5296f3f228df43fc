/* draft.h: a layer as a file gives it: matrices by role, counts where they are said; and how it becomes an attn_layer
 * once the width of the stream is known. Used by toy.c and weights.c.
 *
 * What is missing follows from the shapes:
 *   head_dim     d_model / n_heads where the file says both; else columns of W_Q / n_heads
 *   n_heads      columns of W_Q / head_dim, else 1; the file is asked where W_Q and W_K differ in width
 *   n_kv_heads   columns of W_K / head_dim, else n_heads
 *   value_dim    columns of W_V / n_kv_heads
 *   W_Q W_K W_V  the identity, where a head is as wide as the stream or the heads together are. A layer with W_O and
 *                some but not all of the three is refused: one was forgotten.
 *   W_O          none: the heads' outputs side by side */
#ifndef ATTN_LOAD_DRAFT_H
#define ATTN_LOAD_DRAFT_H

#include "load/roles.h"
#include "model/model.h"

typedef struct attn_place { /* in a JSON file; line 0: unknown */
    uint64_t line, column;
} attn_place;

typedef struct attn_draft_matrix {
    attn_tensor tensor; /* [in][out], or [n]; borrowed (arena or container); data NULL: not given */
    const char *name;   /* as the file calls it; borrowed */
    attn_place place;
} attn_draft_matrix;

typedef struct attn_draft_head { /* an element of `heads` */
    attn_draft_matrix w[ATTN_ROLE_O], b[ATTN_ROLE_O];
    attn_place place;
} attn_draft_head;

typedef struct attn_layer_draft {
    size_t index;
    attn_place place;
    size_t d_model, n_heads, n_kv_heads, head_dim; /* 0: not said */
    attn_draft_matrix w[ATTN_N_ROLES], b[ATTN_N_ROLES];
    attn_draft_matrix v_A, head_mix, slopes, sinks;
    attn_draft_head *heads; /* in the arena; [n_listed]; NULL: no `heads` */
    size_t n_listed;
    attn_score score;
    float scale, temperature, softcap;
    attn_mask mask;
    bool mask_given, residual;
    bool positions_given;
    attn_position_rule positions; /* SINUSOIDAL and LEARNED: of the first layer, added to the embeddings */
    attn_draft_matrix position_table;
    double rope_theta, partial_rotary_factor;
    size_t rotary_dim;
    attn_rope_layout rope_layout;
    bool qk_norm, qk_norm_full;
} attn_layer_draft;

attn_layer_draft attn_layer_draft_default(size_t index);

typedef struct attn_draft_context {
    const char *file;           /* borrowed; for messages */
    attn_arena *arena;          /* borrowed; the layer's own numbers go there */
    size_t n_layers;            /* messages name the layer when there are several */
    size_t n_heads, n_kv_heads; /* options; 0: none */
    attn_error *error;
} attn_draft_context;

/* DRAFT over a stream of D_MODEL numbers. */
attn_status attn_draft_finish(const attn_draft_context *context, const attn_layer_draft *draft, size_t d_model,
                              attn_layer *layer);
/* Rotary positions for LAYER by its own settings (dims, theta, layout), which must fit its heads: else ATTN_EDATA. */
attn_status attn_layer_rope(attn_layer *layer, attn_error *error);
/* ALiBi for LAYER, with the published slopes where it has none of its own. */
attn_status attn_layer_alibi(attn_layer *layer, attn_arena *arena, attn_error *error);
/* Put file, line, column and the layer to the error just filled; its status. */
attn_status attn_draft_at(const attn_draft_context *context, const attn_layer_draft *draft, attn_place place);

#endif
