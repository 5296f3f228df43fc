/* align.h: rows of text held back until their columns can be aligned by display width. Private to output/. */
#ifndef ATTN_OUTPUT_ALIGN_H
#define ATTN_OUTPUT_ALIGN_H

#include "base/buffer.h"
#include "output/sink.h"

typedef struct attn_align_column {
    size_t width; /* of the widest cell so far */
    bool left;    /* texts stand left, numbers right */
} attn_align_column;

typedef struct attn_align {
    attn_align_column *columns; /* owned; [n_columns] */
    size_t n_columns;
    attn_buffer bytes; /* of the cells held back, one behind the other */
    size_t *ends;      /* owned; [n_cells]: where each cell ends in bytes */
    size_t n_cells, capacity;
} attn_align;

attn_status attn_align_open(attn_align *align, size_t n_columns, attn_error *error);
/* What the caller appended to align->bytes since the last call is the next cell; LEFT: it is a text. */
attn_status attn_align_cell(attn_align *align, bool left, attn_error *error);
/* Writes the rows held back: at the end, and by itself when they are many. */
void attn_align_flush(attn_align *align, attn_sink *sink);
/* The same, and the columns begin anew. */
void attn_align_restart(attn_align *align, attn_sink *sink);
bool attn_align_is_full(const attn_align *align);
void attn_align_close(attn_align *align);

/* COUNT spaces. */
void attn_align_pad(attn_sink *sink, size_t count);

#endif
