/* extents.c: which parts of a file are spoken for, so that a reader can refuse overlaps. */
#include "config.h"

#include "formats/container_reader.h"

#include <stdlib.h>

bool attn_extents_add(attn_extents *extents, attn_extent extent)
{
    void *items = extents->items;
    if (!attn_grow(&items, &extents->capacity, extents->count, sizeof *extents->items))
        return false;
    extents->items = items;
    extents->items[extents->count++] = extent;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const attn_extent *left = a, *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return (left->end > right->end) - (left->end < right->end);
}

bool attn_extents_overlap(attn_extents *extents, size_t *second)
{
    if (extents->count > 1)
        qsort(extents->items, extents->count, sizeof *extents->items, by_place);
    for (size_t i = 1; i < extents->count; i++)
        if (extents->items[i].begin < extents->items[i - 1].end) {
            *second = i;
            return true;
        }
    return false;
}

void attn_extents_free(attn_extents *extents)
{
    attn_free(extents->items);
    *extents = (attn_extents){0};
}
