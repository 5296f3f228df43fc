/* toy.c: a toy model in JSON, read once from front to back by the strict scanner. The model's own keys are a table
 * here; a layer's stand in toy_layer.c. Fills words, embeddings and tokenizer; layers stay drafts. */
#include "config.h"

#include "base/suggest.h"
#include "load/toy/toy.h"

#include <string.h>

typedef struct reading {
    attn_toy toy;
    bool weights_only;        /* -w: the model's own keys are refused */
    attn_layer_draft *drafts; /* owned */
    size_t n_drafts, draft_room;
    bool flat, listed; /* layer keys at the top; `layers` */
    bool has_words, has_vocab;
    attn_bytes *tokens; /* owned array; bytes in the arena */
    size_t n_tokens, token_room;
    float *values; /* owned; [n_tokens][dim] of `words` */
    size_t dim, value_room;
    attn_draft_matrix embeddings;
    attn_word_list list;
    const char **axes; /* owned array; texts in the arena */
    size_t n_axes, axis_room;
} reading;

typedef struct model_key {
    const char *name;
    bool (*read)(reading *r);
} model_key;

static bool no_memory(reading *r)
{
    return attn_json_refuse_memory(r->toy.json);
}

static bool keep_bytes(reading *r, attn_bytes bytes, attn_bytes *kept)
{
    char *copy = attn_arena_text(r->toy.arena, (const char *)bytes.data, bytes.size);
    kept->data = NULL;
    if (copy == NULL)
        return no_memory(r);
    kept->data = (const uint8_t *)copy;
    kept->size = bytes.size;
    return true;
}

static bool add_token(reading *r, attn_bytes token)
{
    if (!attn_grow((void **)&r->tokens, &r->token_room, r->n_tokens, sizeof *r->tokens))
        return no_memory(r);
    return keep_bytes(r, token, &r->tokens[r->n_tokens++]);
}

static bool read_comment(reading *r)
{
    return attn_json_skip(r->toy.json);
}

/* Room for one more row of DIM numbers after COUNT rows. */
static bool room_for_row(reading *r, size_t count)
{
    size_t needed;
    if (!attn_multiply(count + 1, r->dim, &needed))
        return no_memory(r);
    if (needed <= r->value_room)
        return true;
    size_t bigger = needed + needed / 2;
    float *grown = attn_realloc_array(r->values, bigger, sizeof *grown);
    if (grown == NULL)
        return no_memory(r);
    r->values = grown;
    r->value_room = bigger;
    return true;
}

static bool read_word(reading *r, attn_bytes key)
{
    attn_json_numbers row = {0};
    char name[80];
    size_t size = key.size < 60 ? key.size : 60;
    if (!add_token(r, key))
        return false;
    memcpy(name, key.data, size);
    name[size] = '\0';
    if (!attn_json_matrix(r->toy.json, name, 1, &row))
        return false;
    if (r->n_tokens == 1)
        r->dim = row.n_columns;
    if (row.n_columns != r->dim) {
        attn_json_fail(r->toy.json, "words: '%s' has %zu numbers, the words before it have %zu", name, row.n_columns,
                       r->dim);
        attn_free(row.values);
        return false;
    }
    if (!room_for_row(r, r->n_tokens - 1)) {
        attn_free(row.values);
        return false;
    }
    memcpy(r->values + (r->n_tokens - 1) * r->dim, row.values, r->dim * sizeof *row.values);
    attn_free(row.values);
    return true;
}

static bool read_words(reading *r)
{
    attn_bytes key;
    if (r->has_vocab) {
        attn_json_fail(r->toy.json, "expected 'words' or 'vocab', found both");
        return false;
    }
    r->has_words = true;
    if (!attn_json_object(r->toy.json))
        return false;
    while (attn_json_key(r->toy.json, &key))
        if (!read_word(r, key))
            return false;
    if (attn_json_status(r->toy.json) != ATTN_OK)
        return false;
    if (r->n_tokens > 0)
        return true;
    attn_json_fail(r->toy.json, "words: expected at least one word, found none");
    return false;
}

