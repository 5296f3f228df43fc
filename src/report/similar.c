/* similar.c: the report `similar`: no attention; each text is one query against the vocabulary.
 *
 *   QUERY = [SIGN] WORD {[SIGN] WORD}, separated by white space
 *   SIGN  = + or - standing alone, for the next word
 *
 * The words' vectors, each divided by its length, are added up (as word2vec's `distance` and
 * `word-analogy` do); the query's own words are left out of the answer. A word that is no token is cut by the tokenizer
 * and its pieces are added. */
#include "config.h"

#include "base/memory.h"
#include "report/neighbors.h"

#include <math.h>

typedef struct state {
    attn_neighbors neighbors;
} state;

typedef struct query { /* being read */
    attn_report *report;
    double *sum;   /* owned; [d_model] */
    float *row;    /* owned; [d_model] */
    uint32_t *ids; /* owned; [n_ids]: the words themselves */
    size_t n_ids, capacity;
    attn_tokens pieces; /* owned; of the word that is being added */
    attn_error unknown; /* about the first unknown word */
    bool any_unknown, any_made;
} query;

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static attn_bytes next_word(attn_bytes *rest)
{
    attn_bytes word;
    while (rest->size > 0 && is_space(*rest->data)) {
        rest->data++;
        rest->size--;
    }
    word = (attn_bytes){rest->data, 0};
    while (word.size < rest->size && !is_space(rest->data[word.size]))
        word.size++;
    rest->data += word.size;
    rest->size -= word.size;
    return word;
}

static void add_unit(query *q, double sign)
{
    const size_t d = q->report->model->d_model;
    double squares = 0;
    for (size_t i = 0; i < d; i++)
        squares += (double)q->row[i] * (double)q->row[i];
    for (size_t i = 0; i < d && squares != 0; i++)
        q->sum[i] += sign * q->row[i] / sqrt(squares); /* NaN somewhere where the word's vector is not finite */
}

/* A word beyond the vocabulary, which is nobody's neighbor. */
static void add_made(query *q, attn_bytes word, double sign)
{
    attn_vectors_compose(q->report->model->vectors, word, q->row);
    q->any_made = true;
    add_unit(q, sign);
}

static attn_status add_row(query *q, uint32_t id, double sign, attn_error *error)
{
    const attn_model *model = q->report->model;
    attn_tensor table = model->embeddings;
    void *ids = q->ids;
    attn_status status = attn_model_has_vector(model, id, error);
    if (status != ATTN_OK)
        return status;
    if (!attn_grow(&ids, &q->capacity, q->n_ids, sizeof *q->ids))
        return attn_fail_memory(error);
    q->ids = ids;
    q->ids[q->n_ids++] = id;
    if (table.data == NULL) { /* one-hot */
        q->sum[id] += sign;
        return ATTN_OK;
    }
    attn_tensor_read(&table, id, 1, 0, model->d_model, q->row, model->d_model);
    add_unit(q, sign);
    return ATTN_OK;
}

/* A word, as one token or in pieces. */
static attn_status add_word(query *q, attn_bytes word, double sign, attn_error *error)
{
    const attn_text *text = q->report->text;
    attn_error unknown;
    attn_status status;
    attn_tokens_clear(&q->pieces);
    status = text->encode_part(text->encode_context, word, &q->pieces, &unknown, error);
    if (status == ATTN_OK && q->pieces.count == 0) {
        if (!q->any_unknown)
            q->unknown = unknown;
        q->any_unknown = true;
    }
    for (size_t i = 0; i < q->pieces.count && status == ATTN_OK; i++) {
        const uint32_t id = q->pieces.items[i].id;
        const attn_bytes made = attn_tokens_made(&q->pieces, q->report->model->tokenizer, id);
        if (made.data != NULL)
            add_made(q, made, sign);
        else
            status = add_row(q, id, sign, error);
    }
    return status;
}

