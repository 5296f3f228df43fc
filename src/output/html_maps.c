/* html_maps.c: grids in a page: each map an element of its own, so that the page unpacks only what is looked at; of all
 * of them thumbnails, and what is known of each. One map is held at a time. Used by html.c. */
#include "config.h"

#include "base/memory.h"
#include "output/color.h"
#include "output/html.h"
#include "output/html_cells.h"
#include "output/png.h"
#include "output/pool.h"

enum {
    MOST_CELLS = 40000000, /* of a page: what a browser can hold */
    GRID_PIXELS = 360,     /* of a row of thumbnails */
    MOST_PIXELS = 40,      /* of a thumbnail's side */
    LEAST_PIXELS = 6
};

typedef struct maps {
    size_t n_cells; /* of the page so far, with all that the text at hand is known to bring */
    bool counted;   /* of the text at hand they are */
    bool in_head;   /* a map is begun: of … */
    size_t layer, head;
    attn_html_cells cells;
    attn_pooled pooled;
    attn_buffer heads;  /* JSON: what is known of each map of the text */
    attn_buffer thumbs; /* [maps of the text][pooled.rows][pooled.columns]: pixels of png.h */
} maps;

static attn_status too_many(attn_error *error)
{
    attn_fail(error, ATTN_EUNSUPPORTED, "an html page holds at most %d million numbers: choose what it shows",
              MOST_CELLS / 1000000);
    return attn_error_hint(error, "--layer, --head and --query choose");
}

/* Cells of the text at hand, as far as it says so first. */
static attn_status count_cells(attn_html *html, attn_error *error)
{
    const attn_writer_text *text = &html->writer.text;
    maps *m = html->state;
    size_t n;
    m->counted = text->n_heads > 0;
    if (!m->counted)
        return ATTN_OK;
    if (!attn_multiply(text->queries.n, text->keys.n, &n) || !attn_multiply(n, text->n_layers, &n) ||
        !attn_multiply(n, text->n_heads, &n) || n > MOST_CELLS - m->n_cells)
        return too_many(error);
    m->n_cells += n;
    return ATTN_OK;
}

static attn_status begin_text(attn_html *html, attn_error *error)
{
    const attn_writer_text *text = &html->writer.text;
    maps *m = html->state;
    size_t side = text->n_heads > 0 ? GRID_PIXELS / text->n_heads : LEAST_PIXELS;
    side = side > MOST_PIXELS ? MOST_PIXELS : side < LEAST_PIXELS ? LEAST_PIXELS : side;
    m->in_head = false;
    m->heads.size = m->thumbs.size = 0;
    attn_html_cells_close(&m->cells);
    attn_pooled_free(&m->pooled);
    attn_status status = count_cells(html, error);
    if (status == ATTN_OK)
        status = attn_html_cells_open(&m->cells, text, attn_html_decimals(html), error);
    return status == ATTN_OK ? attn_pooled_make(&m->pooled, text->queries.n, text->keys.n, side, side, error) : status;
}

/* ---- a map ---- */

static void put_thumbnail(attn_html *html)
{
    maps *m = html->state;
    const attn_range range = html->writer.schema.range;
    const attn_bounds bounds = {.map = attn_pooled_largest(&m->pooled)};
    const size_t n = m->pooled.rows * m->pooled.columns;
    char *at = attn_buffer_room(&m->thumbs, n);
    if (at == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        const double share = attn_color_share(range, ATTN_SHADE_SQRT, (double)m->pooled.values[i], bounds);
        at[i] = (char)(m->pooled.visible[i] != 0 ? attn_pixel(range, share) : ATTN_PIXEL_NOTHING);
    }
    m->thumbs.size += n;
}

static void describe_map(maps *m)
{
    static const char *const masks[] = {
        [ATTN_HTML_MASK_NONE] = "none", [ATTN_HTML_MASK_CAUSAL] = "causal", [ATTN_HTML_MASK_BITS] = "bits"};
    const attn_html_cells *cells = &m->cells;
    attn_buffer_format(&m->heads, "%s{\"layer\":%zu,\"head\":\"", m->heads.size > 0 ? "," : "", m->layer);
    attn_html_head(&m->heads, m->head);
    attn_buffer_format(&m->heads, "\",\"mask\":\"%s\",\"floats\":%s,\"least\":%lld,\"bytes\":%u}", masks[cells->mask],
                       cells->floats ? "true" : "false", (long long)cells->least, cells->n_bytes);
}

