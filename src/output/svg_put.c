/* svg_put.c: the pieces that the drawings of -f svg are made of. Knows no drawing. */
#include "config.h"

#include "base/utf8.h"
#include "output/svg.h"

#include <math.h>

enum { DECIMALS = 4, LEGEND_WIDTH = 125, LEGEND_STEPS = 25, LEGEND_HEIGHT = 10 };
#define COLUMN_PIXELS 7.2 /* a column of a terminal at the usual size, on the safe side for most fonts */

void attn_svg_reach(attn_svg *svg, double x, double y)
{
    if (x > svg->width)
        svg->width = x;
    if (y > svg->height)
        svg->height = y;
}

void attn_svg_coordinate(attn_buffer *out, double value)
{
    const long tenths = isfinite(value) ? lround(value * 10) : 0; /* a vector that is not finite has no place */
    const unsigned long size = tenths < 0 ? 0UL - (unsigned long)tenths : (unsigned long)tenths;
    attn_buffer_format(out, "%s%lu", tenths < 0 ? "-" : "", size / 10);
    if (size % 10 != 0)
        attn_buffer_format(out, ".%lu", size % 10);
}

void attn_svg_length(attn_buffer *out, const char *name, double value)
{
    attn_buffer_format(out, " %s=\"", name);
    attn_svg_coordinate(out, value);
    attn_buffer_byte(out, '"');
}

void attn_svg_rect(attn_buffer *out, double x, double y, double width, double height)
{
    attn_buffer_text(out, "<rect");
    attn_svg_length(out, "x", x);
    attn_svg_length(out, "y", y);
    attn_svg_length(out, "width", width);
    attn_svg_length(out, "height", height);
}

void attn_svg_line(attn_buffer *out, double x1, double y1, double x2, double y2)
{
    attn_buffer_text(out, "<line");
    attn_svg_length(out, "x1", x1);
    attn_svg_length(out, "y1", y1);
    attn_svg_length(out, "x2", x2);
    attn_svg_length(out, "y2", y2);
}

void attn_svg_text(attn_buffer *out, double x, double y, const char *anchor)
{
    attn_buffer_text(out, "<text");
    attn_svg_length(out, "x", x);
    attn_svg_length(out, "y", y);
    attn_buffer_format(out, " text-anchor=\"%s\">", anchor);
}

void attn_svg_opacity(attn_buffer *out, double share)
{
    const long hundredths = lround(share * 100);
    attn_buffer_format(out, " stroke-opacity=\"%ld.%02ld\"", hundredths / 100, hundredths % 100);
}

void attn_svg_color(attn_buffer *out, attn_rgb color)
{
    attn_buffer_format(out, "#%02x%02x%02x", color.red, color.green, color.blue);
}

void attn_svg_number(const attn_svg *svg, attn_buffer *out, double value)
{
    const int precision = svg->writer.options.precision;
    attn_buffer_number(out, (float)value, precision >= 0 ? precision : DECIMALS);
}

void attn_svg_bound(attn_buffer *out, double value)
{
    char text[ATTN_NUMBER_ROOM];
    size_t length = attn_number_f32((float)value, DECIMALS, text);
    if (memchr(text, '.', length) != NULL) {
        while (text[length - 1] == '0')
            length--;
        length -= text[length - 1] == '.';
    }
    attn_buffer_put(out, text, length);
}

/* How many bytes of LABEL are at most COLUMNS wide; what combines with the last of them stays with it. */
static size_t bytes_within(attn_bytes label, size_t columns)
{
    size_t within = 0;
    for (size_t at = 0, length; at < label.size; at += length) {
        attn_utf8_decode(label, at, &length);
        if (attn_utf8_width((attn_bytes){label.data, at + length}) > columns)
            break;
        within = at + length;
    }
    return within;
}

/* As tables spell it: few fonts have the pictures of control characters. NULL: as any other character. */
static const char *spelled(uint8_t byte)
{
    return byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : byte == '\r' ? "\\r" : NULL;
}

void attn_svg_label(attn_buffer *out, attn_bytes label, size_t columns)
{
    const bool cut = columns > 0 && attn_utf8_width(label) > columns;
    size_t at = 0;
    if (cut)
        label.size = bytes_within(label, columns - 1);
    for (; at < label.size && label.data[at] == ' '; at++)
        attn_buffer_text(out, "␣");
    for (size_t from = at; from < label.size; from = at) {
        for (; at < label.size && spelled(label.data[at]) == NULL; at++)
            ;
        attn_escape_xml((attn_bytes){label.data + from, at - from}, out);
        if (at < label.size)
            attn_buffer_text(out, spelled(label.data[at++]));
    }
    if (cut)
        attn_buffer_text(out, "…");
}

