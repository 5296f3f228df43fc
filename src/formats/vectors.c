/* vectors.c: see vectors.h. Tells the formats apart, keeps words and rows; the formats themselves are read in
 * vectors_text.c, vectors_binary.c and vectors_json.c. Used by load/; knows nothing of vocabularies. */
#include "config.h"

#include "base/decimal.h"
#include "base/gunzip.h"
#include "formats/vectors_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_STEP = 1 << 23, SNIFFED = 1 << 16, MOST_SNIFFED = 1 << 20, SHOWN = 40 };

float *attn_vectors_row(vectors_reader *reader, size_t most)
{
    attn_vectors *out = reader->out;
    if (out->n_words == reader->row_capacity) {
        size_t wanted = reader->row_capacity + reader->row_capacity / 2 + 16, row_bytes;
        float *grown = NULL;
        if (wanted < reader->expected)
            wanted = reader->expected;
        if (wanted > out->n_words + most)
            wanted = out->n_words + most;
        if (attn_multiply(out->dim, sizeof *grown, &row_bytes))
            grown = attn_realloc_array(out->values, wanted, row_bytes);
        if (grown == NULL) {
            attn_fail_memory(reader->error);
            return NULL;
        }
        attn_large_pages(grown, wanted * row_bytes);
        out->values = grown;
        reader->row_capacity = wanted;
    }
    return out->values + out->n_words * out->dim;
}

int attn_vectors_shown(attn_bytes word)
{
    return word.size < SHOWN ? (int)word.size : SHOWN;
}

attn_status attn_vectors_keep(vectors_reader *reader, attn_bytes word)
{
    attn_vectors *out = reader->out;
    void *words = out->words;
    switch (attn_map_add(&reader->seen, word, out->n_words)) {
    case ATTN_MAP_NOMEM:
        return attn_fail_memory(reader->error);
    case ATTN_MAP_PRESENT:
        if (out->n_duplicates++ == 0)
            snprintf(out->duplicate, sizeof out->duplicate, "%.*s", (int)word.size, (const char *)word.data);
        return ATTN_OK;
    case ATTN_MAP_ADDED:
        break;
    }
    char *copy = attn_arena_text(&out->arena, (const char *)word.data, word.size);
    if (copy == NULL || !attn_grow(&words, &reader->word_capacity, out->n_words, sizeof *out->words))
        return attn_fail_memory(reader->error);
    out->words = words;
    out->words[out->n_words++] = (attn_bytes){(const uint8_t *)copy, word.size};
    return ATTN_OK;
}

