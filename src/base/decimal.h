/* decimal.h: decimal text to numbers, in every locale the same, rounded once (the float32 nearest
 * to the decimal, ties to even: what strtof gives in the C locale). */
#ifndef ATTN_BASE_DECIMAL_H
#define ATTN_BASE_DECIMAL_H

#include "base/bytes.h"

typedef enum attn_decimal_result {
    ATTN_DECIMAL_OK,
    ATTN_DECIMAL_NONE,    /* no number here */
    ATTN_DECIMAL_OVERFLOW /* a number, but its magnitude is beyond the type's largest */
} attn_decimal_result;

/* Reads [+-]digits[.digits][e[+-]digits] at TEXT, or with digits on one side of the point only
 * (".5", "5."); *USED is the length of the number (0: none). Hexadecimal, "inf" and "nan" are not
 * numbers here. Too small magnitudes become subnormals or ±0. *VALUE is set on ATTN_DECIMAL_OK
 * only. */
attn_decimal_result attn_decimal_f32(attn_bytes text, float *value, size_t *used);

/* The whole of TEXT as an unsigned integer <= LIMIT, digits only. */
bool attn_decimal_u64(attn_bytes text, uint64_t limit, uint64_t *value);

/* The same in two steps, for readers with a stricter grammar: the shape first, then the value. The
 * number is ±mantissa·10^exponent, or a little more when digits beyond the 19th were left out. */
typedef struct attn_decimal {
    attn_bytes text;   /* borrowed: the number and what follows it */
    size_t used;       /* length of the number */
    uint64_t mantissa; /* the first 19 significant digits */
    int64_t exponent;
    bool negative;
    bool truncated; /* a digit beyond the mantissa's is not 0 */
    bool json;      /* written as JSON wants it: no '+', no leading zeros, digits on both sides of a point */
} attn_decimal;

/* False: no number here. */
bool attn_decimal_scan(attn_bytes text, attn_decimal *decimal);
attn_decimal_result attn_decimal_to_f32(const attn_decimal *decimal, float *value);
attn_decimal_result attn_decimal_to_f64(const attn_decimal *decimal, double *value);

#endif
