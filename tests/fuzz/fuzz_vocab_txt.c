/* fuzz_vocab_txt.c: vocab.txt and token lists. The bytes are the vocabulary, and the text it then
 * reads. */
#include "config.h"

#include "fuzz_tokens.h"

#include "text/vocab/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const attn_kind *const kinds[] = {NULL, &attn_kind_longest, &attn_kind_wordpiece, &attn_kind_bytes};
    uint8_t *copy = fuzz_copy(data, size);
    attn_arena arena = {0};
    const attn_vocab_source source = {.path = "no/such/vocab.txt", .bytes = {copy, size}, .arena = &arena};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_error error;
    fuzz_budget budget;
    bool opened;
    fuzz_begin(&budget, size, FUZZ_TOKENS_FACTOR);
    fuzz_require(attn_vocab_reader_vocab_txt.read(&source, &spec, &error) == ATTN_OK, "lines are refused");
    fuzz_end();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        attn_tokenizer *tokenizer = NULL;
        attn_tokenizer_spec other = spec;
        if (kinds[i] != NULL)
            other.kind = kinds[i];
        fuzz_begin(&budget, size, FUZZ_TOKENS_FACTOR);
        opened = attn_tokenizer_open(&other, &tokenizer, &error) == ATTN_OK;
        fuzz_end();
        if (opened)
            fuzz_tokens(tokenizer, copy, size, NULL);
        attn_tokenizer_close(tokenizer);
    }
    attn_arena_free(&arena);
    attn_free(copy);
    return 0;
}
