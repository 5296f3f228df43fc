/* neighbors.h: the embedding table as nearest-word index, for `nearest` and `similar`. Private to report/. */
#ifndef ATTN_REPORT_NEIGHBORS_H
#define ATTN_REPORT_NEIGHBORS_H

#include "kernels/nearest.h"
#include "report/kind.h"

typedef struct attn_neighbors {
    attn_nearest *index; /* owned; opened at first use: it reads the whole table */
    attn_tensor table;   /* of the model; one-hot rows: data NULL */
    size_t top;          /* rows a query asks for */
    attn_near_hit *hits; /* owned; [n_queries][top] of the last question */
    size_t *n_hits;      /* owned; [n_queries] */
    size_t capacity;     /* queries there is room for */
    attn_buffer label;
} attn_neighbors;

void attn_neighbors_init(attn_neighbors *neighbors, const attn_report *report);
/* Fills hits and n_hits for N queries [n][d_model], each without its excluded rows (NULL: none). */
attn_status attn_neighbors_ask(attn_neighbors *neighbors, attn_report *report, const float *queries, size_t stride,
                               size_t n, const attn_near_rows *excluded, attn_error *error);
/* A record for each hit of query QUERY, down to --min: BEFORE[n_before] (at most ATTN_NEIGHBOR_CELLS), rank, neighbor,
 * similarity. */
enum { ATTN_NEIGHBOR_CELLS = 8 };
attn_status attn_neighbors_records(attn_neighbors *neighbors, attn_report *report, size_t query,
                                   const attn_cell *before, size_t n_before, attn_error *error);
void attn_neighbors_close(attn_neighbors *neighbors);

#endif
