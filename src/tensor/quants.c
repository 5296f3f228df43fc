/* quants.c: GGUF's block types to float32, one whole block a call. Used by the table in dtype.c.
 *
 * The layouts are those that llama.cpp's ggml-common.h fixes and its gguf Python package
 * dequantises; all fields are little-endian. In the pictures below a number is a count of bytes, d
 * (and m) halves. "Low then high nibbles" means that byte j holds element j in its low and element
 * j + n in its high four bits. */
#include "config.h"

#include "tensor/convert.h"

/* The non-linear levels of IQ4_NL and IQ4_XS. */
static const int8_t iq4_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

static unsigned bit(uint32_t bits, size_t index)
{
    return (bits >> index) & 1u;
}

/* d 2 | low then high nibbles 16: (q − 8) · d */
void attn_convert_q4_0(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block);
    const uint8_t *nibbles = block + 2;
    (void)count;
    for (size_t j = 0; j < 16; j++) {
        out[j] = (float)((nibbles[j] & 15) - 8) * d;
        out[j + 16] = (float)((nibbles[j] >> 4) - 8) * d;
    }
}

/* d 2 | m 2 | low then high nibbles 16: q · d + m */
void attn_convert_q4_1(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block), m = attn_half_at(block + 2);
    const uint8_t *nibbles = block + 4;
    (void)count;
    for (size_t j = 0; j < 16; j++) {
        out[j] = (float)(nibbles[j] & 15) * d + m;
        out[j + 16] = (float)(nibbles[j] >> 4) * d + m;
    }
}

/* The 5-bit numbers of a block of 32: fifth bits 4 | low then high nibbles 16. */
static void unpack_five(const uint8_t *data, float *restrict q /* [32] */)
{
    uint32_t fifth = attn_load_u32(data);
    const uint8_t *nibbles = data + 4;
    for (size_t j = 0; j < 16; j++) {
        q[j] = (float)((nibbles[j] & 15u) | bit(fifth, j) << 4);
        q[j + 16] = (float)((unsigned)(nibbles[j] >> 4) | bit(fifth, j + 16) << 4);
    }
}

/* d 2 | fifth bits 4 | nibbles 16: (q − 16) · d */
void attn_convert_q5_0(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block);
    (void)count;
    unpack_five(block + 2, out);
    for (size_t j = 0; j < 32; j++)
        out[j] = (out[j] - 16.0f) * d;
}

/* d 2 | m 2 | fifth bits 4 | nibbles 16: q · d + m */
void attn_convert_q5_1(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block), m = attn_half_at(block + 2);
    (void)count;
    unpack_five(block + 4, out);
    for (size_t j = 0; j < 32; j++)
        out[j] = out[j] * d + m;
}

/* d 2 | signed bytes 32: q · d */
void attn_convert_q8_0(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block);
    (void)count;
    for (size_t j = 0; j < 32; j++)
        out[j] = (float)(int8_t)block[2 + j] * d;
}

/* scales 16 (4 bits scale, 4 bits minimum, one for each 16 elements) | 2-bit numbers 64 | d 2 |
 * m 2. Each half of 32 bytes holds 128 elements, four planes of 32: bits 0–1 first. */
void attn_convert_q2_k(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const uint8_t *quants = block + 16;
    float d = attn_half_at(block + 80), m = attn_half_at(block + 82);
    (void)count;
    for (size_t group = 0; group < 16; group++) {
        const uint8_t *from = quants + group / 8 * 32 + group % 2 * 16;
        unsigned shift = (unsigned)(group % 8 / 2) * 2;
        float scale = d * (float)(block[group] & 15), minimum = m * (float)(block[group] >> 4);
        for (size_t j = 0; j < 16; j++)
            out[group * 16 + j] = scale * (float)((from[j] >> shift) & 3) - minimum;
    }
}

/* third bits 32 | 2-bit numbers 64 | scales 12 (sixteen of 6 bits) | d 2. Planes as in Q2_K; the
 * third bit of plane p is bit p of its byte, and clear means minus 4. */
void attn_convert_q3_k(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const uint8_t *quants = block + 32, *packed = block + 96;
    float d = attn_half_at(block + 108);
    (void)count;
    for (size_t group = 0; group < 16; group++) {
        const uint8_t *from = quants + group / 8 * 32 + group % 2 * 16;
        const uint8_t *third = block + group % 2 * 16;
        size_t plane = group / 2;
        unsigned shift = (unsigned)(plane % 4) * 2;
        int low = group < 8 ? packed[group] & 15 : packed[group - 8] >> 4;
        int high = packed[8 + group % 4] >> (group / 4 * 2) & 3;
        float scale = d * (float)((low | high << 4) - 32);
        for (size_t j = 0; j < 16; j++)
            out[group * 16 + j] = scale * (float)(((from[j] >> shift) & 3) + 4 * (int)bit(third[j], plane) - 4);
    }
}

