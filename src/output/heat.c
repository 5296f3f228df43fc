/* heat.c: maps in a terminal: of weights and scores one a head, of records by head one a column, layers down and heads
 * across. One map is large; several are small and side by side, unless --draw=large. It holds the cells that are drawn,
 * not the numbers of a whole map. Where the numbers come from is here, how a map looks in heat_map.c. */
#include "config.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "output/align.h"
#include "output/fit.h"
#include "output/heat_map.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_NAME = 5 };

typedef struct heat {
    attn_writer writer;
    attn_heat_look look;
    bool small; /* of the text at hand */
    bool any;   /* something was written */
    attn_labels queries;
    attn_bytes *query_labels; /* owned; [n_queries]: in `queries` */
    attn_heat_axis rows, columns;
    /* the maps that are not printed yet: one, or a line of small ones */
    attn_heat_map *maps; /* owned; [n_maps], room for n_room, of which the first n_made have cells */
    attn_buffer *names;  /* owned; likewise */
    size_t *widths;      /* owned; likewise */
    size_t n_maps, n_room, line_width;
    bool open; /* the last of them takes rows */
    size_t layer, head;
    attn_heat_sight sight;
    attn_buffer fulls;
    /* records, kept until their text ends */
    size_t *drawn; /* owned; [n_drawn]: the columns that are maps */
    size_t n_drawn;
    size_t *places;         /* owned; [n_records][2]: layer and head */
    float *values;          /* owned; [n_records][n_drawn]; visible likewise */
    uint8_t *visible;       /* owned */
    size_t n_records, room; /* records; numbers */
} heat;

static void free_maps(heat *h)
{
    for (size_t i = 0; i < h->n_room; i++) {
        attn_pooled_free(&h->maps[i].cells);
        attn_buffer_free(&h->names[i]);
    }
    attn_free(h->maps);
    attn_free(h->names);
    attn_free(h->widths);
    h->maps = NULL;
    h->names = NULL;
    h->widths = NULL;
    h->n_maps = h->n_room = h->line_width = 0;
}

/* Room for N maps. */
static attn_status make_room(heat *h, size_t n, attn_error *error)
{
    free_maps(h);
    h->maps = attn_calloc_array(n, sizeof *h->maps);
    h->names = attn_calloc_array(n, sizeof *h->names);
    h->widths = attn_calloc_array(n, sizeof *h->widths);
    if (h->maps == NULL || h->names == NULL || h->widths == NULL)
        return attn_fail_memory(error);
    h->n_room = n;
    return ATTN_OK;
}

/* "text 0 (a.txt), layer 3, head 4": WHAT is the name of the map. */
static attn_status put_title(heat *h, attn_bytes what, attn_error *error)
{
    attn_paragraph paragraph = {.sink = h->writer.sink, .limit = h->look.screen.width, .ascii = h->look.screen.ascii};
    attn_buffer title = {0};
    attn_put_text_title(&h->writer, &title);
    attn_buffer_text(&title, what.size > 0 ? ", " : "");
    attn_buffer_put(&title, what.data, what.size);
    const attn_status status = title.failed ? attn_fail_memory(error) : ATTN_OK;
    attn_sink_text(h->writer.sink, h->any ? "\n" : "");
    if (status == ATTN_OK)
        attn_fit_text(&paragraph, attn_buffer_bytes(&title));
    attn_fit_end(&paragraph);
    attn_buffer_free(&title);
    h->any = true;
    return status;
}

static attn_status put_legend(heat *h, attn_error *error)
{
    attn_buffer_byte(&h->fulls, '\0');
    if (h->fulls.failed)
        return attn_fail_memory(error);
    const attn_status status =
        attn_heat_put_legend(h->writer.sink, &h->look, &h->sight, h->fulls.size > 1 ? h->fulls.data : NULL, error);
    h->sight = (attn_heat_sight){0};
    h->fulls.size = 0;
    return status;
}

