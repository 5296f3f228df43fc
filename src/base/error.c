/* error.c: filling and showing attn_error. Knows nothing of what failed. */
#include "config.h"

#include "base/error.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void reset(attn_error *error, attn_status status)
{
    memset(error, 0, sizeof *error);
    error->status = status;
}

attn_status attn_fail(attn_error *error, attn_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        reset(error, status);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
    }
    return status;
}

attn_status attn_fail_found(attn_error *error, const char *expected, const char *found, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, found);
        reset(error, ATTN_EDATA);
        int used = snprintf(error->message, sizeof error->message, "expected %s, found ", expected);
        if (used > 0 && (size_t)used < sizeof error->message)
            vsnprintf(error->message + used, sizeof error->message - (size_t)used, found, args);
        va_end(args);
    }
    return ATTN_EDATA;
}

attn_status attn_fail_memory(attn_error *error)
{
    return attn_fail(error, ATTN_ENOMEM, "out of memory");
}

attn_status attn_fail_system(attn_error *error, const char *path, int errnum)
{
    if (errnum == ENOMEM)
        return attn_fail_memory(error);
    attn_fail(error, ATTN_EIO, "%s", strerror(errnum));
    attn_error_file(error, path);
    return ATTN_EIO;
}

bool attn_errno_absent(int errnum)
{
    return errnum == ENOENT || errnum == ENOTDIR || errnum == ENAMETOOLONG;
}

static attn_status status_of(const attn_error *error)
{
    return error != NULL ? error->status : ATTN_OK;
}

attn_status attn_error_file(attn_error *error, const char *file)
{
    if (error != NULL && error->file[0] == '\0' && file != NULL)
        snprintf(error->file, sizeof error->file, "%s", file);
    return status_of(error);
}

attn_status attn_error_line(attn_error *error, uint64_t line, uint64_t column)
{
    if (error != NULL) {
        error->line = line;
        error->column = column;
    }
    return status_of(error);
}

attn_status attn_error_offset(attn_error *error, uint64_t offset)
{
    if (error != NULL) {
        error->offset = offset;
        error->has_offset = true;
    }
    return status_of(error);
}

attn_status attn_error_hint(attn_error *error, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->hint, sizeof error->hint, format, args);
        va_end(args);
    }
    return status_of(error);
}

attn_status attn_error_prefix(attn_error *error, const char *format, ...)
{
    if (error != NULL) {
        char old[sizeof error->message];
        memcpy(old, error->message, sizeof old);
        va_list args;
        va_start(args, format);
        int used = vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
        if (used > 0 && (size_t)used < sizeof error->message)
            snprintf(error->message + used, sizeof error->message - (size_t)used, "%s", old);
    }
    return status_of(error);
}

/* Append TEXT to OUT[SIZE] at *USED, the bytes of what may steer a terminal as \xNN. */
static void put_escaped(char *out, size_t size, size_t *used, const char *text)
{
    const attn_bytes bytes = attn_bytes_of(text);
    for (size_t at = 0, length; at < bytes.size; at += length) {
        char piece[24];
        size_t room = 0;
        const bool steers = attn_utf8_steers(bytes, at, &length);
        for (size_t i = 0; i < length; i++)
            room += (size_t)snprintf(piece + room, sizeof piece - room, steers ? "\\x%02X" : "%c",
                                     (unsigned)bytes.data[at + i]);
        if (*used + room >= size)
            return;
        memcpy(out + *used, piece, room + 1);
        *used += room;
    }
}

void attn_error_text(const attn_error *error, char *text, size_t size)
{
    char place[96] = "";
    size_t used = 0;
    if (size == 0)
        return;
    text[0] = '\0';
    if (error->has_offset)
        snprintf(place, sizeof place, "offset %llu: ", (unsigned long long)error->offset);
    else if (error->line != 0 && error->column != 0)
        snprintf(place, sizeof place, "%llu:%llu: ", (unsigned long long)error->line,
                 (unsigned long long)error->column);
    else if (error->line != 0)
        snprintf(place, sizeof place, "%llu: ", (unsigned long long)error->line);
    if (error->file[0] != '\0') {
        put_escaped(text, size, &used, error->file);
        put_escaped(text, size, &used, error->has_offset || place[0] == '\0' ? ": " : ":");
    }
    put_escaped(text, size, &used, place);
    put_escaped(text, size, &used, error->message);
    if (error->hint[0] != '\0') {
        put_escaped(text, size, &used, " (");
        put_escaped(text, size, &used, error->hint);
        put_escaped(text, size, &used, ")");
    }
}
