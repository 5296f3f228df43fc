/* dtype.c: the one table of element types. A new type is one row here, its converter in plain.c or
 * quants*.c, and its number in the readers of the formats that have it. */
#include "config.h"

#include "tensor/convert.h"

#include <assert.h>

#define PLAIN(name, bytes, convert)                                                                                    \
    {                                                                                                                  \
        {name, 1, bytes}, convert, convert##_big                                                                       \
    }
#define BYTE(name, convert)                                                                                            \
    {                                                                                                                  \
        {name, 1, 1}, convert, convert                                                                                 \
    }
#define BLOCK(name, elements, bytes, convert)                                                                          \
    {                                                                                                                  \
        {name, elements, bytes}, convert, convert                                                                      \
    }

static const attn_dtype_row rows[ATTN_N_DTYPES] = {
    [ATTN_F32] = PLAIN("F32", 4, attn_convert_f32),
    [ATTN_F64] = PLAIN("F64", 8, attn_convert_f64),
    [ATTN_F16] = PLAIN("F16", 2, attn_convert_f16),
    [ATTN_BF16] = PLAIN("BF16", 2, attn_convert_bf16),
    [ATTN_I8] = BYTE("I8", attn_convert_i8),
    [ATTN_I16] = PLAIN("I16", 2, attn_convert_i16),
    [ATTN_I32] = PLAIN("I32", 4, attn_convert_i32),
    [ATTN_I64] = PLAIN("I64", 8, attn_convert_i64),
    [ATTN_U8] = BYTE("U8", attn_convert_u8),
    [ATTN_U16] = PLAIN("U16", 2, attn_convert_u16),
    [ATTN_U32] = PLAIN("U32", 4, attn_convert_u32),
    [ATTN_U64] = PLAIN("U64", 8, attn_convert_u64),
    [ATTN_BOOL] = BYTE("BOOL", attn_convert_bool),
    [ATTN_Q4_0] = BLOCK("Q4_0", 32, 18, attn_convert_q4_0),
    [ATTN_Q4_1] = BLOCK("Q4_1", 32, 20, attn_convert_q4_1),
    [ATTN_Q5_0] = BLOCK("Q5_0", 32, 22, attn_convert_q5_0),
    [ATTN_Q5_1] = BLOCK("Q5_1", 32, 24, attn_convert_q5_1),
    [ATTN_Q8_0] = BLOCK("Q8_0", 32, 34, attn_convert_q8_0),
    [ATTN_Q2_K] = BLOCK("Q2_K", 256, 84, attn_convert_q2_k),
    [ATTN_Q3_K] = BLOCK("Q3_K", 256, 110, attn_convert_q3_k),
    [ATTN_Q4_K] = BLOCK("Q4_K", 256, 144, attn_convert_q4_k),
    [ATTN_Q5_K] = BLOCK("Q5_K", 256, 176, attn_convert_q5_k),
    [ATTN_Q6_K] = BLOCK("Q6_K", 256, 210, attn_convert_q6_k),
    [ATTN_IQ4_NL] = BLOCK("IQ4_NL", 32, 18, attn_convert_iq4_nl),
    [ATTN_IQ4_XS] = BLOCK("IQ4_XS", 256, 136, attn_convert_iq4_xs),
    [ATTN_IQ1_S] = BLOCK("IQ1_S", 256, 50, attn_convert_iq1_s),
    [ATTN_IQ1_M] = BLOCK("IQ1_M", 256, 56, attn_convert_iq1_m),
    [ATTN_IQ2_XXS] = BLOCK("IQ2_XXS", 256, 66, attn_convert_iq2_xxs),
    [ATTN_IQ2_XS] = BLOCK("IQ2_XS", 256, 74, attn_convert_iq2_xs),
    [ATTN_IQ2_S] = BLOCK("IQ2_S", 256, 82, attn_convert_iq2_s),
    [ATTN_IQ3_XXS] = BLOCK("IQ3_XXS", 256, 98, attn_convert_iq3_xxs),
    [ATTN_IQ3_S] = BLOCK("IQ3_S", 256, 110, attn_convert_iq3_s),
    [ATTN_TQ1_0] = BLOCK("TQ1_0", 256, 54, attn_convert_tq1_0),
    [ATTN_TQ2_0] = BLOCK("TQ2_0", 256, 66, attn_convert_tq2_0),
    [ATTN_Q1_0] = BLOCK("Q1_0", 128, 18, attn_convert_q1_0),
    [ATTN_Q2_0] = BLOCK("Q2_0", 64, 18, attn_convert_q2_0),
    [ATTN_MXFP4] = BLOCK("MXFP4", 32, 17, attn_convert_mxfp4),
    [ATTN_NVFP4] = BLOCK("NVFP4", 64, 36, attn_convert_nvfp4),
};

const attn_dtype_row *attn_dtype_row_of(attn_dtype dtype)
{
    assert((size_t)dtype < ATTN_N_DTYPES);
    return &rows[dtype];
}

const attn_dtype_info *attn_dtype_of(attn_dtype dtype)
{
    return &attn_dtype_row_of(dtype)->info;
}
