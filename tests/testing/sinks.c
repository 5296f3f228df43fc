/* sinks.c: see sinks.h. */
#include "config.h"

#include "testing/sinks.h"

#include "testing.h"

#include "testing/files.h"

attn_status sinks_run(sinks_write *write, void *context, const char **output, size_t *size, attn_error *error)
{
    static const char *path; /* one file for all runs of a test */
    static char *last;
    attn_sink *sink;
    path = path == NULL ? files_text("") : path;
    files_write(path, "", 0);
    attn_status status = attn_sink_open(path, &sink, error);
    if (status == ATTN_OK) {
        status = write(sink, context, error);
        if (status == ATTN_OK)
            status = attn_sink_commit(sink, error);
        attn_sink_close(sink);
    }
    free(last);
    last = files_read(path, size);
    if (output != NULL)
        *output = last;
    return status;
}
