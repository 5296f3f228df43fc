/* fuzz_reader.h: a vocabulary reader over the bytes before the first NUL, then, where it opens, the bytes behind it
 * as a text (without NUL: a text of our own). */
#ifndef ATTN_TESTS_FUZZ_READER_H
#define ATTN_TESTS_FUZZ_READER_H

#include "fuzz_tokens.h"

#include "text/vocab/reader.h"

typedef attn_status fuzz_read(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);

enum { FUZZ_READER_BASE = 256 }; /* bytes that every file is taken to have: arenas come in blocks */

/* The text for all: ASCII, both forms of Hangul, marks, odd spaces, ill-formed bytes, a special token. */
static const char fuzz_reader_text[] = "ab  a<s>Ab\u0301 \uac00\u1100\u1161\u3000\xff\xe2\x96[x] 12\n\t'S !!\u2581";

/* A normalizer may make 64 bytes of each, and 64 KiB more (text/unicode/normalize.h), which cost up to 160 bytes each:
 * tokens, places, their growth. */
static inline size_t grown(size_t size)
{
    return (64 * size + ((size_t)64 << 10)) * 160 / FUZZ_TOKENS_FACTOR;
}

static inline void fuzz_open_and_encode(const attn_tokenizer_spec *spec, size_t size, const uint8_t *text,
                                        size_t text_size)
{
    attn_tokenizer *tokenizer = NULL;
    attn_encode_options options = attn_encode_options_default();
    attn_error error;
    fuzz_budget budget;
    options.parse_special = true;
    fuzz_begin(&budget, size + FUZZ_READER_BASE, FUZZ_TOKENS_FACTOR);
    bool opened = attn_tokenizer_open(spec, &tokenizer, &error) == ATTN_OK;
    fuzz_end();
    if (opened)
        fuzz_tokens_within(tokenizer, text, text_size, text_size + (spec->normalizer != NULL ? grown(text_size) : 0),
                           &options);
    attn_tokenizer_close(tokenizer);
}

/* SEPARATED: the input may hold a text behind a NUL. */
static inline void fuzz_reader(fuzz_read *read, const uint8_t *data, size_t size, bool separated)
{
    const uint8_t *end = separated && size > 0 ? memchr(data, '\0', size) : NULL;
    const size_t file_size = end != NULL ? (size_t)(end - data) : size;
    uint8_t *copy = fuzz_copy(data, file_size);
    attn_arena arena = {0};
    const attn_vocab_source source = {.path = "-", .bytes = {copy, file_size}, .arena = &arena};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_error error;
    fuzz_budget budget;
    fuzz_begin(&budget, file_size + FUZZ_READER_BASE, FUZZ_TOKENS_FACTOR);
    bool good = read(&source, &spec, &error) == ATTN_OK;
    fuzz_end();
    if (good && end != NULL)
        fuzz_open_and_encode(&spec, file_size, end + 1, size - file_size - 1);
    else if (good)
        fuzz_open_and_encode(&spec, file_size, (const uint8_t *)fuzz_reader_text, sizeof fuzz_reader_text - 1);
    attn_arena_free(&arena);
    attn_free(copy);
}

#endif
