/* tokenizer_json.c: the file that Hugging Face's tokenizers are published in. The top level, the
 * added tokens and the post-processor are read here; model, normalizer and pre-tokenizer have files
 * of their own. Truncation and padding are not followed (the whole text is looked at); the decoder
 * makes no ids. Called by load.c. */
#include "config.h"

#include "base/map.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/vocab/reader.h"
#include "text/vocab/tokenizer_json.h"
#include "text/vocab/vocab_list.h"

#include <string.h>

static const char *const top_keys[] = {"version",       "truncation",     "padding", "added_tokens", "normalizer",
                                       "pre_tokenizer", "post_processor", "decoder", "model"};

/* An object whose first key is one of the file's and whose value is no id. */
static attn_status is_tokenizer_json(const attn_vocab_source *source, bool *is, attn_error *error)
{
    attn_bytes key;
    attn_json *json = attn_json_open(source->bytes, source->path, error);
    *is = false;
    if (json == NULL)
        return error->status;
    if (attn_json_peek(json) == ATTN_JSON_OBJECT && attn_json_object(json) && attn_json_key(json, &key) &&
        attn_json_peek(json) != ATTN_JSON_NUMBER)
        for (size_t i = 0; i < sizeof top_keys / sizeof top_keys[0]; i++)
            *is = *is || attn_bytes_are(key, top_keys[i]);
    const attn_status status = attn_json_status(json);
    attn_json_close(json);
    return status == ATTN_ENOMEM ? status : ATTN_OK; /* JSON that is damaged is none */
}

/* ---- small helps ---- */

attn_status attn_component_refuse(attn_tokenizer_json *file, const attn_json_node *node, const char *what,
                                  const char *name)
{
    attn_fail(file->error, ATTN_EUNSUPPORTED, "the %s '%s' is not supported", what, name);
    return attn_error_line(file->error, attn_json_node_line(node), 0);
}

attn_status attn_component_missing(attn_tokenizer_json *file, const attn_json_node *node, const char *key,
                                   const char *type)
{
    attn_fail(file->error, ATTN_EDATA, "expected %s for '%s', found none", type, key);
    return attn_error_line(file->error, attn_json_node_line(node), 0);
}

attn_status attn_component_type(attn_tokenizer_json *file, const attn_json_node *node, const char **type)
{
    *type = attn_json_node_text(attn_json_node_member(node, "type"));
    return *type != NULL ? ATTN_OK : attn_component_missing(file, node, "type", "a name");
}

attn_bytes attn_component_text(attn_tokenizer_json *file, const char *text)
{
    char *copy = attn_arena_text(file->arena, text, strlen(text));
    return (attn_bytes){(const uint8_t *)copy, copy != NULL ? strlen(copy) : 0};
}

bool attn_component_switch(attn_tokenizer_json *file, const attn_json_node *node, const char *key, bool fallback)
{
    bool value = fallback;
    const attn_json_node *found = attn_json_node_member(node, key);
    if (found == NULL || attn_json_node_type(found) == ATTN_JSON_NULL || attn_json_node_bool(found, &value) ||
        file->bad_switch != NULL)
        return value;
    file->bad_switch = key;
    file->bad_line = attn_json_node_line(found);
    return value;
}

/* ---- added tokens ---- */

static attn_status read_added_token(attn_tokenizer_json *file, const attn_json_node *node, attn_added_token *added)
{
    const char *content = attn_json_node_text(attn_json_node_member(node, "content"));
    uint64_t id;
    if (content == NULL)
        return attn_component_missing(file, node, "content", "a string");
    if (!attn_json_node_u64(attn_json_node_member(node, "id"), ATTN_NO_TOKEN - 1, &id))
        return attn_component_missing(file, node, "id", "a token's number");
    *added = (attn_added_token){.content = attn_component_text(file, content),
                                .id = (uint32_t)id,
                                .special = attn_component_switch(file, node, "special", false),
                                .lstrip = attn_component_switch(file, node, "lstrip", false),
                                .rstrip = attn_component_switch(file, node, "rstrip", false),
                                .single_word = attn_component_switch(file, node, "single_word", false),
                                .normalized = attn_component_switch(file, node, "normalized", true)};
    return added->content.data != NULL ? ATTN_OK : attn_fail_memory(file->error);
}

