/* html_cells.h: the numbers of one map as a page of HTML holds them, and their way into it. Knows no page.
 *
 * A number is kept as the decimal that a table prints of it, and in which eighth of that decimal's reach it lies:
 *
 *   m = v·10^decimals, rounded half to even      r = ⌊8·(v·10^decimals − m + ½)⌋, 0…7
 *   code = 8m + r − least                        v ≈ (m + (r − 3½)/8)/10^decimals
 *
 * so that what a page shows is what the table shows, to the last digit, and what it draws and adds up is within
 * 10^−decimals/16: 6.25e-6 of four decimals. (Plain 16-bit fractions of 1 take 4 % less room, but one in twenty-five
 * has another last digit.) Where a map holds what has no such code, NaN, infinities or numbers of more than 32 bits,
 * or where more decimals are asked for than codes have, all its codes are the numbers' own float32 bits.
 *
 * The stream of a map is zlib's (RFC 1950) of: the mask, when it is none that has a name, one bit a cell, row by row,
 * the lowest bit of a byte first; then the codes of the visible cells, row by row: the highest byte of all of them,
 * the next byte of all of them … It stands in the page as base64 (RFC 4648). */
#ifndef ATTN_OUTPUT_HTML_CELLS_H
#define ATTN_OUTPUT_HTML_CELLS_H

#include "output/writer.h"

enum { ATTN_HTML_MOST_DECIMALS = 9, ATTN_HTML_PARTS = 8 };

typedef enum attn_html_mask {
    ATTN_HTML_MASK_NONE,   /* every cell is visible */
    ATTN_HTML_MASK_CAUSAL, /* those whose key stands no later than their query */
    ATTN_HTML_MASK_BITS    /* as the stream says */
} attn_html_mask;

typedef struct attn_html_cells { /* one map, row by row; {0} is none */
    size_t n_rows, n_columns;
    int decimals;
    const size_t *row_positions, *column_positions; /* borrowed; what ATTN_HTML_MASK_CAUSAL goes by */
    uint32_t *codes;                                /* owned; [n_rows][n_columns]: float32 bits until packed */
    uint8_t *visible;                               /* owned; [n_rows][n_columns] */
    size_t n_done;                                  /* rows added */
    /* when packed: */
    attn_html_mask mask;
    bool floats;      /* codes are float32 bits */
    int64_t least;    /* of all 8m + r */
    unsigned n_bytes; /* of a code; 0: there is one code, or none */
    size_t n_codes;
} attn_html_cells;

/* Room for the maps of a text; its sides are borrowed as long as rows come. */
attn_status attn_html_cells_open(attn_html_cells *cells, const attn_writer_text *text, int decimals, attn_error *error);
void attn_html_cells_clear(attn_html_cells *cells);
/* The next row; VALUES and VISIBLE [n_columns]. */
void attn_html_cells_add(attn_html_cells *cells, const float *values, const uint8_t *visible);
/* Makes codes of all that was added, in place: nothing is added until it is cleared. */
void attn_html_cells_pack(attn_html_cells *cells);
/* The packed stream into SINK. */
attn_status attn_html_cells_put(const attn_html_cells *cells, attn_sink *sink, attn_error *error);
void attn_html_cells_close(attn_html_cells *cells);

/* zlib's stream of bytes, as base64, into a sink. */
typedef struct attn_html_stream attn_html_stream;
attn_status attn_html_stream_open(attn_sink *sink, attn_html_stream **stream, attn_error *error);
/* Only ATTN_ENOMEM and what the sink says. */
attn_status attn_html_stream_put(attn_html_stream *stream, const uint8_t *bytes, size_t size, attn_error *error);
attn_status attn_html_stream_end(attn_html_stream *stream, attn_error *error);
void attn_html_stream_close(attn_html_stream *stream);

#endif
