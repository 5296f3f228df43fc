/* decimal_exact.h: the last way of base/decimal.c, for decimals too near the middle of two floats:
 * a comparison in exact integers. Only decimal.c uses it. */
#ifndef ATTN_BASE_DECIMAL_EXACT_H
#define ATTN_BASE_DECIMAL_EXACT_H

#include "base/decimal.h"

typedef struct attn_float_format { /* an IEEE 754 binary format */
    int bits;                      /* of the significand, the hidden one included */
    int least;                     /* exponent of the smallest normal number */
    uint64_t infinity;             /* its bits */
} attn_float_format;

/* The sign of |DECIMAL| − middle, where the middle lies halfway between the finite number of bits
 * BITS and the next larger one. */
int attn_decimal_compare(const attn_decimal *decimal, uint64_t bits, const attn_float_format *format);

#endif
