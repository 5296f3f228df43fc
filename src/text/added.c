/* added.c: see added.h. Used by tokenizer.c. A trie of their contents. */
#include "config.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/added.h"
#include "text/kinds/trie.h"
#include "text/unicode/unicode.h"

#include <string.h>

enum { N_BYTES = 256, MAX_CONTENT = 512 /* bytes: what may have to be looked at behind each byte of a text */ };

struct attn_added {
    const attn_added_token *tokens; /* borrowed */
    attn_trie contents;             /* owned; a content's id is its place in tokens */
    bool begins[N_BYTES];           /* a token begins with the byte */
    int only_byte;                  /* all tokens begin with this byte; -1: they differ */
};

static bool takes_all(const void *context, size_t id)
{
    (void)context;
    (void)id;
    return true;
}

static attn_status fill(attn_added *added, attn_bytes *contents /* [n_tokens] */, size_t n_tokens, attn_error *error)
{
    const attn_vocabulary vocabulary = {.tokens = contents, .n_tokens = n_tokens};
    added->only_byte = -1;
    for (size_t i = 0, n = 0; i < n_tokens; i++) {
        const attn_bytes content = contents[i] = added->tokens[i].content;
        if (content.size > MAX_CONTENT)
            return attn_fail(error, ATTN_EUNSUPPORTED,
                             "the added token '%.*s…' has %zu bytes; at most %d are looked for", 64,
                             (const char *)content.data, content.size, (int)MAX_CONTENT);
        if (content.size == 0)
            continue;
        added->begins[content.data[0]] = true;
        added->only_byte = n++ == 0 || added->only_byte == content.data[0] ? content.data[0] : -1;
    }
    return attn_trie_open(&vocabulary, takes_all, NULL, &added->contents, error);
}

attn_status attn_added_open(const attn_added_token *tokens, size_t n_tokens, attn_added **added, attn_error *error)
{
    attn_bytes *contents = attn_alloc_array(n_tokens, sizeof *contents);
    attn_added *made = attn_calloc_array(1, sizeof *made);
    attn_status status;
    *added = NULL;
    if (contents == NULL || made == NULL) {
        status = attn_fail_memory(error);
    } else {
        made->tokens = tokens;
        status = fill(made, contents, n_tokens, error);
    }
    if (status == ATTN_OK && made->contents.n_nodes > 1) {
        *added = made;
        made = NULL;
    }
    attn_free(contents);
    attn_added_close(made);
    return status;
}

void attn_added_close(attn_added *added)
{
    if (added == NULL)
        return;
    attn_trie_free(&added->contents);
    attn_free(added);
}

/* The longest token that begins at AT; NULL: none. */
static const attn_added_token *token_at(const attn_added *added, attn_bytes text, size_t at, bool parse_special)
{
    const attn_added_token *longest = NULL;
    uint32_t node = ATTN_TRIE_ROOT;
    if (!added->begins[text.data[at]])
        return NULL;
    for (; at < text.size && (node = attn_trie_step(&added->contents, node, text.data[at])) != ATTN_TRIE_NONE; at++) {
        const uint32_t id = added->contents.ids[node];
        if (id != ATTN_NO_TOKEN && (parse_special || !added->tokens[id].special))
            longest = &added->tokens[id];
    }
    return longest;
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
