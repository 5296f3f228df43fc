/* words.c: a token is a word of segment.h, or a punctuation mark or symbol apart. */
#include "config.h"

#include "text/split/segment.h"

static attn_status encode(attn_encoder *encoder, const attn_run *run)
{
    attn_status status = ATTN_OK;
    attn_span unit;
    size_t at = 0;
    while (status == ATTN_OK && attn_segment_word(run->text, &at, &unit)) {
        status = attn_encoder_look_up(encoder, run, unit.start, unit.end);
        encoder->word++;
    }
    return status;
}

const attn_kind attn_kind_words = {
    .name = "words",
    .in_blocks = true,
    .normalize = attn_compose_normalize,
    .encode = encode,
    .hints = true,
    .hints_longest = true,
};
