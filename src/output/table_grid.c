/* table_grid.c: see table_grid.h. */
#include "config.h"

#include "output/table_grid.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "output/align.h"
#include "output/color.h"
#include "output/fit.h"

#include <math.h>
#include <string.h>

enum {
    HELD_CELLS = 4 << 20, /* a larger grid is written in parts */
    GAP = 2,
    LABEL_FINE = 16,
    LABEL_LEAST = 6,
    DECIMALS_LEAST = 2
};

static size_t width_of(const attn_table_grid *g, const attn_labels *labels, size_t index)
{
    const size_t width = attn_utf8_width(attn_labels_at(labels, index));
    return width < g->label_most ? width : g->label_most;
}

static attn_status put_title(attn_table_grid *g, attn_error *error)
{
    const attn_screen *screen = &g->writer->options.screen;
    attn_paragraph paragraph = {.sink = g->writer->sink, .limit = screen->limit, .ascii = screen->ascii};
    attn_buffer title = {0};
    attn_put_text_title(g->writer, &title);
    attn_buffer_format(&title, ", layer %zu, head ", g->layer);
    attn_put_head(g->head, &title);
    const attn_status status = title.failed ? attn_fail_memory(error) : ATTN_OK;
    attn_sink_text(g->writer->sink, g->n_grids > 0 ? "\n" : "");
    if (status == ATTN_OK)
        attn_fit_text(&paragraph, attn_buffer_bytes(&title));
    attn_fit_end(&paragraph);
    attn_buffer_free(&title);
    return status;
}

static size_t paint(const attn_table_grid *g, float value, attn_bounds bounds, char color[ATTN_PAINT_ROOM])
{
    const attn_writer *writer = g->writer;
    const attn_shade shade = writer->options.shade != ATTN_SHADE_UNSAID ? writer->options.shade : ATTN_SHADE_LINEAR;
    if (writer->schema.range == ATTN_RANGE_NONE || isnan(value))
        return 0;
    return attn_paint(writer->options.screen.palette, writer->schema.range,
                      attn_color_share(writer->schema.range, shade, (double)value, bounds), color);
}

static void put_number(const attn_table_grid *g, size_t width, float value, attn_bounds bounds)
{
    attn_sink *sink = g->writer->sink;
    char text[ATTN_NUMBER_ROOM], color[ATTN_PAINT_ROOM];
    const size_t size = attn_align_put_number(value, g->decimals, text), painted = paint(g, value, bounds, color);
    attn_align_pad(sink, GAP + width - size);
    attn_sink_put(sink, color, painted);
    attn_sink_put(sink, text, size);
    attn_sink_text(sink, painted > 0 ? ATTN_PAINT_END : "");
}

static void put_masked(const attn_table_grid *g, size_t width)
{
    attn_align_pad(g->writer->sink, GAP - 1 + width);
    attn_sink_text(g->writer->sink, g->writer->options.screen.ascii ? "." : "\xc2\xb7"); /* · */
}

/* The largest size of a visible number among the N from FROM on. */
static double largest_of(const attn_table_grid *g, size_t from, size_t n)
{
    double largest = 0;
    for (size_t i = from; i < from + n; i++)
        if (g->visible[i] != 0 && isfinite(g->values[i]) && fabs((double)g->values[i]) > largest)
            largest = fabs((double)g->values[i]);
    return largest;
}

static size_t column_width(const attn_table_grid *g, size_t key)
{
    const size_t width = width_of(g, g->keys, key);
    return width > g->number_width ? width : g->number_width;
}

static void measure_numbers(attn_table_grid *g)
{
    char text[ATTN_NUMBER_ROOM];
    g->number_width = 1;
    for (size_t i = 0; i < g->n_rows * g->writer->text.keys.n; i++) {
        const size_t size = g->visible[i] != 0 ? attn_align_put_number(g->values[i], g->decimals, text) : 1;
        if (size > g->number_width)
            g->number_width = size;
    }
}

/* The first of the keys from FROM on for which a line has no room; at least the next. */
static size_t band_end(const attn_table_grid *g, size_t from)
{
    const size_t limit = g->writer->options.screen.limit;
    size_t width = g->label_width, key = from;
    while (key < g->writer->text.keys.n && (key == from || limit == SIZE_MAX || width <= limit)) {
        width += GAP + column_width(g, key);
        if (key > from && width > limit)
            return key;
        key++;
    }
    return key;
}

/* Lays the grid out with labels of so many columns and numbers of so many decimals; whether that fits. */
static bool fits(attn_table_grid *g, size_t label_most, int decimals)
{
    const size_t before = g->number_width;
    const bool again = decimals != g->decimals || before == 0;
    g->label_most = label_most;
    g->decimals = decimals;
    g->label_width = 0;
    for (size_t i = 0; i < g->writer->text.queries.n; i++)
        if (width_of(g, g->queries, i) > g->label_width)
            g->label_width = width_of(g, g->queries, i);
    if (again)
        measure_numbers(g);
    return band_end(g, 0) == g->writer->text.keys.n;
}

static void lay_out(attn_table_grid *g)
{
    const attn_writer *writer = g->writer;
    const size_t limit = writer->options.screen.limit;
    const int most = attn_table_decimals(writer), least = writer->options.precision >= 0 ? most : DECIMALS_LEAST;
    const size_t before = g->number_width;
    g->number_width = 0;
    if (limit == SIZE_MAX) {
        fits(g, SIZE_MAX, most);
        if (before > g->number_width) /* of the grid's rows that are printed already */
            g->number_width = before;
        return;
    }
    if (fits(g, SIZE_MAX, most))
        return;
    for (size_t label = LABEL_FINE; label >= LABEL_LEAST; label--)
        if (fits(g, label, most))
            return;
    for (int decimals = most - 1; decimals >= least; decimals--)
        if (fits(g, LABEL_LEAST, decimals))
            return;
    fits(g, limit / 3 < LABEL_FINE ? limit / 3 : LABEL_FINE, most);
    if (g->number_width + GAP + g->label_width > limit)
        fits(g, g->label_most, ATTN_BRIEFLY);
}

