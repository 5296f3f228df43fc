/* Whole pages and hostile texts through every kind of text/ that needs no merges: offsets re-join
 * the text, both forms of Hangul give the same tokens, a megabyte takes eight times as long as an
 * eighth of it, and a failing allocation anywhere is ATTN_ENOMEM. The properties are what is right;
 * no values are stored. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "testing/files.h"
#include "testing/memory.h"
#include "testing/texts.h"

#include <string.h>
#include <time.h>
#include <utf8proc.h>

static const attn_kind *const kinds[] = {&attn_kind_words, &attn_kind_whitespace, &attn_kind_longest,
                                         &attn_kind_chars, &attn_kind_bytes,      &attn_kind_wordpiece};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const char *const pages[] = {"data/text/constitution_ko.txt", "data/text/kobill_ko.txt",
                                    "data/text/botchan.txt"};
enum { N_PAGES = sizeof pages / sizeof *pages };

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* A tokenizer whose vocabulary is UNKNOWN and the blank-separated words of PAGE, and their
 * characters. */
static attn_tokenizer *page_tokenizer(const attn_kind *kind, attn_bytes page)
{
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    attn_bytes *tokens = attn_alloc_array(2 * page.size + 1, sizeof *tokens);
    attn_map seen = {0};
    tokens[spec.n_tokens++] = attn_bytes_of("[UNK]");
    for (size_t at = 0; at < page.size;) {
        attn_bytes word = {page.data + at, 0};
        while (at + word.size < page.size && !is_blank(word.data[word.size])) {
            attn_bytes character = {word.data + word.size, 1};
            while (at + word.size + character.size < page.size && (character.data[character.size] & 0xC0) == 0x80)
                character.size++;
            if (attn_map_add(&seen, character, 0) == ATTN_MAP_ADDED)
                tokens[spec.n_tokens++] = character;
            word.size += character.size;
        }
        if (word.size > 0 && attn_map_add(&seen, word, 0) == ATTN_MAP_ADDED)
            tokens[spec.n_tokens++] = word;
        at += word.size + 1;
    }
    spec.kind = kind;
    spec.tokens = tokens;
    spec.clean_text = spec.split_cjk = true;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    attn_map_free(&seen);
    attn_free(tokens);
    return tokenizer;
}

/* With a token for every unknown, the tokens and the white space between them are the text. */
static size_t check_offsets(const attn_tokenizer *tokenizer, attn_bytes text, attn_tokens *tokens)
{
    attn_encode_options options = attn_encode_options_default();
    size_t at = 0;
    size_t n_known = 0;
    options.add_special = false;
    options.unknown = ATTN_UNKNOWN_TOKEN;
    options.unknown_token = 0;
    tokens->count = 0;
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, text, &options, tokens, NULL, NULL), ATTN_OK);
    for (size_t i = 0; i < tokens->count; i++) {
        const attn_token *token = &tokens->items[i];
        for (; at < token->start; at++)
            ck_assert_msg(is_blank(text.data[at]), "byte %zu lies in no token", at);
        ck_assert_uint_eq(token->start, at);
        ck_assert_uint_le(token->end, text.size);
        ck_assert_uint_gt(token->end, token->start);
        if (i > 0)
            ck_assert_uint_ge(token->word, token[-1].word);
        n_known += token->id != 0;
        at = token->end;
    }
    for (; at < text.size; at++)
        ck_assert(is_blank(text.data[at]));
    return n_known;
}

START_TEST(test_page)
{
    testing_need(pages[_i / N_KINDS]);
    const char *path = testing_shared(pages[_i / N_KINDS]);
    const attn_kind *kind = kinds[_i % N_KINDS];
    attn_tokens tokens = {0};
    attn_file page;
    ck_assert_int_eq(attn_file_open(path, NULL, &page, NULL), ATTN_OK);
    attn_bytes text = page.bytes;
    if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
        text = (attn_bytes){text.data + 3, text.size - 3}; /* as the command line does */
    attn_tokenizer *tokenizer = page_tokenizer(kind, text);
    size_t n_known = check_offsets(tokenizer, text, &tokens);
    if (kind != &attn_kind_bytes)
        ck_assert_uint_gt(n_known, tokens.count / 4);
    /* What a comparing kind found is spelled like the text (these pages are composed). */
    for (size_t i = 0; i < tokens.count && kind != &attn_kind_wordpiece; i++) {
        const attn_token *token = &tokens.items[i];
        attn_bytes slice = {text.data + token->start, token->end - token->start};
        if (token->id != 0)
            ck_assert(attn_bytes_equal(attn_tokenizer_spelling(tokenizer, token->id), slice));
    }
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
    attn_file_close(&page);
}
END_TEST

/* The page in conjoining jamo: the same tokens (but for the last two kinds: bytes and cased WordPiece do not compose,
 * by design). */
