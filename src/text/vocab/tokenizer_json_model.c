/* tokenizer_json_model.c: the "model" of a tokenizer.json: vocabulary and merges stream by,
 * whatever the order of the keys; no tree is made of them. Called by tokenizer_json.c. */
#include "config.h"

#include "text/vocab/tokenizer_json.h"
#include "text/vocab/vocab_list.h"

#include <stdio.h>
#include <string.h>

typedef struct model {
    attn_tokenizer_json *file;
    attn_bytes (*merges)[2]; /* owned; [n_merges] */
    size_t n_merges, merge_capacity;
    attn_bytes *tokens; /* owned; [n_tokens]: Unigram's */
    double *scores;     /* owned; likewise */
    size_t n_tokens, token_capacity, score_capacity;
    const char *type; /* "" until it is known */
    bool has_merges, has_limit;
} model;

static bool out_of_memory(model *m)
{
    attn_fail_memory(m->file->error);
    return false;
}

static bool copy_string(model *m, attn_bytes *value)
{
    char *copy;
    if (!attn_json_string(m->file->json, value))
        return false;
    copy = attn_arena_text(m->file->arena, (const char *)value->data, value->size);
    value->data = (const uint8_t *)copy;
    return copy != NULL || out_of_memory(m);
}

/* A string, or NULL for null. */
static bool read_text(model *m, const char **text)
{
    attn_bytes value;
    *text = NULL;
    if (attn_json_peek(m->file->json) == ATTN_JSON_NULL)
        return attn_json_null(m->file->json);
    if (!copy_string(m, &value))
        return false;
    *text = (const char *)value.data;
    return true;
}

static bool read_switch(model *m, bool *value)
{
    *value = false;
    if (attn_json_peek(m->file->json) == ATTN_JSON_NULL)
        return attn_json_null(m->file->json);
    return attn_json_bool(m->file->json, value);
}

/* ---- vocabulary ---- */

static bool read_scored(model *m)
{
    attn_json *json = m->file->json;
    void *tokens = m->tokens, *scores = m->scores;
    size_t n = 0;
    if (!attn_grow(&tokens, &m->token_capacity, m->n_tokens, sizeof *m->tokens))
        return out_of_memory(m);
    m->tokens = tokens;
    if (!attn_grow(&scores, &m->score_capacity, m->n_tokens, sizeof *m->scores))
        return out_of_memory(m);
    m->scores = scores;
    if (!attn_json_array(json))
        return false;
    for (; attn_json_element(json); n++)
        if (n == 0   ? !copy_string(m, &m->tokens[m->n_tokens])
            : n == 1 ? !attn_json_f64(json, &m->scores[m->n_tokens])
                     : !attn_json_skip(json))
            break;
    if (attn_json_status(json) == ATTN_OK && n != 2)
        attn_json_fail(json, "expected a token and its score, found %zu values", n);
    m->n_tokens++;
    return attn_json_status(json) == ATTN_OK;
}

/* [["token", score], …] */
static bool read_scored_vocabulary(model *m)
{
    attn_tokenizer_spec *spec = m->file->spec;
    attn_bytes *tokens;
    double *scores;
    if (!attn_json_array(m->file->json))
        return false;
    while (attn_json_element(m->file->json))
        if (!read_scored(m))
            return false;
    tokens = attn_arena_alloc(m->file->arena, m->n_tokens, sizeof *tokens);
    scores = attn_arena_alloc(m->file->arena, m->n_tokens, sizeof *scores);
    if (tokens == NULL || scores == NULL)
        return out_of_memory(m);
    if (m->n_tokens > 0) {
        memcpy(tokens, m->tokens, m->n_tokens * sizeof *tokens);
        memcpy(scores, m->scores, m->n_tokens * sizeof *scores);
    }
    spec->tokens = tokens;
    spec->double_scores = scores;
    spec->n_tokens = m->n_tokens;
    return attn_json_status(m->file->json) == ATTN_OK;
}

