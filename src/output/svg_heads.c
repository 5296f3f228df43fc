/* svg_heads.c: records by head as maps, layers down and heads across: one for each column whose numbers have a range
 * (those that --columns names, or all). */
#include "config.h"

#include "base/memory.h"
#include "output/svg.h"

#include <math.h>

enum { CELL_WIDTH = 36, CELL_HEIGHT = 20, DECIMALS = 2 };

typedef struct record {
    uint64_t layer, head;
} record;

typedef struct heads {
    const attn_column **columns; /* owned; [n_columns]: those drawn */
    size_t n_columns;
    record *records; /* owned; [n] */
    float *values;   /* owned; [n][n_columns]; NAN: none */
    size_t n, records_room, values_room;
    size_t *places; /* owned; [n_numbers]: the column of each head, SIZE_MAX: it is not there */
    size_t n_numbers, n_places;
} heads;

static attn_status open_heads(attn_svg *svg, attn_error *error)
{
    heads *h = svg->state;
    const attn_schema *schema = &svg->writer.schema;
    if (svg->writer.options.draw != ATTN_DRAW_UNSAID)
        return attn_fail(error, ATTN_EUSAGE, "--draw does not apply to --print=%s", schema->report);
    h->columns = attn_alloc_array(schema->n_columns, sizeof *h->columns);
    if (h->columns == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < schema->n_columns; i++)
        if (schema->columns[i].range != ATTN_RANGE_NONE)
            h->columns[h->n_columns++] = &schema->columns[i];
    if (h->n_columns == 0)
        return attn_fail(error, ATTN_EUSAGE, "--columns names nothing that is drawn as a map of heads");
    return ATTN_OK;
}

static attn_status put_record(attn_svg *svg, const attn_cell *cells, attn_error *error)
{
    heads *h = svg->state;
    if (!attn_grow((void **)&h->records, &h->records_room, h->n, sizeof *h->records) ||
        !attn_grow((void **)&h->values, &h->values_room, h->n, h->n_columns * sizeof *h->values))
        return attn_fail_memory(error);
    h->records[h->n] = (record){.layer = cells[0].count, .head = cells[1].count};
    for (size_t i = 0; i < h->n_columns; i++) {
        const attn_cell *cell = &cells[h->columns[i]->cell];
        h->values[h->n * h->n_columns + i] = cell->type == ATTN_CELL_NUMBER ? cell->number : NAN;
    }
    h->n++;
    return ATTN_OK;
}

/* h->places of the heads that are there, in their order. */
static attn_status place_heads(heads *h, attn_error *error)
{
    h->n_numbers = 0;
    for (size_t i = 0; i < h->n; i++)
        if (h->records[i].head >= h->n_numbers)
            h->n_numbers = (size_t)h->records[i].head + 1;
    h->places = attn_alloc_array(h->n_numbers, sizeof *h->places);
    if (h->places == NULL)
        return attn_fail_memory(error);
    for (size_t head = 0; head < h->n_numbers; head++)
        h->places[head] = SIZE_MAX;
    for (size_t i = 0; i < h->n; i++)
        h->places[h->records[i].head] = 0;
    for (size_t head = 0; head < h->n_numbers; head++)
        if (h->places[head] != SIZE_MAX)
            h->places[head] = h->n_places++;
    return ATTN_OK;
}

static double largest_of(const heads *h, size_t column)
{
    double largest = 0;
    for (size_t i = 0; i < h->n; i++) {
        const double size = fabs((double)h->values[i * h->n_columns + column]);
        if (isfinite(size) && size > largest)
            largest = size;
    }
    return largest;
}

/* Of the records from FIRST on that are of its layer. */
static double largest_of_layer(const heads *h, size_t column, size_t first)
{
    double largest = 0;
    for (size_t i = first; i < h->n && h->records[i].layer == h->records[first].layer; i++) {
        const double size = fabs((double)h->values[i * h->n_columns + column]);
        if (isfinite(size) && size > largest)
            largest = size;
    }
    return largest;
}

typedef struct place {
    double x, y;
    attn_rgb color;
} place;

