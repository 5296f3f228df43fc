/* sink.h: where bytes go: standard output, or a file that appears whole or not at all.
 *
 * A regular target is written beside it under a temporary name and renamed by attn_sink_commit; a symlink is
 * followed; the mode of a target that is there is kept, a new one gets the umask's; the bytes are on the disk
 * before the rename; the temporary is removed on failure and on a signal. A target that is no regular file
 * (/dev/null, a FIFO) is written in place. Writes are buffered and checked to the last.
 *
 * A reader that has gone (EPIPE) is ATTN_ECLOSED: where SIGPIPE is ignored (cli/signals.c sees to that), the
 * program ends by its own cleaning up and not in the middle of a write. The first temporary installs handlers
 * for the signals that end a program, where these have their default action; they remove the temporaries and
 * let the signal do its work. Threads other than the one that opens a sink should block signals. */
#ifndef ATTN_OUTPUT_SINK_H
#define ATTN_OUTPUT_SINK_H

#include "base/buffer.h"
#include "base/error.h"

typedef struct attn_sink attn_sink;

/* PATH NULL, "-" or "/dev/stdout": standard output (closed: ATTN_EIO). A target that is there but may not be
 * written, or a directory, is refused here. */
attn_status attn_sink_open(const char *path, attn_sink **sink, attn_error *error);
/* Bytes go behind those of MEMORY, which is borrowed; attn_sink_flush brings the last of them. */
attn_status attn_sink_open_memory(attn_buffer *memory, attn_sink **sink, attn_error *error);
/* A failed write is remembered: later calls do nothing, attn_sink_status tells. */
void attn_sink_put(attn_sink *sink, const void *data, size_t size);
void attn_sink_text(attn_sink *sink, const char *text);
/* At least COUNT bytes of room to write into; then attn_sink_advance(what was written). Never NULL for
 * COUNT <= 64 KiB. */
char *attn_sink_room(attn_sink *sink, size_t count);
void attn_sink_advance(attn_sink *sink, size_t count);
/* What was put so far goes to who reads it, where bytes go out as they come. */
void attn_sink_flush(attn_sink *sink);
/* ATTN_OK, ATTN_ECLOSED (the reader has gone) or ATTN_EIO with the reason in ERROR. */
attn_status attn_sink_status(const attn_sink *sink, attn_error *error);
/* Flush, close, rename. Nothing is left behind on failure. */
attn_status attn_sink_commit(attn_sink *sink, attn_error *error);
void attn_sink_close(attn_sink *sink); /* without commit: the target stays as it was */
/* Does a commit put a whole file in the target's place? (Else bytes go out as they come.) */
bool attn_sink_replaces(const attn_sink *sink);
bool attn_sink_is_terminal(const attn_sink *sink);
/* Columns of text that the terminal has now; 0: it is none, or does not say. */
size_t attn_sink_columns(const attn_sink *sink);
void attn_sink_remove_temporaries(void); /* of all sinks; async-signal-safe, for one who is about to end the program */

#endif
