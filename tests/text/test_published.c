/* The published vocabularies, token for token: llama.cpp's conformance texts, the reference ids of the stories
 * model, and the cases. All right values are files of the outside data; skipped where those are absent. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "formats/container.h"
#include "testing/arrays.h"
#include "testing/files.h"
#include "testing/texts.h"
#include "text/byte_alphabet.h"

#include <string.h>
#include <time.h>

static attn_file open_shared(const char *name)
{
    const char *path = testing_shared(name);
    attn_file file = {0};
    ck_assert_msg(path != NULL && attn_file_open(path, NULL, &file, NULL) == ATTN_OK, "no %s", name);
    return file;
}

static attn_tokenizer *load(const char *name)
{
    return texts_load(testing_shared(name), NULL);
}

/* ---- GGUF vocabularies, as spec.h says they are read ---- */

static uint32_t meta_id(const attn_container *container, const char *key)
{
    const attn_meta *meta = attn_container_meta(container, key);
    return meta != NULL ? (uint32_t)meta->u64 : ATTN_NO_TOKEN;
}

/* SentencePiece's BPE from a GGUF file: what model/ does, in the few lines that these files need. */
static attn_tokenizer *open_llama(const char *name)
{
    attn_container container;
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    const attn_meta *tokens, *scores, *types;
    ck_assert_int_eq(attn_container_open(testing_shared(name), NULL, &container, &error), ATTN_OK);
    tokens = attn_container_meta(&container, "tokenizer.ggml.tokens");
    scores = attn_container_meta(&container, "tokenizer.ggml.scores");
    types = attn_container_meta(&container, "tokenizer.ggml.token_type");
    ck_assert_ptr_nonnull(tokens);
    ck_assert_ptr_nonnull(scores);
    ck_assert_ptr_nonnull(types);
    uint8_t *kinds = attn_alloc(types->n_elements);
    float *numbers = attn_alloc_array(scores->n_elements, sizeof *numbers);
    for (size_t i = 0; i < types->n_elements; i++) {
        kinds[i] = (uint8_t)attn_load_u32((const uint8_t *)types->numbers->data + 4 * i);
        numbers[i] = attn_load_f32((const uint8_t *)scores->numbers->data + 4 * i);
    }
    spec.kind = &attn_kind_bpe;
    spec.tokens = tokens->strings;
    spec.n_tokens = tokens->n_elements;
    spec.scores = numbers;
    spec.types = kinds;
    spec.byte_fallback = spec.dummy_prefix = spec.escape_spaces = true;
    spec.unknown = meta_id(&container, "tokenizer.ggml.unknown_token_id");
    ck_assert_msg(attn_tokenizer_open(&spec, &tokenizer, &error) == ATTN_OK, "%s", error.message);
    attn_free(kinds);
    attn_free(numbers);
    attn_container_close(&container);
    return tokenizer;
}

/* ---- conformance ---- */

static const struct {
    const char *vocabulary, *folder;
} published[] = {{"data/vocab/gpt2", "data/vocab/gpt2"},
                 {"data/vocab/bert/tokenizer.json", "data/vocab/bert"},
                 {"data/vocab/llama/ggml-vocab-llama-spm.gguf", "data/vocab/llama"}};

