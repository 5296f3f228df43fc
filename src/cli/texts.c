/* texts.c: see texts.h. Knows files and line ends, no tokens. */
#include "config.h"

#include "cli/texts.h"
#include "base/foreign.h"
#include "base/gunzip.h"
#include "base/text_file.h"

#include <string.h>

static const char standard_input[] = "-";

attn_texts attn_texts_of(const attn_texts_request *request, bool any_bytes)
{
    return (attn_texts){.request = request, .any_bytes = any_bytes, .stream = {.fd = -1}};
}

bool attn_texts_are_several(const attn_texts_request *request)
{
    return request->files.count > 1 || request->texts.count > 1;
}

static attn_bytes without_line_end(attn_bytes bytes)
{
    if (bytes.size > 0 && bytes.data[bytes.size - 1] == '\n') {
        bytes.size--;
        if (bytes.size > 0 && bytes.data[bytes.size - 1] == '\r')
            bytes.size--;
    }
    return bytes;
}

attn_bytes attn_text_body(attn_bytes bytes, bool keep_newline)
{
    bytes = attn_bytes_without_bom(bytes);
    return keep_newline ? bytes : without_line_end(bytes);
}

/* Name of source I: a -T ("" ), a FILE, or standard input when neither is given; NULL past the end. */
static const char *source_name(const attn_texts_request *request, size_t i)
{
    if (request->texts.count > 0)
        return i < request->texts.count ? "" : NULL;
    if (request->files.count == 0)
        return i == 0 ? standard_input : NULL;
    return i < request->files.count ? request->files.items[i] : NULL;
}

/* What its first bytes say is no text to be read line by line: packed, or of another encoding. */
static bool is_wrapped(attn_bytes head)
{
    return attn_is_gzip(head) || attn_foreign_utf(head) != NULL;
}

/* A pipe, read line by line when its lines are plain text; else all of it, as a file. */
static attn_status open_stream(attn_texts *texts, const char *name, attn_error *error)
{
    attn_bytes head;
    texts->stream = (attn_stream){.fd = -1, .waits = texts->waits, .context = texts->context};
    attn_status status = attn_stream_open(name, &texts->stream, error);
    if (status == ATTN_OK)
        status = attn_stream_peek(&texts->stream, &head, error);
    if (status == ATTN_OK && !texts->any_bytes && is_wrapped(head)) {
        status = attn_stream_rest(&texts->stream, &texts->file, error);
        attn_stream_close(&texts->stream);
        return status;
    }
    if (status == ATTN_OK && !texts->any_bytes)
        status = attn_foreign_refuse(head, error);
    texts->streams = status == ATTN_OK;
    if (status != ATTN_OK)
        attn_stream_close(&texts->stream);
    return status;
}

static attn_status open_file(attn_texts *texts, const char *name, attn_error *error)
{
    if (texts->request->lines && attn_is_stream(name))
        return open_stream(texts, name, error);
    return attn_file_open_text(name, NULL, &texts->file, error); /* noted by attn_usage_check */
}

static attn_status open_source(attn_texts *texts, const char *name, attn_error *error)
{
    attn_status status;
    texts->converted = NULL;
    texts->streams = false;
    if (texts->request->texts.count > 0) {
        texts->file = (attn_file){0};
        texts->file.bytes = attn_bytes_of(texts->request->texts.items[texts->next]);
        return ATTN_OK;
    }
    status = open_file(texts, name, error);
    if (status == ATTN_EIO && strchr(name, ' ') != NULL && !attn_path_exists(name))
        attn_error_hint(error, "if this is the text itself: --text='%s'", name);
    if (status == ATTN_OK && !texts->any_bytes && !texts->streams &&
        (status = attn_file_as_text(&texts->file, &texts->converted, error)) != ATTN_OK) {
        attn_file_close(&texts->file);
    }
    if (status != ATTN_OK)
        attn_error_file(error, strcmp(name, standard_input) == 0 ? "standard input" : name);
    return status;
}

static void close_source(attn_texts *texts)
{
    if (texts->streams)
        attn_stream_close(&texts->stream);
    else if (texts->request->texts.count == 0)
        attn_file_close(&texts->file);
    texts->open = false;
    texts->next++;
}

void attn_texts_close(attn_texts *texts)
{
    if (texts->open)
        close_source(texts);
}

/* The next line of the open source, its line end included. */
static attn_bytes take_line(attn_texts *texts)
{
    attn_bytes rest = texts->file.bytes;
    const uint8_t *end;
    if (texts->position == 0)
        texts->position = rest.size - attn_bytes_without_bom(rest).size;
    rest.data += texts->position;
    rest.size -= texts->position;
    end = rest.size > 0 ? memchr(rest.data, '\n', rest.size) : NULL;
    if (end != NULL)
        rest.size = (size_t)(end - rest.data) + 1;
    texts->position += rest.size;
    texts->line++;
    return rest;
}

/* The stream's next line; false: it has ended. */
static attn_status take_streamed(attn_texts *texts, attn_raw_text *text, bool *taken, attn_error *error)
{
    attn_status status = attn_stream_line(&texts->stream, &text->bytes, error);
    if (status == ATTN_OK && texts->line == 0)
        text->bytes = attn_bytes_without_bom(text->bytes);
    *taken = status == ATTN_OK && text->bytes.size > 0;
    text->line = ++texts->line;
    if (!texts->request->keep_newline)
        text->bytes = without_line_end(text->bytes);
    return status;
}

/* Fill TEXT from the open source; false: it is used up. An empty file is one empty text, but no line. */
static bool take_text(attn_texts *texts, attn_raw_text *text)
{
    bool keep = texts->request->keep_newline;
    bool first = texts->position == 0 && texts->line == 0;
    if (texts->request->lines) {
        if (texts->position >= texts->file.bytes.size)
            return false;
        text->bytes = take_line(texts);
        text->line = texts->line;
        if (text->bytes.size == 0 && first)
            return false; /* nothing but a BOM */
        if (!keep)
            text->bytes = without_line_end(text->bytes);
        return true;
    }
    if (!first)
        return false;
    text->bytes = attn_text_body(texts->file.bytes, keep);
    text->line = 0;
    texts->line = 1;
    return true;
}

attn_next attn_texts_next(attn_texts *texts, attn_raw_text *text, attn_error *error)
{
    for (;;) {
        const char *name = source_name(texts->request, texts->next);
        if (name == NULL)
            return ATTN_NEXT_END;
        if (!texts->open) {
            texts->position = texts->line = 0;
            if (open_source(texts, name, error) != ATTN_OK) {
                texts->next++;
                texts->number++;
                return ATTN_NEXT_ERROR;
            }
            texts->open = true;
        }
        bool taken = false;
        text->file = name;
        text->converted = texts->converted;
        if (texts->streams && take_streamed(texts, text, &taken, error) != ATTN_OK) {
            close_source(texts);
            texts->number++;
            return ATTN_NEXT_ERROR;
        }
        if (texts->streams ? taken : take_text(texts, text)) {
            text->number = texts->number++;
            return ATTN_NEXT_TEXT;
        }
        close_source(texts);
    }
}
