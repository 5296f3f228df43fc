/* number.h: numbers to text: the writers' one function. */
#ifndef ATTN_OUTPUT_NUMBER_H
#define ATTN_OUTPUT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum {
    ATTN_NUMBER_ROOM = 128, /* bytes enough for any float32 in any form below with precision <= 60 */
    ATTN_SHORTEST = -1
};

/* VALUE as the shortest decimal that reads back to the same float32, without exponent, whole numbers bare
 * (44, 0), a point in every locale, −0 as 0; or with PRECISION (0…60) decimals, rounded half to even from the
 * exact value. nan, inf, -inf. Writes to TEXT[ATTN_NUMBER_ROOM] without NUL; returns the length. */
size_t attn_number_f32(float value, int precision, char *text);
/* N such texts, each behind a SEPARATOR, to TEXT[n·(ATTN_NUMBER_ROOM + 1)]: faster than one by one. */
size_t attn_numbers_f32(const float *values, size_t n, int precision, char separator, char *text);
size_t attn_number_u64(uint64_t value, char *text);

#endif
