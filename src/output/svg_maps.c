/* svg_maps.c: grids as maps, queries down and keys across. One head (or --draw=large): a map with its tokens, of
 * rectangles while it has few cells, else a picture inside. Several heads: a thumbnail each, a line a layer. Maps are
 * shrunk here, by the maximum, to what is drawn: viewers shrink each in their own way, but enlarge alike. Only the
 * pooled cells of the head at hand are held. */
#include "config.h"

#include "base/memory.h"
#include "output/pool.h"
#include "output/svg.h"

#include <math.h>

enum {
    LARGE = 640, /* pixels a side at most */
    LARGE_CELL = 28,
    LABEL = 9, /* the least height of a row that has its token beside it */
    MOST_RECTANGLES = 4096,
    THUMBNAIL = 110,
    THUMBNAIL_CELL = 24,
    IN_LINE = 8, /* thumbnails in a line, where all are of one layer */
    GAP = 10,
    TOLD_KEYS = 5 /* in a row's title */
};

typedef struct maps {
    bool large;
    attn_pooled pooled;
    uint8_t *pixels; /* owned; [pooled.rows][pooled.columns] */
    bool held;       /* a head is */
    size_t layer, head;
    size_t n_maps, in_line;
    double x, y;                    /* where the next one goes */
    double cell_width, cell_height; /* of a pooled cell */
    bool masked;                    /* some cell is, in some map */
} maps;

