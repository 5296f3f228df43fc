/* The published vocabularies, token for token: llama.cpp's conformance texts, the reference ids of the stories
 * model, and the cases. All right values are files of the outside data; skipped where those are absent. */
#include "config.h"

#include "testing/bpe.h"

#include "base/utf8.h"
#include "formats/container.h"
#include "text/byte_alphabet.h"

#include <time.h>

static attn_file open_shared(const char *name)
{
    const char *path = testing_shared(name);
    attn_file file = {0};
    ck_assert_msg(path != NULL && attn_file_open(path, NULL, &file, NULL) == ATTN_OK, "no %s", name);
    return file;
}

static bool absent(void)
{
    if (testing_shared("data/vocab") != NULL)
        return false;
    printf("SKIP: no outside data\n");
    return true;
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
    uint8_t *kinds;
    float *numbers;
    ck_assert_int_eq(attn_container_open(testing_shared(name), NULL, &container, &error), ATTN_OK);
    tokens = attn_container_meta(&container, "tokenizer.ggml.tokens");
    scores = attn_container_meta(&container, "tokenizer.ggml.scores");
    types = attn_container_meta(&container, "tokenizer.ggml.token_type");
    ck_assert_ptr_nonnull(tokens);
    ck_assert_ptr_nonnull(scores);
    ck_assert_ptr_nonnull(types);
    kinds = attn_alloc(types->n_elements);
    numbers = attn_alloc_array(scores->n_elements, sizeof *numbers);
    for (size_t i = 0; i < types->n_elements; i++) {
        kinds[i] = (uint8_t)attn_load_u32((const uint8_t *)types->numbers.data + 4 * i);
        numbers[i] = attn_load_f32((const uint8_t *)scores->numbers.data + 4 * i);
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

static const char marker[] = "\n__ggml_vocab_test__\n";

/* TEXT up to STOP; *AT moves behind it. */
static attn_bytes next_part(attn_bytes text, size_t *at, const char *stop)
{
    attn_bytes part = {text.data + *at, 0};
    const size_t size = strlen(stop);
    while (*at + part.size + size <= text.size && memcmp(part.data + part.size, stop, size) != 0)
        part.size++;
    *at += part.size + size;
    return part;
}

static void check_conformance(const attn_tokenizer *tokenizer, const char *folder)
{
    char name[256];
    attn_file inputs, outputs;
    size_t in = 0, out = 0, n = 0;
    snprintf(name, sizeof name, "data/vocab/%s/conformance.inp", folder);
    inputs = open_shared(name);
    snprintf(name, sizeof name, "data/vocab/%s/conformance.out", folder);
    outputs = open_shared(name);
    for (; in < inputs.bytes.size; n++) {
        attn_bytes text = next_part(inputs.bytes, &in, marker), line = next_part(outputs.bytes, &out, "\n");
        char expected[8192];
        while (line.size > 0 && *line.data == ' ') {
            line.data++;
            line.size--;
        }
        snprintf(expected, sizeof expected, "%.*s", (int)line.size, (const char *)line.data);
        bpe_expect(tokenizer, text, expected);
    }
    ck_assert_uint_eq(n, 46);
    attn_file_close(&inputs);
    attn_file_close(&outputs);
}

static const struct {
    const char *vocabulary, *folder;
} published[] = {{"data/vocab/gpt2", "gpt2"},
                 {"data/vocab/bert/tokenizer.json", "bert"},
                 {"data/vocab/llama/ggml-vocab-llama-spm.gguf", "llama"}};

START_TEST(conformance)
{
    attn_tokenizer *tokenizer;
    if (absent())
        return;
    tokenizer = strcmp(published[_i].folder, "llama") == 0 ? open_llama(published[_i].vocabulary)
                                                           : bpe_shared(published[_i].vocabulary);
    check_conformance(tokenizer, published[_i].folder);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* GPT-2's vocabulary as a tiktoken rank file: the ranks are the ids, so the ids must stay. */
START_TEST(tiktoken_ranks)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    attn_tokenizer *gpt2, *ranks = NULL;
    attn_buffer file = {0};
    attn_error error = {0};
    if (absent())
        return;
    gpt2 = bpe_shared("data/vocab/gpt2/vocab.json");
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
    ck_assert_msg(bpe_open_bytes(attn_vocab_reader_tiktoken.read, "x.tiktoken", attn_buffer_bytes(&file), &ranks,
                                 &error) == ATTN_OK,
                  "%s", error.message);
    check_conformance(ranks, "gpt2");
    attn_buffer_free(&file);
    attn_tokenizer_close(ranks);
    attn_tokenizer_close(gpt2);
}
END_TEST

/* ---- the stories model ---- */

/* ids.npy: a version 1 header, then little-endian int64. */
static const char *npy_ids(attn_bytes npy)
{
    static char shown[16384];
    size_t used = 0, start = 10 + attn_load_u16(npy.data + 8);
    ck_assert(memmem(npy.data, start, "<i8", 3) != NULL);
    for (size_t at = start; at < npy.size; at += 8)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%llu", at > start ? " " : "",
                                 (unsigned long long)attn_load_u64(npy.data + at));
    return shown;
}

static const char *const stories[] = {"hf/tokenizer.json", "hf/tokenizer.model", "stories260K.gguf"};
enum { N_STORIES = 3, N_TEXTS = 5 };

START_TEST(stories_texts)
{
    const char *vocabulary = stories[_i / N_TEXTS];
    const bool gguf = strcmp(vocabulary, "stories260K.gguf") == 0;
    char name[256];
    attn_tokenizer *tokenizer;
    attn_file text, ids;
    const char *expected;
    if (absent())
        return;
    snprintf(name, sizeof name, "data/stories260K/%s", vocabulary);
    tokenizer = gguf ? open_llama(name) : bpe_shared(name);
    snprintf(name, sizeof name, "data/stories260K/ref/s%d/text.txt", _i % N_TEXTS);
    text = open_shared(name);
    snprintf(name, sizeof name, "data/stories260K/ref/s%d/ids.npy", _i % N_TEXTS);
    ids = open_shared(name);
    expected = npy_ids(ids.bytes);
    if (gguf) /* the helper puts no BOS before the text */
        expected += strlen("1 ");
    ck_assert_str_eq(texts_ids(tokenizer, text.bytes, NULL), expected);
    attn_file_close(&text);
    attn_file_close(&ids);
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
    const char *vocabulary = cases[_i].vocabulary, *input = cases[_i].input;
    attn_tokenizer *tokenizer;
    if (absent())
        return;
    tokenizer = strstr(vocabulary, ".gguf") != NULL ? open_llama(vocabulary) : bpe_shared(vocabulary);
    if (input[0] == '=') {
        bpe_expect(tokenizer, attn_bytes_of(input + 1), cases[_i].ids);
    } else {
        attn_file file = open_shared(input);
        bpe_expect(tokenizer, file.bytes, cases[_i].ids);
        attn_file_close(&file);
    }
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 006: both meanings of a special token's name in a text. */
START_TEST(specials_on_request)
{
    attn_encode_options options = bpe_plain();
    attn_tokenizer *tokenizer;
    if (absent())
        return;
    tokenizer = bpe_shared(GPT2_FOLDER);
    options.parse_special = true;
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("one<|endoftext|>two"), &options), "505 50256 11545");
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 016: runs of one character. */
START_TEST(long_runs)
{
    static const struct {
        char letter;
        size_t size, count;
        uint32_t id;
    } runs[] = {{'a', 100000, 25000, 24794}, {'^', 1000000, 250000, 39397}, {'_', 1000000, 15625, 27193}};
    attn_tokenizer *tokenizer;
    if (absent())
        return;
    tokenizer = bpe_shared(GPT2_FOLDER);
    for (size_t r = 0; r < 3; r++) {
        const attn_encode_options options = bpe_plain();
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
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    if (absent())
        return;
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
    const char *vocabulary = vocabularies[_i / N_PAGES];
    const attn_encode_options options = bpe_plain();
    attn_tokenizer *tokenizer;
    attn_tokens tokens = {0};
    attn_file page;
    size_t at = 0, word = 0;
    if (absent())
        return;
    tokenizer = strstr(vocabulary, ".gguf") != NULL ? open_llama(vocabulary) : bpe_shared(vocabulary);
    page = open_shared(pages[_i % N_PAGES]);
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
