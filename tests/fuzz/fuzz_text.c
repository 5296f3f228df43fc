/* fuzz_text.c: texts through the basic kinds. The first byte chooses the kind and the options, the
 * rest is the text. */
#include "config.h"

#include "fuzz_tokens.h"

static attn_tokenizer *open_kind(const attn_kind *kind)
{
    static const char *const words[] = {"[UNK]", "a",   "ab", "어부",   "\u1100\u1161", "é", "\u0301", "🇰🇷",
                                        "don't", "1.5", " ",  "<0x41>", "\xFF",         "ß", "\u03C3"};
    enum { N_WORDS = sizeof words / sizeof *words };
    attn_bytes tokens[N_WORDS];
    const attn_added_token added[] = {{.content = attn_bytes_of("<a>"), .id = 1, .special = true},
                                      {.content = attn_bytes_of("<B>"), .id = 2, .normalized = true, .lstrip = true},
                                      {.content = attn_bytes_of("c"), .id = 3, .single_word = true, .rstrip = true}};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    for (size_t i = 0; i < N_WORDS; i++)
        tokens[i] = attn_bytes_of(words[i]);
    spec.kind = kind;
    spec.tokens = tokens;
    spec.n_tokens = N_WORDS;
    spec.added = added;
    spec.n_added = 3;
    fuzz_require(attn_tokenizer_open(&spec, &tokenizer, NULL) == ATTN_OK, "the tokenizer does not open");
    return tokenizer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const attn_kind *const kinds[] = {&attn_kind_words, &attn_kind_whitespace, &attn_kind_longest,
                                             &attn_kind_chars, &attn_kind_bytes,      &attn_kind_ids};
    enum { N_KINDS = sizeof kinds / sizeof *kinds };
    static attn_tokenizer *opened[N_KINDS]; /* kept from input to input */
    attn_encode_options options = attn_encode_options_default();
    if (size == 0)
        return 0;
    unsigned choice = data[0];
    attn_tokenizer **tokenizer = &opened[choice % N_KINDS];
    if (*tokenizer == NULL)
        *tokenizer = open_kind(kinds[choice % N_KINDS]);
    choice /= N_KINDS;
    options.lowercase = choice & 1 ? 1 : -1;
    options.parse_special = choice & 2;
    options.unknown = (attn_unknown_rule)(choice / 4 % 4);
    options.unknown_token = 0;
    fuzz_tokens(*tokenizer, data + 1, size - 1, &options);
    return 0;
}
