/* containers.h: opening containers from memory and from the test data, cut short at every
 * byte, and with every allocation failing once. */
#ifndef ATTN_TESTING_CONTAINERS_H
#define ATTN_TESTING_CONTAINERS_H

#include "testing.h"

#include "formats/container.h"

#include <string.h>

/* A file of its own exact size on the heap, so that the address sanitizer sees a read past its end.
 */
static inline attn_file formats_file(const char *name, const void *data, size_t size)
{
    attn_file file = {0};
    uint8_t *copy = attn_alloc(size);
    file.name = attn_copy_text(name, strlen(name));
    ck_assert(copy != NULL && file.name != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    file.bytes = (attn_bytes){copy, size};
    return file;
}

static inline attn_status formats_open_bytes(const char *name, const void *data, size_t size, attn_container *container,
                                             attn_error *error)
{
    attn_file file = formats_file(name, data, size);
    return attn_container_take(&file, container, error);
}

/* Opens tests/data/formats/NAME. */
static inline attn_status formats_open(const char *name, attn_container *container, attn_error *error)
{
    char path[256];
    snprintf(path, sizeof path, "tests/data/formats/%s", name);
    return attn_container_open(testing_source(path), NULL, container, error);
}

/* tests/data/formats/NAME must not open; WORD is in the message. */
static inline void formats_refused(const char *name, const char *word)
{
    attn_container container;
    attn_error error = {0};
    char text[2048];
    attn_status status = formats_open(name, &container, &error);
    ck_assert_msg(status == ATTN_EDATA || status == ATTN_EUNSUPPORTED, "%s: status %d", name, (int)status);
    ck_assert_int_eq(status, error.status);
    ck_assert_ptr_null(container.files);
    attn_error_text(&error, text, sizeof text);
    ck_assert_msg(strstr(text, word) != NULL, "no '%s' in: %s", word, text);
    ck_assert_msg(strstr(text, name) != NULL, "no file name in: %s", text);
}

static inline void formats_refused_bytes(const char *name, const void *data, size_t size, const char *word)
{
    attn_container container;
    attn_error error = {0};
    char text[2048];
    attn_status status = formats_open_bytes(name, data, size, &container, &error);
    ck_assert_msg(status == ATTN_EDATA || status == ATTN_EUNSUPPORTED, "%s: status %d", name, (int)status);
    attn_error_text(&error, text, sizeof text);
    ck_assert_msg(strstr(text, word) != NULL, "no '%s' in: %s", word, text);
}

/* The tensor NAME has this shape and these values. */
static inline void formats_values(const attn_container *container, const char *name, size_t n_dims, const size_t *shape,
                                  const float *values)
{
    const attn_tensor *tensor = attn_container_find(container, name);
    float out[1024];
    size_t count;
    ck_assert_msg(tensor != NULL, "no tensor '%s'", name);
    ck_assert_uint_eq(tensor->n_dims, n_dims);
    for (size_t i = 0; i < n_dims; i++)
        ck_assert_uint_eq(tensor->shape[i], shape[i]);
    ck_assert(attn_tensor_count(tensor, &count) && count <= 1024);
    attn_tensor_to_f32(tensor, out);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(out[i] == values[i], "%s: element %zu is %g, not %g", name, i, (double)out[i], (double)values[i]);
}

/* Reads all numbers, so that the address sanitizer sees a view past the end. */
static inline void formats_touch(const attn_container *container)
{
    for (size_t i = 0; i < container->n_tensors; i++) {
        const attn_tensor *tensor = &container->tensors[i].tensor;
        size_t count;
        float *out;
        ck_assert(attn_tensor_count(tensor, &count));
        out = attn_alloc_array(count, sizeof *out);
        ck_assert_ptr_nonnull(out);
        attn_tensor_to_f32(tensor, out);
        attn_free(out);
    }
}

/* DATA cut to every length below SIZE: an error with a message, or (MAY_LOAD) numbers that are
 * there. */
static inline void formats_truncate(const char *name, const void *data, size_t size, bool may_load)
{
    for (size_t length = 0; length < size; length++) {
        attn_container container;
        attn_error error = {0};
        attn_status status = formats_open_bytes(name, data, length, &container, &error);
        if (status == ATTN_OK) {
            ck_assert_msg(may_load, "%s: loaded when cut to %zu of %zu", name, length, size);
            formats_touch(&container);
        } else {
            ck_assert(status == ATTN_EDATA || status == ATTN_EUNSUPPORTED);
            ck_assert(error.message[0] != '\0');
        }
        attn_container_close(&container);
    }
}

typedef struct formats_budget {
    size_t allocations, bytes;
    size_t fail_at; /* this allocation (from 1) fails; 0: none */
} formats_budget;

static inline bool formats_count(void *context, size_t size)
{
    formats_budget *budget = context;
    budget->allocations++;
    budget->bytes += size;
    return budget->allocations != budget->fail_at;
}

/* Every allocation of opening DATA fails once: no crash, no leak (the sanitizers see), "out of
 * memory". */
static inline void formats_fail_allocations(const char *name, const void *data, size_t size)
{
    for (size_t nth = 1;; nth++) {
        attn_container container;
        attn_error error = {0};
        attn_file file = formats_file(name, data, size);
        formats_budget budget = {0, 0, nth};
        attn_status status;
        attn_set_alloc_hook(formats_count, &budget);
        status = attn_container_take(&file, &container, &error);
        attn_set_alloc_hook(NULL, NULL);
        attn_container_close(&container);
        if (budget.allocations < nth) {
            ck_assert_int_eq(status, ATTN_OK);
            return;
        }
        ck_assert_int_eq(status, ATTN_ENOMEM);
    }
}

/* Bytes that opening DATA asks for, whether it loads or not. */
static inline size_t formats_cost(const char *name, const void *data, size_t size)
{
    attn_container container;
    attn_file file = formats_file(name, data, size);
    formats_budget budget = {0, 0, 0};
    attn_set_alloc_hook(formats_count, &budget);
    attn_container_take(&file, &container, NULL);
    attn_set_alloc_hook(NULL, NULL);
    attn_container_close(&container);
    return budget.bytes;
}

#endif
