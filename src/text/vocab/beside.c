/* beside.c: what the files beside a vocabulary say of it. The class of the tokenizer (tokenizer_config.json, or
 * config.json's class or model_type) says what stands around a text; added_tokens_decoder of tokenizer_config.json, or
 * added_tokens.json, names tokens that were added. Both as transformers' tokenizers in Python read them, which find
 * added tokens in the text as it is written. Called by load.c. */
#include "config.h"

#include "base/map.h"
#include "text/vocab/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct frame {
    const char *class;          /* tokenizer_class begins with this, "Fast" or not */
    const char *model_types[5]; /* of config.json, where no class is said; then NULL */
    const char *first, *last;   /* put around a text; NULL: nothing */
    const char *mask;           /* recognised, and takes the blank before it; NULL: none does */
    bool by_config;             /* add_bos_token and add_eos_token switch them, bos_token and eos_token name them */
    bool bos, eos;              /* where add_bos_token, add_eos_token are not said */
    /* of those whose vocabulary is SentencePiece's */
    const char *final;        /* behind LAST, or NULL */
    bool prepares, lowercase; /* the text first: prepare.c; do_lower_case where it is not said */
    bool appends_mask;        /* MASK takes no blank, and an id of its own behind the vocabulary where that lacks it */
    size_t extra_ids;         /* sentinels behind the vocabulary, the last first, where extra_ids is not said */
} frame;

/* From build_inputs_with_special_tokens and the defaults of transformers' tokenization_*.py. What XLM-RoBERTa and
 * CamemBERT do stands in spm_model.c, with their ids; what BERT does in vocab_txt.c. */
static const frame frames[] = {
    {"RobertaTokenizer", {"roberta"}, "<s>", "</s>", "<mask>", .bos = true, .eos = true},
    {"BartTokenizer", {"bart"}, "<s>", "</s>", "<mask>", .bos = true, .eos = true},
    {"LongformerTokenizer", {"longformer"}, "<s>", "</s>", "<mask>", .bos = true, .eos = true},
    {"LEDTokenizer", {"led"}, "<s>", "</s>", "<mask>", .bos = true, .eos = true},
    {"MPNetTokenizer", {"mpnet"}, "<s>", "</s>", "<mask>", .bos = true, .eos = true},
    {"DebertaTokenizer", {"deberta"}, "[CLS]", "[SEP]", "[MASK]", .bos = true, .eos = true},
    {"DebertaV2Tokenizer", {"deberta-v2"}, "[CLS]", "[SEP]", "[MASK]", .bos = true, .eos = true, .appends_mask = true},
    {"AlbertTokenizer",
     {"albert"},
     "[CLS]",
     "[SEP]",
     "[MASK]",
     .bos = true,
     .eos = true,
     .prepares = true,
     .lowercase = true},
    {"XLNetTokenizer", {"xlnet"}, NULL, "<sep>", "<mask>", .eos = true, .final = "<cls>", .prepares = true},
    {"BigBirdTokenizer", {"big_bird"}, "[CLS]", "[SEP]", "[MASK]", .bos = true, .eos = true},
    {"T5Tokenizer", {"t5"}, NULL, "</s>", NULL, .eos = true, .extra_ids = 100},
    {"MT5Tokenizer", {"mt5"}, NULL, "</s>", NULL, .eos = true},
    {"LlamaTokenizer", {"llama", "mistral", "mixtral"}, "<s>", "</s>", NULL, .by_config = true, .bos = true},
    {"CodeLlamaTokenizer", {NULL}, "<s>", "</s>", NULL, .by_config = true, .bos = true},
    {"GemmaTokenizer", {"gemma", "gemma2"}, "<bos>", "<eos>", NULL, .by_config = true, .bos = true},
    {"GPT2Tokenizer", {"gpt2", "opt"}, "<|endoftext|>", "<|endoftext|>", NULL, .by_config = true},
};
enum { N_FRAMES = sizeof frames / sizeof frames[0] };

