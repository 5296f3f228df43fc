/* points.h: points in a plane, as a report hands them to a format that draws pictures: words before and after they
 * move, and who pulls whom. Plain data. */
#ifndef ATTN_OUTPUT_POINTS_H
#define ATTN_OUTPUT_POINTS_H

#include "base/bytes.h"

#define ATTN_PLANE_LEAST_WEIGHT 0.02f /* a fainter pull is not drawn, and there are many */

typedef struct attn_plane_point {
    double before[2], after[2]; /* the same where it does not move */
    bool moves;
    double distance; /* of the move, in all dimensions there are */
    size_t position;
    attn_bytes label; /* well-formed UTF-8, not escaped */
} attn_plane_point;

typedef struct attn_plane_pair { /* of two points, as indices into the panel's; weight >= ATTN_PLANE_LEAST_WEIGHT */
    size_t query, key;
    float weight, pull;
} attn_plane_pair;

typedef struct attn_plane_panel {
    uint64_t text;
    size_t layer;
    const char *name;               /* NULL: its text and layer tell it from the others */
    const char *axes[2];            /* names of the dimensions; [1] NULL: there is but one */
    const attn_plane_point *points; /* [n_points] */
    size_t n_points;
    const attn_plane_pair *pairs; /* [n_pairs] */
    size_t n_pairs;
    bool has_square; /* the unit square, or its image: corners in order */
    double square[4][2];
} attn_plane_panel;

typedef struct attn_plane {         /* all borrowed during the call */
    const attn_plane_panel *panels; /* [n_panels]; all have the same scale */
    size_t n_panels;
    const attn_plane_point *others; /* [n_others]: other words of the vocabulary, in every panel */
    size_t n_others;
    double spread; /* the part of the points' variance that the plane shows; 0: it is two of the dimensions, or all */
} attn_plane;

#endif