static attn_status put_large(heat *h, attn_error *error)
{
    attn_status status = put_title(h, attn_buffer_bytes(&h->names[0]), error);
    attn_heat_see(&h->sight, &h->maps[0]);
    if (status == ATTN_OK)
        status = attn_heat_put(h->writer.sink, &h->look, &h->maps[0], &h->rows, &h->columns, error);
    h->n_maps = 0;
    return status == ATTN_OK ? put_legend(h, error) : status;
}

/* The names of the maps of a line, each above its own. */
static void put_names(heat *h)
{
    attn_sink *sink = h->writer.sink;
    for (size_t i = 0, pad = 0; i < h->n_maps; i++) {
        const attn_bytes name = attn_buffer_bytes(&h->names[i]);
        attn_align_pad(sink, pad);
        attn_sink_put(sink, name.data, name.size);
        pad = h->widths[i] - attn_utf8_width(name) + 2;
    }
    attn_sink_text(sink, "\n");
}

static attn_status put_small(heat *h, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (h->n_maps == 0)
        return ATTN_OK;
    if (h->sight.n == 0)
        status = put_title(h, (attn_bytes){NULL, 0}, error);
    else
        attn_sink_text(h->writer.sink, "\n");
    if (status != ATTN_OK)
        return status;
    put_names(h);
    attn_heat_put_several(h->writer.sink, &h->look, h->maps, h->widths, h->n_maps);
    for (size_t i = 0; i < h->n_maps; i++)
        attn_heat_see(&h->sight, &h->maps[i]);
    h->n_maps = 0;
    h->line_width = 0;
    return ATTN_OK;
}

/* The last line, and what stands below all. */
static attn_status end_small(heat *h, attn_error *error)
{
    attn_status status = put_small(h, error);
    return status == ATTN_OK && h->sight.n > 0 ? put_legend(h, error) : status;
}

/* The map at hand has all its rows. */
static attn_status end_map(heat *h, attn_error *error)
{
    if (!h->open)
        return ATTN_OK;
    h->open = false;
    return h->small ? ATTN_OK : put_large(h, error);
}

static size_t small_width(const heat *h, attn_bytes name)
{
    size_t down, across;
    attn_pooled_blocks(h->rows.n, h->columns.n, h->look.most_rows, h->look.most_columns, &down, &across);
    const size_t columns = (h->columns.n + across - 1) / across, named = attn_utf8_width(name);
    const size_t width = columns > named ? columns : named;
    return width > LEAST_NAME ? width : LEAST_NAME;
}

/* Begins a map of NAME, which is taken over. */
static attn_status begin_map(heat *h, attn_buffer *name, attn_range range, attn_error *error)
{
    const size_t width = h->small ? small_width(h, attn_buffer_bytes(name)) : 0;
    attn_status status = name->failed ? attn_fail_memory(error) : ATTN_OK;
    if (status == ATTN_OK && h->n_maps > 0 &&
        (h->n_maps == h->n_room || h->line_width + 2 + width > h->look.screen.width))
        status = put_small(h, error);
    if (status != ATTN_OK) {
        attn_buffer_free(name);
        return status;
    }
    attn_heat_map *map = &h->maps[h->n_maps];
    attn_buffer_free(&h->names[h->n_maps]);
    h->names[h->n_maps] = *name;
    h->widths[h->n_maps] = width;
    map->range = range;
    if (map->cells.values == NULL)
        status = attn_pooled_make(&map->cells, h->rows.n, h->columns.n, h->look.most_rows, h->look.most_columns, error);
    else
        attn_pooled_clear(&map->cells);
    if (status != ATTN_OK)
        return status;
    h->line_width += (h->n_maps > 0 ? 2 : 0) + width;
    h->n_maps++;
    h->open = true;
    return ATTN_OK;
}

