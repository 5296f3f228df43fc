/* tensor.h: a view of numbers that somebody else owns (a mapping, an arena): type, shape, strides;
 * and the only conversion to float32. */
#ifndef ATTN_TENSOR_TENSOR_H
#define ATTN_TENSOR_TENSOR_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

typedef enum attn_dtype {
    ATTN_F32,
    ATTN_F64,
    ATTN_F16,
    ATTN_BF16,
    ATTN_I8,
    ATTN_I16,
    ATTN_I32,
    ATTN_I64,
    ATTN_U8,
    ATTN_U16,
    ATTN_U32,
    ATTN_U64,
    ATTN_BOOL,
    /* block types of GGUF: a row is whole blocks of 32 to 256 elements */
    ATTN_Q4_0,
    ATTN_Q4_1,
    ATTN_Q5_0,
    ATTN_Q5_1,
    ATTN_Q8_0,
    ATTN_Q2_K,
    ATTN_Q3_K,
    ATTN_Q4_K,
    ATTN_Q5_K,
    ATTN_Q6_K,
    ATTN_IQ4_NL,
    ATTN_IQ4_XS,
    ATTN_IQ1_S,
    ATTN_IQ1_M,
    ATTN_IQ2_XXS,
    ATTN_IQ2_XS,
    ATTN_IQ2_S,
    ATTN_IQ3_XXS,
    ATTN_IQ3_S,
    ATTN_TQ1_0,
    ATTN_TQ2_0,
    ATTN_Q1_0,
    ATTN_Q2_0,
    ATTN_MXFP4,
    ATTN_NVFP4,
    ATTN_N_DTYPES
} attn_dtype;

typedef struct attn_dtype_info {
    const char *name;      /* "F32", "Q4_K" */
    size_t block_elements; /* 1 for plain types */
    size_t block_bytes;
} attn_dtype_info;

const attn_dtype_info *attn_dtype_of(attn_dtype dtype);

enum { ATTN_MAX_DIMS = 8 };

typedef struct attn_tensor {
    const uint8_t *data; /* borrowed; any alignment */
    attn_dtype dtype;
    bool big_endian;
    size_t n_dims;
    size_t shape[ATTN_MAX_DIMS]; /* outermost first */
    /* in elements; block types: the innermost stored dimension is contiguous, the others whole rows */
    ptrdiff_t strides[ATTN_MAX_DIMS];
} attn_tensor;

/* A contiguous row-major view. */
attn_tensor attn_tensor_make(const void *data, attn_dtype dtype, size_t n_dims, const size_t *shape);
attn_tensor attn_tensor_f32(const float *data, size_t n_rows, size_t n_columns);
bool attn_tensor_count(const attn_tensor *tensor, size_t *count); /* false: the product overflows */
bool attn_tensor_is_empty(const attn_tensor *tensor);             /* some dimension is 0 */
/* The bytes a contiguous tensor of this type and shape takes; false: overflow, or a block type
 * whose innermost dimension is not whole blocks. */
bool attn_tensor_bytes(attn_dtype dtype, size_t n_dims, const size_t *shape, size_t *bytes);

/* Views: no data moves. */
attn_tensor attn_tensor_transpose(attn_tensor matrix);                       /* 2-D: swap rows and columns */
attn_tensor attn_tensor_rows(attn_tensor tensor, size_t from, size_t count); /* of dimension 0 */
attn_tensor attn_tensor_at(attn_tensor tensor, size_t index);                /* drop dimension 0 */
/* 2-D; of a block type only where it stays in rows stored contiguously */
attn_tensor attn_tensor_columns(attn_tensor matrix, size_t from, size_t count);

/* Dimensions of 1 say nothing of which number is where, and writers leave them out at either end: GGUF's, numpy's
 * squeeze. TENSOR as a view of SHAPE[N_DIMS], which differs from its own by dimensions of 1 at most; false: it does
 * not. VIEW may be TENSOR. */
bool attn_tensor_as(const attn_tensor *tensor, size_t n_dims, const size_t *shape, attn_tensor *view);
/* As a matrix: one row where it has one dimension; of more than two, all but two must be 1 (the first are taken away,
 * then the last). False: it is none. */
bool attn_tensor_as_matrix(const attn_tensor *tensor, attn_tensor *view);

/* Convert to float32, row-major. attn_tensor_read: rows ROW…ROW+N_ROWS−1 and columns
 * COLUMN…COLUMN+N_COLUMNS−1 of a matrix (a transposed view of a block type included) to OUT with
 * OUT_STRIDE floats from row to row. Bounds are the caller's to keep (asserted). */
void attn_tensor_read(const attn_tensor *matrix, size_t row, size_t n_rows, size_t column, size_t n_columns, float *out,
                      size_t out_stride);
void attn_tensor_to_f32(const attn_tensor *tensor, float *out); /* all of it; [count] */
/* The data itself when it already is contiguous aligned native float32, else NULL: use it in place. */
const float *attn_tensor_as_f32(const attn_tensor *tensor);
/* The same, or a float32 copy in ARENA where it can not be used in place. NULL: out of memory. */
const float *attn_tensor_floats(const attn_tensor *tensor, attn_arena *arena);
/* "F32 [64][512]" */
void attn_tensor_describe(const attn_tensor *tensor, char *text, size_t size);

#endif
