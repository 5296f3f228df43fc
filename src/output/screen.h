/* screen.h: what the reader of a text for eyes has before him: how wide it is, which colors it has, whether it shows
 * more than ASCII. A terminal is asked; a pipe or a file has no width and no colors but those that were asked for.
 * Private to output/. */
#ifndef ATTN_OUTPUT_SCREEN_H
#define ATTN_OUTPUT_SCREEN_H

#include "output/sink.h"
#include "output/writer.h"

typedef enum attn_palette {
    ATTN_PALETTE_NONE,
    ATTN_PALETTE_256, /* of xterm's 256 colors */
    ATTN_PALETTE_RGB  /* 24 bits */
} attn_palette;

enum { ATTN_LEAST_WIDTH = 20, ATTN_USUAL_WIDTH = 80 };

typedef struct attn_screen {
    size_t limit; /* no line may be wider; SIZE_MAX: lines end where they end */
    size_t width; /* what a picture may take */
    attn_palette palette;
    bool ascii; /* the locale says that it is not UTF-8 */
} attn_screen;

/* Of what is written to SINK, by REQUEST and the environment: COLUMNS, TERM, COLORTERM, NO_COLOR, and the locale's
 * LC_ALL, LC_CTYPE, LANG. A width below ATTN_LEAST_WIDTH is taken as that. */
attn_screen attn_screen_of(const attn_sink *sink, const attn_output_request *request);

/* The escape sequence from which on letters stand on the color at SHARE of RANGE's scale (color.h), in the black or
 * white that can be read there. Returns its length; 0 without a palette. No NUL. */
enum { ATTN_PAINT_ROOM = 48 };
size_t attn_paint(attn_palette palette, attn_range range, double share, char text[ATTN_PAINT_ROOM]);
/* The same for a letter of the color at LETTER, on the color at SHARE, or (SHARE NULL) on none. */
size_t attn_paint_letter(attn_palette palette, attn_range range, double letter, const double *share,
                         char text[ATTN_PAINT_ROOM]);
/* Ends either. */
#define ATTN_PAINT_END "\033[0m"

#endif
