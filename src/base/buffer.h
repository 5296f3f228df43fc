/* buffer.h: a growing run of bytes. Initialise with {0}; attn_buffer_free when done. A failed append sets
 * `failed` and drops the bytes, so a long series of appends needs one check at its end. */
#ifndef ATTN_BASE_BUFFER_H
#define ATTN_BASE_BUFFER_H

#include "base/bytes.h"
#include "base/error.h"

typedef struct attn_buffer {
    char *data; /* owned; [size], not NUL-terminated */
    size_t size, capacity;
    bool failed; /* an append ran out of memory */
} attn_buffer;

/* Room for COUNT more bytes; the place to write them, or NULL (and failed is set). The caller then adds
 * what it wrote to size. */
char *attn_buffer_room(attn_buffer *buffer, size_t count);
void attn_buffer_put(attn_buffer *buffer, const void *data, size_t size);
void attn_buffer_text(attn_buffer *buffer, const char *text);
void attn_buffer_byte(attn_buffer *buffer, char byte);
void attn_buffer_format(attn_buffer *buffer, const char *format, ...) ATTN_PRINTF(2, 3);
attn_bytes attn_buffer_bytes(const attn_buffer *buffer);
void attn_buffer_free(attn_buffer *buffer);

#endif
