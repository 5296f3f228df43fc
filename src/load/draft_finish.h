/* draft_finish.h: a draft that is becoming a layer, between draft.c and draft_heads.c. */
#ifndef ATTN_LOAD_DRAFT_FINISH_H
#define ATTN_LOAD_DRAFT_FINISH_H

#include "load/draft.h"

typedef struct attn_draft_finishing {
    const attn_draft_context *context; /* borrowed, as all here */
    const attn_layer_draft *draft;
    attn_layer *layer;
    size_t d_model;
    size_t cols[ATTN_N_ROLES]; /* 0: the matrix is missing */
} attn_draft_finishing;

extern const char *const attn_draft_names[ATTN_N_ROLES]; /* "W_Q", … */

/* ATTN_EDATA, the error just filled placed at MATRIX (NULL: at the layer). */
attn_status attn_draft_fail(const attn_draft_finishing *f, const attn_draft_matrix *matrix);
/* Refuse a matrix that is not [rows][columns]. */
attn_status attn_draft_check_matrix(const attn_draft_finishing *f, const attn_draft_matrix *m, size_t rows,
                                    size_t columns);
/* A vector of COUNT numbers; *OUT is left alone where it is not given. */
attn_status attn_draft_vector(const attn_draft_finishing *f, const attn_draft_matrix *m, size_t count,
                              const float **out);
/* The draft's `heads` as *FUSED, a draft with whole matrices in the arena. */
attn_status attn_draft_fuse_heads(attn_draft_finishing *f, attn_layer_draft *fused);

#endif