START_TEST(conformance)
{
    testing_need("data/vocab");
    const char *vocabulary = published[_i].vocabulary;
    attn_tokenizer *tokenizer = strstr(vocabulary, ".gguf") != NULL ? open_llama(vocabulary) : load(vocabulary);
    texts_conform(tokenizer, testing_shared(published[_i].folder));
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* GPT-2's vocabulary as a tiktoken rank file: the ranks are the ids, so the ids must stay. */
START_TEST(tiktoken_ranks)
{
    testing_need("data/vocab");
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    attn_tokenizer *gpt2 = load("data/vocab/gpt2/vocab.json"), *ranks = NULL;
    attn_buffer file = {0};
    attn_error error = {0};
    for (uint32_t id = 0; id < 50256; id++) {
        attn_buffer token = {0};
        attn_bytes spelling = attn_tokenizer_spelling(gpt2, id);
        attn_byte_alphabet_decode(spelling, &token);
        for (size_t at = 0; at < token.size; at += 3) {
            uint32_t bits = 0;
            size_t left = token.size - at < 3 ? token.size - at : 3;
            for (size_t i = 0; i < 3; i++)
                bits = bits << 8 | (i < left ? (uint8_t)token.data[at + i] : 0);
            for (size_t i = 0; i < 4; i++)
                attn_buffer_byte(&file, i <= left ? digits[bits >> (18 - 6 * i) & 63] : '=');
        }
        attn_buffer_format(&file, " %lu\n", (unsigned long)id);
        attn_buffer_free(&token);
    }
    ck_assert_msg(texts_open(&attn_vocab_reader_tiktoken, "x.tiktoken", attn_buffer_bytes(&file), &ranks, &error) ==
                      ATTN_OK,
                  "%s", error.message);
    texts_conform(ranks, testing_shared("data/vocab/gpt2"));
    attn_buffer_free(&file);
    attn_tokenizer_close(ranks);
    attn_tokenizer_close(gpt2);
}
END_TEST

/* ---- the stories model ---- */

/* The file of ids PATH as texts_ids shows them. */
static const char *shown_ids(const char *path)
{
    size_t n;
    uint32_t *ids = arrays_ids(path, &n);
    attn_buffer out = {0};
    for (size_t i = 0; i < n; i++)
        attn_buffer_format(&out, "%s%lu", i > 0 ? " " : "", (unsigned long)ids[i]);
    const char *shown = files_print("%.*s", (int)out.size, out.data);
    attn_buffer_free(&out);
    free(ids);
    return shown;
}

static const char *const stories[] = {"hf/tokenizer.json", "hf/tokenizer.model", "stories260K.gguf"};
enum { N_STORIES = 3, N_TEXTS = 5 };

START_TEST(stories_texts)
{
    testing_need("data/vocab");
    const char *vocabulary = stories[_i / N_TEXTS];
    const bool gguf = strcmp(vocabulary, "stories260K.gguf") == 0;
    const char *name = files_join("data/stories260K", vocabulary);
    const char *folder = files_print("data/stories260K/ref/s%d", _i % N_TEXTS);
    attn_tokenizer *tokenizer = gguf ? open_llama(name) : load(name);
    attn_file text = open_shared(files_join(folder, "text.txt"));
    const char *expected = shown_ids(testing_shared(files_join(folder, "ids.npy")));
    if (gguf) /* the helper puts no BOS before the text */
        expected += strlen("1 ");
    ck_assert_str_eq(texts_ids(tokenizer, text.bytes, NULL), expected);
    attn_file_close(&text);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* ---- the cases: expected.json's values ---- */

#define GPT2_FOLDER "data/vocab/gpt2"

static const struct {
    const char *vocabulary, *input, *ids; /* input: a file, or "=" and the text */
} cases[] = {
    {GPT2_FOLDER, "cases/001-gpt2-space-runs/input-trailing.txt", "31373 220 995 220 220 220"},
    {GPT2_FOLDER, "cases/001-gpt2-space-runs/input-multi_lead.txt", "220 220 1115 9029 878 11 734 220 2641"},
    {GPT2_FOLDER, "cases/002-gpt2-newline-runs/input-newlines.txt", "64 628 198 65 628"},
    {GPT2_FOLDER, "cases/002-gpt2-newline-runs/input-nl_space.txt", "87 220 198 220 331 198 220 198"},
    {GPT2_FOLDER, "cases/002-gpt2-newline-runs/input-tabs.txt", "197 600 197 197 12417 26 220 220 197 886"},
    {GPT2_FOLDER, "cases/004-gpt2-unicode-spaces/input-nbsp.txt", "64 1849 1849 65 1849 269"},
    {GPT2_FOLDER, "cases/004-gpt2-unicode-spaces/input-emspace.txt", "87 447 225 447 225 88 5099 222 89"},
    {GPT2_FOLDER, "cases/004-gpt2-unicode-spaces/input-zwsp.txt", "68 9525 69"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-llama_emoji.txt", "1212 318 12520 99 247 13 20322"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-zwj.txt",
     "41840 101 447 235 41840 102 447 235 41840 100 447 235 41840 99 0"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-hangul_nfc.txt", "47991 250 166 113 255 168 244 112"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-hangul_nfd.txt",
     "157 226 240 157 227 94 157 228 104 157 226 222 157 227 106 157 228 101 157 226 233 157 227 98"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-cafe_nfc.txt", "66 1878 2634"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-cafe_nfd.txt", "66 8635 136 223"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-digits.txt",
     "1238 1954 318 1802 20483 290 18923 94 149 95 149 96 25208"},
    {GPT2_FOLDER, "cases/005-gpt2-emoji-cjk-hangul/input-mixed.txt", "39305 10163 4299 62 29228"},
    {GPT2_FOLDER, "cases/006-gpt2-special-in-text/input.txt", "505 27 91 437 1659 5239 91 29 11545"},
    {GPT2_FOLDER, "=brutalist", "1671 315 49845"},
    {"cases/007-bpe-merge-by-rank", "cases/007-bpe-merge-by-rank/input.txt", "97 256"},
    {"cases/007-bpe-merge-by-rank/vocab.json", "cases/007-bpe-merge-by-rank/input.txt", "97 256"},
    {"cases/009-tokenizer-json-merges-pairs/pairs", "cases/009-tokenizer-json-merges-pairs/input.txt", "257 260 263"},
    {"cases/009-tokenizer-json-merges-pairs/strings", "cases/009-tokenizer-json-merges-pairs/input.txt", "257 260 263"},
    {"cases/009-tokenizer-json-merges-pairs/vocab.json", "cases/009-tokenizer-json-merges-pairs/input.txt",
     "257 260 263"},
    {"cases/010-merges-txt-first-line", "cases/010-merges-txt-first-line/input.txt", "257"},
    {"cases/010-merges-txt-first-line/with-header", "cases/010-merges-txt-first-line/input.txt", "257"},
    {"cases/012-byte-level-glyph-collision", "cases/012-byte-level-glyph-collision/input.txt",
     "195 169 32 195 191 32 196 128"},
    {"cases/013-bpe-invalid-utf8", "cases/013-bpe-invalid-utf8/input.bin", "111 107 32 226 128 32 101 110 100 255"},
    {"cases/031-sp-dummy-prefix-spaces/tok.gguf", "cases/031-sp-dummy-prefix-spaces/input-0.txt", "264"},
    {"cases/031-sp-dummy-prefix-spaces/tok.gguf", "cases/031-sp-dummy-prefix-spaces/input-1.txt", "267 264"},
    {"cases/031-sp-dummy-prefix-spaces/tok.gguf", "cases/031-sp-dummy-prefix-spaces/input-2.txt", "259 264"},
    {"cases/031-sp-dummy-prefix-spaces/tok.gguf", "cases/031-sp-dummy-prefix-spaces/input-tab.txt", "267 12 266"},
    {"cases/033-unigram-unk-run-fused", "=ab東京翴b a", "5 0 3 1 2"},
    {GPT2_FOLDER, "cases/110-nul-byte-in-text/gpt2.bin", "397 188 10210"}};

START_TEST(each_case)
{
    testing_need("data/vocab");
    const char *vocabulary = cases[_i].vocabulary, *input = cases[_i].input;
    attn_tokenizer *tokenizer = strstr(vocabulary, ".gguf") != NULL ? open_llama(vocabulary) : load(vocabulary);
    if (input[0] == '=') {
        texts_expect(tokenizer, attn_bytes_of(input + 1), cases[_i].ids);
    } else {
        attn_file file = open_shared(input);
        texts_expect(tokenizer, file.bytes, cases[_i].ids);
        attn_file_close(&file);
    }
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 006: both meanings of a special token's name in a text. */
START_TEST(specials_on_request)
{
    testing_need("data/vocab");
    attn_encode_options options = texts_plain();
    attn_tokenizer *tokenizer = load(GPT2_FOLDER);
    options.parse_special = true;
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("one<|endoftext|>two"), &options), "505 50256 11545");
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 016: runs of one character. */
START_TEST(long_runs)
{
    testing_need("data/vocab");
    static const struct {
        char letter;
        size_t size, count;
        uint32_t id;
    } runs[] = {{'a', 100000, 25000, 24794}, {'^', 1000000, 250000, 39397}, {'_', 1000000, 15625, 27193}};
    attn_tokenizer *tokenizer = load(GPT2_FOLDER);
    for (size_t r = 0; r < 3; r++) {
        const attn_encode_options options = texts_plain();
        uint8_t *text = attn_alloc(runs[r].size);
        attn_tokens tokens = {0};
        clock_t start = clock();
        memset(text, runs[r].letter, runs[r].size);
        ck_assert_int_eq(
            attn_tokenizer_encode(tokenizer, (attn_bytes){text, runs[r].size}, &options, &tokens, NULL, NULL), ATTN_OK);
        ck_assert_uint_eq(tokens.count, runs[r].count);
        for (size_t i = 0; i < tokens.count; i++)
            ck_assert_uint_eq(tokens.items[i].id, runs[r].id);
        ck_assert_msg((double)(clock() - start) / CLOCKS_PER_SEC < 20, "too slow for near-linear");
        attn_tokens_free(&tokens);
        attn_free(text);
    }
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 017: a lone surrogate in a vocabulary is an error with its place. */
START_TEST(lone_surrogate)
{
    testing_need("data/vocab");
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    ck_assert_int_eq(attn_tokenizer_load(testing_shared("cases/017-vocab-json-surrogates/bad.json"), NULL,
                                         &attn_kind_whitespace, &tokenizer, &error),
                     ATTN_EDATA);
    ck_assert_uint_eq(error.line, 1);
    ck_assert_ptr_null(tokenizer);
}
END_TEST

/* ---- pages: offsets re-join the text, labels are what a person reads ---- */

static const char *const vocabularies[] = {GPT2_FOLDER, "data/vocab/llama/ggml-vocab-llama-spm.gguf",
                                           "data/stories260K/hf/tokenizer.json", "data/stories260K/hf/tokenizer.model"};
static const char *const pages[] = {"data/text/constitution_ko.txt", "data/text/botchan.txt"};
enum { N_VOCABULARIES = 4, N_PAGES = 2 };

START_TEST(pages_rejoin)
{
    testing_need("data/vocab");
    const char *vocabulary = vocabularies[_i / N_PAGES];
    const attn_encode_options options = texts_plain();
    attn_tokenizer *tokenizer = strstr(vocabulary, ".gguf") != NULL ? open_llama(vocabulary) : load(vocabulary);
    attn_file page = open_shared(pages[_i % N_PAGES]);
    attn_tokens tokens = {0};
    size_t at = 0, word = 0;
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, page.bytes, &options, &tokens, NULL, NULL), ATTN_OK);
    for (size_t i = 0; i < tokens.count; i++) {
        const attn_token *token = &tokens.items[i];
        attn_buffer label = {0};
        ck_assert_uint_le(token->start, token->end);
        ck_assert_msg(token->start <= at || _i / N_PAGES == 3, "bytes %zu to %zu lie in no token", at, token->start);
        at = token->end > at ? token->end : at;
        ck_assert_uint_ge(token->word, word);
        word = token->word;
        attn_tokenizer_label(tokenizer, token->id, false, &label);
        ck_assert(attn_utf8_valid(attn_buffer_bytes(&label), NULL));
        ck_assert_ptr_null(memmem(label.data, label.size, "\xC4\xA0", 2));     /* Ġ */
        ck_assert_ptr_null(memmem(label.data, label.size, "\xE2\x96\x81", 3)); /* ▁ */
        attn_buffer_free(&label);
    }
    ck_assert(at == page.bytes.size || _i / N_PAGES == 3); /* .model: spaces at the ends are dropped */
    attn_tokens_free(&tokens);
    attn_file_close(&page);
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("published");
    TCase *tests = tcase_create("published");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, conformance, 0, 3);
    tcase_add_test(tests, tiktoken_ranks);
    tcase_add_loop_test(tests, stories_texts, 0, N_STORIES * N_TEXTS);
    tcase_add_loop_test(tests, each_case, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, specials_on_request);
    tcase_add_test(tests, long_runs);
    tcase_add_test(tests, lone_surrogate);
    tcase_add_loop_test(tests, pages_rejoin, 0, N_VOCABULARIES * N_PAGES);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
