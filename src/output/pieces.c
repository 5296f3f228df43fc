/* pieces.c: what formats share: texts prepared once, and the columns that name a row's place. */
#include "config.h"

#include "base/memory.h"
#include "output/format.h"

attn_status attn_pieces_make(attn_pieces *pieces, size_t n, attn_put_piece *put, const void *context,
                             attn_error *error)
{
    attn_pieces_free(pieces);
    pieces->starts = n < SIZE_MAX ? attn_alloc_array(n + 1, sizeof *pieces->starts) : NULL;
    if (pieces->starts == NULL)
        return attn_fail_memory(error);
    pieces->n = n;
    for (size_t i = 0; i < n; i++) {
        pieces->starts[i] = pieces->bytes.size;
        put(context, i, &pieces->bytes);
    }
    pieces->starts[n] = pieces->bytes.size;
    return pieces->bytes.failed ? attn_fail_memory(error) : ATTN_OK;
}

attn_bytes attn_pieces_at(const attn_pieces *pieces, size_t index)
{
    size_t start = pieces->starts[index], end = pieces->starts[index + 1];
    if (start == end)
        return (attn_bytes){NULL, 0};
    return (attn_bytes){(const uint8_t *)pieces->bytes.data + start, end - start};
}

void attn_pieces_free(attn_pieces *pieces)
{
    attn_buffer_free(&pieces->bytes);
    attn_free(pieces->starts);
    *pieces = (attn_pieces){0};
}

bool attn_put_place(const attn_writer *writer, attn_role role, const attn_place *place, attn_buffer *out)
{
    const attn_writer_text *text = &writer->text;
    switch (role) {
    case ATTN_ROLE_TEXT:
        attn_buffer_count(out, text->number);
        return true;
    case ATTN_ROLE_FILE:
        attn_escape_tsv(attn_bytes_of(text->file != NULL ? text->file : ""), out);
        return true;
    case ATTN_ROLE_LINE:
        if (text->line != 0)
            attn_buffer_count(out, text->line);
        return true;
    case ATTN_ROLE_LAYER:
        attn_buffer_count(out, place->layer);
        return true;
    case ATTN_ROLE_HEAD:
        if (place->head == ATTN_HEAD_MEAN)
            attn_buffer_text(out, "mean");
        else
            attn_buffer_count(out, place->head);
        return true;
    case ATTN_ROLE_AT:
        attn_buffer_text(out, place->after ? "after" : "before");
        return true;
    case ATTN_ROLE_QUERY:
        attn_buffer_count(out, place->position);
        return true;
    default:
        return false;
    }
}
