/* WordPiece and vocab.txt. Ids come from the outside: the 47 texts of data/vocab/bert (llama.cpp's
 * set, made with the published tokenizer), the cases of shared/cases; the small tables here are
 * worked by hand from BERT's rules. */
#include "config.h"

#include "testing/texts.h"

static attn_tokenizer *load(const char *path, const attn_kind *kind)
{
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    attn_status status = attn_tokenizer_load(path, NULL, kind, &tokenizer, &error);
    ck_assert_msg(status == ATTN_OK, "%s: %s", path, error.message);
    return tokenizer;
}

/* A file NAME in a new directory that holds SIZE bytes of DATA; the path in a static buffer. */
static const char *write_file(const char *directory, const char *name, const void *data, size_t size)
{
    static char path[512];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    fclose(file);
    return path;
}

static const char *make_directory(void)
{
    static char directory[64];
    strcpy(directory, "/tmp/attn_text_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    return directory;
}

static void remove_directory(const char *directory)
{
    static const char *const names[] = {"vocab.txt", "tokenizer_config.json"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

static attn_tokenizer *load_text(const char *vocabulary, size_t size, const char *config)
{
    const char *directory = make_directory();
    attn_tokenizer *tokenizer;
    if (config != NULL)
        write_file(directory, "tokenizer_config.json", config, strlen(config));
    write_file(directory, "vocab.txt", vocabulary, size);
    tokenizer = load(directory, NULL);
    remove_directory(directory);
    return tokenizer;
}

static attn_encode_options without_special(void)
{
    attn_encode_options options = attn_encode_options_default();
    options.add_special = false;
    return options;
}

/* ---- conformance ---- */

enum { N_CONFORMANCE = 47 };
static const char marker[] = "\n__ggml_vocab_test__\n";

/* The next piece of *REST before SEPARATOR. */
static attn_bytes cut(attn_bytes *rest, const char *separator)
{
    attn_bytes piece = *rest;
    const size_t size = strlen(separator);
    for (size_t at = 0; at + size <= rest->size; at++)
        if (memcmp(rest->data + at, separator, size) == 0) {
            piece.size = at;
            rest->data += at + size;
            rest->size -= at + size;
            return piece;
        }
    rest->size = 0;
    return piece;
}

START_TEST(test_conformance)
{
    const char *path = testing_shared("data/vocab/bert/vocab.txt");
    attn_encode_options options = without_special();
    attn_tokenizer *tokenizer;
    attn_file texts, expected;
    attn_bytes inputs, outputs;
    if (path == NULL) {
        printf("SKIP: no outside data: data/vocab/bert\n");
        return;
    }
    tokenizer = load(path, NULL);
    ck_assert_ptr_eq(attn_tokenizer_kind_of(tokenizer), &attn_kind_wordpiece);
    ck_assert_int_eq(attn_file_open(testing_shared("data/vocab/bert/conformance.inp"), NULL, &texts, NULL), ATTN_OK);
    ck_assert_int_eq(attn_file_open(testing_shared("data/vocab/bert/conformance.out"), NULL, &expected, NULL), ATTN_OK);
    inputs = texts.bytes;
    outputs = expected.bytes;
    for (size_t i = 0; i < N_CONFORMANCE; i++) {
        attn_bytes text = cut(&inputs, marker);
        attn_bytes ids = cut(&outputs, "\n");
        const char *found = texts_ids(tokenizer, text, &options);
        if (ids.size > 0 && ids.data[0] == ' ')
            ids = (attn_bytes){ids.data + 1, ids.size - 1};
        ck_assert_msg(attn_bytes_are(ids, found), "text %zu '%.*s': expected '%.*s', found '%s'", i, (int)text.size,
                      (const char *)text.data, (int)ids.size, (const char *)ids.data, found);
    }
    ck_assert_uint_eq(inputs.size, 0);
    attn_file_close(&texts);
    attn_file_close(&expected);
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

/* A file of a case; bytes without BOM and one final line end, as the command line takes them off.
 */
static bool open_case_file(const outside_case *c, const char *name, attn_file *file, attn_bytes *text)
{
    char path[256];
    const char *found;
    snprintf(path, sizeof path, "cases/%s/%s", c->folder, name);
    found = testing_shared(path);
    if (found == NULL)
        return false;
    ck_assert_int_eq(attn_file_open(found, NULL, file, NULL), ATTN_OK);
    *text = file->bytes;
    return true;
}

static attn_tokenizer *load_case(const outside_case *c)
{
    char path[256];
    snprintf(path, sizeof path, "cases/%s/vocab.txt", c->folder);
    return load(testing_shared(path), c->kind);
}

START_TEST(test_case)
{
    const outside_case *c = &outside_cases[_i];
    attn_encode_options options = without_special();
    attn_tokenizer *tokenizer;
    attn_file file;
    attn_bytes text;
    if (!open_case_file(c, c->input, &file, &text)) {
        printf("SKIP: no outside data: case %s\n", c->folder);
        return;
    }
    tokenizer = load_case(c);
    options.lowercase = c->lowercase;
    ck_assert_str_eq(texts_ids(tokenizer, text, &options), c->ids);
    attn_file_close(&file);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 022: exactly 100 characters are still cut into pieces. */
START_TEST(test_hundred_characters)
{
    static const outside_case c = {"022-wordpiece-100-char-limit", NULL, NULL, -1, NULL};
    static const char *const inputs[] = {"input-a100.txt", "input-zh100.txt"};
    attn_encode_options options = without_special();
    for (size_t i = 0; i < 2; i++) {
        attn_tokens tokens = {0};
        attn_tokenizer *tokenizer;
        attn_file file;
        attn_bytes text;
        if (!open_case_file(&c, inputs[i], &file, &text)) {
            printf("SKIP: no outside data: case %s\n", c.folder);
            return;
        }
        tokenizer = load_case(&c);
        ck_assert_int_eq(attn_tokenizer_encode(tokenizer, text, &options, &tokens, NULL, NULL), ATTN_OK);
        ck_assert_uint_eq(tokens.count, 100);
        ck_assert_uint_eq(tokens.items[99].word, tokens.items[0].word);
        attn_tokens_free(&tokens);
        attn_file_close(&file);
        attn_tokenizer_close(tokenizer);
    }
}
END_TEST

/* The limit counts characters: 100 two-byte ones are cut, 101 are unknown. */
START_TEST(test_limit_counts_characters)
{
    attn_tokenizer *tokenizer = load_text("[UNK]\n[CLS]\n[SEP]\nж\n##ж", strlen("[UNK]\n[CLS]\n[SEP]\nж\n##ж"), NULL);
    attn_encode_options options = without_special();
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

/* Case 030: BOM and CRLF are no part of the tokens. */
START_TEST(test_bom_and_crlf)
{
    static const outside_case c = {"030-bom-and-crlf-files", NULL, NULL, -1, NULL};
    attn_encode_options options = without_special();
    attn_tokenizer *tokenizer;
    attn_file file;
    attn_bytes text;
    if (!open_case_file(&c, "input.txt", &file, &text)) {
        printf("SKIP: no outside data: case %s\n", c.folder);
        return;
    }
    tokenizer = load_case(&c);
    ck_assert_uint_gt(text.size, 3);
    text = (attn_bytes){text.data + 3, text.size - 3}; /* the command line takes the BOM off */
    ck_assert_str_eq(texts_ids(tokenizer, text, &options), "2 3");
    attn_file_close(&file);
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
    attn_tokenizer *tokenizer = load_text(r->vocabulary, strlen(r->vocabulary), r->config);
    const char *found = texts_show(tokenizer, attn_bytes_of(r->text), NULL, NULL);
    ck_assert_msg(strcmp(found, r->expected) == 0, "%s: expected '%s', found '%s'", r->name, r->expected, found);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_specials_are_words_of_their_own)
{
    attn_tokenizer *tokenizer = load_text(BERT "a\n##b", sizeof BERT "a\n##b" - 1, NULL);
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

/* ---- vocab.txt ---- */

typedef struct list {
    const char *name, *data;
    size_t size, n_tokens;
    const char *text, *ids;
} list;

#define DATA(text) text, sizeof text - 1
static const list lists[] = {
    {"LF", DATA("a\nb\n"), 2, "b a", "1 0"},
    {"no last line end", DATA("a\nb"), 2, "b a", "1 0"},
    {"CRLF", DATA("a\r\nb\r\n"), 2, "b a", "1 0"},
    {"CRLF, no last line end", DATA("a\r\n\r\nb"), 3, "b a", "2 0"},
    {"BOM",
     DATA("\xEF\xBB\xBF"
          "a\nb\n"),
     2, "b a", "1 0"},
    {"an empty line keeps its id", DATA("a\n\nb\n\n"), 4, "b a", "2 0"},
    {"the first of equal lines", DATA("a\nb\na\nc\n"), 4, "a b c", "0 1 3"},
    {"a CR of its own", DATA("a\n\r\nb\n"), 3, "b a", "2 0"},
    {"an unknown token by name", DATA("<unk>\na\n"), 2, "a x", "1 0"},
    {"another one", DATA("a\n[UNK]\n"), 2, "a x", "0 1"},
    {"spaces belong to a token", DATA("a \na\n"), 2, "a", "1"},
    {"a NUL in a line", DATA("a\0b\na\nb\n"), 3, "a b", "1 2"},
};

START_TEST(test_list)
{
    const list *l = &lists[_i];
    attn_tokenizer *tokenizer = load_text(l->data, l->size, NULL);
    const char *ids = texts_ids(tokenizer, attn_bytes_of(l->text), NULL);
    ck_assert_msg(strcmp(ids, l->ids) == 0, "%s: expected %s, found %s", l->name, l->ids, ids);
    ck_assert_ptr_eq(attn_tokenizer_kind_of(tokenizer), &attn_kind_words);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), l->n_tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_find_and_spelling)
{
    attn_tokenizer *tokenizer = load_text(DATA("a\0b\nx\n[PAD]\n\nx\n"), NULL);
    attn_buffer label = {0};
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, (attn_bytes){(const uint8_t *)"a\0b", 3}), 0);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("x")), 1);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("")), ATTN_NO_TOKEN);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("a")), ATTN_NO_TOKEN);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("[PAD]")), 2);
    ck_assert(attn_bytes_are(attn_tokenizer_spelling(tokenizer, 4), "x"));
    ck_assert_uint_eq(attn_tokenizer_spelling(tokenizer, 3).size, 0);
    ck_assert_ptr_null(attn_tokenizer_spelling(tokenizer, 5).data);
    attn_tokenizer_label(tokenizer, 0, false, &label);
    ck_assert_uint_eq(label.size, 3);
    attn_tokenizer_label(tokenizer, 99, false, &label);
    ck_assert_uint_eq(label.size, 3);
    attn_buffer_free(&label);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* A token named on the command line is found as the text would be: lower-cased, without accents. */
