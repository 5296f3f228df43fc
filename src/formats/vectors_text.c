/* vectors_text.c: rows of a word and its numbers, with a header (word2vec, fastText's .vec) or without (GloVe). A row
 * is read from the left while it looks as nearly all do, a word without spaces and DIM numbers; any other is read again
 * from the right, which also finds the fault to report. */
#include "config.h"

#include "base/decimal.h"
#include "base/decimal_short.h"
#include "formats/vectors_reader.h"

#include <inttypes.h>
#include <string.h>

/* How much of a GloVe file is looked at to learn its dimension. */
enum { SAMPLE_ROWS = 64, SAMPLE_BYTES = 1 << 20 };

typedef struct text_rows { /* where reading stands */
    vectors_reader *reader;
    size_t at;     /* offset of the next line */
    uint64_t line; /* its number, from 1 */
} text_rows;

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static bool ends_line(uint8_t c)
{
    return c == '\n' || c == '\r';
}

attn_bytes attn_vectors_line(attn_bytes text, size_t at, size_t *next)
{
    const uint8_t *from = text.data + at;
    const uint8_t *feed = at < text.size ? memchr(from, '\n', text.size - at) : NULL;
    size_t size = feed != NULL ? (size_t)(feed - from) : text.size - at;
    *next = at + size + (feed != NULL);
    if (size > 0 && from[size - 1] == '\r')
        size--;
    while (size > 0 && is_blank(from[size - 1]))
        size--;
    return (attn_bytes){from, size};
}

/* The last field of LINE's first *END bytes; *END is then where it begins. */
static attn_bytes last_field(attn_bytes line, size_t *end)
{
    size_t from, to = *end;
    while (to > 0 && is_blank(line.data[to - 1]))
        to--;
    for (from = to; from > 0 && !is_blank(line.data[from - 1]);)
        from--;
    *end = from;
    return (attn_bytes){line.data + from, to - from};
}

