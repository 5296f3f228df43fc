/* vectors_fasttext.c: fastText's models (.bin): a word's vector is the mean of its own row and those of its n-grams, a
 * word that the model does not know has those of its n-grams. After fastText's sources (dictionary.cc, fasttext.cc,
 * version 0.9.2).
 *
 *   | magic, version i32 | 12 settings i32, f64 | dictionary | quantized u8 | rows i64, columns i64, float32 … | …
 *
 *   dictionary   | entries, words, labels i32 | tokens i64 | pruned i64 | per entry: text, NUL, count i64, kind i8 | */
#include "config.h"

#include "formats/vectors_reader.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    OLDEST = 11,
    NEWEST = 12,
    LEAST_ENTRY = 10, /* bytes of an entry with an empty text */
    KIND_WORD = 0,
    SUPERVISED = 3
};

struct attn_subwords {
    attn_file file;      /* owned: the rows are read from it */
    const uint8_t *rows; /* in the file; [n_rows][dim] float32 */
    size_t n_words, n_buckets, dim;
    uint32_t least, most; /* characters of an n-gram */
    attn_map words;       /* to their rows; owned, the texts in the file */
};

typedef struct model_header {
    uint32_t version, settings[12];
    uint32_t n_entries, n_words, n_labels;
    uint64_t pruned;
    uint8_t quantized;
    uint64_t n_rows, n_columns;
} model_header;

/* Places in `settings`. */
enum { DIM = 0, MODEL = 7, BUCKETS = 8, LEAST = 9, MOST = 10 };

bool attn_vectors_sniff_fasttext(attn_bytes head)
{
    static const uint8_t magic[] = {0xba, 0x16, 0x4f, 0x2f};
    return head.size >= sizeof magic && memcmp(head.data, magic, sizeof magic) == 0;
}

static attn_status damaged(vectors_reader *reader, const attn_cursor *cursor, const char *what)
{
    attn_fail(reader->error, ATTN_EDATA, "the fastText model is damaged: %s", what);
    return attn_error_offset(reader->error, cursor->position);
}

static attn_status read_settings(vectors_reader *reader, attn_cursor *cursor, model_header *header)
{
    bool good = attn_cursor_skip(cursor, 4) && attn_cursor_u32(cursor, &header->version);
    for (size_t i = 0; i < sizeof header->settings / sizeof *header->settings && good; i++)
        good = attn_cursor_u32(cursor, &header->settings[i]);
    if (!good || !attn_cursor_skip(cursor, 8))
        return damaged(reader, cursor, "it ends within its settings");
    if (header->version < OLDEST || header->version > NEWEST)
        return attn_fail(reader->error, ATTN_EUNSUPPORTED,
                         "it is a fastText model of version %" PRIu32 "; attn reads 11 and 12", header->version);
    if (header->version == OLDEST && header->settings[MODEL] == SUPERVISED)
        header->settings[MOST] = 0; /* such models were written without n-grams, whatever they say */
    return ATTN_OK;
}

static attn_status read_counts(vectors_reader *reader, attn_cursor *cursor, model_header *header)
{
    if (!attn_cursor_u32(cursor, &header->n_entries) || !attn_cursor_u32(cursor, &header->n_words) ||
        !attn_cursor_u32(cursor, &header->n_labels) || !attn_cursor_skip(cursor, 8) ||
        !attn_cursor_u64(cursor, &header->pruned))
        return damaged(reader, cursor, "it ends within its dictionary");
    if ((uint64_t)header->n_words + header->n_labels != header->n_entries ||
        header->n_entries > attn_cursor_left(cursor) / LEAST_ENTRY)
        return damaged(reader, cursor, "its dictionary has other counts than it can hold");
    if (header->n_words == 0)
        return attn_fail(reader->error, ATTN_EDATA, "the fastText model holds no words");
    return ATTN_OK;
}

/* Where the words' texts begin is remembered: *ENTRIES is the dictionary as it stands. */
static attn_status skip_entries(vectors_reader *reader, attn_cursor *cursor, const model_header *header,
                                attn_bytes *entries)
{
    const size_t from = cursor->position;
    for (uint32_t i = 0; i < header->n_entries; i++) {
        const uint8_t *text = cursor->bytes.data + cursor->position;
        const size_t left = attn_cursor_left(cursor);
        const uint8_t *end = left > 0 ? memchr(text, 0, left) : NULL;
        if (end == NULL || !attn_cursor_skip(cursor, (uint64_t)(end - text) + 1 + 8 + 1))
            return damaged(reader, cursor, "it ends within its dictionary");
    }
    *entries = (attn_bytes){cursor->bytes.data + from, cursor->position - from};
    return ATTN_OK;
}