void attn_svg_token(attn_buffer *out, const attn_side *side, size_t index)
{
    attn_buffer_format(out, "%zu ", side->positions[index]);
    attn_svg_label(out, side->labels[index], ATTN_SVG_TOKEN_COLUMNS);
}

double attn_svg_text_width(attn_bytes text)
{
    return (double)attn_utf8_width(text) * COLUMN_PIXELS;
}

double attn_svg_tokens_width(const attn_side *side)
{
    attn_buffer token = {0};
    double widest = 0;
    for (size_t i = 0; i < side->n; i++) {
        token.size = 0;
        attn_svg_token(&token, side, i);
        const double width = token.failed ? 0 : attn_svg_text_width(attn_buffer_bytes(&token));
        if (width > widest)
            widest = width;
    }
    attn_buffer_free(&token);
    return widest;
}

void attn_svg_place(attn_buffer *out, size_t layer, size_t head)
{
    attn_buffer_format(out, "layer %zu, ", layer);
    if (head == ATTN_HEAD_MEAN)
        attn_buffer_text(out, "mean of heads");
    else
        attn_buffer_format(out, "head %zu", head);
}

attn_shade attn_svg_shade(const attn_svg *svg, attn_shade otherwise)
{
    return svg->writer.options.shade != ATTN_SHADE_UNSAID ? svg->writer.options.shade : otherwise;
}

/* ---- the legend ---- */

static void put_scale(attn_buffer *out, double x, double y, attn_range range)
{
    const double step = (double)LEGEND_WIDTH / LEGEND_STEPS;
    for (size_t i = 0; i < LEGEND_STEPS; i++) {
        const double share = ((double)i + 0.5) / LEGEND_STEPS;
        attn_svg_rect(out, x + (double)i * step, y, step, LEGEND_HEIGHT);
        attn_buffer_text(out, " fill=\"");
        attn_svg_color(out, attn_color_at(range, range == ATTN_RANGE_SIGNED ? 2 * share - 1 : share));
        attn_buffer_text(out, "\" shape-rendering=\"crispEdges\"/>");
    }
}

/* VALUE, the part of what full color is (or of the largest, where each has its own), under the scale. */
static void put_tick(attn_buffer *out, double x, double y, const attn_svg_legend *legend, double part)
{
    attn_svg_text(out, x, y, "middle");
    if (legend->full > 0)
        attn_svg_bound(out, part * legend->full);
    else
        attn_buffer_text(out, part == 0 ? "0" : part == 1 ? "largest" : part == -1 ? "−largest" : "");
    attn_buffer_text(out, "</text>");
}

static void put_words(attn_buffer *out, const attn_svg_legend *legend)
{
    const char *separator = "";
    if (legend->shade == ATTN_SHADE_SQRT) {
        attn_buffer_text(out, "color by √");
        separator = "; ";
    }
    if (!(legend->full > 0)) {
        attn_buffer_format(out, "%sfull: the largest of each %s", separator, legend->each);
        separator = "; ";
    }
    if (legend->masked) {
        attn_buffer_format(out, "%sblank: masked", separator);
        separator = "; ";
    }
    if (legend->down * legend->across > 1)
        attn_buffer_format(out, "%sa pixel is the largest of %zu×%zu cells", separator, legend->down, legend->across);
}

void attn_svg_put_legend(attn_svg *svg, double x, double y, const attn_svg_legend *legend)
{
    attn_buffer *out = &svg->body;
    const double middle = legend->shade == ATTN_SHADE_SQRT ? 0.25 : 0.5, end = x + LEGEND_WIDTH, ticks = y + 24;
    const bool is_signed = legend->range == ATTN_RANGE_SIGNED;
    x += 16; /* the first tick is as wide as the number under it */
    put_scale(out, x, y, legend->range);
    attn_buffer_text(out, "<g font-size=\"11\">");
    put_tick(out, x, ticks, legend, is_signed ? -1 : 0);
    if (is_signed || legend->full > 0)
        put_tick(out, x + LEGEND_WIDTH / 2.0, ticks, legend, is_signed ? 0 : middle);
    put_tick(out, x + LEGEND_WIDTH, ticks, legend, 1);
    attn_svg_text(out, end + 34, y + 9, "start");
    const size_t words = out->size;
    put_words(out, legend);
    if (!out->failed)
        attn_svg_reach(
            svg, end + 34 + attn_svg_text_width((attn_bytes){(const uint8_t *)out->data + words, out->size - words}),
            ticks + 4);
    attn_buffer_text(out, "</text></g>\n");
}
