/* tsv.c: tab-separated rows. What is the same for a row of the grid is built once a row, what is
 * the same for a key once a text; a pair then costs a few copies and one number, straight into the
 * sink. */
#include "config.h"

#include "base/memory.h"
#include "output/output.h"

#include <string.h>

enum { ROOM = 64 * 1024 };

typedef enum run_kind { RUN_ROW, RUN_KEY, RUN_VALUE } run_kind;

typedef struct run { /* neighbouring columns of one kind, each with the separator behind it */
    run_kind kind;
    size_t first, n;  /* columns */
    attn_labels keys; /* RUN_KEY: by key, made once a text */
    size_t start;     /* RUN_ROW: where it begins in tsv.row */
    size_t size;
} run;

typedef struct tsv {
    attn_writer writer;
    bool headed;
    run *runs; /* owned; [n_runs] */
    size_t n_runs, n_values;
    attn_labels queries; /* escaped labels */
    attn_buffer row;
} tsv;

static run_kind kind_of(attn_column_kind kind)
{
    if (kind == ATTN_COLUMN_KEY || kind == ATTN_COLUMN_KEY_LABEL)
        return RUN_KEY;
    return kind == ATTN_COLUMN_VALUE ? RUN_VALUE : RUN_ROW;
}

static attn_status open_tsv(attn_writer *writer, attn_error *error)
{
    tsv *t = (tsv *)writer;
    t->runs = attn_calloc_array(writer->schema.n_columns + 1, sizeof *t->runs);
    if (t->runs == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < writer->schema.n_columns; i++) {
        run_kind kind = kind_of(writer->schema.columns[i].kind);
        if (t->n_runs == 0 || t->runs[t->n_runs - 1].kind != kind || kind == RUN_VALUE)
            t->runs[t->n_runs++] = (run){.kind = kind, .first = i};
        t->runs[t->n_runs - 1].n++;
        t->n_values += kind == RUN_VALUE;
    }
    return ATTN_OK;
}

static char separator(const tsv *t, size_t column)
{
    return column + 1 == t->writer.schema.n_columns ? '\n' : '\t';
}

static attn_status flush_row(tsv *t, attn_error *error)
{
    if (t->row.failed)
        return attn_fail_memory(error);
    attn_sink_put(t->writer.sink, t->row.data, t->row.size);
    return ATTN_OK;
}

static attn_status put_header(tsv *t, attn_error *error)
{
    const attn_schema *schema = &t->writer.schema;
    t->headed = true;
    if (t->writer.options.no_header)
        return ATTN_OK;
    t->row.size = 0;
    for (size_t i = 0; i < schema->n_columns; i++) {
        if (schema->columns[i].kind != ATTN_COLUMN_NUMBERS) {
            attn_buffer_text(&t->row, schema->columns[i].name);
        } else {
            for (size_t j = 0; j < schema->width; j++)
                attn_buffer_format(&t->row, j > 0 ? "\tv%zu" : "v%zu", j);
        }
        attn_buffer_byte(&t->row, separator(t, i));
    }
    return flush_row(t, error);
}

static void put_query_label(const void *context, size_t index, attn_buffer *out)
{
    const attn_side *side = context;
    attn_escape_tsv(side->labels[index], out);
}

typedef struct key_context {
    const tsv *tsv;
    const run *run;
} key_context;

static void put_key(const void *context, size_t index, attn_buffer *out)
{
    const key_context *key = context;
    const attn_side *keys = &key->tsv->writer.text.keys;
    for (size_t i = key->run->first; i < key->run->first + key->run->n; i++) {
        if (key->tsv->writer.schema.columns[i].kind == ATTN_COLUMN_KEY)
            attn_buffer_count(out, keys->positions[index]);
        else
            attn_escape_tsv(keys->labels[index], out);
        attn_buffer_byte(out, separator(key->tsv, i));
    }
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    tsv *t = (tsv *)writer;
    attn_status status = t->headed ? ATTN_OK : put_header(t, error);
    if (status == ATTN_OK)
        status = attn_labels_make(&t->queries, writer->text.queries.n, put_query_label, &writer->text.queries, error);
    for (size_t i = 0; i < t->n_runs && status == ATTN_OK; i++) {
        key_context context = {.tsv = t, .run = &t->runs[i]};
        if (t->runs[i].kind == RUN_KEY)
            status = attn_labels_make(&t->runs[i].keys, writer->text.keys.n, put_key, &context, error);
    }
    return status;
}

/* One column of a row that is the same for all its numbers. */
static void put_place(tsv *t, size_t column, const attn_row_place *place, size_t query)
{
    attn_column_kind kind = t->writer.schema.columns[column].kind;
    if (kind == ATTN_COLUMN_QUERY_LABEL) {
        attn_bytes label = attn_labels_at(&t->queries, query);
        attn_buffer_put(&t->row, label.data, label.size);
    } else {
        attn_put_place(&t->writer, kind, place, &t->row);
    }
    attn_buffer_byte(&t->row, separator(t, column));
}