START_TEST(test_decomposed_page)
{
    testing_need(pages[0]);
    const char *path = testing_shared(pages[0]);
    const attn_kind *kind = kinds[_i];
    attn_tokens composed = {0};
    attn_tokens decomposed = {0};
    utf8proc_uint8_t *jamo = NULL;
    utf8proc_ssize_t size;
    attn_file page;
    ck_assert_int_eq(attn_file_open(path, NULL, &page, NULL), ATTN_OK);
    size =
        utf8proc_map(page.bytes.data, (utf8proc_ssize_t)page.bytes.size, &jamo, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE);
    ck_assert_int_gt(size, (utf8proc_ssize_t)page.bytes.size);
    attn_tokenizer *tokenizer = page_tokenizer(kind, page.bytes);
    check_offsets(tokenizer, page.bytes, &composed);
    check_offsets(tokenizer, (attn_bytes){jamo, (size_t)size}, &decomposed);
    ck_assert_uint_eq(composed.count, decomposed.count);
    for (size_t i = 0; i < composed.count; i++)
        ck_assert_uint_eq(composed.items[i].id, decomposed.items[i].id);
    free(jamo);
    attn_tokens_free(&composed);
    attn_tokens_free(&decomposed);
    attn_tokenizer_close(tokenizer);
    attn_file_close(&page);
}
END_TEST

/* ---- hostile texts ---- */

static const char *const patterns[] = {"a",
                                       "ab",
                                       "a ",
                                       " ",
                                       "\n",
                                       "[",
                                       "[MASK",
                                       "#",
                                       "\u0301",
                                       "\u0323\u0301",
                                       "a\u0301\u0323",
                                       "\xFF",
                                       "\xE3\x81",
                                       "\u1100\u1161\u11A8",
                                       "\u1161",
                                       "한",
                                       "我",
                                       "\U0001F469\u200D",
                                       "\u200D",
                                       "🇰",
                                       "'",
                                       "a'",
                                       "1,",
                                       "\u03A3",
                                       "\u03A3.",
                                       "\x01"};
enum { N_PATTERNS = sizeof patterns / sizeof *patterns, N_MEGABYTES = 3 }; /* the rest: a quarter */

static attn_tokenizer *hostile_tokenizer(const attn_kind *kind)
{
    static char long_entry[4096];
    const attn_bytes tokens[] = {
        attn_bytes_of("[UNK]"),  attn_bytes_of("a"),           attn_bytes_of("aaaa"),
        attn_bytes_of("##a"),    attn_bytes_of("##aaab"),      attn_bytes_of("\u0301"),
        attn_bytes_of("[MASK]"), attn_bytes_of("[MASK[MASK]"), {(const uint8_t *)long_entry, sizeof long_entry}};
    const attn_added_token added[] = {
        {.content = attn_bytes_of("[MASK]"), .id = 6, .special = true},
        {.content = attn_bytes_of("[MASK[MASK]"), .id = 7, .lstrip = true, .rstrip = true}};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    memset(long_entry, 'a', sizeof long_entry);
    spec.kind = kind;
    spec.tokens = tokens;
    spec.n_tokens = sizeof tokens / sizeof *tokens;
    spec.added = added;
    spec.n_added = 2;
    spec.unknown = 0;
    spec.max_word_chars = SIZE_MAX;
    spec.clean_text = spec.split_cjk = spec.lowercase = spec.strip_accents = true;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    return tokenizer;
}

/* Seconds to encode SIZE bytes of PATTERN repeated. */
static double time_pattern(const attn_tokenizer *tokenizer, const char *pattern, size_t size)
{
    const size_t length = strlen(pattern);
    uint8_t *text = attn_alloc(size);
    attn_tokens tokens = {0};
    for (size_t i = 0; i < size; i++)
        text[i] = (uint8_t)pattern[i % length];
    clock_t start = clock();
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, (attn_bytes){text, size}, NULL, &tokens, NULL, NULL), ATTN_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    attn_tokens_free(&tokens);
    attn_free(text);
    return seconds;
}

