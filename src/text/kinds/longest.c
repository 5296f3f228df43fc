/* longest.c: inside each word of segment.h the longest vocabulary entry at its start and behind each entry found, for
 * languages that write particles onto words. Where nothing begins there the rest of the word is unknown (원수 holds no
 * 수), but for scripts that put no spaces between words: there it goes on behind what was skipped. */
#include "config.h"

#include "base/utf8.h"
#include "text/kinds/entries.h"
#include "text/split/segment.h"
#include "text/unicode/unicode.h"

/* The state: the vocabulary's entries under their keys. Those longer than ATTN_MAX_ENTRY match only
 * where they are a whole word, so that time stays linear in the text. */
static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    const attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    attn_entries *entries = attn_calloc_array(1, sizeof *entries);
    (void)spec;
    if (entries == NULL)
        return attn_fail_memory(error);
    tokenizer->state = entries;
    if (attn_entries_open(entries, vocabulary->keys, 0, vocabulary->n_tokens, error) != ATTN_OK)
        return ATTN_ENOMEM;
    for (size_t i = 0; i < vocabulary->n_tokens; i++)
        if (vocabulary->keys[i].size > 0)
            attn_entries_add(entries, i);
    return ATTN_OK;
}

static void close_kind(void *state)
{
    if (state != NULL)
        attn_entries_free(state);
    attn_free(state);
}

/* An entry may not end before a mark that belongs to its last character. */
static bool may_end(attn_bytes text, size_t at, size_t limit)
{
    size_t length;
    if (at >= limit)
        return true;
    return (text.data[at] & 0xC0) != 0x80 && !attn_char_is_mark(attn_utf8_decode(text, at, &length));
}

/* The longest entry that begins at START and ends within LIMIT: its end, or START when there is
 * none. */
static size_t find_longest(const attn_entries *entries, attn_bytes text, size_t start, size_t limit, uint32_t *id)
{
    size_t length = limit - start;
    do
        length = attn_entries_longest(entries, text.data + start, length, id);
    while (length > 0 && !may_end(text, start + length, limit) && --length > 0);
    return start + length;
}

/* Where an entry may begin again when none begins at AT: LIMIT, or beside a character of a script without spaces. */
static size_t skip(attn_bytes text, size_t at, size_t limit)
{
    size_t length;
    bool unspaced = attn_char_is_unspaced(attn_utf8_decode(text, at, &length));
    for (at += length; at < limit && !unspaced; at += unspaced ? 0 : length)
        unspaced = attn_char_is_unspaced(attn_utf8_decode(text, at, &length));
    return at;
}

static attn_status encode_word(attn_encoder *encoder, const attn_run *run, attn_span word)
{
    const attn_entries *entries = encoder->tokenizer->state;
    attn_status status = ATTN_OK;
    size_t missed = word.start; /* what is unknown begins here and ends at `at` */
    attn_bytes whole = {run->text.data + word.start, word.end - word.start};
    size_t whole_id, end;
    uint32_t id;
    if (attn_map_find(&encoder->tokenizer->vocabulary.ids, whole, &whole_id))
        return attn_encoder_emit(encoder, run, (uint32_t)whole_id, word.start, word.end);
    for (size_t at = word.start; at < word.end && status == ATTN_OK; at = end) {
        end = find_longest(entries, run->text, at, word.end, &id);
        if (end == at) {
            end = skip(run->text, at, word.end);
            continue;
        }
        if (missed < at)
            status = attn_encoder_unknown(encoder, run, missed, at);
        if (status == ATTN_OK)
            status = attn_encoder_emit(encoder, run, id, at, end);
        missed = end;
    }
    if (status == ATTN_OK && missed < word.end)
        status = attn_encoder_unknown(encoder, run, missed, word.end);
    return status;
}

static attn_status encode(attn_encoder *encoder, const attn_run *run)
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

const attn_kind attn_kind_longest = {
    .name = "longest",
    .open = open_kind,
    .close = close_kind,
    .in_blocks = true,
    .normalize = attn_compose_normalize,
    .encode = encode,
    .hints = true,
};
