/* plain.c: runs of plain numbers (floats, integers, booleans, either byte order) to float32. Used
 * by the table in dtype.c; knows nothing of shapes. */
#include "config.h"

#include "tensor/convert.h"

/* gcc -O2 vectorises loops of a known length only: runs go in steps of this many elements. */
enum { STEP = 16 };

#define DEFINE_CONVERT(name, bytes, value_at)                                                                          \
    void name(const uint8_t *restrict data, size_t count, float *restrict out)                                         \
    {                                                                                                                  \
        size_t done = 0;                                                                                               \
        for (; count - done >= STEP; done += STEP) {                                                                   \
            const uint8_t *restrict from = data + done * (bytes);                                                      \
            float *restrict to = out + done;                                                                           \
            for (size_t i = 0; i < STEP; i++)                                                                          \
                to[i] = value_at(from + i * (bytes));                                                                  \
        }                                                                                                              \
        for (; done < count; done++)                                                                                   \
            out[done] = value_at(data + done * (bytes));                                                               \
    }

static inline float f32_big(const uint8_t *data)
{
    return attn_float_of_bits(attn_load_u32_big(data));
}

static inline float f64(const uint8_t *data)
{
    return (float)attn_load_f64(data);
}

static inline float f64_big(const uint8_t *data)
{
    return (float)attn_double_of_bits(attn_load_u64_big(data));
}

static inline float f16(const uint8_t *data)
{
    return attn_float_of_half(attn_load_u16(data));
}

static inline float f16_big(const uint8_t *data)
{
    return attn_float_of_half(attn_load_u16_big(data));
}

static inline float bf16(const uint8_t *data)
{
    return attn_float_of_bits((uint32_t)attn_load_u16(data) << 16);
}

static inline float bf16_big(const uint8_t *data)
{
    return attn_float_of_bits((uint32_t)attn_load_u16_big(data) << 16);
}

static inline float i8(const uint8_t *data)
{
    return (float)(int8_t)*data;
}

static inline float u8(const uint8_t *data)
{
    return (float)*data;
}

static inline float boolean(const uint8_t *data)
{
    return *data != 0 ? 1.0f : 0.0f;
}

static inline float i16(const uint8_t *data)
{
    return (float)(int16_t)attn_load_u16(data);
}

static inline float i16_big(const uint8_t *data)
{
    return (float)(int16_t)attn_load_u16_big(data);
}

static inline float u16(const uint8_t *data)
{
    return (float)attn_load_u16(data);
}

static inline float u16_big(const uint8_t *data)
{
    return (float)attn_load_u16_big(data);
}

static inline float i32(const uint8_t *data)
{
    return (float)(int32_t)attn_load_u32(data);
}

static inline float i32_big(const uint8_t *data)
{
    return (float)(int32_t)attn_load_u32_big(data);
}

static inline float u32(const uint8_t *data)
{
    return (float)attn_load_u32(data);
}

static inline float u32_big(const uint8_t *data)
{
    return (float)attn_load_u32_big(data);
}

static inline float i64(const uint8_t *data)
{
    return (float)(int64_t)attn_load_u64(data);
}

static inline float i64_big(const uint8_t *data)
{
    return (float)(int64_t)attn_load_u64_big(data);
}

static inline float u64(const uint8_t *data)
{
    return (float)attn_load_u64(data);
}

static inline float u64_big(const uint8_t *data)
{
    return (float)attn_load_u64_big(data);
}

DEFINE_CONVERT(attn_convert_f32, 4, attn_load_f32)
DEFINE_CONVERT(attn_convert_f32_big, 4, f32_big)
DEFINE_CONVERT(attn_convert_f64, 8, f64)
DEFINE_CONVERT(attn_convert_f64_big, 8, f64_big)
DEFINE_CONVERT(attn_convert_f16, 2, f16)
DEFINE_CONVERT(attn_convert_f16_big, 2, f16_big)
DEFINE_CONVERT(attn_convert_bf16, 2, bf16)
DEFINE_CONVERT(attn_convert_bf16_big, 2, bf16_big)
DEFINE_CONVERT(attn_convert_i8, 1, i8)
DEFINE_CONVERT(attn_convert_u8, 1, u8)
DEFINE_CONVERT(attn_convert_bool, 1, boolean)
DEFINE_CONVERT(attn_convert_i16, 2, i16)
DEFINE_CONVERT(attn_convert_i16_big, 2, i16_big)
DEFINE_CONVERT(attn_convert_u16, 2, u16)
DEFINE_CONVERT(attn_convert_u16_big, 2, u16_big)
DEFINE_CONVERT(attn_convert_i32, 4, i32)
DEFINE_CONVERT(attn_convert_i32_big, 4, i32_big)
DEFINE_CONVERT(attn_convert_u32, 4, u32)
DEFINE_CONVERT(attn_convert_u32_big, 4, u32_big)
DEFINE_CONVERT(attn_convert_i64, 8, i64)
DEFINE_CONVERT(attn_convert_i64_big, 8, i64_big)
DEFINE_CONVERT(attn_convert_u64, 8, u64)
DEFINE_CONVERT(attn_convert_u64_big, 8, u64_big)
