/* capture.h: an observer that keeps all it is shown, and the comparison with a folder of outside values. */
#ifndef ATTN_TESTING_CAPTURE_H
#define ATTN_TESTING_CAPTURE_H

#include "load/load.h"
#include "pass/forward.h"

typedef struct capture {
    size_t n_layers, n_heads, n, n_keys, n_vocab; /* n_heads: the most of any layer */
    float *weights;                               /* owned; [n_layers][n_heads][n][n_keys] */
    float *scores;                                /* owned; the same; masked −INFINITY */
    float **hidden;  /* owned; [n_layers + 1]: the input, then after each layer: [n][width] */
    size_t *widths;  /* owned; [n_layers + 1] */
    float *logits;   /* owned; [n][n_vocab] */
    size_t n_blocks; /* seen */
} capture;

/* One pass over INPUT with everything wanted of ATTN_WANT_…, up to the first layer that is cut short (its scores and
 * weights only); aborts the test when it fails. */
void capture_run(capture *c, const attn_model *model, attn_input *input, unsigned wants, attn_order order,
                 attn_pool *pool);
void capture_free(capture *c);

/* On weights and hidden states, relative to their size: what is asked of every published model. */
#define CAPTURE_TOLERANCE 2e-5

/* MODEL over the ids of the folder VALUES (ids.npy; mask.npy: 0 is padding) against what it has of attn.npy
 * [layer][head][query][key], hidden.npy [layer + 1][token][d_model] and logits.npy, which must agree within
 * CAPTURE_TOLERANCE and in their arg-max. */
void capture_check(const attn_model *model, const char *values);

#endif
