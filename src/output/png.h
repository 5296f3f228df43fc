/* png.h: a small picture as PNG, for those formats that hold one inside: 8 bits a pixel, each a place on the scale of
 * color.h, or nothing. Knows no map and no format. */
#ifndef ATTN_OUTPUT_PNG_H
#define ATTN_OUTPUT_PNG_H

#include "base/buffer.h"
#include "output/color.h"

enum { ATTN_PIXEL_NOTHING = 0 }; /* transparent */

/* The pixel for SHARE, the place on RANGE's scale (color.h): 1…255. Equal colors are equal pixels. */
uint8_t attn_pixel(attn_range range, double share);
/* Its color; PIXEL >= 1. */
attn_rgb attn_pixel_color(attn_range range, uint8_t pixel);

typedef struct attn_image {
    attn_range range;
    const uint8_t *pixels; /* borrowed; [height][width] */
    size_t width, height;  /* at least 1 */
    size_t across, down;   /* each pixel is drawn so many pixels wide and high: viewers blur what they enlarge */
} attn_image;

/* Appends IMAGE as a PNG file to OUT; its drawn size is far below 2^32. Only ATTN_ENOMEM fails. */
attn_status attn_png_put(const attn_image *image, attn_buffer *out, attn_error *error);

/* Appends BYTES in base64 (RFC 4648, padded) to OUT. */
void attn_base64_put(attn_bytes bytes, attn_buffer *out);

#endif
