/* gguf_meta.h: GGUF's strings and metadata, for gguf.c. */
#ifndef ATTN_FORMATS_GGUF_META_H
#define ATTN_FORMATS_GGUF_META_H

#include "formats/container.h"

/* A length u64 and as many bytes, borrowed from the file. WHAT is named in messages. */
attn_status attn_gguf_string(attn_cursor *cursor, const char *what, attn_bytes *string, attn_error *error);
/* Reads COUNT keys with their values into CONTAINER; strings and numbers are views into the file, arrays of strings lie
 * in the arena. Nested arrays and keys that are there twice are refused. */
attn_status attn_gguf_meta_read(attn_container *container, attn_cursor *cursor, uint64_t count, attn_error *error);
/* "expected WHAT, found the end of the file" at the cursor. */
attn_status attn_gguf_fail_short(const attn_cursor *cursor, const char *what, attn_error *error);

#endif
