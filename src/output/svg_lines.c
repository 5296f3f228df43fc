/* svg_lines.c: a grid as lines from a column of queries to one of keys (as BertViz draws them): as strong as the
 * weight, in a color of its own for each head. */
#include "config.h"

#include "base/memory.h"
#include "output/svg.h"

#include <math.h>

enum { MOST_HEADS = 8, MOST_LINES = 100000, ACROSS = 180, MIDDLE = 5 };
#define LEAST_SHARE 0.02 /* of full strength: fainter lines are not seen, and there are many */

/* Told apart by every eye (Okabe and Ito); the strongest first, the last is the page's own. */
static const char *const colors[MOST_HEADS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#a6761d", "currentColor"};

/* … and on paper without color. */
static const char *const dashes[MOST_HEADS] = {NULL, "7 3", "2 2", "8 3 2 3", "14 4", "4 4", "1 3", "10 3 2 3 2 3"};

typedef struct line {
    uint32_t query, key;
    float value;
    uint8_t head; /* index into heads */
} line;

typedef struct lines {
    line *items; /* owned; [n] */
    size_t n, capacity;
    struct {
        size_t layer, head;
    } heads[MOST_HEADS];
    size_t n_heads;
    double largest;
} lines;

static attn_status open_lines(attn_svg *svg, attn_error *error)
{
    if (svg->writer.schema.range != ATTN_RANGE_SIGNED)
        return ATTN_OK;
    return attn_fail(error, ATTN_EUSAGE, "--draw=lines: a line has no sign; --print=%s is drawn as maps",
                     svg->writer.schema.report);
}

static attn_status turn_to(lines *l, const attn_grid_row *row, attn_error *error)
{
    if (l->n_heads > 0 && l->heads[l->n_heads - 1].layer == row->layer && l->heads[l->n_heads - 1].head == row->head)
        return ATTN_OK;
    if (l->n_heads == MOST_HEADS)
        return attn_fail(error, ATTN_EUSAGE, "--draw=lines has colors for %d heads: choose them by --layer and --head",
                         MOST_HEADS);
    l->heads[l->n_heads].layer = row->layer;
    l->heads[l->n_heads++].head = row->head;
    return ATTN_OK;
}

static attn_status add_line(lines *l, line added, attn_error *error)
{
    if (l->n == MOST_LINES)
        return attn_fail(error, ATTN_EUSAGE, "more than %d lines: leave some out by --min, --top, --query or --head",
                         MOST_LINES);
    if (!attn_grow((void **)&l->items, &l->capacity, l->n, sizeof *l->items))
        return attn_fail_memory(error);
    l->items[l->n++] = added;
    return ATTN_OK;
}

static attn_status put_grid(attn_svg *svg, const attn_grid_row *row, attn_error *error)
{
    lines *l = svg->state;
    const attn_schema *schema = &svg->writer.schema;
    const float least = schema->filtered || schema->range != ATTN_RANGE_UNIT ? 0 : (float)LEAST_SHARE;
    attn_status status = turn_to(l, row, error);
    for (size_t i = 0; i < svg->writer.text.keys.n && status == ATTN_OK; i++) {
        if (row->visible[i] == 0 || !(row->values[i] > 0 && row->values[i] >= least))
            continue;
        if (isfinite(row->values[i]) && (double)row->values[i] > l->largest)
            l->largest = (double)row->values[i];
        status = add_line(l,
                          (line){.query = (uint32_t)row->query,
                                 .key = (uint32_t)i,
                                 .value = row->values[i],
                                 .head = (uint8_t)(l->n_heads - 1)},
                          error);
    }
    return status;
}

static void put_tokens(attn_svg *svg, const attn_side *side, double x, double y, const char *anchor)
{
    for (size_t i = 0; i < side->n; i++) {
        attn_svg_text(&svg->body, x, y + (double)i * ATTN_SVG_LINE, anchor);
        attn_svg_token(&svg->body, side, i);
        attn_buffer_text(&svg->body, "</text>\n");
    }
}

static void put_stroke(attn_buffer *out, size_t head)
{
    attn_buffer_format(out, " stroke=\"%s\"", colors[head]);
    if (dashes[head] != NULL)
        attn_buffer_format(out, " stroke-dasharray=\"%s\"", dashes[head]);
}

/* Lines of several heads between the same tokens lie beside each other. */
static void put_line(attn_svg *svg, const lines *l, const line *item, double left, double y)
{
    const attn_writer_text *text = &svg->writer.text;
    const attn_range range = svg->writer.schema.range;
    const double share = attn_color_share(range, attn_svg_shade(svg, ATTN_SHADE_LINEAR), (double)item->value,
                                          (attn_bounds){.row = l->largest, .map = l->largest});
    const double aside = ((double)item->head - (double)(l->n_heads - 1) / 2) * 1.5;
    attn_buffer *out = &svg->body;
    if (!svg->writer.schema.filtered && share < LEAST_SHARE)
        return;
    attn_svg_line(out, left, y + item->query * (double)ATTN_SVG_LINE + aside, left + ACROSS,
                  y + item->key * (double)ATTN_SVG_LINE + aside);
    put_stroke(out, item->head);
    attn_svg_opacity(out, fmax(0.01, share));
    attn_buffer_text(out, "><title>");
    attn_svg_place(out, l->heads[item->head].layer, l->heads[item->head].head);
    attn_buffer_text(out, ": ");
    attn_svg_token(out, &text->queries, item->query);
    attn_buffer_text(out, " → ");
    attn_svg_token(out, &text->keys, item->key);
    attn_buffer_byte(out, ' ');
    attn_svg_number(svg, out, (double)item->value);
    attn_buffer_text(out, "</title></line>\n");
}

/* The heads by name, each behind a line of its color where there are several. */
static double put_heads(attn_svg *svg, const lines *l)
{
    attn_buffer *out = &svg->body;
    double y = 0;
    for (size_t i = 0; i < l->n_heads; i++, y += ATTN_SVG_LINE) {
        if (l->n_heads > 1) {
            attn_svg_line(out, 0, y + 8, 26, y + 8);
            put_stroke(out, i);
            attn_buffer_text(out, " stroke-width=\"3\"/>");
        }
        attn_svg_text(out, l->n_heads > 1 ? 30 : 0, y + ATTN_SVG_FONT, "start");
        attn_buffer_format(out, "%s, ", svg->writer.schema.values);
        attn_svg_place(out, l->heads[i].layer, l->heads[i].head);
        attn_buffer_text(out, "</text>\n");
        attn_svg_reach(svg, 220, y + ATTN_SVG_LINE);
    }
    return y;
}

static attn_status end_text(attn_svg *svg, attn_error *error)
{
    const lines *l = svg->state;
    const attn_side *queries = &svg->writer.text.queries, *keys = &svg->writer.text.keys;
    const double left = attn_svg_tokens_width(queries) + 6, right = left + ACROSS,
                 y = put_heads(svg, l) + ATTN_SVG_LINE + ATTN_SVG_FONT,
                 most = (double)(queries->n > keys->n ? queries->n : keys->n);
    (void)error;
    attn_buffer_format(&svg->about, "Lines from %zu queries to %zu keys, as strong as the %s.", queries->n, keys->n,
                       svg->writer.schema.value);
    attn_svg_text(&svg->body, left - 6, y - ATTN_SVG_LINE, "end");
    attn_buffer_text(&svg->body, "query</text>");
    attn_svg_text(&svg->body, right + 6, y - ATTN_SVG_LINE, "start");
    attn_buffer_text(&svg->body, "key</text>\n");
    put_tokens(svg, queries, left - 6, y, "end");
    put_tokens(svg, keys, right + 6, y, "start");
    for (size_t i = 0; i < l->n; i++)
        put_line(svg, l, &l->items[i], left, y - MIDDLE);
    attn_svg_reach(svg, right + 6 + attn_svg_tokens_width(keys), y + most * ATTN_SVG_LINE);
    return ATTN_OK;
}

static void close_lines(attn_svg *svg)
{
    attn_free(((lines *)svg->state)->items);
}

const attn_svg_drawing attn_svg_lines = {
    .size = sizeof(lines),
    .open = open_lines,
    .grid = put_grid,
    .text_end = end_text,
    .close = close_lines,
};
