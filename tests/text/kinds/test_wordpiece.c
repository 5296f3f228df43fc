/* WordPiece. Ids come from the outside: the 47 texts of data/vocab/bert (llama.cpp's set, made with the published
 * tokenizer), the cases of shared/cases; the small tables here are worked by hand from BERT's rules. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "testing/files.h"
#include "testing/texts.h"

#include <string.h>

static attn_tokenizer *load_text(const char *vocabulary, const char *config)
{
    return texts_load_list(vocabulary, strlen(vocabulary), config);
}

START_TEST(test_conformance)
{
    testing_need("data/vocab/bert/vocab.txt");
    attn_tokenizer *tokenizer = texts_load(testing_shared("data/vocab/bert/vocab.txt"), NULL);
    ck_assert_ptr_eq(attn_tokenizer_kind_of(tokenizer), &attn_kind_wordpiece);
    texts_conform(tokenizer, testing_shared("data/vocab/bert"));
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* ---- the cases ---- */

typedef struct outside_case {
    const char *folder, *input;
    const attn_kind *kind;
    int lowercase; /* as in attn_encode_options */
    const char *ids;
} outside_case;

static const outside_case outside_cases[] = {
    {"018-wordpiece-accents-default", "input-a.txt", &attn_kind_wordpiece, 1, "5 7"},
    {"018-wordpiece-accents-default", "input-a.txt", &attn_kind_wordpiece, 0, "9 1"},
    {"019-wordpiece-turkish-i", "input-a.txt", NULL, -1, "5 7 8"},
    {"022-wordpiece-100-char-limit", "input-a101.txt", NULL, -1, "1"},
    {"022-wordpiece-100-char-limit", "input-zh101.txt", NULL, -1, "1"},
    {"023-wordpiece-newline-tab-space", "input-a.txt", NULL, -1, "5 6 8 9 11 12"},
    {"024-wordpiece-symbols-punct", "input-a.txt", NULL, -1, "5 6 7 8 9 10 11 12 13 14 15 16 17"},
    {"025-wordpiece-control-chars", "input-a.txt", NULL, -1, "5 8 9 10 11 12"},
    {"026-wordpiece-special-in-text", "input-a.txt", NULL, -1, "5 6 7 4 8 9 10 11"},
    {"028-vocab-blank-line-keeps-id", "input.txt", NULL, -1, "3 4"},
    {"028-vocab-blank-line-keeps-id", "input.txt", &attn_kind_wordpiece, -1, "3 4"},
};

