/* chars.c: a token is a grapheme cluster, white space included: "한", "é", "👩‍👧" are one each.
 */
#include "config.h"

#include "text/split/segment.h"

attn_status attn_chars_encode(attn_encoder *encoder, const attn_run *run)
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
