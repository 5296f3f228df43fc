/* bpe.c: byte-level byte-pair encoding (GPT-2, Llama 3, Qwen). Not there yet: its rows refuse. */
#include "config.h"

#include "text/kinds.h"

attn_status attn_bpe_open(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    (void)spec;
    return attn_fail(error, ATTN_EUNSUPPORTED, "the tokenizer '%s' is not supported yet",
                     tokenizer->kind->name);
}

void attn_bpe_close(void *state)
{
    (void)state;
}

attn_status attn_bpe_normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool first,
                               attn_normal *normal)
{
    (void)tokenizer;
    (void)lowercase;
    (void)raw;
    (void)first;
    normal->same = true;
    return ATTN_OK;
}

attn_status attn_bpe_encode(attn_encoder *encoder, const attn_run *run)
{
    (void)run;
    return attn_fail(encoder->error, ATTN_EUNSUPPORTED, "not supported yet");
}

void attn_bpe_free_scratch(void *scratch)
{
    (void)scratch;
}
