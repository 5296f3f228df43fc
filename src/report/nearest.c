/* nearest.c: the report `nearest`: the vocabulary's words nearest to each token's new vector, by
 * cosine. The token's own id is left out (--with-self keeps it), an equal vector of another id is
 * not. */
#include "config.h"

#include "base/memory.h"
#include "report/neighbors.h"

enum {
    MOST_BATCH = 1024,     /* positions asked at once, */
    BATCH_FLOATS = 1 << 22 /* or what fits in these, and one at least */
};

typedef struct state {
    attn_neighbors neighbors;
    size_t batch;
    float *queries;           /* owned; [batch][d_model] */
    uint32_t *own;            /* owned; [batch] */
    attn_near_rows *excluded; /* owned; [batch] */
} state;

static size_t batch_of(size_t width)
{
    size_t fit = width > 0 ? BATCH_FLOATS / width : MOST_BATCH;
    return fit > MOST_BATCH ? MOST_BATCH : fit > 0 ? fit : 1;
}

static attn_status open_nearest(attn_report *report, attn_error *error)
{
    const attn_model *model = report->model;
    state *s = report->state;
    for (size_t layer = 0; layer < model->n_layers; layer++) {
        size_t width = attn_model_width(model, (ptrdiff_t)layer);
        if (report->selection.layers[layer] == 0 || (report->before && !report->after))
            continue;
        if (width != model->d_model)
            return attn_fail(error, ATTN_EUSAGE,
                             "layer %zu gives vectors of %zu numbers, the vocabulary's have %zu: there is no "
                             "nearest word",
                             layer, width, model->d_model);
    }
    attn_neighbors_init(&s->neighbors, report);
    s->batch = batch_of(model->d_model);
    s->queries = attn_alloc_array(s->batch * model->d_model, sizeof *s->queries);
    s->own = attn_alloc_array(s->batch, sizeof *s->own);
    s->excluded = attn_alloc_array(s->batch, sizeof *s->excluded);
    return s->queries != NULL && s->own != NULL && s->excluded != NULL ? ATTN_OK : attn_fail_memory(error);
}

static attn_status print_hits(attn_report *report, const attn_hidden *hidden, size_t unit, size_t query,
                              attn_error *error)
{
    state *s = report->state;
    const attn_cell before[] = {attn_cell_count(hidden->layer), attn_cell_count(report->query_units.positions[unit]),
                                attn_cell_label(attn_units_selected_label(&report->query_units, unit)),
                                attn_cell_label(attn_bytes_of(hidden->after ? "after" : "before"))};
    return attn_neighbors_records(&s->neighbors, report, query, before, sizeof before / sizeof *before, error);
}

/* Positions FROM … FROM+N−1 of the selected ones. */
static attn_status print_batch(attn_report *report, const attn_hidden *hidden, size_t from, size_t n, attn_error *error)
{
    state *s = report->state;
    attn_status status;
    for (size_t i = 0; i < n; i++) {
        size_t position = report->query_units.positions[from + i];
        for (size_t j = 0; j < hidden->width; j++)
            s->queries[i * hidden->width + j] = hidden->values[position * hidden->width + j];
        s->own[i] = report->text->tokens->items[position].id;
        s->excluded[i] = (attn_near_rows){&s->own[i], 1};
    }
    status = attn_neighbors_ask(&s->neighbors, report, s->queries, hidden->width, n,
                                report->request.with_self ? NULL : s->excluded, error);
    for (size_t i = 0; i < n && status == ATTN_OK; i++)
        status = print_hits(report, hidden, from + i, i, error);
    return status;
}

static attn_status take_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    attn_report *report = context;
    size_t batch = ((const state *)report->state)->batch;
    size_t n = report->query_units.n_selected;
    attn_status status = ATTN_OK;
    if (hidden->width != report->model->d_model)
        return attn_fail(error, ATTN_EUSAGE, "the vectors before layer %zu have %zu numbers, the vocabulary's %zu",
                         hidden->layer, hidden->width, report->model->d_model);
    for (size_t from = 0; from < n && status == ATTN_OK; from += batch)
        status = print_batch(report, hidden, from, n - from < batch ? n - from : batch, error);
    return status;
}

static attn_status print_nearest(attn_report *report, attn_error *error)
{
    attn_observer callbacks = {.context = report, .hidden = take_hidden};
    unsigned before = report->before ? ATTN_WANT_BEFORE : 0;
    unsigned after = report->after || !report->before ? ATTN_WANT_AFTER : 0;
    return attn_report_run(report, before | after, ATTN_BY_HEAD, &callbacks, error);
}

static void close_nearest(attn_report *report)
{
    state *s = report->state;
    attn_neighbors_close(&s->neighbors);
    attn_free(s->queries);
    attn_free(s->own);
    attn_free(s->excluded);
}

const attn_report_kind attn_report_nearest = {
    .name = "nearest",
    .summary = "the vocabulary's words nearest to each token's new vector",
    .columns = "text layer position token at rank neighbor similarity",
    .shape = ATTN_SHAPE_RECORDS,
    .cells = {.with_sign = "similarity"},
    .takes = ATTN_TAKES_LAYERS | ATTN_TAKES_QUERIES | ATTN_TAKES_TOP | ATTN_TAKES_MIN | ATTN_TAKES_AT |
             ATTN_TAKES_SELF | ATTN_TAKES_LENS,
    .top = 10,
    .state_size = sizeof(state),
    .open = open_nearest,
    .text = print_nearest,
    .close = close_nearest,
};
