/* cells.c: the cells that formats write alike: counts, numbers, the columns that name a row's
 * place. */
#include "config.h"

#include "output/output.h"

#include <string.h>

void attn_buffer_count(attn_buffer *buffer, uint64_t count)
{
    char text[ATTN_NUMBER_ROOM];
    attn_buffer_put(buffer, text, attn_number_u64(count, text));
}

void attn_buffer_number(attn_buffer *buffer, float number, int precision)
{
    char text[ATTN_NUMBER_ROOM];
    attn_buffer_put(buffer, text, attn_number_f32(number, precision, text));
}

void attn_put_numbers(const attn_writer *writer, const float *values, const uint8_t *visible, size_t n, char separator,
                      const char *masked)
{
    enum { BATCH = 256 };
    size_t masked_size = strlen(masked);
    for (size_t from = 0, to; from < n; from = to) {
        char *room = attn_sink_room(writer->sink, BATCH * (ATTN_NUMBER_ROOM + 1)), *at = room;
        bool seen = visible == NULL || visible[from] != 0;
        for (to = from + 1; to < n && to - from < BATCH && (visible == NULL || (visible[to] != 0) == seen); to++)
            ;
        if (seen) {
            at += attn_numbers_f32(values + from, to - from, writer->options.precision, separator, at);
        } else {
            for (size_t i = from; i < to; i++) {
                *at++ = separator;
                memcpy(at, masked, masked_size);
                at += masked_size;
            }
        }
        attn_sink_advance(writer->sink, (size_t)(at - room));
    }
}

void attn_put_head(size_t head, attn_buffer *out)
{
    if (head == ATTN_HEAD_MEAN)
        attn_buffer_text(out, "mean");
    else if (head != ATTN_HEAD_NONE)
        attn_buffer_count(out, head);
}

void attn_put_text_title(const attn_writer *writer, attn_buffer *out)
{
    const attn_writer_text *text = &writer->text;
    attn_buffer_text(out, "text ");
    attn_buffer_count(out, text->number);
    if (text->file == NULL || text->file[0] == '\0')
        return;
    attn_buffer_text(out, " (");
    attn_escape_table(attn_bytes_of(text->file), out);
    if (text->line != 0) {
        attn_buffer_text(out, ":");
        attn_buffer_count(out, text->line);
    }
    attn_buffer_text(out, ")");
}

bool attn_put_place(const attn_writer *writer, attn_column_kind kind, const attn_row_place *place, attn_buffer *out)
{
    const attn_writer_text *text = &writer->text;
    switch (kind) {
    case ATTN_COLUMN_TEXT:
        attn_buffer_count(out, text->number);
        return true;
    case ATTN_COLUMN_FILE:
        attn_escape_tsv(attn_bytes_of(text->file != NULL ? text->file : ""), out);
        return true;
    case ATTN_COLUMN_LINE:
        if (text->line != 0)
            attn_buffer_count(out, text->line);
        return true;
    case ATTN_COLUMN_LAYER:
        attn_buffer_count(out, place->layer);
        return true;
    case ATTN_COLUMN_HEAD:
        attn_put_head(place->head, out);
        return true;
    case ATTN_COLUMN_AT:
        attn_buffer_text(out, place->after ? "after" : "before");
        return true;
    case ATTN_COLUMN_QUERY:
        attn_buffer_count(out, place->position);
        return true;
    default:
        return false;
    }
}
