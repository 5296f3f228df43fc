/* sheet.h: one table of steps, said in as much detail as fits a line. Private to output/; steps_page.c uses it. */
#ifndef ATTN_OUTPUT_SHEET_H
#define ATTN_OUTPUT_SHEET_H

#include "output/output.h"

/* How much is said; the first that fits is taken. */
typedef struct attn_detail {
    bool products, largest; /* a sum as all its products; only the largest of them, beside it */
    bool written;           /* short vectors number by number */
    bool beside;            /* the note beside the last row; else it is left to the caller */
    int decimals;
    size_t label;   /* columns of a token */
    size_t dropped; /* columns left out, from the right; never the first, and none whose rest is worth saying */
} attn_detail;

/* All there is to say. */
attn_detail attn_sheet_all(const attn_writer *writer);
/* The table of STEPS in lines of at most WIDTH columns, if that can be. *HOW: what was said of it. */
attn_status attn_sheet_put(const attn_writer *writer, size_t width, const attn_step_table *steps, attn_detail *how,
                           attn_error *error);

/* NUMBER with so many decimals; BARE: with no more of them than it has, for it does not stand in a column. */
void attn_sheet_number(attn_buffer *out, float number, int decimals, bool bare);
void attn_sheet_vector(attn_buffer *out, const float *values, size_t n, int decimals); /* "(0.8044, 0.1956)" */
float attn_sheet_length(const float *values, size_t n);
/* A token's text in at most ROOM columns, the last of them … where it is cut. */
void attn_sheet_label(attn_buffer *out, attn_bytes label, size_t room);
/* The step is a vector that is written out. */
bool attn_sheet_writes(const attn_step *step, const attn_detail *how);
bool attn_step_is_there(const attn_step *step, size_t row);
/* The rows on a page: how many, and which stands at place I. */
size_t attn_rows_shown(const attn_step_rows *rows);
size_t attn_row_at(const attn_step_rows *rows, size_t i);

#endif
