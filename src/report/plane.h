/* plane.h: what a report that moves vectors draws: points of many dimensions in a plane of two, for formats that draw
 * pictures. The report gathers panels (a layer of a text each); at the end all of them are put into the same plane: two
 * of the dimensions, or the two directions in which the points spread most (PCA). Private to report/. */
#ifndef ATTN_REPORT_PLANE_H
#define ATTN_REPORT_PLANE_H

#include "report/kind.h"

enum { ATTN_PLANE_MOST_POINTS = 4096 };

typedef struct attn_plane_gathered { /* a point, still in all dimensions */
    size_t label, label_size;        /* in labels */
    size_t position;
    bool of_context, moves;
} attn_plane_gathered;

typedef struct attn_planes_gathered_panel {
    uint64_t text;
    size_t layer;
    bool after_only; /* no point stands where the layer found it */
    size_t first_point, n_points, first_pair, n_pairs;
} attn_planes_gathered_panel;

typedef struct attn_planes { /* {0}: nothing gathered */
    attn_report *report;     /* borrowed */
    size_t width;            /* of the vectors */
    bool principal;          /* PCA; else these two dimensions, [1] SIZE_MAX: there is but one */
    size_t axes[2];
    char names[2][64];
    attn_plane_gathered *points; /* owned; [n_points] */
    float *vectors;              /* owned; [n_points][2][width]: before and after */
    size_t n_points, points_room, vectors_room;
    attn_plane_pair *pairs; /* owned; [n_pairs]: of positions; at the end of points of their panel */
    size_t n_pairs, pairs_room;
    attn_planes_gathered_panel *panels; /* owned; [n_panels] */
    size_t n_panels, panels_room;
    attn_buffer labels;
} attn_planes;

/* Reads --axes against the model: names of dimensions, their numbers, or pca; not given: the two that there are, else
 * pca. The vectors are WIDTH numbers. A format that draws no plane refuses --axes. */
attn_status attn_planes_open(attn_planes *planes, attn_report *report, size_t width, attn_error *error);
/* The points and pairs that follow are of LAYER of the current text. AFTER_ONLY: as the layer leaves them. */
attn_status attn_planes_panel(attn_planes *planes, size_t layer, bool after_only, attn_error *error);
typedef struct attn_plane_vectors {
    size_t position;
    attn_bytes label;
    bool of_context;
    const float *before, *after; /* borrowed; [width]; AFTER NULL: it does not move */
} attn_plane_vectors;
attn_status attn_planes_point(attn_planes *planes, const attn_plane_vectors *point, attn_error *error);
/* QUERY and KEY are positions, of points that may come later; a token and itself are none, nor is a faint pull. */
attn_status attn_planes_pair(attn_planes *planes, size_t query, size_t key, float weight, float pull,
                             attn_error *error);
/* Hands all of it to the writer. */
attn_status attn_planes_write(attn_planes *planes, attn_error *error);
void attn_planes_close(attn_planes *planes);

#endif