static bool read_vocabulary(model *m)
{
    if (attn_json_peek(m->file->json) == ATTN_JSON_ARRAY)
        return read_scored_vocabulary(m);
    return attn_read_vocab_object(m->file->json, m->file->arena, m->file->spec, m->file->error) == ATTN_OK;
}

/* ---- merges ---- */

static bool read_pair(model *m, attn_bytes parts[2])
{
    attn_json *json = m->file->json;
    size_t n = 0;
    if (!attn_json_array(json))
        return false;
    for (; attn_json_element(json); n++)
        if (n < 2 ? !copy_string(m, &parts[n]) : !attn_json_skip(json))
            break;
    if (attn_json_status(json) == ATTN_OK && n != 2)
        attn_json_fail(json, "expected a merge of two tokens, found %zu", n);
    return attn_json_status(json) == ATTN_OK;
}

/* "left right" or ["left", "right"]. */
static bool read_merge(model *m)
{
    attn_bytes *parts, line;
    void *merges = m->merges;
    if (!attn_grow(&merges, &m->merge_capacity, m->n_merges, sizeof *m->merges))
        return out_of_memory(m);
    m->merges = merges;
    parts = m->merges[m->n_merges++];
    if (attn_json_peek(m->file->json) == ATTN_JSON_ARRAY)
        return read_pair(m, parts);
    if (!copy_string(m, &line))
        return false;
    if (!attn_merge_parse(line, parts))
        attn_json_fail(m->file->json, "expected two tokens with one space between them, found '%.*s'",
                       (int)(line.size < 64 ? line.size : 64), (const char *)line.data);
    return attn_json_status(m->file->json) == ATTN_OK;
}

static bool read_merges(model *m)
{
    attn_bytes(*merges)[2];
    m->has_merges = true;
    if (!attn_json_array(m->file->json))
        return false;
    while (attn_json_element(m->file->json))
        if (!read_merge(m))
            return false;
    merges = attn_arena_alloc(m->file->arena, m->n_merges, sizeof *merges);
    if (merges == NULL)
        return out_of_memory(m);
    if (m->n_merges > 0)
        memcpy(merges, m->merges, m->n_merges * sizeof *merges);
    m->file->spec->merges = (const attn_bytes(*)[2])merges;
    m->file->spec->n_merges = m->n_merges;
    return attn_json_status(m->file->json) == ATTN_OK;
}

/* ---- the keys ---- */

static bool read_dropout(model *m)
{
    double dropout = 0;
    if (attn_json_peek(m->file->json) == ATTN_JSON_NULL)
        return attn_json_null(m->file->json);
    if (!attn_json_f64(m->file->json, &dropout))
        return false;
    if (dropout != 0) {
        attn_json_fail(m->file->json, "dropout is not supported: it makes ids random");
        m->file->error->status = ATTN_EUNSUPPORTED;
    }
    return dropout == 0;
}

static bool read_unknown_id(model *m)
{
    uint64_t id;
    if (attn_json_peek(m->file->json) == ATTN_JSON_NULL)
        return attn_json_null(m->file->json);
    if (!attn_json_u64(m->file->json, ATTN_NO_TOKEN - 1, &id))
        return false;
    m->file->spec->unknown = (uint32_t)id;
    m->file->has_unknown_id = true;
    return true;
}

static bool read_limit(model *m)
{
    uint64_t limit;
    m->has_limit = true;
    if (!attn_json_u64(m->file->json, UINT32_MAX, &limit))
        return false;
    m->file->spec->max_word_chars = (size_t)limit;
    return true;
}

/* A key that is not known may stay where its value is nothing: null, false or no text. */
static bool skip_unknown(model *m, attn_bytes key)
{
    char name[64];
    bool value = false;
    attn_bytes text = {0};
    attn_json *json = m->file->json;
    snprintf(name, sizeof name, "%.*s", (int)(key.size < 63 ? key.size : 63), (const char *)key.data);
    switch (attn_json_peek(json)) {
    case ATTN_JSON_NULL:
        return attn_json_null(json);
    case ATTN_JSON_BOOL:
        if (!attn_json_bool(json, &value))
            return false;
        break;
    case ATTN_JSON_STRING:
        if (!attn_json_string(json, &text))
            return false;
        break;
    default:
        value = true;
        break;
    }
    if (!value && text.size == 0)
        return true;
    attn_json_fail(json, "the model's '%s' is not supported", name);
    m->file->error->status = ATTN_EUNSUPPORTED;
    return false;
}

