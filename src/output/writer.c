/* writer.c: the table of formats, and the one door to them: it checks the sink after each call. */
#include "config.h"

#include "output/writer.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "output/output.h"

#include <math.h>
#include <string.h>

static const attn_output *const formats[] = {&attn_output_table, &attn_output_tsv, &attn_output_matrix,
                                             &attn_output_json, &attn_output_npy};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const char *attn_output_at(size_t index)
{
    return index < N_FORMATS ? formats[index]->name : NULL;
}

static const attn_output *find(const char *name)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

unsigned attn_output_shapes(const char *name)
{
    const attn_output *format = find(name);
    return format != NULL ? format->shapes : 0;
}

static attn_status unknown_format(const char *name, attn_error *error)
{
    const char *near = attn_suggest(name, attn_output_at);
    attn_fail(error, ATTN_EUSAGE, "there is no format '%s'", name);
    return near != NULL ? attn_error_hint(error, "did you mean '%s'?", near) : ATTN_EUSAGE;
}

attn_status attn_writer_open(const char *format, const attn_schema *schema, const attn_writer_options *options,
                             attn_sink *sink, attn_writer **writer, attn_error *error)
{
    const attn_output *found = find(format);
    attn_writer *opened;
    attn_status status = ATTN_OK;
    *writer = NULL;
    if (found == NULL) {
        unknown_format(format, error);
        return ATTN_EUSAGE;
    }
    if ((found->shapes & (unsigned)schema->shape) == 0)
        return attn_fail(error, ATTN_EUSAGE, "this report can not be written as '%s': try tsv or json", format);
    opened = attn_calloc_array(1, found->size);
    if (opened == NULL)
        return attn_fail_memory(error);
    opened->format = found;
    opened->sink = sink;
    opened->schema = *schema;
    opened->options = *options;
    if (found->open != NULL)
        status = found->open(opened, error);
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
    writer->text = *text;
    return writer->format->text_begin != NULL ? checked(writer, writer->format->text_begin(writer, error), error)
                                              : ATTN_OK;
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
    return (attn_cell){ATTN_CELL_COUNT, count, 0, {NULL, 0}};
}

attn_cell attn_cell_number(float number)
{
    return (attn_cell){ATTN_CELL_NUMBER, 0, number, {NULL, 0}};
}

attn_cell attn_cell_label(attn_bytes label)
{
    return (attn_cell){ATTN_CELL_LABEL, 0, 0, label};
}
