/* vocab_json.c: {"token": id, …}. With merges.txt (or vocab.bpe) beside it, it is a byte-level BPE
 * as GPT-2's; alone it is a list of words. Called by load.c. */
#include "config.h"

#include "text/vocab/reader.h"
#include "text/vocab/vocab_list.h"

#include <string.h>

static const char *const merges_names[] = {"merges.txt", "vocab.bpe", NULL};
/* Tokens that such vocabularies hold for the model, not for text. */
static const char *const special_names[] = {"<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>", "<mask>"};
enum { N_SPECIALS = sizeof special_names / sizeof special_names[0] };

/* An object whose first value is a number, or an empty one. */
static attn_status is_vocab_json(const attn_vocab_source *source, bool *is, attn_error *error)
{
    attn_bytes key;
    attn_json *json = attn_json_open(source->bytes, source->path, error);
    *is = false;
    if (json == NULL)
        return error->status;
    if (attn_json_peek(json) == ATTN_JSON_OBJECT && attn_json_object(json))
        *is = !attn_json_key(json, &key) ? attn_json_status(json) == ATTN_OK : attn_json_peek(json) == ATTN_JSON_NUMBER;
    const attn_status status = attn_json_status(json);
    attn_json_close(json);
    return status == ATTN_ENOMEM ? status : ATTN_OK; /* JSON that is damaged is none */
}

static attn_status read_vocabulary(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    attn_json *json = attn_json_open(source->bytes, source->path, error);
    attn_status status;
    if (json == NULL)
        return error->status;
    status = attn_read_vocab_object(json, source->arena, spec, error);
    if (status == ATTN_OK)
        status = attn_json_end(json);
    attn_json_close(json);
    return status;
}

/* The merges beside the vocabulary, copied into the arena; none: spec->merges stays NULL. */
static attn_status read_merges(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    attn_file file;
    attn_status status = attn_vocab_open_beside(source, merges_names, &file, error);
    if (status == ATTN_OK && file.name != NULL) {
        char *copy = attn_arena_text(source->arena, (const char *)file.bytes.data, file.bytes.size);
        attn_bytes text = {(const uint8_t *)copy, file.bytes.size};
        status =
            copy != NULL ? attn_read_merges_text(text, file.name, source->arena, spec, error) : attn_fail_memory(error);
    }
    attn_file_close(&file);
    return status;
}

static bool ends_with(attn_bytes token, const char *end)
{
    const size_t size = strlen(end);
    return token.size > size && memcmp(token.data + token.size - size, end, size) == 0;
}

/* The model's own tokens: in a text only with --parse-special. Marks of words' ends are refused. */
static attn_status mark_specials(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    attn_added_token *added = attn_arena_alloc(source->arena, N_SPECIALS, sizeof *added);
    if (added == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < spec->n_tokens; i++) {
        const attn_bytes token = spec->tokens[i];
        if (token.size < 3 || token.data[token.size - 1] != '>')
            continue;
        if (ends_with(token, "</w>"))
            return attn_fail(error, ATTN_EUNSUPPORTED,
                             "the vocabulary marks the ends of words with '</w>', which is not supported");
        for (size_t s = 0; s < N_SPECIALS; s++)
            if (attn_bytes_are(token, special_names[s]) && spec->n_added < N_SPECIALS)
                added[spec->n_added++] = (attn_added_token){.content = token, .id = (uint32_t)i, .special = true};
    }
    spec->added = added;
    return ATTN_OK;
}

static attn_status read_vocab_json(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    attn_status status = read_vocabulary(source, spec, error);
    if (status == ATTN_OK)
        status = read_merges(source, spec, error);
    if (status != ATTN_OK)
        return status;
    if (spec->merges == NULL) {
        spec->unknown = attn_spec_find_unknown(spec);
        return ATTN_OK;
    }
    spec->kind = &attn_kind_bpe;
    spec->byte_level = true;
    spec->split = ATTN_SPLIT_GPT2;
    return mark_specials(source, spec, error);
}

static const char *const files[] = {"vocab.json", NULL};

const attn_vocab_reader attn_vocab_reader_vocab_json = {.files = files, .is = is_vocab_json, .read = read_vocab_json};
