/* svg.h: what the drawings of -f svg share: the page, and the pieces it is made of. Private to output/.
 *
 * A drawing appends elements to the page's body, from its corner (0, 0) on, and says how far it reaches; svg.c puts
 * the whole around it at the end. Lengths are pixels; coordinates are written with one decimal. No script, no font
 * and no style from outside; what is black on white turns light on dark where the reader's system is dark. */
#ifndef ATTN_OUTPUT_SVG_H
#define ATTN_OUTPUT_SVG_H

#include "output/output.h"
#include "output/png.h"

enum {
    ATTN_SVG_FONT = 12,
    ATTN_SVG_LINE = 18,          /* from one line of text to the next */
    ATTN_SVG_TOKEN_COLUMNS = 16, /* columns of a terminal that a token may be wide; the rest is cut off */
};

typedef struct attn_svg attn_svg;

typedef struct attn_svg_drawing { /* what one kind of picture does; each may be NULL, as in attn_output */
    size_t size;                  /* of svg->state, cleared before open */
    attn_status (*open)(attn_svg *svg, attn_error *error);
    attn_status (*text_begin)(attn_svg *svg, attn_error *error);
    attn_status (*grid)(attn_svg *svg, const attn_grid_row *row, attn_error *error);
    attn_status (*record)(attn_svg *svg, const attn_cell *cells, attn_error *error);
    attn_status (*plane)(attn_svg *svg, const attn_plane *plane, attn_error *error);
    attn_status (*text_end)(attn_svg *svg, attn_error *error);
    void (*close)(attn_svg *svg);
} attn_svg_drawing;

extern const attn_svg_drawing attn_svg_maps;  /* grids: a map a head, or a thumbnail */
extern const attn_svg_drawing attn_svg_lines; /* grids: lines between two columns of tokens */
extern const attn_svg_drawing attn_svg_heads; /* records by head: a map a column */
extern const attn_svg_drawing attn_svg_plane; /* points in a plane, with arrows */

struct attn_svg {
    attn_writer writer;
    const attn_svg_drawing *drawing;
    void *state;          /* owned; the drawing's */
    attn_buffer body;     /* owned */
    attn_buffer about;    /* owned: what the picture shows, as its <desc> */
    attn_buffer file;     /* owned: of the text, escaped */
    double width, height; /* of the body */
};

/* The body now reaches to (X, Y) at least. */
void attn_svg_reach(attn_svg *svg, double x, double y);

/* ` NAME="VALUE"`, one decimal. */
void attn_svg_length(attn_buffer *out, const char *name, double value);
void attn_svg_coordinate(attn_buffer *out, double value);
/* `<rect …` and `<line …`, still open: attributes and "/>" follow. */
void attn_svg_rect(attn_buffer *out, double x, double y, double width, double height);
void attn_svg_line(attn_buffer *out, double x1, double y1, double x2, double y2);
/* `<text …>`; the content and "</text>" follow. ANCHOR: "start", "middle" or "end". */
void attn_svg_text(attn_buffer *out, double x, double y, const char *anchor);
void attn_svg_opacity(attn_buffer *out, double share); /* ` stroke-opacity="0.25"`: of 1, two decimals */
void attn_svg_color(attn_buffer *out, attn_rgb color); /* #rrggbb */
/* A number as titles show it: --precision, or four decimals. */
void attn_svg_number(const attn_svg *svg, attn_buffer *out, double value);
/* The same where it ends a scale: no more decimals than it needs. */
void attn_svg_bound(attn_buffer *out, double value);

/* LABEL for eyes, leading spaces as ␣; cut to COLUMNS of a terminal, with … (0: not cut). */
void attn_svg_label(attn_buffer *out, attn_bytes label, size_t columns);
/* "3 ␣Israel", cut. */
void attn_svg_token(attn_buffer *out, const attn_side *side, size_t index);
/* How many pixels that is wide at most, at the font's usual size; of all tokens of SIDE. */
double attn_svg_tokens_width(const attn_side *side);
double attn_svg_text_width(attn_bytes text);

/* "layer 3, head 4" (or "mean of heads"). */
void attn_svg_place(attn_buffer *out, size_t layer, size_t head);

typedef struct attn_svg_legend {
    attn_range range;
    attn_shade shade;
    double full;         /* what full color is; 0: each map's (or row's) own largest */
    size_t down, across; /* cells of a pixel */
    bool masked;         /* whether nothing means masked */
    const char *each;    /* what has a largest of its own where full is 0: "map" */
} attn_svg_legend;
/* The scale with its bounds, at (X, Y), and in words what a reader must know of it. */
void attn_svg_put_legend(attn_svg *svg, double x, double y, const attn_svg_legend *legend);
/* --shade, or else OTHERWISE. */
attn_shade attn_svg_shade(const attn_svg *svg, attn_shade otherwise);

#endif