START_TEST(test_find_folds)
{
    attn_tokenizer *tokenizer = load_text(DATA(BERT "cafe\n##s"), NULL);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("Café")), 5);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("##s")), 6);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("[MASK]")), 4);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("cafes")), ATTN_NO_TOKEN);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_no_vocabulary_there)
{
    const char *directory = make_directory();
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    ck_assert_int_eq(attn_tokenizer_load(directory, NULL, NULL, &tokenizer, &error), ATTN_EDATA);
    ck_assert_str_eq(error.file, directory);
    ck_assert_int_eq(attn_tokenizer_load("/nonexistent/vocab.txt", NULL, NULL, &tokenizer, &error), ATTN_EIO);
    write_file(directory, "vocab.txt", "", 0);
    ck_assert_int_eq(attn_tokenizer_load(directory, NULL, NULL, &tokenizer, &error), ATTN_EDATA);
    write_file(directory, "vocab.txt", DATA(BERT "a"));
    write_file(directory, "tokenizer_config.json", DATA("{\"do_lower_case\": "));
    ck_assert_int_eq(attn_tokenizer_load(directory, NULL, NULL, &tokenizer, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.file, "tokenizer_config.json"));
    ck_assert_ptr_null(tokenizer);
    remove_directory(directory);
}
END_TEST

