/* table_grid.h: grids of a table: a row a query, a column a key, `·` where masked. Used by table.c alone. Rows are held
 * back until their columns can be aligned; on a screen that is too narrow labels are cut, numbers lose decimals, and
 * then the keys go on in a further band of rows. Private to output/. */
#ifndef ATTN_OUTPUT_TABLE_GRID_H
#define ATTN_OUTPUT_TABLE_GRID_H

#include "output/output.h"

typedef struct attn_table_grid {
    const attn_writer *writer;   /* borrowed */
    attn_labels *queries, *keys; /* borrowed: escaped labels */
    bool begun, held;
    size_t layer, head, n_grids;
    float *values;    /* owned; [n_rows][n_keys] */
    uint8_t *visible; /* owned; [n_rows][n_keys] */
    size_t *rows;     /* owned; [n_rows]: the queries */
    size_t n_rows, capacity;
    /* the layout */
    size_t number_width, label_most, label_width;
    int decimals;
} attn_table_grid;

/* For the writer's text, whose labels are made. */
attn_status attn_table_grid_begin(attn_table_grid *grid, attn_error *error);
attn_status attn_table_grid_row(attn_table_grid *grid, const attn_grid_row *row, attn_error *error);
attn_status attn_table_grid_end(attn_table_grid *grid, attn_error *error);
void attn_table_grid_free(attn_table_grid *grid);

/* Whether a grid of TEXT stands in the screen of WRITER with whole labels and the usual decimals, as far as can be
 * known before its numbers. */
bool attn_table_grid_fits(const attn_writer *writer, const attn_writer_text *text);

#endif