static void build_row(tsv *t, const attn_grid_row *row)
{
    const attn_row_place place = {.layer = row->layer,
                                  .head = row->head,
                                  .position = t->writer.text.queries.positions[row->query],
                                  .after = true};
    t->row.size = 0;
    for (size_t i = 0; i < t->n_runs; i++) {
        run *r = &t->runs[i];
        if (r->kind != RUN_ROW)
            continue;
        r->start = t->row.size;
        for (size_t j = r->first; j < r->first + r->n; j++)
            put_place(t, j, &place, row->query);
        r->size = t->row.size - r->start;
    }
}

static char *copy(char *at, const void *from, size_t size)
{
    if (size > 0)
        memcpy(at, from, size);
    return at + size;
}

/* One pair, into room that is large enough. */
static char *put_pair(const tsv *t, char *at, size_t key, float value)
{
    for (size_t i = 0; i < t->n_runs; i++) {
        const run *r = &t->runs[i];
        if (r->kind == RUN_ROW) {
            at = copy(at, t->row.data + r->start, r->size);
        } else if (r->kind == RUN_KEY) {
            attn_bytes piece = attn_labels_at(&r->keys, key);
            at = copy(at, piece.data, piece.size);
        } else {
            at += attn_number_f32(value, t->writer.options.precision, at);
            *at++ = separator(t, r->first);
        }
    }
    return at;
}

static size_t pair_size(const tsv *t, size_t key)
{
    size_t size = t->row.size + t->n_values * (ATTN_NUMBER_ROOM + 1);
    for (size_t i = 0; i < t->n_runs; i++)
        if (t->runs[i].kind == RUN_KEY)
            size += t->runs[i].keys.starts[key + 1] - t->runs[i].keys.starts[key];
    return size;
}

/* A pair whose labels are longer than the sink's room. */
static attn_status put_huge_pair(const tsv *t, size_t size, size_t key, float value, attn_error *error)
{
    char *text = attn_alloc(size);
    if (text == NULL)
        return attn_fail_memory(error);
    attn_sink_put(t->writer.sink, text, (size_t)(put_pair(t, text, key, value) - text));
    attn_free(text);
    return ATTN_OK;
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    tsv *t = (tsv *)writer;
    size_t n = row->order != NULL ? row->n_order : writer->text.keys.n;
    build_row(t, row);
    if (t->row.failed)
        return attn_fail_memory(error);
    for (size_t i = 0; i < n; i++) {
        size_t key = row->order != NULL ? row->order[i] : i, size;
        if (row->visible[key] == 0)
            continue;
        size = pair_size(t, key);
        if (size <= ROOM) {
            char *room = attn_sink_room(writer->sink, size);
            attn_sink_advance(writer->sink, (size_t)(put_pair(t, room, key, row->values[key]) - room));
        } else {
            attn_status status = put_huge_pair(t, size, key, row->values[key], error);
            if (status != ATTN_OK)
                return status;
        }
    }
    return ATTN_OK;
}

static attn_status put_vector(attn_writer *writer, const attn_vector_row *row, attn_error *error)
{
    tsv *t = (tsv *)writer;
    const attn_row_place place = {.layer = row->layer,
                                  .head = row->head,
                                  .position = writer->text.queries.positions[row->query],
                                  .after = row->after};
    attn_status status = ATTN_OK;
    t->row.size = 0;
    for (size_t i = 0; i < writer->schema.n_columns && status == ATTN_OK; i++) {
        const attn_column *column = &writer->schema.columns[i];
        if (column->kind == ATTN_COLUMN_NUMBER)
            attn_buffer_number(&t->row, row->values[column->cell], writer->options.precision);
        if (column->kind != ATTN_COLUMN_NUMBERS) {
            put_place(t, i, &place, row->query);
            continue;
        }
        if (writer->schema.width > 0)
            attn_buffer_number(&t->row, row->values[0], writer->options.precision);
        status = flush_row(t, error);
        t->row.size = 0;
        if (writer->schema.width > 1)
            attn_put_numbers(writer, row->values + 1, NULL, writer->schema.width - 1, '\t', "");
        attn_buffer_byte(&t->row, separator(t, i));
    }
    return status == ATTN_OK ? flush_row(t, error) : status;
}

static void put_cell(tsv *t, const attn_cell *cell)
{
    switch (cell->type) {
    case ATTN_CELL_COUNT:
        attn_buffer_count(&t->row, cell->count);
        break;
    case ATTN_CELL_NUMBER:
        attn_buffer_number(&t->row, cell->number, t->writer.options.precision);
        break;
    case ATTN_CELL_LABEL:
        attn_escape_tsv(cell->label, &t->row);
        break;
    case ATTN_CELL_NONE:
        break;
    }
}

