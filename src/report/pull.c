/* pull.c: the report `pull`: which token pulls which, how far and which way, and how hard it is pulled back. Each
 * selected layer is run again from the stream that enters it: once to learn how each selected query is looked at by
 * the others (`back`), then query by query. Memory grows with n·d; what is held of `back` is bounded, and costs two
 * runs of the layer more each time it is full. The formulas are pulls.h's. */
#include "config.h"

#include "base/memory.h"
#include "report/kind.h"
#include "report/moves.h"
#include "report/plane.h"
#include "report/pulls.h"
#include "report/squares.h"
#include "report/top.h"

#include <math.h>
#include <string.h>

enum { BACK_NUMBERS = 1 << 23 }; /* of back at once: 64 MiB */

/* Cells in the order of the columns, text apart. */
enum { LAYER, QUERY, QUERY_TOKEN, KEY, KEY_TOKEN, WEIGHT, BACK, PULL, SHARE, BEFORE, AFTER, N_CELLS };

typedef struct pull { /* one layer of one text */
    attn_report *report;
    attn_pulls pulls;
    size_t layer, n_keys;
    size_t from, to;  /* the selected queries at hand, as indices into positions */
    uint8_t *queries; /* owned; [n]: these */
    double *back;     /* owned; [n][to − from]: ā of the row's token at the column's query; NAN: masked. NULL: not
                         asked for */
    size_t *order;    /* owned; [n_keys]: keys to print of a query */
    attn_top top;
} pull;

/* The last layer, before which the pass ends. */
static size_t last_layer(const attn_report *report)
{
    return attn_selected_last(&report->selection, report->model->n_layers);
}

/* ---- back ---- */

static bool shows_back(const attn_report *report)
{
    for (size_t i = 0; i < report->schema.n_columns && !report->drawn; i++)
        if (report->schema.columns[i].kind == ATTN_COLUMN_CELL && report->schema.columns[i].cell == BACK)
            return report->text->context == NULL;
    return false;
}

static attn_status take_back(void *context, const attn_block *block, attn_error *error)
{
    pull *p = context;
    const size_t *positions = p->report->query_units.positions;
    size_t n = p->to - p->from;
    (void)error;
    for (size_t h = 0; h < block->n_heads; h++) {
        double proportion = attn_pulls_proportion(&p->pulls, block->head + h);
        for (size_t q = 0; q < block->n_queries; q++) {
            size_t row = (h * block->n_queries + q) * block->n_keys;
            double *back = p->back + (block->query + q) * n;
            for (size_t i = 0; i < n; i++) {
                size_t at = row + positions[p->from + i];
                if (block->visible[at] != 0)
                    back[i] = (isnan(back[i]) ? 0 : back[i]) + proportion * (double)block->values[at];
            }
        }
    }
    return ATTN_OK;
}

static attn_status collect_back(pull *p, const attn_hidden *before, attn_error *error)
{
    const attn_observer callbacks = {
        .context = p, .wants = ATTN_WANT_WEIGHTS, .order = ATTN_BY_QUERY, .block = take_back};
    for (size_t i = 0; i < before->n_tokens * (p->to - p->from); i++)
        p->back[i] = NAN;
    uint64_t ignored;
    return attn_report_run_layer(p->report, before, &callbacks, &ignored, error);
}

/* ---- rows ---- */

static attn_cell number_or_none(double number)
{
    return isnan(number) ? (attn_cell){.type = ATTN_CELL_NONE} : attn_cell_number((float)number);
}

static attn_status print_pair(pull *p, size_t row, size_t index, size_t key, attn_error *error)
{
    const attn_report *report = p->report;
    const attn_pulls *pulls = &p->pulls;
    size_t query = report->query_units.positions[index], at = row * p->n_keys + key;
    if (report->drawn)
        return attn_planes_pair(report->state, query, key, pulls->mean[at], pulls->pull[at], error);
    double back = p->back != NULL ? p->back[key * (p->to - p->from) + index - p->from] : NAN;
    const attn_cell cells[N_CELLS] = {
        [LAYER] = attn_cell_count(p->layer),
        [QUERY] = attn_cell_count(query),
        [QUERY_TOKEN] = attn_cell_label(attn_units_selected_label(&report->query_units, index)),
        [KEY] = attn_cell_count(key),
        [KEY_TOKEN] = attn_cell_label(attn_units_label(&report->key_units, key)),
        [WEIGHT] = attn_cell_number(pulls->mean[at]),
        [BACK] = number_or_none(back),
        [PULL] = attn_cell_number(pulls->pull[at]),
        [SHARE] = number_or_none((double)pulls->share[at]),
        [BEFORE] = attn_cell_number(pulls->before[at]),
        [AFTER] = attn_cell_number(pulls->after[at]),
    };
    return attn_report_record(p->report, cells, error);
}

