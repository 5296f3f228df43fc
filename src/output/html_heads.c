/* html_heads.c: records by head in a page: the numbers of each head, which color the grid of heads column by column.
 * Used by html.c. */
#include "config.h"

#include "output/html.h"

#include <math.h>

typedef struct heads {
    attn_buffer rows; /* JSON of the text's records */
} heads;

/* Cells 0 and 1 are layer and head, which every page needs; the others are columns as they were chosen. */
static bool is_shown(const attn_column *column)
{
    return column->kind == ATTN_COLUMN_CELL && column->cell > 1;
}

static attn_status open_heads(attn_html *html, attn_error *error)
{
    const attn_schema *schema = &html->writer.schema;
    for (size_t i = 0; i < schema->n_columns; i++)
        if (is_shown(&schema->columns[i]) && schema->columns[i].range != ATTN_RANGE_NONE)
            return ATTN_OK;
    return attn_fail(error, ATTN_EUSAGE, "--columns names nothing that is drawn as a map of heads");
}

static void describe(attn_html *html)
{
    const attn_schema *schema = &html->writer.schema;
    const char *before = "";
    attn_buffer_text(&html->out, "\"table\":[");
    for (size_t i = 0; i < schema->n_columns; i++) {
        if (!is_shown(&schema->columns[i]))
            continue;
        attn_buffer_format(&html->out, "%s{\"name\":\"%s\",\"range\":\"%s\"}", before, schema->columns[i].name,
                           attn_html_range(schema->columns[i].range));
        before = ",";
    }
    attn_buffer_text(&html->out, "],");
}

static attn_status begin_text(attn_html *html, attn_error *error)
{
    (void)error;
    ((heads *)html->state)->rows.size = 0;
    return ATTN_OK;
}

static void put_cell(attn_html *html, const attn_cell *cell, attn_buffer *out)
{
    if (cell->type == ATTN_CELL_COUNT)
        attn_buffer_count(out, cell->count);
    else if (cell->type == ATTN_CELL_NUMBER)
        attn_html_number(html, cell->number, out);
    else if (cell->type == ATTN_CELL_LABEL)
        attn_html_label(html, cell->label, out);
    else
        attn_buffer_text(out, "null");
}

static attn_status put_record(attn_html *html, const attn_cell *cells, attn_error *error)
{
    const attn_schema *schema = &html->writer.schema;
    attn_buffer *rows = &((heads *)html->state)->rows;
    const char *before = "";
    attn_buffer_format(rows, "%s{\"layer\":%llu,\"head\":\"%llu\",\"cells\":[", rows->size > 0 ? "," : "",
                       (unsigned long long)cells[0].count, (unsigned long long)cells[1].count);
    for (size_t i = 0; i < schema->n_columns; i++) {
        if (!is_shown(&schema->columns[i]))
            continue;
        attn_buffer_text(rows, before);
        put_cell(html, &cells[schema->columns[i].cell], rows);
        before = ",";
    }
    attn_buffer_text(rows, "]}");
    return rows->failed ? attn_fail_memory(error) : ATTN_OK;
}

static attn_status end_text(attn_html *html, attn_error *error)
{
    const attn_buffer *rows = &((heads *)html->state)->rows;
    (void)error;
    attn_buffer_text(&html->out, ",\"heads\":[");
    attn_buffer_put(&html->out, rows->data, rows->size);
    attn_buffer_byte(&html->out, ']');
    return ATTN_OK;
}

static void close_heads(attn_html *html)
{
    attn_buffer_free(&((heads *)html->state)->rows);
}

const attn_html_view attn_html_heads = {
    .name = "heads",
    .state_size = sizeof(heads),
    .open = open_heads,
    .describe = describe,
    .text_begin = begin_text,
    .record = put_record,
    .text_end = end_text,
    .close = close_heads,
};
