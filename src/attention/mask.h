/* mask.h: which keys a query may see. Rules compose: a pair is visible when every rule allows it.
 *
 * With `past` keys before the first query, query i stands at key position p = i + past:
 *   causal    j <= p          (top-left aligned when past is 0)
 *   window:W  p − W < j <= p  (W >= 1; the token itself counts; Mistral)
 *   band:W    |p − j| < W
 *   prefix:N  j <= p or j < N (PrefixLM, T5/UniLM)
 *   padding   hidden keys
 *   matrices  booleans keep or hide; numbers are added to the score (−INFINITY hides) */
#ifndef ATTN_ATTENTION_MASK_H
#define ATTN_ATTENTION_MASK_H

#include "base/bytes.h"
#include "base/error.h"

typedef struct attn_mask_matrix {
    const float *values; /* borrowed; [n_heads or 1][n_queries][n_keys]: added to s; −INFINITY hides */
    size_t n_heads;      /* 1: the same for every head */
    size_t n_queries, n_keys;
} attn_mask_matrix;

enum { ATTN_MAX_MASK_MATRICES = 8 };

typedef struct attn_mask {
    bool causal;
    size_t window; /* 0: none */
    size_t band;   /* 0: none */
    size_t prefix; /* with has_prefix */
    bool has_prefix;
    ptrdiff_t past;             /* keys before the first query; negative: the first queries stand before all keys */
    const uint8_t *hidden_keys; /* borrowed; [n_keys], 1 hides; NULL: none */
    size_t n_matrices;
    attn_mask_matrix matrices[ATTN_MAX_MASK_MATRICES];
} attn_mask;

/* Add a rule written as on the command line ("causal", "none", "window:3", "band:2", "prefix:4") to MASK.
 * false: it is none of these (a file's name, or wrong: *WRONG tells, with a message in ERROR). */
bool attn_mask_add_rule(attn_mask *mask, const char *text, bool *wrong, attn_error *error);
/* The names for --help and "did you mean", NULL-terminated. */
extern const char *const attn_mask_rule_names[];

/* Refuse matrices whose sizes do not fit and too many of them. */
attn_status attn_mask_check(const attn_mask *mask, size_t n_heads, size_t n_queries, size_t n_keys, attn_error *error);

/* For queries query…query+n_queries−1: keys outside [*low, *high) are hidden from all of them; keys in
 * [*clear_low, *clear_high) are visible to all of them with nothing to add. MASK may be NULL. */
typedef struct attn_mask_span {
    size_t low, high, clear_low, clear_high;
} attn_mask_span;
attn_mask_span attn_mask_bounds(const attn_mask *mask, size_t query, size_t n_queries, size_t n_keys);

/* What is added to the scores of one query and head for keys key…key+n_keys−1 to ADD[n_keys]: 0, the matrices'
 * numbers, or −INFINITY where hidden and nowhere else: a sum beyond float32's range is its largest number. */
void attn_mask_row(const attn_mask *mask, size_t head, size_t query, size_t key, size_t n_keys, float *add);
/* The same of one pair that is not hidden, unrounded. */
double attn_mask_sum(const attn_mask *mask, size_t head, size_t query, size_t key);

#endif
