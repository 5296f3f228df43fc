/* embeddings.c: the report `embeddings`: the residual stream before or after each selected layer,
 * without the final norm. */
#include "config.h"

#include "base/memory.h"
#include "report/plane.h"

#include <string.h>

typedef struct picture { /* of a format that draws points */
    attn_planes planes;
    float *before; /* owned; [n_selected][width]: of the layer at hand, where both are shown */
} picture;

/* The selected vectors, as points; where both are shown those before the layer wait for those after it. */
static attn_status draw_points(attn_report *report, const attn_hidden *hidden, attn_error *error)
{
    picture *drawn = report->state;
    const attn_units *units = &report->query_units;
    const size_t width = hidden->width;
    const bool both = report->before && report->after;
    attn_status status = ATTN_OK;
    if (both && !hidden->after) {
        attn_free(drawn->before);
        drawn->before = attn_alloc_array(units->n_selected, width * sizeof *drawn->before);
        for (size_t i = 0; i < units->n_selected && drawn->before != NULL; i++)
            memcpy(drawn->before + i * width, hidden->values + units->positions[i] * width, width * sizeof(float));
        return drawn->before != NULL ? ATTN_OK : attn_fail_memory(error);
    }
    status = attn_planes_panel(&drawn->planes, hidden->layer, hidden->after && !both, error);
    for (size_t i = 0; i < units->n_selected && status == ATTN_OK; i++) {
        const float *vector = hidden->values + units->positions[i] * width;
        const attn_plane_vectors point = {.position = units->positions[i],
                                          .label = attn_units_label(units, units->positions[i]),
                                          .before = both ? drawn->before + i * width : vector,
                                          .after = both ? vector : NULL};
        status = attn_planes_point(&drawn->planes, &point, error);
    }
    return status;
}

static attn_status take_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    attn_report *report = context;
    attn_status status = attn_report_begin_rows(report, error);
    if (report->drawn)
        return status == ATTN_OK ? draw_points(report, hidden, error) : status;
    for (size_t i = 0; i < report->query_units.n_selected && status == ATTN_OK; i++) {
        attn_vector_row row = {.layer = hidden->layer,
                               .after = hidden->after,
                               .query = i,
                               .values = hidden->values + report->query_units.positions[i] * hidden->width};
        status = attn_writer_vector(report->writer, &row, error);
    }
    return status;
}

static bool wants_before(const attn_report *report)
{
    return report->before;
}

static bool wants_after(const attn_report *report)
{
    return report->after || !report->before;
}

/* All rows of a file have the same columns, so all layers shown must be equally wide. */
static attn_status open_embeddings(attn_report *report, attn_error *error)
{
    const attn_model *model = report->model;
    size_t width = 0;
    for (size_t layer = 0; layer < model->n_layers; layer++) {
        const size_t widths[2] = {attn_model_width(model, (ptrdiff_t)layer - 1),
                                  attn_model_width(model, (ptrdiff_t)layer)};
        const bool wanted[2] = {wants_before(report), wants_after(report)};
        for (int i = 0; i < 2 && report->selection.layers[layer] != 0; i++) {
            if (!wanted[i])
                continue;
            if (width != 0 && widths[i] != width)
                return attn_fail(error, ATTN_EUSAGE,
                                 "the vectors selected are not all equally wide (%zu and %zu numbers): choose "
                                 "one layer with --layer, and --at=before or --at=after",
                                 width, widths[i]);
            width = widths[i];
        }
    }
    report->schema.width = width;
    report->schema.values = "vectors";
    report->schema.axes = model->n_axes == width && width > 0 ? model->axes : NULL;
    if (report->drawn && report->output.draw == ATTN_DRAW_SQUARES)
        return attn_fail(error, ATTN_EUSAGE, "--draw=squares does not apply to --print=%s", report->kind->name);
    return attn_planes_open(&((picture *)report->state)->planes, report, width, error);
}

static attn_status print_embeddings(attn_report *report, attn_error *error)
{
    attn_observer callbacks = {.context = report, .hidden = take_hidden};
    unsigned wants =
        (wants_before(report) ? (unsigned)ATTN_WANT_BEFORE : 0) | (wants_after(report) ? (unsigned)ATTN_WANT_AFTER : 0);
    return attn_report_run(report, wants, ATTN_BY_HEAD, &callbacks, error);
}

static attn_status end_embeddings(attn_report *report, attn_error *error)
{
    return report->drawn ? attn_planes_write(&((picture *)report->state)->planes, error) : ATTN_OK;
}

static void close_embeddings(attn_report *report)
{
    picture *drawn = report->state;
    attn_planes_close(&drawn->planes);
    attn_free(drawn->before);
}

const attn_report_kind attn_report_embeddings = {
    .name = "embeddings",
    .summary = "each token's vector after the layer (--at=before: before it)",
    .columns = "text layer position token v0 v1 …",
    .shape = ATTN_SHAPE_VECTORS,
    .takes = ATTN_TAKES_LAYERS | ATTN_TAKES_QUERIES | ATTN_TAKES_AT | ATTN_TAKES_LENS | ATTN_TAKES_AXES,
    .plane = true,
    .state_size = sizeof(picture),
    .open = open_embeddings,
    .text = print_embeddings,
    .end = end_embeddings,
    .close = close_embeddings,
};
