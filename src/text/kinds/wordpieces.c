/* wordpieces.c: see wordpieces.h. */
#include "config.h"

#include "text/kinds/wordpieces.h"

#include <string.h>

static bool continues(attn_bytes token, attn_bytes mark)
{
    return token.size > mark.size && (mark.size == 0 || memcmp(token.data, mark.data, mark.size) == 0);
}

attn_status attn_wordpieces_open(attn_wordpieces *pieces, const attn_tokenizer *tokenizer, attn_error *error)
{
    const attn_vocabulary *vocabulary = &tokenizer->vocabulary;
    const attn_bytes mark = attn_bytes_of(tokenizer->spec.continuation);
    size_t n_rest = 0;
    pieces->limit = tokenizer->spec.max_word_chars;
    for (size_t i = 0; i < vocabulary->n_own; i++)
        n_rest += continues(vocabulary->tokens[i], mark);
    if (attn_entries_open(&pieces->first, vocabulary->tokens, 0, vocabulary->n_own, error) != ATTN_OK ||
        attn_entries_open(&pieces->rest, vocabulary->tokens, mark.size, n_rest, error) != ATTN_OK)
        return ATTN_ENOMEM;
    for (size_t i = 0; i < vocabulary->n_own; i++) {
        if (vocabulary->tokens[i].size > 0)
            attn_entries_add(&pieces->first, i);
        if (continues(vocabulary->tokens[i], mark))
            attn_entries_add(&pieces->rest, i);
    }
    return ATTN_OK;
}

void attn_wordpieces_free(attn_wordpieces *pieces)
{
    attn_entries_free(&pieces->first);
    attn_entries_free(&pieces->rest);
}

bool attn_wordpieces_too_long(const attn_wordpieces *pieces, attn_bytes word)
{
    size_t count = 0;
    if (word.size <= pieces->limit)
        return false;
    for (size_t i = 0; i < word.size; i++)
        count += (word.data[i] & 0xC0) != 0x80;
    return count > pieces->limit;
}

size_t attn_wordpieces_next(const attn_wordpieces *pieces, attn_bytes word, size_t at, uint32_t *id)
{
    return attn_entries_longest(at == 0 ? &pieces->first : &pieces->rest, word.data + at, word.size - at, id);
}
