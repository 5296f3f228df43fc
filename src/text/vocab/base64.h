/* base64.h: base64 text to bytes: tiktoken's ranks, tokenizer.json's character maps. */
#ifndef ATTN_TEXT_VOCAB_BASE64_H
#define ATTN_TEXT_VOCAB_BASE64_H

#include "base/buffer.h"

/* Appends the bytes that TEXT stands for; its padding may be missing. False: it is no base64. */
bool attn_base64_decode(attn_bytes text, attn_buffer *out);

#endif