static attn_status read_added_tokens(attn_tokenizer_json *file)
{
    attn_json_node *root = attn_json_tree(file->json);
    attn_added_token *added;
    attn_status status = ATTN_OK;
    if (root == NULL)
        return file->error->status;
    added = attn_arena_alloc(file->arena, attn_json_node_size(root), sizeof *added);
    if (added == NULL)
        status = attn_fail_memory(file->error);
    if (status == ATTN_OK && attn_json_node_type(root) != ATTN_JSON_ARRAY)
        status = attn_component_missing(file, root, "added_tokens", "an array");
    for (const attn_json_node *node = attn_json_node_first(root); node != NULL && status == ATTN_OK;
         node = attn_json_node_next(node))
        status = read_added_token(file, node, &added[file->spec->n_added++]);
    file->spec->added = added;
    attn_json_tree_free(root);
    return status;
}

/* ---- post-processors ---- */

static attn_status append_id(attn_tokenizer_json *file, attn_id_list *list, uint32_t id)
{
    void *ids = list->ids;
    if (!attn_grow(&ids, &list->capacity, list->count, sizeof *list->ids))
        return attn_fail_memory(file->error);
    list->ids = ids;
    list->ids[list->count++] = id;
    return ATTN_OK;
}

/* A list goes to the spec. */
static attn_status give_ids(attn_tokenizer_json *file, attn_id_list *list, const uint32_t **ids, size_t *count)
{
    if (list->count > 0 && !attn_arena_adopt(file->arena, list->ids))
        return attn_fail_memory(file->error);
    *ids = list->count > 0 ? list->ids : NULL;
    *count = list->count;
    if (list->count > 0)
        *list = (attn_id_list){0};
    return ATTN_OK;
}

typedef struct template_tokens { /* a template's table "special_tokens" */
    const attn_json_node **ids;  /* owned; of each entry, or NULL */
    attn_map names;              /* name → place in ids */
} template_tokens;

static attn_status read_template_tokens(attn_tokenizer_json *file, const attn_json_node *node, template_tokens *tokens)
{
    const attn_json_node *table = attn_json_node_member(node, "special_tokens");
    tokens->ids = attn_alloc_array(attn_json_node_size(table), sizeof *tokens->ids);
    if (tokens->ids == NULL)
        return attn_fail_memory(file->error);
    if (attn_json_node_type(table) != ATTN_JSON_OBJECT)
        return ATTN_OK;
    for (const attn_json_node *item = attn_json_node_first(table); item != NULL; item = attn_json_node_next(item)) {
        tokens->ids[tokens->names.count] = attn_json_node_member(item, "ids");
        if (attn_map_add(&tokens->names, attn_bytes_of(attn_json_node_key(item)), tokens->names.count) ==
            ATTN_MAP_NOMEM)
            return attn_fail_memory(file->error);
    }
    return ATTN_OK;
}

enum {
    MAX_IDS = 64, /* that one special token stands for */
    MAX_DEPTH = 8 /* of sequences in sequences */
};

/* The ids of PIECE's SpecialToken by the table. */
static attn_status read_special(attn_tokenizer_json *file, const template_tokens *tokens, const attn_json_node *piece,
                                attn_id_list *list)
{
    const char *name = attn_json_node_text(attn_json_node_member(piece, "id"));
    const attn_json_node *item = NULL;
    attn_status status = ATTN_OK;
    size_t place, n = 0;
    uint64_t id;
    if (name != NULL && attn_map_find(&tokens->names, attn_bytes_of(name), &place))
        item = attn_json_node_first(tokens->ids[place]);
    for (; item != NULL && n < MAX_IDS && status == ATTN_OK; item = attn_json_node_next(item), n++) {
        if (!attn_json_node_u64(item, ATTN_NO_TOKEN - 1, &id))
            return attn_component_missing(file, item, "ids", "token ids");
        status = append_id(file, list, (uint32_t)id);
    }
    if (status == ATTN_OK && (n == 0 || item != NULL))
        return attn_component_missing(file, piece, "special_tokens", "the ids of a template's token");
    return status;
}

/* "single": specials before the text's place, specials behind it. */
static attn_status read_single(attn_tokenizer_json *file, const attn_json_node *single, const template_tokens *tokens)
{
    bool seen = false;
    attn_status status = ATTN_OK;
    for (const attn_json_node *item = attn_json_node_first(single); item != NULL && status == ATTN_OK;
         item = attn_json_node_next(item)) {
        const attn_json_node *special = attn_json_node_member(item, "SpecialToken");
        if (special != NULL)
            status = read_special(file, tokens, special, seen ? &file->suffix : &file->prefix);
        else if (attn_json_node_member(item, "Sequence") != NULL && !seen)
            seen = true;
        else
            status = attn_component_refuse(file, item, "template item", "single");
    }
    return status == ATTN_OK && !seen ? attn_component_missing(file, single, "single", "a place for the text") : status;
}