static const char config_name[] = "tokenizer_config.json";

/* The files, read. */
typedef struct surroundings {
    attn_json_node *config; /* owned or NULL, as the others; tokenizer_config.json */
    attn_json_node *model;  /* config.json */
    attn_json_node *map;    /* special_tokens_map.json */
    attn_json_node *added;  /* added_tokens.json */
} surroundings;

static attn_status read_files(const attn_vocab_source *source, surroundings *s, attn_error *error)
{
    const struct {
        const char *name;
        attn_json_node **root;
    } files[] = {{config_name, &s->config},
                 {"config.json", &s->model},
                 {"special_tokens_map.json", &s->map},
                 {"added_tokens.json", &s->added}};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == ATTN_OK; i++)
        status = attn_vocab_config(source, files[i].name, files[i].root, error);
    return status;
}

static void free_files(surroundings *s)
{
    attn_json_tree_free(s->config);
    attn_json_tree_free(s->model);
    attn_json_tree_free(s->map);
    attn_json_tree_free(s->added);
}

/* ---- the list of added tokens ---- */

/* Room for COUNT more tokens behind SPEC's; they are no longer the reader's own array. */
static attn_added_token *more_added(attn_arena *arena, size_t count, attn_tokenizer_spec *spec)
{
    attn_added_token *added = attn_arena_alloc(arena, spec->n_added + count, sizeof *added);
    if (added != NULL && spec->n_added > 0)
        memcpy(added, spec->added, spec->n_added * sizeof *added);
    if (added != NULL)
        spec->added = added;
    return added;
}

/* TOKEN in place of the one of ADDED (SPEC's) that is spelled like it, or behind all: a walk over them. */
static void put_added(attn_added_token *added, attn_tokenizer_spec *spec, attn_added_token token)
{
    size_t i = 0;
    while (i < spec->n_added && !attn_bytes_equal(added[i].content, token.content))
        i++;
    added[i] = token;
    spec->n_added += i == spec->n_added;
}

/* ---- what stands around a text ---- */

static bool names_type(const frame *f, const char *model_type)
{
    bool is = false;
    for (const char *const *type = f->model_types; *type != NULL; type++)
        is = is || strcmp(*type, model_type) == 0;
    return is;
}

static const frame *find_frame(const surroundings *s)
{
    const char *class = attn_json_node_text(attn_json_node_member(s->config, "tokenizer_class"));
    const char *model_type = attn_json_node_text(attn_json_node_member(s->model, "model_type"));
    if (class == NULL)
        class = attn_json_node_text(attn_json_node_member(s->model, "tokenizer_class"));
    for (size_t i = 0; i < N_FRAMES; i++)
        if (class != NULL ? strncmp(class, frames[i].class, strlen(frames[i].class)) == 0
                          : model_type != NULL && names_type(&frames[i], model_type))
            return &frames[i];
    return NULL;
}

/* A token's spelling, as a string or as an object's "content". */
static const char *spelling_of(const attn_json_node *node)
{
    const char *text = attn_json_node_text(node);
    return text != NULL ? text : attn_json_node_text(attn_json_node_member(node, "content"));
}

/* The token called NAME, or what KEY of the configuration calls so, as a list of one in the arena; it is special. */
static attn_status put_one(const attn_vocab_source *source, const attn_json_node *named, const char *name,
                           attn_added_token *added, attn_tokenizer_spec *spec, const uint32_t **ids, size_t *n,
                           attn_error *error)
{
    const char *said = spelling_of(named);
    uint32_t *id = attn_arena_alloc(source->arena, 1, sizeof *id);
    char *copy = NULL;
    name = said != NULL ? said : name;
    if (id == NULL || (copy = attn_arena_text(source->arena, name, strlen(name))) == NULL)
        return attn_fail_memory(error);
    *id = attn_spec_find(spec, copy);
    *ids = id;
    *n = *id != ATTN_NO_TOKEN;
    if (*n > 0)
        put_added(added, spec, (attn_added_token){.content = attn_bytes_of(copy), .id = *id, .special = true});
    return ATTN_OK;
}

