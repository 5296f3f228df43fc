/* containers.c: see containers.h. */
#include "config.h"

#include "testing/containers.h"

#include "testing.h"

#include "base/memory.h"
#include "testing/files.h"

#include <string.h>

attn_file containers_file(const char *name, const void *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1); /* not by attn_alloc: these do not fail, nor cost */
    attn_file file = {.name = strdup(name), .bytes = {copy, size}};
    ck_assert(copy != NULL && file.name != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    return file;
}

attn_status containers_open_bytes(const char *name, const void *data, size_t size, attn_container *container,
                                  attn_error *error)
{
    attn_file file = containers_file(name, data, size);
    return attn_container_take(&file, container, error);
}

attn_status containers_open(const char *name, attn_container *container, attn_error *error)
{
    return attn_container_open(testing_source(files_join("tests/data/formats", name)), NULL, container, error);
}

/* After a failure: the whole message, which holds WORD. */
static const char *check_refusal(const char *name, attn_status status, const attn_container *container,
                                 const attn_error *error, const char *word)
{
    static char text[2048];
    ck_assert_msg(status == ATTN_EDATA || status == ATTN_EUNSUPPORTED, "%s: status %d", name, (int)status);
    ck_assert_int_eq(status, error->status);
    ck_assert_ptr_null(container->files);
    attn_error_text(error, text, sizeof text);
    ck_assert_msg(strstr(text, word) != NULL, "no '%s' in: %s", word, text);
    return text;
}

void containers_refused(const char *name, const char *word)
{
    attn_container container;
    attn_error error = {0};
    attn_status status = containers_open(name, &container, &error);
    const char *text = check_refusal(name, status, &container, &error, word);
    ck_assert_msg(strstr(text, name) != NULL, "no file name in: %s", text);
}

void containers_refused_bytes(const char *name, const void *data, size_t size, const char *word)
{
    attn_container container;
    attn_error error = {0};
    attn_status status = containers_open_bytes(name, data, size, &container, &error);
    check_refusal(name, status, &container, &error, word);
}

void containers_values(const attn_container *container, const char *name, size_t n_dims, const size_t *shape,
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

/* All numbers of TENSOR; attn_free. */
static float *numbers_of(const attn_tensor *tensor, size_t *count)
{
    ck_assert(attn_tensor_count(tensor, count));
    float *numbers = attn_alloc_array(*count, sizeof *numbers);
    ck_assert_ptr_nonnull(numbers);
    attn_tensor_to_f32(tensor, numbers);
    return numbers;
}

void containers_same(const attn_container *a, const char *name_a, const attn_container *b, const char *name_b)
{
    const attn_tensor *left = attn_container_find(a, name_a), *right = attn_container_find(b, name_b);
    size_t n_left, n_right;
    ck_assert_msg(left != NULL && right != NULL, "%s, %s", name_a, name_b);
    ck_assert_uint_eq(left->n_dims, right->n_dims);
    ck_assert_mem_eq(left->shape, right->shape, left->n_dims * sizeof left->shape[0]);
    float *x = numbers_of(left, &n_left), *y = numbers_of(right, &n_right);
    ck_assert_mem_eq(x, y, n_left * sizeof *x);
    attn_free(x);
    attn_free(y);
}

void containers_touch(const attn_container *container)
{
    for (size_t i = 0; i < container->n_tensors; i++) {
        size_t count;
        attn_free(numbers_of(&container->tensors[i].tensor, &count));
    }
}

void containers_truncate(const char *name, const void *data, size_t size)
{
    for (size_t length = 0; length < size; length++) {
        attn_container container;
        attn_error error = {0};
        attn_status status = containers_open_bytes(name, data, length, &container, &error);
        ck_assert_msg(status != ATTN_OK, "%s: loaded when cut to %zu of %zu", name, length, size);
        ck_assert_str_ne(check_refusal(name, status, &container, &error, ""), "");
    }
}

typedef struct trial {
    const char *name;
    const void *data;
    size_t size;
} trial;

static attn_status attempt(void *context, attn_error *error)
{
    const trial *t = context;
    attn_container container;
    attn_status status = containers_open_bytes(t->name, t->data, t->size, &container, error);
    attn_container_close(&container);
    return status;
}

memory_failures containers_fail_each(const char *name, const void *data, size_t size)
{
    trial t = {name, data, size};
    return memory_fail_each(attempt, &t, MEMORY_ONE);
}

void containers_every_failure(const char *name, const void *data, size_t size)
{
    trial t = {name, data, size};
    memory_every_failure(attempt, &t);
}

size_t containers_cost(const char *name, const void *data, size_t size)
{
    trial t = {name, data, size};
    return memory_cost(attempt, &t);
}

void containers_put(containers_image *image, uint64_t value, size_t size)
{
    ck_assert_uint_le(image->size + size, sizeof image->data);
    for (size_t i = 0; i < size; i++)
        image->data[image->size++] = (uint8_t)(value >> (8 * i) & 255);
}

void containers_put_bytes(containers_image *image, const void *data, size_t size)
{
    ck_assert_uint_le(image->size + size, sizeof image->data);
    if (size > 0)
        memcpy(image->data + image->size, data, size);
    image->size += size;
}

void containers_put_floats(containers_image *image, size_t count, size_t from)
{
    for (size_t i = 0; i < count; i++) {
        float value = (float)(from + i);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        containers_put(image, bits, 4);
    }
}
