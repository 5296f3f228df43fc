/* plane.c: see plane.h. */
#include "config.h"

#include "report/plane.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "report/principal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OTHERS = 50 }; /* words of a vocabulary that are shown beside the text's */

/* ---- the axes ---- */

static const attn_model *model_of(const attn_planes *planes)
{
    return planes->report->model;
}

static bool has_names(const attn_planes *planes)
{
    return model_of(planes)->n_axes == planes->width && planes->width > 0;
}

static attn_status find_axis(attn_planes *planes, attn_bytes name, size_t *axis, attn_error *error)
{
    uint64_t number;
    for (size_t i = 0; i < planes->width && has_names(planes); i++)
        if (attn_bytes_are(name, model_of(planes)->axes[i])) {
            *axis = i;
            return ATTN_OK;
        }
    if (attn_decimal_u64(name, planes->width - 1, &number)) {
        *axis = (size_t)number;
        return ATTN_OK;
    }
    return attn_fail(error, ATTN_EUSAGE,
                     "--axes: expected pca, or two of the %zu dimensions by number (from 0)%s, found '%.*s'",
                     planes->width, has_names(planes) ? " or name" : "", (int)name.size, (const char *)name.data);
}

static attn_status read_axes(attn_planes *planes, const char *given, attn_error *error)
{
    const char *comma = strchr(given, ',');
    if (strcmp(given, "pca") == 0) {
        planes->principal = true;
        return ATTN_OK;
    }
    if (comma == NULL || strchr(comma + 1, ',') != NULL)
        return attn_fail(error, ATTN_EUSAGE, "--axes: expected pca, or two dimensions with a comma, found '%s'", given);
    attn_status status =
        find_axis(planes, (attn_bytes){(const uint8_t *)given, (size_t)(comma - given)}, &planes->axes[0], error);
    if (status == ATTN_OK)
        status = find_axis(planes, attn_bytes_of(comma + 1), &planes->axes[1], error);
    if (status == ATTN_OK && planes->axes[0] == planes->axes[1])
        return attn_fail(error, ATTN_EUSAGE, "--axes: the same dimension twice in '%s'", given);
    return status;
}

static void name_axes(attn_planes *planes)
{
    for (int i = 0; i < 2 && !planes->principal; i++) {
        if (planes->axes[i] == SIZE_MAX)
            continue;
        if (has_names(planes))
            snprintf(planes->names[i], sizeof planes->names[i], "%s", model_of(planes)->axes[planes->axes[i]]);
        else
            snprintf(planes->names[i], sizeof planes->names[i], "v%zu", planes->axes[i]);
    }
}

static attn_status refuse_axes(attn_error *error)
{
    const attn_output *format;
    for (size_t i = 0; (format = attn_output_at(i)) != NULL; i++)
        if ((format->shapes & ATTN_SHAPE_PLANE) != 0)
            return attn_fail(error, ATTN_EUSAGE, "--axes is for pictures: use --format=%s", format->name);
    return attn_fail(error, ATTN_EUSAGE, "--axes is for pictures");
}

attn_status attn_planes_open(attn_planes *planes, attn_report *report, size_t width, attn_error *error)
{
    const char *given = report->request.axes;
    attn_status status = ATTN_OK;
    *planes = (attn_planes){.report = report, .width = width, .axes = {0, width > 1 ? 1 : SIZE_MAX}};
    if (given != NULL && !report->drawn)
        return refuse_axes(error);
    if (given != NULL)
        status = read_axes(planes, given, error);
    else
        planes->principal = width > 2;
    name_axes(planes);
    return status;
}

/* ---- gathering ---- */

attn_status attn_planes_panel(attn_planes *planes, size_t layer, bool after_only, attn_error *error)
{
    if (!attn_grow((void **)&planes->panels, &planes->panels_room, planes->n_panels, sizeof *planes->panels))
        return attn_fail_memory(error);
    planes->panels[planes->n_panels++] = (attn_planes_gathered_panel){.text = planes->report->text->number,
                                                                      .layer = layer,
                                                                      .after_only = after_only,
                                                                      .first_point = planes->n_points,
                                                                      .first_pair = planes->n_pairs};
    return ATTN_OK;
}

attn_status attn_planes_point(attn_planes *planes, const attn_plane_vectors *point, attn_error *error)
{
    const size_t width = planes->width;
    if (planes->n_points == ATTN_PLANE_MOST_POINTS)
        return attn_fail(error, ATTN_EUSAGE, "a picture of more than %d points: choose some by --query and --key",
                         ATTN_PLANE_MOST_POINTS);
    if (!attn_grow((void **)&planes->points, &planes->points_room, planes->n_points, sizeof *planes->points) ||
        !attn_grow((void **)&planes->vectors, &planes->vectors_room, planes->n_points, 2 * width * sizeof(float)))
        return attn_fail_memory(error);
    planes->points[planes->n_points] = (attn_plane_gathered){.label = planes->labels.size,
                                                             .label_size = point->label.size,
                                                             .position = point->position,
                                                             .of_context = point->of_context,
                                                             .moves = point->after != NULL};
    float *vectors = planes->vectors + 2 * width * planes->n_points++;
    memcpy(vectors, point->before, width * sizeof *vectors);
    memcpy(vectors + width, point->after != NULL ? point->after : point->before, width * sizeof *vectors);
    attn_buffer_put(&planes->labels, point->label.data, point->label.size);
    planes->panels[planes->n_panels - 1].n_points++;
    return planes->labels.failed ? attn_fail_memory(error) : ATTN_OK;
}

