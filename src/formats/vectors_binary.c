/* vectors_binary.c: word2vec's binary format (word2vec.c, -binary 1): a header line, then for each word its bytes, one
 * space and DIM float32; some writers end a row with a line feed, some do not. */
#include "config.h"

#include "formats/vectors_reader.h"
#include "tensor/tensor.h"

#include <inttypes.h>
#include <string.h>

/* The word at the cursor, which then stands behind its space. */
static bool take_word(attn_cursor *cursor, attn_bytes *word)
{
    while (attn_cursor_left(cursor) > 0 && cursor->bytes.data[cursor->position] == '\n')
        attn_cursor_skip(cursor, 1);
    if (attn_cursor_left(cursor) == 0)
        return false;
    const uint8_t *from = cursor->bytes.data + cursor->position;
    const uint8_t *space = memchr(from, ' ', attn_cursor_left(cursor));
    return space != NULL && attn_cursor_take(cursor, (uint64_t)(space - from), word) && attn_cursor_skip(cursor, 1);
}

static attn_status cut_short(vectors_reader *reader, const vectors_header *header, uint64_t row,
                             const attn_cursor *cursor)
{
    attn_fail(reader->error, ATTN_EDATA,
              "the header promises %" PRIu64 " words of %" PRIu64 " numbers, the file ends in word %" PRIu64,
              header->count, header->dim, row + 1);
    return attn_error_offset(reader->error, reader->before + cursor->position);
}

/* A word and its DIM floats; more of the file comes in sight where it must. False: it ends there, or *STATUS. */
static bool take_row(vectors_reader *reader, attn_cursor *cursor, uint64_t dim, attn_bytes *word, attn_bytes *data,
                     attn_status *status)
{
    for (*status = ATTN_OK; *status == ATTN_OK;) {
        attn_cursor row = *cursor;
        if (take_word(&row, word) && attn_cursor_take(&row, dim * sizeof(float), data)) {
            *cursor = row;
            return true;
        }
        if (reader->ended) {
            *cursor = row;
            return false;
        }
        size_t at = cursor->position;
        *status = attn_vectors_more(reader, &at);
        *cursor = attn_cursor_at(reader->text);
    }
    return false;
}

/* Whether anything but line feeds is left. */
static bool has_more(const attn_cursor *cursor)
{
    for (size_t i = cursor->position; i < cursor->bytes.size; i++)
        if (cursor->bytes.data[i] != '\n')
            return true;
    return false;
}

attn_status attn_vectors_read_binary(vectors_reader *reader)
{
    vectors_header header;
    attn_cursor cursor = attn_cursor_at(reader->text);
    attn_status status = attn_vectors_read_header(reader, true, &header);
    if (status != ATTN_OK)
        return status;
    reader->out->format = "word2vec binary";
    reader->out->dim = (size_t)header.dim;
    reader->expected = reader->ended ? (size_t)header.count : 0;
    attn_cursor_skip(&cursor, header.end);
    for (uint64_t row = 0; row < header.count; row++) {
        attn_bytes word, data;
        attn_tensor stored;
        float *values;
        if (!take_row(reader, &cursor, header.dim, &word, &data, &status))
            return status != ATTN_OK ? status : cut_short(reader, &header, row, &cursor);
        values = attn_vectors_row(reader, (size_t)(header.count - row));
        if (values == NULL)
            return ATTN_ENOMEM;
        stored = attn_tensor_make(data.data, ATTN_F32, 1, &reader->out->dim);
        attn_tensor_to_f32(&stored, values);
        status = attn_vectors_keep(reader, word);
        if (status != ATTN_OK)
            return status;
        attn_vectors_report(reader, cursor.position);
    }
    reader->out->has_more = has_more(&cursor);
    while (!reader->ended && status == ATTN_OK && !reader->out->has_more) {
        size_t at = reader->text.size;
        status = attn_vectors_more(reader, &at);
        cursor = attn_cursor_at(reader->text);
        reader->out->has_more = has_more(&cursor);
    }
    return status;
}
