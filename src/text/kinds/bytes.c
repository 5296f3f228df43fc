/* bytes.c: a token is a byte. A vocabulary spells it as itself or as <0xNN>; without one the byte
 * is the id. */
#include "config.h"

#include "text/byte_alphabet.h"
#include "text/kinds/kinds.h"

enum { N_BYTES = 256 };

static attn_status all_bytes(attn_arena *arena, attn_bytes **made, size_t *n_tokens, attn_error *error)
{
    uint8_t *spellings = attn_arena_alloc(arena, N_BYTES, 1);
    attn_bytes *tokens = attn_arena_alloc(arena, N_BYTES, sizeof *tokens);
    if (spellings == NULL || tokens == NULL)
        return attn_fail_memory(error);
    for (size_t byte = 0; byte < N_BYTES; byte++) {
        spellings[byte] = (uint8_t)byte;
        tokens[byte] = (attn_bytes){&spellings[byte], 1};
    }
    *made = tokens;
    *n_tokens = N_BYTES;
    return ATTN_OK;
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    const attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    uint32_t *ids; /* [256]: the state */
    (void)spec;
    ids = attn_alloc_array(N_BYTES, sizeof *ids);
    if (ids == NULL)
        return attn_fail_memory(error);
    tokenizer->state = ids;
    for (size_t byte = 0; byte < N_BYTES; byte++)
        ids[byte] = ATTN_NO_TOKEN;
    for (size_t i = vocabulary->n_tokens; i-- > 0;) { /* backwards: the first of equal ones stays */
        attn_bytes token = vocabulary->tokens[i];
        int byte = token.size == 1 ? token.data[0] : attn_byte_token(token);
        if (byte >= 0)
            ids[byte] = (uint32_t)i;
    }
    return ATTN_OK;
}

static void close_kind(void *state)
{
    attn_free(state);
}

static attn_status encode(attn_encoder *encoder, const attn_run *run)
{
    const uint32_t *ids = encoder->tokenizer->state;
    attn_status status = ATTN_OK;
    for (size_t at = 0; at < run->text.size && status == ATTN_OK; at++) {
        uint32_t id = ids[run->text.data[at]];
        status = id != ATTN_NO_TOKEN ? attn_encoder_emit(encoder, run, id, at, at + 1)
                                     : attn_encoder_unknown(encoder, run, at, at + 1);
        encoder->word++;
    }
    return status;
}

const attn_kind attn_kind_bytes = {
    .name = "bytes",
    .wordless = ATTN_WORDLESS_OWN,
    .vocabulary = all_bytes,
    .label = ATTN_LABEL_BYTE,
    .open = open_kind,
    .close = close_kind,
    .encode = encode,
};
