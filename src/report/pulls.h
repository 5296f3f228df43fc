/* pulls.h: who pulls whom in one layer: from the weights of a block of queries and the layer's values to each key's
 * part of each query's move. Private to report/; the report `pull` runs the pass and prints.
 *
 *   f_h(x_j) = v_j W_O^h      through the norm after the branch where there is one, its σ frozen at the query's
 *   p_ij     = Σ_h a^h_ij f_h(x_j)                       with a residual
 *            = Σ_h a^h_ij f_h(x_j) − ā_ij x_i            without: the new vector takes the old one's place
 *   y_i      = x_i + Σ_j p_ij
 *
 * over the selected heads; ā_ij their mean weight, in head_mix's proportions. W_O's bias, which comes whoever is
 * looked at, is left out of y. Sums are taken in double; work is n²·H·d. */
#ifndef ATTN_REPORT_PULLS_H
#define ATTN_REPORT_PULLS_H

#include "base/memory.h"
#include "pass/forward.h"

typedef struct attn_pulls {
    const attn_layer *layer; /* borrowed, as pool */
    attn_pool *pool;
    attn_head_outputs outputs;
    size_t n, n_keys, width; /* of the text, of the context or the text, of the stream */
    size_t *heads;           /* owned; [n_heads]: the selected ones */
    double *proportions;     /* owned; [n_heads]: of each weight in ā */
    size_t n_heads;
    const float *x;    /* borrowed; [n][width] */
    const float *keys; /* borrowed; [n_keys][width]: x, or the context's vectors */
    float *context;    /* owned; the latter */
    float *values;     /* owned; [n_kv_heads][n_keys][value_dim] */
    float *y;          /* owned; [n][width] */
    double *sigma;     /* owned; [n], or NULL: no norm after the branch */
    /* f of a run of keys, all of them when there is room */
    float *f; /* owned; [n_heads][run][width] */
    size_t run, first_key, n_run;
    /* the block of queries at hand */
    size_t query, n_queries, heads_done, room;   /* room: queries there is memory for */
    float *weights;                              /* owned; [n_heads][room][n_keys] */
    uint8_t *visible;                            /* owned; [room][n_keys]: some head sees the pair */
    double *moves;                               /* owned; [room][width]: Σ_j p_ij */
    double *squares;                             /* owned; [room]: their lengths squared */
    double *scratch;                             /* owned; [workers][scratch_width] */
    size_t scratch_width;                        /* of the stream, or of a value */
    float *rows;                                 /* owned; [2·room][value_dim + width] */
    float *mean, *pull, *share, *before, *after; /* owned; [room][n_keys] each; share NAN: nothing moved */
} attn_pulls;

/* HEADS[n_heads of the layer], 1: selected. X is the stream that enters the layer, [n][width]; the layer is as wide
 * behind as before. Only ATTN_ENOMEM fails, here and below. Close what was opened, {0} too. */
attn_status attn_pulls_open(attn_pulls *pulls, const attn_model *model, size_t layer, const uint8_t *heads,
                            const float *x, size_t n, size_t n_keys, attn_pool *pool, attn_error *error);
void attn_pulls_close(attn_pulls *pulls);

enum { ATTN_PULL_PARTS = ATTN_PART_CONTEXT | ATTN_PART_VALUE | ATTN_PART_HEADS | ATTN_PART_ATTENDED };
/* The parts above, as the pass shows them. */
attn_status attn_pulls_part(attn_pulls *pulls, const attn_part *part, attn_error *error);
/* A block of weights, in the order ATTN_BY_QUERY. *DONE: it was the last of its queries, whose rows query…
 * query+n_queries−1 are ready. */
attn_status attn_pulls_block(attn_pulls *pulls, const attn_block *block, bool *done, attn_error *error);
/* What the weight of HEAD, a selected one, counts in ā. */
double attn_pulls_proportion(const attn_pulls *pulls, size_t head);

/* Rows of attention's branch, without W_O's bias, through the norm after the branch, in place: σ[n] is frozen. */
void attn_branch_norm(const attn_layer *layer, float *rows, size_t n, size_t width, const double *sigma);

#endif
