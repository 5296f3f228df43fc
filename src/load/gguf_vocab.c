/* gguf_vocab.c: the tokenizer in GGUF's metadata as a spec for text/. */
#include "config.h"

#include "load/loader.h"

#include <math.h>
#include <string.h>

typedef struct vocab_reader {
    attn_loader *loader;
    const attn_container *container;
    attn_arena arena; /* what the spec borrows until it is compiled */
    attn_tokenizer_spec spec;
} vocab_reader;

static const attn_meta *get(const vocab_reader *r, const char *key)
{
    return attn_container_meta(r->container, key);
}

static attn_status bad(const vocab_reader *r, const char *key, const char *message)
{
    attn_fail(r->loader->error, ATTN_EDATA, "%s: %s", key, message);
    return attn_error_file(r->loader->error, r->container->files[0].name);
}

static attn_status bad_token(const vocab_reader *r, const char *key, size_t token, const char *message)
{
    attn_fail(r->loader->error, ATTN_EDATA, "%s: token %zu: %s", key, token, message);
    return attn_error_file(r->loader->error, r->container->files[0].name);
}

/* The id at KEY, ATTN_NO_TOKEN where there is none. */
static uint32_t id_at(const vocab_reader *r, const char *key)
{
    const attn_meta *meta = get(r, key);
    if (meta == NULL || meta->type != ATTN_META_U64 || meta->u64 >= r->spec.n_tokens)
        return ATTN_NO_TOKEN;
    return (uint32_t)meta->u64;
}

static bool flag_at(const vocab_reader *r, const char *key, bool fallback)
{
    const attn_meta *meta = get(r, key);
    return meta != NULL && meta->type == ATTN_META_BOOL ? meta->boolean : fallback;
}

static attn_status read_tokens(vocab_reader *r)
{
    const attn_meta *tokens = get(r, "tokenizer.ggml.tokens");
    if (tokens == NULL || tokens->type != ATTN_META_ARRAY || tokens->element != ATTN_META_STRING ||
        tokens->n_elements == 0 || tokens->n_elements >= ATTN_NO_TOKEN)
        return bad(r, "tokenizer.ggml.tokens", "expected an array of tokens");
    r->spec.tokens = tokens->strings;
    r->spec.n_tokens = tokens->n_elements;
    return ATTN_OK;
}

static attn_status read_scores(vocab_reader *r)
{
    const attn_meta *scores = get(r, "tokenizer.ggml.scores");
    if (scores == NULL)
        return ATTN_OK;
    if (scores->type != ATTN_META_ARRAY || scores->element == ATTN_META_STRING ||
        scores->n_elements != r->spec.n_tokens)
        return bad(r, "tokenizer.ggml.scores", "expected one number a token");
    float *copy = attn_arena_aligned(&r->arena, scores->n_elements, sizeof *copy);
    if (copy == NULL)
        return attn_fail_memory(r->loader->error);
    attn_tensor_to_f32(scores->numbers, copy);
    for (size_t i = 0; i < scores->n_elements; i++)
        if (!isfinite(copy[i]))
            return bad_token(r, "tokenizer.ggml.scores", i, "expected a finite number");
    r->spec.scores = copy;
    return ATTN_OK;
}

static attn_status read_types(vocab_reader *r)
{
    const attn_meta *types = get(r, "tokenizer.ggml.token_type");
    if (types == NULL)
        return ATTN_OK;
    if (types->type != ATTN_META_ARRAY || types->element == ATTN_META_STRING || types->n_elements != r->spec.n_tokens)
        return bad(r, "tokenizer.ggml.token_type", "expected one number a token");
    float *numbers = attn_arena_aligned(&r->arena, types->n_elements, sizeof *numbers);
    uint8_t *copy = attn_arena_alloc(&r->arena, types->n_elements, 1);
    if (copy == NULL || numbers == NULL)
        return attn_fail_memory(r->loader->error);
    attn_tensor_to_f32(types->numbers, numbers);
    for (size_t i = 0; i < types->n_elements; i++) {
        if (!(numbers[i] >= 0.0F && numbers[i] <= 6.0F && numbers[i] == floorf(numbers[i])))
            return bad_token(r, "tokenizer.ggml.token_type", i, "expected a type from 0 to 6");
        copy[i] = numbers[i] >= 1.0F ? (uint8_t)numbers[i] : ATTN_TOKEN_NORMAL; /* 0: not said */
    }
    r->spec.types = copy;
    return ATTN_OK;
}