/* How the maps of this text look, and room for them: several, if SMALL. */
static attn_status lay_out(heat *h, bool small, attn_error *error)
{
    const attn_writer_options *options = &h->writer.options;
    const bool colored = options->screen.palette != ATTN_PALETTE_NONE;
    h->small = small && options->draw != ATTN_DRAW_LARGE;
    h->look.screen = options->screen;
    h->look.shade = options->shade != ATTN_SHADE_UNSAID ? options->shade
                    : h->small && colored               ? ATTN_SHADE_SQRT
                                                        : ATTN_SHADE_LINEAR;
    if (h->small)
        attn_heat_lay_out_small(&h->look);
    else
        attn_heat_lay_out(&h->look, &h->rows, &h->columns);
    return make_room(h, h->small ? options->screen.width / (LEAST_NAME + 2) + 1 : 1, error);
}

/* Grids */

static void put_query_label(const void *context, size_t index, attn_buffer *out)
{
    const attn_side *side = context;
    attn_escape_table(side->labels[index], out);
}

static attn_status begin_grids(heat *h, attn_error *error)
{
    const attn_writer_text *text = &h->writer.text;
    const size_t n = text->queries.n;
    attn_status status = attn_labels_make(&h->queries, n, put_query_label, &text->queries, error);
    if (status != ATTN_OK)
        return status;
    attn_free(h->query_labels);
    h->query_labels = attn_alloc_array(n > 0 ? n : 1, sizeof *h->query_labels);
    if (h->query_labels == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < n; i++)
        h->query_labels[i] = attn_labels_at(&h->queries, i);
    h->rows = (attn_heat_axis){.n = n, .numbers = text->queries.positions, .labels = h->query_labels, .before = ""};
    h->columns = (attn_heat_axis){.n = text->keys.n, .numbers = text->keys.positions, .before = ""};
    h->look.row = "query";
    return lay_out(h, text->n_layers != 1 || text->n_heads != 1, error);
}

static attn_status begin_head(heat *h, const attn_grid_row *row, attn_error *error)
{
    attn_buffer name = {0};
    attn_buffer_format(&name, h->small ? "%zu." : "layer %zu, head ", row->layer);
    attn_put_head(row->head, &name);
    h->layer = row->layer;
    h->head = row->head;
    return begin_map(h, &name, h->writer.schema.range, error);
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    heat *h = (heat *)writer;
    attn_status status = ATTN_OK;
    if (h->columns.n == 0)
        return ATTN_OK;
    if (h->open && (h->layer != row->layer || h->head != row->head))
        status = end_map(h, error);
    if (status == ATTN_OK && !h->open)
        status = begin_head(h, row, error);
    if (status == ATTN_OK)
        attn_pooled_add(&h->maps[h->n_maps - 1].cells, row->query, row->values, row->visible);
    return status;
}

/* Records by head */

static bool is_drawn(const attn_column *column)
{
    return column->kind == ATTN_COLUMN_CELL && column->range != ATTN_RANGE_NONE;
}

static attn_status open_heat(attn_writer *writer, attn_error *error)
{
    heat *h = (heat *)writer;
    const attn_schema *schema = &writer->schema;
    if (schema->shape != ATTN_SHAPE_RECORDS)
        return ATTN_OK;
    h->drawn = attn_alloc_array(schema->n_columns + 1, sizeof *h->drawn);
    if (h->drawn == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < schema->n_columns; i++)
        if (is_drawn(&schema->columns[i]))
            h->drawn[h->n_drawn++] = i;
    if (h->n_drawn == 0)
        return attn_fail(error, ATTN_EUSAGE, "--format=%s draws columns of measures; --columns names none",
                         writer->format->name);
    return ATTN_OK;
}

