/* sinks.h: what is written through a sink, as text. */
#ifndef ATTN_TESTING_SINKS_H
#define ATTN_TESTING_SINKS_H

#include "output/sink.h"

typedef attn_status sinks_write(attn_sink *sink, void *context, attn_error *error);

/* Opens a sink, runs WRITE, commits what it wrote when that is fine. *OUTPUT (NULL: not wanted): the *SIZE bytes that
 * are then in the file, none after a failure, and a NUL; they live until the next call. */
attn_status sinks_run(sinks_write *write, void *context, const char **output, size_t *size, attn_error *error);

#endif
