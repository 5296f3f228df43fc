/* nearest.h: the rows of a table nearest to given vectors by cosine, exactly.
 *
 * A similarity is the cosine computed in double from the vectors as they are and rounded to float32
 * once: it depends on the two vectors alone, not on the other queries, the kernel or the number of
 * threads. The fast float32 products only find which rows can be among the nearest: all within a
 * bound on their error are looked at. Of equal similarities the lower row comes first. A row of
 * zeros, or a query of zeros, has similarity 0 to everything. A row with a NaN or an infinity is
 * never listed; a query with one has no neighbours. */
#ifndef ATTN_KERNELS_NEAREST_H
#define ATTN_KERNELS_NEAREST_H

#include "base/error.h"
#include "base/thread.h"
#include "tensor/tensor.h"

typedef struct attn_nearest attn_nearest; /* a table made ready: its rows' norms */

/* TABLE [n_rows][dim], of any type and strides, must outlive *NEAREST. Data NULL: the identity
 * (one-hot rows). Reads the table once. Fails only for want of memory. */
attn_status attn_nearest_open(const attn_tensor *table, attn_pool *pool, attn_nearest **nearest, attn_error *error);
/* How many of its rows hold a NaN or an infinity. */
size_t attn_nearest_lost(const attn_nearest *nearest);
void attn_nearest_close(attn_nearest *nearest);

typedef struct attn_near_hit {
    size_t row;
    float similarity; /* −1…1 */
} attn_near_hit;

typedef struct attn_near_rows { /* rows a query must not list; their order does not matter */
    const uint32_t *rows;       /* borrowed; [count] */
    size_t count;
} attn_near_rows;

typedef struct attn_near_request {
    const float *queries; /* borrowed; [n_queries][dim] */
    size_t stride;        /* floats from query to query */
    size_t n_queries;
    const attn_near_rows *excluded; /* borrowed; [n_queries]; NULL: none */
    size_t top;                     /* how many rows a query asks for */
    /* the caller's; [n_queries][top]: descending similarity, then ascending row */
    attn_near_hit *hits;
    size_t *n_hits; /* the caller's; [n_queries]: how many of its hits are filled, <= top */
} attn_near_request;

/* Few queries read the table once at the speed of memory; many run as one packed product. Fails
 * only for want of memory. */
attn_status attn_nearest_find(const attn_nearest *nearest, const attn_near_request *request, attn_pool *pool,
                              attn_error *error);

#endif
