/* open.c: compiles a spec into a tokenizer: copies the vocabulary into the tokenizer's arena,
 * indexes it, builds the finders of added tokens, opens the kind. Used by whoever has a spec
 * (vocab/load.c, load/). */
#include "config.h"

#include "text/added.h"
#include "text/byte_alphabet.h"
#include "text/unicode/compose.h"
#include "text/kinds/kinds.h"

#include <string.h>

/* An added token's id may lie beyond the model's own vocabulary, but not so far that a wrong file
 * makes a huge table. */
enum { MAX_ID_GAP = 1 << 16 };

/* The number of ids: the vocabulary's, and what added tokens add to it. */
static attn_status count_ids(const attn_tokenizer_spec *spec, size_t *n_ids, attn_error *error)
{
    size_t count = spec->n_tokens;
    size_t limit;
    if (spec->n_tokens >= ATTN_NO_TOKEN - MAX_ID_GAP || spec->n_added >= ATTN_NO_TOKEN)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a vocabulary of %zu tokens is too large", spec->n_tokens);
    limit = spec->n_tokens + spec->n_added + MAX_ID_GAP;
    for (size_t i = 0; i < spec->n_added; i++) {
        const attn_added_token *added = &spec->added[i];
        if (added->id == ATTN_NO_TOKEN || added->id >= limit)
            return attn_fail(error, ATTN_EDATA,
                             "the added token '%.*s' has id %lu, far beyond the vocabulary's %zu tokens",
                             (int)(added->content.size < 64 ? added->content.size : 64),
                             (const char *)added->content.data, (unsigned long)added->id, spec->n_tokens);
        if (added->id >= count)
            count = (size_t)added->id + 1;
    }
    *n_ids = count;
    return ATTN_OK;
}

static bool copy_bytes(attn_arena *arena, attn_bytes *bytes)
{
    char *copy;
    if (bytes->data == NULL && bytes->size == 0)
        return true;
    copy = attn_arena_text(arena, (const char *)bytes->data, bytes->size);
    bytes->data = (const uint8_t *)copy;
    return copy != NULL;
}

/* A copy of TEXT in the arena; NULL stays NULL. */
static bool copy_text(attn_arena *arena, const char **text)
{
    if (*text == NULL)
        return true;
    *text = attn_arena_text(arena, *text, strlen(*text));
    return *text != NULL;
}

/* A copy of COUNT elements in the arena; NULL stays NULL. */
static bool copy_array(attn_arena *arena, const void *from, size_t count, size_t size, void *to)
{
    void *copy = NULL;
    if (from != NULL && count > 0) {
        copy = attn_arena_alloc(arena, count, size);
        if (copy == NULL)
            return false;
        memcpy(copy, from, count * size);
    }
    memcpy(to, &copy, sizeof copy);
    return true;
}

/* How token INDEX is spelled here: what stands before the rest of it. */
typedef struct spelling {
    const char *before;
    attn_bytes rest;
} spelling;

static spelling spell(const attn_tokenizer_spec *spec, size_t index)
{
    attn_bytes token = spec->tokens[index];
    const bool bracketed = token.size > 2 && token.data[0] == '[' && token.data[token.size - 1] == ']';
    if (!spec->word_marks || token.size == 0 || bracketed)
        return (spelling){"", token};
    if (token.size > ATTN_WORD_MARK_SIZE && attn_is_word_mark(token, 0))
        return (spelling){"", {token.data + ATTN_WORD_MARK_SIZE, token.size - ATTN_WORD_MARK_SIZE}};
    return (spelling){spec->continuation != NULL ? spec->continuation : "", token};
}

static bool measure_spellings(const attn_tokenizer_spec *spec, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < spec->n_tokens; i++) {
        spelling spelled = spell(spec, i);
        if (!attn_add(*total, spelled.rest.size, total) || !attn_add(*total, strlen(spelled.before), total))
            return false;
    }
    return true;
}

