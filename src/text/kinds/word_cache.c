/* word_cache.c: see word_cache.h. */
#include "config.h"

#include "text/kinds/word_cache.h"

#include <string.h>

enum { MIN_SLOTS = 64, MAX_SLOTS = 1 << 15, BYTES_A_SLOT = 16 };

struct attn_word_cache *attn_word_cache_open(size_t size)
{
    struct attn_word_cache *cache = attn_alloc(sizeof *cache);
    size_t slots = MIN_SLOTS;
    while (slots < MAX_SLOTS && slots < size / BYTES_A_SLOT)
        slots *= 2;
    if (cache == NULL)
        return NULL;
    *cache = (struct attn_word_cache){attn_alloc_aligned(slots, sizeof *cache->slots), slots - 1};
    if (cache->slots == NULL) {
        attn_free(cache);
        return NULL;
    }
    memset(cache->slots, 0, slots * sizeof *cache->slots);
    return cache;
}

void attn_word_cache_close(struct attn_word_cache *cache)
{
    if (cache == NULL)
        return;
    attn_free(cache->slots);
    attn_free(cache);
}
