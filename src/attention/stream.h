/* stream.h: the streaming driver behind attn_attention_run. Only attention/ includes it. */
#ifndef ATTN_ATTENTION_STREAM_H
#define ATTN_ATTENTION_STREAM_H

#include "attention/attention.h"

/* Rows of the result that the stream can not answer for. */
typedef struct attn_doubts {
    uint8_t *rows; /* borrowed; [n_heads][n_queries]: 1 */
    size_t n_heads;
} attn_doubts;

/* As attn_attention_run; the rule and the mask have been checked. DOUBTS, cleared by the caller, is filled; what OUT
 * holds in such a row is of no use. */
attn_status attn_stream(const attn_attention *attention, float *out, size_t out_stride, attn_pool *pool,
                        const attn_doubts *doubts, attn_error *error);

#endif
