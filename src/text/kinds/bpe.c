/* bpe.c: byte-level byte-pair encoding (GPT-2, Llama 3, Qwen, tiktoken's): a word's bytes are its
 * first pieces, written in GPT-2's byte alphabet in the vocabulary. Knows no file. */
#include "config.h"

#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/kinds/coder.h"

typedef struct bpe {
    attn_coder coder;
    attn_merge_rule rule;              /* owned */
    const attn_vocabulary *vocabulary; /* borrowed */
    uint32_t byte_ids[256];
    bool whole_words; /* a word that is a token is taken whole (ignore_merges; tiktoken) */
} bpe;

/* WORD in the byte alphabet, in SPACE->spelling. */
static attn_status spell(attn_coder_space *space, attn_bytes word, attn_error *error)
{
    space->spelling.size = 0;
    attn_byte_alphabet_encode(word, &space->spelling);
    return space->spelling.failed ? attn_fail_memory(error) : ATTN_OK;
}

/* WORD as one piece where it is a token. */
static attn_status cut_whole(const bpe *model, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    size_t id;
    attn_status status;
    if (word.size > model->vocabulary->longest)
        return ATTN_OK;
    status = spell(space, word, error);
    if (status == ATTN_OK && attn_vocabulary_find(model->vocabulary, attn_buffer_bytes(&space->spelling), &id)) {
        space->pieces[0] = (attn_piece){(uint32_t)id, (uint32_t)word.size, 0};
        space->n_pieces = 1;
    }
    return status;
}

/* One piece a byte; by pairs of ids. */
static attn_status cut_by_pairs(const bpe *model, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    for (size_t i = 0; i < word.size; i++)
        space->pieces[i] = (attn_piece){model->byte_ids[word.data[i]], 1, i};
    space->n_pieces = word.size;
    return attn_coder_merge(&model->rule, space, word, error);
}

/* By spelling: the word is merged as the vocabulary spells it, then measured in its own bytes
 * again. */
static attn_status cut_by_spelling(const bpe *model, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    attn_bytes spelled;
    size_t length, at = 0;
    attn_status status = spell(space, word, error);
    if (status != ATTN_OK)
        return status;
    spelled = attn_buffer_bytes(&space->spelling);
    for (size_t i = 0; i < word.size; i++, at += length) {
        attn_utf8_decode(spelled, at, &length);
        space->pieces[i] = (attn_piece){model->byte_ids[word.data[i]], (uint32_t)length, at};
    }
    space->n_pieces = word.size;
    status = attn_merge(&model->rule, &space->memory, spelled.data, space->pieces, &space->n_pieces, error);
    at = 0;
    for (size_t i = 0; i < space->n_pieces && status == ATTN_OK; i++) {
        attn_piece *piece = &space->pieces[i];
        uint32_t size = 0;
        for (size_t j = 0; j < piece->size; j++)
            size += (spelled.data[piece->start + j] & 0xc0) != 0x80;
        piece->start = at;
        piece->size = size;
        at += size;
    }
    return status;
}

static attn_status cut(const void *state, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    const bpe *model = state;
    attn_status status = attn_coder_reserve(space, word.size, error);
    space->n_pieces = 0;
    if (status == ATTN_OK && model->whole_words)
        status = cut_whole(model, space, word, error);
    if (status != ATTN_OK || space->n_pieces > 0)
        return status;
    return model->rule.slots != NULL ? cut_by_pairs(model, space, word, error)
                                     : cut_by_spelling(model, space, word, error);
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    bpe *model = attn_calloc_array(1, sizeof *model);
    attn_status status;
    tokenizer->state = model;
    if (model == NULL)
        return attn_fail_memory(error);
    model->vocabulary = &tokenizer->vocabulary;
    model->whole_words = spec->ignore_merges || spec->merges == NULL;
    for (unsigned i = 0; i < 256; i++) {
        uint8_t spelled[4];
        attn_bytes token = {spelled, attn_utf8_encode(attn_byte_alphabet_code((uint8_t)i), spelled)};
        size_t id = ATTN_NO_TOKEN;
        attn_vocabulary_find(&tokenizer->vocabulary, token, &id);
        model->byte_ids[i] = (uint32_t)id;
    }
    status = attn_coder_open(&model->coder, spec, cut, model, error);
    return status == ATTN_OK ? attn_merge_rule_open(&model->rule, &tokenizer->vocabulary, spec, error) : status;
}

static void close_kind(void *state)
{
    bpe *model = state;
    if (model == NULL)
        return;
    attn_coder_close(&model->coder);
    attn_merge_rule_free(&model->rule);
    attn_free(model);
}

static const attn_kind *variant(const attn_tokenizer_spec *spec)
{
    return spec->byte_level ? &attn_kind_bpe : &attn_kind_sentencepiece;
}

static bool suits(const attn_tokenizer_spec *spec)
{
    return spec->merges != NULL;
}

const attn_kind attn_kind_bpe = {
    .name = "bpe",
    .variant = variant,
    .suits = suits,
    .label = ATTN_LABEL_BYTE_LEVEL,
    .open = open_kind,
    .close = close_kind,
    .normalize = attn_coder_normalize,
    .encode = attn_coder_encode,
    .free_scratch = attn_coder_free_scratch,
};
