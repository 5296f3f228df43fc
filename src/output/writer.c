/* writer.c: the formats by name, which of them a request means, and the one door to them: it checks the sink after
 * each call. */
#include "config.h"

#include "output/output.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ATTN_ROW(name) &attn_output_##name,
static const attn_output *const formats[] = {ATTN_OUTPUTS(ATTN_ROW)};
#undef ATTN_ROW
enum { N_FORMATS = sizeof formats / sizeof *formats };

const attn_output *attn_output_at(size_t index)
{
    return index < N_FORMATS ? formats[index] : NULL;
}

static const attn_output *default_of(const attn_sink *sink)
{
    bool terminal = attn_sink_is_terminal(sink);
    const attn_output *found = formats[0];
    for (size_t i = 0; i < N_FORMATS; i++)
        if (terminal ? formats[i]->for_terminal : formats[i]->for_stream)
            found = formats[i];
    return found;
}

/* As what a format may write rows of SCHEMA, or-ed. */
static unsigned shapes_of(const attn_schema *schema)
{
    return (unsigned)schema->shape | (schema->by_head ? ATTN_SHAPE_MAPS : 0U) | (schema->plane ? ATTN_SHAPE_PLANE : 0U);
}

/* Those of which FITS is true as "tsv, table or json": the one for streams first, for it takes everything. */
static const char *list_formats(bool (*fits)(const attn_output *format, unsigned shapes), unsigned shapes,
                                char list[ATTN_FORMAT_LIST_ROOM])
{
    const attn_output *fitting[N_FORMATS];
    size_t n = 0, used = 0;
    for (int streams = 1; streams >= 0; streams--)
        for (size_t i = 0; i < N_FORMATS; i++)
            if (formats[i]->for_stream == (streams == 1) && fits(formats[i], shapes))
                fitting[n++] = formats[i];
    list[0] = '\0';
    for (size_t i = 0; i < n && used < ATTN_FORMAT_LIST_ROOM; i++)
        used += (size_t)snprintf(list + used, ATTN_FORMAT_LIST_ROOM - used, "%s%s",
                                 i == 0       ? ""
                                 : i + 1 == n ? " or "
                                              : ", ",
                                 fitting[i]->name);
    return list;
}

static bool writes(const attn_output *format, unsigned shapes)
{
    return (format->shapes & shapes) != 0;
}

static bool chooses_columns(const attn_output *format, unsigned shapes)
{
    return (format->columns & shapes) != 0;
}

static bool has_width(const attn_output *format, unsigned shapes)
{
    return (format->widths & shapes) != 0;
}

static bool has_shades(const attn_output *format, unsigned shapes)
{
    return (format->shades & shapes) != 0;
}

static bool draws_as(const attn_output *format, attn_drawing drawing, unsigned shapes)
{
    return writes(format, shapes) && (format->drawings & 1U << drawing) != 0;
}

static bool draws_large(const attn_output *format, unsigned shapes)
{
    return draws_as(format, ATTN_DRAW_LARGE, shapes);
}

static bool draws_lines(const attn_output *format, unsigned shapes)
{
    return draws_as(format, ATTN_DRAW_LINES, shapes);
}

static bool draws_squares(const attn_output *format, unsigned shapes)
{
    return draws_as(format, ATTN_DRAW_SQUARES, shapes);
}

static bool writes_texts(const attn_output *format, unsigned shapes)
{
    return writes(format, shapes) && !format->one_text;
}

const char *attn_other_formats(const attn_writer *writer, char list[ATTN_FORMAT_LIST_ROOM])
{
    return list_formats(writes_texts, shapes_of(&writer->schema), list);
}

/* OPTION means something in formats that are as FITS says, of which FOUND is none. */
static attn_status refuse(const char *option, const attn_output *found, bool (*fits)(const attn_output *, unsigned),
                          unsigned shapes, attn_error *error)
{
    char list[ATTN_FORMAT_LIST_ROOM];
    list_formats(fits, shapes, list);
    return attn_fail(error, ATTN_EUSAGE, "--%s does not apply to --format=%s%s%s", option, found->name,
                     list[0] != '\0' ? ": use " : "", list);
}

/* What does not apply is refused: an option that does nothing would mislead. */
static attn_status check_options(const attn_output_request *request, const attn_output *found, unsigned shapes,
                                 attn_error *error)
{
    static const char *const draw[] = {"", "draw=large", "draw=lines", "draw=squares"};
    static bool (*const draws[])(const attn_output *, unsigned) = {NULL, draws_large, draws_lines, draws_squares};
    if (request->columns != NULL && !chooses_columns(found, shapes))
        return refuse("columns", found, chooses_columns, shapes, error);
    if (request->width != 0 && !has_width(found, shapes))
        return refuse("width", found, has_width, shapes, error);
    if (request->shade != ATTN_SHADE_UNSAID && !has_shades(found, shapes))
        return refuse("shade", found, has_shades, shapes, error);
    if (request->draw != ATTN_DRAW_UNSAID && !draws[request->draw](found, shapes))
        return refuse(draw[request->draw], found, draws[request->draw], shapes, error);
    return ATTN_OK;
}

