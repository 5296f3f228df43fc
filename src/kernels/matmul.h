/* matmul.h: y = x·W + bias on the kernels' tile: the projections, the feed-forward, the output head. */
#ifndef ATTN_KERNELS_MATMUL_H
#define ATTN_KERNELS_MATMUL_H

#include "base/error.h"
#include "base/thread.h"
#include "tensor/tensor.h"

typedef struct attn_product {
    const float *x;  /* borrowed; [n_rows][in] */
    size_t x_stride; /* floats from row to row */
    size_t n_rows;
    /* borrowed; [in][out]: a matrix of any type and strides, a transposed view of a container's [out][in] too */
    const attn_tensor *w;
    const float *bias; /* borrowed; [out]; NULL: none */
    float *y;          /* borrowed; [n_rows][out]; must not overlap x */
    size_t y_stride;
} attn_product;

/* A row of y depends on its row of x alone: not on n_rows, not on the number of threads. Fails only
 * for want of memory. */
attn_status attn_matmul(const attn_product *product, attn_pool *pool, attn_error *error);

#endif