static attn_status read_table(vectors_reader *reader, attn_cursor *cursor, model_header *header, attn_bytes *table)
{
    size_t bytes;
    if (!attn_cursor_u8(cursor, &header->quantized))
        return damaged(reader, cursor, "it ends before its rows");
    if (header->quantized != 0 || (header->pruned > 0 && header->pruned <= INT64_MAX)) {
        attn_fail(reader->error, ATTN_EUNSUPPORTED,
                  "it is a quantized fastText model (.ftz), which attn does not read");
        attn_error_hint(reader->error, "give the .bin that it was made of, or its .vec");
        return ATTN_EUNSUPPORTED;
    }
    if (!attn_cursor_u64(cursor, &header->n_rows) || !attn_cursor_u64(cursor, &header->n_columns))
        return damaged(reader, cursor, "it ends before its rows");
    if (header->n_columns == 0 || header->n_columns != header->settings[DIM] ||
        header->n_rows > attn_cursor_left(cursor) || header->n_rows < header->n_words ||
        (header->settings[MOST] > 0 &&
         (header->settings[BUCKETS] == 0 || header->n_rows - header->n_words < header->settings[BUCKETS])))
        return damaged(reader, cursor, "its rows are of another number or width than its settings say");
    if (!attn_multiply((size_t)header->n_rows, (size_t)header->n_columns, &bytes) ||
        !attn_multiply(bytes, sizeof(float), &bytes) || !attn_cursor_take(cursor, bytes, table))
        return damaged(reader, cursor, "it ends within its rows");
    return ATTN_OK;
}

/* N-grams */

typedef struct vector_sum {
    const attn_subwords *s;
    float *sum; /* [dim] */
    size_t n;   /* rows added */
} vector_sum;

static void add_row(vector_sum *v, size_t row)
{
    const uint8_t *from = v->s->rows + row * v->s->dim * sizeof(float);
    for (size_t i = 0; i < v->s->dim; i++)
        v->sum[i] += attn_load_f32(from + i * sizeof(float));
    v->n++;
}

/* FNV-1a of 32 bits, each byte taken with a sign, as fastText does. */
static uint32_t hash(uint32_t so_far, uint8_t byte)
{
    const uint32_t wide = byte < 0x80 ? byte : (uint32_t)byte | 0xffffff00u;
    return (so_far ^ wide) * 16777619u;
}

