/* wordpiece_steps.c: WordPiece behind the normalizer and the pre-tokenizer that a tokenizer.json names, where these are
 * not BERT's own (wordpiece.c): the words of the pre-tokenizer, each cut into the longest pieces from left to right, or
 * unknown as a whole. Its row is wordpiece's for a spec with steps. Knows no file. */
#include "config.h"

#include "text/kinds/coder.h"
#include "text/kinds/wordpieces.h"

typedef struct wordpiece_steps {
    attn_coder coder;
    attn_wordpieces pieces; /* owned */
} wordpiece_steps;

static void take_whole(attn_coder_space *space, attn_bytes word)
{
    space->pieces[0] = (attn_piece){ATTN_NO_TOKEN, (uint32_t)word.size, 0};
    space->n_pieces = 1;
}

static attn_status cut(const void *model, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    const wordpiece_steps *state = model;
    attn_status status = attn_coder_reserve(space, word.size, error);
    size_t length;
    uint32_t id;
    if (status != ATTN_OK)
        return status;
    if (word.size > UINT32_MAX)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a single word of %zu bytes is too long", word.size);
    space->n_pieces = 0;
    if (attn_wordpieces_too_long(&state->pieces, word)) {
        take_whole(space, word);
        return ATTN_OK;
    }
    for (size_t at = 0; at < word.size; at += length) {
        length = attn_wordpieces_next(&state->pieces, word, at, &id);
        if (length == 0) {
            take_whole(space, word);
            return ATTN_OK;
        }
        space->pieces[space->n_pieces++] = (attn_piece){id, (uint32_t)length, at};
    }
    return ATTN_OK;
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    wordpiece_steps *state = attn_calloc_array(1, sizeof *state);
    attn_status status;
    tokenizer->state = state;
    if (state == NULL)
        return attn_fail_memory(error);
    status = attn_coder_open(&state->coder, spec, cut, state, error);
    return status == ATTN_OK ? attn_wordpieces_open(&state->pieces, tokenizer, error) : status;
}

static void close_kind(void *state)
{
    wordpiece_steps *own = state;
    if (own == NULL)
        return;
    attn_coder_close(&own->coder);
    attn_wordpieces_free(&own->pieces);
    attn_free(own);
}

const attn_kind attn_kind_wordpiece_steps = {
    .name = "wordpiece",
    .always_special = true,
    .label = ATTN_LABEL_PLAIN,
    .open = open_kind,
    .close = close_kind,
    .normalize = attn_coder_normalize,
    .encode = attn_coder_encode,
    .free_scratch = attn_coder_free_scratch,
};
