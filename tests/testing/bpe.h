/* bpe.h: what the suites of BPE, Unigram and their readers share. */
#ifndef ATTN_TESTING_BPE_H
#define ATTN_TESTING_BPE_H

#include "base/file.h"
#include "text/vocab/reader.h"
#include "text/tokenizer.h"

#include "testing.h"
#include "testing/texts.h"

#include <string.h>

typedef attn_status bpe_reader(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);

/* The tokenizer that READER makes of BYTES as if they were PATH's. */
static inline attn_status bpe_open_bytes(bpe_reader *reader, const char *path, attn_bytes bytes,
                                         attn_tokenizer **tokenizer, attn_error *error)
{
    attn_arena arena = {0};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    const attn_vocab_source source = {.path = path, .bytes = bytes, .arena = &arena};
    attn_status status = reader(&source, &spec, error);
    *tokenizer = NULL;
    if (status == ATTN_OK)
        status = attn_tokenizer_open(&spec, tokenizer, error);
    attn_arena_free(&arena);
    return status;
}

static inline attn_tokenizer *bpe_tokenizer_json(const char *json)
{
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    char message[2048] = "";
    attn_status status =
        bpe_open_bytes(attn_vocab_reader_tokenizer_json.read, "-", attn_bytes_of(json), &tokenizer, &error);
    attn_error_text(&error, message, sizeof message);
    ck_assert_msg(status == ATTN_OK, "%s\n%s", message, json);
    return tokenizer;
}

/* The tokenizer of the outside file NAME, or NULL after printing SKIP. */
static inline attn_tokenizer *bpe_shared(const char *name)
{
    const char *path = testing_shared(name);
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    if (path == NULL) {
        printf("SKIP: no %s\n", name);
        return NULL;
    }
    ck_assert_msg(attn_tokenizer_load(path, NULL, NULL, &tokenizer, &error) == ATTN_OK, "%s: %s", name, error.message);
    return tokenizer;
}

static inline attn_encode_options bpe_plain(void)
{
    attn_encode_options options = attn_encode_options_default();
    options.add_special = false;
    return options;
}

static inline void bpe_expect(const attn_tokenizer *tokenizer, attn_bytes text, const char *ids)
{
    const attn_encode_options options = bpe_plain();
    ck_assert_str_eq(texts_ids(tokenizer, text, &options), ids);
}

/* xorshift: the same numbers everywhere */
static inline uint32_t bpe_random(uint32_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % below;
}

#endif