static bool read_key(model *m, attn_bytes key)
{
    attn_tokenizer_spec *spec = m->file->spec;
    if (attn_bytes_are(key, "type"))
        return read_text(m, &m->type);
    if (attn_bytes_are(key, "vocab"))
        return read_vocabulary(m);
    if (attn_bytes_are(key, "merges"))
        return read_merges(m);
    if (attn_bytes_are(key, "unk_token"))
        return read_text(m, &m->file->unknown);
    if (attn_bytes_are(key, "unk_id"))
        return read_unknown_id(m);
    if (attn_bytes_are(key, "continuing_subword_prefix"))
        return read_text(m, &spec->continuation);
    if (attn_bytes_are(key, "end_of_word_suffix"))
        return read_text(m, &spec->word_suffix);
    if (attn_bytes_are(key, "max_input_chars_per_word"))
        return read_limit(m);
    if (attn_bytes_are(key, "fuse_unk"))
        return read_switch(m, &spec->fuse_unknown);
    if (attn_bytes_are(key, "byte_fallback"))
        return read_switch(m, &spec->byte_fallback);
    if (attn_bytes_are(key, "ignore_merges"))
        return read_switch(m, &spec->ignore_merges);
    if (attn_bytes_are(key, "dropout"))
        return read_dropout(m);
    return skip_unknown(m, key);
}

static const struct {
    const char *type;
    const attn_kind *kind;
} types[] = {{"BPE", &attn_kind_bpe},
             {"Unigram", &attn_kind_unigram},
             {"WordPiece", &attn_kind_wordpiece},
             {"WordLevel", &attn_kind_wordlevel}};

/* The kind by its name; older files leave it out. */
static attn_status set_kind(model *m)
{
    attn_tokenizer_spec *spec = m->file->spec;
    const char *type = m->type;
    if (type == NULL || type[0] == '\0')
        type = m->has_merges                 ? "BPE"
               : spec->double_scores != NULL ? "Unigram"
               : m->has_limit                ? "WordPiece"
                                             : "WordLevel";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i].type) == 0)
            spec->kind = types[i].kind;
    if (spec->kind == NULL) {
        attn_json_fail(m->file->json, "the model '%s' is not supported", type);
        return m->file->error->status = ATTN_EUNSUPPORTED;
    }
    if (spec->kind == &attn_kind_bpe && !m->has_merges)
        return attn_json_fail(m->file->json, "expected merges in a BPE model, found none");
    return ATTN_OK;
}

static const char *text_or_null(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : NULL;
}

attn_status attn_tokenizer_json_model(attn_tokenizer_json *file)
{
    model m = {.file = file, .type = ""};
    attn_bytes key;
    attn_status status;
    const char *standard = file->spec->continuation;
    file->spec->continuation = NULL;
    if (attn_json_object(file->json))
        while (attn_json_key(file->json, &key) && read_key(&m, key))
            continue;
    status = file->error->status;
    if (status == ATTN_OK)
        status = set_kind(&m);
    if (file->spec->kind == &attn_kind_bpe)
        file->spec->piece_prefix = text_or_null(file->spec->continuation);
    file->spec->word_suffix = file->spec->kind == &attn_kind_bpe ? text_or_null(file->spec->word_suffix) : NULL;
    if (file->spec->continuation == NULL || file->spec->kind != &attn_kind_wordpiece)
        file->spec->continuation = file->spec->kind == &attn_kind_wordpiece ? standard : "";
    attn_free(m.merges);
    attn_free(m.tokens);
    attn_free(m.scores);
    return status;
}
