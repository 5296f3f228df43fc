/* matrix.c: a line a query, a column a key: what a spreadsheet or numpy reads back as a matrix.
 * Each text has a header of its own, since its keys are its own. */
#include "config.h"

#include "output/output.h"

typedef struct matrix {
    attn_writer writer;
    attn_labels queries; /* escaped labels */
    attn_buffer row;
    char masked[ATTN_NUMBER_ROOM + 1]; /* what stands for a masked pair */
} matrix;

static attn_status open_matrix(attn_writer *writer, attn_error *error)
{
    matrix *m = (matrix *)writer;
    (void)error;
    if (writer->schema.masked_is_zero)
        m->masked[attn_number_f32(0, writer->options.precision, m->masked)] = '\0';
    return ATTN_OK;
}

static void put_query_label(const void *context, size_t index, attn_buffer *out)
{
    const attn_side *side = context;
    attn_escape_tsv(side->labels[index], out);
}

static attn_status put_header(matrix *m, attn_error *error)
{
    const attn_writer *writer = &m->writer;
    const attn_side *keys = &writer->text.keys;
    m->row.size = 0;
    if (writer->n_texts > 1)
        attn_buffer_byte(&m->row, '\n');
    attn_buffer_text(&m->row, "text\tlayer\thead\tquery\tquery_token");
    for (size_t i = 0; i < keys->n; i++) {
        attn_buffer_byte(&m->row, '\t');
        attn_buffer_count(&m->row, keys->positions[i]);
        attn_buffer_byte(&m->row, ':');
        attn_escape_tsv(keys->labels[i], &m->row);
    }
    attn_buffer_byte(&m->row, '\n');
    if (m->row.failed)
        return attn_fail_memory(error);
    attn_sink_put(writer->sink, m->row.data, m->row.size);
    return ATTN_OK;
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    matrix *m = (matrix *)writer;
    attn_status status = writer->options.no_header ? ATTN_OK : put_header(m, error);
    if (status != ATTN_OK)
        return status;
    return attn_labels_make(&m->queries, writer->text.queries.n, put_query_label, &writer->text.queries, error);
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    static const attn_column_kind kinds[] = {ATTN_COLUMN_TEXT, ATTN_COLUMN_LAYER, ATTN_COLUMN_HEAD, ATTN_COLUMN_QUERY};
    matrix *m = (matrix *)writer;
    const attn_row_place place = {
        .layer = row->layer, .head = row->head, .position = writer->text.queries.positions[row->query], .after = true};
    attn_bytes label = attn_labels_at(&m->queries, row->query);
    m->row.size = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        attn_put_place(writer, kinds[i], &place, &m->row);
        attn_buffer_byte(&m->row, '\t');
    }
    attn_buffer_put(&m->row, label.data, label.size);
    if (m->row.failed)
        return attn_fail_memory(error);
    attn_sink_put(writer->sink, m->row.data, m->row.size);
    attn_put_numbers(writer, row->values, row->visible, writer->text.keys.n, '\t', m->masked);
    attn_sink_put(writer->sink, "\n", 1);
    return ATTN_OK;
}

static void close_matrix(attn_writer *writer)
{
    matrix *m = (matrix *)writer;
    attn_labels_free(&m->queries);
    attn_buffer_free(&m->row);
}

const attn_output attn_output_matrix = {
    .name = "matrix",
    .shapes = ATTN_SHAPE_GRID,
    .size = sizeof(matrix),
    .open = open_matrix,
    .text_begin = begin_text,
    .grid = put_grid,
    .close = close_matrix,
};
