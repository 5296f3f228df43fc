/* word_cache.h: what words became, for one encode: text repeats itself. Bounded: a slot holds a
 * short word of few pieces, and a newer word takes an older one's slot. Only coder.c
 * includes it. */
#ifndef ATTN_TEXT_KINDS_WORD_CACHE_H
#define ATTN_TEXT_KINDS_WORD_CACHE_H

#include "text/kinds/merge.h"

enum { ATTN_CACHED_BYTES = 23, ATTN_CACHED_PIECES = 7 };

typedef struct attn_cached { /* one cache line */
    uint64_t key[3];         /* the word's bytes, then zeros; its length in the last byte */
    uint32_t ids[ATTN_CACHED_PIECES];
    uint8_t sizes[ATTN_CACHED_PIECES]; /* they add up to the word's length */
    bool all_known;                    /* no id is ATTN_NO_TOKEN */
    float margin;                      /* the space's, of a model with scores */
} attn_cached;

struct attn_word_cache {
    attn_cached *slots; /* owned; [mask + 1] */
    size_t mask;
};

/* A cache fit for a text of SIZE bytes; NULL: out of memory. */
struct attn_word_cache *attn_word_cache_open(size_t size);
void attn_word_cache_close(struct attn_word_cache *cache);

#endif
