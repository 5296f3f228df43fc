/* heat_map.h: one map of numbers as lines of text, in colors or in digits, as wide as it may be. Used by heat.c alone,
 * which knows where the numbers come from. Private to output/. */
#ifndef ATTN_OUTPUT_HEAT_MAP_H
#define ATTN_OUTPUT_HEAT_MAP_H

#include "output/color.h"
#include "output/output.h"
#include "output/pool.h"

typedef struct attn_heat_axis { /* the rows or the columns of a map */
    size_t n;
    const size_t *numbers;    /* [n], borrowed: positions, layers, heads */
    const attn_bytes *labels; /* [n], borrowed: behind the numbers; NULL: none */
    const char *before;       /* stands before each number: "layer " */
} attn_heat_axis;

typedef struct attn_heat_map {
    attn_range range;
    attn_pooled cells; /* owned */
} attn_heat_map;

/* How maps of one text are drawn. */
typedef struct attn_heat_look {
    attn_screen screen;
    attn_shade shade; /* of colors, or without a palette of digits */
    const char *row;  /* what a row is, for the legend: "query" */
    size_t cell;      /* columns a cell takes: 4 (percent), 2 or 1 */
    bool halves;      /* two rows a line */
    bool numbered;    /* no labels, and numbers only here and there */
    size_t label;     /* columns of labels or numbers at the left, the space behind them counted; 0: none */
    size_t most_rows, most_columns; /* beyond which a map is pooled */
} attn_heat_look;

/* The first of the layouts (see the manual) in which a map of ROWS and COLUMNS fits the screen of LOOK, which has its
 * other fields already. */
void attn_heat_lay_out(attn_heat_look *look, const attn_heat_axis *rows, const attn_heat_axis *columns);

/* For maps side by side. */
void attn_heat_lay_out_small(attn_heat_look *look);

/* The lines of MAP: numbers of the columns, then the rows. */
attn_status attn_heat_put(attn_sink *sink, const attn_heat_look *look, const attn_heat_map *map,
                          const attn_heat_axis *rows, const attn_heat_axis *columns, attn_error *error);
/* Several, side by side, each WIDTHS[i] columns wide, with two between. */
void attn_heat_put_several(attn_sink *sink, const attn_heat_look *look, const attn_heat_map *maps, const size_t *widths,
                           size_t n);

/* What was drawn since the last legend. {0}: nothing yet. */
typedef struct attn_heat_sight {
    bool masked, no_number;  /* some cell */
    bool from_0, both_signs; /* some map, by its range */
    bool unit, some_unit;    /* every map, some map: likewise */
    size_t n, down, across;  /* maps; cells that became one */
    double largest;          /* of the last map */
} attn_heat_sight;
void attn_heat_see(attn_heat_sight *sight, const attn_heat_map *map);
/* What colors and digits mean, as a paragraph. FULLS (may be NULL): "entropy 3.1203, distance 2.5", what is full in
 * those of several maps where it is not 1. */
attn_status attn_heat_put_legend(attn_sink *sink, const attn_heat_look *look, const attn_heat_sight *sight,
                                 const char *fulls, attn_error *error);

/* The lightest and the heaviest glyph without color: `·` below .05, `#` from .95. */
const char *attn_heat_dot(const attn_screen *screen);

#endif
