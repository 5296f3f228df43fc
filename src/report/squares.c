/* squares.c: see squares.h. The maps are seen as the pass runs them: the layer is run again with the plane's corners in
 * the first token's place, so that biases, shared key/value heads and every layout of weights are the pass's own. */
#include "config.h"

#include "report/squares.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { X, Q, K, V, N_PANELS, N_CORNERS = 3 /* 0, e_a, e_b; the fourth is their sum */ };

typedef struct image { /* of one map */
    size_t n_heads, width;
    float *rows;    /* owned; [n_heads][n][width]: the words' */
    float *corners; /* owned; [N_CORNERS][n_heads][width] */
} image;

typedef struct squares {
    const attn_planes *planes;
    attn_report *report;
    size_t n;      /* tokens */
    size_t corner; /* the one that runs now; N_CORNERS: the text itself */
    image images[N_PANELS];
    attn_plane_point *points; /* owned; [n_panels][n] */
    attn_plane_panel *panels; /* owned; [n_panels] */
    char (*names)[2][16];     /* owned; [n_panels]: of axes */
    char (*titles)[64];       /* owned; [n_panels] */
    size_t n_panels;
} squares;

attn_status attn_squares_check(const attn_report *report, const attn_planes *planes, bool *wanted, attn_error *error)
{
    *wanted = report->drawn && report->output.draw == ATTN_DRAW_SQUARES;
    if (!*wanted)
        return ATTN_OK;
    size_t layer = report->model->n_layers - 1;
    while (report->selection.layers[layer] == 0)
        layer--;
    const attn_layer *l = &report->model->layers[layer];
    if (planes->principal || planes->axes[1] == SIZE_MAX)
        return attn_fail(error, ATTN_EUSAGE, "--draw=squares: name the two dimensions of the square by --axes, of %zu",
                         planes->width);
    if (report->selection.n_layers != 1 || attn_selected_heads(&report->selection, layer) > ATTN_SQUARES_MOST_HEADS)
        return attn_fail(error, ATTN_EUSAGE,
                         "--draw=squares shows one layer and at most %d heads: choose by --layer and --head",
                         ATTN_SQUARES_MOST_HEADS);
    if (report->schema.several_texts)
        return attn_fail(error, ATTN_EUSAGE, "--draw=squares shows one text");
    if (l->attention_before.kind != ATTN_NORM_NONE || l->q_norm.kind != ATTN_NORM_NONE ||
        l->k_norm.kind != ATTN_NORM_NONE)
        return attn_fail(error, ATTN_EUSAGE, "--draw=squares shows linear maps; layer %zu has a norm beside them",
                         layer);
    return ATTN_OK;
}

static image *image_of(squares *s, attn_part_kind kind)
{
    return &s->images[kind == ATTN_PART_QUERY_BEFORE ? Q : kind == ATTN_PART_KEY_BEFORE ? K : V];
}

static attn_status make_room(image *i, const attn_part *part, attn_error *error)
{
    if (i->rows != NULL)
        return ATTN_OK;
    i->n_heads = part->n_heads;
    i->width = part->width;
    i->rows = attn_calloc_array(part->n_heads * part->n_rows, part->width * sizeof *i->rows);
    i->corners = attn_calloc_array(N_CORNERS * part->n_heads, part->width * sizeof *i->corners);
    return i->rows != NULL && i->corners != NULL ? ATTN_OK : attn_fail_memory(error);
}

static attn_status take_part(void *context, const attn_part *part, attn_error *error)
{
    squares *s = context;
    image *i = image_of(s, part->kind);
    const attn_status status = make_room(i, part, error);
    for (size_t h = 0; h < part->n_heads && status == ATTN_OK; h++)
        for (size_t row = 0; row < part->n_rows; row++) {
            const float *from = part->values.data + row * part->values.row_stride + h * part->values.head_stride;
            if (s->corner == N_CORNERS)
                memcpy(i->rows + (h * part->n_rows + row) * i->width, from, i->width * sizeof *from);
            else if (row == 0)
                memcpy(i->corners + (s->corner * i->n_heads + h) * i->width, from, i->width * sizeof *from);
        }
    return status;
}

/* Runs the layer on the text, and on each corner in the place of its first token. */
static attn_status run(squares *s, const attn_hidden *before, attn_error *error)
{
    const attn_observer callbacks = {
        .context = s, .parts = ATTN_PART_QUERY_BEFORE | ATTN_PART_KEY_BEFORE | ATTN_PART_VALUE, .part = take_part};
    float *stream = attn_calloc_array(before->n_tokens, before->width * sizeof *stream);
    attn_hidden fed = *before;
    attn_status status = stream != NULL ? ATTN_OK : attn_fail_memory(error);
    for (s->corner = 0; s->corner <= N_CORNERS && status == ATTN_OK; s->corner++) {
        uint64_t ignored;
        fed.values = s->corner == N_CORNERS ? before->values : stream;
        memset(stream, 0, before->width * sizeof *stream);
        if (s->corner == 1 || s->corner == 2)
            stream[s->planes->axes[s->corner - 1]] = 1;
        status = attn_report_run_layer(s->report, &fed, &callbacks, &ignored, error);
    }
    attn_free(stream);
    return status;
}