bool attn_output_draws(const attn_output *format, const attn_schema *schema)
{
    return format != NULL && schema->plane && (format->shapes & ATTN_SHAPE_PLANE) != 0 &&
           (format->shapes & (unsigned)schema->shape) == 0;
}

attn_status attn_output_choose(const attn_output_request *request, const attn_schema *schema, const attn_sink *sink,
                               const attn_output **format, attn_error *error)
{
    const attn_output *found = request->format != NULL ? request->format : default_of(sink);
    const unsigned shapes = shapes_of(schema);
    char list[ATTN_FORMAT_LIST_ROOM];
    *format = found;
    if (!writes(found, shapes))
        return attn_fail(error, ATTN_EUSAGE, "--print=%s has no --format=%s: use %s", schema->report, found->name,
                         list_formats(writes, shapes, list));
    if (check_options(request, found, shapes, error) != ATTN_OK)
        return ATTN_EUSAGE;
    if (found->one_array && schema->both)
        return attn_fail(error, ATTN_EUSAGE, "an %s file holds one array: choose --at=before or --at=after",
                         found->name);
    if (found->one_text && schema->several_texts && !attn_output_draws(found, schema))
        return attn_fail(error, ATTN_EUSAGE, "an %s file holds one text: run attn once for each, or use %s",
                         found->name, list_formats(writes_texts, shapes, list));
    if (found->binary && request->path == NULL && attn_sink_is_terminal(sink))
        return attn_fail(error, ATTN_EUSAGE,
                         "an %s file is nothing for a terminal: use --output=FILE or a pipe (--output=- insists)",
                         found->name);
    return ATTN_OK;
}

static attn_writer_options options_of(const attn_output_request *request, const attn_sink *sink)
{
    return (attn_writer_options){
        .precision = request->precision.given ? (int)request->precision.value : ATTN_SHORTEST,
        .shade = request->shade,
        .draw = request->draw,
        .screen = attn_screen_of(sink, request),
        .no_header = request->no_header,
    };
}

/* The format for what does not fit on a terminal, where FORMAT was not asked for (nor were decimals) and can tell; else
 * NULL. */
static const attn_output *narrow_of(const attn_output *format, const attn_output_request *request,
                                    const attn_schema *schema, const attn_sink *sink)
{
    const unsigned shapes = shapes_of(schema);
    if (request->format != NULL || request->precision.given || format->fits == NULL || !attn_sink_is_terminal(sink))
        return NULL;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i]->for_narrow && writes(formats[i], shapes) &&
            check_options(request, formats[i], shapes, NULL) == ATTN_OK)
            return formats[i];
    return NULL;
}

static attn_status open_one(const attn_output *format, const attn_output_request *request, const attn_schema *schema,
                            attn_sink *sink, attn_writer **writer, attn_error *error)
{
    attn_writer *opened = attn_calloc_array(1, format->size);
    attn_status status = ATTN_OK;
    *writer = NULL;
    if (opened == NULL)
        return attn_fail_memory(error);
    opened->format = format;
    opened->sink = sink;
    opened->schema = *schema;
    opened->options = options_of(request, sink);
    if (format->open != NULL)
        status = format->open(opened, error);
    if (status != ATTN_OK)
        attn_writer_close(opened);
    else
        *writer = opened;
    return status;
}

attn_status attn_writer_open(const attn_output *format, const attn_output_request *request, const attn_schema *schema,
                             attn_sink *sink, attn_writer **writer, attn_error *error)
{
    const attn_output *narrow = narrow_of(format, request, schema, sink);
    attn_status status = open_one(format, request, schema, sink, writer, error);
    if (status != ATTN_OK || narrow == NULL)
        return status;
    status = open_one(narrow, request, schema, sink, &(*writer)->narrow, error);
    if (status != ATTN_OK) {
        attn_writer_close(*writer);
        *writer = NULL;
    }
    return status;
}

/* The format's own status, or else the sink's. */
static attn_status checked(const attn_writer *writer, attn_status status, attn_error *error)
{
    return status != ATTN_OK ? status : attn_sink_status(writer->sink, error);
}

/* Is this the first text of the one that writes it, and not the first of all? */
static bool is_first_beside_the_other(const attn_writer *writer)
{
    const uint64_t of_narrow = writer->narrow != NULL ? writer->narrow->n_texts : 0;
    return writer->n_texts > 0 && (writer->is_narrow ? of_narrow : writer->n_texts - of_narrow) == 0;
}