/* Tokens of a control or user kind are recognised in a text whole. */
static attn_status read_added(vocab_reader *r)
{
    size_t count = 0;
    for (size_t i = 0; r->spec.types != NULL && i < r->spec.n_tokens; i++)
        if (r->spec.types[i] == ATTN_TOKEN_CONTROL || r->spec.types[i] == ATTN_TOKEN_USER)
            count++;
    if (count == 0)
        return ATTN_OK;
    attn_added_token *added = attn_arena_alloc(&r->arena, count, sizeof *added);
    if (added == NULL)
        return attn_fail_memory(r->loader->error);
    for (size_t i = 0; i < r->spec.n_tokens; i++) {
        if ((r->spec.types[i] != ATTN_TOKEN_CONTROL && r->spec.types[i] != ATTN_TOKEN_USER) ||
            r->spec.tokens[i].size == 0)
            continue;
        added[r->spec.n_added++] = (attn_added_token){
            .content = r->spec.tokens[i], .id = (uint32_t)i, .special = r->spec.types[i] == ATTN_TOKEN_CONTROL};
    }
    r->spec.added = added;
    return ATTN_OK;
}

/* "a b" as ("a", "b"): the first space behind the first byte parts them. */
static attn_status read_merges(vocab_reader *r)
{
    const attn_meta *merges = get(r, "tokenizer.ggml.merges");
    if (merges == NULL || merges->type != ATTN_META_ARRAY || merges->element != ATTN_META_STRING)
        return bad(r, "tokenizer.ggml.merges", "expected an array of merges");
    attn_bytes(*pairs)[2] = attn_arena_alloc(&r->arena, merges->n_elements, sizeof *pairs);
    if (pairs == NULL)
        return attn_fail_memory(r->loader->error);
    for (size_t i = 0; i < merges->n_elements; i++) {
        attn_bytes text = merges->strings[i];
        const uint8_t *space = text.size > 1 ? memchr(text.data + 1, ' ', text.size - 1) : NULL;
        if (space == NULL)
            return bad(r, "tokenizer.ggml.merges", "expected two tokens with a space between them");
        size_t left = (size_t)(space - text.data);
        pairs[i][0] = (attn_bytes){text.data, left};
        pairs[i][1] = (attn_bytes){space + 1, text.size - left - 1};
    }
    r->spec.merges = (const attn_bytes(*)[2])pairs;
    r->spec.n_merges = merges->n_elements;
    return ATTN_OK;
}

/* The split by its name in tokenizer.ggml.pre; files from before there was one are GPT-2's. */
static attn_status read_split(vocab_reader *r, bool *begins)
{
    const attn_meta *pre = get(r, "tokenizer.ggml.pre"), *model = get(r, "tokenizer.ggml.model");
    char name[64];
    if (attn_bytes_are(model->string, "gemma4")) /* a model of its own, and no name */
        pre = model;
    r->spec.split = ATTN_SPLIT_GPT2;
    if (pre == NULL || pre->type != ATTN_META_STRING)
        return ATTN_OK;
    size_t size = pre->string.size < sizeof name - 1 ? pre->string.size : sizeof name - 1;
    memcpy(name, pre->string.data, size);
    name[size] = '\0';
    if (attn_spec_split_as(&r->spec, name, begins, r->loader->error) == ATTN_OK)
        return ATTN_OK;
    attn_error_prefix(r->loader->error, "tokenizer.ggml.pre: ");
    attn_error_hint(r->loader->error, "give the model's tokenizer.json with -v");
    return attn_error_file(r->loader->error, r->container->files[0].name);
}

/* Tokens around a text: one before where asked, one behind where asked. */
static attn_status surround(vocab_reader *r, bool before, uint32_t first, bool behind, uint32_t last)
{
    uint32_t *ids = attn_arena_alloc(&r->arena, 2, sizeof *ids);
    if (ids == NULL)
        return attn_fail_memory(r->loader->error);
    ids[0] = first;
    ids[1] = last;
    r->spec.prefix = ids;
    r->spec.n_prefix = before && first != ATTN_NO_TOKEN ? 1 : 0;
    r->spec.suffix = ids + 1;
    r->spec.n_suffix = behind && last != ATTN_NO_TOKEN ? 1 : 0;
    return ATTN_OK;
}

/* BEGIN, END: where the file does not say. */
static attn_status begin_and_end(vocab_reader *r, bool begin, bool end)
{
    return surround(r, flag_at(r, "tokenizer.ggml.add_bos_token", begin), id_at(r, "tokenizer.ggml.bos_token_id"),
                    flag_at(r, "tokenizer.ggml.add_eos_token", end), id_at(r, "tokenizer.ggml.eos_token_id"));
}

static attn_status fill_sentencepiece(vocab_reader *r)
{
    r->spec.kind = &attn_kind_bpe;
    r->spec.byte_fallback = true;
    r->spec.escape_spaces = true;
    r->spec.dummy_prefix = flag_at(r, "tokenizer.ggml.add_space_prefix", true);
    r->spec.collapse_spaces = flag_at(r, "tokenizer.ggml.remove_extra_whitespaces", false);
    if (r->spec.scores == NULL)
        return bad(r, "tokenizer.ggml.scores", "expected one number a token, found none");
    return begin_and_end(r, true, false);
}

