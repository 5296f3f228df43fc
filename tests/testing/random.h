/* random.h: numbers without a pattern, the same on every machine and in every run. */
#ifndef ATTN_TESTING_RANDOM_H
#define ATTN_TESTING_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next number of the stream *STATE, which begins as any number but 0 (xorshift; G. Marsaglia, 2003). */
uint32_t random_next(uint32_t *state);
uint64_t random_next64(uint64_t *state);
/* One below BELOW. */
uint32_t random_below(uint32_t *state, uint32_t below);

/* The Ith number of a table without end, from -1 up to 1. */
float random_number(size_t i);
/* X[0 … N): SCALE times numbers of the table, of another place for each SEED. */
void random_fill(float *x, size_t n, size_t seed, float scale);

#endif