/* Scale and minimum number INDEX of the eight (6 bits each) in the 12 bytes of Q4_K and Q5_K. */
static void scale_and_minimum(const uint8_t *packed, size_t index, float *scale, float *minimum)
{
    if (index < 4) {
        *scale = (float)(packed[index] & 63);
        *minimum = (float)(packed[index + 4] & 63);
    } else {
        *scale = (float)((packed[index + 4] & 15) | packed[index - 4] >> 6 << 4);
        *minimum = (float)(packed[index + 4] >> 4 | packed[index] >> 6 << 4);
    }
}

/* d 2 | m 2 | scales and minima 12 | nibbles 128: every 32 bytes hold 32 low, then 32 high nibbles. */
void attn_convert_q4_k(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block), m = attn_half_at(block + 2);
    (void)count;
    for (size_t group = 0; group < 8; group++) {
        const uint8_t *nibbles = block + 16 + group / 2 * 32;
        unsigned shift = (unsigned)(group % 2) * 4;
        float scale, minimum;
        scale_and_minimum(block + 4, group, &scale, &minimum);
        scale *= d;
        minimum *= m;
        for (size_t j = 0; j < 32; j++)
            out[group * 32 + j] = scale * (float)(nibbles[j] >> shift & 15) - minimum;
    }
}

/* d 2 | m 2 | scales and minima 12 | fifth bits 32 | nibbles 128: as Q4_K, the fifth bit of group g is bit g. */
void attn_convert_q5_k(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const uint8_t *fifth = block + 16;
    float d = attn_half_at(block), m = attn_half_at(block + 2);
    (void)count;
    for (size_t group = 0; group < 8; group++) {
        const uint8_t *nibbles = block + 48 + group / 2 * 32;
        unsigned shift = (unsigned)(group % 2) * 4;
        float scale, minimum;
        scale_and_minimum(block + 4, group, &scale, &minimum);
        scale *= d;
        minimum *= m;
        for (size_t j = 0; j < 32; j++) {
            unsigned q = (nibbles[j] >> shift & 15u) | bit(fifth[j], group) << 4;
            out[group * 32 + j] = scale * (float)q - minimum;
        }
    }
}

/* nibbles 128 | high pairs of bits 64 | signed scales 16 | d 2: (q − 32) · d · scale. Each half
 * (64, 32 and 8 bytes) holds 128 elements: 32 low nibbles, 32 more, then the high nibbles of both.
 */
void attn_convert_q6_k(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block + 208);
    (void)count;
    for (size_t group = 0; group < 16; group++) {
        size_t half = group / 8, plane = group % 8 / 2, start = group % 2 * 16;
        const uint8_t *nibbles = block + half * 64 + plane % 2 * 32 + start;
        const uint8_t *pairs = block + 128 + half * 32 + start;
        unsigned nibble_shift = (unsigned)(plane / 2) * 4, pair_shift = (unsigned)plane * 2;
        float scale = d * (float)(int8_t)block[192 + group];
        for (size_t j = 0; j < 16; j++) {
            int q = (nibbles[j] >> nibble_shift & 15) | (pairs[j] >> pair_shift & 3) << 4;
            out[group * 16 + j] = scale * (float)(q - 32);
        }
    }
}

/* 32 elements of 4-bit indices into the levels: low then high nibbles 16. */
static void unpack_levels(const uint8_t *nibbles, float scale, float *restrict out)
{
    for (size_t j = 0; j < 16; j++) {
        out[j] = scale * (float)iq4_levels[nibbles[j] & 15];
        out[j + 16] = scale * (float)iq4_levels[nibbles[j] >> 4];
    }
}

/* d 2 | nibbles 16 */
void attn_convert_iq4_nl(const uint8_t *restrict block, size_t count, float *restrict out)
{
    (void)count;
    unpack_levels(block + 2, attn_half_at(block), out);
}

/* d 2 | high pairs of scale bits 2 | low nibbles of scales 4 | nibbles 128: eight groups of 32, scale − 32. */
void attn_convert_iq4_xs(const uint8_t *restrict block, size_t count, float *restrict out)
{
    float d = attn_half_at(block);
    unsigned high = attn_load_u16(block + 2);
    (void)count;
    for (size_t group = 0; group < 8; group++) {
        unsigned low = (unsigned)block[4 + group / 2] >> (group % 2 * 4) & 15u;
        int scale = (int)(low | (high >> (group * 2) & 3u) << 4) - 32;
        unpack_levels(block + 8 + group * 16, d * (float)scale, out + group * 32);
    }
}
