/* vectors_columns.c: attn's own embeddings as TSV: a first line that names the columns, `token` and v0, v1 … at the end
 * among them; of each other line the token and the numbers. A token's tab, newline, return and backslash are escaped
 * there. */
#include "config.h"

#include "base/buffer.h"
#include "base/decimal.h"
#include "formats/vectors_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct columns {
    size_t n, token, dim; /* fields a line; which is the token; how many of the last are numbers */
} columns;

/* The field of LINE at *AT, which then is behind its tab. */
static attn_bytes take_field(attn_bytes line, size_t *at)
{
    const uint8_t *from = line.data + *at;
    const uint8_t *tab = *at < line.size ? memchr(from, '\t', line.size - *at) : NULL;
    const size_t size = tab != NULL ? (size_t)(tab - from) : line.size - *at;
    *at += size + 1;
    return (attn_bytes){from, size};
}

static bool read_columns(attn_bytes line, columns *found)
{
    char name[32];
    bool has_token = false;
    *found = (columns){0};
    for (size_t at = 0; at <= line.size; found->n++) {
        const attn_bytes field = take_field(line, &at);
        snprintf(name, sizeof name, "v%zu", found->dim);
        if (attn_bytes_are(field, name))
            found->dim++;
        else if (found->dim > 0)
            return false;
        if (!has_token && attn_bytes_are(field, "token")) {
            has_token = true;
            found->token = found->n;
        }
    }
    return has_token && found->dim > 0;
}

bool attn_vectors_has_columns(attn_bytes text)
{
    columns found;
    size_t next;
    return read_columns(attn_vectors_line(text, 0, &next), &found);
}

static void unescape(attn_bytes field, attn_buffer *out)
{
    static const char letters[] = "tnr\\", meant[] = "\t\n\r\\";
    out->size = 0;
    for (size_t i = 0; i < field.size; i++) {
        const char *letter = field.data[i] == '\\' && i + 1 < field.size ? strchr(letters, field.data[i + 1]) : NULL;
        if (letter != NULL && *letter != '\0')
            i++;
        attn_buffer_byte(out, letter != NULL && *letter != '\0' ? meant[letter - letters] : (char)field.data[i]);
    }
}

static attn_status read_number(vectors_reader *reader, attn_bytes field, float *value)
{
    size_t used;
    const attn_decimal_result result = attn_decimal_f32(field, value, &used);
    if (result == ATTN_DECIMAL_OK && used == field.size)
        return ATTN_OK;
    return attn_fail_found(reader->error, "a number", "'%.*s'", attn_vectors_shown(field), (const char *)field.data);
}

static attn_status read_row(vectors_reader *reader, const columns *c, attn_bytes line, float *values, attn_buffer *word)
{
    attn_status status = ATTN_OK;
    size_t n = 0;
    for (size_t at = 0; at <= line.size && status == ATTN_OK; n++) {
        const size_t from = at;
        const attn_bytes field = take_field(line, &at);
        if (n == c->token)
            unescape(field, word);
        if (n >= c->n - c->dim && n < c->n)
            status = read_number(reader, field, &values[n - (c->n - c->dim)]);
        if (status != ATTN_OK)
            attn_error_line(reader->error, reader->error != NULL ? reader->error->line : 0, from + 1);
    }
    if (status == ATTN_OK && n != c->n)
        status = attn_fail(reader->error, ATTN_EDATA, "expected %zu fields, as the first line has, found %zu", c->n, n);
    if (status == ATTN_OK && word->failed)
        status = attn_fail_memory(reader->error);
    return status;
}

/* The next line that holds something; *FOUND is false at the end. */
static attn_status next_line(vectors_reader *reader, size_t *at, uint64_t *number, attn_bytes *line, bool *found)
{
    attn_status status = ATTN_OK;
    *found = false;
    while (status == ATTN_OK && !*found) {
        size_t next;
        if (*at >= reader->text.size && reader->ended)
            return ATTN_OK;
        if (*at >= reader->text.size) {
            status = attn_vectors_more(reader, at);
            continue;
        }
        *line = attn_vectors_line(reader->text, *at, &next);
        *found = line->size > 0;
        *at = next;
        ++*number;
    }
    return status;
}

attn_status attn_vectors_read_columns(vectors_reader *reader)
{
    columns c;
    attn_buffer word = {0};
    attn_bytes line;
    size_t at = 0;
    uint64_t number = 0;
    bool found;
    attn_vectors_by_lines(reader);
    reader->out->format = "attn";
    attn_status status = next_line(reader, &at, &number, &line, &found);
    if (status != ATTN_OK || !found || !read_columns(line, &c))
        return status != ATTN_OK ? status : attn_fail(reader->error, ATTN_EDATA, "it names no columns");
    reader->out->dim = c.dim;
    while (status == ATTN_OK) {
        status = next_line(reader, &at, &number, &line, &found);
        if (status != ATTN_OK || !found)
            break;
        float *values = attn_vectors_row(reader, line.size / (2 * c.dim) + (reader->text.size - at) / (2 * c.dim) + 1);
        status = values != NULL ? read_row(reader, &c, line, values, &word) : ATTN_ENOMEM;
        if (status == ATTN_EDATA)
            attn_error_line(reader->error, number, reader->error != NULL ? reader->error->column : 0);
        if (status == ATTN_OK)
            status = attn_vectors_keep(reader, attn_buffer_bytes(&word));
        attn_vectors_report(reader, at);
    }
    attn_buffer_free(&word);
    return status;
}
