/* roles.h: the names that query, key, value and output weights go by, and how each is laid out. */
#ifndef ATTN_LOAD_ROLES_H
#define ATTN_LOAD_ROLES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum attn_layout {
    ATTN_IN_OUT, /* [in][out]: y = x·W (ours; GPT-2's Conv1D) */
    ATTN_OUT_IN  /* [out][in]: torch's Linear */
} attn_layout;

typedef enum attn_weight_role {
    ATTN_ROLE_Q,
    ATTN_ROLE_K,
    ATTN_ROLE_V,
    ATTN_ROLE_O,
    ATTN_N_ROLES,                   /* of matrices that a layer has one of; ATTN_ROLE_O: how many a head has */
    ATTN_ROLE_FUSED = ATTN_N_ROLES, /* queries, keys and values side by side */
    ATTN_ROLE_ADDITIVE,
    ATTN_ROLE_SINKS,
    ATTN_ROLE_MIX,
    ATTN_ROLE_SLOPES
} attn_weight_role;
const char *attn_role_text(attn_weight_role role); /* "query", … for -p model */

typedef struct attn_role_name {
    const char *name;   /* what a tensor's name ends with, at a dot or at its beginning */
    const char *within; /* and what must stand before that, or NULL ("attn" of GPT-2's c_proj) */
    attn_weight_role role;
    bool bias;
    attn_layout layout;
} attn_role_name;

/* The role of the tensor NAME, NULL: none. *LAYER is the number in the name ("layers.3.wq"), 0 without. */
const attn_role_name *attn_role_of(const char *name, size_t *layer);
/* The INDEXth name, for suggestions; NULL past the end. */
const char *attn_role_name_at(size_t index);

/* What the token embeddings are called in published files; NULL past the end. */
const char *attn_embedding_name_at(size_t index);

#endif
