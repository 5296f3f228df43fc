/* html.c: one page that opens from a file and asks nothing of a network: a chooser of heads beside the chosen head's
 * map, lines or list. This file writes what the page holds; the page itself is html/, which is made a string by a rule
 * in local.mk.
 *
 *   page_head | meta | texts, each: an element a map, then its labels and heads | page_tail
 *
 * A map is an element of its own, so that the page unpacks only what is looked at. One map is held at a time, and of
 * each map of a text a thumbnail. */
#include "config.h"

#include "base/memory.h"
#include "output/color.h"
#include "output/html_cells.h"
#include "output/output.h"
#include "output/png.h"
#include "output/pool.h"

#include "output/html/page.inc"

enum {
    MOST_CELLS = 40000000, /* of a page: what a browser can hold */
    GRID_PIXELS = 360,     /* of a row of thumbnails */
    MOST_PIXELS = 40,      /* of a thumbnail's side */
    LEAST_PIXELS = 6,
    ANCHORS = 10 /* steps of a scale of colors, which is linear between */
};

typedef struct html {
    attn_writer writer;
    bool begun;     /* the head of the page is written */
    size_t n_cells; /* of the page so far, with all that the text at hand is known to bring */
    bool counted;   /* of the text at hand they are */
    bool in_head;   /* a map is begun: of … */
    size_t layer, head;
    attn_html_cells cells;
    attn_pooled pooled;
    attn_buffer heads;  /* JSON: what is known of each map of the text */
    attn_buffer thumbs; /* [maps of the text][pooled.rows][pooled.columns]: pixels of png.h */
    attn_buffer out, label;
} html;

static attn_status flush(html *h, attn_error *error)
{
    if (h->out.failed)
        return attn_fail_memory(error);
    attn_sink_put(h->writer.sink, h->out.data, h->out.size);
    h->out.size = 0;
    return ATTN_OK;
}

static int decimals_of(const html *h)
{
    return h->writer.options.precision == ATTN_SHORTEST ? ATTN_HTML_DECIMALS : h->writer.options.precision;
}

/* ---- what holds for the page ---- */

static const char *range_name(attn_range range)
{
    static const char *const names[] = {[ATTN_RANGE_NONE] = "none",
                                        [ATTN_RANGE_UNIT] = "unit",
                                        [ATTN_RANGE_POSITIVE] = "positive",
                                        [ATTN_RANGE_SIGNED] = "signed"};
    return names[range];
}

static const char *shade_name(attn_shade shade)
{
    static const char *const names[] = {[ATTN_SHADE_UNSAID] = "linear",
                                        [ATTN_SHADE_LINEAR] = "linear",
                                        [ATTN_SHADE_SQRT] = "sqrt",
                                        [ATTN_SHADE_ROW] = "row",
                                        [ATTN_SHADE_MAX] = "max"};
    return names[shade];
}

static void put_scale(html *h, const char *name, attn_range range, double from)
{
    attn_buffer_format(&h->out, "\"%s\":[", name);
    for (int i = 0; i <= ANCHORS; i++) {
        const attn_rgb color = attn_color_at(range, from + (1 - from) * i / ANCHORS);
        attn_buffer_format(&h->out, "%s[%d,%d,%d]", i > 0 ? "," : "", color.red, color.green, color.blue);
    }
    attn_buffer_byte(&h->out, ']');
}

static attn_status begin_page(html *h, attn_error *error)
{
    const attn_schema *schema = &h->writer.schema;
    if (h->begun)
        return ATTN_OK;
    h->begun = true;
    attn_sink_text(h->writer.sink, page_head);
    attn_buffer_text(&h->out, "<script type=\"application/json\" id=\"meta\">{");
    attn_buffer_format(&h->out, "\"shape\":\"grid\",\"report\":\"%s\",\"value\":\"%s\",\"range\":\"%s\",",
                       schema->report, schema->value, range_name(schema->range));
    attn_buffer_format(&h->out, "\"decimals\":%d,\"parts\":%d,\"shade\":\"%s\",", decimals_of(h), ATTN_HTML_PARTS,
                       shade_name(h->writer.options.shade));
    put_scale(h, "scale", ATTN_RANGE_UNIT, 0);
    attn_buffer_byte(&h->out, ',');
    put_scale(h, "signed_scale", ATTN_RANGE_SIGNED, -1);
    attn_buffer_text(&h->out, "}</script>\n");
    return flush(h, error);
}

/* ---- a map ---- */

