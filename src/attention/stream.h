/* stream.h: the streaming driver behind attn_attention_run. Only attention/ includes it. */
#ifndef ATTN_ATTENTION_STREAM_H
#define ATTN_ATTENTION_STREAM_H

#include "attention/attention.h"

/* As attn_attention_run; the rule and the mask have been checked. */
attn_status attn_stream(const attn_attention *attention, float *out, size_t out_stride, attn_pool *pool,
                        attn_error *error);

#endif