/* FIRST of F before a text, or LAST behind it, FINAL behind that. */
static attn_status put_ends(const attn_vocab_source *source, const surroundings *s, const frame *f,
                            attn_added_token *added, attn_tokenizer_spec *spec, attn_error *error)
{
    const attn_json_node *config = f->by_config ? s->config : NULL;
    bool bos = f->bos, eos = f->eos;
    attn_status status = attn_vocab_switch(source, config_name, config, "add_bos_token", &bos, error);
    if (status == ATTN_OK)
        status = attn_vocab_switch(source, config_name, config, "add_eos_token", &eos, error);
    spec->n_prefix = 0;
    spec->n_suffix = 0;
    if (status == ATTN_OK && bos)
        status = put_one(source, attn_json_node_member(config, "bos_token"), f->first, added, spec, &spec->prefix,
                         &spec->n_prefix, error);
    if (status == ATTN_OK && eos)
        status = put_one(source, attn_json_node_member(config, "eos_token"), f->last, added, spec, &spec->suffix,
                         &spec->n_suffix, error);
    if (status == ATTN_OK && f->final != NULL) {
        const uint32_t *last = spec->suffix;
        const size_t n_last = spec->n_suffix;
        uint32_t *both = attn_arena_alloc(source->arena, 2, sizeof *both);
        if (both == NULL)
            return attn_fail_memory(error);
        status = put_one(source, NULL, f->final, added, spec, &spec->suffix, &spec->n_suffix, error);
        if (status == ATTN_OK && n_last > 0 && spec->n_suffix > 0) {
            both[0] = *last;
            both[1] = *spec->suffix;
            spec->suffix = both;
            spec->n_suffix = 2;
        }
    }
    return status;
}

static void put_mask(const frame *f, attn_added_token *added, attn_tokenizer_spec *spec)
{
    uint32_t id = attn_spec_find(spec, f->mask);
    if (id == ATTN_NO_TOKEN && f->appends_mask)
        id = (uint32_t)spec->n_tokens;
    if (id != ATTN_NO_TOKEN)
        put_added(added, spec,
                  (attn_added_token){
                      .content = attn_bytes_of(f->mask), .id = id, .special = true, .lstrip = !f->appends_mask});
}

static attn_status put_around(const attn_vocab_source *source, const surroundings *s, const frame *f,
                              attn_tokenizer_spec *spec, attn_error *error)
{
    attn_added_token *added = more_added(source->arena, 4, spec);
    attn_status status = added != NULL ? put_ends(source, s, f, added, spec, error) : attn_fail_memory(error);
    if (status == ATTN_OK && f->mask != NULL)
        put_mask(f, added, spec);
    return status;
}

/* <extra_id_0> and on: the first has the last id. Files of a SentencePiece model hold none of them. */
static attn_status put_sentinels(const attn_vocab_source *source, const surroundings *s, const frame *f,
                                 attn_tokenizer_spec *spec, attn_error *error)
{
    enum { MOST = 10000 };
    uint64_t n = f->extra_ids;
    attn_added_token *added;
    (void)attn_json_node_u64(attn_json_node_member(s->config, "extra_ids"), MOST, &n);
    if (n == 0 || spec->types == NULL || attn_spec_find(spec, "<extra_id_0>") != ATTN_NO_TOKEN)
        return ATTN_OK;
    added = more_added(source->arena, (size_t)n, spec);
    for (uint64_t i = 0; i < n && added != NULL; i++) {
        char name[32];
        char *copy;
        snprintf(name, sizeof name, "<extra_id_%llu>", (unsigned long long)i);
        if ((copy = attn_arena_text(source->arena, name, strlen(name))) == NULL)
            return attn_fail_memory(error);
        put_added(added, spec,
                  (attn_added_token){.content = attn_bytes_of(copy),
                                     .id = (uint32_t)(spec->n_tokens + n - 1 - i),
                                     .special = true,
                                     .lstrip = true,
                                     .rstrip = true});
    }
    return added != NULL ? ATTN_OK : attn_fail_memory(error);
}

