/* table.c: for eyes. Weights and scores are one grid a head, `·` where masked; steps are pages (steps_page.c); everything
 * else, and pairs whose columns the user chose, is a list of aligned columns. */
#include "config.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "output/align.h"
#include "output/color.h"
#include "output/output.h"
#include "output/steps_page.h"

#include <math.h>
#include <string.h>

enum {
    DECIMALS = 4,
    HELD_CELLS = 4 << 20 /* of a grid; a larger one is written in parts */
};

typedef struct table {
    attn_writer writer;
    bool listed, headed;
    attn_align align;    /* listed */
    size_t titled;       /* listed records: so many columns stand in a title above their section; 0: in each row */
    attn_buffer title;   /* of the section at hand */
    attn_labels queries; /* escaped labels */
    attn_labels keys;
    attn_steps_page steps;
    /* the grid held back */
    bool begun, held;
    size_t layer, head, n_grids;
    float *values;    /* owned; [n_rows][n_keys] */
    uint8_t *visible; /* owned; [n_rows][n_keys] */
    size_t *rows;     /* owned; [n_rows]: the queries */
    size_t n_rows, capacity;
    size_t number_width;
} table;

int attn_table_decimals(const attn_writer *writer)
{
    return writer->options.precision >= 0 ? writer->options.precision : DECIMALS;
}

static size_t width_of(const attn_labels *labels, size_t index)
{
    return attn_utf8_width(attn_labels_at(labels, index));
}

/* The list */

/* A position that stands before its token in one column. */
static bool is_joined(const table *t, size_t column)
{
    return t->titled > 0 && t->writer.schema.columns[column].joined;
}

static attn_status put_header(table *t, attn_error *error)
{
    const attn_schema *schema = &t->writer.schema;
    attn_status status = ATTN_OK;
    t->headed = true;
    if (t->writer.options.no_header)
        return ATTN_OK;
    for (size_t i = t->titled; i < schema->n_columns && status == ATTN_OK; i += is_joined(t, i) ? 2 : 1) {
        size_t n = schema->columns[i].kind == ATTN_COLUMN_NUMBERS ? schema->width : 1;
        for (size_t j = 0; j < n && status == ATTN_OK; j++) {
            if (schema->columns[i].kind != ATTN_COLUMN_NUMBERS)
                attn_buffer_text(&t->align.bytes, schema->columns[i].name);
            else if (schema->axes != NULL)
                attn_escape_table(attn_bytes_of(schema->axes[j]), &t->align.bytes);
            else
                attn_buffer_format(&t->align.bytes, "v%zu", j);
            status = attn_align_cell(&t->align, false, error);
        }
    }
    return status;
}

static attn_status open_table(attn_writer *writer, attn_error *error)
{
    table *t = (table *)writer;
    size_t n = 0;
    t->listed = writer->schema.shape != ATTN_SHAPE_GRID || writer->schema.chosen;
    t->titled = writer->schema.chosen ? 0 : writer->schema.titled;
    t->headed = t->titled > 0 || writer->schema.shape == ATTN_SHAPE_STEPS; /* by each section */
    t->steps = (attn_steps_page){.writer = writer, .width = writer->options.screen.width};
    for (size_t i = t->titled; i < writer->schema.n_columns; i += is_joined(t, i) ? 2 : 1)
        n += writer->schema.columns[i].kind == ATTN_COLUMN_NUMBERS ? writer->schema.width : 1;
    return t->listed ? attn_align_open(&t->align, n, error) : ATTN_OK;
}

static attn_status list_place(table *t, attn_column_kind kind, const attn_row_place *place, attn_error *error)
{
    attn_put_place(&t->writer, kind, place, &t->align.bytes);
    return attn_align_cell(&t->align, kind == ATTN_COLUMN_FILE || kind == ATTN_COLUMN_AT, error);
}

static attn_status list_label(table *t, const attn_labels *labels, size_t index, attn_error *error)
{
    attn_bytes label = attn_labels_at(labels, index);
    attn_buffer_put(&t->align.bytes, label.data, label.size);
    return attn_align_cell(&t->align, true, error);
}

static attn_status list_number(table *t, float number, attn_error *error)
{
    attn_buffer_number(&t->align.bytes, number, attn_table_decimals(&t->writer));
    return attn_align_cell(&t->align, false, error);
}

