/* whitespace.c: a token is what white space separates. */
#include "config.h"

#include "base/utf8.h"
#include "text/kinds/kinds.h"
#include "text/unicode/unicode.h"

static attn_status encode(attn_encoder *encoder, const attn_run *run)
{
    attn_status status = ATTN_OK;
    size_t start = 0;
    size_t length;
    for (size_t at = 0; at <= run->text.size && status == ATTN_OK; at += length) {
        bool end = at == run->text.size;
        length = 1;
        if (!end && !attn_char_is_space(attn_utf8_decode(run->text, at, &length)))
            continue;
        if (at > start) {
            status = attn_encoder_look_up(encoder, run, start, at);
            encoder->word++;
        }
        start = at + length;
    }
    return status;
}

const attn_kind attn_kind_whitespace = {
    .name = "whitespace",
    .in_blocks = true,
    .normalize = attn_compose_normalize,
    .encode = encode,
    .hints = true,
    .hints_longest = true,
};