START_TEST(test_case)
{
    const outside_case *c = &outside_cases[_i];
    const char *folder = files_join("cases", c->folder);
    testing_need(folder);
    attn_encode_options options = texts_plain();
    attn_tokenizer *tokenizer = texts_load(files_join(testing_shared(folder), "vocab.txt"), c->kind);
    attn_file file;
    ck_assert_int_eq(attn_file_open(files_join(testing_shared(folder), c->input), NULL, &file, NULL), ATTN_OK);
    options.lowercase = c->lowercase;
    ck_assert_str_eq(texts_ids(tokenizer, file.bytes, &options), c->ids);
    attn_file_close(&file);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 022: exactly 100 characters are still cut into pieces. */
START_TEST(test_hundred_characters)
{
    static const char *const inputs[] = {"input-a100.txt", "input-zh100.txt"};
    testing_need("cases/022-wordpiece-100-char-limit");
    const char *folder = testing_shared("cases/022-wordpiece-100-char-limit");
    attn_encode_options options = texts_plain();
    attn_tokenizer *tokenizer = texts_load(files_join(folder, "vocab.txt"), NULL);
    for (size_t i = 0; i < 2; i++) {
        attn_tokens tokens = {0};
        attn_file file;
        ck_assert_int_eq(attn_file_open(files_join(folder, inputs[i]), NULL, &file, NULL), ATTN_OK);
        ck_assert_int_eq(attn_tokenizer_encode(tokenizer, file.bytes, &options, &tokens, NULL, NULL), ATTN_OK);
        ck_assert_uint_eq(tokens.count, 100);
        ck_assert_uint_eq(tokens.items[99].word, tokens.items[0].word);
        attn_tokens_free(&tokens);
        attn_file_close(&file);
    }
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* The limit counts characters: 100 two-byte ones are cut, 101 are unknown. */
START_TEST(test_limit_counts_characters)
{
    attn_tokenizer *tokenizer = load_text("[UNK]\n[CLS]\n[SEP]\nж\n##ж", NULL);
    attn_encode_options options = texts_plain();
    for (size_t n = 100; n <= 101; n++) {
        attn_tokens tokens = {0};
        char text[256];
        for (size_t i = 0; i < n; i++)
            memcpy(text + 2 * i, "ж", 2);
        ck_assert_int_eq(
            attn_tokenizer_encode(tokenizer, (attn_bytes){(const uint8_t *)text, 2 * n}, &options, &tokens, NULL, NULL),
            ATTN_OK);
        ck_assert_uint_eq(tokens.count, n == 100 ? 100 : 1);
        attn_tokens_free(&tokens);
    }
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* ---- the rules, by hand ---- */

#define BERT "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

typedef struct rule {
    const char *name, *vocabulary, *config, *text, *expected;
} rule;

static const rule rules[] = {
    {"specials around, pieces inside", BERT "un\n##aff\n##able\n!", NULL, "Unaffable!",
     "[CLS]@0-0 un@0-2 ##aff@2-5 ##able@5-9 !@9-10 [SEP]@10-10"},
    {"a word with a part that is no piece", BERT "un\n##aff", NULL, "unaffx unaff",
     "[CLS]@0-0 [UNK]@0-6 un@7-9 ##aff@9-12 [SEP]@12-12"},
    {"accents off, composed or not", BERT "cafe\n##s", NULL, "Cafés cafe\u0301s",
     "[CLS]@0-0 cafe@0-5 ##s@5-6 cafe@7-13 ##s@13-14 [SEP]@14-14"},
    {"Hangul as jamo", BERT "\u110B\u1165\n##\u1107\u116E", NULL, "어부",
     "[CLS]@0-0 \u110B\u1165@0-3 ##\u1107\u116E@3-6 [SEP]@6-6"},
    {"ideographs apart", BERT "我\n爱\na\n##b", NULL, "a我爱ab",
     "[CLS]@0-0 a@0-1 我@1-4 爱@4-7 a@7-8 ##b@8-9 [SEP]@9-9"},
    {"ideographs beyond U+FFFF apart", BERT "a\n\U00020000", NULL, "a\U00020000a",
     "[CLS]@0-0 a@0-1 \U00020000@1-5 a@5-6 [SEP]@6-6"},
    {"cased: the vocabulary has a capital", BERT "King\nking", NULL, "King king KING",
     "[CLS]@0-0 King@0-4 king@5-9 [UNK]@10-14 [SEP]@14-14"},
    {"the config decides", BERT "King\nking", "{\"do_lower_case\": true}", "King", "[CLS]@0-0 king@0-4 [SEP]@4-4"},
    {"the config keeps accents", BERT "café\ncafe", "{\"do_lower_case\": true, \"strip_accents\": false}", "CAFÉ",
     "[CLS]@0-0 café@0-5 [SEP]@5-5"},
    {"the config keeps ideographs together", BERT "我爱", "{\"tokenize_chinese_chars\": false}", "我爱",
     "[CLS]@0-0 我爱@0-6 [SEP]@6-6"},
    {"final sigma", BERT "ςα\nσ\nας\nασα", NULL, "ΑΣ ΑΣΑ Σ ΑΣ.",
     "[CLS]@0-0 ας@0-4 ασα@5-11 σ@12-14 ας@15-19 [UNK]@19-20 [SEP]@20-20"},
    {"specials in the text, exactly", BERT "a\n[\n]\nmask", NULL, "a[MASK]a[mask]",
     "[CLS]@0-0 a@0-1 [MASK]@1-7 a@7-8 [@8-9 mask@9-13 ]@13-14 [SEP]@14-14"},
    {"control characters out, white space in", BERT "ab\na\nb", NULL,
     "a\x01"
     "b\va\tb\u2028a\u00ADb",
     "[CLS]@0-0 [UNK]@0-5 b@6-7 ab@10-14 [SEP]@14-14"},
    {"ill-formed bytes count as U+FFFD", BERT "ab", NULL,
     "a\xFF"
     "b",
     "[CLS]@0-0 ab@0-3 [SEP]@3-3"},
    {"empty", BERT "a", NULL, "", "[CLS]@0-0 [SEP]@0-0"},
    {"blank", BERT "a", NULL, " \n", "[CLS]@0-0 [SEP]@2-2"},
    {"U+1FEF decomposes to a mark", BERT "a\n`", NULL, "a\u1FEF", "[CLS]@0-0 a@0-1 `@1-4 [SEP]@4-4"},
};

START_TEST(test_rule)
{
    const rule *r = &rules[_i];
    attn_tokenizer *tokenizer = load_text(r->vocabulary, r->config);
    const char *found = texts_show(tokenizer, attn_bytes_of(r->text), NULL, NULL);
    ck_assert_msg(strcmp(found, r->expected) == 0, "%s: expected '%s', found '%s'", r->name, r->expected, found);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_specials_are_words_of_their_own)
{
    attn_tokenizer *tokenizer = load_text(BERT "a\n##b", NULL);
    attn_tokens tokens = {0};
    static const uint32_t words[] = {0, 1, 1, 2, 3, 4};
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, attn_bytes_of("ab[MASK]a"), NULL, &tokens, NULL, NULL), 0);
    ck_assert_uint_eq(tokens.count, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(tokens.items[i].word, words[i]);
        ck_assert_int_eq(tokens.items[i].special, i == 0 || i == 3 || i == 5);
    }
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* GGUF spells the starts of words with U+2581: the same tokens as vocab.txt. */
START_TEST(test_word_marks)
{
    const attn_bytes marked[] = {attn_bytes_of("[UNK]"), attn_bytes_of("\u2581un"), attn_bytes_of("able"),
                                 attn_bytes_of("\u2581[")};
    static const char *const spellings[] = {"[UNK]", "un", "##able", "["};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    spec.kind = &attn_kind_wordpiece;
    spec.tokens = marked;
    spec.n_tokens = 4;
    spec.unknown = 0;
    spec.clean_text = spec.lowercase = spec.strip_accents = spec.word_marks = true;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert(attn_bytes_are(attn_tokenizer_spelling(tokenizer, i), spellings[i]));
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("Unable able [un"), NULL), "1 2 0 3 1");
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wordpiece");
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, test_conformance);
    tcase_add_loop_test(cases, test_case, 0, sizeof outside_cases / sizeof *outside_cases);
    tcase_add_test(cases, test_hundred_characters);
    tcase_add_test(cases, test_limit_counts_characters);
    tcase_add_loop_test(cases, test_rule, 0, sizeof rules / sizeof *rules);
    tcase_add_test(cases, test_specials_are_words_of_their_own);
    tcase_add_test(cases, test_word_marks);
    suite_add_tcase(suite, cases);
    return testing_run(suite);
}
