/* svg_labels.h: names beside points, moved apart where they would lie on each other. Private to output/. */
#ifndef ATTN_OUTPUT_SVG_LABELS_H
#define ATTN_OUTPUT_SVG_LABELS_H

#include "output/svg.h"

typedef struct attn_svg_box {
    double left, top, right, bottom;
} attn_svg_box;

typedef struct attn_svg_labels {
    attn_svg_box *boxes; /* owned; [n]: what is there already */
    size_t n, room;
    bool crowded;                    /* too many to look for places: each stands where the first would */
    double left, top, right, bottom; /* where names may stand; set by the caller */
} attn_svg_labels;

/* For N names. Close it when this succeeded. */
attn_status attn_svg_labels_open(attn_svg_labels *labels, size_t n, attn_error *error);
/* Something is there: RADIUS pixels around (X, Y). */
void attn_svg_labels_avoid(attn_svg_labels *labels, double x, double y, double radius);
/* NAME beside the point (X, Y), cut; with a thin line to it where there was no room near by. */
void attn_svg_labels_put(attn_svg *svg, attn_svg_labels *labels, double x, double y, attn_bytes name);
void attn_svg_labels_close(attn_svg_labels *labels);

#endif