static bool continues(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* The byte at AT of <WORD>. */
static uint8_t byte_at(attn_bytes word, size_t at)
{
    return at == 0 ? '<' : at <= word.size ? word.data[at - 1] : '>';
}

/* The rows of the n-grams of <WORD> that begin at FROM. */
static void add_ngrams(vector_sum *v, attn_bytes word, size_t from)
{
    const size_t size = word.size + 2;
    uint32_t h = 2166136261u;
    size_t at = from;
    for (uint32_t n = 1; at < size && n <= v->s->most; n++) {
        h = hash(h, byte_at(word, at++));
        while (at < size && continues(byte_at(word, at)))
            h = hash(h, byte_at(word, at++));
        if (n >= v->s->least && !(n == 1 && (from == 0 || at == size)))
            add_row(v, v->s->n_words + h % v->s->n_buckets);
    }
}

bool attn_vectors_compose(const attn_vectors *vectors, attn_bytes word, float *vector)
{
    const attn_subwords *s = vectors->subwords;
    vector_sum v = {.s = s, .sum = vector};
    size_t row;
    memset(vector, 0, vectors->dim * sizeof *vector);
    if (s == NULL)
        return false;
    if (attn_map_find(&s->words, word, &row))
        add_row(&v, row);
    for (size_t from = 0; from < word.size + 2 && s->most > 0 && !attn_bytes_are(word, "</s>"); from++)
        if (!continues(byte_at(word, from)))
            add_ngrams(&v, word, from);
    const float part = v.n > 0 ? 1.0F / (float)v.n : 0;
    for (size_t i = 0; i < vectors->dim; i++)
        vector[i] *= part;
    return v.n > 0;
}

bool attn_vectors_knows(const void *vectors, attn_bytes word)
{
    const attn_subwords *s = ((const attn_vectors *)vectors)->subwords;
    const uint32_t least = s == NULL || s->least < 2 ? 2 : s->least;
    size_t characters = 2, row; /* < and > */
    if (s == NULL)
        return false;
    if (attn_map_find(&s->words, word, &row))
        return true;
    for (size_t i = 0; i < word.size; i++)
        characters += !continues(word.data[i]);
    const bool single = s->least <= 1 && s->most >= 1 && characters > 2;
    return (single || (least <= s->most && characters >= least)) && !attn_bytes_are(word, "</s>");
}

static attn_status keep_words(vectors_reader *reader, attn_bytes entries, const model_header *header)
{
    attn_cursor cursor = attn_cursor_at(entries);
    attn_subwords *s = reader->out->subwords;
    size_t n = 0;
    if (!attn_map_reserve(&s->words, header->n_words))
        return attn_fail_memory(reader->error);
    for (uint32_t i = 0; i < header->n_entries; i++) {
        const attn_bytes text = {entries.data + cursor.position, strlen((const char *)entries.data + cursor.position)};
        attn_cursor_skip(&cursor, text.size + 1 + 8);
        uint8_t kind = 0;
        attn_cursor_u8(&cursor, &kind);
        if (kind != KIND_WORD)
            continue;
        if (n == header->n_words || attn_map_add(&s->words, text, n++) == ATTN_MAP_PRESENT)
            return attn_fail(reader->error, ATTN_EDATA, "the fastText model is damaged: '%.*s' is one word too many",
                             attn_vectors_shown(text), (const char *)text.data);
    }
    return n == header->n_words ? ATTN_OK
                                : attn_fail(reader->error, ATTN_EDATA,
                                            "the fastText model is damaged: it holds fewer words than it says");
}

/* Long words and long n-grams together cost more than reading the file: refused where it is far more. */
static attn_status check_work(vectors_reader *reader)
{
    enum { FOR_A_BYTE = 1024 };
    const attn_subwords *s = reader->out->subwords;
    const double size = (double)reader->text.size, lengths = s->most >= s->least ? 1.0 + s->most - s->least : 0;
    double bytes = 0;
    for (size_t i = 0; i < s->words.count; i++)
        bytes += (double)s->words.entries[i].size + 2;
    if (bytes * lengths * (double)s->dim <= FOR_A_BYTE * size + 0x1p32)
        return ATTN_OK;
    return attn_fail(reader->error, ATTN_EDATA,
                     "the fastText model has n-grams of %" PRIu32 " to %" PRIu32
                     " characters in words that are far too long for it",
                     s->least, s->most);
}

/* Each word's vector, as fastText prints it. */
static attn_status compose_all(vectors_reader *reader)
{
    attn_subwords *s = reader->out->subwords;
    for (size_t i = 0; i < s->words.count; i++) {
        const attn_bytes word = attn_map_key(&s->words.entries[i]);
        float *row = attn_vectors_row(reader, s->words.count - i);
        if (row == NULL)
            return ATTN_ENOMEM;
        attn_vectors_compose(reader->out, word, row);
        attn_status status = attn_vectors_keep(reader, word);
        if (status != ATTN_OK)
            return status;
        if (reader->progress != NULL && i % 4096 == 0)
            reader->progress(reader->context, (double)i / (double)s->words.count);
    }
    return ATTN_OK;
}

attn_status attn_vectors_read_fasttext(vectors_reader *reader)
{
    attn_cursor cursor = attn_cursor_at(reader->text);
    model_header header = {0};
    attn_bytes entries, table;
    if (reader->packed != NULL) {
        attn_fail(reader->error, ATTN_EUNSUPPORTED, "it is a fastText model packed by gzip");
        attn_error_hint(reader->error, "gunzip it first: its rows are read where they are needed");
        return ATTN_EUNSUPPORTED;
    }
    attn_status status = read_settings(reader, &cursor, &header);
    if (status == ATTN_OK)
        status = read_counts(reader, &cursor, &header);
    if (status == ATTN_OK)
        status = skip_entries(reader, &cursor, &header, &entries);
    if (status == ATTN_OK)
        status = read_table(reader, &cursor, &header, &table);
    if (status != ATTN_OK)
        return status;
    attn_subwords *s = attn_calloc_array(1, sizeof *s);
    if (s == NULL)
        return attn_fail_memory(reader->error);
    *s = (attn_subwords){.rows = table.data,
                         .n_words = header.n_words,
                         .n_buckets = header.settings[BUCKETS],
                         .dim = (size_t)header.n_columns,
                         .least = header.settings[LEAST],
                         .most = header.settings[MOST]};
    reader->out->subwords = s;
    reader->out->format = "fasttext";
    reader->out->dim = s->dim;
    reader->expected = s->n_words;
    status = keep_words(reader, entries, &header);
    if (status == ATTN_OK)
        status = check_work(reader);
    return status == ATTN_OK ? compose_all(reader) : status;
}

void attn_subwords_take(attn_subwords *subwords, attn_file *file)
{
    subwords->file = *file;
    *file = (attn_file){0};
}

void attn_subwords_close(attn_subwords *subwords)
{
    if (subwords == NULL)
        return;
    attn_map_free(&subwords->words);
    attn_file_close(&subwords->file);
    attn_free(subwords);
}
