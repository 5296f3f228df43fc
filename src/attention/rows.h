/* rows.h: exact rows behind attn_attention_rows. Only attention/ includes it. */
#ifndef ATTN_ATTENTION_ROWS_H
#define ATTN_ATTENTION_ROWS_H

#include "attention/attention.h"

typedef struct attn_rows_wanted { /* as the arguments of attn_attention_rows */
    attn_rows_kind kind;
    size_t head, n_heads, query, n_queries;
    float *rows;      /* borrowed; [n_heads][n_queries][n_keys] */
    uint8_t *visible; /* borrowed; the same shape, or NULL */
} attn_rows_wanted;

/* Few keys, and so wide that panels of them would be mostly padding: every pair is computed by itself, in double, and
 * all rows of the output from exact weights. */
bool attn_rows_are_wide(const attn_attention *attention);

attn_status attn_exact_rows(const attn_attention *attention, const attn_rows_wanted *wanted, attn_error *error);

#endif
