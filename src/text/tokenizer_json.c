/* tokenizer_json.c: see formats.h. Not there yet: it refuses. */
#include "config.h"

#include "text/formats.h"

bool attn_is_tokenizer_json(const attn_vocab_source *source)
{
    (void)source;
    return false;
}

attn_status attn_spec_read_tokenizer_json(const attn_vocab_source *source, attn_tokenizer_spec *spec,
                              attn_error *error)
{
    (void)source;
    (void)spec;
    return attn_fail(error, ATTN_EUNSUPPORTED, "this vocabulary format is not supported yet");
}
