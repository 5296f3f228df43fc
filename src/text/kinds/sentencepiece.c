/* sentencepiece.c: byte-pair encoding over characters: SentencePiece's own (by score, Llama 2) and
 * tokenizer.json's BPE without a byte alphabet (by merges). What no token covers becomes bytes or
 * is unknown. Its row is bpe's for a spec that is not byte-level. Knows no file. */
#include "config.h"

#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/kinds/coder.h"

typedef struct sentencepiece {
    attn_coder coder;
    attn_merge_rule rule;              /* owned */
    const attn_vocabulary *vocabulary; /* borrowed */
    uint32_t byte_ids[256];            /* of <0xNN>, or ATTN_NO_TOKEN */
    bool byte_fallback;
} sentencepiece;

/* True when each of the SIZE bytes at DATA has a token. */
static bool has_bytes(const sentencepiece *sp, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (sp->byte_ids[data[i]] == ATTN_NO_TOKEN)
            return false;
    return true;
}

/* One piece a character of WORD; unknown ones as bytes when SPLIT_UNKNOWN. */
static void first_pieces(const sentencepiece *sp, attn_coder_space *space, attn_bytes word, bool split_unknown)
{
    size_t n = 0, length;
    for (size_t at = 0; at < word.size; at += length) {
        size_t id = ATTN_NO_TOKEN;
        attn_utf8_decode(word, at, &length);
        attn_map_find(&sp->vocabulary->ids, (attn_bytes){word.data + at, length}, &id);
        if (id == ATTN_NO_TOKEN && split_unknown && has_bytes(sp, word.data + at, length)) {
            for (size_t i = 0; i < length; i++)
                space->pieces[n++] = (attn_piece){sp->byte_ids[word.data[at + i]], 1, at + i};
            continue;
        }
        space->pieces[n++] = (attn_piece){(uint32_t)id, (uint32_t)length, at};
    }
    space->n_pieces = n;
}

/* Unknown pieces as bytes, in place from the end on: there are never more pieces than bytes. */
static void split_unknown_pieces(const sentencepiece *sp, attn_coder_space *space, attn_bytes word)
{
    size_t n = 0, to;
    for (size_t i = 0; i < space->n_pieces; i++) {
        const attn_piece *piece = &space->pieces[i];
        bool split = piece->id == ATTN_NO_TOKEN && has_bytes(sp, word.data + piece->start, piece->size);
        n += split ? piece->size : 1;
    }
    to = n;
    for (size_t i = space->n_pieces; i-- > 0;) {
        const attn_piece piece = space->pieces[i];
        if (piece.id == ATTN_NO_TOKEN && has_bytes(sp, word.data + piece.start, piece.size))
            for (size_t j = piece.size; j-- > 0;)
                space->pieces[--to] = (attn_piece){sp->byte_ids[word.data[piece.start + j]], 1, piece.start + j};
        else
            space->pieces[--to] = piece;
    }
    space->n_pieces = n;
}

static attn_status cut(const void *model, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    const sentencepiece *sp = model;
    const bool by_pairs = sp->rule.slots != NULL;
    attn_status status = attn_coder_reserve(space, word.size, error);
    if (status != ATTN_OK)
        return status;
    first_pieces(sp, space, word, by_pairs && sp->byte_fallback);
    status = attn_coder_merge(&sp->rule, space, word, error);
    if (status == ATTN_OK && !by_pairs && sp->byte_fallback)
        split_unknown_pieces(sp, space, word);
    return status;
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    sentencepiece *sp = attn_calloc_array(1, sizeof *sp);
    attn_status status;
    tokenizer->state = sp;
    if (sp == NULL)
        return attn_fail_memory(error);
    sp->vocabulary = &tokenizer->vocabulary;
    sp->byte_fallback = spec->byte_fallback;
    attn_byte_token_ids(&tokenizer->vocabulary, sp->byte_ids);
    status = attn_coder_open(&sp->coder, spec, cut, sp, error);
    sp->coder.at_marks = attn_marks_begin_words(&tokenizer->vocabulary);
    return status == ATTN_OK ? attn_merge_rule_open(&sp->rule, &tokenizer->vocabulary, spec, error) : status;
}

static void close_kind(void *state)
{
    sentencepiece *sp = state;
    if (sp == NULL)
        return;
    attn_coder_close(&sp->coder);
    attn_merge_rule_free(&sp->rule);
    attn_free(sp);
}

const attn_kind attn_kind_sentencepiece = {
    .name = "bpe",
    .label = ATTN_LABEL_SENTENCEPIECE,
    .open = open_kind,
    .close = close_kind,
    .normalize = attn_coder_normalize,
    .encode = attn_coder_encode,
    .free_scratch = attn_coder_free_scratch,
};