static attn_status list_pair(table *t, const attn_grid_row *row, size_t key, attn_error *error)
{
    const attn_row_place place = {.layer = row->layer,
                                  .head = row->head,
                                  .position = t->writer.text.queries.positions[row->query],
                                  .after = true};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < t->writer.schema.n_columns && status == ATTN_OK; i++) {
        attn_column_kind kind = t->writer.schema.columns[i].kind;
        if (kind == ATTN_COLUMN_QUERY_LABEL) {
            status = list_label(t, &t->queries, row->query, error);
        } else if (kind == ATTN_COLUMN_KEY_LABEL) {
            status = list_label(t, &t->keys, key, error);
        } else if (kind == ATTN_COLUMN_VALUE) {
            status = list_number(t, row->values[key], error);
        } else if (kind == ATTN_COLUMN_KEY) {
            attn_buffer_count(&t->align.bytes, t->writer.text.keys.positions[key]);
            status = attn_align_cell(&t->align, false, error);
        } else {
            status = list_place(t, kind, &place, error);
        }
    }
    if (attn_align_is_full(&t->align))
        attn_align_flush(&t->align, t->writer.sink);
    return status;
}

static attn_status list_grid(table *t, const attn_grid_row *row, attn_error *error)
{
    size_t n = row->order != NULL ? row->n_order : t->writer.text.keys.n;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < n && status == ATTN_OK; i++) {
        size_t key = row->order != NULL ? row->order[i] : i;
        if (row->visible[key] != 0)
            status = list_pair(t, row, key, error);
    }
    return status;
}

static attn_status put_vector(attn_writer *writer, const attn_vector_row *row, attn_error *error)
{
    table *t = (table *)writer;
    const attn_row_place place = {.layer = row->layer,
                                  .head = row->head,
                                  .position = writer->text.queries.positions[row->query],
                                  .after = row->after};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < writer->schema.n_columns && status == ATTN_OK; i++) {
        attn_column_kind kind = writer->schema.columns[i].kind;
        if (kind == ATTN_COLUMN_NUMBER)
            status = list_number(t, row->values[writer->schema.columns[i].cell], error);
        else if (kind == ATTN_COLUMN_NUMBERS)
            for (size_t j = 0; j < writer->schema.width && status == ATTN_OK; j++)
                status = list_number(t, row->values[j], error);
        else if (kind == ATTN_COLUMN_QUERY_LABEL)
            status = list_label(t, &t->queries, row->query, error);
        else
            status = list_place(t, kind, &place, error);
    }
    if (attn_align_is_full(&t->align))
        attn_align_flush(&t->align, writer->sink);
    return status;
}

static attn_status list_cell(table *t, const attn_cell *cell, attn_error *error)
{
    if (cell->type == ATTN_CELL_NUMBER)
        return list_number(t, cell->number, error);
    if (cell->type == ATTN_CELL_COUNT)
        attn_buffer_count(&t->align.bytes, cell->count);
    else if (cell->type == ATTN_CELL_LABEL)
        attn_escape_table(cell->label, &t->align.bytes);
    return attn_align_cell(&t->align, cell->type == ATTN_CELL_LABEL, error);
}

/* The titled columns: when they differ from those of the row before, a section begins. */
static attn_status turn_section(table *t, const attn_cell *cells, attn_error *error)
{
    attn_buffer title = {0};
    attn_put_text_title(&t->writer, &title);
    for (size_t i = 0; i < t->titled; i++) {
        const attn_column *column = &t->writer.schema.columns[i];
        if (column->kind != ATTN_COLUMN_CELL)
            continue;
        attn_buffer_format(&title, ", %s ", column->name);
        attn_buffer_count(&title, cells[column->cell].count);
    }
    bool same = title.size == t->title.size && title.size > 0 && memcmp(title.data, t->title.data, title.size) == 0;
    if (title.failed || same) {
        bool failed = title.failed;
        attn_buffer_free(&title);
        return failed ? attn_fail_memory(error) : ATTN_OK;
    }
    attn_align_restart(&t->align, t->writer.sink);
    attn_sink_text(t->writer.sink, t->title.size > 0 ? "\n" : "");
    attn_sink_put(t->writer.sink, title.data, title.size);
    attn_sink_text(t->writer.sink, "\n");
    attn_buffer_free(&t->title);
    t->title = title;
    return put_header(t, error);
}

static attn_status put_record(attn_writer *writer, const attn_cell *cells, attn_error *error)
{
    static const attn_row_place nowhere = {0};
    table *t = (table *)writer;
    attn_status status = t->titled > 0 ? turn_section(t, cells, error) : ATTN_OK;
    for (size_t i = t->titled; i < writer->schema.n_columns && status == ATTN_OK; i++) {
        const attn_column *column = &writer->schema.columns[i];
        if (is_joined(t, i)) {
            attn_buffer_count(&t->align.bytes, cells[column->cell].count);
            attn_buffer_text(&t->align.bytes, " ");
        } else if (column->kind == ATTN_COLUMN_CELL)
            status = list_cell(t, &cells[column->cell], error);
        else
            status = list_place(t, column->kind, &nowhere, error);
    }
    if (attn_align_is_full(&t->align))
        attn_align_flush(&t->align, writer->sink);
    return status;
}

