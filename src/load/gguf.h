/* gguf.h: GGUF's metadata by key, for the families' files. As in config_json.h, the reading functions remember the
 * first failure, and a key of the architecture that nobody read is refused where it may change numbers. */
#ifndef ATTN_LOAD_GGUF_H
#define ATTN_LOAD_GGUF_H

#include "base/given.h"
#include "model/model.h"

typedef struct attn_gguf {
    const attn_container *container; /* borrowed */
    const char *architecture;        /* in the arena */
    bool *used;                      /* owned; [n_meta] */
    const attn_strings *ignored;     /* borrowed; settings that are taken as if they were not there */
    attn_model *model;               /* borrowed; hears the warnings */
    attn_error *error;
    attn_status status;
} attn_gguf;

/* ARCHITECTURE.KEY as a number. FALLBACK NAN: it must be there. */
double attn_gguf_number(attn_gguf *gguf, const char *key, double fallback);
/* As a count 1…2^24, or 0 where that is the fallback; an array of one equal count a layer counts as one. FALLBACK
 * SIZE_MAX: it must be there. */
size_t attn_gguf_count(attn_gguf *gguf, const char *key, size_t fallback);
bool attn_gguf_bool(attn_gguf *gguf, const char *key, bool fallback);
/* A string; "" when it is not there. */
attn_bytes attn_gguf_text(attn_gguf *gguf, const char *key);
attn_status attn_gguf_fail(attn_gguf *gguf, const char *key, const char *message);
/* A failure where N_HEADS do not divide D_MODEL. */
void attn_gguf_check_heads(attn_gguf *gguf, size_t n_heads, size_t d_model);
/* Rows of the matrix NAME (a vector is one), or 0: there is none. */
size_t attn_gguf_rows(const attn_gguf *gguf, const char *name);
/* Rows of the token embeddings; 0 when there are none. */
size_t attn_gguf_vocab(const attn_gguf *gguf);
/* The key itself, noted as read; NULL: it is not there, or to be ignored. */
const attn_meta *attn_gguf_get(attn_gguf *gguf, const char *key);
/* Whether it is to be taken as if it were not there: under its whole name, or without the architecture before it. */
bool attn_gguf_ignores(const attn_gguf *gguf, const char *key);
/* gguf_unknown.c: what nobody read: refused where it may change numbers, else a warning at most. */
attn_status attn_gguf_finish(attn_gguf *gguf);

#endif