/* All spellings of the vocabulary in one block. */
static attn_status copy_vocabulary(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, size_t n_ids,
                                   attn_error *error)
{
    attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    size_t total;
    uint8_t *block;
    if (vocabulary->tokens != NULL) /* the kind's own */
        return ATTN_OK;
    if (!measure_spellings(spec, &total))
        return attn_fail_memory(error);
    vocabulary->tokens = attn_arena_alloc(&tokenizer->arena, n_ids, sizeof *vocabulary->tokens);
    block = attn_arena_alloc(&tokenizer->arena, total, 1);
    if (vocabulary->tokens == NULL || block == NULL)
        return attn_fail_memory(error);
    vocabulary->n_tokens = n_ids;
    vocabulary->n_own = spec->n_tokens;
    for (size_t i = 0; i < n_ids; i++) {
        spelling spelled;
        size_t before;
        vocabulary->tokens[i] = (attn_bytes){NULL, 0};
        if (i >= spec->n_tokens || spec->tokens[i].data == NULL)
            continue;
        spelled = spell(spec, i);
        before = strlen(spelled.before);
        memcpy(block, spelled.before, before);
        if (spelled.rest.size > 0)
            memcpy(block + before, spelled.rest.data, spelled.rest.size);
        vocabulary->tokens[i] = (attn_bytes){block, before + spelled.rest.size};
        block += before + spelled.rest.size;
    }
    return ATTN_OK;
}

/* Added tokens, their contents, and the ids beyond the vocabulary that they name. */
static attn_status copy_added(attn_tokenizer *tokenizer, attn_error *error)
{
    attn_tokenizer_spec *spec = &tokenizer->spec;
    attn_added_token *added = NULL;
    if (!copy_array(&tokenizer->arena, spec->added, spec->n_added, sizeof *added, &added))
        return attn_fail_memory(error);
    for (size_t i = 0; i < spec->n_added; i++) {
        attn_bytes *own = &tokenizer->vocabulary.tokens[added[i].id];
        if (!copy_bytes(&tokenizer->arena, &added[i].content))
            return attn_fail_memory(error);
        if (own->data == NULL)
            *own = added[i].content;
    }
    spec->added = added;
    return ATTN_OK;
}

/* Control tokens are no text: they are spelled as they are read. So are, beside byte-level
 * spellings, added tokens; SentencePiece's added tokens have its '▁'. */
static attn_status mark_plain(attn_tokenizer *tokenizer, attn_error *error)
{
    const attn_tokenizer_spec *spec = &tokenizer->spec;
    const bool byte_level = tokenizer->label == ATTN_LABEL_BYTE_LEVEL;
    const size_t n_ids = tokenizer->vocabulary.n_tokens;
    uint8_t *is_plain = attn_arena_alloc(&tokenizer->arena, n_ids, sizeof *is_plain);
    if (is_plain == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < n_ids; i++) {
        uint8_t type = i < spec->n_tokens && spec->types != NULL ? spec->types[i] : ATTN_TOKEN_NORMAL;
        is_plain[i] =
            type == ATTN_TOKEN_CONTROL || type == ATTN_TOKEN_UNKNOWN || (type == ATTN_TOKEN_USER && byte_level);
    }
    for (size_t i = 0; i < spec->n_added; i++)
        if (spec->added[i].special || byte_level)
            is_plain[spec->added[i].id] = 1;
    tokenizer->vocabulary.is_plain = is_plain;
    return ATTN_OK;
}

/* KEY as the text will look it up. */
static attn_status compose_key(attn_tokenizer *tokenizer, attn_bytes *key, attn_error *error)
{
    attn_normal normal = {0};
    attn_status status;
    if (attn_is_ascii(*key))
        return ATTN_OK;
    status = attn_compose_normalize(tokenizer, false, *key, false, &normal, error);
    if (status == ATTN_OK && !normal.same && !attn_bytes_equal(attn_buffer_bytes(&normal.text), *key)) {
        *key = attn_buffer_bytes(&normal.text);
        if (!copy_bytes(&tokenizer->arena, key))
            status = attn_fail_memory(error);
    }
    attn_normal_free(&normal);
    return status;
}

/* The keys are the tokens but where one is composed otherwise: then they are an array of their own. */
static attn_status compose_keys(attn_tokenizer *tokenizer, attn_error *error)
{
    attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    for (size_t i = 0; i < vocabulary->n_tokens; i++) {
        attn_bytes key = vocabulary->tokens[i];
        if (compose_key(tokenizer, &key, error) != ATTN_OK)
            return ATTN_ENOMEM;
        if (key.data == vocabulary->tokens[i].data)
            continue;
        const void *tokens = vocabulary->tokens;
        if (vocabulary->keys == vocabulary->tokens &&
            !copy_array(&tokenizer->arena, tokens, vocabulary->n_tokens, sizeof *vocabulary->keys, &vocabulary->keys))
            return attn_fail_memory(error);
        vocabulary->keys[i] = key;
    }
    return ATTN_OK;
}

