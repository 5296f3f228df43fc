/* svg.c: pictures for papers, slides and a README, as SVG 1.1 without script: which drawing it is, and the page around
 * it. The page begins with its size, so the drawing is held back to the end. */
#include "config.h"

#include "base/memory.h"
#include "output/svg.h"

#include <math.h>

enum { MARGIN = 12 };

static const attn_svg_drawing *drawing_for(const attn_writer *writer)
{
    if (writer->schema.shape == ATTN_SHAPE_GRID)
        return writer->options.draw == ATTN_DRAW_LINES ? &attn_svg_lines : &attn_svg_maps;
    return writer->schema.plane ? &attn_svg_plane : &attn_svg_heads;
}

static attn_status open_svg(attn_writer *writer, attn_error *error)
{
    attn_svg *svg = (attn_svg *)writer;
    svg->drawing = drawing_for(writer);
    svg->state = attn_calloc_array(1, svg->drawing->size);
    if (svg->state == NULL)
        return attn_fail_memory(error);
    return svg->drawing->open != NULL ? svg->drawing->open(svg, error) : ATTN_OK;
}

static attn_status checked(const attn_svg *svg, attn_status status, attn_error *error)
{
    if (status == ATTN_OK && (svg->body.failed || svg->about.failed || svg->file.failed))
        return attn_fail_memory(error);
    return status;
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    attn_svg *svg = (attn_svg *)writer;
    if (writer->n_texts == 1 && writer->text.file != NULL)
        attn_escape_xml(attn_bytes_of(writer->text.file), &svg->file);
    return svg->drawing->text_begin != NULL ? checked(svg, svg->drawing->text_begin(svg, error), error) : ATTN_OK;
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    attn_svg *svg = (attn_svg *)writer;
    return checked(svg, svg->drawing->grid(svg, row, error), error);
}

static attn_status put_record(attn_writer *writer, const attn_cell *cells, attn_error *error)
{
    attn_svg *svg = (attn_svg *)writer;
    return checked(svg, svg->drawing->record(svg, cells, error), error);
}

static attn_status put_plane(attn_writer *writer, const attn_plane *plane, attn_error *error)
{
    attn_svg *svg = (attn_svg *)writer;
    return checked(svg, svg->drawing->plane(svg, plane, error), error);
}

static attn_status end_text(attn_writer *writer, attn_error *error)
{
    attn_svg *svg = (attn_svg *)writer;
    return svg->drawing->text_end != NULL ? checked(svg, svg->drawing->text_end(svg, error), error) : ATTN_OK;
}

/* What of the picture's colors changes on a dark page. */
static const char style[] =
    "<style>\n"
    ".attn{color:#222;color-scheme:light dark}.attn .paper{fill:#fff}.attn image{image-rendering:pixelated}\n"
    "@media(prefers-color-scheme:dark){.attn{color:#ddd}.attn .paper{fill:#181818}.attn .pull{stroke:#56b4e9}}\n"
    "</style>\n";

static void put_head(const attn_svg *svg, attn_buffer *out)
{
    const double width = ceil(svg->width) + 2 * MARGIN, height = ceil(svg->height) + 2 * MARGIN;
    attn_buffer_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"attn\" role=\"img\"");
    attn_svg_length(out, "width", width);
    attn_svg_length(out, "height", height);
    attn_buffer_text(out, " viewBox=\"0 0 ");
    attn_svg_coordinate(out, width);
    attn_buffer_byte(out, ' ');
    attn_svg_coordinate(out, height);
    attn_buffer_format(out, "\" font-family=\"sans-serif\" font-size=\"%d\">\n<title>%s", ATTN_SVG_FONT,
                       svg->writer.schema.report);
    if (svg->file.size > 0) {
        attn_buffer_text(out, " of ");
        attn_buffer_put(out, svg->file.data, svg->file.size);
    }
    attn_buffer_text(out, "</title>\n<desc>");
    attn_buffer_put(out, svg->about.data, svg->about.size);
    attn_buffer_format(out, "</desc>\n%s<rect class=\"paper\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                       style);
    attn_buffer_format(out, "<g transform=\"translate(%d %d)\" fill=\"currentColor\">\n", MARGIN, MARGIN);
}

static attn_status end_svg(attn_writer *writer, attn_error *error)
{
    attn_svg *svg = (attn_svg *)writer;
    attn_buffer head = {0};
    put_head(svg, &head);
    const attn_status status = head.failed ? attn_fail_memory(error) : ATTN_OK;
    if (status == ATTN_OK) {
        attn_sink_put(writer->sink, head.data, head.size);
        attn_sink_put(writer->sink, svg->body.data, svg->body.size);
        attn_sink_text(writer->sink, "</g>\n</svg>\n");
    }
    attn_buffer_free(&head);
    return status;
}

static void close_svg(attn_writer *writer)
{
    attn_svg *svg = (attn_svg *)writer;
    if (svg->state != NULL && svg->drawing->close != NULL)
        svg->drawing->close(svg);
    attn_free(svg->state);
    attn_buffer_free(&svg->body);
    attn_buffer_free(&svg->about);
    attn_buffer_free(&svg->file);
}

const attn_output attn_output_svg = {
    .name = "svg",
    .shapes = ATTN_SHAPE_GRID | ATTN_SHAPE_MAPS | ATTN_SHAPE_PLANE,
    .columns = ATTN_SHAPE_MAPS,
    .shades = ATTN_SHAPE_GRID | ATTN_SHAPE_MAPS,
    .drawings = 1U << ATTN_DRAW_LARGE | 1U << ATTN_DRAW_LINES | 1U << ATTN_DRAW_SQUARES,
    .one_text = true,
    .binary = true,
    .size = sizeof(attn_svg),
    .open = open_svg,
    .text_begin = begin_text,
    .grid = put_grid,
    .record = put_record,
    .plane = put_plane,
    .text_end = end_text,
    .end = end_svg,
    .close = close_svg,
};