static attn_status read_template(attn_tokenizer_json *file, const attn_json_node *node)
{
    const attn_json_node *single = attn_json_node_member(node, "single");
    template_tokens tokens = {0};
    if (attn_json_node_type(single) != ATTN_JSON_ARRAY)
        return attn_component_missing(file, node, "single", "an array");
    attn_status status = read_template_tokens(file, node, &tokens);
    if (status == ATTN_OK)
        status = read_single(file, single, &tokens);
    attn_map_free(&tokens.names);
    attn_free(tokens.ids);
    return status;
}

/* ["[SEP]", 102] in NODE's member KEY. */
static attn_status read_pair(attn_tokenizer_json *file, const attn_json_node *node, const char *key, uint32_t *id)
{
    const attn_json_node *pair = attn_json_node_member(node, key);
    uint64_t number;
    if (attn_json_node_size(pair) != 2 ||
        !attn_json_node_u64(attn_json_node_next(attn_json_node_first(pair)), ATTN_NO_TOKEN - 1, &number))
        return attn_component_missing(file, node, key, "a token and its id");
    *id = (uint32_t)number;
    return ATTN_OK;
}

static attn_status read_bert(attn_tokenizer_json *file, const attn_json_node *node)
{
    uint32_t cls, sep;
    attn_status status = read_pair(file, node, "cls", &cls);
    if (status == ATTN_OK)
        status = read_pair(file, node, "sep", &sep);
    if (status == ATTN_OK)
        status = append_id(file, &file->prefix, cls);
    return status == ATTN_OK ? append_id(file, &file->suffix, sep) : status;
}

static attn_status read_processor(attn_tokenizer_json *file, const attn_json_node *node, size_t depth)
{
    const char *type;
    attn_status status = attn_component_type(file, node, &type);
    if (status != ATTN_OK)
        return status;
    if (strcmp(type, "TemplateProcessing") == 0 || strcmp(type, "BertProcessing") == 0 ||
        strcmp(type, "RobertaProcessing") == 0) {
        if (file->framed) /* the library takes what the first has made for a pair of texts */
            return attn_component_refuse(file, node, "second post-processor that puts tokens around a text,", type);
        file->framed = true;
        return strcmp(type, "TemplateProcessing") == 0 ? read_template(file, node) : read_bert(file, node);
    }
    if (strcmp(type, "ByteLevel") == 0)
        return ATTN_OK; /* it only trims offsets */
    if (strcmp(type, "Sequence") != 0 || depth == MAX_DEPTH)
        return attn_component_refuse(file, node, "post-processor", type);
    for (node = attn_json_node_first(attn_json_node_member(node, "processors")); node != NULL && status == ATTN_OK;
         node = attn_json_node_next(node))
        status = read_processor(file, node, depth + 1);
    return status;
}

static attn_status read_post_processor(attn_tokenizer_json *file)
{
    attn_json_node *root = attn_json_tree(file->json);
    attn_status status = ATTN_OK;
    if (root == NULL)
        return file->error->status;
    if (attn_json_node_type(root) != ATTN_JSON_NULL)
        status = read_processor(file, root, 0);
    attn_json_tree_free(root);
    return status;
}

/* ---- the whole ---- */

static attn_status read_key(attn_tokenizer_json *file, attn_bytes key)
{
    if (attn_bytes_are(key, "added_tokens"))
        return read_added_tokens(file);
    if (attn_bytes_are(key, "normalizer"))
        return attn_tokenizer_json_normalizer(file);
    if (attn_bytes_are(key, "pre_tokenizer"))
        return attn_tokenizer_json_pre_tokenizer(file);
    if (attn_bytes_are(key, "post_processor"))
        return read_post_processor(file);
    if (attn_bytes_are(key, "model"))
        return attn_tokenizer_json_model(file);
    return attn_json_skip(file->json) ? ATTN_OK : file->error->status;
}