void attn_vectors_report(vectors_reader *reader, size_t offset)
{
    const size_t read = reader->before + offset;
    if (read - reader->reported < REPORT_STEP)
        return;
    if (reader->packed == NULL)
        attn_file_release(reader->file, reader->reported, read);
    reader->reported = read;
    if (reader->progress != NULL)
        reader->progress(reader->context, attn_vectors_fraction(reader, offset));
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* The field of LINE at *AT, blanks before it passed over. */
static attn_bytes next_field(attn_bytes line, size_t *at)
{
    while (*at < line.size && is_blank(line.data[*at]))
        (*at)++;
    size_t from = *at;
    while (*at < line.size && !is_blank(line.data[*at]))
        (*at)++;
    return (attn_bytes){line.data + from, *at - from};
}

/* The first line without its end; *END is where the next begins. */
static attn_bytes first_line(attn_bytes text, size_t *end)
{
    const uint8_t *feed = text.size > 0 ? memchr(text.data, '\n', text.size) : NULL;
    size_t size = feed != NULL ? (size_t)(feed - text.data) : text.size;
    *end = feed != NULL ? size + 1 : size;
    if (size > 0 && text.data[size - 1] == '\r')
        size--;
    return (attn_bytes){text.data, size};
}

static bool is_whole_number(attn_bytes field)
{
    size_t at = field.size > 0 && field.data[0] == '-';
    if (at == field.size)
        return false;
    for (; at < field.size; at++)
        if (field.data[at] < '0' || field.data[at] > '9')
            return false;
    return true;
}

/* A word2vec header at the beginning of TEXT: two whole numbers (of any sign and size) alone on a line. */
static bool has_header(attn_bytes text)
{
    size_t end, at = 0;
    attn_bytes line = first_line(text, &end);
    return is_whole_number(next_field(line, &at)) && is_whole_number(next_field(line, &at)) &&
           next_field(line, &at).size == 0;
}

attn_status attn_vectors_read_header(vectors_reader *reader, bool binary, vectors_header *header)
{
    size_t at = 0, row_bytes, total;
    attn_bytes line = first_line(reader->text, &header->end);
    attn_bytes count = next_field(line, &at), dim = next_field(line, &at);
    if (!attn_decimal_u64(count, UINT64_MAX, &header->count) || !attn_decimal_u64(dim, UINT64_MAX, &header->dim)) {
        attn_fail_found(reader->error, "a header of two whole numbers, how many words and how many numbers each",
                        "'%.*s'", attn_vectors_shown(line), (const char *)line.data);
        return attn_error_line(reader->error, 1, 1);
    }
    size_t left = reader->text.size - header->end;
    if (header->count == 0 || header->dim == 0) {
        attn_fail(reader->error, ATTN_EDATA,
                  "the header promises %" PRIu64 " words of %" PRIu64 " numbers: nothing to read", header->count,
                  header->dim);
        return attn_error_line(reader->error, 1, 1);
    }
    /* a text row takes a letter, and a blank and a digit a number; a binary one a letter, a space, floats */
    if (header->dim > SIZE_MAX || header->count > SIZE_MAX ||
        !attn_multiply((size_t)header->dim, binary ? sizeof(float) : 2, &row_bytes) ||
        !attn_add(row_bytes, binary ? 2 : 1, &row_bytes) || !attn_multiply(row_bytes, (size_t)header->count, &total) ||
        (total > left && reader->ended)) {
        attn_fail(reader->error, ATTN_EDATA,
                  "the header promises %" PRIu64 " words of %" PRIu64
                  " numbers, more than the %zu bytes behind it can hold",
                  header->count, header->dim, left);
        return attn_error_line(reader->error, 1, 1);
    }
    return ATTN_OK;
}

/* Whether the rows behind a header are binary. */
static bool is_binary(attn_bytes text)
{
    size_t at = 0, end;
    attn_bytes line = first_line(text, &end);
    uint64_t dim;
    next_field(line, &at);
    if (attn_decimal_u64(next_field(line, &at), SIZE_MAX, &dim) && attn_vectors_is_text_row(text, end, (size_t)dim))
        return false;
    for (size_t i = end; i < text.size && i - end < SNIFFED; i++)
        if (text.data[i] < ' ' && text.data[i] != '\n' && text.data[i] != '\r' && text.data[i] != '\t')
            return true;
    return false;
}

static bool sniff_packed(attn_bytes head)
{
    uint8_t text[SNIFFED];
    attn_gunzip *gunzip;
    attn_error error;
    size_t size = 0;
    if (attn_gunzip_open(head, &gunzip, &error) != ATTN_OK)
        return true; /* opening it says so */
    attn_gunzip_read(gunzip, text, sizeof text, &size, &error);
    attn_gunzip_close(gunzip);
    return !attn_is_gzip((attn_bytes){text, size}) && attn_vectors_sniff((attn_bytes){text, size});
}

bool attn_vectors_sniff(attn_bytes head)
{
    if (attn_is_gzip(head))
        return sniff_packed(head);
    attn_bytes text = attn_bytes_without_bom(head);
    if (text.size > MOST_SNIFFED)
        text.size = MOST_SNIFFED;
    return attn_vectors_sniff_fasttext(text) || has_header(text) || attn_vectors_sniff_json(text) ||
           attn_vectors_sniff_text(text);
}

static attn_status read_any(vectors_reader *reader)
{
    if (attn_vectors_sniff_fasttext(reader->text))
        return attn_vectors_read_fasttext(reader);
    if (attn_vectors_sniff_json(reader->text)) {
        attn_status status = attn_vectors_all(reader);
        return status == ATTN_OK ? attn_vectors_read_json(reader) : status;
    }
    if (attn_vectors_has_columns(reader->text))
        return attn_vectors_read_columns(reader);
    if (!has_header(reader->text))
        return attn_vectors_read_glove(reader);
    return is_binary(reader->text) ? attn_vectors_read_binary(reader) : attn_vectors_read_text(reader);
}

/* As fastText's nn and attn's own lists without a header are: four rows or more. */
static bool is_falling(const attn_vectors *vectors)
{
    enum { LEAST_ROWS = 4 };
    if (vectors->dim != 1 || vectors->n_words < LEAST_ROWS)
        return false;
    for (size_t i = 0; i < vectors->n_words; i++)
        if (!(vectors->values[i] >= -1.0F && vectors->values[i] <= (i == 0 ? 1.0F : vectors->values[i - 1])))
            return false;
    return true;
}

static bool holds(attn_bytes text, const char *part)
{
    const size_t size = strlen(part);
    for (size_t i = 0; i + size <= text.size; i++)
        if (memcmp(text.data + i, part, size) == 0)
            return true;
    return false;
}

attn_status attn_vectors_refuse_neighbors(attn_bytes head, attn_error *error)
{
    static const struct {
        const char *part, *whose;
    } lists[] = {{"\tneighbor\tsimilarity", "attn"},
                 {"Cosine distance", "word2vec's distance"},
                 {"Query word?", "fastText's nn"},
                 {"Query triplet (A - B + C)?", "fastText's analogies"}};
    if (head.size > 1024)
        head.size = 1024;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (holds(head, lists[i].part)) {
            attn_fail(error, ATTN_EDATA, "a list of neighbors, as %s prints it, and no vectors", lists[i].whose);
            attn_error_hint(error, "-e takes the file of vectors that the list was made from");
            return ATTN_EDATA;
        }
    return ATTN_OK;
}

/* Gives back what growing took too much. */
static void fit(attn_vectors *vectors)
{
    float *values = attn_realloc_array(vectors->values, vectors->n_words, vectors->dim * sizeof *values);
    attn_bytes *words = attn_realloc_array(vectors->words, vectors->n_words, sizeof *words);
    if (values != NULL)
        vectors->values = values;
    if (words != NULL)
        vectors->words = words;
}

attn_status attn_vectors_take(attn_file *file, attn_vectors *vectors, attn_progress *progress, void *context,
                              attn_error *error)
{
    attn_error own; /* the readers have one, whoever asks */
    vectors_reader reader = {
        .file = file, .out = vectors, .progress = progress, .context = context, .error = error != NULL ? error : &own};
    *vectors = (attn_vectors){0};
    attn_status status = attn_vectors_window_open(&reader);
    if (status == ATTN_OK)
        status = attn_vectors_refuse_neighbors(reader.text, error);
    if (status == ATTN_OK)
        status = read_any(&reader);
    if (status == ATTN_OK && vectors->n_words == 0)
        status = attn_fail(error, ATTN_EDATA, "the file holds no word vectors");
    if (status == ATTN_OK) {
        fit(vectors);
        vectors->falling = is_falling(vectors);
    } else
        attn_vectors_close(vectors);
    if (status != ATTN_OK)
        attn_error_file(error, file->name);
    else if (progress != NULL)
        progress(context, 1);
    attn_map_free(&reader.seen);
    attn_vectors_window_close(&reader);
    if (vectors->subwords != NULL)
        attn_subwords_take(vectors->subwords, file);
    attn_file_close(file);
    return status;
}

void attn_vectors_close(attn_vectors *vectors)
{
    attn_free(vectors->words);
    attn_free(vectors->values);
    attn_subwords_close(vectors->subwords);
    attn_arena_free(&vectors->arena);
    *vectors = (attn_vectors){0};
}
