/* line_stream.h: a pipe, a FIFO, a terminal read line by line, each when it is there; no more is held than the line at hand
 * and what came with it. */
#ifndef ATTN_BASE_LINE_STREAM_H
#define ATTN_BASE_LINE_STREAM_H

#include "base/file.h"

typedef struct attn_stream {
    char *name; /* owned; as messages show it */
    int fd;     /* -1: none is open */
    bool ended;
    uint8_t *buffer; /* owned; [room], of which from … filled are still to come */
    size_t from, filled, room;
    void (*waits)(void *context); /* called before a read that has to wait; or NULL */
    void *context;
} attn_stream;

/* Whether PATH ("-": standard input) comes piece by piece: it is there and no regular file nor directory. */
bool attn_is_stream(const char *path);
/* Initialise `waits` before. ATTN_EIO: it can not be opened. */
attn_status attn_stream_open(const char *path, attn_stream *stream, attn_error *error);
/* What is there without asking for more, at least a byte; nothing: the stream has ended. Valid until the next call. */
attn_status attn_stream_peek(attn_stream *stream, attn_bytes *bytes, attn_error *error);
/* The next line, its end included; nothing: the stream has ended. Valid until the next call. */
attn_status attn_stream_line(attn_stream *stream, attn_bytes *line, attn_error *error);
/* All that is still to come, to FILE (owned by the caller); the stream has ended then. */
attn_status attn_stream_rest(attn_stream *stream, attn_file *file, attn_error *error);
void attn_stream_close(attn_stream *stream); /* leaves it closed; {.fd = -1} is fine */

#endif
