/* fuzz_container.h: the body of the targets that open a container and read all of it. */
#ifndef ATTN_TESTS_FUZZ_CONTAINER_H
#define ATTN_TESTS_FUZZ_CONTAINER_H

#include "fuzz.h"

#include "formats/container.h"

/* Reads every number of TENSOR, at most 64 Ki of each. */
static inline void fuzz_read_tensor(const attn_tensor *tensor)
{
    size_t count;
    if (!attn_tensor_count(tensor, &count))
        abort();
    if (count > (size_t)1 << 16)
        return;
    float *out = malloc(count * sizeof *out + 1);
    if (out == NULL)
        abort();
    attn_tensor_to_f32(tensor, out);
    if (tensor->n_dims == 2 && count > 0) {
        attn_tensor turned = attn_tensor_transpose(*tensor);
        attn_tensor_to_f32(&turned, out);
    }
    free(out);
}

static inline void fuzz_read_bytes(attn_bytes bytes)
{
    static volatile uint8_t seen;
    for (size_t i = 0; i < bytes.size; i++)
        seen = bytes.data[i];
    (void)seen;
}

static inline void fuzz_read_meta(const attn_meta *meta)
{
    fuzz_read_bytes(meta->key);
    if (meta->type == ATTN_META_STRING)
        fuzz_read_bytes(meta->string);
    else if (meta->type == ATTN_META_ARRAY && meta->element == ATTN_META_STRING)
        for (size_t i = 0; i < meta->n_elements; i++)
            fuzz_read_bytes(meta->strings[i]);
    else if (meta->type == ATTN_META_ARRAY)
        fuzz_read_tensor(meta->numbers);
}

/* Opens DATA as a file called NAME. */
static inline void fuzz_container(const char *name, const uint8_t *data, size_t size, size_t factor)
{
    attn_file file = {.name = attn_copy_text(name, strlen(name)), .bytes = {fuzz_copy(data, size), size}};
    attn_container container;
    attn_error error = {0};
    fuzz_budget budget;
    fuzz_begin(&budget, size, factor);
    attn_status status = attn_container_take(&file, &container, &error);
    fuzz_end();
    if (status != ATTN_OK && (error.status != status || error.message[0] == '\0'))
        abort();
    for (size_t i = 0; i < container.n_tensors; i++) {
        fuzz_read_tensor(&container.tensors[i].tensor);
        if (attn_container_find(&container, container.tensors[i].name) == NULL)
            abort();
    }
    for (size_t i = 0; i < container.n_meta; i++)
        fuzz_read_meta(&container.meta[i]);
    attn_container_close(&container);
}

#endif