static attn_status end_map(attn_html *html, attn_error *error)
{
    maps *m = html->state;
    m->in_head = false;
    attn_html_cells_pack(&m->cells);
    put_thumbnail(html);
    describe_map(m);
    if (m->thumbs.failed || m->heads.failed)
        return attn_fail_memory(error);
    attn_buffer_format(&html->out, "<script type=\"text/plain\" id=\"%llu:%zu.",
                       (unsigned long long)(html->writer.n_texts - 1), m->layer);
    attn_html_head(&html->out, m->head);
    attn_buffer_text(&html->out, "\">");
    attn_status status = attn_html_flush(html, error);
    if (status == ATTN_OK)
        status = attn_html_cells_put(&m->cells, html->writer.sink, error);
    attn_sink_text(html->writer.sink, "</script>\n");
    return status;
}

static attn_status begin_map(maps *m, const attn_grid_row *row, attn_error *error)
{
    const size_t n = m->cells.n_rows * m->cells.n_columns;
    if (!m->counted && n > MOST_CELLS - m->n_cells)
        return too_many(error);
    if (!m->counted)
        m->n_cells += n;
    m->in_head = true;
    m->layer = row->layer;
    m->head = row->head;
    attn_html_cells_clear(&m->cells);
    attn_pooled_clear(&m->pooled);
    return ATTN_OK;
}

/* A map that a failure cuts short is left out. */
static attn_status put_grid(attn_html *html, const attn_grid_row *row, attn_error *error)
{
    maps *m = html->state;
    attn_status status = m->in_head ? ATTN_OK : begin_map(m, row, error);
    if (status != ATTN_OK)
        return status;
    attn_pooled_add(&m->pooled, m->cells.n_done, row->values, row->visible);
    attn_html_cells_add(&m->cells, row->values, row->visible);
    return m->cells.n_done == m->cells.n_rows ? end_map(html, error) : ATTN_OK;
}

/* ---- a text ---- */

static void put_side(attn_html *html, const char *name, const attn_side *side)
{
    attn_buffer *out = &html->out;
    attn_buffer_format(out, ",\"%s\":{\"labels\":[", name);
    for (size_t i = 0; i < side->n; i++) {
        if (i > 0)
            attn_buffer_byte(out, ',');
        attn_html_label(html, side->labels[i], out);
    }
    attn_buffer_text(out, "],\"positions\":[");
    for (size_t i = 0; i < side->n; i++)
        attn_buffer_format(out, "%s%zu", i > 0 ? "," : "", side->positions[i]);
    attn_buffer_text(out, "]}");
}

static attn_status put_thumbnails(attn_html *html, attn_error *error)
{
    const maps *m = html->state;
    attn_html_stream *stream;
    attn_buffer_format(&html->out, ",\"rows\":%zu,\"columns\":%zu,\"thumbnails\":\"", m->pooled.rows,
                       m->pooled.columns);
    attn_status status = attn_html_flush(html, error);
    if (status == ATTN_OK)
        status = attn_html_stream_open(html->writer.sink, &stream, error);
    if (status != ATTN_OK)
        return status;
    if (m->thumbs.size > 0)
        status = attn_html_stream_put(stream, (const uint8_t *)m->thumbs.data, m->thumbs.size, error);
    if (status == ATTN_OK)
        status = attn_html_stream_end(stream, error);
    attn_html_stream_close(stream);
    attn_buffer_byte(&html->out, '"');
    return status;
}

static attn_status end_text(attn_html *html, attn_error *error)
{
    const maps *m = html->state;
    put_side(html, "queries", &html->writer.text.queries);
    put_side(html, "keys", &html->writer.text.keys);
    attn_status status = put_thumbnails(html, error);
    attn_buffer_text(&html->out, ",\"heads\":[");
    attn_buffer_put(&html->out, m->heads.data, m->heads.size);
    attn_buffer_byte(&html->out, ']');
    return status;
}

static void describe(attn_html *html)
{
    const attn_schema *schema = &html->writer.schema;
    attn_buffer_format(&html->out, "\"value\":\"%s\",\"range\":\"%s\",\"parts\":%d,", schema->value,
                       attn_html_range(schema->range), ATTN_HTML_PARTS);
}

static void close_maps(attn_html *html)
{
    maps *m = html->state;
    attn_html_cells_close(&m->cells);
    attn_pooled_free(&m->pooled);
    attn_buffer_free(&m->heads);
    attn_buffer_free(&m->thumbs);
}

const attn_html_view attn_html_maps = {
    .name = "maps",
    .state_size = sizeof(maps),
    .describe = describe,
    .text_begin = begin_text,
    .grid = put_grid,
    .text_end = end_text,
    .close = close_maps,
};
