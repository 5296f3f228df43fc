/* fuzz_wordpiece.c: texts through WordPiece. The first byte chooses the switches, the rest is the
 * text. */
#include "config.h"

#include "fuzz_tokens.h"

static attn_tokenizer *open_wordpiece(unsigned switches)
{
    static const char *const words[] = {"[UNK]",    "[CLS]",        "[SEP]",    "[MASK]", "a", "##a", "##ab", "b",
                                        "##\u0301", "\u1100\u1161", "##\u11A8", "我",     "ς", "σ",   "##σ",  "!",
                                        "##"};
    enum { N_WORDS = sizeof words / sizeof *words };
    static const uint32_t around[] = {1, 2};
    attn_bytes tokens[N_WORDS];
    const attn_added_token added[] = {{.content = attn_bytes_of("[MASK]"), .id = 3, .special = true},
                                      {.content = attn_bytes_of("É b"), .id = 40, .normalized = true}};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    for (size_t i = 0; i < N_WORDS; i++)
        tokens[i] = attn_bytes_of(words[i]);
    spec.kind = &attn_kind_wordpiece;
    spec.tokens = tokens;
    spec.n_tokens = N_WORDS;
    spec.added = added;
    spec.n_added = switches & 1 ? 2 : 1;
    spec.prefix = around;
    spec.suffix = around + 1;
    spec.n_prefix = spec.n_suffix = 1;
    spec.lowercase = switches & 2;
    spec.strip_accents = switches & 4;
    spec.clean_text = switches & 8;
    spec.split_cjk = switches & 16;
    spec.unknown = switches & 32 ? 0 : ATTN_NO_TOKEN;
    spec.max_word_chars = switches & 64 ? 100 : SIZE_MAX;
    fuzz_require(attn_tokenizer_open(&spec, &tokenizer, NULL) == ATTN_OK, "the tokenizer does not open");
    return tokenizer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static attn_tokenizer *opened[256]; /* kept from input to input */
    if (size == 0)
        return 0;
    attn_tokenizer **tokenizer = &opened[data[0]];
    if (*tokenizer == NULL)
        *tokenizer = open_wordpiece(data[0]);
    fuzz_tokens(*tokenizer, data + 1, size - 1, NULL);
    return 0;
}
