/* load.h: from what the command line (or a caller of the library) names to a whole, checked model. */
#ifndef ATTN_LOAD_LOAD_H
#define ATTN_LOAD_LOAD_H

#include "base/given.h"
#include "model/model.h"

typedef struct attn_overrides { /* what options say against the model's own; {0}: nothing. Strings borrowed */
    bool has_score;
    attn_score score;
    attn_given_number scale, temperature, softcap;
    const char *positions; /* "none", "rope", "alibi", "sinusoidal", or a file */
    size_t n_heads, n_kv_heads;
    attn_strings masks; /* rules and files that together replace every layer's mask */
} attn_overrides;

typedef struct attn_model_request { /* {0}: nothing, which is no model. Strings borrowed */
    const char *model;              /* -m; NULL */
    const char *vocab;              /* -v; NULL */
    const char *embeddings;         /* -e FILE[:TENSOR]; NULL */
    const char *weights;            /* -w; NULL */
    const attn_kind *tokenizer;     /* -t */
    attn_strings ignored_settings;  /* of config.json or GGUF, taken as if they were not there */
    attn_overrides overrides;
    attn_progress *progress;
    void *progress_context;
} attn_model_request;

/* Loads and checks everything: sizes, roles, options against the model. On failure *MODEL is {0}. */
attn_status attn_model_open(const attn_model_request *request, attn_model *model, attn_error *error);

#endif
