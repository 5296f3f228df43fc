/* vocab.json and merges.txt: what they say, what is refused and where. Files are written here from their formats'
 * descriptions; expected ids are worked out by hand. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "testing/texts.h"
#include "text/vocab/vocab_list.h"

static attn_status read_merges(const char *text, attn_tokenizer_spec *spec, attn_arena *arena, attn_error *error)
{
    *spec = attn_tokenizer_spec_default();
    return attn_read_merges_text(attn_bytes_of(text), "m.txt", arena, spec, error);
}

/* Case 010: only "#version" is a header. */
START_TEST(merges_and_their_header)
{
    static const struct {
        const char *text;
        size_t count;
        const char *left, *right; /* of the first */
    } files[] = {{"#version: 0.2\na b\nab c\n", 2, "a", "b"},
                 {"# #\n## #\n", 2, "#", "#"},
                 {"a b\r\nc d", 2, "a", "b"},
                 {"#version 1\n#version 2\n", 1, "#version", "2"},
                 {"\n\na b\n\n", 1, "a", "b"},
                 {"Ġ t", 1, "Ġ", "t"},
                 {"", 0, NULL, NULL}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        attn_arena arena = {0};
        attn_tokenizer_spec spec;
        ck_assert_int_eq(read_merges(files[i].text, &spec, &arena, NULL), ATTN_OK);
        ck_assert_uint_eq(spec.n_merges, files[i].count);
        if (files[i].count > 0) {
            ck_assert(attn_bytes_are(spec.merges[0][0], files[i].left));
            ck_assert(attn_bytes_are(spec.merges[0][1], files[i].right));
        }
        attn_arena_free(&arena);
    }
}
END_TEST

START_TEST(wrong_merges_have_a_line)
{
    static const char *const wrong[] = {"a b\nab\n", "a b\na b c\n", "a b\n b\n", "a b\nb \n", "a b\na  b\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attn_arena arena = {0};
        attn_tokenizer_spec spec;
        attn_error error = {0};
        ck_assert_int_eq(read_merges(wrong[i], &spec, &arena, &error), ATTN_EDATA);
        ck_assert_uint_eq(error.line, 2);
        ck_assert_str_eq(error.file, "m.txt");
        attn_arena_free(&arena);
    }
}
END_TEST

START_TEST(vocab_json_alone_is_a_list)
{
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    ck_assert_int_eq(texts_open(&attn_vocab_reader_vocab_json, "-", attn_bytes_of("{\"b\":3,\"a\":1,\"[UNK]\":0}"),
                                &tokenizer, &error),
                     ATTN_OK);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), 4);
    ck_assert_ptr_null(attn_tokenizer_spelling(tokenizer, 2).data);
    texts_expect(tokenizer, attn_bytes_of("a x b"), "1 0 3");
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vocab.json");
    TCase *tests = tcase_create("vocab.json");
    tcase_add_test(tests, merges_and_their_header);
    tcase_add_test(tests, wrong_merges_have_a_line);
    tcase_add_test(tests, vocab_json_alone_is_a_list);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
