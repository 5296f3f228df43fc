/* fit.h: texts made to fit a width, counted in a terminal's columns: labels are cut, sentences go on in the next line,
 * numbers become short. Private to output/. */
#ifndef ATTN_OUTPUT_FIT_H
#define ATTN_OUTPUT_FIT_H

#include "base/buffer.h"
#include "output/number.h"
#include "output/sink.h"

/* Appends TEXT, or as much of it as stands in WIDTH (>= 1) columns with a `…` (ASCII: `~`) behind it. Returns the
 * columns. */
size_t attn_fit_label(attn_bytes text, size_t width, bool ascii, attn_buffer *out);

/* Puts TEXT, cut likewise, into SINK. */
size_t attn_fit_put(attn_sink *sink, attn_bytes text, size_t width, bool ascii);

/* A paragraph: words go on in the next line where they would pass LIMIT. {.sink, .limit}; end it with attn_fit_end. */
typedef struct attn_paragraph {
    attn_sink *sink; /* borrowed */
    size_t limit, column;
    bool ascii;
} attn_paragraph;
/* A word of WIDTH columns, which may hold escape sequences and is not cut. */
void attn_fit_word(attn_paragraph *paragraph, attn_bytes word, size_t width);
/* The words of TEXT, which spaces separate; one that is wider than a line is cut. */
void attn_fit_text(attn_paragraph *paragraph, attn_bytes text);
void attn_fit_end(attn_paragraph *paragraph);

/* NUMBER in at most 10 columns: four decimals, or with an exponent where it is large or small. Returns the length; no
 * NUL. */
size_t attn_fit_number(double number, char text[ATTN_NUMBER_ROOM]);

#endif