static attn_status index_vocabulary(attn_tokenizer *tokenizer, attn_error *error)
{
    attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    const bool composes = tokenizer->kind->normalize == attn_compose_normalize;
    vocabulary->keys = vocabulary->tokens;
    if (vocabulary->numbered)
        return ATTN_OK;
    if (composes && compose_keys(tokenizer, error) != ATTN_OK)
        return ATTN_ENOMEM;
    vocabulary->ids.keys = vocabulary->keys;
    if (!attn_map_reserve(&vocabulary->ids, vocabulary->n_tokens))
        return attn_fail_memory(error);
    for (size_t i = 0; i < vocabulary->n_tokens; i++) {
        const attn_bytes *key = &vocabulary->keys[i];
        if (key->size == 0) /* a hole, or an empty line: an id without look-up */
            continue;
        if (attn_map_add_index(&vocabulary->ids, vocabulary->keys, i) == ATTN_MAP_NOMEM)
            return attn_fail_memory(error);
        if (key->size > vocabulary->longest)
            vocabulary->longest = key->size;
    }
    return ATTN_OK;
}

static attn_status check_ids(const attn_tokenizer *tokenizer, attn_error *error)
{
    const attn_tokenizer_spec *spec = &tokenizer->spec;
    const size_t n = tokenizer->vocabulary.n_tokens;
    const struct {
        const uint32_t *ids;
        size_t count;
    } lists[] = {{&spec->unknown, spec->unknown != ATTN_NO_TOKEN},
                 {spec->prefix, spec->n_prefix},
                 {spec->suffix, spec->n_suffix}};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].count; i++) {
            uint32_t id = lists[l].ids[i];
            if (id >= n)
                return attn_fail(error, ATTN_EDATA, "a special token has id %lu, but the vocabulary has %zu tokens",
                                 (unsigned long)id, n);
        }
    return ATTN_OK;
}

/* The spec's arrays as copies of our own. */
static attn_status copy_spec(attn_tokenizer *tokenizer, attn_error *error)
{
    attn_tokenizer_spec *spec = &tokenizer->spec;
    attn_arena *arena = &tokenizer->arena;
    const char *continuation = spec->continuation != NULL ? spec->continuation : "";
    spec->tokens = tokenizer->vocabulary.tokens;
    spec->continuation = attn_arena_text(arena, continuation, strlen(continuation));
    if (spec->continuation == NULL || !copy_text(arena, &spec->unknown_name) ||
        !copy_text(arena, &spec->piece_prefix) || !copy_text(arena, &spec->word_suffix) ||
        !copy_array(arena, spec->types, spec->n_tokens, sizeof *spec->types, &spec->types) ||
        !copy_array(arena, spec->prefix, spec->n_prefix, sizeof *spec->prefix, &spec->prefix) ||
        !copy_array(arena, spec->suffix, spec->n_suffix, sizeof *spec->suffix, &spec->suffix))
        return attn_fail_memory(error);
    spec->scores = NULL;
    spec->double_scores = NULL;
    spec->merges = NULL;
    spec->n_merges = 0;
    spec->pattern = NULL;
    spec->charsmap = (attn_bytes){NULL, 0};
    spec->normalizer = NULL;
    spec->presplitter = NULL;
    return check_ids(tokenizer, error);
}

/* The content of an added token as it looks in normalised text. */
static attn_status normalize_content(attn_tokenizer *tokenizer, attn_added_token *added, attn_error *error)
{
    attn_normal normal = {0};
    const attn_kind *kind = tokenizer->kind;
    attn_status status;
    if (kind->normalize == NULL)
        return ATTN_OK;
    status = kind->normalize(tokenizer, tokenizer->spec.lowercase, added->content, false, &normal, error);
    if (status == ATTN_EDATA && error != NULL) {
        error->has_offset = false;
        attn_error_prefix(error, "the added token '%.*s': ", (int)(added->content.size < 64 ? added->content.size : 64),
                          (const char *)added->content.data);
    }
    if (status == ATTN_OK && !normal.same) {
        added->content = attn_buffer_bytes(&normal.text);
        if (!copy_bytes(&tokenizer->arena, &added->content))
            status = attn_fail_memory(error);
    }
    attn_normal_free(&normal);
    return status;
}

