/* chars.c: a token is a grapheme cluster, white space included: "한", "é", "👩‍👧" are one each. */
#include "config.h"

#include "text/split/segment.h"

static attn_status encode(attn_encoder *encoder, const attn_run *run)
{
    attn_status status = ATTN_OK;
    size_t end;
    for (size_t at = 0; at < run->text.size && status == ATTN_OK; at = end) {
        end = attn_segment_cluster(run->text, at);
        status = attn_encoder_look_up(encoder, run, at, end);
        encoder->word++;
    }
    return status;
}

const attn_kind attn_kind_chars = {
    .name = "chars",
    .in_blocks = true,
    .normalize = attn_compose_normalize,
    .encode = encode,
    .hints = true,
};