/* The grid */

static attn_status put_title(table *t, attn_error *error)
{
    attn_buffer title = {0};
    attn_status status;
    attn_buffer_text(&title, t->n_grids > 0 ? "\n" : "");
    attn_put_text_title(&t->writer, &title);
    attn_buffer_format(&title, ", layer %zu, head ", t->layer);
    attn_put_head(t->head, &title);
    attn_buffer_text(&title, "\n");
    status = title.failed ? attn_fail_memory(error) : ATTN_OK;
    attn_sink_put(t->writer.sink, title.data, title.size);
    attn_buffer_free(&title);
    return status;
}

static size_t paint(const table *t, float value, attn_bounds bounds, char color[ATTN_PAINT_ROOM])
{
    const attn_writer *writer = &t->writer;
    const attn_shade shade = writer->options.shade != ATTN_SHADE_UNSAID ? writer->options.shade : ATTN_SHADE_LINEAR;
    if (writer->schema.range == ATTN_RANGE_NONE)
        return 0;
    return attn_paint(writer->options.screen.palette, writer->schema.range,
                      attn_color_share(writer->schema.range, shade, (double)value, bounds), color);
}

static void put_number(table *t, size_t width, float value, attn_bounds bounds)
{
    attn_sink *sink = t->writer.sink;
    char text[ATTN_NUMBER_ROOM], color[ATTN_PAINT_ROOM];
    const size_t size = attn_number_f32(value, attn_table_decimals(&t->writer), text),
                 painted = paint(t, value, bounds, color);
    attn_align_pad(sink, 2 + width - size);
    attn_sink_put(sink, color, painted);
    attn_sink_put(sink, text, size);
    attn_sink_text(sink, painted > 0 ? ATTN_PAINT_END : "");
}

static void put_masked(table *t, size_t width)
{
    attn_align_pad(t->writer.sink, 1 + width);
    attn_sink_text(t->writer.sink, "\xc2\xb7"); /* · */
}

/* The largest size of a visible number among the N from FROM on. */
static double largest_of(const table *t, size_t from, size_t n)
{
    double largest = 0;
    for (size_t i = from; i < from + n; i++)
        if (t->visible[i] != 0 && isfinite(t->values[i]) && fabs((double)t->values[i]) > largest)
            largest = fabs((double)t->values[i]);
    return largest;
}

static void measure_numbers(table *t)
{
    char text[ATTN_NUMBER_ROOM];
    for (size_t i = 0; i < t->n_rows * t->writer.text.keys.n; i++) {
        size_t size = t->visible[i] != 0 ? attn_number_f32(t->values[i], attn_table_decimals(&t->writer), text) : 1;
        if (size > t->number_width)
            t->number_width = size;
    }
}

static size_t column_width(const table *t, size_t key)
{
    size_t width = width_of(&t->keys, key);
    return width > t->number_width ? width : t->number_width;
}

static attn_status put_grid_header(table *t, size_t label_width, attn_error *error)
{
    attn_sink *sink = t->writer.sink;
    attn_status status = put_title(t, error);
    attn_align_pad(sink, label_width);
    for (size_t i = 0; i < t->writer.text.keys.n; i++) {
        attn_bytes label = attn_labels_at(&t->keys, i);
        attn_align_pad(sink, 2 + column_width(t, i) - attn_utf8_width(label));
        attn_sink_put(sink, label.data, label.size);
    }
    attn_sink_put(sink, "\n", 1);
    t->begun = true;
    t->n_grids++;
    return status;
}

static attn_status flush_grid(table *t, attn_error *error)
{
    size_t n_keys = t->writer.text.keys.n, label_width = 0;
    attn_sink *sink = t->writer.sink;
    if (!t->held)
        return ATTN_OK;
    for (size_t i = 0; i < t->writer.text.queries.n; i++)
        if (width_of(&t->queries, i) > label_width)
            label_width = width_of(&t->queries, i);
    measure_numbers(t);
    if (!t->begun && put_grid_header(t, label_width, error) != ATTN_OK)
        return ATTN_ENOMEM;
    attn_bounds bounds = {.map = largest_of(t, 0, t->n_rows * n_keys)};
    for (size_t i = 0; i < t->n_rows; i++) {
        attn_bytes label = attn_labels_at(&t->queries, t->rows[i]);
        attn_sink_put(sink, label.data, label.size);
        attn_align_pad(sink, label_width - attn_utf8_width(label));
        bounds.row = largest_of(t, i * n_keys, n_keys);
        for (size_t j = 0; j < n_keys; j++)
            if (t->visible[i * n_keys + j] != 0)
                put_number(t, column_width(t, j), t->values[i * n_keys + j], bounds);
            else
                put_masked(t, column_width(t, j));
        attn_sink_put(sink, "\n", 1);
    }
    t->n_rows = 0;
    return ATTN_OK;
}