/* The two finders: raw text first, normalised text second. */
static attn_status open_added(attn_tokenizer *tokenizer, attn_error *error)
{
    const attn_tokenizer_spec *spec = &tokenizer->spec;
    size_t n_raw = 0;
    size_t n_normalized = 0;
    attn_status status;
    attn_added_token *sorted; /* raw ones from the front, normalised ones from the back */
    if (spec->n_added == 0)
        return ATTN_OK;
    sorted = attn_arena_alloc(&tokenizer->arena, spec->n_added, sizeof *sorted);
    if (sorted == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < spec->n_added; i++) {
        attn_added_token added = spec->added[i];
        if (!added.normalized) {
            sorted[n_raw++] = added;
            continue;
        }
        status = normalize_content(tokenizer, &added, error);
        if (status != ATTN_OK)
            return status;
        sorted[spec->n_added - ++n_normalized] = added;
    }
    status = attn_added_open(sorted, n_raw, &tokenizer->added, error);
    if (status != ATTN_OK)
        return status;
    return attn_added_open(sorted + n_raw, n_normalized, &tokenizer->added_normalized, error);
}

/* A spec without tokens, of which the kind may make something. */
static attn_status make_words(attn_tokenizer *tokenizer, attn_tokenizer_spec *spec, attn_error *error)
{
    const attn_kind *kind = tokenizer->kind;
    attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    const size_t n_rows = spec->tokens == NULL ? spec->n_tokens : 0;
    if (kind->wordless == ATTN_WORDLESS_REFUSED || (kind->wordless == ATTN_WORDLESS_NUMBERED && n_rows == 0))
        return attn_fail(error, ATTN_EDATA, "the tokenizer '%s' needs a vocabulary, found no tokens", kind->name);
    attn_bytes *tokens = NULL;
    const attn_status status = kind->vocabulary(&tokenizer->arena, &tokens, &spec->n_tokens, error);
    if (status != ATTN_OK)
        return status;
    vocabulary->tokens = tokens;
    vocabulary->n_tokens = spec->n_tokens;
    vocabulary->numbered = kind->wordless == ATTN_WORDLESS_NUMBERED;
    spec->tokens = tokens;
    return ATTN_OK;
}

static attn_status compile(attn_tokenizer *tokenizer, attn_tokenizer_spec spec, attn_error *error)
{
    size_t n_ids = 0;
    attn_status status = ATTN_OK;
    tokenizer->kind = attn_kind_for(&spec);
    if ((spec.tokens == NULL || spec.n_tokens == 0) && spec.n_added == 0)
        status = make_words(tokenizer, &spec, error);
    tokenizer->label = spec.byte_spelled ? ATTN_LABEL_BYTE_LEVEL : tokenizer->kind->label;
    tokenizer->spec = spec;
    if (status != ATTN_OK || (status = count_ids(&spec, &n_ids, error)) != ATTN_OK ||
        (status = copy_vocabulary(tokenizer, &spec, n_ids, error)) != ATTN_OK ||
        (status = copy_added(tokenizer, error)) != ATTN_OK || (status = copy_spec(tokenizer, error)) != ATTN_OK ||
        (status = mark_plain(tokenizer, error)) != ATTN_OK || (status = index_vocabulary(tokenizer, error)) != ATTN_OK)
        return status;
    if (tokenizer->kind->open != NULL && (status = tokenizer->kind->open(tokenizer, &spec, error)) != ATTN_OK)
        return status;
    return open_added(tokenizer, error);
}

attn_status attn_tokenizer_open(const attn_tokenizer_spec *spec, attn_tokenizer **tokenizer, attn_error *error)
{
    attn_status status;
    *tokenizer = attn_calloc_array(1, sizeof **tokenizer);
    if (*tokenizer == NULL)
        return attn_fail_memory(error);
    status = compile(*tokenizer, *spec, error);
    if (status != ATTN_OK) {
        attn_tokenizer_close(*tokenizer);
        *tokenizer = NULL;
    }
    return status;
}

void attn_tokenizer_close(attn_tokenizer *tokenizer)
{
    if (tokenizer == NULL)
        return;
    if (tokenizer->kind != NULL && tokenizer->kind->close != NULL)
        tokenizer->kind->close(tokenizer->state);
    attn_added_close(tokenizer->added);
    attn_added_close(tokenizer->added_normalized);
    attn_map_free(&tokenizer->vocabulary.ids);
    attn_arena_free(&tokenizer->arena);
    attn_free(tokenizer);
}

const attn_kind *attn_tokenizer_kind_of(const attn_tokenizer *tokenizer)
{
    return tokenizer->spec.kind;
}

size_t attn_tokenizer_size(const attn_tokenizer *tokenizer)
{
    return tokenizer->vocabulary.n_tokens;
}

attn_bytes attn_tokenizer_spelling(const attn_tokenizer *tokenizer, uint32_t id)
{
    if (id >= tokenizer->vocabulary.n_tokens)
        return (attn_bytes){NULL, 0};
    return tokenizer->vocabulary.tokens[id];
}