static attn_status put_record(attn_writer *writer, const attn_cell *cells, attn_error *error)
{
    static const attn_row_place nowhere = {0};
    tsv *t = (tsv *)writer;
    t->row.size = 0;
    for (size_t i = 0; i < writer->schema.n_columns; i++) {
        const attn_column *column = &writer->schema.columns[i];
        if (column->kind == ATTN_COLUMN_CELL)
            put_cell(t, &cells[column->cell]);
        else
            attn_put_place(writer, column->kind, &nowhere, &t->row);
        attn_buffer_byte(&t->row, separator(t, i));
    }
    return flush_row(t, error);
}

/* ---- steps: one number a row ---- */

typedef struct step_place { /* whose number it is */
    const attn_step_table *steps;
    const attn_step *step;
    size_t query, key; /* ATTN_NO_POSITION: none */
    attn_bytes query_label, key_label;
} step_place;

static void put_position(tsv *t, size_t position)
{
    if (position != ATTN_NO_POSITION)
        attn_buffer_count(&t->row, position);
}

static void put_step_column(tsv *t, attn_column_kind kind, const step_place *place, size_t dimension)
{
    const attn_row_place row = {.layer = place->steps->layer,
                                .head = place->step->of_layer ? ATTN_HEAD_NONE : place->steps->head};
    switch (kind) {
    case ATTN_COLUMN_QUERY:
        put_position(t, place->query);
        break;
    case ATTN_COLUMN_QUERY_LABEL:
        attn_escape_tsv(place->query_label, &t->row);
        break;
    case ATTN_COLUMN_KEY:
        put_position(t, place->key);
        break;
    case ATTN_COLUMN_KEY_LABEL:
        attn_escape_tsv(place->key_label, &t->row);
        break;
    case ATTN_COLUMN_STEP:
        attn_buffer_text(&t->row, place->step->name);
        break;
    case ATTN_COLUMN_DIMENSION:
        put_position(t, place->step->vector ? dimension : ATTN_NO_POSITION);
        break;
    default:
        attn_put_place(&t->writer, kind, &row, &t->row);
    }
}

static attn_status put_step(tsv *t, const step_place *place, const float *values, attn_error *error)
{
    const attn_schema *schema = &t->writer.schema;
    attn_status status = ATTN_OK;
    for (size_t k = 0; k < place->step->width && status == ATTN_OK; k++) {
        t->row.size = 0;
        for (size_t i = 0; i < schema->n_columns; i++) {
            if (schema->columns[i].kind == ATTN_COLUMN_VALUE)
                attn_buffer_number(&t->row, values[k], t->writer.options.precision);
            else
                put_step_column(t, schema->columns[i].kind, place, k);
            attn_buffer_byte(&t->row, separator(t, i));
        }
        status = flush_row(t, error);
    }
    return status;
}

/* Row by row, in each the steps in their order; a row that is no token of the text has neither position nor token. */
static attn_status put_steps(attn_writer *writer, const attn_step_table *steps, attn_error *error)
{
    tsv *t = (tsv *)writer;
    const attn_step_rows *rows = &steps->rows;
    step_place place = {
        .steps = steps, .query = steps->query, .query_label = steps->query_label, .key = ATTN_NO_POSITION};
    attn_status status = ATTN_OK;
    for (size_t row = 0; row < rows->n; row++) {
        bool token = rows->positions[row] != ATTN_NO_POSITION;
        *(rows->keys ? &place.key : &place.query) = rows->positions[row];
        *(rows->keys ? &place.key_label : &place.query_label) = token ? rows->labels[row] : (attn_bytes){NULL, 0};
        for (size_t i = 0; i < steps->n_columns && status == ATTN_OK; i++) {
            place.step = &steps->columns[i];
            if (place.step->name != NULL && (place.step->present == NULL || place.step->present[row] != 0))
                status = put_step(t, &place, place.step->values + row * place.step->width, error);
        }
    }
    place =
        (step_place){.steps = steps, .query = steps->query, .query_label = steps->query_label, .key = ATTN_NO_POSITION};
    for (size_t i = 0; i < steps->n_results && status == ATTN_OK; i++) {
        place.step = &steps->results[i];
        if (place.step->name != NULL)
            status = put_step(t, &place, place.step->values, error);
    }
    return status;
}

static void close_tsv(attn_writer *writer)
{
    tsv *t = (tsv *)writer;
    for (size_t i = 0; i < t->n_runs; i++)
        attn_labels_free(&t->runs[i].keys);
    attn_free(t->runs);
    attn_labels_free(&t->queries);
    attn_buffer_free(&t->row);
}

const attn_output attn_output_tsv = {
    .name = "tsv",
    .shapes = ATTN_SHAPE_GRID | ATTN_SHAPE_VECTORS | ATTN_SHAPE_RECORDS | ATTN_SHAPE_STEPS,
    .columns = ATTN_SHAPE_GRID | ATTN_SHAPE_VECTORS | ATTN_SHAPE_RECORDS | ATTN_SHAPE_STEPS,
    .for_stream = true,
    .size = sizeof(tsv),
    .open = open_tsv,
    .text_begin = begin_text,
    .grid = put_grid,
    .vector = put_vector,
    .record = put_record,
    .steps = put_steps,
    .close = close_tsv,
};
