/* random.c: see random.h. */
#include "config.h"

#include "testing/random.h"

uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

uint64_t random_next64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

uint32_t random_below(uint32_t *state, uint32_t below)
{
    return random_next(state) % below;
}

float random_number(size_t i)
{
    uint32_t h = (uint32_t)i * 2654435761u + 99991u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return (float)(h >> 8) / 8388608.0F - 1;
}

void random_fill(float *x, size_t n, size_t seed, float scale)
{
    for (size_t i = 0; i < n; i++)
        x[i] = scale * random_number(i + seed * 1000003);
}