static bool read_vocab(reading *r)
{
    attn_map seen = {0};
    attn_bytes token;
    if (r->has_words) {
        attn_json_fail(r->toy.json, "expected 'words' or 'vocab', found both");
        return false;
    }
    r->has_vocab = true;
    bool fine = attn_json_array(r->toy.json);
    while (fine && attn_json_element(r->toy.json)) {
        attn_map_result result;
        fine = attn_json_string(r->toy.json, &token) && add_token(r, token);
        if (!fine)
            break;
        result = attn_map_add(&seen, r->tokens[r->n_tokens - 1], r->n_tokens - 1);
        if (result == ATTN_MAP_PRESENT)
            attn_json_fail(r->toy.json, "vocab: '%.*s' is there twice", (int)(token.size < 60 ? token.size : 60),
                           (const char *)token.data);
        fine = result == ATTN_MAP_ADDED || (result == ATTN_MAP_NOMEM && no_memory(r));
    }
    attn_map_free(&seen);
    if (!fine || attn_json_status(r->toy.json) != ATTN_OK)
        return false;
    if (r->n_tokens > 0)
        return true;
    attn_json_fail(r->toy.json, "vocab: expected at least one token, found none");
    return false;
}

static bool read_embeddings(reading *r)
{
    return attn_toy_matrix(&r->toy, "embeddings", 2, &r->embeddings);
}

static bool read_axes(reading *r)
{
    attn_bytes name, kept;
    if (!attn_json_array(r->toy.json))
        return false;
    while (attn_json_element(r->toy.json)) {
        if (!attn_json_string(r->toy.json, &name) || !keep_bytes(r, name, &kept))
            return false;
        if (!attn_grow((void **)&r->axes, &r->axis_room, r->n_axes, sizeof *r->axes))
            return no_memory(r);
        r->axes[r->n_axes++] = (const char *)kept.data;
    }
    return attn_json_status(r->toy.json) == ATTN_OK;
}

static const char *kind_name_at(size_t index)
{
    return attn_kind_name_at(index);
}

static bool read_tokenizer(reading *r)
{
    attn_bytes name, kept;
    if (!attn_json_string(r->toy.json, &name) || !keep_bytes(r, name, &kept))
        return false;
    if (attn_kind_find((const char *)kept.data, &r->list.kind))
        return true;
    return attn_toy_unknown_name(&r->toy, "tokenizer", (const char *)kept.data, kind_name_at);
}

static bool read_lowercase(reading *r)
{
    return attn_json_bool(r->toy.json, &r->list.lowercase);
}

static bool read_unknown(reading *r)
{
    attn_bytes token;
    return attn_json_string(r->toy.json, &token) && keep_bytes(r, token, &r->list.unknown);
}

static bool grow_drafts(reading *r)
{
    const size_t most = ATTN_FREE_LAYERS + r->toy.size / ATTN_BYTES_A_LAYER;
    if (r->n_drafts == most) {
        attn_json_fail(r->toy.json, "expected at most %zu layers in a file of %zu bytes, found more", most,
                       r->toy.size);
        return false;
    }
    if (!attn_grow((void **)&r->drafts, &r->draft_room, r->n_drafts, sizeof *r->drafts))
        return no_memory(r);
    r->drafts[r->n_drafts] = attn_layer_draft_default(r->n_drafts);
    r->n_drafts++;
    return true;
}

static bool one_way(reading *r)
{
    if (!r->flat || !r->listed)
        return true;
    attn_json_fail(r->toy.json, "expected 'layers' or one layer's keys at the top, found both");
    return false;
}

static bool read_layers(reading *r)
{
    r->listed = true;
    if (!one_way(r) || !attn_json_array(r->toy.json))
        return false;
    while (attn_json_element(r->toy.json))
        if (!grow_drafts(r) || !attn_toy_layer(&r->toy, &r->drafts[r->n_drafts - 1]))
            return false;
    if (attn_json_status(r->toy.json) != ATTN_OK)
        return false;
    if (r->n_drafts > 0)
        return true;
    attn_json_fail(r->toy.json, "layers: expected at least one layer, found none");
    return false;
}

