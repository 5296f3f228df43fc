/* color.c: see color.h. */
#include "config.h"

#include "output/color.h"

#include <math.h>

enum { N_ANCHORS = 11, MIDDLE = N_ANCHORS / 2 };

/* Evenly along the scale, linear between. */
static const uint32_t viridis[N_ANCHORS] = {0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c,
                                            0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725};
/* Both arms darken alike: lightness (CIE L*) 35 … 97 … 35. Blue and orange differ to every eye. */
static const uint32_t both_signs[N_ANCHORS] = {0x08519c, 0x2f74b5, 0x5f98cb, 0x94bcdf, 0xc8dcf0, 0xf7f7f7,
                                               0xfcd4ae, 0xf5ab6b, 0xdd8033, 0xb45c12, 0x8a3d00};

static double bounded(double x, double least, double most)
{
    return !(x > least) ? least : x > most ? most : x;
}

double attn_color_share(attn_range range, attn_shade shade, double value, attn_bounds bounds)
{
    const double full = shade == ATTN_SHADE_ROW                               ? bounds.row
                        : range == ATTN_RANGE_UNIT && shade != ATTN_SHADE_MAX ? 1
                                                                              : bounds.map;
    if (!(full > 0) || isnan(value))
        return 0;
    double share = isinf(value) ? 1 : bounded(fabs(value) / full, 0, 1);
    if (shade == ATTN_SHADE_SQRT)
        share = sqrt(share);
    if (value < 0)
        return range == ATTN_RANGE_SIGNED ? -share : 0;
    return share;
}

static double channel(uint32_t anchor, int shift)
{
    return anchor >> shift & 0xff;
}

static uint8_t between(uint32_t low, uint32_t high, int shift, double part)
{
    return (uint8_t)lround(channel(low, shift) + (channel(high, shift) - channel(low, shift)) * part);
}

attn_rgb attn_color_at(attn_range range, double share)
{
    const bool is_signed = range == ATTN_RANGE_SIGNED;
    const uint32_t *anchors = is_signed ? both_signs : viridis;
    const double place = is_signed ? MIDDLE + bounded(share, -1, 1) * MIDDLE : bounded(share, 0, 1) * (N_ANCHORS - 1);
    size_t low = (size_t)place;
    if (low > N_ANCHORS - 2)
        low = N_ANCHORS - 2;
    const double part = place - (double)low;
    return (attn_rgb){.red = between(anchors[low], anchors[low + 1], 16, part),
                      .green = between(anchors[low], anchors[low + 1], 8, part),
                      .blue = between(anchors[low], anchors[low + 1], 0, part)};
}

/* WCAG 2.1, "relative luminance". */
static double linear_light(uint8_t channel)
{
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

bool attn_color_is_dark(attn_rgb color)
{
    const double luminance =
        0.2126 * linear_light(color.red) + 0.7152 * linear_light(color.green) + 0.0722 * linear_light(color.blue);
    return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05;
}
