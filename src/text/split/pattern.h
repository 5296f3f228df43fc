/* pattern.h: a tokenizer's own regular expressions, by PCRE2. Patterns are written for other
 * engines (Oniguruma in tokenizer.json, Rust's in tiktoken); pattern_translate.c closes the
 * differences or refuses the construct by name. A pattern is read-only once open. Only files of
 * text/ include it. */
#ifndef ATTN_TEXT_SPLIT_PATTERN_H
#define ATTN_TEXT_SPLIT_PATTERN_H

#include "base/buffer.h"
#include "base/error.h"

typedef struct attn_pattern attn_pattern;

/* Compiles SOURCE. ATTN_EUNSUPPORTED names a construct that is not understood, ATTN_EDATA a wrong
 * pattern. */
attn_status attn_pattern_open(attn_bytes source, attn_pattern **pattern, attn_error *error);
void attn_pattern_close(attn_pattern *pattern);

/* One walk over a text. Ill-formed bytes match nothing and stand between matches like the text's
 * ends. */
typedef struct attn_pattern_search {
    const attn_pattern *pattern; /* borrowed */
    attn_bytes text;             /* borrowed */
    size_t at;                   /* where the next match may begin */
    size_t from, to;             /* the well-formed stretch around it */
    void *match;                 /* owned */
    void *stack;                 /* owned; or NULL until a match needs it */
    int fault;                   /* PCRE2's code, 0: none */
} attn_pattern_search;

attn_status attn_pattern_begin(const attn_pattern *pattern, attn_bytes text, attn_pattern_search *search,
                               attn_error *error);
/* Go on with another text. */
void attn_pattern_restart(attn_pattern_search *search, attn_bytes text);
/* The next match that is not empty; false: none, or a failure. */
bool attn_pattern_next(attn_pattern_search *search, size_t *start, size_t *end);
/* ATTN_OK unless matching failed (the pattern takes too much time or memory on this text). */
attn_status attn_pattern_status(const attn_pattern_search *search, attn_error *error);
void attn_pattern_end(attn_pattern_search *search);

/* Appends the same pattern as PCRE2 understands it (pattern_translate.c). */
attn_status attn_pattern_translate(attn_bytes source, attn_buffer *out, attn_error *error);

#endif