/* The pairs of one query that the filters leave, in the order to print. */
static size_t choose_keys(pull *p, size_t row)
{
    const uint8_t *visible = p->pulls.visible + row * p->n_keys;
    const float *pulls = p->pulls.pull + row * p->n_keys;
    size_t n = 0;
    for (size_t key = 0; key < p->n_keys; key++)
        if (visible[key] != 0 && p->report->key_units.selected[key] != 0 && attn_report_shows(p->report, pulls[key]))
            p->order[n++] = key;
    if (p->report->top == ATTN_TOP_ALL)
        return n;
    attn_top_clear(&p->top);
    for (size_t i = 0; i < n; i++)
        attn_top_offer(&p->top, p->order[i], pulls[p->order[i]]);
    attn_top_sort(&p->top);
    memcpy(p->order, p->top.indices, p->top.n * sizeof *p->order);
    return p->top.n;
}

/* Of the layers up to the last one that is selected, as the pass tells it. */
static void tell_progress(const pull *p, size_t n_queries)
{
    const attn_text *text = p->report->text;
    double done = (double)n_queries / (double)text->tokens->count;
    if (text->progress != NULL)
        text->progress(text->progress_context, ((double)p->layer + done) / (double)(last_layer(p->report) + 1));
}

static attn_status take_block(void *context, const attn_block *block, attn_error *error)
{
    pull *p = context;
    const attn_units *units = &p->report->query_units;
    bool done;
    attn_status status = attn_pulls_block(&p->pulls, block, &done, error);
    if (status != ATTN_OK || !done)
        return status;
    tell_progress(p, block->query + block->n_queries);
    for (size_t i = p->from; i < p->to && status == ATTN_OK; i++) {
        size_t query = units->positions[i];
        if (query < block->query || query >= block->query + block->n_queries)
            continue;
        size_t row = query - block->query, n = choose_keys(p, row);
        for (size_t k = 0; k < n && status == ATTN_OK; k++)
            status = print_pair(p, row, i, p->order[k], error);
    }
    return status;
}

static attn_status take_part(void *context, const attn_part *part, attn_error *error)
{
    pull *p = context;
    return attn_pulls_part(&p->pulls, part, error);
}

/* The rows of the queries at hand; the layer's values and its new stream are learnt the first time. */
static attn_status print_queries(pull *p, const attn_hidden *before, attn_error *error)
{
    const attn_observer callbacks = {
        .context = p,
        .wants = ATTN_WANT_WEIGHTS,
        .parts = p->from == 0 ? ATTN_PULL_PARTS : 0,
        .order = ATTN_BY_QUERY,
        .queries = p->queries,
        .block = take_block,
        .part = take_part,
    };
    memset(p->queries, 0, before->n_tokens);
    for (size_t i = p->from; i < p->to; i++)
        p->queries[p->report->query_units.positions[i]] = 1;
    uint64_t masked_rows;
    attn_status status = attn_report_run_layer(p->report, before, &callbacks, &masked_rows, error);
    if (p->from == 0 && p->layer == last_layer(p->report)) /* those of the others are counted as the pass goes on */
        p->report->counts.masked_rows += masked_rows;
    return status;
}

/* ---- a layer ---- */

static attn_status open_layer(pull *p, const attn_hidden *before, size_t at_once, attn_error *error)
{
    attn_report *report = p->report;
    size_t top = report->top < p->n_keys ? report->top : p->n_keys, count;
    attn_status status = attn_pulls_open(&p->pulls, report->model, p->layer,
                                         report->selection.heads + p->layer * report->selection.max_heads,
                                         before->values, before->n_tokens, p->n_keys, report->pool, error);
    if (status != ATTN_OK)
        return status;
    p->queries = attn_alloc_array(before->n_tokens, 1);
    p->order = attn_alloc_array(p->n_keys, sizeof *p->order);
    if (p->queries == NULL || p->order == NULL || !attn_top_open(&p->top, top))
        return attn_fail_memory(error);
    if (!shows_back(report))
        return ATTN_OK;
    p->back = attn_multiply(before->n_tokens, at_once, &count) ? attn_alloc_array(count, sizeof *p->back) : NULL;
    return p->back != NULL ? ATTN_OK : attn_fail_memory(error);
}

static void close_layer(pull *p)
{
    attn_pulls_close(&p->pulls);
    attn_free(p->queries);
    attn_free(p->order);
    attn_free(p->back);
    attn_top_close(&p->top);
}

/* ---- the picture ---- */