/* BERT's own steps are fields of the WordPiece kind; with others it takes words as they come. */
static void finish_wordpiece(attn_tokenizer_json *file)
{
    static const struct attn_presplitter none = {NULL, 0};
    attn_tokenizer_spec *spec = file->spec;
    const attn_normalize_step *step = spec->normalizer != NULL ? spec->normalizer->steps : NULL;
    spec->bert_rules = ATTN_BERT_RUST;
    if (spec->presplitter == NULL)
        spec->presplitter = &none;
    if (spec->presplitter->n_steps != 1 || spec->presplitter->steps[0].op != ATTN_PRESPLIT_BERT ||
        (step != NULL && (spec->normalizer->n_steps != 1 || step->op != ATTN_NORMALIZE_BERT)))
        return;
    if (step != NULL) {
        spec->clean_text = step->clean_text;
        spec->split_cjk = step->split_cjk;
        spec->lowercase = step->lowercase;
        spec->strip_accents = step->strip_accents;
    }
    spec->normalizer = NULL;
    spec->presplitter = NULL;
}

/* True where the vocabulary has all letters of the byte alphabet. */
static bool has_alphabet(const attn_tokenizer_spec *spec)
{
    bool has[256] = {false};
    size_t count = 0;
    for (size_t i = 0; i < spec->n_tokens; i++) {
        const attn_bytes token = spec->tokens[i];
        size_t length;
        int byte;
        if (token.size == 0 || token.size > 2)
            continue;
        byte = attn_byte_alphabet_byte(attn_utf8_decode(token, 0, &length));
        if (byte < 0 || length != token.size || has[byte])
            continue;
        has[byte] = true;
        count++;
    }
    return count == 256;
}

/* A BPE that spells its words in the byte alphabet last of all may read their bytes as they are. */
static void finish_bpe(attn_tokenizer_json *file)
{
    attn_tokenizer_spec *spec = file->spec;
    struct attn_presplitter *presplitter = file->made_presplitter;
    const size_t n = spec->presplitter != NULL ? presplitter->n_steps : 0;
    if (n == 0 || presplitter->steps[n - 1].op != ATTN_PRESPLIT_SPELL || spec->piece_prefix != NULL ||
        spec->word_suffix != NULL || (spec->byte_fallback && !has_alphabet(spec)))
        return;
    spec->byte_level = true;
    presplitter->n_steps--;
}

/* The id that the model's unknown token has. */
static void find_unknown(attn_tokenizer_json *file)
{
    attn_tokenizer_spec *spec = file->spec;
    if (file->unknown == NULL)
        return;
    spec->unknown = attn_spec_find(spec, file->unknown);
    for (size_t i = 0; i < spec->n_added && spec->unknown == ATTN_NO_TOKEN; i++)
        if (attn_bytes_are(spec->added[i].content, file->unknown))
            spec->unknown = spec->added[i].id;
    if (spec->unknown == ATTN_NO_TOKEN)
        spec->unknown_name = file->unknown;
}

/* What only the whole file tells. */
static attn_status finish(attn_tokenizer_json *file)
{
    attn_tokenizer_spec *spec = file->spec;
    if (spec->tokens == NULL)
        return attn_fail_found(file->error, "a model with a vocabulary", "none");
    find_unknown(file);
    spec->drop_unknown = file->unknown == NULL;
    if (spec->kind == &attn_kind_wordpiece)
        finish_wordpiece(file);
    else if (spec->kind == &attn_kind_bpe)
        finish_bpe(file);
    return ATTN_OK;
}

static attn_status read_tokenizer_json(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    attn_tokenizer_json file = {.arena = source->arena, .spec = spec, .error = error};
    attn_status status = ATTN_OK;
    attn_bytes key;
    *error = (attn_error){0};
    file.json = attn_json_open(source->bytes, source->path, error);
    if (file.json == NULL)
        return error->status;
    if (attn_json_object(file.json))
        while (status == ATTN_OK && attn_json_key(file.json, &key))
            status = read_key(&file, key);
    if (status == ATTN_OK)
        status = attn_json_status(file.json) == ATTN_OK ? attn_json_end(file.json) : error->status;
    attn_json_close(file.json);
    if (status == ATTN_OK)
        status = give_ids(&file, &file.prefix, &spec->prefix, &spec->n_prefix);
    if (status == ATTN_OK)
        status = give_ids(&file, &file.suffix, &spec->suffix, &spec->n_suffix);
    attn_free(file.prefix.ids);
    attn_free(file.suffix.ids);
    if (status == ATTN_OK && file.bad_switch != NULL) {
        attn_fail(error, ATTN_EDATA, "%s: expected true or false", file.bad_switch);
        return attn_error_line(error, file.bad_line, 0);
    }
    return status == ATTN_OK ? finish(&file) : status;
}

static const char *const files[] = {"tokenizer.json", NULL};

const attn_vocab_reader attn_vocab_reader_tokenizer_json = {
    .files = files, .is = is_tokenizer_json, .read = read_tokenizer_json, .complete = true};
