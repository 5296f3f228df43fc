/* table.c: for eyes. Weights and scores are one grid a head, `·` where masked; steps are pages (steps_page.c);
 * everything else, and pairs whose columns the user chose, is a list of aligned columns. */
#include "config.h"

#include "base/memory.h"
#include "output/align.h"
#include "output/fit.h"
#include "output/output.h"
#include "output/steps_page.h"
#include "output/table_grid.h"

#include <string.h>

typedef struct table {
    attn_writer writer;
    bool listed, headed;
    attn_align align;    /* listed */
    size_t titled;       /* listed records: so many columns stand in a title above their section; 0: in each row */
    attn_buffer title;   /* of the section at hand */
    attn_labels queries; /* escaped labels */
    attn_labels keys;
    attn_steps_page steps;
    attn_table_grid grid;
} table;

int attn_table_decimals(const attn_writer *writer)
{
    return writer->options.precision >= 0 ? writer->options.precision : ATTN_USUAL_DECIMALS;
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
            status = attn_align_text(&t->align, false, error);
        }
    }
    attn_align_names(&t->align);
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
    t->grid = (attn_table_grid){.writer = writer, .queries = &t->queries, .keys = &t->keys};
    t->align.keeps_all = writer->schema.chosen;
    return t->listed ? attn_align_open(&t->align, n, &writer->options.screen, writer->options.precision, error)
                     : ATTN_OK;
}

static attn_status list_place(table *t, attn_column_kind kind, const attn_row_place *place, attn_error *error)
{
    attn_put_place(&t->writer, kind, place, &t->align.bytes);
    return attn_align_text(&t->align, kind == ATTN_COLUMN_FILE || kind == ATTN_COLUMN_AT, error);
}

static attn_status list_label(table *t, const attn_labels *labels, size_t index, attn_error *error)
{
    attn_bytes label = attn_labels_at(labels, index);
    attn_buffer_put(&t->align.bytes, label.data, label.size);
    return attn_align_text(&t->align, true, error);
}

static attn_status list_number(table *t, float number, attn_range range, attn_error *error)
{
    return attn_align_number(&t->align, number, range, error);
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
            status = list_number(t, row->values[key], t->writer.schema.range, error);
        } else if (kind == ATTN_COLUMN_KEY) {
            attn_buffer_count(&t->align.bytes, t->writer.text.keys.positions[key]);
            status = attn_align_text(&t->align, false, error);
        } else {
            status = list_place(t, kind, &place, error);
        }
    }
    if (status == ATTN_OK && attn_align_is_full(&t->align))
        status = attn_align_flush(&t->align, t->writer.sink, error);
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
            status = list_number(t, row->values[writer->schema.columns[i].cell], ATTN_RANGE_NONE, error);
        else if (kind == ATTN_COLUMN_NUMBERS)
            for (size_t j = 0; j < writer->schema.width && status == ATTN_OK; j++)
                status = list_number(t, row->values[j], ATTN_RANGE_NONE, error);
        else if (kind == ATTN_COLUMN_QUERY_LABEL)
            status = list_label(t, &t->queries, row->query, error);
        else
            status = list_place(t, kind, &place, error);
    }
    if (status == ATTN_OK && attn_align_is_full(&t->align))
        status = attn_align_flush(&t->align, writer->sink, error);
    return status;
}

static attn_status list_cell(table *t, const attn_cell *cell, attn_range range, attn_error *error)
{
    if (cell->type == ATTN_CELL_NUMBER)
        return list_number(t, cell->number, range, error);
    if (cell->type == ATTN_CELL_COUNT)
        attn_buffer_count(&t->align.bytes, cell->count);
    else if (cell->type == ATTN_CELL_LABEL)
        attn_escape_table(cell->label, &t->align.bytes);
    return attn_align_text(&t->align, cell->type == ATTN_CELL_LABEL, error);
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
    attn_status status = attn_align_restart(&t->align, t->writer.sink, error);
    attn_paragraph paragraph = {.sink = t->writer.sink, .limit = t->align.screen.limit, .ascii = t->align.screen.ascii};
    attn_sink_text(t->writer.sink, t->title.size > 0 ? "\n" : "");
    attn_fit_text(&paragraph, attn_buffer_bytes(&title));
    attn_fit_end(&paragraph);
    attn_buffer_free(&t->title);
    t->title = title;
    return status == ATTN_OK ? put_header(t, error) : status;
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
            status = list_cell(t, &cells[column->cell], column->range, error);
        else
            status = list_place(t, column->kind, &nowhere, error);
    }
    if (status == ATTN_OK && attn_align_is_full(&t->align))
        status = attn_align_flush(&t->align, writer->sink, error);
    return status;
}

static void put_label(const void *context, size_t index, attn_buffer *out)
{
    const attn_side *side = context;
    attn_escape_table(side->labels[index], out);
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
    return status == ATTN_OK && !t->listed ? attn_table_grid_begin(&t->grid, error) : status;
}

static bool fits_grid(const attn_writer *writer, const attn_writer_text *text)
{
    return ((const table *)writer)->listed || attn_table_grid_fits(writer, text);
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    table *t = (table *)writer;
    return t->listed ? list_grid(t, row, error) : attn_table_grid_row(&t->grid, row, error);
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
    return attn_table_grid_end(&((table *)writer)->grid, error);
}

static attn_status flush_table(attn_writer *writer, attn_error *error)
{
    table *t = (table *)writer;
    return t->listed ? attn_align_flush(&t->align, writer->sink, error) : ATTN_OK;
}

static void close_table(attn_writer *writer)
{
    table *t = (table *)writer;
    attn_align_close(&t->align);
    attn_buffer_free(&t->title);
    attn_labels_free(&t->queries);
    attn_labels_free(&t->keys);
    attn_table_grid_free(&t->grid);
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
    .fits = fits_grid,
    .text_begin = begin_text,
    .grid = put_grid,
    .vector = put_vector,
    .record = put_record,
    .section = put_section,
    .steps = put_steps,
    .text_end = end_text,
    .flush = flush_table,
    .end = flush_table,
    .close = close_table,
};