START_TEST(test_near_linear)
{
    attn_tokenizer *tokenizer = hostile_tokenizer(kinds[_i]);
    for (size_t i = 0; i < N_PATTERNS; i++) {
        const size_t size = (size_t)1 << (i < N_MEGABYTES ? 20 : 18);
        double eighth = time_pattern(tokenizer, patterns[i], size / 8);
        double whole = time_pattern(tokenizer, patterns[i], size);
        ck_assert_msg(whole <= 24 * eighth + 0.25, "%s, pattern %zu: %.3f s, an eighth of it %.3f s",
                      attn_kind_name(kinds[_i]), i, whole, eighth);
    }
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* A long text is taken in blocks: wherever one ends, clusters, words and offsets are as in a short
 * text. The pattern is 14 bytes of seven tokens; a mark on a space must not be parted from it. */
START_TEST(test_blocks)
{
    static const char pattern[] = "x \u0301 \u0301 \u1165z\r\n";
    enum { LENGTH = sizeof pattern - 1, COPIES = 30000 };
    const attn_bytes words[] = {attn_bytes_of("x"),      attn_bytes_of(" "), attn_bytes_of(" \u0301"),
                                attn_bytes_of("\u1165"), attn_bytes_of("z"), attn_bytes_of("\r\n")};
    static const uint32_t ids[] = {0, 2, 2, 1, 3, 4, 5};
    enum { N_IDS = sizeof ids / sizeof *ids };
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    attn_tokens tokens = {0};
    uint8_t *text = attn_alloc_array(COPIES, LENGTH);
    for (size_t i = 0; i < COPIES; i++)
        memcpy(text + i * LENGTH, pattern, LENGTH);
    spec.kind = &attn_kind_chars;
    spec.tokens = words;
    spec.n_tokens = sizeof words / sizeof *words;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    ck_assert_int_eq(
        attn_tokenizer_encode(tokenizer, (attn_bytes){text, (size_t)COPIES * LENGTH}, NULL, &tokens, NULL, NULL),
        ATTN_OK);
    ck_assert_uint_eq(tokens.count, (size_t)COPIES * N_IDS);
    for (size_t i = 0; i < tokens.count; i++) {
        ck_assert_uint_eq(tokens.items[i].id, ids[i % N_IDS]);
        ck_assert_uint_eq(tokens.items[i].start, i > 0 ? tokens.items[i - 1].end : 0);
    }
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
    attn_free(text);
}
END_TEST

/* ---- failing memory ---- */

static attn_status open_and_encode(void *context, attn_error *error)
{
    const attn_kind *const *kind = context;
    static const char text[] = "King e\u0323\u0301\u0327 어부 \u110B\u1165 我 [MASK]\xFF\u03A3 a\0b it's";
    const attn_bytes tokens[] = {attn_bytes_of("[UNK]"),        attn_bytes_of("king"),   attn_bytes_of("어부"),
                                 attn_bytes_of("\u110B\u1165"), attn_bytes_of("[MASK]"), attn_bytes_of("a")};
    const attn_added_token added[] = {
        {.content = attn_bytes_of("[MASK]"), .id = 4, .special = true},
        {.content = attn_bytes_of("It'S"), .id = 9, .normalized = true, .single_word = true}};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    attn_tokens found = {0};
    attn_unknowns unknowns = {0};
    attn_buffer label = {0};
    spec.kind = *kind;
    spec.tokens = tokens;
    spec.n_tokens = sizeof tokens / sizeof *tokens;
    spec.added = added;
    spec.n_added = 2;
    spec.clean_text = spec.split_cjk = spec.lowercase = spec.strip_accents = true;
    attn_status status = attn_tokenizer_open(&spec, &tokenizer, error);
    if (status == ATTN_OK)
        status = attn_tokenizer_encode(tokenizer, (attn_bytes){(const uint8_t *)text, sizeof text - 1}, NULL, &found,
                                       &unknowns, error);
    if (status == ATTN_OK) {
        attn_tokenizer_label(tokenizer, 2, false, &label);
        (void)attn_tokenizer_find(tokenizer, attn_bytes_of("\u110B\u1165"));
        status = label.failed ? attn_fail_memory(error) : ATTN_OK;
    }
    if (status == ATTN_ENOMEM && tokenizer != NULL)
        ck_assert_uint_le(unknowns.n_kept, ATTN_UNKNOWNS_KEPT);
    attn_buffer_free(&label);
    attn_unknowns_free(&unknowns);
    attn_tokens_free(&found);
    attn_tokenizer_close(tokenizer);
    return status;
}

START_TEST(test_failing_memory)
{
    const attn_kind *kind = kinds[_i];
    ck_assert_uint_gt(memory_fail_each(open_and_encode, &kind, MEMORY_FROM).failures, 5);
}
END_TEST

static attn_status load_again(void *context, attn_error *error)
{
    const char *folder = context;
    attn_tokenizer *tokenizer = NULL;
    attn_status status = attn_tokenizer_load(folder, NULL, NULL, &tokenizer, error);
    attn_tokenizer_close(tokenizer);
    return status;
}

START_TEST(test_failing_memory_in_load)
{
    static const char list[] = "[UNK]\n[CLS]\n[SEP]\na\n##b\n",
                      config[] = "{\"do_lower_case\": true, \"strip_accents\": null}";
    const char *folder = files_folder();
    files_write(files_join(folder, "vocab.txt"), list, sizeof list - 1);
    files_write(files_join(folder, "tokenizer_config.json"), config, sizeof config - 1);
    ck_assert_uint_gt(memory_fail_each(load_again, (char *)folder, MEMORY_FROM).failures, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pages");
    TCase *cases = tcase_create("all");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, test_page, 0, N_PAGES * N_KINDS);
    tcase_add_loop_test(cases, test_decomposed_page, 0, N_KINDS - 2);
    tcase_add_test(cases, test_blocks);
    tcase_add_loop_test(cases, test_near_linear, 0, N_KINDS);
    tcase_add_loop_test(cases, test_failing_memory, 0, N_KINDS);
    tcase_add_test(cases, test_failing_memory_in_load);
    suite_add_tcase(suite, cases);
    return testing_run(suite);
}