/* What only a SentencePiece model needs: the text prepared. */
static attn_status prepare(const attn_vocab_source *source, const surroundings *s, const frame *f,
                           attn_tokenizer_spec *spec, attn_error *error)
{
    bool by_marks = false;
    attn_status status = attn_vocab_switch(source, config_name, s->config, "split_by_punct", &by_marks, error);
    if (status != ATTN_OK)
        return status;
    if (by_marks)
        return attn_fail(error, ATTN_EUNSUPPORTED, "tokenizer_config.json: split_by_punct is not supported");
    if (!f->prepares && !f->appends_mask)
        return ATTN_OK;
    return attn_vocab_prepare(source, s->config, f->prepares, f->lowercase, spec, error);
}

/* ---- tokens that were added ---- */

static bool keep_name(const attn_json_node *node, attn_map *names)
{
    const char *text = spelling_of(node);
    return text == NULL || attn_map_add(names, attn_bytes_of(text), 0) != ATTN_MAP_NOMEM;
}

/* The tokens that ROOT names ("mask_token": …, "additional_special_tokens": […]) to NAMES. False: out of memory. */
static bool special_names(const attn_json_node *root, attn_map *names)
{
    for (const attn_json_node *node = attn_json_node_first(root); node != NULL; node = attn_json_node_next(node)) {
        const char *key = attn_json_node_key(node), *end = key != NULL ? strstr(key, "_token") : NULL;
        if (end == NULL || (strcmp(end, "_token") != 0 && strcmp(end, "_tokens") != 0))
            continue;
        if (!keep_name(node, names))
            return false;
        if (attn_json_node_type(node) == ATTN_JSON_ARRAY)
            for (const attn_json_node *item = attn_json_node_first(node); item; item = attn_json_node_next(item))
                if (!keep_name(item, names))
                    return false;
    }
    return true;
}

static attn_status not_a_token(const attn_vocab_source *source, const char *name, const attn_json_node *node,
                               const char *expected, attn_error *error)
{
    char *path = attn_path_beside(source->path, name);
    attn_fail(error, ATTN_EDATA, "expected %s, found something else", expected);
    attn_error_line(error, attn_json_node_line(node), 0);
    attn_error_file(error, path != NULL ? path : name);
    attn_free(path);
    return ATTN_EDATA;
}

/* The switches of NODE, which tells of a token that was added. */
static attn_status read_switches(const attn_vocab_source *source, const attn_json_node *node, attn_added_token *token,
                                 attn_error *error)
{
    const struct {
        const char *key;
        bool *value;
    } switches[] = {{"special", &token->special},
                    {"lstrip", &token->lstrip},
                    {"rstrip", &token->rstrip},
                    {"single_word", &token->single_word},
                    {"normalized", &token->normalized}};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0] && status == ATTN_OK; i++)
        status = attn_vocab_switch(source, config_name, node, switches[i].key, switches[i].value, error);
    return status;
}

typedef struct adding { /* tokens to those that the spec has */
    const attn_vocab_source *source;
    attn_tokenizer_spec *spec;
    attn_added_token *added; /* the spec's, with room for all */
    attn_map places;         /* content → place in added */
    attn_error *error;
} adding;

static attn_status open_adding(adding *a, size_t count)
{
    a->added = more_added(a->source->arena, count, a->spec);
    if (a->added == NULL)
        return attn_fail_memory(a->error);
    for (size_t i = 0; i < a->spec->n_added; i++)
        if (attn_map_add(&a->places, a->added[i].content, i) == ATTN_MAP_NOMEM)
            return attn_fail_memory(a->error);
    return ATTN_OK;
}

/* A token that was added, its content copied into the arena; it takes the place of one that is spelled like it. Only
 * WordPiece's text, which may be lower-cased, is searched in its normal form. */