attn_status attn_planes_pair(attn_planes *planes, size_t query, size_t key, float weight, float pull, attn_error *error)
{
    if (query == key || !(weight >= ATTN_PLANE_LEAST_WEIGHT))
        return ATTN_OK;
    if (!attn_grow((void **)&planes->pairs, &planes->pairs_room, planes->n_pairs, sizeof *planes->pairs))
        return attn_fail_memory(error);
    planes->pairs[planes->n_pairs++] = (attn_plane_pair){.query = query, .key = key, .weight = weight, .pull = pull};
    planes->panels[planes->n_panels - 1].n_pairs++;
    return ATTN_OK;
}

/* ---- the plane ---- */

typedef struct plane { /* what is handed over */
    attn_planes *planes;
    attn_principal principal;
    attn_plane_point *points; /* owned; as gathered, and then the others */
    attn_plane_panel *panels; /* owned */
    size_t n_others;
    attn_buffer other_labels;
} plane;

/* Each mover counts where it was and where it is, the others once. */
static attn_status find_principal(plane *p, attn_error *error)
{
    const attn_planes *planes = p->planes;
    const size_t width = planes->width;
    size_t n = 0, count;
    float *rows;
    if (!attn_multiply(2 * planes->n_points, width, &count) || (rows = attn_alloc_array(count, sizeof *rows)) == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < planes->n_points; i++)
        for (size_t side = 0; side < (planes->points[i].moves ? 2 : 1); side++)
            memcpy(rows + width * n++, planes->vectors + width * (2 * i + side), width * sizeof *rows);
    const attn_status status = attn_principal_open(&p->principal, rows, n, width, error);
    attn_free(rows);
    return status;
}

static void place(const plane *p, const float *x, double at[2])
{
    if (p->planes->principal)
        attn_principal_place(&p->principal, x, at);
    for (int i = 0; i < 2 && !p->planes->principal; i++)
        at[i] = p->planes->axes[i] != SIZE_MAX ? (double)x[p->planes->axes[i]] : 0;
}

static void place_points(plane *p)
{
    const attn_planes *planes = p->planes;
    const size_t width = planes->width;
    for (size_t i = 0; i < planes->n_points; i++) {
        const attn_plane_gathered *from = &planes->points[i];
        const float *before = planes->vectors + 2 * width * i, *after = before + width;
        attn_plane_point *to = &p->points[i];
        double square = 0;
        for (size_t k = 0; k < width; k++)
            square += ((double)after[k] - (double)before[k]) * ((double)after[k] - (double)before[k]);
        *to = (attn_plane_point){.position = from->position,
                                 .moves = from->moves,
                                 .distance = sqrt(square),
                                 .label = {(const uint8_t *)planes->labels.data + from->label, from->label_size}};
        place(p, before, to->before);
        place(p, after, to->after);
    }
}

/* The point of PANEL at POSITION of the text or of the context, as an index into the panel's; SIZE_MAX: none. They
 * were gathered by position, the context's behind the text's. */
static size_t find_point(const attn_planes *planes, const attn_planes_gathered_panel *panel, size_t position,
                         bool of_context)
{
    const attn_plane_gathered *points = planes->points + panel->first_point;
    size_t low = 0, high = panel->n_points;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const bool is_below = points[middle].of_context != of_context ? of_context : points[middle].position < position;
        low = is_below ? middle + 1 : low;
        high = is_below ? high : middle;
    }
    return low < panel->n_points && points[low].position == position && points[low].of_context == of_context ? low
                                                                                                             : SIZE_MAX;
}

static bool has_context(const attn_planes *planes, const attn_planes_gathered_panel *panel)
{
    for (size_t i = 0; i < panel->n_points; i++)
        if (planes->points[panel->first_point + i].of_context)
            return true;
    return false;
}

static void fill_panel(plane *p, size_t index)
{
    attn_planes *planes = p->planes;
    const attn_planes_gathered_panel *from = &planes->panels[index];
    attn_plane_pair *pairs = planes->pairs + from->first_pair;
    const bool of_context = has_context(planes, from);
    size_t n = 0;
    for (size_t i = 0; i < from->n_pairs; i++) {
        attn_plane_pair pair = pairs[i];
        pair.query = find_point(planes, from, pair.query, false);
        pair.key = find_point(planes, from, pair.key, of_context);
        if (pair.query != SIZE_MAX && pair.key != SIZE_MAX)
            pairs[n++] = pair;
    }
    p->panels[index] =
        (attn_plane_panel){.text = from->text,
                           .layer = from->layer,
                           .axes = {planes->names[0], planes->names[1][0] != '\0' ? planes->names[1] : NULL},
                           .points = p->points + from->first_point,
                           .n_points = from->n_points,
                           .pairs = pairs,
                           .n_pairs = n};
}

