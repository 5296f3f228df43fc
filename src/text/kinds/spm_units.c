/* spm_units.c: SentencePiece's CHAR and WORD models: every character is a token, or what begins at a '▁'; what is none is
 * unknown, with its unknown neighbours, or becomes bytes. Their rows are no kinds of the command line. Knows no file. */
#include "config.h"

#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/kinds/coder.h"

typedef struct spm_units {
    attn_coder coder;
    const attn_vocabulary *vocabulary; /* borrowed */
    const uint8_t *types;              /* borrowed, or NULL; [n_tokens] */
    uint32_t byte_ids[256];            /* of <0xNN>, or ATTN_NO_TOKEN */
    bool byte_fallback, words;
} spm_units;

/* Where the unit at AT of WORD ends. */
static size_t unit_end(const spm_units *model, attn_bytes word, size_t at)
{
    size_t length;
    do {
        attn_utf8_decode(word, at, &length);
        at += length;
    } while (model->words && at < word.size && !attn_is_word_mark(word, at));
    return at;
}

/* The id of UNIT, which no control token, unknown token or byte is. */
static uint32_t unit_id(const spm_units *model, attn_bytes unit)
{
    size_t id;
    if (!attn_vocabulary_find(model->vocabulary, unit, &id))
        return ATTN_NO_TOKEN;
    const uint8_t type = model->types != NULL ? model->types[id] : ATTN_TOKEN_NORMAL;
    const bool is_text = type == ATTN_TOKEN_NORMAL || type == ATTN_TOKEN_USER || type == ATTN_TOKEN_UNUSED;
    return is_text ? (uint32_t)id : ATTN_NO_TOKEN;
}

static attn_status cut(const void *state, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    const spm_units *model = state;
    attn_status status = attn_coder_reserve(space, word.size, error);
    size_t n = 0;
    if (status != ATTN_OK)
        return status;
    if (word.size > UINT32_MAX)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a single word of %zu bytes is too long", word.size);
    for (size_t at = 0, end; at < word.size; at = end) {
        uint32_t id;
        end = unit_end(model, word, at);
        id = unit_id(model, (attn_bytes){word.data + at, end - at});
        if (id == ATTN_NO_TOKEN && model->byte_fallback)
            for (; at < end; at++)
                space->pieces[n++] = (attn_piece){model->byte_ids[word.data[at]], 1, at};
        else
            space->pieces[n++] = (attn_piece){id, (uint32_t)(end - at), at};
    }
    space->n_pieces = n;
    return ATTN_OK;
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    spm_units *model = attn_calloc_array(1, sizeof *model);
    attn_status status;
    tokenizer->state = model;
    if (model == NULL)
        return attn_fail_memory(error);
    model->vocabulary = &tokenizer->vocabulary;
    model->words = tokenizer->kind == &attn_kind_spm_words;
    model->types = tokenizer->spec.types;
    model->byte_fallback = spec->byte_fallback;
    attn_byte_token_ids(&tokenizer->vocabulary, model->byte_ids);
    status = attn_coder_open(&model->coder, spec, cut, model, error);
    model->coder.fuse_unknown = true;
    model->coder.at_marks = true;
    return status;
}

static void close_kind(void *state)
{
    spm_units *model = state;
    if (model == NULL)
        return;
    attn_coder_close(&model->coder);
    attn_free(model);
}

#define ROW(own_name)                                                                                                  \
    {                                                                                                                  \
        .name = (own_name), .label = ATTN_LABEL_SENTENCEPIECE, .open = open_kind, .close = close_kind,                 \
        .normalize = attn_coder_normalize, .encode = attn_coder_encode, .free_scratch = attn_coder_free_scratch,       \
    }
const attn_kind attn_kind_spm_chars = ROW("sentencepiece chars");
const attn_kind attn_kind_spm_words = ROW("sentencepiece words");
