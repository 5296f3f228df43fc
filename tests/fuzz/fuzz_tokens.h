/* fuzz_tokens.h: what must hold of every encode, whatever the text: ids in the vocabulary, offsets
 * in the text and in order, labels of well-formed UTF-8, no tokens after a failure. */
#ifndef ATTN_TESTS_FUZZ_TOKENS_H
#define ATTN_TESTS_FUZZ_TOKENS_H

#include "fuzz.h"

#include "base/utf8.h"
#include "text/tokenizer.h"

enum { FUZZ_TOKENS_FACTOR = 4096 }; /* bytes asked for a byte of text: offsets, tokens, their growth */

static inline void fuzz_require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

static inline void fuzz_check_token(const attn_tokenizer *tokenizer, const attn_token *token, size_t size)
{
    attn_buffer label = {0};
    fuzz_require(token->id < attn_tokenizer_size(tokenizer), "an id beyond the vocabulary");
    fuzz_require(token->start <= token->end && token->end <= size, "offsets beyond the text");
    attn_tokenizer_label(tokenizer, token->id, false, &label);
    attn_tokenizer_label(tokenizer, token->id, true, &label);
    fuzz_require(attn_utf8_valid(attn_buffer_bytes(&label), NULL), "an ill-formed label");
    attn_buffer_free(&label);
}

/* LIKELY: of how many bytes the text may cost the memory. */
static inline void fuzz_tokens_within(const attn_tokenizer *tokenizer, const uint8_t *data, size_t size, size_t likely,
                                      const attn_encode_options *options)
{
    uint8_t *copy = fuzz_copy(data, size);
    fuzz_budget budget;
    attn_tokens tokens = {0};
    attn_unknowns unknowns = {0};
    attn_error error;
    fuzz_begin(&budget, likely, FUZZ_TOKENS_FACTOR);
    attn_status status =
        attn_tokenizer_encode(tokenizer, (attn_bytes){copy, size}, options, &tokens, &unknowns, &error);
    fuzz_require(status == ATTN_OK || status == ATTN_EDATA, "a status that no text may give");
    fuzz_require(status == ATTN_OK || tokens.count == 0, "tokens after a failure");
    for (size_t i = 0; i < tokens.count; i++) {
        fuzz_check_token(tokenizer, &tokens.items[i], size);
        fuzz_require(i == 0 || tokens.items[i].word >= tokens.items[i - 1].word, "words out of order");
        fuzz_require(i == 0 || tokens.items[i].start >= tokens.items[i - 1].start, "starts out of order");
    }
    attn_tokens_free(&tokens);
    attn_unknowns_free(&unknowns);
    fuzz_end();
    attn_free(copy);
}

static inline void fuzz_tokens(const attn_tokenizer *tokenizer, const uint8_t *data, size_t size,
                               const attn_encode_options *options)
{
    fuzz_tokens_within(tokenizer, data, size, size, options);
}

#endif