static const model_key model_keys[] = {
    {"comment", read_comment},       {"words", read_words},     {"vocab", read_vocab},
    {"embeddings", read_embeddings}, {"axes", read_axes},       {"tokenizer", read_tokenizer},
    {"lowercase", read_lowercase},   {"unknown", read_unknown}, {"layers", read_layers},
};
enum { N_MODEL_KEYS = sizeof model_keys / sizeof model_keys[0] };

static const char *any_key_at(size_t index)
{
    return index < N_MODEL_KEYS ? model_keys[index].name : attn_toy_layer_key_at(index - N_MODEL_KEYS);
}

/* An array under a key that nothing comes near is a word's vector, left out of "words". */
static bool unknown_key(reading *r, attn_bytes key)
{
    char text[64];
    size_t size = key.size < sizeof text - 1 ? key.size : sizeof text - 1;
    bool vector = !r->weights_only && attn_json_peek(r->toy.json) == ATTN_JSON_ARRAY;
    memcpy(text, key.data, size);
    text[size] = '\0';
    attn_toy_unknown_key(&r->toy, key, any_key_at);
    if (vector && attn_suggest(text, any_key_at) == NULL)
        attn_error_hint(r->toy.loader->error, "a word and its vector stand under \"words\": {\"words\": {\"%s\": […]}}",
                        text);
    return false;
}

static bool read_value(reading *r, attn_bytes key)
{
    for (size_t i = 0; i < N_MODEL_KEYS; i++) {
        if (!attn_bytes_are(key, model_keys[i].name))
            continue;
        if (r->weights_only && i != 0 && model_keys[i].read != read_layers) {
            attn_json_fail(r->toy.json, "'%s' belongs to a model (-m), not to weights (-w)", model_keys[i].name);
            return false;
        }
        attn_place place;
        attn_json_place(r->toy.json, &place.line, &place.column);
        if (model_keys[i].read(r))
            return true;
        attn_toy_name_key(&r->toy, model_keys[i].name, place);
        return false;
    }
    if (!attn_toy_is_layer_key(key))
        return unknown_key(r, key);
    if (!r->flat) {
        r->flat = true;
        if (!one_way(r) || !grow_drafts(r))
            return false;
        attn_json_place(r->toy.json, &r->drafts[0].place.line, &r->drafts[0].place.column);
    }
    return one_way(r) && attn_toy_layer_value(&r->toy, key, &r->drafts[0]);
}

static bool read_model(reading *r)
{
    attn_bytes key;
    if (!attn_json_object(r->toy.json))
        return false;
    while (attn_json_key(r->toy.json, &key))
        if (!read_value(r, key))
            return false;
    return attn_json_status(r->toy.json) == ATTN_OK && attn_json_end(r->toy.json) == ATTN_OK;
}

/* ---- what was read becomes the model's ---- */

static attn_status give_drafts(reading *r)
{
    attn_loader *loader = r->toy.loader;
    if (r->n_drafts == 0)
        return ATTN_OK;
    loader->drafts = attn_arena_alloc(r->toy.arena, r->n_drafts, sizeof *r->drafts);
    if (loader->drafts == NULL)
        return attn_fail_memory(loader->error);
    memcpy(loader->drafts, r->drafts, r->n_drafts * sizeof *r->drafts);
    loader->n_drafts = r->n_drafts;
    loader->drafts_file = r->toy.file;
    return ATTN_OK;
}

static attn_status bad_rows(reading *r, size_t rows)
{
    attn_error *error = r->toy.loader->error;
    attn_fail(error, ATTN_EDATA, "embeddings: expected %zu rows, one for each of vocab, found %zu", r->n_tokens, rows);
    attn_error_file(error, r->toy.file);
    return attn_error_line(error, r->embeddings.place.line, r->embeddings.place.column);
}