static void put_key_labels(const attn_table_grid *g, size_t from, size_t end)
{
    attn_sink *sink = g->writer->sink;
    attn_align_pad(sink, g->label_width);
    for (size_t i = from; i < end; i++) {
        attn_align_pad(sink, GAP + column_width(g, i) - width_of(g, g->keys, i));
        attn_fit_put(sink, attn_labels_at(g->keys, i), g->label_most, g->writer->options.screen.ascii);
    }
    attn_sink_put(sink, "\n", 1);
}

/* The rows that are held, keys FROM to before END. */
static void put_band(const attn_table_grid *g, size_t from, size_t end, double largest)
{
    const size_t n_keys = g->writer->text.keys.n;
    attn_sink *sink = g->writer->sink;
    attn_bounds bounds = {.map = largest};
    for (size_t i = 0; i < g->n_rows; i++) {
        const size_t shown =
            attn_fit_put(sink, attn_labels_at(g->queries, g->rows[i]), g->label_most, g->writer->options.screen.ascii);
        attn_align_pad(sink, g->label_width - shown);
        bounds.row = largest_of(g, i * n_keys, n_keys);
        for (size_t j = from; j < end; j++)
            if (g->visible[i * n_keys + j] != 0)
                put_number(g, column_width(g, j), g->values[i * n_keys + j], bounds);
            else
                put_masked(g, column_width(g, j));
        attn_sink_put(sink, "\n", 1);
    }
}

static attn_status flush_grid(attn_table_grid *g, attn_error *error)
{
    const size_t n_keys = g->writer->text.keys.n;
    if (!g->held)
        return ATTN_OK;
    if (!g->begun && put_title(g, error) != ATTN_OK)
        return ATTN_ENOMEM;
    lay_out(g);
    const double largest = largest_of(g, 0, g->n_rows * n_keys);
    for (size_t from = 0, end; from < n_keys; from = end) {
        end = band_end(g, from);
        attn_sink_text(g->writer->sink, from > 0 ? "\n" : "");
        if (!g->begun || end - from < n_keys)
            put_key_labels(g, from, end);
        put_band(g, from, end, largest);
    }
    g->n_grids += !g->begun;
    g->begun = true;
    g->n_rows = 0;
    return ATTN_OK;
}

attn_status attn_table_grid_row(attn_table_grid *g, const attn_grid_row *row, attn_error *error)
{
    const size_t n_keys = g->writer->text.keys.n;
    if (n_keys == 0)
        return ATTN_OK;
    if (g->held && (g->layer != row->layer || g->head != row->head)) {
        if (flush_grid(g, error) != ATTN_OK)
            return ATTN_ENOMEM;
        g->held = false;
    }
    if (!g->held) {
        g->held = true;
        g->begun = false;
        g->layer = row->layer;
        g->head = row->head;
        g->number_width = 0;
    }
    if ((g->n_rows == g->capacity || (g->n_rows + 1) * n_keys > HELD_CELLS) && flush_grid(g, error) != ATTN_OK)
        return ATTN_ENOMEM;
    memcpy(g->values + g->n_rows * n_keys, row->values, n_keys * sizeof *g->values);
    memcpy(g->visible + g->n_rows * n_keys, row->visible, n_keys);
    g->rows[g->n_rows++] = row->query;
    return ATTN_OK;
}

static void free_held(attn_table_grid *g)
{
    attn_free(g->values);
    attn_free(g->visible);
    attn_free(g->rows);
    g->values = NULL;
    g->visible = NULL;
    g->rows = NULL;
}

attn_status attn_table_grid_begin(attn_table_grid *g, attn_error *error)
{
    const attn_writer_text *text = &g->writer->text;
    free_held(g);
    if (text->keys.n == 0)
        return ATTN_OK;
    g->capacity = HELD_CELLS / text->keys.n + 1;
    if (g->capacity > text->queries.n)
        g->capacity = text->queries.n;
    g->values = attn_alloc_array(g->capacity * text->keys.n, sizeof *g->values);
    g->visible = attn_alloc_array(g->capacity, text->keys.n);
    g->rows = attn_alloc_array(g->capacity, sizeof *g->rows);
    if (g->values == NULL || g->visible == NULL || g->rows == NULL)
        return attn_fail_memory(error);
    return ATTN_OK;
}

attn_status attn_table_grid_end(attn_table_grid *g, attn_error *error)
{
    const attn_status status = flush_grid(g, error);
    g->held = false;
    return status;
}

void attn_table_grid_free(attn_table_grid *g)
{
    free_held(g);
}

bool attn_table_grid_fits(const attn_writer *writer, const attn_writer_text *text)
{
    /* "0.0000", and of both signs "-10.0000" */
    const size_t number = (writer->schema.range == ATTN_RANGE_UNIT ? 2U : 4U) + (size_t)attn_table_decimals(writer);
    size_t width = 0;
    for (size_t i = 0; i < text->queries.n; i++) {
        const size_t label = attn_utf8_width(text->queries.labels[i]);
        width = label > width ? label : width;
    }
    for (size_t i = 0; i < text->keys.n && width <= writer->options.screen.limit; i++) {
        const size_t label = attn_utf8_width(text->keys.labels[i]);
        width += GAP + (label > number ? label : number);
    }
    return width <= writer->options.screen.limit;
}
