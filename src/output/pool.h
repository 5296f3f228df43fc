/* pool.h: a map of numbers made smaller for a picture, each cell the largest of a square of them: a viewer that shrinks
 * a picture by means loses a single bright diagonal. Rows come one at a time, so the whole map is never held. Knows no
 * format. */
#ifndef ATTN_OUTPUT_POOL_H
#define ATTN_OUTPUT_POOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct attn_pooled {
    size_t n_rows, n_columns; /* of the map */
    size_t down, across;      /* so many cells became one; 1 and 1: nothing is pooled */
    size_t rows, columns;     /* ⌈n_rows/down⌉, ⌈n_columns/across⌉ */
    float *values;            /* owned; [rows][columns]: the largest by size, its sign kept; NaN is larger than any */
    uint8_t *visible;         /* owned; [rows][columns]: whether any of the cells is */
} attn_pooled;

/* How many cells become one, that MOST_ROWS and MOST_COLUMNS (>= 1) hold the map: as many down as across, the fewest
 * that do; but where of a strip's few rows (or columns) hardly any would be left, fewer of them. */
void attn_pooled_blocks(size_t n_rows, size_t n_columns, size_t most_rows, size_t most_columns, size_t *down,
                        size_t *across);
/* So pooled; empty: no cell is visible yet. attn_pooled_free whatever comes back. */
attn_status attn_pooled_make(attn_pooled *pooled, size_t n_rows, size_t n_columns, size_t most_rows,
                             size_t most_columns, attn_error *error);
/* Makes it empty again. */
void attn_pooled_clear(attn_pooled *pooled);
/* Adds row ROW of the map. VISIBLE NULL: all cells are. */
void attn_pooled_add(attn_pooled *pooled, size_t row, const float *values /* [n_columns] */,
                     const uint8_t *visible /* [n_columns] */);
/* The largest |value| that is visible and finite: of row ROW, of all; 0 where none is. */
double attn_pooled_largest_of_row(const attn_pooled *pooled, size_t row);
double attn_pooled_largest(const attn_pooled *pooled);
void attn_pooled_free(attn_pooled *pooled);

#endif
