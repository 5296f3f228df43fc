/* fuzz_bpe.c: texts through BPE and Unigram. The first byte chooses the tokenizer, the rest is the text. */
#include "config.h"

#include "fuzz_tokens.h"

static const char *const words[] = {"<unk>",  "a",      "b",  "Ġ",      "Ċ",  "aa",  "ab", "Ġa",
                                    "ĠĠ",     "aaaa",   "!",  "Ã",      "©",  "▁",   "▁a", "▁▁",
                                    "<0xC3>", "<0xA9>", "가", "\u0301", "bb", "aab", "<s>"};
enum { N_WORDS = sizeof words / sizeof *words };

static attn_tokenizer *open_bpe(unsigned choice)
{
    static const char *const pairs[][2] = {{"a", "a"}, {"a", "b"},  {"Ġ", "a"}, {"Ġ", "Ġ"}, {"aa", "aa"},
                                           {"b", "b"}, {"aa", "b"}, {"▁", "a"}, {"▁", "▁"}};
    enum { N_MERGES = sizeof pairs / sizeof *pairs };
    static const attn_pretokenizer splits[] = {ATTN_SPLIT_NONE, ATTN_SPLIT_GPT2, ATTN_SPLIT_LLAMA3, ATTN_SPLIT_QWEN2,
                                               ATTN_SPLIT_PATTERN};
    attn_bytes tokens[N_WORDS], merges[N_MERGES][2];
    float scores[N_WORDS];
    const attn_added_token added[] = {{.content = attn_bytes_of("<s>"), .id = N_WORDS - 1, .lstrip = true},
                                      {.content = attn_bytes_of("A b"), .id = 40, .normalized = true}};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    for (size_t i = 0; i < N_WORDS; i++) {
        tokens[i] = attn_bytes_of(words[i]);
        scores[i] = -(float)(i % 7);
    }
    for (size_t i = 0; i < N_MERGES; i++) {
        merges[i][0] = attn_bytes_of(pairs[i][0]);
        merges[i][1] = attn_bytes_of(pairs[i][1]);
    }
    spec.kind = choice & 1 ? &attn_kind_unigram : &attn_kind_bpe;
    spec.tokens = tokens;
    spec.n_tokens = N_WORDS;
    spec.scores = scores;
    spec.added = added;
    spec.n_added = 2;
    spec.unknown = choice & 2 ? 0 : ATTN_NO_TOKEN;
    spec.byte_level = (choice & 5) == 4;
    if (choice & 8) {
        spec.merges = (const attn_bytes(*)[2])merges;
        spec.n_merges = N_MERGES;
    }
    spec.byte_fallback = choice & 16;
    spec.dummy_prefix = spec.escape_spaces = choice & 32;
    spec.collapse_spaces = spec.fuse_unknown = choice & 64;
    spec.split = splits[(choice >> 4) % 5];
    spec.pattern = "\\w+|[^\\w\\s]+|\\s";
    fuzz_require(attn_tokenizer_open(&spec, &tokenizer, NULL) == ATTN_OK, "the tokenizer does not open");
    return tokenizer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static attn_tokenizer *tokenizers[256]; /* kept: opening one takes longer than most texts */
    if (size == 0)
        return 0;
    if (tokenizers[data[0]] == NULL)
        tokenizers[data[0]] = open_bpe(data[0]);
    fuzz_tokens(tokenizers[data[0]], data + 1, size - 1, NULL);
    return 0;
}
