/* color.h: the one scale of colors that every picture has: maps in a terminal, in SVG, in HTML. Knows no format.
 * Numbers from 0 on go from dark purple to yellow (viridis, CC0: its lightness rises evenly, for eyes that tell no red
 * from green as well); numbers of both signs from blue over white to orange. */
#ifndef ATTN_OUTPUT_COLOR_H
#define ATTN_OUTPUT_COLOR_H

#include "output/writer.h"

typedef struct attn_rgb {
    uint8_t red, green, blue;
} attn_rgb;

/* What a number's color goes by: the largest sizes that are in sight. */
typedef struct attn_bounds {
    double row; /* the largest |value| of its row */
    double map; /* of its map */
} attn_bounds;

/* How far VALUE is on the scale of RANGE, 0…1 (ATTN_RANGE_SIGNED: -1…1), by SHADE (not ATTN_SHADE_UNSAID). Where
 * the largest is 0, 0; NaN is 0. */
double attn_color_share(attn_range range, attn_shade shade, double value, attn_bounds bounds);

/* The color there. SHARE beyond its bounds is taken as the bound. */
attn_rgb attn_color_at(attn_range range, double share);

/* Whether letters on COLOR are better white than black: which of the two has the greater contrast (WCAG 2). */
bool attn_color_is_dark(attn_rgb color);

#endif