static attn_status too_many(attn_error *error)
{
    attn_fail(error, ATTN_EUNSUPPORTED, "an html page holds at most %d million numbers: choose what it shows",
              MOST_CELLS / 1000000);
    return attn_error_hint(error, "--layer, --head and --query choose");
}

/* Cells of the text at hand, as far as it says so first. */
static attn_status count_cells(html *h, attn_error *error)
{
    const attn_writer_text *text = &h->writer.text;
    size_t n;
    h->counted = text->n_heads > 0;
    if (!h->counted)
        return ATTN_OK;
    if (!attn_multiply(text->queries.n, text->keys.n, &n) || !attn_multiply(n, text->n_layers, &n) ||
        !attn_multiply(n, text->n_heads, &n) || n > MOST_CELLS - h->n_cells)
        return too_many(error);
    h->n_cells += n;
    return ATTN_OK;
}

static attn_status open_grid(html *h, attn_error *error)
{
    const attn_writer_text *text = &h->writer.text;
    size_t side = text->n_heads > 0 ? GRID_PIXELS / text->n_heads : LEAST_PIXELS;
    side = side > MOST_PIXELS ? MOST_PIXELS : side < LEAST_PIXELS ? LEAST_PIXELS : side;
    attn_html_cells_close(&h->cells);
    attn_pooled_free(&h->pooled);
    attn_status status = attn_html_cells_open(&h->cells, text, decimals_of(h), error);
    return status == ATTN_OK ? attn_pooled_make(&h->pooled, text->queries.n, text->keys.n, side, side, error) : status;
}

static void put_thumbnail(html *h)
{
    const attn_range range = h->writer.schema.range;
    const attn_bounds bounds = {.map = attn_pooled_largest(&h->pooled)};
    const size_t n = h->pooled.rows * h->pooled.columns;
    char *at = attn_buffer_room(&h->thumbs, n);
    if (at == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        const double share = attn_color_share(range, ATTN_SHADE_SQRT, (double)h->pooled.values[i], bounds);
        at[i] = (char)(h->pooled.visible[i] != 0 ? attn_pixel(range, share) : ATTN_PIXEL_NOTHING);
    }
    h->thumbs.size += n;
}

static void put_head_name(attn_buffer *out, size_t head)
{
    if (head == ATTN_HEAD_MEAN)
        attn_buffer_text(out, "mean");
    else
        attn_buffer_count(out, head);
}

static void describe_map(html *h)
{
    static const char *const masks[] = {
        [ATTN_HTML_MASK_NONE] = "none", [ATTN_HTML_MASK_CAUSAL] = "causal", [ATTN_HTML_MASK_BITS] = "bits"};
    const attn_html_cells *cells = &h->cells;
    attn_buffer_format(&h->heads, "%s{\"layer\":%zu,\"head\":\"", h->heads.size > 0 ? "," : "", h->layer);
    put_head_name(&h->heads, h->head);
    attn_buffer_format(&h->heads, "\",\"mask\":\"%s\",\"floats\":%s,\"least\":%lld,\"bytes\":%u}", masks[cells->mask],
                       cells->floats ? "true" : "false", (long long)cells->least, cells->n_bytes);
}

/* Writes the map at hand. One that a failure cut short is left out. */
static attn_status end_map(html *h, attn_error *error)
{
    if (!h->in_head || h->cells.n_done < h->cells.n_rows)
        return ATTN_OK;
    h->in_head = false;
    attn_html_cells_pack(&h->cells);
    put_thumbnail(h);
    describe_map(h);
    if (h->thumbs.failed || h->heads.failed)
        return attn_fail_memory(error);
    attn_buffer_format(&h->out, "<script type=\"text/plain\" id=\"%llu:%zu.",
                       (unsigned long long)(h->writer.n_texts - 1), h->layer);
    put_head_name(&h->out, h->head);
    attn_buffer_text(&h->out, "\">");
    attn_status status = flush(h, error);
    if (status == ATTN_OK)
        status = attn_html_cells_put(&h->cells, h->writer.sink, error);
    attn_sink_text(h->writer.sink, "</script>\n");
    return status;
}

