/* vectors_window.c: what of a file of vectors is in sight: all of it, or, where it is packed by gzip, a window that moves
 * on, so that the unpacked text is never held whole. */
#include "config.h"

#include "base/gunzip.h"
#include "formats/vectors_reader.h"

#include <string.h>

enum { WINDOW = 4 << 20, GROWTH_LIMIT = 100 /* of the whole, beyond the allowance */ };
#define GROWTH_ALLOWANCE ((size_t)16 << 20)

/* In sight are whole lines, when it is read by lines. */
static void show(vectors_reader *reader)
{
    size_t size = reader->filled;
    if (reader->by_lines && !reader->ended)
        while (size > 0 && reader->window[size - 1] != '\n')
            size--;
    reader->text = (attn_bytes){reader->window, size};
}

static attn_status grow(vectors_reader *reader)
{
    const size_t wanted = reader->room == 0 ? WINDOW : reader->room * 2;
    uint8_t *grown = attn_realloc_array(reader->window, wanted, 1);
    if (grown == NULL)
        return attn_fail_memory(reader->error);
    reader->window = grown;
    reader->room = wanted;
    return ATTN_OK;
}

/* Fills what is free behind what is there. */
static attn_status fill(vectors_reader *reader)
{
    const size_t packed = reader->file->bytes.size, asked = reader->room - reader->filled;
    size_t got;
    attn_status status = attn_gunzip_read(reader->packed, reader->window + reader->filled, asked, &got, reader->error);
    reader->filled += got;
    reader->ended = got < asked;
    if (status == ATTN_OK && (reader->before + reader->filled - GROWTH_ALLOWANCE) / GROWTH_LIMIT > packed &&
        reader->before + reader->filled > GROWTH_ALLOWANCE) {
        attn_fail(reader->error, ATTN_EDATA, "the gzip file grows more than a hundredfold");
        attn_error_hint(reader->error, "gunzip it first, if that is what it should do");
        status = ATTN_EDATA;
    }
    return status;
}

attn_status attn_vectors_more(vectors_reader *reader, size_t *at)
{
    attn_status status = ATTN_OK;
    do {
        memmove(reader->window, reader->window + *at, reader->filled - *at);
        reader->filled -= *at;
        reader->before += *at;
        *at = 0;
        if (reader->filled == reader->room)
            status = grow(reader);
        if (status == ATTN_OK)
            status = fill(reader);
        if (status == ATTN_OK)
            show(reader);
    } while (status == ATTN_OK && reader->text.size == 0 && !reader->ended);
    return status;
}

void attn_vectors_by_lines(vectors_reader *reader)
{
    reader->by_lines = true;
    if (reader->packed != NULL)
        show(reader);
}

attn_status attn_vectors_all(vectors_reader *reader)
{
    attn_status status = ATTN_OK;
    while (status == ATTN_OK && !reader->ended) {
        size_t from = 0;
        status = attn_vectors_more(reader, &from);
    }
    return status;
}

attn_status attn_vectors_window_open(vectors_reader *reader)
{
    const attn_bytes bytes = reader->file->bytes;
    size_t at = 0;
    reader->ended = true;
    reader->text = attn_bytes_without_bom(bytes);
    if (!attn_is_gzip(bytes))
        return ATTN_OK;
    reader->ended = false;
    attn_status status = attn_gunzip_open(bytes, &reader->packed, reader->error);
    if (status == ATTN_OK)
        status = grow(reader);
    if (status == ATTN_OK)
        status = attn_vectors_more(reader, &at);
    if (status == ATTN_OK && attn_bytes_without_bom(reader->text).size < reader->text.size) {
        const size_t mark = reader->text.size - attn_bytes_without_bom(reader->text).size;
        memmove(reader->window, reader->window + mark, reader->filled -= mark);
        show(reader);
    }
    return status;
}

void attn_vectors_window_close(vectors_reader *reader)
{
    attn_gunzip_close(reader->packed);
    attn_free(reader->window);
}

double attn_vectors_fraction(const vectors_reader *reader, size_t offset)
{
    if (reader->packed != NULL)
        return (double)attn_gunzip_used(reader->packed) / (double)reader->file->bytes.size;
    return (double)offset / (double)reader->text.size;
}
