/* projections.c: the reports `queries`, `keys` and `values`: the vectors that meet in attention, head by head, as the
 * engine uses them. With --context keys and values are the other text's. */
#include "config.h"

#include "report/kind.h"

/* The vectors of all selected heads and tokens, where one report differs from another. */
static attn_status take_part(void *context, const attn_part *part, attn_error *error)
{
    attn_report *report = context;
    const uint8_t *heads = report->selection.heads + part->layer * report->selection.max_heads;
    bool before = part->kind == ATTN_PART_QUERY_BEFORE || part->kind == ATTN_PART_KEY_BEFORE;
    attn_status status = attn_report_begin_rows(report, error);
    for (size_t h = 0; h < part->n_heads; h++)
        for (size_t i = 0; i < report->query_units.n_selected && heads[h] != 0 && status == ATTN_OK; i++) {
            const float *values = part->values.data + report->query_units.positions[i] * part->values.row_stride +
                                  h * part->values.head_stride;
            const attn_vector_row row = {
                .layer = part->layer, .head = h, .after = !before, .query = i, .values = values};
            status = attn_writer_vector(report->writer, &row, error);
        }
    return status;
}

static attn_status print_parts(attn_report *report, unsigned parts, attn_error *error)
{
    const attn_observer callbacks = {.context = report, .parts = parts, .part = take_part};
    return attn_report_run(report, 0, ATTN_BY_HEAD, &callbacks, error);
}

/* Those before rotary positions, those behind them, or both. */
static attn_status print_at(attn_report *report, unsigned before, unsigned after, attn_error *error)
{
    return print_parts(report, (report->before ? before : 0) | (report->after || !report->before ? after : 0), error);
}

static attn_status print_queries(attn_report *report, attn_error *error)
{
    return print_at(report, ATTN_PART_QUERY_BEFORE, ATTN_PART_QUERY, error);
}

static attn_status print_keys(attn_report *report, attn_error *error)
{
    return print_at(report, ATTN_PART_KEY_BEFORE, ATTN_PART_KEY, error);
}

static attn_status print_values(attn_report *report, attn_error *error)
{
    return print_parts(report, ATTN_PART_VALUE, error);
}

static size_t head_width(const attn_rule *rule)
{
    return rule->head_dim;
}

static size_t value_width(const attn_rule *rule)
{
    return rule->value_dim;
}

/* All rows have the same columns, so all layers shown must have heads of one size. */
static attn_status open_vectors(attn_report *report, size_t (*width_of)(const attn_rule *rule), attn_error *error)
{
    size_t width = 0;
    for (size_t layer = 0; layer < report->model->n_layers; layer++) {
        size_t here = width_of(&report->model->layers[layer].rule);
        if (report->selection.layers[layer] == 0)
            continue;
        if (width != 0 && here != width)
            return attn_fail(error, ATTN_EUSAGE,
                             "the heads selected are not all equally wide (%zu and %zu numbers): choose layers with "
                             "--layer",
                             width, here);
        width = here;
    }
    report->schema.width = width;
    report->schema.values = "vectors";
    report->schema.heads = true;
    return ATTN_OK;
}

static attn_status open_heads(attn_report *report, attn_error *error)
{
    return open_vectors(report, head_width, error);
}

static attn_status open_values(attn_report *report, attn_error *error)
{
    return open_vectors(report, value_width, error);
}

#define TAKES (ATTN_TAKES_LAYERS | ATTN_TAKES_HEADS | ATTN_TAKES_QUERIES)

const attn_report_kind attn_report_queries = {
    .name = "queries",
    .summary = "each head's query vectors (--at=before: before rotary positions)",
    .columns = "text layer head position token v0 v1 …",
    .shape = ATTN_SHAPE_VECTORS,
    .takes = TAKES | ATTN_TAKES_AT,
    .open = open_heads,
    .text = print_queries,
};

const attn_report_kind attn_report_keys = {
    .name = "keys",
    .summary = "each key/value head's key vectors (likewise)",
    .columns = "text layer head position token v0 v1 …",
    .shape = ATTN_SHAPE_VECTORS,
    .of_keys = true,
    .takes = TAKES | ATTN_TAKES_AT,
    .open = open_heads,
    .text = print_keys,
};

const attn_report_kind attn_report_values = {
    .name = "values",
    .summary = "each key/value head's value vectors",
    .columns = "text layer head position token v0 v1 …",
    .shape = ATTN_SHAPE_VECTORS,
    .of_keys = true,
    .takes = TAKES,
    .open = open_values,
    .text = print_values,
};
