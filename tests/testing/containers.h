/* containers.h: containers opened from memory and from the test data, cut short at every byte, and with every
 * allocation failing once. NAME is what the file is called in messages. */
#ifndef ATTN_TESTING_CONTAINERS_H
#define ATTN_TESTING_CONTAINERS_H

#include "testing/memory.h"

#include "formats/container.h"

/* A file of its own exact size on the heap, so that the address sanitizer sees a read past its end. */
attn_file containers_file(const char *name, const void *data, size_t size);
attn_status containers_open_bytes(const char *name, const void *data, size_t size, attn_container *container,
                                  attn_error *error);
/* Opens tests/data/formats/NAME. */
attn_status containers_open(const char *name, attn_container *container, attn_error *error);

/* It must not open; WORD is in the message, and of a file its name. */
void containers_refused(const char *name, const char *word);
void containers_refused_bytes(const char *name, const void *data, size_t size, const char *word);

/* The tensor NAME has this shape and these values. */
void containers_values(const attn_container *container, const char *name, size_t n_dims, const size_t *shape,
                       const float *values);
/* Tensors NAME_A of A and NAME_B of B have one shape and equal numbers. */
void containers_same(const attn_container *a, const char *name_a, const attn_container *b, const char *name_b);
/* Reads all numbers, so that the address sanitizer sees a view past the end. */
void containers_touch(const attn_container *container);

/* DATA cut to every length below SIZE: an error with a message. */
void containers_truncate(const char *name, const void *data, size_t size);
/* Every allocation of opening DATA fails once: no crash, no leak (the sanitizers see), "out of memory". */
memory_failures containers_fail_each(const char *name, const void *data, size_t size);
void containers_every_failure(const char *name, const void *data, size_t size);
/* Bytes that opening DATA asks for, whether it loads or not. */
size_t containers_cost(const char *name, const void *data, size_t size);

/* A file under way. */
typedef struct containers_image {
    uint8_t data[4096];
    size_t size;
} containers_image;

/* Appends the SIZE low bytes of VALUE, the least significant first; bytes as they are; COUNT float32: FROM, FROM + 1 … */
void containers_put(containers_image *image, uint64_t value, size_t size);
void containers_put_bytes(containers_image *image, const void *data, size_t size);
void containers_put_floats(containers_image *image, size_t count, size_t from);

#endif