static bool is_number(attn_bytes field)
{
    attn_decimal decimal;
    return attn_decimal_scan(field, &decimal) && decimal.used == field.size;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_of(attn_bytes field, const char *lower)
{
    size_t i = 0;
    while (i < field.size && lower[i] != '\0' && (field.data[i] | 0x20) == lower[i])
        i++;
    return i == field.size && lower[i] == '\0';
}

/* What was meant as a number, though it is none here: a decimal comma (6,0), nan, inf, hexadecimal (0x1p3). */
static bool is_meant_as_number(attn_bytes field)
{
    size_t at = 0, commas = 0;
    if (field.size > 0 && (field.data[0] == '-' || field.data[0] == '+'))
        field = (attn_bytes){field.data + 1, field.size - 1};
    if (field.size > 2 && field.data[0] == '0' && (field.data[1] | 0x20) == 'x')
        return true;
    while (at < field.size && (is_digit(field.data[at]) || field.data[at] == ','))
        commas += field.data[at++] == ',';
    if (commas == 1 && at > 2 && at < field.size && (field.data[at] | 0x20) == 'e') /* 1,5e-3 */
        at = field.size;
    return (commas == 1 && at > 2 && at == field.size) || is_word_of(field, "nan") || is_word_of(field, "inf") ||
           is_word_of(field, "infinity");
}

static bool is_number_or_meant(attn_bytes field)
{
    return is_number(field) || is_meant_as_number(field);
}

/* How many numbers LINE ends in, looking at MOST fields; *ALL when there is nothing before them. */
static size_t count_numbers(attn_bytes line, size_t most, bool (*is_one)(attn_bytes field), bool *all)
{
    size_t end = line.size, before = end, count = 0;
    while (count < most && before > 0 && is_one(last_field(line, &before))) {
        end = before;
        count++;
    }
    while (end > 0 && is_blank(line.data[end - 1]))
        end--;
    *all = end == 0;
    return count;
}

bool attn_vectors_is_text_row(attn_bytes text, size_t offset, size_t dim)
{
    size_t next;
    bool all;
    return count_numbers(attn_vectors_line(text, offset, &next), dim, is_number, &all) == dim && !all;
}

/* A word and a number with a comma or semicolon between: vectors, but in a form to be refused. */
static bool is_comma_separated(attn_bytes line)
{
    size_t from = 0, to;
    while (from < line.size && line.data[from] != ',' && line.data[from] != ';')
        from++;
    for (to = ++from; to < line.size && line.data[to] != ',' && line.data[to] != ';';)
        to++;
    return from < line.size && line.data[0] != '[' && line.data[0] != '{' &&
           is_number((attn_bytes){line.data + from, to - from});
}

bool attn_vectors_sniff_text(attn_bytes head)
{
    bool found = false, all;
    for (size_t at = 0, next, n_lines = 0; at < head.size && n_lines < 2; at = next) {
        const attn_bytes line = attn_vectors_line(head, at, &next);
        const size_t count = count_numbers(line, SIZE_MAX, is_number_or_meant, &all);
        for (size_t i = 0; i < line.size; i++)
            if (line.data[i] < ' ' && !is_blank(line.data[i]))
                return false; /* a binary file */
        found = found || count > (all ? 1 : 0) || is_comma_separated(line);
        n_lines += line.size > 0;
    }
    return found;
}

/* Reads a row as nearly all are. Past it, or NULL: it is not one (or too near the end of the text). */
static const uint8_t *usual_row(attn_bytes text, size_t at, size_t dim, float *values /* [dim] */, attn_bytes *word)
{
    const uint8_t *p = text.data + at, *end = text.data + text.size;
    while (p < end && !is_blank(*p) && !ends_line(*p))
        p++;
    *word = (attn_bytes){text.data + at, (size_t)(p - text.data) - at};
    if (word->size == 0)
        return NULL;
    for (size_t i = 0; i < dim; i++) {
        const uint8_t *number;
        if (end - p <= ATTN_DECIMAL_MARGIN || !is_blank(*p))
            return NULL;
        number = attn_decimal_short(++p, &values[i]);
        if (number == NULL) {
            size_t used;
            while (p < end && is_blank(*p))
                p++;
            if (attn_decimal_f32((attn_bytes){p, (size_t)(end - p)}, &values[i], &used) != ATTN_DECIMAL_OK)
                return NULL;
            number = p + used;
        }
        p = number;
    }
    while (p < end && is_blank(*p))
        p++;
    if (p < end && *p == '\r')
        p++;
    return p < end && *p == '\n' ? p + 1 : NULL;
}

static const char not_commas[] = "decimals have a point, and blanks or tabs stand between the fields";

static void fail_number(const text_rows *rows, attn_bytes field)
{
    attn_error *error = rows->reader->error;
    attn_fail_found(error, "a number", "'%.*s'", attn_vectors_shown(field), (const char *)field.data);
    if (rows->line == 1 && !is_meant_as_number(field))
        attn_error_hint(error, "where the first line names the columns, leave it out");
    else if (memchr(field.data, ',', field.size) != NULL)
        attn_error_hint(error, "%s", not_commas);
}

/* Reads any row, or says what is wrong with it. */
static attn_status any_row(const text_rows *rows, attn_bytes line, float *values /* [dim] */, attn_bytes *word)
{
    attn_error *error = rows->reader->error;
    size_t dim = rows->reader->out->dim, end = line.size, used, start = 0;
    for (size_t i = dim; i-- > 0;) {
        attn_bytes field = last_field(line, &end);
        attn_decimal_result result = attn_decimal_f32(field, &values[i], &used);
        if (end == 0) {
            attn_fail(error, ATTN_EDATA, "expected a word and %zu numbers, found %zu fields", dim,
                      dim - i - (field.size == 0));
            return attn_error_line(error, rows->line, 1);
        }
        if (result == ATTN_DECIMAL_NONE || used != field.size)
            fail_number(rows, field);
        else if (result == ATTN_DECIMAL_OVERFLOW)
            attn_fail(error, ATTN_EDATA, "%.*s is too large for a float32", attn_vectors_shown(field),
                      (const char *)field.data);
        else
            continue;
        return attn_error_line(error, rows->line, (uint64_t)end + 1);
    }
    while (end > 0 && is_blank(line.data[end - 1]))
        end--;
    while (start < end && is_blank(line.data[start]))
        start++;
    *word = (attn_bytes){line.data + start, end - start};
    if (word->size == 0 && line.size > 1 && line.data[0] == ' ' && is_blank(line.data[1]))
        *word = (attn_bytes){line.data, 1}; /* the word is a space, and another stands behind it */
    if (word->size == 0) {
        attn_fail(error, ATTN_EDATA, "expected a word before the %zu numbers, found none", dim);
        return attn_error_line(error, rows->line, 1);
    }
    return ATTN_OK;
}

/* The next line that holds something, at rows->at; none at the end of the text. */
static attn_status find_line(text_rows *rows, attn_bytes *line, size_t *next)
{
    vectors_reader *reader = rows->reader;
    for (;;) {
        *line = attn_vectors_line(reader->text, rows->at, next);
        if (line->size > 0)
            return ATTN_OK;
        if (*next > rows->at) {
            rows->at = *next;
            rows->line++;
            continue;
        }
        if (reader->ended)
            return ATTN_OK;
        attn_status status = attn_vectors_more(reader, &rows->at);
        if (status != ATTN_OK)
            return status;
    }
}

/* Reads the next row, over empty lines; *FOUND is false at the end of the text. */
static attn_status next_row(text_rows *rows, size_t most, bool *found)
{
    vectors_reader *reader = rows->reader;
    attn_bytes word, line;
    float *values = attn_vectors_row(reader, most);
    attn_status status = values != NULL ? ATTN_OK : ATTN_ENOMEM;
    size_t next;
    *found = false;
    if (status == ATTN_OK && rows->at >= reader->text.size && !reader->ended)
        status = attn_vectors_more(reader, &rows->at);
    if (status != ATTN_OK)
        return status;
    const uint8_t *past = usual_row(reader->text, rows->at, reader->out->dim, values, &word);
    if (past != NULL) {
        next = (size_t)(past - reader->text.data);
    } else {
        status = find_line(rows, &line, &next);
        if (status != ATTN_OK || line.size == 0)
            return status;
        status = any_row(rows, line, values, &word);
    }
    if (status == ATTN_OK)
        status = attn_vectors_keep(reader, word);
    rows->at = next;
    rows->line++;
    *found = true;
    attn_vectors_report(reader, rows->at);
    return status;
}

attn_status attn_vectors_read_text(vectors_reader *reader)
{
    vectors_header header;
    text_rows rows = {reader, 0, 2};
    attn_vectors_by_lines(reader);
    attn_status status = attn_vectors_read_header(reader, false, &header);
    attn_bytes line;
    size_t next;
    if (status != ATTN_OK)
        return status;
    reader->out->format = "word2vec text";
    reader->out->dim = (size_t)header.dim;
    reader->expected = reader->ended ? (size_t)header.count : 0;
    rows.at = header.end;
    for (uint64_t row = 0; row < header.count; row++) {
        bool found;
        status = next_row(&rows, (size_t)(header.count - row), &found);
        if (status != ATTN_OK)
            return status;
        if (!found) {
            attn_fail(reader->error, ATTN_EDATA, "the header promises %" PRIu64 " words, the file ends after %" PRIu64,
                      header.count, row);
            return attn_error_line(reader->error, rows.line, 1);
        }
    }
    status = find_line(&rows, &line, &next);
    reader->out->has_more = line.size > 0;
    return status;
}

/* The number of numbers that most of the first rows end in, those with a word that is no number preferred (in "1 2 0.5"
 * the word may be "1" or "1 2"); of equals the first. 0: none. What is meant as a number counts as one, so that the row it
 * stands in is refused, and it is not taken into the word. */
static size_t sample_dim(attn_bytes text)
{
    size_t counts[SAMPLE_ROWS], n_rows = 0, best = 0, best_votes = 0, at = 0, next;
    bool all[SAMPLE_ROWS], any_clear = false;
    while (at < text.size && at < SAMPLE_BYTES && n_rows < SAMPLE_ROWS) {
        attn_bytes line = attn_vectors_line(text, at, &next);
        at = next;
        if (line.size == 0)
            continue;
        counts[n_rows] = count_numbers(line, SIZE_MAX, is_number_or_meant, &all[n_rows]);
        if (all[n_rows])
            counts[n_rows]--; /* one must be the word */
        any_clear = any_clear || !all[n_rows];
        n_rows++;
    }
    for (size_t i = 0; i < n_rows; i++) {
        size_t votes = 0;
        for (size_t j = 0; j < n_rows; j++)
            votes += counts[j] == counts[i] && !(any_clear && all[j]);
        if (votes > best_votes && counts[i] > 0) { /* a row of column names ends in none */
            best = counts[i];
            best_votes = votes;
        }
    }
    return best;
}

attn_status attn_vectors_read_glove(vectors_reader *reader)
{
    text_rows rows = {reader, 0, 1};
    bool found = true;
    size_t next;
    attn_vectors_by_lines(reader);
    reader->out->format = "glove";
    reader->out->dim = sample_dim(reader->text);
    if (reader->out->dim == 0) {
        attn_bytes line = attn_vectors_line(reader->text, 0, &next);
        attn_fail_found(reader->error, "word vectors: rows of a word and its numbers", "'%.*s'",
                        attn_vectors_shown(line), (const char *)line.data);
        if (memchr(reader->text.data, ',', reader->text.size < SAMPLE_BYTES ? reader->text.size : SAMPLE_BYTES) != NULL)
            attn_error_hint(reader->error, "%s", not_commas);
        return attn_error_line(reader->error, 1, 1);
    }
    attn_vectors_line(reader->text, 0, &next);
    reader->expected = reader->ended ? reader->text.size / next + reader->text.size / next / 16 : 0;
    while (found) {
        const size_t left = reader->text.size - rows.at;
        const size_t most = reader->ended ? left / (2 * reader->out->dim + 1) + 1 : SIZE_MAX / 2;
        attn_status status = next_row(&rows, most, &found);
        if (status != ATTN_OK)
            return status;
    }
    return ATTN_OK;
}
