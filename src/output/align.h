/* align.h: rows of cells held back until their columns can be aligned by display width, and made to fit a screen: what
 * leads and is the same in all rows goes into a title, labels are cut, numbers lose decimals, and where all that does
 * not help the last columns are left out, which a note says. Private to output/. */
#ifndef ATTN_OUTPUT_ALIGN_H
#define ATTN_OUTPUT_ALIGN_H

#include "base/buffer.h"
#include "output/number.h"
#include "output/screen.h"
#include "output/sink.h"

typedef struct attn_align_column {
    size_t width;     /* of the widest text so far; by the layout, of its cells as they are printed */
    bool left;        /* texts stand left, numbers right */
    attn_range range; /* of its numbers, for colors */
    double largest;   /* of their sizes */
    bool titled;      /* it stands in the title */
} attn_align_column;

typedef struct attn_align_cell {
    size_t end;     /* in bytes; a number has none there */
    size_t columns; /* of a text */
    float number;
    bool is_number, left;
} attn_align_cell;

typedef struct attn_align {
    attn_align_column *columns; /* owned; [n_columns] */
    size_t n_columns, n_shown;  /* the others are left out, by the layout */
    attn_buffer bytes;          /* of the cells held back, one behind the other */
    attn_align_cell *cells;     /* owned; [n_cells] */
    size_t n_cells, capacity;
    attn_screen screen;
    int precision;  /* decimals; NEGATIVE: usually 4 */
    bool keeps_all; /* no column goes into a title */
    bool has_names; /* the first row held back are the columns' names */
    bool printed;   /* some rows were, since the columns began */
    size_t label_most;
    int decimals; /* of the layout */
} attn_align;

/* COLUMNS: how many; of SCREEN; numbers of PRECISION decimals, or (ATTN_SHORTEST) of 4, fewer where it must be. */
attn_status attn_align_open(attn_align *align, size_t n_columns, const attn_screen *screen, int precision,
                            attn_error *error);
/* What the caller appended to align->bytes since the last call is the next cell; LEFT: it is a text. */
attn_status attn_align_text(attn_align *align, bool left, attn_error *error);
attn_status attn_align_number(attn_align *align, float number, attn_range range, attn_error *error);
/* The rows so far, one, are the names of the columns. */
void attn_align_names(attn_align *align);
/* Writes the rows held back: at the end, and by itself when they are many. */
attn_status attn_align_flush(attn_align *align, attn_sink *sink, attn_error *error);
/* The same, and the columns begin anew. */
attn_status attn_align_restart(attn_align *align, attn_sink *sink, attn_error *error);
bool attn_align_is_full(const attn_align *align);
void attn_align_close(attn_align *align);

/* COUNT spaces. */
void attn_align_pad(attn_sink *sink, size_t count);

enum { ATTN_USUAL_DECIMALS = 4, ATTN_BRIEFLY = -2 /* decimals: attn_fit_number */ };
/* NUMBER in DECIMALS (or ATTN_BRIEFLY); returns the length. */
size_t attn_align_put_number(float number, int decimals, char text[ATTN_NUMBER_ROOM]);

#endif