static double bounded(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

static attn_status open_maps(attn_svg *svg, attn_error *error)
{
    if (svg->writer.options.draw != ATTN_DRAW_SQUARES)
        return ATTN_OK;
    return attn_fail(error, ATTN_EUSAGE, "--draw=squares does not apply to --print=%s", svg->writer.schema.report);
}

/* Whole pixels, so that all cells are alike; square, but for maps of few rows. */
static void choose_cells(maps *m)
{
    const double most = m->large ? LARGE : THUMBNAIL, largest = m->large ? LARGE_CELL : THUMBNAIL_CELL;
    const double rows = (double)(m->pooled.rows > 0 ? m->pooled.rows : 1),
                 columns = (double)(m->pooled.columns > 0 ? m->pooled.columns : 1);
    m->cell_width = bounded(floor(most / fmax(rows, columns)), 1, largest);
    m->cell_height = m->large && rows * 8 < columns ? bounded(floor(most / rows), 1, largest) : m->cell_width;
}

static attn_status begin_text(attn_svg *svg, attn_error *error)
{
    maps *m = svg->state;
    const attn_writer_text *text = &svg->writer.text;
    m->large = svg->writer.options.draw == ATTN_DRAW_LARGE || (text->n_layers == 1 && text->n_heads == 1);
    const size_t most = m->large ? LARGE : THUMBNAIL;
    attn_status status = attn_pooled_make(&m->pooled, text->queries.n, text->keys.n, most, most, error);
    if (status != ATTN_OK)
        return status;
    m->pixels = attn_calloc_array(m->pooled.rows * m->pooled.columns + 1, 1);
    choose_cells(m);
    attn_buffer_format(&svg->about, "Queries down (%zu), keys across (%zu).", text->queries.n, text->keys.n);
    return m->pixels != NULL ? ATTN_OK : attn_fail_memory(error);
}

/* ---- colors ---- */

static attn_shade shade_of(const attn_svg *svg, const maps *m)
{
    return attn_svg_shade(svg, m->large ? ATTN_SHADE_LINEAR : ATTN_SHADE_SQRT);
}

static void fill_pixels(const attn_svg *svg, maps *m)
{
    const attn_range range = svg->writer.schema.range;
    const attn_shade shade = shade_of(svg, m);
    attn_bounds bounds = {.map = attn_pooled_largest(&m->pooled)};
    for (size_t i = 0; i < m->pooled.rows; i++) {
        bounds.row = attn_pooled_largest_of_row(&m->pooled, i);
        for (size_t j = 0; j < m->pooled.columns; j++) {
            const size_t at = i * m->pooled.columns + j;
            m->pixels[at] =
                m->pooled.visible[at] == 0
                    ? ATTN_PIXEL_NOTHING
                    : attn_pixel(range, attn_color_share(range, shade, (double)m->pooled.values[at], bounds));
            m->masked |= m->pooled.visible[at] == 0;
        }
    }
}

static attn_svg_legend legend_of(const attn_svg *svg, const maps *m, bool own)
{
    const attn_range range = svg->writer.schema.range;
    const attn_shade shade = shade_of(svg, m);
    const bool up_to_1 = range == ATTN_RANGE_UNIT && (shade == ATTN_SHADE_LINEAR || shade == ATTN_SHADE_SQRT);
    return (attn_svg_legend){.range = range,
                             .shade = shade,
                             .full = up_to_1                          ? 1
                                     : own && shade != ATTN_SHADE_ROW ? attn_pooled_largest(&m->pooled)
                                                                      : 0,
                             .down = m->pooled.down,
                             .across = m->pooled.across,
                             .masked = m->masked,
                             .each = shade == ATTN_SHADE_ROW ? "query" : "map"};
}

/* ---- a map ---- */

static attn_status put_image(attn_svg *svg, const maps *m, double x, double y, attn_error *error)
{
    attn_buffer png = {0}, *out = &svg->body;
    const attn_image image = {.range = svg->writer.schema.range,
                              .pixels = m->pixels,
                              .width = m->pooled.columns,
                              .height = m->pooled.rows,
                              .across = (size_t)m->cell_width,
                              .down = (size_t)m->cell_height};
    attn_status status = attn_png_put(&image, &png, error);
    if (status == ATTN_OK) {
        attn_buffer_text(out, "<image");
        attn_svg_length(out, "x", x);
        attn_svg_length(out, "y", y);
        attn_svg_length(out, "width", m->cell_width * (double)m->pooled.columns);
        attn_svg_length(out, "height", m->cell_height * (double)m->pooled.rows);
        attn_buffer_text(out, " image-rendering=\"optimizeSpeed\" href=\"data:image/png;base64,");
        attn_base64_put(attn_buffer_bytes(&png), out);
        attn_buffer_text(out, "\"/>");
    }
    attn_buffer_free(&png);
    return status;
}

static void put_edge(attn_svg *svg, const maps *m, double x, double y)
{
    attn_svg_rect(&svg->body, x - 0.5, y - 0.5, m->cell_width * (double)m->pooled.columns + 1,
                  m->cell_height * (double)m->pooled.rows + 1);
    attn_buffer_text(&svg->body, " fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".4\"/>\n");
}

/* Row ROW of the pooled map; runs of one color are one rectangle. */
static void put_rectangles(attn_svg *svg, const maps *m, size_t row, double x, double y)
{
    const uint8_t *pixels = m->pixels + row * m->pooled.columns;
    attn_buffer *out = &svg->body;
    for (size_t from = 0, to; from < m->pooled.columns; from = to) {
        for (to = from + 1; to < m->pooled.columns && pixels[to] == pixels[from]; to++)
            ;
        if (pixels[from] == ATTN_PIXEL_NOTHING)
            continue;
        attn_svg_rect(out, x + (double)from * m->cell_width, y, (double)(to - from) * m->cell_width, m->cell_height);
        attn_buffer_text(out, " fill=\"");
        attn_svg_color(out, attn_pixel_color(svg->writer.schema.range, pixels[from]));
        attn_buffer_text(out, "\"/>");
    }
}

/* The next largest of ROW by size below the one at PLACE (SIZE_MAX: none yet); SIZE_MAX: there is none. */
static size_t next_largest(const attn_pooled *pooled, size_t row, size_t place)
{
    const float *values = pooled->values + row * pooled->columns;
    const uint8_t *visible = pooled->visible + row * pooled->columns;
    size_t found = SIZE_MAX;
    for (size_t j = 0; j < pooled->columns; j++) {
        const bool below = place == SIZE_MAX || fabsf(values[j]) < fabsf(values[place]) ||
                           (fabsf(values[j]) == fabsf(values[place]) && j > place);
        if (visible[j] != 0 && isfinite(values[j]) && below &&
            (found == SIZE_MAX || fabsf(values[j]) > fabsf(values[found])))
            found = j;
    }
    return found;
}

/* "7 ␣people → 0 the 0.6077, 4 ␣spake 0.1382 …": of a map that is not pooled. */
static void put_row_title(attn_svg *svg, const maps *m, size_t row)
{
    const attn_writer_text *text = &svg->writer.text;
    attn_buffer *out = &svg->body;
    attn_buffer_text(out, "<title>");
    attn_svg_token(out, &text->queries, row);
    size_t key = SIZE_MAX, told = 0;
    for (; (key = next_largest(&m->pooled, row, key)) != SIZE_MAX && told < TOLD_KEYS; told++) {
        attn_buffer_text(out, told == 0 ? " → " : ", ");
        attn_svg_token(out, &text->keys, key);
        attn_buffer_byte(out, ' ');
        attn_svg_number(svg, out, (double)m->pooled.values[row * m->pooled.columns + key]);
    }
    attn_buffer_text(out, key != SIZE_MAX ? " …</title>" : "</title>");
}

static bool is_whole(const maps *m)
{
    return m->pooled.down == 1 && m->pooled.across == 1;
}

static bool is_small(const maps *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->pooled.rows * m->pooled.columns; i++)
        n += m->pooled.visible[i];
    return is_whole(m) && n <= MOST_RECTANGLES;
}

