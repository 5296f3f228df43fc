/* dtype.c: the one table of element types. A new type is one row here, its converter in plain.c or
 * quants.c, and its number in the readers of the formats that have it. */
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