attn_status attn_writer_text_begin(attn_writer *writer, const attn_writer_text *text, attn_error *error)
{
    const attn_output *format = writer->format;
    char list[ATTN_FORMAT_LIST_ROOM];
    if (format->one_text && writer->n_texts > 0 && !attn_output_draws(format, &writer->schema))
        return attn_fail(error, ATTN_EUSAGE,
                         "an %s file holds one text, and this is the second: run attn once for each, or use %s",
                         format->name, attn_other_formats(writer, list));
    writer->is_narrow = writer->narrow != NULL && !format->fits(writer, text);
    writer->text = *text;
    if (is_first_beside_the_other(writer))
        attn_sink_text(writer->sink, "\n");
    writer->n_texts++;
    if (writer->is_narrow)
        return attn_writer_text_begin(writer->narrow, text, error);
    return format->text_begin != NULL ? checked(writer, format->text_begin(writer, error), error) : ATTN_OK;
}

static void count_not_finite(attn_writer *writer, const float *values, const uint8_t *visible, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]) && (visible == NULL || visible[i] != 0))
            writer->n_not_finite++;
}

uint64_t attn_writer_not_finite(const attn_writer *writer)
{
    return writer->n_not_finite;
}

attn_status attn_writer_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    count_not_finite(writer, row->values, row->visible, writer->text.keys.n);
    if (writer->is_narrow)
        return attn_writer_grid(writer->narrow, row, error);
    return checked(writer, writer->format->grid(writer, row, error), error);
}

attn_status attn_writer_vector(attn_writer *writer, const attn_vector_row *row, attn_error *error)
{
    count_not_finite(writer, row->values, NULL, writer->schema.width);
    return checked(writer, writer->format->vector(writer, row, error), error);
}

attn_status attn_writer_record(attn_writer *writer, const attn_cell *cells, attn_error *error)
{
    for (size_t i = 0; i < writer->schema.n_columns; i++) {
        const attn_column *column = &writer->schema.columns[i];
        if (column->kind == ATTN_COLUMN_CELL && cells[column->cell].type == ATTN_CELL_NUMBER)
            count_not_finite(writer, &cells[column->cell].number, NULL, 1);
    }
    return checked(writer, writer->format->record(writer, cells, error), error);
}

attn_status attn_writer_section(attn_writer *writer, const attn_section *section, attn_error *error)
{
    const attn_output *format = writer->format;
    return format->section != NULL ? checked(writer, format->section(writer, section, error), error) : ATTN_OK;
}

static void count_steps(attn_writer *writer, const attn_step *steps, size_t n, size_t n_rows)
{
    for (size_t i = 0; i < n; i++)
        for (size_t row = 0; row < n_rows && steps[i].name != NULL; row++)
            if (steps[i].present == NULL || steps[i].present[row] != 0)
                count_not_finite(writer, steps[i].values + row * steps[i].width, NULL, steps[i].width);
}

attn_status attn_writer_steps(attn_writer *writer, const attn_step_table *steps, attn_error *error)
{
    count_steps(writer, steps->columns, steps->n_columns, steps->rows.n);
    count_steps(writer, steps->results, steps->n_results, 1);
    return checked(writer, writer->format->steps(writer, steps, error), error);
}

attn_status attn_writer_plane(attn_writer *writer, const attn_plane *plane, attn_error *error)
{
    return checked(writer, writer->format->plane(writer, plane, error), error);
}

attn_status attn_writer_text_end(attn_writer *writer, attn_error *error)
{
    if (writer->is_narrow)
        return attn_writer_text_end(writer->narrow, error);
    return writer->format->text_end != NULL ? checked(writer, writer->format->text_end(writer, error), error) : ATTN_OK;
}

attn_status attn_writer_flush(attn_writer *writer, attn_error *error)
{
    attn_status status = writer->format->flush != NULL ? writer->format->flush(writer, error) : ATTN_OK;
    attn_sink_flush(writer->sink);
    return checked(writer, status, error);
}

attn_status attn_writer_end(attn_writer *writer, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (writer->format->end != NULL)
        status = checked(writer, writer->format->end(writer, error), error);
    return status == ATTN_OK && writer->narrow != NULL ? attn_writer_end(writer->narrow, error) : status;
}

void attn_writer_close(attn_writer *writer)
{
    if (writer == NULL)
        return;
    attn_writer_close(writer->narrow);
    if (writer->format->close != NULL)
        writer->format->close(writer);
    attn_free(writer);
}

attn_cell attn_cell_count(uint64_t count)
{
    return (attn_cell){.type = ATTN_CELL_COUNT, .count = count};
}

attn_cell attn_cell_number(float number)
{
    return (attn_cell){.type = ATTN_CELL_NUMBER, .number = number};
}

attn_cell attn_cell_label(attn_bytes label)
{
    return (attn_cell){.type = ATTN_CELL_LABEL, .label = label};
}