static attn_status add(adding *a, const char *content, attn_added_token token)
{
    char *copy = attn_arena_text(a->source->arena, content, strlen(content));
    size_t place = a->spec->n_added;
    if (copy == NULL)
        return attn_fail_memory(a->error);
    token.content = attn_bytes_of(copy);
    token.normalized = token.normalized && !token.special && a->spec->kind == &attn_kind_wordpiece;
    if (!attn_map_find(&a->places, token.content, &place)) {
        if (attn_map_add(&a->places, token.content, place) == ATTN_MAP_NOMEM)
            return attn_fail_memory(a->error);
        a->spec->n_added++;
    }
    a->added[place] = token;
    return ATTN_OK;
}

/* {"id": {"content": …, "lstrip": …}, …} */
static attn_status read_decoder(const attn_vocab_source *source, const attn_json_node *decoder,
                                attn_tokenizer_spec *spec, attn_error *error)
{
    adding a = {.source = source, .spec = spec, .error = error};
    attn_status status = open_adding(&a, attn_json_node_size(decoder));
    for (const attn_json_node *node = attn_json_node_first(decoder); node != NULL && status == ATTN_OK;
         node = attn_json_node_next(node)) {
        const char *content = attn_json_node_text(attn_json_node_member(node, "content"));
        const char *key = attn_json_node_key(node);
        char *end = NULL;
        const unsigned long long id = key != NULL && *key >= '0' && *key <= '9' ? strtoull(key, &end, 10) : 0;
        attn_added_token token = {.id = (uint32_t)id};
        if (content == NULL || end == NULL || *end != '\0' || id >= ATTN_NO_TOKEN)
            status =
                not_a_token(source, config_name, node, "an id and a token's content in 'added_tokens_decoder'", error);
        else if ((status = read_switches(source, node, &token, error)) == ATTN_OK)
            status = add(&a, content, token);
    }
    attn_map_free(&a.places);
    return status;
}

/* {"token": id, …} */
static attn_status read_added(const attn_vocab_source *source, const surroundings *s, attn_tokenizer_spec *spec,
                              attn_error *error)
{
    adding a = {.source = source, .spec = spec, .error = error};
    attn_map special = {0};
    attn_status status = open_adding(&a, attn_json_node_size(s->added));
    if (status == ATTN_OK && (!special_names(s->config, &special) || !special_names(s->map, &special)))
        status = attn_fail_memory(error);
    for (const attn_json_node *node = attn_json_node_first(s->added); node != NULL && status == ATTN_OK;
         node = attn_json_node_next(node)) {
        const char *content = attn_json_node_key(node);
        uint64_t id;
        size_t unused;
        if (content == NULL || !attn_json_node_u64(node, ATTN_NO_TOKEN - 1, &id)) {
            status = not_a_token(source, "added_tokens.json", node, "a token and its id", error);
            break;
        }
        const bool is_special = attn_map_find(&special, attn_bytes_of(content), &unused);
        status = add(&a, content, (attn_added_token){.id = (uint32_t)id, .special = is_special, .normalized = true});
    }
    attn_map_free(&special);
    attn_map_free(&a.places);
    return status;
}

attn_status attn_vocab_beside(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    surroundings s = {0};
    attn_status status = read_files(source, &s, error);
    const frame *f = status == ATTN_OK ? find_frame(&s) : NULL;
    const attn_json_node *decoder = attn_json_node_member(s.config, "added_tokens_decoder");
    if (f != NULL && spec->kind != NULL)
        status = put_around(source, &s, f, spec, error);
    if (f != NULL && status == ATTN_OK && spec->normalizer != NULL) { /* SentencePiece's */
        status = put_sentinels(source, &s, f, spec, error);
        if (status == ATTN_OK)
            status = prepare(source, &s, f, spec, error);
    }
    if (status == ATTN_OK && decoder != NULL)
        status = read_decoder(source, decoder, spec, error);
    else if (status == ATTN_OK && s.added != NULL)
        status = read_added(source, &s, spec, error);
    free_files(&s);
    return status;
}
