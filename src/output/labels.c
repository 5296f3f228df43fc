/* labels.c: many texts in one buffer, prepared once a text: escaped labels, the cells of a key. */
#include "config.h"

#include "base/memory.h"
#include "output/output.h"

attn_status attn_labels_make(attn_labels *labels, size_t n, attn_put_label *put, const void *context, attn_error *error)
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