static attn_status grow_records(heat *h, attn_error *error)
{
    if (h->n_records < h->room)
        return ATTN_OK;
    const size_t room = h->room > 0 ? 2 * h->room : 64;
    size_t *places = attn_alloc_array(room, 2 * sizeof *places);
    float *values = attn_alloc_array(room, h->n_drawn * sizeof *values);
    uint8_t *visible = attn_alloc_array(room, h->n_drawn);
    if (places == NULL || values == NULL || visible == NULL) {
        attn_free(places);
        attn_free(values);
        attn_free(visible);
        return attn_fail_memory(error);
    }
    if (h->n_records > 0) {
        memcpy(places, h->places, h->n_records * 2 * sizeof *places);
        memcpy(values, h->values, h->n_records * h->n_drawn * sizeof *values);
        memcpy(visible, h->visible, h->n_records * h->n_drawn);
    }
    attn_free(h->places);
    attn_free(h->values);
    attn_free(h->visible);
    h->places = places;
    h->values = values;
    h->visible = visible;
    h->room = room;
    return ATTN_OK;
}

static attn_status put_record(attn_writer *writer, const attn_cell *cells, attn_error *error)
{
    heat *h = (heat *)writer;
    const attn_status status = grow_records(h, error);
    if (status != ATTN_OK)
        return status;
    h->places[2 * h->n_records] = (size_t)cells[0].count;
    h->places[2 * h->n_records + 1] = (size_t)cells[1].count;
    for (size_t i = 0; i < h->n_drawn; i++) {
        const attn_cell *cell = &cells[writer->schema.columns[h->drawn[i]].cell];
        h->values[h->n_records * h->n_drawn + i] = cell->type == ATTN_CELL_NUMBER ? cell->number : 0;
        h->visible[h->n_records * h->n_drawn + i] = cell->type == ATTN_CELL_NUMBER;
    }
    h->n_records++;
    return ATTN_OK;
}

/* What the head maps of a text share. */
typedef struct head_table {
    size_t *layers, *heads; /* owned; ascending: the rows and columns */
    size_t n_layers, n_heads;
    size_t *records;  /* owned; [n_layers][n_heads]: the record + 1 that is there; 0: none */
    float *values;    /* owned; [n_heads]: of a row */
    uint8_t *visible; /* owned; [n_heads] */
} head_table;

static void free_head_table(head_table *t)
{
    attn_free(t->layers);
    attn_free(t->heads);
    attn_free(t->records);
    attn_free(t->values);
    attn_free(t->visible);
}