/* -t overrides what the file declares, and the model's own specials go with it. */
START_TEST(test_override)
{
    const char *directory = make_directory();
    attn_tokenizer *tokenizer;
    write_file(directory, "vocab.txt", DATA(BERT "ab\na\n##b"));
    tokenizer = load(directory, &attn_kind_words);
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab b"), NULL), "5 1");
    attn_tokenizer_close(tokenizer);
    write_file(directory, "vocab.txt", DATA("[UNK]\na\n##b"));
    tokenizer = load(directory, &attn_kind_wordpiece);
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab b"), NULL), "1 2 0");
    attn_tokenizer_close(tokenizer);
    remove_directory(directory);
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
    tcase_add_test(cases, test_bom_and_crlf);
    tcase_add_loop_test(cases, test_rule, 0, sizeof rules / sizeof *rules);
    tcase_add_test(cases, test_specials_are_words_of_their_own);
    tcase_add_test(cases, test_word_marks);
    tcase_add_loop_test(cases, test_list, 0, sizeof lists / sizeof *lists);
    tcase_add_test(cases, test_find_and_spelling);
    tcase_add_test(cases, test_find_folds);
    tcase_add_test(cases, test_no_vocabulary_there);
    tcase_add_test(cases, test_override);
    suite_add_tcase(suite, cases);
    return testing_run(suite);
}