static attn_status hold_row(table *t, const attn_grid_row *row, attn_error *error)
{
    size_t n_keys = t->writer.text.keys.n;
    if ((t->n_rows == t->capacity || (t->n_rows + 1) * n_keys > HELD_CELLS) && flush_grid(t, error) != ATTN_OK)
        return ATTN_ENOMEM;
    memcpy(t->values + t->n_rows * n_keys, row->values, n_keys * sizeof *t->values);
    memcpy(t->visible + t->n_rows * n_keys, row->visible, n_keys);
    t->rows[t->n_rows++] = row->query;
    return ATTN_OK;
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    table *t = (table *)writer;
    if (t->listed)
        return list_grid(t, row, error);
    if (writer->text.keys.n == 0)
        return ATTN_OK;
    if (t->held && (t->layer != row->layer || t->head != row->head)) {
        if (flush_grid(t, error) != ATTN_OK)
            return ATTN_ENOMEM;
        t->held = false;
    }
    if (!t->held) {
        t->held = true;
        t->begun = false;
        t->layer = row->layer;
        t->head = row->head;
        t->number_width = 0;
    }
    return hold_row(t, row, error);
}

static void put_label(const void *context, size_t index, attn_buffer *out)
{
    const attn_side *side = context;
    attn_escape_table(side->labels[index], out);
}

static void free_held(table *t)
{
    attn_free(t->values);
    attn_free(t->visible);
    attn_free(t->rows);
    t->values = NULL;
    t->visible = NULL;
    t->rows = NULL;
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    table *t = (table *)writer;
    const attn_writer_text *text = &writer->text;
    attn_status status = t->headed || !t->listed ? ATTN_OK : put_header(t, error);
    if (status == ATTN_OK)
        status = attn_labels_make(&t->queries, text->queries.n, put_label, &text->queries, error);
    if (status == ATTN_OK)
        status = attn_labels_make(&t->keys, text->keys.n, put_label, &text->keys, error);
    if (status != ATTN_OK || t->listed || text->keys.n == 0)
        return status;
    free_held(t);
    t->capacity = HELD_CELLS / text->keys.n + 1;
    if (t->capacity > text->queries.n)
        t->capacity = text->queries.n;
    t->values = attn_alloc_array(t->capacity * text->keys.n, sizeof *t->values);
    t->visible = attn_alloc_array(t->capacity, text->keys.n);
    t->rows = attn_alloc_array(t->capacity, sizeof *t->rows);
    if (t->values == NULL || t->visible == NULL || t->rows == NULL)
        return attn_fail_memory(error);
    return ATTN_OK;
}

static attn_status put_section(attn_writer *writer, const attn_section *section, attn_error *error)
{
    return attn_steps_page_section(&((table *)writer)->steps, section, error);
}

static attn_status put_steps(attn_writer *writer, const attn_step_table *steps, attn_error *error)
{
    return attn_steps_page_table(&((table *)writer)->steps, steps, error);
}

static attn_status end_text(attn_writer *writer, attn_error *error)
{
    table *t = (table *)writer;
    attn_status status = flush_grid(t, error);
    t->held = false;
    return status;
}

static attn_status end_table(attn_writer *writer, attn_error *error)
{
    (void)error;
    if (((table *)writer)->listed)
        attn_align_flush(&((table *)writer)->align, writer->sink);
    return ATTN_OK;
}

static void close_table(attn_writer *writer)
{
    table *t = (table *)writer;
    attn_align_close(&t->align);
    attn_buffer_free(&t->title);
    attn_labels_free(&t->queries);
    attn_labels_free(&t->keys);
    free_held(t);
}

const attn_output attn_output_table = {
    .name = "table",
    .shapes = ATTN_SHAPE_GRID | ATTN_SHAPE_VECTORS | ATTN_SHAPE_RECORDS | ATTN_SHAPE_STEPS,
    .columns = ATTN_SHAPE_GRID | ATTN_SHAPE_VECTORS | ATTN_SHAPE_RECORDS,
    .widths = ATTN_SHAPE_GRID | ATTN_SHAPE_VECTORS | ATTN_SHAPE_RECORDS | ATTN_SHAPE_STEPS,
    .shades = ATTN_SHAPE_GRID,
    .for_terminal = true,
    .size = sizeof(table),
    .open = open_table,
    .text_begin = begin_text,
    .grid = put_grid,
    .vector = put_vector,
    .record = put_record,
    .section = put_section,
    .steps = put_steps,
    .text_end = end_text,
    .end = end_table,
    .close = close_table,
};
