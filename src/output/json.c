/* json.c: one object a line (RFC 8259, UTF-8): a head's grid, a layer's vectors, a section of steps, or a record. Never
 * NaN or Infinity: null stands for them, and for a masked pair. */
#include "config.h"

#include "output/output.h"

#include <math.h>

typedef struct json {
    attn_writer writer;
    bool open; /* an object is begun: of … */
    size_t layer, head;
    bool after;
    size_t n_rows; /* … and has so many rows */
    attn_buffer row;
    attn_buffer finite; /* of a row with numbers that are not */
    attn_buffer sides;  /* "queries":[…],"keys":[…] of the text, or "tokens":[…] */
} json;

static attn_status flush(json *j, attn_error *error)
{
    if (j->row.failed)
        return attn_fail_memory(error);
    attn_sink_put(j->writer.sink, j->row.data, j->row.size);
    j->row.size = 0;
    return ATTN_OK;
}

static void put_side(attn_buffer *out, const attn_side *side, const char *name, const char *positions)
{
    attn_buffer_format(out, ",\"%s\":[", name);
    for (size_t i = 0; i < side->n; i++) {
        if (i > 0)
            attn_buffer_byte(out, ',');
        attn_escape_json(side->labels[i], out);
    }
    attn_buffer_byte(out, ']');
    if (side->n == side->n_all)
        return;
    attn_buffer_format(out, ",\"%s\":[", positions);
    for (size_t i = 0; i < side->n; i++) {
        if (i > 0)
            attn_buffer_byte(out, ',');
        attn_buffer_count(out, side->positions[i]);
    }
    attn_buffer_byte(out, ']');
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    json *j = (json *)writer;
    j->sides.size = 0;
    if (writer->schema.shape == ATTN_SHAPE_GRID) {
        put_side(&j->sides, &writer->text.queries, "queries", "query_positions");
        put_side(&j->sides, &writer->text.keys, "keys", "key_positions");
    } else if (writer->schema.shape == ATTN_SHAPE_VECTORS) {
        put_side(&j->sides, &writer->text.queries, "tokens", "positions");
    }
    return j->sides.failed ? attn_fail_memory(error) : ATTN_OK;
}

static void put_file(const attn_writer *writer, attn_buffer *out)
{
    if (writer->text.file == NULL || writer->text.file[0] == '\0')
        attn_buffer_text(out, "null");
    else
        attn_escape_json(attn_bytes_of(writer->text.file), out);
}

/* {"text":0,"file":"a.txt","line":3,"layer":0 */
static void put_place(json *j, size_t layer)
{
    attn_buffer_text(&j->row, "{\"text\":");
    attn_buffer_count(&j->row, j->writer.text.number);
    attn_buffer_text(&j->row, ",\"file\":");
    put_file(&j->writer, &j->row);
    if (j->writer.text.line != 0) {
        attn_buffer_text(&j->row, ",\"line\":");
        attn_buffer_count(&j->row, j->writer.text.line);
    }
    attn_buffer_text(&j->row, ",\"layer\":");
    attn_buffer_count(&j->row, layer);
}

static void close_object(json *j)
{
    if (j->open)
        attn_buffer_text(&j->row, "]}\n");
    j->open = false;
}

static void put_axes(json *j)
{
    attn_buffer_text(&j->row, ",\"axes\":[");
    for (size_t i = 0; i < j->writer.schema.width; i++) {
        if (i > 0)
            attn_buffer_byte(&j->row, ',');
        attn_escape_json(attn_bytes_of(j->writer.schema.axes[i]), &j->row);
    }
    attn_buffer_byte(&j->row, ']');
}

/* Ends the object before, when the next row belongs to another, and begins that one. */
static void turn_object(json *j, size_t layer, size_t head, bool after)
{
    if (j->open && j->layer == layer && j->head == head && j->after == after)
        return;
    close_object(j);
    put_place(j, layer);
    if (j->writer.schema.has_at)
        attn_buffer_format(&j->row, ",\"at\":\"%s\"", after ? "after" : "before");
    if (j->writer.schema.shape == ATTN_SHAPE_GRID || j->writer.schema.heads) {
        attn_buffer_text(&j->row, ",\"head\":");
        if (head == ATTN_HEAD_MEAN)
            attn_buffer_text(&j->row, "\"mean\"");
        else
            attn_buffer_count(&j->row, head);
    }
    attn_buffer_put(&j->row, j->sides.data, j->sides.size);
    if (j->writer.schema.axes != NULL)
        put_axes(j);
    attn_buffer_format(&j->row, ",\"%s\":[", j->writer.schema.values);
    j->open = true;
    j->layer = layer;
    j->head = head;
    j->after = after;
    j->n_rows = 0;
}