static attn_status give_embeddings(reading *r)
{
    attn_loader *loader = r->toy.loader;
    attn_model *model = loader->model;
    float *values;
    model->n_vocab = r->n_tokens;
    model->d_model = r->n_tokens;
    if (r->embeddings.tensor.data != NULL) {
        if (r->has_words || !r->has_vocab) {
            attn_fail(loader->error, ATTN_EDATA,
                      r->has_words ? "embeddings: the words already carry their vectors"
                                   : "embeddings: expected 'vocab' beside it");
            attn_error_file(loader->error, r->toy.file);
            attn_error_line(loader->error, r->embeddings.place.line, r->embeddings.place.column);
            return ATTN_EDATA;
        }
        if (r->embeddings.tensor.shape[0] != r->n_tokens)
            return bad_rows(r, r->embeddings.tensor.shape[0]);
        model->embeddings = r->embeddings.tensor;
        model->d_model = r->embeddings.tensor.shape[1];
    } else if (r->has_words) {
        values = attn_arena_aligned(r->toy.arena, r->n_tokens, r->dim * sizeof *values);
        if (values == NULL)
            return attn_fail_memory(loader->error);
        memcpy(values, r->values, r->n_tokens * r->dim * sizeof *values);
        model->embeddings = attn_tensor_f32(values, r->n_tokens, r->dim);
        model->d_model = r->dim;
    }
    if (model->embeddings.data == NULL)
        return ATTN_OK;
    return attn_account_tensor(loader, r->has_words ? "words" : "embeddings", r->toy.file, &model->embeddings,
                               "token embeddings", "[token][d_model]");
}

static attn_status give_axes(reading *r)
{
    attn_loader *loader = r->toy.loader;
    attn_model *model = loader->model;
    if (r->n_axes == 0)
        return ATTN_OK;
    if (r->n_axes != model->d_model) {
        attn_fail(loader->error, ATTN_EDATA, "axes: expected %zu names, one a dimension, found %zu", model->d_model,
                  r->n_axes);
        attn_error_file(loader->error, r->toy.file);
        return ATTN_EDATA;
    }
    const char **axes = attn_arena_alloc(r->toy.arena, r->n_axes, sizeof *axes);
    if (axes == NULL)
        return attn_fail_memory(loader->error);
    memcpy(axes, r->axes, r->n_axes * sizeof *axes);
    model->axes = axes;
    model->n_axes = r->n_axes;
    return ATTN_OK;
}

static attn_status give_tokenizer(reading *r)
{
    attn_loader *loader = r->toy.loader;
    attn_bytes *words = attn_arena_alloc(r->toy.arena, r->n_tokens, sizeof *words);
    if (words == NULL)
        return attn_fail_memory(loader->error);
    memcpy(words, r->tokens, r->n_tokens * sizeof *words);
    loader->words = words;
    r->list.words = words;
    r->list.n = r->n_tokens;
    if (loader->request->tokenizer != NULL)
        r->list.kind = loader->request->tokenizer;
    attn_status status = attn_tokenizer_of_words(&r->list, &loader->model->tokenizer, loader->error);
    return status == ATTN_OK ? ATTN_OK : attn_error_file(loader->error, r->toy.file);
}

static attn_status give(reading *r)
{
    attn_status status = give_drafts(r);
    if (status == ATTN_OK && r->n_tokens > 0 && (status = give_embeddings(r)) == ATTN_OK)
        status = give_tokenizer(r);
    return status == ATTN_OK ? give_axes(r) : status;
}

attn_status attn_load_toy(attn_loader *loader, attn_bytes text, const char *file, bool weights_only)
{
    reading r = {.toy = {.loader = loader,
                         .file = file,
                         .size = text.size,
                         .arena = &loader->model->arena,
                         .json = attn_json_open(text, file, loader->error)},
                 .weights_only = weights_only};
    if (r.toy.json == NULL)
        return ATTN_ENOMEM;
    attn_status status = read_model(&r) ? give(&r) : attn_json_status(r.toy.json);
    attn_json_close(r.toy.json);
    attn_free(r.drafts);
    attn_free(r.tokens);
    attn_free(r.values);
    attn_free(r.axes);
    return status;
}
