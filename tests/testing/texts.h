/* texts.h: what the suites of text/ share: tokenizers from lists in the source, and tokens as one
 * string. */
#ifndef ATTN_TESTING_TEXTS_H
#define ATTN_TESTING_TEXTS_H

#include "base/file.h"
#include "base/memory.h"
#include "text/tokenizer.h"

#include "testing.h"

#include <string.h>

enum { TEXTS_MAX_TOKENS = 64 };

/* A tokenizer over LIST, tokens separated by '\n'. */
static inline attn_tokenizer *texts_tokenizer(const attn_kind *kind, const char *list, bool lowercase)
{
    attn_bytes tokens[TEXTS_MAX_TOKENS];
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    attn_error error;
    for (const char *at = list; *at != '\0';) {
        size_t size = strcspn(at, "\n");
        ck_assert_uint_lt(spec.n_tokens, TEXTS_MAX_TOKENS);
        tokens[spec.n_tokens++] = (attn_bytes){(const uint8_t *)at, size};
        at += size + (at[size] == '\n');
    }
    spec.kind = kind;
    spec.tokens = tokens;
    spec.lowercase = lowercase;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, &error), ATTN_OK);
    return tokenizer;
}

/* "label@start-end label@start-end …" of TEXT's tokens in a static buffer; "ERROR: message" on
 * failure. */
static inline const char *texts_show(const attn_tokenizer *tokenizer, attn_bytes text,
                                     const attn_encode_options *options, attn_unknowns *unknowns)
{
    static char shown[16384];
    attn_tokens tokens = {0};
    attn_error error = {0};
    attn_buffer out = {0};
    if (attn_tokenizer_encode(tokenizer, text, options, &tokens, unknowns, &error) != ATTN_OK) {
        char message[2048];
        attn_error_text(&error, message, sizeof message);
        snprintf(shown, sizeof shown, "ERROR: %s", message);
        attn_tokens_free(&tokens);
        return shown;
    }
    for (size_t i = 0; i < tokens.count; i++) {
        if (i > 0)
            attn_buffer_byte(&out, ' ');
        attn_tokenizer_label(tokenizer, tokens.items[i].id, false, &out);
        attn_buffer_format(&out, "@%zu-%zu", tokens.items[i].start, tokens.items[i].end);
    }
    ck_assert(!out.failed);
    snprintf(shown, sizeof shown, "%.*s", (int)out.size, out.size > 0 ? out.data : "");
    attn_buffer_free(&out);
    attn_tokens_free(&tokens);
    return shown;
}

/* The ids of TEXT, joined by spaces, in a static buffer. */
static inline const char *texts_ids(const attn_tokenizer *tokenizer, attn_bytes text,
                                    const attn_encode_options *options)
{
    static char shown[65536];
    attn_tokens tokens = {0};
    attn_error error = {0};
    size_t used = 0;
    shown[0] = '\0';
    if (attn_tokenizer_encode(tokenizer, text, options, &tokens, NULL, &error) != ATTN_OK)
        snprintf(shown, sizeof shown, "ERROR: %s", error.message);
    for (size_t i = 0; i < tokens.count && used < sizeof shown - 16; i++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%lu", i > 0 ? " " : "",
                                 (unsigned long)tokens.items[i].id);
    attn_tokens_free(&tokens);
    return shown;
}

/* Lets N allocations through, then refuses. */
static inline bool texts_count_down(void *context, size_t size)
{
    size_t *left = context;
    (void)size;
    if (*left == 0)
        return false;
    (*left)--;
    return true;
}

#endif
