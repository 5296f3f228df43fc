/* memory.c: see memory.h. The hook below is the only mutable global of base/. */
#include "config.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static attn_alloc_hook *alloc_hook;
static void *alloc_hook_context;

/* An arena's blocks double from the first size to the last: a tiny file costs little. */
enum { CACHE_LINE = 64, ARENA_ALIGN = 16, ARENA_FIRST_BLOCK = 1024, ARENA_BLOCK = 64 * 1024, LARGE_PAGE = 2 << 20 };

void attn_set_alloc_hook(attn_alloc_hook *hook, void *context)
{
    alloc_hook = hook;
    alloc_hook_context = context;
}

static bool allowed(size_t size)
{
    return alloc_hook == NULL || alloc_hook(alloc_hook_context, size);
}

bool attn_multiply(size_t a, size_t b, size_t *result)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *result = a * b;
    return true;
}

bool attn_add(size_t a, size_t b, size_t *result)
{
    if (a > SIZE_MAX - b)
        return false;
    *result = a + b;
    return true;
}

void *attn_alloc(size_t size)
{
    return allowed(size) ? malloc(size > 0 ? size : 1) : NULL;
}

void *attn_alloc_array(size_t count, size_t size)
{
    size_t total;
    return attn_multiply(count, size, &total) ? attn_alloc(total) : NULL;
}

void *attn_calloc_array(size_t count, size_t size)
{
    size_t total;
    if (!attn_multiply(count, size, &total) || !allowed(total))
        return NULL;
    return total > 0 ? calloc(count, size) : calloc(1, 1);
}

void *attn_realloc_array(void *old, size_t count, size_t size)
{
    size_t total;
    if (!attn_multiply(count, size, &total) || !allowed(total))
        return NULL;
    return realloc(old, total > 0 ? total : 1);
}

void *attn_alloc_aligned(size_t count, size_t size)
{
    void *pointer = NULL;
    size_t total;
    if (!attn_multiply(count, size, &total) || !allowed(total))
        return NULL;
    return posix_memalign(&pointer, CACHE_LINE, total > 0 ? total : 1) == 0 ? pointer : NULL;
}

char *attn_copy_text(const char *text, size_t size)
{
    char *copy = size < SIZE_MAX ? attn_alloc(size + 1) : NULL;
    if (copy != NULL) {
        if (size > 0)
            memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

void attn_free(void *pointer)
{
    free(pointer);
}

void attn_large_pages(void *pointer, size_t size)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = LARGE_PAGE, from = (uintptr_t)pointer, to = from + size;
    from += (page - from % page) % page;
    to -= to % page;
    if (from < to)
        madvise((void *)from, to - from, MADV_HUGEPAGE); /* refused: it stays as it is */
#else
    (void)pointer;
    (void)size;
#endif
}

bool attn_grow(void **items, size_t *capacity, size_t count, size_t size)
{
    size_t wanted = *capacity + *capacity / 2 + 8;
    if (count < *capacity)
        return true;
    if (wanted < *capacity)
        return false;
    void *grown = attn_realloc_array(*items, wanted, size);
    if (grown == NULL)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

struct attn_arena_block {
    struct attn_arena_block *next; /* owned */
    size_t size;                   /* bytes of data behind the head */
    size_t used;
    void *adopted; /* owned, or NULL */
};

/* The first offset at or after USED in BLOCK whose address is a multiple of ALIGN. */
static size_t aligned_offset(const struct attn_arena_block *block, size_t align)
{
    uintptr_t address = (uintptr_t)(block + 1) + block->used;
    return block->used + (align - address % align) % align;
}

static void *arena_take(attn_arena *arena, size_t size, size_t align)
{
    struct attn_arena_block *block = arena->blocks;
    size_t offset = block != NULL ? aligned_offset(block, align) : 0;
    if (block == NULL || offset > block->size || size > block->size - offset) {
        size_t usual = ARENA_FIRST_BLOCK;
        if (block != NULL)
            usual = block->size < ARENA_BLOCK / 2 ? block->size * 2 : ARENA_BLOCK;
        size_t data, total;
        if (!attn_add(size, align, &data))
            return NULL;
        if (data < usual)
            data = usual;
        if (!attn_add(data, sizeof *block, &total))
            return NULL;
        block = attn_alloc(total);
        if (block == NULL)
            return NULL;
        *block = (struct attn_arena_block){.next = arena->blocks, .size = data};
        arena->blocks = block;
        offset = aligned_offset(block, align);
    }
    block->used = offset + size;
    return (char *)(block + 1) + offset;
}

void *attn_arena_alloc(attn_arena *arena, size_t count, size_t size)
{
    size_t total;
    return attn_multiply(count, size, &total) ? arena_take(arena, total, ARENA_ALIGN) : NULL;
}

void *attn_arena_aligned(attn_arena *arena, size_t count, size_t size)
{
    size_t total;
    return attn_multiply(count, size, &total) ? arena_take(arena, total, CACHE_LINE) : NULL;
}

char *attn_arena_text(attn_arena *arena, const char *text, size_t size)
{
    char *copy = size < SIZE_MAX ? arena_take(arena, size + 1, 1) : NULL;
    if (copy != NULL) {
        if (size > 0)
            memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

bool attn_arena_adopt(attn_arena *arena, void *pointer)
{
    struct attn_arena_block *block = attn_alloc(sizeof *block), *newest = arena->blocks;
    if (block == NULL)
        return false;
    *block = (struct attn_arena_block){.adopted = pointer};
    if (newest == NULL) {
        arena->blocks = block;
    } else { /* behind the newest, which may have room left */
        block->next = newest->next;
        newest->next = block;
    }
    return true;
}

void attn_arena_free(attn_arena *arena)
{
    while (arena->blocks != NULL) {
        struct attn_arena_block *next = arena->blocks->next;
        attn_free(arena->blocks->adopted);
        attn_free(arena->blocks);
        arena->blocks = next;
    }
}
