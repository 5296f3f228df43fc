/* line_stream.c: see line_stream.h. */
#include "config.h"

#include "base/line_stream.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 16 };

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

bool attn_is_stream(const char *path)
{
    struct stat st;
    if ((is_standard_input(path) ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
        return false;
    return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

attn_status attn_stream_open(const char *path, attn_stream *stream, attn_error *error)
{
    const bool standard = is_standard_input(path);
    const char *name = standard ? "standard input" : path;
    stream->fd = -1;
    stream->name = attn_copy_text(name, strlen(name));
    if (stream->name == NULL)
        return attn_fail_memory(error);
    stream->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->fd >= 0)
        return ATTN_OK;
    const int errnum = errno;
    attn_stream_close(stream);
    return attn_fail_system(error, name, errnum);
}

/* Room behind what is there: what has been read goes, and where that is not enough the buffer is twice as large. */
static attn_status make_room(attn_stream *stream, attn_error *error)
{
    if (stream->from > 0) {
        memmove(stream->buffer, stream->buffer + stream->from, stream->filled - stream->from);
        stream->filled -= stream->from;
        stream->from = 0;
    }
    if (stream->filled < stream->room)
        return ATTN_OK;
    const size_t wanted = stream->room == 0 ? FIRST_ROOM : stream->room * 2;
    uint8_t *grown = attn_realloc_array(stream->buffer, wanted, 1);
    if (grown == NULL)
        return attn_fail_memory(error);
    stream->buffer = grown;
    stream->room = wanted;
    return ATTN_OK;
}

static attn_status read_more(attn_stream *stream, attn_error *error)
{
    struct pollfd ready = {.fd = stream->fd, .events = POLLIN};
    attn_status status = make_room(stream, error);
    if (status != ATTN_OK)
        return status;
    if (stream->waits != NULL && poll(&ready, 1, 0) == 0)
        stream->waits(stream->context);
    for (;;) {
        const ssize_t got = read(stream->fd, stream->buffer + stream->filled, stream->room - stream->filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return attn_fail_system(error, stream->name, errno);
        stream->ended = got == 0;
        stream->filled += (size_t)got;
        return ATTN_OK;
    }
}

attn_status attn_stream_peek(attn_stream *stream, attn_bytes *bytes, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (stream->from == stream->filled && !stream->ended)
        status = read_more(stream, error);
    *bytes = (attn_bytes){stream->buffer, stream->filled};
    if (stream->from > 0)
        *bytes = (attn_bytes){stream->buffer + stream->from, stream->filled - stream->from};
    return status;
}

attn_status attn_stream_line(attn_stream *stream, attn_bytes *line, attn_error *error)
{
    const uint8_t *end = NULL;
    size_t seen = 0; /* bytes of the line without an end in them */
    while (end == NULL) {
        const size_t there = stream->filled - stream->from;
        if (there > seen)
            end = memchr(stream->buffer + stream->from + seen, '\n', there - seen);
        seen = there;
        if (end != NULL || stream->ended)
            break;
        attn_status status = read_more(stream, error);
        if (status != ATTN_OK)
            return status;
    }
    const size_t size = end != NULL ? (size_t)(end - (stream->buffer + stream->from)) + 1 : seen;
    *line = (attn_bytes){size > 0 ? stream->buffer + stream->from : NULL, size};
    stream->from += size;
    return ATTN_OK;
}

attn_status attn_stream_rest(attn_stream *stream, attn_file *file, attn_error *error)
{
    attn_status status = ATTN_OK;
    while (status == ATTN_OK && !stream->ended)
        status = read_more(stream, error);
    *file = (attn_file){0};
    if (status != ATTN_OK)
        return status;
    if (stream->from > 0)
        status = make_room(stream, error);
    file->name = stream->name;
    file->bytes = (attn_bytes){stream->buffer, stream->filled};
    stream->name = NULL;
    stream->buffer = NULL;
    stream->filled = stream->room = 0;
    return status;
}

void attn_stream_close(attn_stream *stream)
{
    if (stream->fd > STDERR_FILENO)
        close(stream->fd);
    attn_free(stream->name);
    attn_free(stream->buffer);
    *stream = (attn_stream){.fd = -1};
}