/* A NaN or an infinity is unusual: only a row with one is looked at number by number. */
static bool all_finite(const float *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static attn_status mark_finite(json *j, const float *values, const uint8_t *visible, size_t n, attn_error *error)
{
    j->finite.size = 0;
    for (size_t i = 0; i < n; i++)
        attn_buffer_byte(&j->finite, (visible == NULL || visible[i] != 0) && isfinite(values[i]));
    return j->finite.failed ? attn_fail_memory(error) : ATTN_OK;
}

/* [1,null,0.5]; VISIBLE NULL: all of them. */
static attn_status put_numbers(json *j, const float *values, const uint8_t *visible, size_t n, attn_error *error)
{
    attn_status status;
    attn_buffer_text(&j->row, j->n_rows++ > 0 ? ",[" : "[");
    status = flush(j, error);
    if (status == ATTN_OK && !all_finite(values, n)) {
        status = mark_finite(j, values, visible, n, error);
        visible = (const uint8_t *)j->finite.data;
    }
    if (status != ATTN_OK || n == 0) {
        attn_sink_text(j->writer.sink, "]");
        return status;
    }
    if (visible == NULL || visible[0] != 0) /* the others stand behind a comma each */
        attn_buffer_number(&j->row, values[0], j->writer.options.precision);
    else
        attn_buffer_text(&j->row, "null");
    status = flush(j, error);
    attn_put_numbers(&j->writer, values + 1, visible != NULL ? visible + 1 : NULL, n - 1, ',', "null");
    attn_sink_text(j->writer.sink, "]");
    return status;
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    json *j = (json *)writer;
    turn_object(j, row->layer, row->head, true);
    return put_numbers(j, row->values, row->visible, writer->text.keys.n, error);
}

static attn_status put_vector(attn_writer *writer, const attn_vector_row *row, attn_error *error)
{
    json *j = (json *)writer;
    turn_object(j, row->layer, row->head, row->after);
    return put_numbers(j, row->values, NULL, writer->schema.width, error);
}

static void put_cell(json *j, const attn_cell *cell)
{
    if (cell->type == ATTN_CELL_COUNT)
        attn_buffer_count(&j->row, cell->count);
    else if (cell->type == ATTN_CELL_NUMBER && isfinite(cell->number))
        attn_buffer_number(&j->row, cell->number, j->writer.options.precision);
    else if (cell->type == ATTN_CELL_LABEL)
        attn_escape_json(cell->label, &j->row);
    else
        attn_buffer_text(&j->row, "null");
}

static attn_status put_record(attn_writer *writer, const attn_cell *cells, attn_error *error)
{
    static const attn_row_place nowhere = {0};
    json *j = (json *)writer;
    for (size_t i = 0; i < writer->schema.n_columns; i++) {
        const attn_column *column = &writer->schema.columns[i];
        attn_buffer_format(&j->row, "%s\"%s\":", i > 0 ? "," : "{", column->name);
        if (column->kind == ATTN_COLUMN_CELL)
            put_cell(j, &cells[column->cell]);
        else if (column->kind == ATTN_COLUMN_FILE)
            put_file(writer, &j->row);
        else if (column->kind == ATTN_COLUMN_LINE && writer->text.line == 0)
            attn_buffer_text(&j->row, "null");
        else
            attn_put_place(writer, column->kind, &nowhere, &j->row);
    }
    attn_buffer_text(&j->row, "}\n");
    return flush(j, error);
}

/* ---- steps: {…,"layer":0,"head":0,"facts":"…","steps":[ {a table and what comes of it}, … ]} ---- */

static attn_status put_section(attn_writer *writer, const attn_section *section, attn_error *error)
{
    json *j = (json *)writer;
    close_object(j);
    put_place(j, section->layer);
    attn_buffer_text(&j->row, ",\"head\":");
    if (section->head == ATTN_HEAD_NONE)
        attn_buffer_text(&j->row, "null");
    else
        attn_buffer_count(&j->row, section->head);
    attn_buffer_text(&j->row, ",\"facts\":");
    attn_escape_json(attn_bytes_of(section->facts), &j->row);
    attn_buffer_text(&j->row, ",\"steps\":[");
    j->open = true;
    j->n_rows = 0;
    return flush(j, error);
}

/* A number, or a vector's numbers between brackets. */
static void put_step_value(json *j, const attn_step *step, size_t row)
{
    attn_buffer_text(&j->row, step->vector ? "[" : "");
    for (size_t k = 0; k < step->width; k++) {
        const attn_cell cell = attn_cell_number(step->values[row * step->width + k]);
        attn_buffer_text(&j->row, k > 0 ? "," : "");
        put_cell(j, &cell);
    }
    attn_buffer_text(&j->row, step->vector ? "]" : "");
}

static attn_status put_step(json *j, const attn_step *step, size_t n_rows, bool alone, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (step->name == NULL)
        return ATTN_OK;
    attn_buffer_format(&j->row, ",\"%s\":%s", step->name, alone ? "" : "[");
    for (size_t row = 0; row < n_rows && status == ATTN_OK; row++) {
        attn_buffer_text(&j->row, row > 0 ? "," : "");
        if (step->present == NULL || step->present[row] != 0)
            put_step_value(j, step, row);
        else
            attn_buffer_text(&j->row, "null");
        status = flush(j, error);
    }
    attn_buffer_text(&j->row, alone ? "" : "]");
    return status;
}

static void put_rows(json *j, const attn_step_rows *rows)
{
    attn_buffer_format(&j->row, ",\"%s\":[", rows->keys ? "keys" : "tokens");
    for (size_t i = 0; i < rows->n; i++) {
        const attn_bytes label = rows->labels[i];
        attn_buffer_text(&j->row, i > 0 ? "," : "");
        if (rows->positions[i] == ATTN_NO_POSITION)
            attn_buffer_text(&j->row, "null");
        else
            attn_escape_json(label, &j->row);
    }
    attn_buffer_format(&j->row, "],\"%s\":[", rows->keys ? "key_positions" : "positions");
    for (size_t i = 0; i < rows->n; i++) {
        attn_buffer_text(&j->row, i > 0 ? "," : "");
        if (rows->positions[i] == ATTN_NO_POSITION)
            attn_buffer_text(&j->row, "null");
        else
            attn_buffer_count(&j->row, rows->positions[i]);
    }
    attn_buffer_text(&j->row, "]");
}

static attn_status put_steps(attn_writer *writer, const attn_step_table *steps, attn_error *error)
{
    json *j = (json *)writer;
    attn_status status = ATTN_OK;
    attn_buffer_text(&j->row, j->n_rows++ > 0 ? ",{" : "{");
    if (steps->query != ATTN_NO_POSITION) {
        attn_buffer_text(&j->row, "\"query\":");
        attn_escape_json(steps->query_label, &j->row);
        attn_buffer_text(&j->row, ",\"query_position\":");
        attn_buffer_count(&j->row, steps->query);
    } else {
        attn_buffer_text(&j->row, "\"query\":null");
    }
    if (steps->rows.n > 0)
        put_rows(j, &steps->rows);
    for (size_t i = 0; i < steps->n_columns && status == ATTN_OK; i++)
        status = put_step(j, &steps->columns[i], steps->rows.n, false, error);
    for (size_t i = 0; i < steps->n_results && status == ATTN_OK; i++)
        status = put_step(j, &steps->results[i], 1, true, error);
    attn_buffer_text(&j->row, "}");
    return status == ATTN_OK ? flush(j, error) : status;
}

static attn_status end_text(attn_writer *writer, attn_error *error)
{
    json *j = (json *)writer;
    close_object(j);
    return flush(j, error);
}

static void close_json(attn_writer *writer)
{
    json *j = (json *)writer;
    attn_buffer_free(&j->row);
    attn_buffer_free(&j->finite);
    attn_buffer_free(&j->sides);
}

const attn_output attn_output_json = {
    .name = "json",
    .shapes = ATTN_SHAPE_GRID | ATTN_SHAPE_VECTORS | ATTN_SHAPE_RECORDS | ATTN_SHAPE_STEPS,
    .columns = ATTN_SHAPE_RECORDS,
    .size = sizeof(json),
    .text_begin = begin_text,
    .grid = put_grid,
    .vector = put_vector,
    .record = put_record,
    .section = put_section,
    .steps = put_steps,
    .text_end = end_text,
    .close = close_json,
};
