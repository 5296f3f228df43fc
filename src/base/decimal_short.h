/* decimal_short.h: the common shape of a number in a large file, inline: [-]d.ddd… with at most 16 digits
 * behind the point. Readers of millions of numbers (JSON matrices, word vectors) try it first. */
#ifndef ATTN_BASE_DECIMAL_SHORT_H
#define ATTN_BASE_DECIMAL_SHORT_H

#include "base/bytes.h"

#include <float.h>

enum { ATTN_DECIMAL_MARGIN = 32 }; /* bytes that must be readable from the number's first on */

#if defined(__GNUC__) && FLT_EVAL_METHOD == 0

/* Of eight characters, the first in the lowest byte: how many digits lead. */
static inline size_t attn_decimal_digits8(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t digits = word ^ ones * '0'; /* a digit's byte is now 0…9 */
    uint64_t other = (digits | (digits + ones * 0x76)) & ones * 0x80;
    return other == 0 ? 8 : (size_t)__builtin_ctzll(other) / 8;
}

/* The value of the first COUNT (1…8) of eight characters, digits all: three multiplications join neighbours,
 * pairs, and fours. */
static inline uint64_t attn_decimal_value8(uint64_t word, size_t count)
{
    word <<= (8 - count) * 8;
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

/* The number at P as the nearest float32; past it, or NULL: not of this shape, or not sure of its last bit
 * (then decimal.h reads it). What follows the number is the caller's to judge. */
static inline const uint8_t *attn_decimal_short(const uint8_t *p, float *value)
{
    static const uint64_t powers[] = {1U,      10U,      100U,      1000U,     10000U,
                                      100000U, 1000000U, 10000000U, 100000000U};
    static const double divisors[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                      1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
    static const double signs[] = {1, -1};
    const uint64_t below = (UINT64_C(1) << 29) - 1, half = UINT64_C(1) << 28;
    uint64_t word, mantissa, bits, negative = *p == '-';
    size_t count, more = 0;
    double exact;
    p += negative;
    mantissa = (uint64_t)p[0] - '0';
    if (mantissa > 9 || p[1] != '.')
        return NULL;
    word = attn_load_u64(p + 2);
    count = attn_decimal_digits8(word);
    if (count == 0)
        return NULL;
    mantissa = mantissa * powers[count] + attn_decimal_value8(word, count);
    if (count == 8) {
        word = attn_load_u64(p + 10);
        more = attn_decimal_digits8(word);
        if (more > 0)
            mantissa = mantissa * powers[more] + attn_decimal_value8(word, more);
        if (mantissa > UINT64_C(1) << DBL_MANT_DIG || more == 8)
            return NULL;
    }
    p += 2 + count + more;
    if ((*p | 0x20) == 'e')
        return NULL;
    exact = (double)mantissa / divisors[count + more];
    memcpy(&bits, &exact, sizeof bits);
    if ((bits & below) == half)
        return NULL;
    *value = (float)(exact * signs[negative]);
    return p;
}

#else

static inline const uint8_t *attn_decimal_short(const uint8_t *p, float *value)
{
    (void)p;
    (void)value;
    return NULL;
}

#endif

#endif
