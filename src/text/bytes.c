/* bytes.c: a token is a byte. A vocabulary spells it as itself or as <0xNN>; without one the byte
 * is the id. */
#include "config.h"

#include "text/byte_alphabet.h"
#include "text/kinds.h"

enum { N_BYTES = 256 };

/* No vocabulary: 256 tokens, each spelled as its byte. */
static attn_status make_vocabulary(attn_tokenizer *tokenizer, attn_error *error)
{
    attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    uint8_t *spellings = attn_arena_alloc(&tokenizer->arena, N_BYTES, 1);
    vocabulary->tokens = attn_arena_alloc(&tokenizer->arena, N_BYTES, sizeof *vocabulary->tokens);
    if (spellings == NULL || vocabulary->tokens == NULL)
        return attn_fail_memory(error);
    for (size_t byte = 0; byte < N_BYTES; byte++) {
        spellings[byte] = (uint8_t)byte;
        vocabulary->tokens[byte] = (attn_bytes){&spellings[byte], 1};
        if (attn_map_add(&vocabulary->ids, vocabulary->tokens[byte], byte) == ATTN_MAP_NOMEM)
            return attn_fail_memory(error);
    }
    vocabulary->n_tokens = N_BYTES;
    vocabulary->keys = vocabulary->tokens;
    vocabulary->longest = 1;
    tokenizer->spec.tokens = vocabulary->tokens;
    tokenizer->spec.n_tokens = N_BYTES;
    return ATTN_OK;
}

attn_status attn_bytes_open(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec,
                            attn_error *error)
{
    const attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    uint32_t *ids; /* [256]: the state */
    if (spec->n_tokens + spec->n_added == 0 && make_vocabulary(tokenizer, error) != ATTN_OK)
        return ATTN_ENOMEM;
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

void attn_bytes_close(void *state)
{
    attn_free(state);
}

attn_status attn_bytes_encode(attn_encoder *encoder, const attn_run *run)
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
