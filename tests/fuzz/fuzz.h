/* fuzz.h: what every fuzz target needs. A target is one file fuzz_NAME.c that defines
 * LLVMFuzzerTestOneInput; it runs under libFuzzer (--enable-fuzzing) or, by replay.c, over files.
 */
#ifndef ATTN_TESTS_FUZZ_H
#define ATTN_TESTS_FUZZ_H

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_budget {
    size_t used, limit; /* bytes */
} fuzz_budget;

/* An allocation hook: what one input makes attn ask for, all told, must stay within its limit. */
static inline bool fuzz_spend(void *context, size_t size)
{
    fuzz_budget *budget = context;
    if (size > budget->limit || budget->used > budget->limit - size) {
        fprintf(stderr, "fuzz: %zu bytes asked for after %zu: more than %zu\n", size, budget->used, budget->limit);
        abort();
    }
    budget->used += size;
    return true;
}

/* Run the code under test between these two: an input of SIZE bytes may cost 128 KiB + FACTOR ·
 * SIZE. */
static inline void fuzz_begin(fuzz_budget *budget, size_t size, size_t factor)
{
    *budget = (fuzz_budget){0, ((size_t)128 << 10) + factor * size};
    attn_set_alloc_hook(fuzz_spend, budget);
}

static inline void fuzz_end(void)
{
    attn_set_alloc_hook(NULL, NULL);
}

/* A copy of exactly SIZE bytes, so that the address sanitizer sees a read past the end; attn_free.
 */
static inline uint8_t *fuzz_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = attn_alloc(size);
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

#endif