static attn_status fill_bpe(vocab_reader *r)
{
    bool begins = false;
    attn_status status = read_merges(r);
    r->spec.kind = &attn_kind_bpe;
    r->spec.byte_level = true;
    r->spec.scores = NULL;
    r->spec.add_prefix_space = flag_at(r, "tokenizer.ggml.add_space_prefix", false);
    if (status == ATTN_OK)
        status = read_split(r, &begins);
    return status == ATTN_OK ? begin_and_end(r, begins, false) : status;
}

static attn_status fill_unigram(vocab_reader *r)
{
    const attn_meta *map = get(r, "tokenizer.ggml.precompiled_charsmap");
    r->spec.kind = &attn_kind_unigram;
    r->spec.escape_spaces = true;
    r->spec.fuse_unknown = true;
    r->spec.dummy_prefix = flag_at(r, "tokenizer.ggml.add_space_prefix", true);
    r->spec.collapse_spaces = flag_at(r, "tokenizer.ggml.remove_extra_whitespaces", true);
    if (map != NULL && map->type == ATTN_META_ARRAY && map->numbers != NULL) {
        r->spec.charsmap.data = map->numbers->data;
        r->spec.charsmap.size = map->n_elements;
    }
    if (r->spec.scores == NULL)
        return bad(r, "tokenizer.ggml.scores", "expected one number a token, found none");
    return begin_and_end(r, false, true);
}

/* Older files do not say whether a BERT vocabulary is lower case; one without upper-case pieces is. */
static bool has_upper_case(const vocab_reader *r)
{
    for (size_t i = 0; i < r->spec.n_tokens; i++) {
        attn_bytes t = r->spec.tokens[i];
        if (r->spec.types != NULL && r->spec.types[i] != ATTN_TOKEN_NORMAL)
            continue;
        if (t.size > 0 && t.data[0] == '[')
            continue; /* [UNK] and its like, where no type says so */
        for (size_t k = 0; k < t.size; k++)
            if (t.data[k] >= 'A' && t.data[k] <= 'Z')
                return true;
    }
    return false;
}

static attn_status fill_wordpiece(vocab_reader *r)
{
    uint32_t first = id_at(r, "tokenizer.ggml.cls_token_id"), last = id_at(r, "tokenizer.ggml.seperator_token_id");
    r->spec.kind = &attn_kind_wordpiece;
    r->spec.word_marks = true;
    r->spec.bert_rules = ATTN_BERT_RUST;
    r->spec.lowercase = flag_at(r, "tokenizer.ggml.normalizer.lowercase", !has_upper_case(r));
    r->spec.strip_accents = flag_at(r, "tokenizer.ggml.normalizer.strip_accents", r->spec.lowercase);
    r->spec.clean_text = r->spec.split_cjk = true;
    if (first == ATTN_NO_TOKEN)
        first = id_at(r, "tokenizer.ggml.bos_token_id");
    if (last == ATTN_NO_TOKEN)
        last = id_at(r, "tokenizer.ggml.eos_token_id");
    return surround(r, flag_at(r, "tokenizer.ggml.add_bos_token", true), first,
                    flag_at(r, "tokenizer.ggml.add_eos_token", true), last);
}

typedef struct vocab_model {
    const char *name; /* of tokenizer.ggml.model */
    attn_status (*fill)(vocab_reader *r);
} vocab_model;

static const vocab_model vocab_models[] = {
    {"llama", fill_sentencepiece}, {"gpt2", fill_bpe},   {"gemma4", fill_bpe},
    {"bert", fill_wordpiece},      {"t5", fill_unigram},
};

static attn_status fill(vocab_reader *r)
{
    const attn_meta *model = get(r, "tokenizer.ggml.model");
    attn_status status;
    if (model == NULL || model->type != ATTN_META_STRING)
        return bad(r, "tokenizer.ggml.model", "expected the tokenizer's kind, found none");
    if ((status = read_tokens(r)) != ATTN_OK || (status = read_scores(r)) != ATTN_OK ||
        (status = read_types(r)) != ATTN_OK || (status = read_added(r)) != ATTN_OK)
        return status;
    r->spec.unknown = id_at(r, "tokenizer.ggml.unknown_token_id");
    for (size_t i = 0; i < sizeof vocab_models / sizeof vocab_models[0]; i++)
        if (attn_bytes_are(model->string, vocab_models[i].name))
            return vocab_models[i].fill(r);
    return bad(r, "tokenizer.ggml.model", "expected llama, gpt2, gemma4, bert or t5");
}

attn_status attn_load_gguf_tokenizer(attn_loader *loader, const attn_container *container)
{
    vocab_reader r = {.loader = loader, .container = container, .spec = attn_tokenizer_spec_default()};
    attn_status status = fill(&r);
    attn_spec_override(&r.spec, loader->request->tokenizer);
    if (status == ATTN_OK)
        status = attn_tokenizer_open(&r.spec, &loader->model->tokenizer, loader->error);
    attn_arena_free(&r.arena);
    return status;
}
