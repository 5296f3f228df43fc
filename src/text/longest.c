/* longest.c: inside each word of segment.h the longest vocabulary entry at each point; what lies between
 * the entries found is unknown. For Korean particles, and for scripts without spaces. */
#include "config.h"

#include "base/utf8.h"
#include "text/segment.h"
#include "text/unicode.h"

/* Longer entries match only where they are a whole word, so that time stays linear in the text. */
enum { MAX_ENTRY = 256 };

/* An entry may not end before a mark that belongs to its last character. */
static bool may_end(attn_bytes text, size_t at, size_t limit)
{
    size_t length;
    if (at >= limit)
        return true;
    return (text.data[at] & 0xC0) != 0x80 && !attn_char_is_mark(attn_utf8_decode(text, at, &length));
}

/* The longest entry of at most MAX_ENTRY bytes that begins at START and ends within LIMIT. */
static bool find_longest(const attn_vocabulary *vocabulary, attn_bytes text, size_t start, size_t limit,
                         size_t *id, size_t *end)
{
    const size_t most = vocabulary->longest < MAX_ENTRY ? vocabulary->longest : (size_t)MAX_ENTRY;
    for (*end = limit - start > most ? start + most : limit; *end > start; --*end)
        if (may_end(text, *end, limit) &&
            attn_map_find(&vocabulary->ids, (attn_bytes){text.data + start, *end - start}, id))
            return true;
    return false;
}

static attn_status encode_word(attn_encoder *encoder, const attn_run *run, attn_span word)
{
    const attn_vocabulary *vocabulary = &encoder->tokenizer->vocabulary;
    attn_status status = ATTN_OK;
    size_t missed = word.start; /* what is unknown begins here and ends at `at` */
    attn_bytes whole = {run->text.data + word.start, word.end - word.start};
    size_t id, end, length;
    if (attn_map_find(&vocabulary->ids, whole, &id))
        return attn_encoder_emit(encoder, run, (uint32_t)id, word.start, word.end);
    for (size_t at = word.start; at < word.end && status == ATTN_OK; at = end) {
        if (!find_longest(vocabulary, run->text, at, word.end, &id, &end)) {
            attn_utf8_decode(run->text, at, &length);
            end = at + length;
            continue;
        }
        if (missed < at)
            status = attn_encoder_unknown(encoder, run, missed, at);
        if (status == ATTN_OK)
            status = attn_encoder_emit(encoder, run, (uint32_t)id, at, end);
        missed = end;
    }
    if (status == ATTN_OK && missed < word.end)
        status = attn_encoder_unknown(encoder, run, missed, word.end);
    return status;
}

attn_status attn_longest_encode(attn_encoder *encoder, const attn_run *run)
{
    attn_status status = ATTN_OK;
    attn_span word;
    size_t at = 0;
    while (status == ATTN_OK && attn_segment_word(run->text, &at, &word)) {
        status = encode_word(encoder, run, word);
        encoder->word++;
    }
    return status;
}
