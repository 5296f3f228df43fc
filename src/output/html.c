/* html.c: one page that opens from a file and asks nothing of a network: a grid of heads beside what is known of the
 * chosen one. This file writes what is around; html_maps.c and its kin what the page shows; the page itself is html/,
 * which a rule in local.mk makes a string.
 *
 *   page_head | what holds for the page | of each text: what its view wrote, and an element of JSON | page_tail */
#include "config.h"

#include "base/memory.h"
#include "output/color.h"
#include "output/html.h"

#include <math.h>

#include "output/html/page.inc"

enum { ANCHORS = 10 /* steps of a scale of colors, which is linear between */ };

attn_status attn_html_flush(attn_html *html, attn_error *error)
{
    if (html->out.failed || html->label.failed)
        return attn_fail_memory(error);
    attn_sink_put(html->writer.sink, html->out.data, html->out.size);
    html->out.size = 0;
    return ATTN_OK;
}

int attn_html_decimals(const attn_html *html)
{
    return html->writer.options.precision == ATTN_SHORTEST ? ATTN_HTML_DECIMALS : html->writer.options.precision;
}

const char *attn_html_range(attn_range range)
{
    static const char *const names[] = {[ATTN_RANGE_NONE] = "none",
                                        [ATTN_RANGE_UNIT] = "unit",
                                        [ATTN_RANGE_POSITIVE] = "positive",
                                        [ATTN_RANGE_SIGNED] = "signed"};
    return names[range];
}

void attn_html_label(attn_html *html, attn_bytes label, attn_buffer *out)
{
    html->label.size = 0;
    attn_escape_table(label, &html->label);
    attn_escape_script(attn_buffer_bytes(&html->label), out);
}

void attn_html_head(attn_buffer *out, size_t head)
{
    if (head == ATTN_HEAD_MEAN)
        attn_buffer_text(out, "mean");
    else
        attn_buffer_count(out, head);
}

void attn_html_number(const attn_html *html, float number, attn_buffer *out)
{
    const char *quote = isfinite(number) ? "" : "\""; /* JSON has no such numbers: a word for eyes */
    attn_buffer_text(out, quote);
    attn_buffer_number(out, number, attn_html_decimals(html));
    attn_buffer_text(out, quote);
}

/* ---- what holds for the page ---- */

static const char *shade_name(attn_shade shade)
{
    static const char *const names[] = {[ATTN_SHADE_UNSAID] = "linear",
                                        [ATTN_SHADE_LINEAR] = "linear",
                                        [ATTN_SHADE_SQRT] = "sqrt",
                                        [ATTN_SHADE_ROW] = "row",
                                        [ATTN_SHADE_MAX] = "max"};
    return names[shade];
}

static void put_scale(attn_html *html, const char *name, attn_range range, double from)
{
    attn_buffer_format(&html->out, "\"%s\":[", name);
    for (int i = 0; i <= ANCHORS; i++) {
        const attn_rgb color = attn_color_at(range, from + (1 - from) * i / ANCHORS);
        attn_buffer_format(&html->out, "%s[%d,%d,%d]", i > 0 ? "," : "", color.red, color.green, color.blue);
    }
    attn_buffer_byte(&html->out, ']');
}

static attn_status begin_page(attn_html *html, attn_error *error)
{
    if (html->begun)
        return ATTN_OK;
    html->begun = true;
    attn_sink_text(html->writer.sink, page_head);
    attn_buffer_format(&html->out, "<script type=\"application/json\" id=\"meta\">{\"view\":\"%s\",\"report\":\"%s\",",
                       html->view->name, html->writer.schema.report);
    if (html->view->describe != NULL)
        html->view->describe(html);
    attn_buffer_format(&html->out, "\"decimals\":%d,\"shade\":\"%s\",", attn_html_decimals(html),
                       shade_name(html->writer.options.shade));
    put_scale(html, "scale", ATTN_RANGE_UNIT, 0);
    attn_buffer_byte(&html->out, ',');
    put_scale(html, "signed_scale", ATTN_RANGE_SIGNED, -1);
    attn_buffer_text(&html->out, "}</script>\n");
    return attn_html_flush(html, error);
}

/* ---- the writer ---- */

static const attn_html_view *view_of(const attn_schema *schema)
{
    if (schema->shape == ATTN_SHAPE_STEPS)
        return &attn_html_steps;
    return schema->plane ? &attn_html_plane : schema->by_head ? &attn_html_heads : &attn_html_maps;
}

static attn_status open_html(attn_writer *writer, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    html->view = view_of(&writer->schema);
    html->state = attn_calloc_array(1, html->view->state_size);
    if (html->state == NULL)
        return attn_fail_memory(error);
    return html->view->open != NULL ? html->view->open(html, error) : ATTN_OK;
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    attn_status status = html->view->text_begin != NULL ? html->view->text_begin(html, error) : ATTN_OK;
    return status == ATTN_OK ? begin_page(html, error) : status;
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    return html->view->grid(html, row, error);
}

static attn_status put_record(attn_writer *writer, const attn_cell *cells, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    return html->view->record(html, cells, error);
}

static attn_status put_section(attn_writer *writer, const attn_section *section, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    return html->view->section(html, section, error);
}

static attn_status put_steps(attn_writer *writer, const attn_step_table *steps, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    return html->view->steps(html, steps, error);
}

static attn_status put_plane(attn_writer *writer, const attn_plane *plane, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    attn_status status = begin_page(html, error);
    return status == ATTN_OK ? html->view->plane(html, plane, error) : status;
}

static attn_status end_text(attn_writer *writer, attn_error *error)
{
    attn_html *html = (attn_html *)writer;
    const attn_writer_text *text = &writer->text;
    attn_buffer_format(&html->out, "<script type=\"application/json\" class=\"text\">{\"number\":%llu,\"file\":",
                       (unsigned long long)text->number);
    attn_html_label(html, attn_bytes_of(text->file != NULL ? text->file : ""), &html->out);
    attn_buffer_format(&html->out, ",\"line\":%llu", (unsigned long long)text->line);
    attn_status status = html->view->text_end(html, error);
    attn_buffer_text(&html->out, "}</script>\n");
    return status == ATTN_OK ? attn_html_flush(html, error) : status;
}

static attn_status end_page(attn_writer *writer, attn_error *error)
{
    attn_status status = begin_page((attn_html *)writer, error);
    attn_sink_text(writer->sink, page_tail);
    return status;
}

static void close_html(attn_writer *writer)
{
    attn_html *html = (attn_html *)writer;
    if (html->state != NULL && html->view->close != NULL)
        html->view->close(html);
    attn_free(html->state);
    attn_buffer_free(&html->out);
    attn_buffer_free(&html->label);
}

const attn_output attn_output_html = {
    .name = "html",
    .shapes = ATTN_SHAPE_GRID | ATTN_SHAPE_MAPS | ATTN_SHAPE_PLANE | ATTN_SHAPE_STEPS,
    .columns = ATTN_SHAPE_MAPS,
    .shades = ATTN_SHAPE_GRID,
    .binary = true,
    .size = sizeof(attn_html),
    .open = open_html,
    .text_begin = begin_text,
    .grid = put_grid,
    .record = put_record,
    .section = put_section,
    .steps = put_steps,
    .plane = put_plane,
    .text_end = end_text,
    .end = end_page,
    .close = close_html,
};
