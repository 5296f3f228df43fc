/* added.c: see added.h. Used by tokenizer.c. A map from contents to tokens, and for each first byte
 * the lengths that are worth a look-up, longest first. */
#include "config.h"

#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/added.h"
#include "text/unicode/unicode.h"

#include <stdlib.h>
#include <string.h>

enum { N_BYTES = 256 };

struct attn_added {
    const attn_added_token *tokens; /* borrowed */
    attn_map contents;              /* owned; content → index */
    size_t *lengths;                /* owned; the distinct ones of each first byte, longest first */
    size_t first[N_BYTES + 1];      /* lengths of byte b: first[b] … first[b + 1] */
    int only_byte;                  /* all tokens begin with this byte; -1: they differ */
};

/* By first byte, then longest first. */
static int compare_keys(const void *a, const void *b)
{
    const attn_bytes *x = a;
    const attn_bytes *y = b;
    if (x->data[0] != y->data[0])
        return x->data[0] < y->data[0] ? -1 : 1;
    return x->size == y->size ? 0 : x->size > y->size ? -1 : 1;
}

/* KEYS is sorted. */
static void note_lengths(attn_added *added, const attn_bytes *keys, size_t n_keys)
{
    size_t n_lengths = 0;
    size_t at = 0;
    for (size_t byte = 0; byte < N_BYTES; byte++) {
        added->first[byte] = n_lengths;
        for (; at < n_keys && keys[at].data[0] == byte; at++)
            if (n_lengths == added->first[byte] || added->lengths[n_lengths - 1] != keys[at].size)
                added->lengths[n_lengths++] = keys[at].size;
    }
    added->first[N_BYTES] = n_lengths;
    added->only_byte = keys[0].data[0] == keys[n_keys - 1].data[0] ? keys[0].data[0] : -1;
}

attn_status attn_added_open(const attn_added_token *tokens, size_t n_tokens, attn_added **added, attn_error *error)
{
    attn_status status = ATTN_OK;
    size_t n_keys = 0;
    attn_bytes *keys = attn_alloc_array(n_tokens, sizeof *keys);
    attn_added *made = attn_calloc_array(1, sizeof *made);
    *added = NULL;
    if (keys == NULL || made == NULL)
        goto no_memory;
    made->tokens = tokens;
    for (size_t i = 0; i < n_tokens; i++)
        if (tokens[i].content.size > 0) {
            if (attn_map_add(&made->contents, tokens[i].content, i) == ATTN_MAP_NOMEM)
                goto no_memory;
            keys[n_keys++] = tokens[i].content;
        }
    if (n_keys == 0)
        goto done;
    made->lengths = attn_alloc_array(n_keys, sizeof *made->lengths);
    if (made->lengths == NULL)
        goto no_memory;
    qsort(keys, n_keys, sizeof *keys, compare_keys);
    note_lengths(made, keys, n_keys);
    *added = made;
    made = NULL;
    goto done;
no_memory:
    status = attn_fail_memory(error);
done:
    attn_free(keys);
    attn_added_close(made);
    return status;
}

void attn_added_close(attn_added *added)
{
    if (added == NULL)
        return;
    attn_map_free(&added->contents);
    attn_free(added->lengths);
    attn_free(added);
}

/* The longest token that begins at AT; NULL: none. */
static const attn_added_token *token_at(const attn_added *added, attn_bytes text, size_t at, bool parse_special)
{
    const uint8_t byte = text.data[at];
    for (size_t i = added->first[byte]; i < added->first[byte + 1]; i++) {
        attn_bytes part = {text.data + at, added->lengths[i]};
        size_t index;
        if (part.size <= text.size - at && attn_map_find(&added->contents, part, &index) &&
            (parse_special || !added->tokens[index].special))
            return &added->tokens[index];
    }
    return NULL;
}

/* The code point that ends before AT; -1 at FLOOR or for an ill-formed one. *START is where it
 * begins. */
static int32_t code_before(attn_bytes text, size_t at, size_t floor, size_t *start)
{
    size_t length;
    int32_t code;
    *start = at;
    if (at == floor)
        return -1;
    do
        --*start;
    while (*start > floor && at - *start < 4 && (text.data[*start] & 0xC0) == 0x80);
    code = attn_utf8_decode(text, *start, &length);
    return *start + length == at ? code : -1;
}

/* No character of a word beside it, as the regular expression \w has it in the tokenizers library. */
static bool stands_alone(attn_bytes text, size_t start, size_t end)
{
    size_t other;
    return !attn_char_is_word(code_before(text, start, 0, &other)) &&
           (end >= text.size || !attn_char_is_word(attn_utf8_decode(text, end, &other)));
}

static void take_spaces(attn_bytes text, size_t from, attn_added_match *match)
{
    size_t start, length;
    while (match->token->lstrip && attn_char_is_space(code_before(text, match->start, from, &start)))
        match->start = start;
    while (match->token->rstrip && match->end < text.size &&
           attn_char_is_space(attn_utf8_decode(text, match->end, &length)))
        match->end += length;
}

bool attn_added_find(const attn_added *added, attn_bytes text, size_t from, bool parse_special, attn_added_match *match)
{
    if (added == NULL)
        return false;
    for (size_t at = from; at < text.size; at++) {
        if (added->only_byte >= 0) {
            const uint8_t *next = memchr(text.data + at, added->only_byte, text.size - at);
            if (next == NULL)
                return false;
            at = (size_t)(next - text.data);
        }
        match->token = token_at(added, text, at, parse_special);
        if (match->token == NULL)
            continue;
        match->start = at;
        match->end = at + match->token->content.size;
        if (match->token->single_word && !stands_alone(text, match->start, match->end)) {
            at = match->end - 1;
            continue;
        }
        take_spaces(text, from, match);
        return true;
    }
    return false;
}
