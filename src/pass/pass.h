/* pass.h: the pieces of the forward pass, for the files of pass/ only. forward.c runs them. */
#ifndef ATTN_PASS_PASS_H
#define ATTN_PASS_PASS_H

#include "pass/forward.h"

/* As many kinds of rotation as a model's layers may mix without recomputing, queries and keys apart. */
enum { ATTN_ROPE_TABLES = 4 };

typedef struct attn_rope_cache { /* angles already computed for this text */
    bool used;
    attn_rope_settings settings;
    const float *positions; /* borrowed; what the table was made for */
    float *table;           /* owned; [n][dims] */
} attn_rope_cache;

/* Memory that every layer needs again, kept from layer to layer. */
typedef enum attn_room {
    ATTN_ROOM_NORMED,
    ATTN_ROOM_NORMED_CONTEXT,
    ATTN_ROOM_Q,
    ATTN_ROOM_K,
    ATTN_ROOM_V,
    ATTN_ROOM_HEADS,
    ATTN_ROOM_ATTENDED,
    ATTN_ROOM_FED,
    ATTN_ROOM_MIDDLE,
    ATTN_N_ROOMS
} attn_room;

typedef struct attn_pass_room {
    float *numbers; /* owned; [size] */
    size_t size;
} attn_pass_room;

typedef struct attn_pass {         /* one text on its way through the layers */
    const attn_model *model;       /* borrowed */
    attn_input *input;             /* borrowed */
    const attn_observer *observer; /* borrowed */
    attn_pool *pool;               /* borrowed, or NULL */
    size_t n;                      /* tokens */
    size_t n_keys;                 /* those of the context, or n */
    float *x;                      /* owned; [n][width]: the residual stream */
    size_t width;
    float *context;       /* owned; [n_keys][d_model], or NULL */
    float *positions;     /* owned; [n] */
    float *key_positions; /* owned; [n_keys], or NULL: positions */
    bool positions_plain; /* they are 0, 1, 2, … */
    attn_rope_cache ropes[ATTN_ROPE_TABLES];
    size_t next_rope; /* the slot to fill next */
    attn_pass_room rooms[ATTN_N_ROOMS];
    size_t layers_done, layers_to_run; /* for the progress */
    /* what of the place at hand is shown (parts.c) */
    unsigned parts; /* ATTN_PART_… */
    size_t layer;
    bool measured;
    double *sigma; /* owned; [max(n, n_keys)] or NULL: of the part that is shown next when MEASURED */
} attn_pass;

/* How far a layer is computed; each step holds those before it. */
typedef enum attn_depth {
    ATTN_DEPTH_NOTHING,
    ATTN_DEPTH_SCORES,   /* queries and keys, what scores and weights come from */
    ATTN_DEPTH_VALUES,   /* … and values */
    ATTN_DEPTH_ATTENDED, /* what attention's branch adds to the stream */
    ATTN_DEPTH_OUTPUT    /* pass->x becomes the stream after it */
} attn_depth;

/* What a layer has to do this time. */
typedef struct attn_layer_work {
    size_t layer;
    bool blocks; /* hand its scores or weights to the observer */
    attn_depth depth;
} attn_layer_work;

/* ROOM's N_ROWS × WIDTH numbers, not cleared; what it held before is gone. NULL: no memory, the error is filled. */
float *attn_pass_room_for(attn_pass *pass, attn_room room, size_t n_rows, size_t width, attn_error *error);
/* pass->positions and pass->x (and pass->context) from the ids. */
attn_status attn_pass_embed(attn_pass *pass, attn_error *error);
/* One layer, as far as WORK says. */
attn_status attn_pass_layer(attn_pass *pass, const attn_layer_work *work, attn_error *error);
/* Behind W_O: from the stream pass->x and the room ATTENDED to the stream after the layer. */
attn_status attn_pass_tail(attn_pass *pass, size_t layer, attn_error *error);
/* Frees what PASS owns. */
void attn_pass_free(attn_pass *pass);
/* Refuse edits of what is not there. */
attn_status attn_pass_check_edits(const attn_model *model, const attn_input *input, attn_error *error);
/* The input's edits of LAYER, in place on z[n][n_heads·value_dim]. */
void attn_pass_edit(const attn_pass *pass, size_t layer, float *z);
/* The observer's blocks of one layer. */
attn_status attn_pass_blocks(const attn_pass *pass, size_t layer, const attn_attention *attention, attn_error *error);
/* The final norm and the output head over the stream, in row blocks. */
attn_status attn_pass_logits(const attn_pass *pass, attn_error *error);
/* Rows of one head whose keys are all masked, times the heads they hold for. */
uint64_t attn_pass_masked_rows(const attn_mask *mask, size_t n_heads, size_t n_queries, size_t n_keys);

/* σ of NORM over X, when the part KIND is wanted and there is a norm: shown with the next part. */
attn_status attn_pass_measure(attn_pass *pass, attn_part_kind kind, const attn_norm *norm, attn_rows_in x,
                              attn_error *error);
/* Hand the part KIND to the observer when it wants it. */
attn_status attn_pass_show(attn_pass *pass, attn_part_kind kind, attn_rows_in rows, attn_error *error);
attn_status attn_pass_show_heads(attn_pass *pass, attn_part_kind kind, attn_heads rows, size_t n, size_t n_heads,
                                 size_t dim, attn_error *error);
/* X normed into ROOM, or X itself where there is no norm, to *OUT. */
attn_status attn_pass_norm(attn_pass *pass, const attn_norm *norm, attn_room room, attn_rows_in x, attn_rows_in *out,
                           attn_error *error);

typedef struct attn_rotating { /* rows to turn in place */
    float *x;                  /* borrowed; [n][n_heads·dim] */
    const float *positions;    /* borrowed; [n] */
    size_t n, n_heads, dim;
} attn_rotating;

/* Rotary positions, by a table shared between the layers that have the same settings. */
attn_status attn_pass_rotate(attn_pass *pass, const attn_rope_settings *settings, attn_rotating rows,
                             attn_error *error);
void attn_pass_free_ropes(attn_pass *pass);

/* y[n][out] = x·W + b; LINEAR's matrix is there. */
attn_status attn_linear_run(const attn_linear *linear, attn_rows_in x, float *y, size_t y_stride, attn_pool *pool,
                            attn_error *error);
/* down(activation(gate(x)) · up(x)), or down(activation(up(x))): [n][out] to Y. */
attn_status attn_feed_forward_run(attn_pass *pass, const attn_feed_forward *ffn, attn_rows_in x, float *y,
                                  attn_error *error);
/* In place, over COUNT numbers; the formulas stand in activation.c. */
void attn_activation_run(attn_activation activation, float *x, size_t count);
/* a[count] += b[count], split over the pool. */
void attn_rows_add(float *a, const float *b, size_t count, attn_pool *pool);

#endif