static int compare_numbers(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The different ones among the records' layers (WHICH 0) or heads (1), ascending; NULL: no memory. */
static size_t *different(const heat *h, size_t which, size_t *n)
{
    size_t *numbers = attn_alloc_array(h->n_records, sizeof *numbers);
    *n = 0;
    if (numbers == NULL)
        return NULL;
    for (size_t i = 0; i < h->n_records; i++)
        numbers[i] = h->places[2 * i + which];
    qsort(numbers, h->n_records, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < h->n_records; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[(*n)++] = numbers[i];
    return numbers;
}

static size_t index_of(const size_t *numbers, size_t n, size_t number)
{
    const size_t *found = bsearch(&number, numbers, n, sizeof *numbers, compare_numbers);
    return (size_t)(found - numbers);
}

static attn_status make_head_table(const heat *h, head_table *t, attn_error *error)
{
    t->layers = different(h, 0, &t->n_layers);
    t->heads = different(h, 1, &t->n_heads);
    if (t->layers == NULL || t->heads == NULL)
        return attn_fail_memory(error);
    t->records = attn_calloc_array(t->n_layers, t->n_heads * sizeof *t->records);
    t->values = attn_alloc_array(t->n_heads, sizeof *t->values);
    t->visible = attn_alloc_array(t->n_heads, 1);
    if (t->records == NULL || t->values == NULL || t->visible == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < h->n_records; i++)
        t->records[index_of(t->layers, t->n_layers, h->places[2 * i]) * t->n_heads +
                   index_of(t->heads, t->n_heads, h->places[2 * i + 1])] = i + 1;
    return ATTN_OK;
}

/* Column WHICH of those that are drawn, as the rows of the map at hand. */
static void fill_map(heat *h, const head_table *t, size_t which)
{
    for (size_t row = 0; row < t->n_layers; row++) {
        for (size_t i = 0; i < t->n_heads; i++) {
            const size_t record = t->records[row * t->n_heads + i];
            const size_t at = (record > 0 ? record - 1 : 0) * h->n_drawn + which;
            t->values[i] = h->values[at];
            t->visible[i] = record > 0 && h->visible[at] != 0;
        }
        attn_pooled_add(&h->maps[h->n_maps - 1].cells, row, t->values, t->visible);
    }
}

/* "entropy 3.1203": what is full in the map at hand, where its numbers have no bound of their own. */
static void note_full(heat *h, const attn_column *column)
{
    char number[ATTN_NUMBER_ROOM];
    if (!h->small || h->look.shade == ATTN_SHADE_ROW ||
        (column->range == ATTN_RANGE_UNIT && h->look.shade != ATTN_SHADE_MAX))
        return;
    attn_buffer_text(&h->fulls, h->fulls.size > 0 ? ", " : "");
    attn_escape_table(attn_bytes_of(column->name), &h->fulls);
    attn_buffer_text(&h->fulls, " ");
    attn_buffer_put(&h->fulls, number, attn_fit_number(attn_pooled_largest(&h->maps[h->n_maps - 1].cells), number));
}

static attn_status put_head_maps(heat *h, attn_error *error)
{
    head_table t = {0};
    attn_status status = make_head_table(h, &t, error);
    h->rows = (attn_heat_axis){.n = t.n_layers, .numbers = t.layers, .before = "layer "};
    h->columns = (attn_heat_axis){.n = t.n_heads, .numbers = t.heads, .before = ""};
    h->look.row = "layer";
    if (status == ATTN_OK)
        status = lay_out(h, h->n_drawn > 1, error);
    for (size_t i = 0; i < h->n_drawn && status == ATTN_OK; i++) {
        const attn_column *column = &h->writer.schema.columns[h->drawn[i]];
        attn_buffer name = {0};
        attn_escape_table(attn_bytes_of(column->name), &name);
        status = begin_map(h, &name, column->range, error);
        if (status == ATTN_OK) {
            fill_map(h, &t, i);
            note_full(h, column);
            status = end_map(h, error);
        }
    }
    if (status == ATTN_OK)
        status = end_small(h, error);
    h->n_records = 0;
    free_head_table(&t);
    return status;
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    heat *h = (heat *)writer;
    h->open = false;
    h->n_records = 0;
    return writer->schema.shape == ATTN_SHAPE_GRID ? begin_grids(h, error) : ATTN_OK;
}

static attn_status end_text(attn_writer *writer, attn_error *error)
{
    heat *h = (heat *)writer;
    if (writer->schema.shape != ATTN_SHAPE_GRID)
        return h->n_records > 0 ? put_head_maps(h, error) : ATTN_OK;
    const attn_status status = end_map(h, error);
    return status == ATTN_OK ? end_small(h, error) : status;
}

static void close_heat(attn_writer *writer)
{
    heat *h = (heat *)writer;
    free_maps(h);
    attn_labels_free(&h->queries);
    attn_free(h->query_labels);
    attn_buffer_free(&h->fulls);
    attn_free(h->drawn);
    attn_free(h->places);
    attn_free(h->values);
    attn_free(h->visible);
}

const attn_output attn_output_heat = {
    .name = "heat",
    .shapes = ATTN_SHAPE_GRID | ATTN_SHAPE_MAPS,
    .columns = ATTN_SHAPE_MAPS,
    .widths = ATTN_SHAPE_GRID | ATTN_SHAPE_MAPS,
    .shades = ATTN_SHAPE_GRID | ATTN_SHAPE_MAPS,
    .drawings = 1U << ATTN_DRAW_LARGE,
    .for_narrow = true,
    .size = sizeof(heat),
    .open = open_heat,
    .text_begin = begin_text,
    .grid = put_grid,
    .record = put_record,
    .text_end = end_text,
    .close = close_heat,
};