/* The two numbers of a vector that are drawn: the dimensions of --axes where it is as wide as the stream, else the first
 * two. */
static void choose_axes(const squares *s, size_t width, size_t axes[2])
{
    for (size_t i = 0; i < 2; i++)
        axes[i] = width == s->planes->width ? s->planes->axes[i] : i < width ? i : SIZE_MAX;
}

static void place(const float *x, const size_t axes[2], double at[2])
{
    for (int i = 0; i < 2; i++)
        at[i] = axes[i] != SIZE_MAX ? (double)x[axes[i]] : 0;
}

/* Corners in order around the square, from the images of 0, e_a and e_b. */
static void put_square(attn_plane_panel *panel, double corners[N_CORNERS][2])
{
    panel->has_square = true;
    for (int i = 0; i < 2; i++) {
        panel->square[0][i] = corners[0][i];
        panel->square[1][i] = corners[1][i];
        panel->square[2][i] = corners[1][i] + corners[2][i] - corners[0][i];
        panel->square[3][i] = corners[2][i];
    }
}

static void name_panel(squares *s, size_t index, int kind, size_t head, const size_t axes[2])
{
    static const char *const names[N_PANELS] = {"x", "q = x·W_Q", "k = x·W_K", "v = x·W_V"};
    static const char letters[N_PANELS] = {'x', 'q', 'k', 'v'};
    attn_plane_panel *panel = &s->panels[index];
    snprintf(s->titles[index], sizeof s->titles[index], kind == X ? "%s" : "%s, head %zu", names[kind], head);
    panel->name = s->titles[index];
    for (int i = 0; i < 2; i++) {
        if (axes[i] == SIZE_MAX)
            continue;
        snprintf(s->names[index][i], sizeof s->names[index][i], "%c%zu", letters[kind], axes[i]);
        panel->axes[i] =
            kind == X && s->report->model->n_axes == s->planes->width ? s->planes->names[i] : s->names[index][i];
    }
}

static void fill_panel(squares *s, const attn_hidden *before, int kind, size_t head)
{
    const attn_units *units = &s->report->query_units;
    const size_t index = s->n_panels++, n_heads = s->report->model->layers[before->layer].rule.n_heads;
    const image *i = &s->images[kind];
    const size_t own = kind == X ? 0 : head / (n_heads / i->n_heads), width = kind == X ? before->width : i->width;
    attn_plane_point *points = s->points + index * s->n;
    double corners[N_CORNERS][2] = {{0, 0}, {1, 0}, {0, 1}};
    size_t axes[2], n = 0;
    choose_axes(s, width, axes);
    name_panel(s, index, kind, head, axes);
    for (size_t k = 0; k < N_CORNERS && kind != X; k++)
        place(i->corners + (k * i->n_heads + own) * width, axes, corners[k]);
    put_square(&s->panels[index], corners);
    for (size_t t = 0; t < s->n; t++) {
        const float *row = kind == X ? before->values + t * width : i->rows + (own * s->n + t) * width;
        if (units->selected[t] == 0)
            continue;
        points[n] = (attn_plane_point){.position = t, .label = attn_units_label(units, t)};
        place(row, axes, points[n].before);
        place(row, axes, points[n++].after);
    }
    s->panels[index].points = points;
    s->panels[index].n_points = n;
    s->panels[index].layer = before->layer;
}

static attn_status fill_panels(squares *s, const attn_hidden *before, attn_error *error)
{
    const attn_selection *selection = &s->report->selection;
    const size_t n_panels = N_PANELS * attn_selected_heads(selection, before->layer);
    s->points = attn_calloc_array(n_panels * s->n, sizeof *s->points);
    s->panels = attn_calloc_array(n_panels, sizeof *s->panels);
    s->names = attn_calloc_array(n_panels, sizeof *s->names);
    s->titles = attn_calloc_array(n_panels, sizeof *s->titles);
    if (s->points == NULL || s->panels == NULL || s->names == NULL || s->titles == NULL)
        return attn_fail_memory(error);
    for (size_t head = 0; head < s->report->model->layers[before->layer].rule.n_heads; head++)
        for (int kind = X; kind < N_PANELS && selection->heads[before->layer * selection->max_heads + head] != 0;
             kind++)
            fill_panel(s, before, kind, head);
    return ATTN_OK;
}

attn_status attn_squares_write(const attn_planes *planes, const attn_hidden *before, attn_error *error)
{
    squares s = {.planes = planes, .report = planes->report, .n = before->n_tokens};
    if (s.report->text->context != NULL)
        return attn_fail(error, ATTN_EUSAGE, "--draw=squares shows a text that attends to itself, not to --context");
    attn_status status = run(&s, before, error);
    if (status == ATTN_OK)
        status = fill_panels(&s, before, error);
    if (status == ATTN_OK)
        status = attn_report_begin_rows(s.report, error);
    if (status == ATTN_OK)
        status = attn_writer_plane(s.report->writer, &(attn_plane){.panels = s.panels, .n_panels = s.n_panels}, error);
    for (int i = 0; i < N_PANELS; i++) {
        attn_free(s.images[i].rows);
        attn_free(s.images[i].corners);
    }
    attn_free(s.points);
    attn_free(s.panels);
    attn_free(s.names);
    attn_free(s.titles);
    return status;
}
