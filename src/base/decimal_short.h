/* decimal_short.h: the common shape of a number in a large file, inline: [-]d.ddd… without an
 * exponent. Readers of millions of numbers (JSON matrices, word vectors) try it first. */
#ifndef ATTN_BASE_DECIMAL_SHORT_H
#define ATTN_BASE_DECIMAL_SHORT_H

#include "base/bytes.h"

#include <float.h>

enum { ATTN_DECIMAL_MARGIN = 32 }; /* bytes that must be readable from the number's first on */

/* Of eight characters, the first in the lowest byte: how many digits lead. */
static inline size_t attn_decimal_digits8(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t digits = word ^ ones * '0'; /* a digit's byte is now 0…9 */
    uint64_t other = (digits | (digits + ones * 0x76)) & ones * 0x80;
#if defined(__GNUC__)
    return other == 0 ? 8 : (size_t)__builtin_ctzll(other) / 8;
#else
    size_t count = 0;
    while (count < 8 && (other >> (8 * count) & 0x80) == 0)
        count++;
    return count;
#endif
}

/* The value of the first COUNT (1…8) of eight characters, digits all: three multiplications join
 * neighbours, pairs, and fours. */
static inline uint64_t attn_decimal_value8(uint64_t word, size_t count)
{
    word <<= (8 - count) * 8;
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

/* 10^COUNT, COUNT <= 8. */
static inline uint64_t attn_decimal_power8(size_t count)
{
    static const uint64_t powers[] = {1U, 10U, 100U, 1000U, 10000U, 100000U, 1000000U, 10000000U, 100000000U};
    return powers[count];
}

/* The float32 nearest to a number that lies within 4 units in the last place of VALUE, 0 or a
 * normal float32. False: the nearest of the number may be another than that of VALUE, which rounds
 * to it from so near the middle of two floats. (29 bits go.) */
static inline bool attn_decimal_round(double value, float *rounded)
{
    const uint64_t below = (UINT64_C(1) << 29) - 1, half = UINT64_C(1) << 28, sure = 4;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *rounded = (float)value;
    return (bits & below) - (half - sure) > 2 * sure;
}

/* The number at P as the nearest float32; past it, or NULL: not of this shape, or not sure of its
 * last bit (then decimal.h reads it). What follows the number is the caller's to judge. */
static inline const uint8_t *attn_decimal_short(const uint8_t *p, float *value)
{
    static const double divisors[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    static const double signs[] = {1, -1};
    /* what the mantissa must be below for COUNT more digits: 10^(19−COUNT) */
    static const uint64_t limits[] = {
        UINT64_C(10000000000000000000), UINT64_C(1000000000000000000), UINT64_C(100000000000000000),
        UINT64_C(10000000000000000),    UINT64_C(1000000000000000),    UINT64_C(100000000000000),
        UINT64_C(10000000000000),       UINT64_C(1000000000000),       UINT64_C(100000000000)};
    size_t negative = *p == '-', count, decimals;
    uint64_t word, mantissa;
    p += negative;
    mantissa = (uint64_t)p[0] - '0';
    if (FLT_EVAL_METHOD != 0 || mantissa > 9 || p[1] != '.')
        return NULL;
    p += 2;
    word = attn_load_u64(p);
    count = decimals = attn_decimal_digits8(word);
    if (count == 0)
        return NULL;
    mantissa = mantissa * attn_decimal_power8(count) + attn_decimal_value8(word, count);
    while (count == 8 && decimals < 24) {
        word = attn_load_u64(p + decimals);
        count = attn_decimal_digits8(word);
        if (count == 0)
            break;
        if (mantissa >= limits[count])
            return NULL;
        mantissa = mantissa * attn_decimal_power8(count) + attn_decimal_value8(word, count);
        decimals += count;
    }
    p += decimals;
    if (decimals > 22 || (*p | 0x20) == 'e' ||
        !attn_decimal_round((double)mantissa / divisors[decimals] * signs[negative], value))
        return NULL;
    return p;
}

#endif
