/* labels.c: what formats share: texts prepared once, and the columns that name a row's place. */
#include "config.h"

#include "base/memory.h"
#include "output/format.h"

attn_status attn_labels_make(attn_labels *labels, size_t n, attn_put_label *put, const void *context,
                             attn_error *error)
{
    attn_labels_free(labels);
    labels->starts = n < SIZE_MAX ? attn_alloc_array(n + 1, sizeof *labels->starts) : NULL;
    if (labels->starts == NULL)
        return attn_fail_memory(error);
    labels->n = n;
    for (size_t i = 0; i < n; i++) {
        labels->starts[i] = labels->bytes.size;
        put(context, i, &labels->bytes);
    }
    labels->starts[n] = labels->bytes.size;
    return labels->bytes.failed ? attn_fail_memory(error) : ATTN_OK;
}

attn_bytes attn_labels_at(const attn_labels *labels, size_t index)
{
    size_t start = labels->starts[index], end = labels->starts[index + 1];
    if (start == end)
        return (attn_bytes){NULL, 0};
    return (attn_bytes){(const uint8_t *)labels->bytes.data + start, end - start};
}

void attn_labels_free(attn_labels *labels)
{
    attn_buffer_free(&labels->bytes);
    attn_free(labels->starts);
    *labels = (attn_labels){0};
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