/* The selected queries, which move, and the other selected keys. */
static attn_status draw_points(pull *p, const attn_hidden *before, attn_error *error)
{
    const attn_report *report = p->report;
    const size_t width = before->width, n_queries = report->query_units.n;
    const bool has_context = report->text->context != NULL;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < n_queries && status == ATTN_OK; i++) {
        const bool moves = report->query_units.selected[i] != 0;
        const attn_plane_vectors point = {.position = i,
                                          .label = attn_units_label(&report->query_units, i),
                                          .before = before->values + i * width,
                                          .after = moves ? p->pulls.y + i * width : NULL};
        if (moves || (!has_context && report->key_units.selected[i] != 0))
            status = attn_planes_point(report->state, &point, error);
    }
    for (size_t i = 0; i < p->n_keys && has_context && status == ATTN_OK; i++) {
        const attn_plane_vectors point = {.position = i,
                                          .label = attn_units_label(&report->key_units, i),
                                          .of_context = true,
                                          .before = p->pulls.keys + i * width};
        if (report->key_units.selected[i] != 0)
            status = attn_planes_point(report->state, &point, error);
    }
    return status;
}

/* What the report keeps. */
typedef struct picture {
    attn_planes planes; /* first: attn_planes_… takes the state */
    bool squares;       /* instead of arrows */
} picture;

static attn_status take_hidden(void *context, const attn_hidden *before, attn_error *error)
{
    attn_report *report = context;
    const picture *drawn = report->state;
    if (drawn->squares)
        return attn_squares_write(&drawn->planes, before, error);
    size_t n = report->query_units.n_selected, at_once = BACK_NUMBERS / before->n_tokens + 1;
    pull p = {.report = report, .layer = before->layer, .n_keys = report->key_units.n_tokens};
    if (at_once > n || !shows_back(report))
        at_once = n;
    attn_status status = open_layer(&p, before, at_once, error);
    if (status == ATTN_OK && report->drawn)
        status = attn_planes_panel(report->state, before->layer, false, error);
    for (; p.from < n && status == ATTN_OK; p.from = p.to) {
        p.to = n - p.from < at_once ? n : p.from + at_once;
        if (p.back != NULL)
            status = collect_back(&p, before, error);
        if (status == ATTN_OK)
            status = print_queries(&p, before, error);
    }
    if (status == ATTN_OK && report->drawn)
        status = draw_points(&p, before, error);
    close_layer(&p);
    return status;
}

static attn_status print_pull(attn_report *report, attn_error *error)
{
    const attn_observer callbacks = {.context = report, .hidden = take_hidden};
    return attn_report_run(report, ATTN_WANT_BEFORE, ATTN_BY_HEAD, &callbacks, error);
}

static attn_status open_pull(attn_report *report, attn_error *error)
{
    size_t width = 0;
    attn_status status = attn_moves_check(report, error);
    for (size_t layer = 0; layer < report->model->n_layers && status == ATTN_OK; layer++) {
        if (report->selection.layers[layer] == 0)
            continue;
        const size_t own = attn_model_width(report->model, (ptrdiff_t)layer);
        if (report->drawn && width != 0 && own != width)
            return attn_fail(error, ATTN_EUSAGE,
                             "the layers selected are not equally wide (%zu and %zu numbers): choose one by --layer",
                             width, own);
        width = own;
    }
    picture *drawn = report->state;
    if (status == ATTN_OK)
        status = attn_planes_open(&drawn->planes, report, width, error);
    return status == ATTN_OK ? attn_squares_check(report, &drawn->planes, &drawn->squares, error) : status;
}

static attn_status end_pull(attn_report *report, attn_error *error)
{
    picture *drawn = report->state;
    return report->drawn && !drawn->squares ? attn_planes_write(&drawn->planes, error) : ATTN_OK;
}

static void close_pull(attn_report *report)
{
    attn_planes_close(&((picture *)report->state)->planes);
}

const attn_report_kind attn_report_pull = {
    .name = "pull",
    .summary = "who pulls whom, how far and which way",
    .columns = "text layer query query_token key key_token weight back pull share before after",
    .shape = ATTN_SHAPE_RECORDS,
    .cells = {.unit = "weight back", .positive = "pull before after", .with_sign = "share"},
    .titled = 2,
    .takes = ATTN_TAKES_LAYERS | ATTN_TAKES_HEADS | ATTN_TAKES_QUERIES | ATTN_TAKES_KEYS | ATTN_TAKES_MIN |
             ATTN_TAKES_TOP | ATTN_TAKES_AXES,
    .plane = true,
    .state_size = sizeof(picture),
    .open = open_pull,
    .text = print_pull,
    .end = end_pull,
    .close = close_pull,
};
