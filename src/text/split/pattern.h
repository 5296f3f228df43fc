/* pattern.h: a tokenizer's own regular expressions, by PCRE2. Patterns are written for other engines (Oniguruma in
 * tokenizer.json, Rust's in tiktoken); pattern_translate.c closes the differences or refuses the construct by name. A
 * pattern is read-only once open. Only files of text/ include it. */
#ifndef ATTN_TEXT_SPLIT_PATTERN_H
#define ATTN_TEXT_SPLIT_PATTERN_H

#include "base/buffer.h"
#include "base/error.h"

typedef struct attn_pattern attn_pattern;

/* Compiles SOURCE. ATTN_EUNSUPPORTED names a construct that is not understood, ATTN_EDATA a wrong pattern. */
attn_status attn_pattern_open(attn_bytes source, attn_pattern **pattern, attn_error *error);
void attn_pattern_close(attn_pattern *pattern);

/* One walk over a text, or over parts of it one by one. Ill-formed bytes match nothing and stand between matches like
 * the text's ends.
 *
 * Time is linear in the text whatever the pattern: a match is tried in a window first, with few steps. One that looks
 * further (a look-ahead to the end of the text) or tries more (nested repeats) is counted step by step, and the walk
 * fails when all of these together come to more than attn_pattern_limit. (A step may pass over the characters of a
 * repeat with a fixed count unseen: 65,535 at most.) */
typedef struct attn_pattern_search {
    const attn_pattern *pattern;    /* borrowed */
    attn_bytes text;                /* borrowed */
    bool empty;                     /* matches of nothing are given, too, but right behind another */
    size_t at;                      /* where the next match may begin */
    size_t last_end;                /* of the last match; SIZE_MAX: none yet */
    size_t from, to;                /* the well-formed stretch around it */
    uint64_t steps, limit;          /* counted so far, and how many may be */
    void *match;                    /* owned; PCRE2's */
    struct attn_pattern_slow *slow; /* owned; or NULL until a match is counted */
    int fault;                      /* PCRE2's code, 0: none */
} attn_pattern_search;

/* TEXT: all that the walk will see, if in parts. */
attn_status attn_pattern_begin(const attn_pattern *pattern, attn_bytes text, attn_pattern_search *search,
                               attn_error *error);
/* Go on with another part. */
void attn_pattern_restart(attn_pattern_search *search, attn_bytes part);
/* The next match, or the next that is not empty; false: none, or a failure. */
bool attn_pattern_next(attn_pattern_search *search, size_t *start, size_t *end);
/* ATTN_OK unless matching failed: the pattern, which the message names, takes too much time or memory on this text;
 * search->at is where. */
attn_status attn_pattern_status(const attn_pattern_search *search, attn_error *error);
void attn_pattern_end(attn_pattern_search *search);

/* The steps that a walk over TEXT may take beyond its windows: some ten million, and a thousand a byte. */
uint64_t attn_pattern_limit(attn_bytes text);

/* Appends the same pattern as PCRE2 understands it (pattern_translate.c). */
attn_status attn_pattern_translate(attn_bytes source, attn_buffer *out, attn_error *error);

#endif
