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

/* Appends PIXELS[height][width] as a PNG file to OUT. Width and height are at least 1, their product far below 2^32. Only ATTN_ENOMEM fails. */
attn_status attn_png_put(attn_range range, const uint8_t *pixels, size_t width, size_t height, attn_buffer *out,
                         attn_error *error);

/* Appends BYTES in base64 (RFC 4648, padded) to OUT. */
void attn_base64_put(attn_bytes bytes, attn_buffer *out);

#endif