/* What a reader points at: each query's row with its largest weights; of a pooled map there are none to tell. */
static attn_status put_cells(attn_svg *svg, const maps *m, double x, double y, attn_error *error)
{
    const bool small = is_small(m);
    attn_status status = ATTN_OK;
    if (!small && m->pooled.rows > 0 && m->pooled.columns > 0)
        status = put_image(svg, m, x, y, error);
    attn_buffer_text(&svg->body, small ? "<g shape-rendering=\"crispEdges\">\n" : "<g fill-opacity=\"0\">\n");
    for (size_t row = 0; row < m->pooled.rows && is_whole(m); row++) {
        const double top = y + (double)row * m->cell_height;
        attn_buffer_text(&svg->body, "<g>");
        put_row_title(svg, m, row);
        if (small) {
            put_rectangles(svg, m, row, x, top);
        } else {
            attn_svg_rect(&svg->body, x, top, m->cell_width * (double)m->pooled.columns, m->cell_height);
            attn_buffer_text(&svg->body, "/>");
        }
        attn_buffer_text(&svg->body, "</g>\n");
    }
    attn_buffer_text(&svg->body, "</g>\n");
    put_edge(svg, m, x, y);
    return status;
}

/* Tokens beside the rows (above the columns): all that have room, at distances that a block gives. */
static void put_tokens(attn_svg *svg, const maps *m, const attn_side *side, bool rows, double x, double y)
{
    const double cell = rows ? m->cell_height / (double)m->pooled.down : m->cell_width / (double)m->pooled.across;
    const size_t step = cell >= LABEL ? 1 : (size_t)ceil(ATTN_SVG_FONT / cell);
    attn_buffer *out = &svg->body;
    attn_buffer_format(out, "<g font-size=\"%d\">\n", step > 1 ? 10 : (int)bounded(cell, LABEL, ATTN_SVG_FONT));
    for (size_t i = 0; i < side->n; i += step) {
        const double middle = ((double)i + (step > 1 ? 0 : 0.5)) * cell + (step > 1 ? 8 : 4);
        if (rows) {
            attn_svg_text(out, x - 6, y + middle, "end");
        } else {
            attn_buffer_text(out, "<text transform=\"translate(");
            attn_svg_coordinate(out, x + middle);
            attn_buffer_byte(out, ' ');
            attn_svg_coordinate(out, y - 6);
            attn_buffer_text(out, ") rotate(-90)\">");
        }
        attn_svg_token(out, side, i);
        attn_buffer_text(out, "</text>\n");
    }
    attn_buffer_text(out, "</g>\n");
}

static attn_status put_large(attn_svg *svg, maps *m, attn_error *error)
{
    const attn_writer_text *text = &svg->writer.text;
    /* whole pixels: a viewer blurs an image that begins between two */
    const double left = ceil(attn_svg_tokens_width(&text->queries)) + 6,
                 above = ceil(attn_svg_tokens_width(&text->keys)) + 6;
    const double top = m->y + ATTN_SVG_LINE + above, width = m->cell_width * (double)m->pooled.columns,
                 bottom = top + m->cell_height * (double)m->pooled.rows;
    attn_svg_text(&svg->body, 0, m->y + ATTN_SVG_FONT, "start");
    attn_buffer_format(&svg->body, "%s, ", svg->writer.schema.values);
    attn_svg_place(&svg->body, m->layer, m->head);
    attn_buffer_text(&svg->body, "</text>\n");
    put_tokens(svg, m, &text->queries, true, left, top);
    put_tokens(svg, m, &text->keys, false, left, top);
    const attn_status status = put_cells(svg, m, left, top, error);
    const attn_svg_legend legend = legend_of(svg, m, true);
    attn_svg_put_legend(svg, 0, bottom + 14, &legend);
    attn_svg_reach(svg, left + width, bottom + 14 + 2 * ATTN_SVG_LINE);
    m->y = svg->height + ATTN_SVG_LINE;
    return status;
}

