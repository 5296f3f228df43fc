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

/* Those of which FITS is true as "tsv, table or json": the one for streams first, for it takes everything. */
static const char *list_formats(bool (*fits)(const attn_output *format, unsigned shape), attn_shape shape,
                                char list[ATTN_FORMAT_LIST_ROOM])
{
    const attn_output *fitting[N_FORMATS];
    size_t n = 0, used = 0;
    for (int streams = 1; streams >= 0; streams--)
        for (size_t i = 0; i < N_FORMATS; i++)
            if (formats[i]->for_stream == (streams == 1) && fits(formats[i], (unsigned)shape))
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

static bool writes(const attn_output *format, unsigned shape)
{
    return (format->shapes & shape) != 0;
}

static bool chooses_columns(const attn_output *format, unsigned shape)
{
    return (format->columns & shape) != 0;
}

static bool writes_texts(const attn_output *format, unsigned shape)
{
    return writes(format, shape) && !format->one_text;
}

const char *attn_other_formats(const attn_writer *writer, char list[ATTN_FORMAT_LIST_ROOM])
{
    return list_formats(writes_texts, writer->schema.shape, list);
}

attn_status attn_output_choose(const attn_output_request *request, const attn_schema *schema, const attn_sink *sink,
                               const attn_output **format, attn_error *error)
{
    const attn_output *found = request->format != NULL ? request->format : default_of(sink);
    const unsigned shape = (unsigned)schema->shape;
    char list[ATTN_FORMAT_LIST_ROOM];
    *format = found;
    if (!writes(found, shape))
        return attn_fail(error, ATTN_EUSAGE, "--print=%s has no --format=%s: use %s", schema->report, found->name,
                         list_formats(writes, schema->shape, list));
    if (request->columns != NULL && !chooses_columns(found, shape))
        return attn_fail(error, ATTN_EUSAGE, "--columns does not apply to --format=%s: use %s", found->name,
                         list_formats(chooses_columns, schema->shape, list));
    if (found->one_array && schema->both)
        return attn_fail(error, ATTN_EUSAGE, "an %s file holds one array: choose --at=before or --at=after",
                         found->name);
    if (found->one_text && schema->several_texts)
        return attn_fail(error, ATTN_EUSAGE, "an %s file holds one text: run attn once for each, or use %s",
                         found->name, list_formats(writes_texts, schema->shape, list));
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
        .color =
            request->color == ATTN_COLOR_ALWAYS || (request->color == ATTN_COLOR_AUTO && attn_sink_is_terminal(sink)),
        .no_header = request->no_header,
    };
}

attn_status attn_writer_open(const attn_output *format, const attn_output_request *request, const attn_schema *schema,
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

/* The format's own status, or else the sink's. */
static attn_status checked(const attn_writer *writer, attn_status status, attn_error *error)
{
    return status != ATTN_OK ? status : attn_sink_status(writer->sink, error);
}

attn_status attn_writer_text_begin(attn_writer *writer, const attn_writer_text *text, attn_error *error)
{
    const attn_output *format = writer->format;
    char list[ATTN_FORMAT_LIST_ROOM];
    if (format->one_text && writer->n_texts > 0)
        return attn_fail(error, ATTN_EUSAGE,
                         "an %s file holds one text, and this is the second: run attn once for each, or use %s",
                         format->name, attn_other_formats(writer, list));
    writer->text = *text;
    writer->n_texts++;
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

attn_status attn_writer_text_end(attn_writer *writer, attn_error *error)
{
    return writer->format->text_end != NULL ? checked(writer, writer->format->text_end(writer, error), error) : ATTN_OK;
}

attn_status attn_writer_end(attn_writer *writer, attn_error *error)
{
    return writer->format->end != NULL ? checked(writer, writer->format->end(writer, error), error) : ATTN_OK;
}

void attn_writer_close(attn_writer *writer)
{
    if (writer == NULL)
        return;
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
