/* decimal.h: decimal text to numbers, in every locale the same, rounded once (the float32 nearest to the
 * decimal, ties to even: what strtof gives in the C locale). */
#ifndef ATTN_BASE_DECIMAL_H
#define ATTN_BASE_DECIMAL_H

#include "base/bytes.h"

typedef enum attn_decimal_result {
    ATTN_DECIMAL_OK,
    ATTN_DECIMAL_NONE,    /* no number here */
    ATTN_DECIMAL_OVERFLOW /* a number, but its magnitude is beyond the type's largest */
} attn_decimal_result;

/* Reads [+-]digits[.digits][e[+-]digits] at TEXT; *USED is the length of the number. Hexadecimal, "inf" and
 * "nan" are not numbers here. Too small magnitudes become subnormals or ±0. */
attn_decimal_result attn_decimal_f32(attn_bytes text, float *value, size_t *used);
attn_decimal_result attn_decimal_f64(attn_bytes text, double *value, size_t *used);

/* The whole of TEXT as an unsigned integer <= LIMIT, digits only. */
bool attn_decimal_u64(attn_bytes text, uint64_t limit, uint64_t *value);

#endif