/* ---- other words ---- */

/* A toy's other words have a place beside its text's where those stand as the vocabulary has them. */
static bool shows_others(const attn_planes *planes)
{
    const attn_model *model = model_of(planes);
    if (model->n_vocab > MOST_OTHERS || model->d_model != planes->width || model->tokenizer == NULL ||
        model->positions != ATTN_POSITION_NONE || model->embedding_norm.kind != ATTN_NORM_NONE)
        return false;
    for (size_t i = 0; i < planes->n_panels; i++)
        if (planes->panels[i].layer != 0 || planes->panels[i].after_only)
            return false;
    return planes->n_panels > 0;
}

static bool is_shown(const plane *p, attn_bytes label)
{
    for (size_t i = 0; i < p->planes->n_points; i++)
        if (attn_bytes_equal(p->points[i].label, label))
            return true;
    return false;
}

static attn_status add_others(plane *p, attn_error *error)
{
    const attn_model *model = model_of(p->planes);
    float *row = attn_calloc_array(model->d_model, sizeof *row);
    size_t starts[MOST_OTHERS + 1] = {0};
    if (row == NULL)
        return attn_fail_memory(error);
    for (size_t id = 0; id < model->n_vocab; id++) { /* labels first: they move while they grow */
        attn_tokenizer_label(model->tokenizer, (uint32_t)id, false, &p->other_labels);
        starts[id + 1] = p->other_labels.size;
    }
    for (size_t id = 0; id < model->n_vocab && !p->other_labels.failed; id++) {
        const attn_bytes label = {(const uint8_t *)p->other_labels.data + starts[id], starts[id + 1] - starts[id]};
        if (is_shown(p, label) || (model->no_vector != NULL && model->no_vector[id] != 0))
            continue;
        if (model->embeddings.data != NULL)
            attn_tensor_read(&model->embeddings, id, 1, 0, model->d_model, row, model->d_model);
        for (size_t k = 0; k < model->d_model; k++)
            row[k] = model->embeddings.data != NULL ? row[k] * model->embedding_scale : k == id ? 1.0f : 0.0f;
        attn_plane_point *point = &p->points[p->planes->n_points + p->n_others++];
        *point = (attn_plane_point){.label = label};
        place(p, row, point->before);
        place(p, row, point->after);
    }
    attn_free(row);
    return p->other_labels.failed ? attn_fail_memory(error) : ATTN_OK;
}

/* ---- the end ---- */

static void name_principal(attn_planes *planes, const attn_principal *principal)
{
    for (int i = 0; i < 2; i++) {
        const long tenths = lround(principal->shares[i] * 1000);
        snprintf(planes->names[i], sizeof planes->names[i], "principal direction %d (%ld.%ld %%)", i + 1, tenths / 10,
                 tenths % 10);
    }
}

static attn_status fill(plane *p, attn_error *error)
{
    attn_planes *planes = p->planes;
    attn_status status = planes->principal ? find_principal(p, error) : ATTN_OK;
    if (status == ATTN_OK && planes->principal)
        name_principal(planes, &p->principal);
    p->points = attn_calloc_array(planes->n_points + MOST_OTHERS, sizeof *p->points);
    p->panels = attn_calloc_array(planes->n_panels, sizeof *p->panels);
    if (status == ATTN_OK && (p->points == NULL || p->panels == NULL))
        status = attn_fail_memory(error);
    if (status != ATTN_OK)
        return status;
    place_points(p);
    for (size_t i = 0; i < planes->n_panels; i++)
        fill_panel(p, i);
    return shows_others(planes) ? add_others(p, error) : ATTN_OK;
}

attn_status attn_planes_write(attn_planes *planes, attn_error *error)
{
    plane p = {.planes = planes};
    attn_status status = fill(&p, error);
    if (status == ATTN_OK) {
        const attn_plane drawn = {.panels = p.panels,
                                  .n_panels = planes->n_panels,
                                  .others = p.points + planes->n_points,
                                  .n_others = p.n_others,
                                  .spread = planes->principal ? p.principal.shares[0] + p.principal.shares[1] : 0};
        status = attn_writer_plane(planes->report->writer, &drawn, error);
    }
    attn_principal_close(&p.principal);
    attn_free(p.points);
    attn_free(p.panels);
    attn_buffer_free(&p.other_labels);
    return status;
}

void attn_planes_close(attn_planes *planes)
{
    attn_free(planes->points);
    attn_free(planes->vectors);
    attn_free(planes->pairs);
    attn_free(planes->panels);
    attn_buffer_free(&planes->labels);
    *planes = (attn_planes){0};
}