static attn_status read_query(query *q, attn_error *error)
{
    attn_bytes rest = q->report->text->bytes, word;
    double sign = 1;
    const char *pending = NULL; /* the sign that waits for its word */
    attn_status status = ATTN_OK;
    while (status == ATTN_OK && (word = next_word(&rest)).size > 0) {
        bool minus = attn_bytes_are(word, "-");
        if (minus || attn_bytes_are(word, "+")) {
            if (pending != NULL)
                return attn_fail(error, ATTN_EDATA, "expected a word after '%s', found '%s'", pending,
                                 minus ? "-" : "+");
            sign = minus ? -1 : 1;
            pending = minus ? "-" : "+";
            continue;
        }
        status = add_word(q, word, sign, error);
        sign = 1;
        pending = NULL;
    }
    if (status == ATTN_OK && pending != NULL)
        return attn_fail(error, ATTN_EDATA, "expected a word after '%s', found the end of the query", pending);
    return status;
}

/* The query as a label: its words, one space between them. */
static void put_query(attn_bytes text, attn_buffer *out)
{
    attn_bytes word;
    while ((word = next_word(&text)).size > 0) {
        if (out->size > 0)
            attn_buffer_byte(out, ' ');
        attn_put_readable(word, out);
    }
}

static attn_status answer(query *q, attn_bytes label, attn_error *error)
{
    attn_report *report = q->report;
    state *s = report->state;
    const attn_near_rows excluded = {q->ids, q->n_ids};
    attn_status status;
    for (size_t i = 0; i < report->model->d_model; i++)
        q->row[i] = (float)q->sum[i];
    status = attn_neighbors_ask(&s->neighbors, report, q->row, report->model->d_model, 1,
                                report->request.with_self ? NULL : &excluded, error);
    const attn_cell before[] = {attn_cell_label(label)};
    return status == ATTN_OK ? attn_neighbors_records(&s->neighbors, report, 0, before, 1, error) : status;
}

static attn_status print_similar(attn_report *report, attn_error *error)
{
    query q = {.report = report};
    attn_buffer label = {0};
    attn_status status = ATTN_OK;
    q.sum = attn_calloc_array(report->model->d_model, sizeof *q.sum);
    q.row = attn_alloc_array(report->model->d_model, sizeof *q.row);
    put_query(report->text->bytes, &label);
    if (q.sum == NULL || q.row == NULL || label.failed)
        status = attn_fail_memory(error);
    if (status == ATTN_OK)
        status = read_query(&q, error);
    if (status == ATTN_OK && q.n_ids == 0 && !q.any_made && q.any_unknown) {
        status = ATTN_EDATA;
        if (error != NULL)
            *error = q.unknown;
    }
    if (status == ATTN_OK && (q.n_ids > 0 || q.any_made))
        status = answer(&q, attn_buffer_bytes(&label), error);
    attn_free(q.sum);
    attn_free(q.row);
    attn_free(q.ids);
    attn_tokens_free(&q.pieces);
    attn_buffer_free(&label);
    return status;
}

static attn_status open_similar(attn_report *report, attn_error *error)
{
    state *s = report->state;
    (void)error;
    attn_neighbors_init(&s->neighbors, report);
    return ATTN_OK;
}

static void close_similar(attn_report *report)
{
    attn_neighbors_close(&((state *)report->state)->neighbors);
}

const attn_report_kind attn_report_similar = {
    .name = "similar",
    .summary = "each text is a query of words: king - man + woman",
    .columns = "text query rank neighbor similarity",
    .reads = ATTN_READS_TEXT,
    .shape = ATTN_SHAPE_RECORDS,
    .cells = {.with_sign = "similarity"},
    .takes = ATTN_TAKES_TOP | ATTN_TAKES_MIN | ATTN_TAKES_SELF,
    .top = 10,
    .state_size = sizeof(state),
    .open = open_similar,
    .text = print_similar,
    .close = close_similar,
};