static void put_cell(attn_svg *svg, const heads *h, size_t index, size_t column, place at)
{
    attn_buffer *out = &svg->body;
    const float value = h->values[index * h->n_columns + column];
    const int precision = svg->writer.options.precision;
    attn_buffer_format(out, "<g><title>layer %llu, head %llu: %s ", (unsigned long long)h->records[index].layer,
                       (unsigned long long)h->records[index].head, h->columns[column]->name);
    attn_svg_number(svg, out, (double)value);
    attn_buffer_text(out, "</title>");
    attn_svg_rect(out, at.x, at.y, CELL_WIDTH, CELL_HEIGHT);
    attn_buffer_text(out, " fill=\"");
    attn_svg_color(out, at.color);
    attn_buffer_text(out, "\"/>");
    attn_svg_text(out, at.x + CELL_WIDTH / 2.0, at.y + 14, "middle");
    attn_buffer_format(out, "<tspan font-size=\"10\" fill=\"%s\">", attn_color_is_dark(at.color) ? "#fff" : "#000");
    attn_buffer_number(out, value, precision >= 0 && precision < DECIMALS ? precision : DECIMALS);
    attn_buffer_text(out, "</tspan></text></g>\n");
}

/* The cells of COLUMN; Y is the bottom of the line of head numbers. Returns the map's bottom. */
static double put_cells(attn_svg *svg, const heads *h, size_t column, double left, double y)
{
    const attn_range range = h->columns[column]->range;
    const attn_shade shade = attn_svg_shade(svg, ATTN_SHADE_LINEAR);
    attn_bounds bounds = {.map = largest_of(h, column)};
    for (size_t i = 0; i < h->n; i++) {
        const record *r = &h->records[i];
        const float value = h->values[i * h->n_columns + column];
        if (i == 0 || r->layer != h->records[i - 1].layer) {
            y += i > 0 ? CELL_HEIGHT : 0;
            bounds.row = largest_of_layer(h, column, i);
            attn_svg_text(&svg->body, left - 6, y + 14, "end");
            attn_buffer_format(&svg->body, "%llu</text>\n", (unsigned long long)r->layer);
        }
        const place at = {.x = left + (double)h->places[r->head] * CELL_WIDTH,
                          .y = y,
                          .color = attn_color_at(range, attn_color_share(range, shade, (double)value, bounds))};
        if (!isnan(value))
            put_cell(svg, h, i, column, at);
    }
    return y + CELL_HEIGHT;
}

/* The heads' numbers above their columns. */
static void put_numbers(attn_buffer *out, const heads *h, double left, double y)
{
    for (size_t head = 0; head < h->n_numbers; head++) {
        if (h->places[head] == SIZE_MAX)
            continue;
        attn_svg_text(out, left + ((double)h->places[head] + 0.5) * CELL_WIDTH, y, "middle");
        attn_buffer_format(out, "%zu</text>\n", head);
    }
}

static void put_map(attn_svg *svg, const heads *h, size_t column)
{
    attn_buffer *out = &svg->body;
    const attn_range range = h->columns[column]->range;
    const attn_shade shade = attn_svg_shade(svg, ATTN_SHADE_LINEAR);
    const double left = 46, top = svg->height + (column > 0 ? ATTN_SVG_LINE : 0);
    attn_svg_text(out, 0, top + ATTN_SVG_FONT, "start");
    attn_buffer_format(out, "%s: layers down, heads across</text>\n", h->columns[column]->name);
    const double above = top + 2 * ATTN_SVG_LINE;
    put_numbers(out, h, left, above - 5);
    const double bottom = put_cells(svg, h, column, left, above);
    const bool up_to_1 = range == ATTN_RANGE_UNIT && (shade == ATTN_SHADE_LINEAR || shade == ATTN_SHADE_SQRT);
    const attn_svg_legend legend = {.range = range,
                                    .shade = shade,
                                    .full = up_to_1                   ? 1
                                            : shade == ATTN_SHADE_ROW ? 0
                                                                      : largest_of(h, column),
                                    .down = 1,
                                    .across = 1,
                                    .each = "layer"};
    attn_svg_reach(svg, left + (double)h->n_places * CELL_WIDTH, bottom + 12 + 2 * ATTN_SVG_LINE);
    attn_svg_put_legend(svg, 0, bottom + 12, &legend);
}

static attn_status end_text(attn_svg *svg, attn_error *error)
{
    heads *h = svg->state;
    const attn_status status = place_heads(h, error);
    attn_buffer_text(&svg->about, "Layers down, heads across.");
    for (size_t i = 0; i < h->n_columns && h->n > 0 && status == ATTN_OK; i++)
        put_map(svg, h, i);
    return status;
}

static void close_heads(attn_svg *svg)
{
    heads *h = svg->state;
    attn_free(h->columns);
    attn_free(h->records);
    attn_free(h->values);
    attn_free(h->places);
}

const attn_svg_drawing attn_svg_heads = {
    .size = sizeof(heads),
    .open = open_heads,
    .record = put_record,
    .text_end = end_text,
    .close = close_heads,
};
