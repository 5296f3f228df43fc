/* quants_few.c: GGUF's block types of few levels and no grid, to float32: ternary, binary and two bits, and the two
 * 4-bit floating-point types. Used by the table in dtype.c; notation and source as in quants.c. */
#include "config.h"

#include "tensor/convert.h"

#include <math.h>

/* Twice the 4-bit floating-point numbers (a sign, two bits of exponent, one of fraction). */
static const int8_t fp4_levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/* N_DIGITS planes of ternary digits, minus 1, from WIDTH bytes; returns the end. A byte over 256 is a number below 1 in
 * base 3; times 3^n, digit n stands next behind the point. */
static float *put_digits(const uint8_t *bytes, size_t width, size_t n_digits, float d, float *restrict out)
{
    unsigned power = 1;
    for (size_t n = 0; n < n_digits; n++, power *= 3)
        for (size_t j = 0; j < width; j++)
            *out++ = (float)((int)((bytes[j] * power & 255u) * 3 >> 8) - 1) * d;
    return out;
}

/* digits 48, five a byte: of 32 bytes, then of 16 | digits 4, four a byte | d 2 */
void attn_convert_tq1_0(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block + 52);
    (void)count;
    out = put_digits(block, 32, 5, d, out);
    out = put_digits(block + 32, 16, 5, d, out);
    put_digits(block + 48, 4, 4, d, out);
}

/* 2-bit numbers 64, planes as in Q2_K | d 2: (q − 1) · d */
void attn_convert_tq2_0(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block + 64);
    (void)count;
    for (size_t i = 0; i < 256; i++)
        out[i] = (float)((block[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3) - 1) * d;
}

/* d 2 | bits 16: d or −d */
void attn_convert_q1_0(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t i = 0; i < 128; i++)
        out[i] = (block[2 + i / 8] >> (i % 8) & 1) != 0 ? d : -d;
}

/* d 2 | 2-bit numbers 16, four a byte in order: (q − 1) · d */
void attn_convert_q2_0(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t i = 0; i < 64; i++)
        out[i] = (float)((block[2 + i / 4] >> (i % 4 * 2) & 3) - 1) * d;
}

/* 2 × N elements, low then high nibbles N. */
static void put_fp4(const uint8_t *nibbles, size_t n, float scale, float *restrict out)
{
    for (size_t j = 0; j < n; j++) {
        out[j] = (float)fp4_levels[nibbles[j] & 15] * scale;
        out[j + n] = (float)fp4_levels[nibbles[j] >> 4] * scale;
    }
}

/* exponent 1, of 2 with bias 127 | nibbles 16 (OCP Microscaling Formats 1.0) */
void attn_convert_mxfp4(const uint8_t *restrict block, size_t count, float *restrict out)
{
    (void)count;
    put_fp4(block + 1, 16, ldexpf(0.5f, (int)block[0] - 127), out);
}

/* A scale without sign: four bits of exponent (bias 7), three of fraction; 127 is no number and counts as 0. */
static float scale_of_byte(uint8_t byte)
{
    const int exponent = byte >> 3 & 15, fraction = byte & 7;
    if (byte == 127)
        return 0.0f;
    return exponent == 0 ? ldexpf((float)fraction, -9) : ldexpf((float)(8 + fraction), exponent - 10);
}

/* scales 4 | nibbles 32: four groups of 16 elements */
void attn_convert_nvfp4(const uint8_t *restrict block, size_t count, float *restrict out)
{
    (void)count;
    for (size_t group = 0; group < 4; group++)
        put_fp4(block + 4 + group * 8, 8, 0.5f * scale_of_byte(block[group]), out + group * 16);
}
