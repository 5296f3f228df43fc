/* vocab.txt: what a line is, and the files beside it. Ids are line numbers, counted by hand; shared/cases 030. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "base/file.h"
#include "testing/files.h"
#include "testing/texts.h"

#include <string.h>

#define BERT "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

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
    attn_tokenizer *tokenizer = texts_load_list(l->data, l->size, NULL);
    const char *ids = texts_ids(tokenizer, attn_bytes_of(l->text), NULL);
    ck_assert_msg(strcmp(ids, l->ids) == 0, "%s: expected %s, found %s", l->name, l->ids, ids);
    ck_assert_ptr_eq(attn_tokenizer_kind_of(tokenizer), &attn_kind_words);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), l->n_tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_find_and_spelling)
{
    attn_tokenizer *tokenizer = texts_load_list(DATA("a\0b\nx\n[PAD]\n\nx\n"), NULL);
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
    attn_tokenizer *tokenizer = texts_load_list(DATA(BERT "cafe\n##s"), NULL);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("Café")), 5);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("##s")), 6);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("[MASK]")), 4);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("cafes")), ATTN_NO_TOKEN);
    attn_tokenizer_close(tokenizer);
}
END_TEST

static void write_list(const char *folder, const char *lines)
{
    files_write(files_join(folder, "vocab.txt"), lines, strlen(lines));
}

START_TEST(test_no_vocabulary_there)
{
    static const char config[] = "{\"do_lower_case\": ";
    const char *folder = files_folder();
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    ck_assert_int_eq(attn_tokenizer_load(folder, NULL, NULL, &tokenizer, &error), ATTN_EDATA);
    ck_assert_str_eq(error.file, folder);
    ck_assert_int_eq(attn_tokenizer_load("/nonexistent/vocab.txt", NULL, NULL, &tokenizer, &error), ATTN_EIO);
    write_list(folder, "");
    ck_assert_int_eq(attn_tokenizer_load(folder, NULL, NULL, &tokenizer, &error), ATTN_EDATA);
    write_list(folder, BERT "a");
    files_write(files_join(folder, "tokenizer_config.json"), config, sizeof config - 1);
    ck_assert_int_eq(attn_tokenizer_load(folder, NULL, NULL, &tokenizer, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.file, "tokenizer_config.json"));
    ck_assert_ptr_null(tokenizer);
}
END_TEST

/* Who wants no message gives no error: files that each reader takes for its own and refuses. */
START_TEST(test_no_error_wanted)
{
    static const char *const wrong[][2] = {{"vocab.txt", ""},
                                           {"vocab.json", "{\"a\": 0, \"b\": 0}"},
                                           {"tokenizer.json", "{\"model\": {\"vocab\": 3}}"},
                                           {"x.tiktoken", "IQ== 0\nI 1\n"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *folder = files_folder();
        attn_tokenizer *tokenizer = NULL;
        files_write(files_join(folder, wrong[i][0]), wrong[i][1], strlen(wrong[i][1]));
        ck_assert_int_eq(attn_tokenizer_load(folder, NULL, NULL, &tokenizer, NULL), ATTN_EDATA);
        ck_assert_ptr_null(tokenizer);
    }
}
END_TEST

/* -t overrides what the file declares, and the model's own specials go with it. */
START_TEST(test_override)
{
    const char *folder = files_folder();
    write_list(folder, BERT "ab\na\n##b");
    attn_tokenizer *tokenizer = texts_load(folder, &attn_kind_words);
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab b"), NULL), "5 1");
    attn_tokenizer_close(tokenizer);
    write_list(folder, "[UNK]\na\n##b");
    tokenizer = texts_load(folder, &attn_kind_wordpiece);
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab b"), NULL), "1 2 0");
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Case 030: BOM and CRLF are no part of the tokens. */
START_TEST(test_bom_and_crlf)
{
    testing_need("cases/030-bom-and-crlf-files");
    const char *folder = testing_shared("cases/030-bom-and-crlf-files");
    attn_encode_options options = texts_plain();
    attn_tokenizer *tokenizer = texts_load(files_join(folder, "vocab.txt"), NULL);
    attn_file file;
    ck_assert_int_eq(attn_file_open(files_join(folder, "input.txt"), NULL, &file, NULL), ATTN_OK);
    ck_assert_uint_gt(file.bytes.size, 3);
    attn_bytes text = {file.bytes.data + 3, file.bytes.size - 3}; /* the command line takes the BOM off */
    ck_assert_str_eq(texts_ids(tokenizer, text, &options), "2 3");
    attn_file_close(&file);
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vocab.txt");
    TCase *cases = tcase_create("all");
    tcase_add_loop_test(cases, test_list, 0, sizeof lists / sizeof *lists);
    tcase_add_test(cases, test_find_and_spelling);
    tcase_add_test(cases, test_find_folds);
    tcase_add_test(cases, test_no_vocabulary_there);
    tcase_add_test(cases, test_no_error_wanted);
    tcase_add_test(cases, test_override);
    tcase_add_test(cases, test_bom_and_crlf);
    suite_add_tcase(suite, cases);
    return testing_run(suite);
}