static attn_status begin_map(html *h, const attn_grid_row *row, attn_error *error)
{
    const size_t n = h->cells.n_rows * h->cells.n_columns;
    if (!h->counted && n > MOST_CELLS - h->n_cells)
        return too_many(error);
    if (!h->counted)
        h->n_cells += n;
    h->in_head = true;
    h->layer = row->layer;
    h->head = row->head;
    attn_html_cells_clear(&h->cells);
    attn_pooled_clear(&h->pooled);
    return ATTN_OK;
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    html *h = (html *)writer;
    attn_status status = ATTN_OK;
    if (!h->in_head)
        status = begin_map(h, row, error);
    if (status != ATTN_OK)
        return status;
    attn_pooled_add(&h->pooled, h->cells.n_done, row->values, row->visible);
    attn_html_cells_add(&h->cells, row->values, row->visible);
    return h->cells.n_done == h->cells.n_rows ? end_map(h, error) : ATTN_OK;
}

/* ---- a text ---- */

/* A string for the page's script: what would steer a reader is shown as its bytes, as in tables. */
static void put_label(html *h, attn_bytes label)
{
    h->label.size = 0;
    attn_escape_table(label, &h->label);
    attn_escape_script(attn_buffer_bytes(&h->label), &h->out);
}

static void put_side(html *h, const char *name, const attn_side *side)
{
    attn_buffer_format(&h->out, ",\"%s\":{\"labels\":[", name);
    for (size_t i = 0; i < side->n; i++) {
        if (i > 0)
            attn_buffer_byte(&h->out, ',');
        put_label(h, side->labels[i]);
    }
    attn_buffer_text(&h->out, "],\"positions\":[");
    for (size_t i = 0; i < side->n; i++)
        attn_buffer_format(&h->out, "%s%zu", i > 0 ? "," : "", side->positions[i]);
    attn_buffer_text(&h->out, "]}");
}

static attn_status put_thumbnails(html *h, attn_error *error)
{
    attn_html_stream *stream;
    attn_buffer_format(&h->out, ",\"rows\":%zu,\"columns\":%zu,\"thumbnails\":\"", h->pooled.rows, h->pooled.columns);
    attn_status status = flush(h, error);
    if (status == ATTN_OK)
        status = attn_html_stream_open(h->writer.sink, &stream, error);
    if (status != ATTN_OK)
        return status;
    if (h->thumbs.size > 0)
        status = attn_html_stream_put(stream, (const uint8_t *)h->thumbs.data, h->thumbs.size, error);
    if (status == ATTN_OK)
        status = attn_html_stream_end(stream, error);
    attn_html_stream_close(stream);
    attn_buffer_byte(&h->out, '"');
    return status;
}

static void put_place(html *h)
{
    const attn_writer_text *text = &h->writer.text;
    attn_buffer_format(&h->out, "<script type=\"application/json\" class=\"text\">{\"number\":%llu,\"file\":",
                       (unsigned long long)text->number);
    put_label(h, attn_bytes_of(text->file != NULL ? text->file : ""));
    attn_buffer_format(&h->out, ",\"line\":%llu", (unsigned long long)text->line);
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    html *h = (html *)writer;
    h->in_head = false;
    h->heads.size = h->thumbs.size = 0;
    attn_status status = count_cells(h, error);
    if (status == ATTN_OK)
        status = open_grid(h, error);
    return status == ATTN_OK ? begin_page(h, error) : status;
}

static attn_status end_text(attn_writer *writer, attn_error *error)
{
    html *h = (html *)writer;
    put_place(h);
    put_side(h, "queries", &writer->text.queries);
    put_side(h, "keys", &writer->text.keys);
    attn_status status = put_thumbnails(h, error);
    attn_buffer_text(&h->out, ",\"heads\":[");
    attn_buffer_put(&h->out, h->heads.data, h->heads.size);
    attn_buffer_text(&h->out, "]}</script>\n");
    return status == ATTN_OK ? flush(h, error) : status;
}

static attn_status end_page(attn_writer *writer, attn_error *error)
{
    html *h = (html *)writer;
    attn_status status = begin_page(h, error);
    attn_sink_text(writer->sink, page_tail);
    return status;
}

static void close_html(attn_writer *writer)
{
    html *h = (html *)writer;
    attn_html_cells_close(&h->cells);
    attn_pooled_free(&h->pooled);
    attn_buffer_free(&h->heads);
    attn_buffer_free(&h->thumbs);
    attn_buffer_free(&h->out);
    attn_buffer_free(&h->label);
}

const attn_output attn_output_html = {
    .name = "html",
    .shapes = ATTN_SHAPE_GRID,
    .shades = ATTN_SHAPE_GRID,
    .binary = true,
    .size = sizeof(html),
    .text_begin = begin_text,
    .grid = put_grid,
    .text_end = end_text,
    .end = end_page,
    .close = close_html,
};
