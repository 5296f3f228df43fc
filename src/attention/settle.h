/* settle.h: the rows that the stream left in doubt. Only attention/ includes it. */
#ifndef ATTN_ATTENTION_SETTLE_H
#define ATTN_ATTENTION_SETTLE_H

#include "attention/stream.h"

/* The rows of OUT that DOUBTS marks, from their exact weights (attn_attention_rows). */
attn_status attn_settle(const attn_attention *attention, const attn_doubts *doubts, float *out, size_t out_stride,
                        attn_pool *pool, attn_error *error);

#endif
