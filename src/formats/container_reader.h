/* container_reader.h: the rows of container.c's list, and what the readers share. Only formats/ includes it. */
#ifndef ATTN_FORMATS_CONTAINER_READER_H
#define ATTN_FORMATS_CONTAINER_READER_H

#include "formats/container.h"

extern const attn_format attn_format_safetensors, attn_format_safetensors_index, attn_format_json, attn_format_npy,
    attn_format_npz, attn_format_gguf, attn_format_llama2c, attn_format_torch;

/* Add a tensor; NAME and FILE live as long as the container. A name that is there is refused. */
attn_status attn_container_add(attn_container *container, const char *name, attn_tensor tensor, const char *file,
                               attn_error *error);
/* Note that NAME, which lives as long as the container, is not read; WHY is copied. */
attn_status attn_container_leave(attn_container *container, const char *name, const char *why, attn_error *error);
/* NAME as a C string in the arena; refused when it holds a NUL. */
attn_status attn_container_name(attn_container *container, attn_bytes name, const char **copy, attn_error *error);
/* Take FILE over (also on failure) as one more of the container's. */
attn_status attn_container_add_file(attn_container *container, attn_file *file, attn_error *error);

/* Which parts of a file are spoken for. */
typedef struct attn_extent {
    uint64_t begin, end; /* begin <= end */
    size_t index;        /* the caller's: whose it is */
} attn_extent;

typedef struct attn_extents {
    attn_extent *items; /* owned */
    size_t count, capacity;
} attn_extents;

bool attn_extents_add(attn_extents *extents, attn_extent extent); /* false: out of memory */
/* Sorts by place; true when two overlap, which are then items[*SECOND − 1] and items[*SECOND]. */
bool attn_extents_overlap(attn_extents *extents, size_t *second);
void attn_extents_free(attn_extents *extents);

/* npy.c: the array in BYTES (a file, a member of an npz), which *TENSOR borrows; offsets in messages count from
 * BYTES. */
attn_status attn_npy_parse(attn_bytes bytes, attn_tensor *tensor, attn_error *error);

#endif