/* ---- thumbnails ---- */

static void turn_line(attn_svg *svg, maps *m)
{
    m->x = 0;
    m->y = svg->height + (m->n_maps > 0 ? GAP : 0);
    m->in_line = 0;
}

static attn_status put_thumbnail(attn_svg *svg, maps *m, attn_error *error)
{
    const double width = m->cell_width * (double)m->pooled.columns, height = m->cell_height * (double)m->pooled.rows;
    const double top = m->y + ATTN_SVG_LINE;
    attn_status status = ATTN_OK;
    attn_svg_text(&svg->body, m->x, m->y + ATTN_SVG_FONT, "start");
    if (m->head == ATTN_HEAD_MEAN)
        attn_buffer_format(&svg->body, "%zu.mean</text>", m->layer);
    else
        attn_buffer_format(&svg->body, "%zu.%zu</text>", m->layer, m->head);
    attn_buffer_text(&svg->body, "<g><title>");
    attn_svg_place(&svg->body, m->layer, m->head);
    attn_buffer_text(&svg->body, "</title>");
    if (m->pooled.rows > 0 && m->pooled.columns > 0)
        status = put_image(svg, m, m->x, top, error);
    attn_buffer_text(&svg->body, "</g>");
    put_edge(svg, m, m->x, top);
    attn_svg_reach(svg, m->x + width, top + height);
    m->x += (width > 40 ? width : 40) + GAP; /* 40: its name */
    m->in_line++;
    return status;
}

/* ---- the rows ---- */

/* The head at hand is whole. */
static attn_status flush(attn_svg *svg, maps *m, attn_error *error)
{
    if (!m->held)
        return ATTN_OK;
    fill_pixels(svg, m);
    const attn_status status = m->large ? put_large(svg, m, error) : put_thumbnail(svg, m, error);
    m->held = false;
    m->n_maps++;
    return status;
}

static attn_status turn_to(attn_svg *svg, maps *m, const attn_grid_row *row, attn_error *error)
{
    const bool first = m->n_maps == 0 && !m->held, next_layer = m->layer != row->layer;
    const attn_status status = flush(svg, m, error);
    if (!m->large && (first || next_layer || (svg->writer.text.n_layers == 1 && m->in_line == IN_LINE)))
        turn_line(svg, m);
    attn_pooled_clear(&m->pooled);
    m->layer = row->layer;
    m->head = row->head;
    m->held = true;
    return status;
}

static attn_status put_grid(attn_svg *svg, const attn_grid_row *row, attn_error *error)
{
    maps *m = svg->state;
    attn_status status = ATTN_OK;
    if (!m->held || m->layer != row->layer || m->head != row->head)
        status = turn_to(svg, m, row, error);
    attn_pooled_add(&m->pooled, row->query, row->values, row->visible);
    return status;
}

static attn_status end_text(attn_svg *svg, attn_error *error)
{
    maps *m = svg->state;
    const attn_status status = flush(svg, m, error);
    if (status != ATTN_OK || m->large || m->n_maps == 0)
        return status;
    const attn_svg_legend legend = legend_of(svg, m, false);
    const double y = svg->height + 14;
    attn_svg_put_legend(svg, 0, y, &legend);
    attn_svg_reach(svg, 0, y + 2 * ATTN_SVG_LINE);
    return ATTN_OK;
}

static void close_maps(attn_svg *svg)
{
    maps *m = svg->state;
    attn_pooled_free(&m->pooled);
    attn_free(m->pixels);
}

const attn_svg_drawing attn_svg_maps = {
    .size = sizeof(maps),
    .open = open_maps,
    .text_begin = begin_text,
    .grid = put_grid,
    .text_end = end_text,
    .close = close_maps,
};
