/* memory.h: the one door to the heap, checked size arithmetic, and the arena.
 *
 * Every allocation of attn (and, through their own hooks, of the libraries that allow it) passes here, so
 * that a test can fail the Nth one. All functions return NULL when memory is exhausted or a product
 * overflows; a size of 0 gives a valid pointer. attn_free frees what any of them returned. */
#ifndef ATTN_BASE_MEMORY_H
#define ATTN_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *attn_alloc(size_t size);
void *attn_alloc_array(size_t count, size_t size);  /* not cleared */
void *attn_calloc_array(size_t count, size_t size); /* cleared */
void *attn_realloc_array(void *old, size_t count, size_t size);
void *attn_alloc_aligned(size_t count, size_t size); /* 64-byte aligned; not for realloc */
char *attn_copy_text(const char *text, size_t size); /* SIZE bytes and a NUL */
void attn_free(void *pointer);
/* A hint, best given before POINTER[size] is first written: it will be read from end to end, which large pages
 * make faster. */
void attn_large_pages(void *pointer, size_t size);

/* Tests only: asked before every allocation; false makes it fail. NULL takes it away. */
typedef bool attn_alloc_hook(void *context, size_t size);
void attn_set_alloc_hook(attn_alloc_hook *hook, void *context);

/* *RESULT = a·b or a+b; false (and *RESULT untouched) when it does not fit. */
bool attn_multiply(size_t a, size_t b, size_t *result);
bool attn_add(size_t a, size_t b, size_t *result);

/* Room for one more in a growing array: *ITEMS (elements of SIZE bytes) grows by half again when COUNT
 * reaches *CAPACITY. False: out of memory, nothing changed. */
bool attn_grow(void **items, size_t *capacity, size_t count, size_t size);

/* An arena: many small allocations freed at once.
 *
 *   blocks ─▶ [head|used……|free] ─▶ [head|used…………] ─▶ NULL
 *
 * Initialise with {0}. Pointers are 16-byte aligned (attn_arena_aligned: 64) and live until
 * attn_arena_free. */
typedef struct attn_arena {
    struct attn_arena_block *blocks; /* owned, newest first */
} attn_arena;

void *attn_arena_alloc(attn_arena *arena, size_t count, size_t size);    /* not cleared */
void *attn_arena_aligned(attn_arena *arena, size_t count, size_t size);  /* 64-byte aligned */
char *attn_arena_text(attn_arena *arena, const char *text, size_t size); /* copy with a NUL */
/* Takes over POINTER (of attn_alloc and its kin): freed with the arena. False: out of memory, still yours. */
bool attn_arena_adopt(attn_arena *arena, void *pointer);
void attn_arena_free(attn_arena *arena); /* leaves it empty, reusable */

#endif
