/* convert.h: how each type's stored bytes become float32: one table row a type. Only tensor/ includes it. */
#ifndef ATTN_TENSOR_CONVERT_H
#define ATTN_TENSOR_CONVERT_H

#include "tensor/tensor.h"

enum { ATTN_MAX_BLOCK = 256 }; /* the largest block_elements */

/* COUNT elements that lie one behind the other at DATA, to OUT[count]. For a block type COUNT is one whole block. */
typedef void attn_convert(const uint8_t *restrict data, size_t count, float *restrict out);

typedef struct attn_dtype_row {
    attn_dtype_info info;
    attn_convert *little;
    attn_convert *big; /* big-endian data; of bytes and of block types (always little-endian) as little */
} attn_dtype_row;

const attn_dtype_row *attn_dtype_row_of(attn_dtype dtype);

/* plain.c; 1-byte types have no order */
attn_convert attn_convert_f32, attn_convert_f32_big, attn_convert_f64, attn_convert_f64_big;
attn_convert attn_convert_f16, attn_convert_f16_big, attn_convert_bf16, attn_convert_bf16_big;
attn_convert attn_convert_i8, attn_convert_u8, attn_convert_bool;
attn_convert attn_convert_i16, attn_convert_i16_big, attn_convert_u16, attn_convert_u16_big;
attn_convert attn_convert_i32, attn_convert_i32_big, attn_convert_u32, attn_convert_u32_big;
attn_convert attn_convert_i64, attn_convert_i64_big, attn_convert_u64, attn_convert_u64_big;

/* quants.c */
attn_convert attn_convert_q4_0, attn_convert_q4_1, attn_convert_q5_0, attn_convert_q5_1;
attn_convert attn_convert_q8_0, attn_convert_q2_k, attn_convert_q3_k, attn_convert_q4_k;
attn_convert attn_convert_q5_k, attn_convert_q6_k, attn_convert_iq4_nl, attn_convert_iq4_xs;

/* quants_grid.c */
attn_convert attn_convert_iq1_s, attn_convert_iq1_m, attn_convert_iq2_xxs, attn_convert_iq2_xs, attn_convert_iq2_s;
attn_convert attn_convert_iq3_xxs, attn_convert_iq3_s;

/* quants_few.c */
attn_convert attn_convert_tq1_0, attn_convert_tq2_0, attn_convert_q1_0, attn_convert_q2_0;
attn_convert attn_convert_mxfp4, attn_convert_nvfp4;

/* The float32 of an IEEE half's bits: exact, subnormals and NaN included. Choices are masks instead
 * of branches, so that gcc -O2 vectorises a loop of them. */
static inline float attn_float_of_half(uint16_t half)
{
    uint32_t magnitude = half & 0x7fffu;
    uint32_t shifted = magnitude << 13;                          /* the 10-bit fraction at its place in 23 bits */
    uint32_t normal = shifted + (112u << 23);                    /* exponent bias 127 in place of 15 */
    uint32_t is_small = 0u - (uint32_t)(magnitude < 0x0400u);    /* zero or subnormal: in units of 2^-24 */
    uint32_t is_special = 0u - (uint32_t)(magnitude >= 0x7c00u); /* infinity or NaN */
    float small = (float)(int32_t)magnitude * 0x1p-24f;
    uint32_t small_bits;
    memcpy(&small_bits, &small, sizeof small_bits);
    return attn_float_of_bits((small_bits & is_small) | (normal & ~is_small) | (is_special & 0x7f800000u) |
                              (uint32_t)(half & 0x8000u) << 16);
}

/* The half that a block has at DATA. */
static inline float attn_half_at(const uint8_t *data)
{
    return attn_float_of_half(attn_load_u16(data));
}

#endif
