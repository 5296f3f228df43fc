/* wordlevel.c: tokenizer.json's WordLevel: a word of its pre-tokenizer is a token or unknown. Its row is no kind of the
 * command line: `words` and `whitespace` are those. Knows no file. */
#include "config.h"

#include "text/kinds/coder.h"

typedef struct wordlevel {
    attn_coder coder;
    const attn_vocabulary *vocabulary; /* borrowed */
} wordlevel;

static attn_status cut(const void *model, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    const wordlevel *state = model;
    attn_status status = attn_coder_reserve(space, 1, error);
    size_t id;
    if (status != ATTN_OK)
        return status;
    if (word.size > UINT32_MAX)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a single word of %zu bytes is too long", word.size);
    if (!attn_vocabulary_find(state->vocabulary, word, &id))
        id = ATTN_NO_TOKEN;
    space->pieces[0] = (attn_piece){(uint32_t)id, (uint32_t)word.size, 0};
    space->n_pieces = 1;
    return ATTN_OK;
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    wordlevel *state = attn_calloc_array(1, sizeof *state);
    tokenizer->state = state;
    if (state == NULL)
        return attn_fail_memory(error);
    state->vocabulary = &tokenizer->vocabulary;
    return attn_coder_open(&state->coder, spec, cut, state, error);
}

static void close_kind(void *state)
{
    wordlevel *own = state;
    if (own == NULL)
        return;
    attn_coder_close(&own->coder);
    attn_free(own);
}

const attn_kind attn_kind_wordlevel = {
    .name = "wordlevel",
    .label = ATTN_LABEL_PLAIN,
    .open = open_kind,
    .close = close_kind,
    .normalize = attn_coder_normalize,
    .encode = attn_coder_encode,
    .free_scratch = attn_coder_free_scratch,
    .hints = true,
};
