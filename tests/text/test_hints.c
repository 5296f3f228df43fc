/* Words that a vocabulary does not have: what becomes of them, what is said about them and what may help. The messages are
 * the manual's; places are counted by hand. */
#include "config.h"

#include "testing.h"

#include "testing/texts.h"

#include <string.h>

#define NFD_FISHERMAN "\u110B\u1165\u1107\u116E" /* 어부 as six-byte syllables of jamo */

START_TEST(test_unknown_rules)
{
    attn_tokenizer *tokenizer = texts_tokenizer(&attn_kind_words, "a\nb\nUNKNOWN", false);
    attn_encode_options options = attn_encode_options_default();
    attn_unknowns unknowns = {0};
    const attn_bytes text = attn_bytes_of("x a\nyy x b");
    ck_assert_str_eq(texts_show(tokenizer, text, &options, &unknowns), "a@2-3 b@9-10");
    ck_assert_uint_eq(unknowns.count, 3);
    ck_assert_uint_eq(unknowns.n_kept, 2);
    ck_assert_str_eq(unknowns.kept[0], "x");
    ck_assert_str_eq(unknowns.kept[1], "yy");
    options.unknown = ATTN_UNKNOWN_TOKEN;
    options.unknown_token = 2;
    ck_assert_str_eq(texts_show(tokenizer, text, &options, &unknowns),
                     "UNKNOWN@0-1 a@2-3 UNKNOWN@4-6 UNKNOWN@7-8 b@9-10");
    ck_assert_uint_eq(unknowns.count, 3);
    options.unknown_token = 3;
    ck_assert_str_eq(texts_ids(tokenizer, text, &options),
                     "ERROR: the unknown token's id 3 is beyond the vocabulary's 3");
    options.unknown = ATTN_UNKNOWN_ERROR;
    ck_assert_str_eq(texts_show(tokenizer, attn_bytes_of("a\nb yy"), &options, NULL),
                     "ERROR: 2:3: 'yy' is not in the vocabulary");
    attn_unknowns_free(&unknowns);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* The run's list counts over several texts, keeps five, and cuts a very long word. */
START_TEST(test_unknown_list)
{
    attn_tokenizer *tokenizer = texts_tokenizer(&attn_kind_whitespace, "a", false);
    attn_unknowns unknowns = {0};
    char text[512];
    memset(text, 'z', sizeof text);
    text[0] = 'a';
    text[1] = ' ';
    texts_show(tokenizer, (attn_bytes){(const uint8_t *)text, sizeof text}, NULL, &unknowns);
    ck_assert_uint_eq(unknowns.n_kept, 1);
    ck_assert_uint_lt(strlen(unknowns.kept[0]), 100);
    texts_show(tokenizer, attn_bytes_of("y x"), NULL, &unknowns); /* likewise, with room for them */
    ck_assert_uint_eq(unknowns.count, 1);
    ck_assert_uint_eq(unknowns.n_kept, 1);
    texts_show(tokenizer, attn_bytes_of("a b c d e f g"), NULL, &unknowns);
    texts_show(tokenizer, attn_bytes_of("a \xFF"), NULL, &unknowns);
    texts_show(tokenizer, attn_bytes_of("y z"), NULL, &unknowns); /* refused: its words are the error's */
    ck_assert_uint_eq(unknowns.count, 8);
    ck_assert_uint_eq(unknowns.n_kept, ATTN_UNKNOWNS_KEPT);
    ck_assert(unknowns.more);
    ck_assert_str_eq(unknowns.kept[4], "e");
    attn_unknowns_free(&unknowns);
    attn_tokenizer_close(tokenizer);
}
END_TEST

typedef struct hint {
    const attn_kind *kind;
    const char *list, *text, *message, *hint;
} hint;

static const hint hints[] = {
    {&attn_kind_words, "king\nqueen", "The King", "nothing of the text is in the vocabulary: 'The', 'King'",
     "'King': 'king' is there, try --lowercase"},
    {&attn_kind_words, "어부\n그물", "어부가 그물을", "nothing of the text is in the vocabulary: '어부가', '그물을'",
     "'어부가' begins with '어부': try -t longest"},
    {&attn_kind_whitespace, "어부\n그물", NFD_FISHERMAN "가",
     "nothing of the text is in the vocabulary: '" NFD_FISHERMAN "가'",
     "'" NFD_FISHERMAN "가' begins with '어부': try -t longest"},
    {&attn_kind_words, "a\nthe", "Author thesis", "nothing of the text is in the vocabulary: 'Author', 'thesis'", ""},
    {&attn_kind_words, "the\nthesis\nis\nkin\ng", "theking", "nothing of the text is in the vocabulary: 'theking'",
     "'theking' begins with 'the': try -t longest"},
    {&attn_kind_words, "the\nking", "thekings", "nothing of the text is in the vocabulary: 'thekings'", ""},
    {&attn_kind_words, "我\n北京", "我喜欢北京", "nothing of the text is in the vocabulary: '我喜欢北京'",
     "'我喜欢北京' begins with '我': try -t longest"},
    {&attn_kind_words, "a", "1 2 3 4", "nothing of the text is in the vocabulary: '1', '2', '3', …", ""},
    {&attn_kind_ids, "a\nb", "1\n0 2", "expected a token id below 2, found '2'", ""},
    {&attn_kind_ids, "a\nb", "-1", "expected a token id below 2, found '-1'", ""},
    {&attn_kind_ids, "a\nb", "99999999999999999999", "expected a token id below 2, found '99999999999999999999'", ""},
};

START_TEST(test_hints)
{
    const hint *h = &hints[_i];
    attn_tokenizer *tokenizer = texts_tokenizer(h->kind, h->list, false);
    attn_tokens tokens = {0};
    attn_error error = {0};
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, attn_bytes_of(h->text), NULL, &tokens, NULL, &error), ATTN_EDATA);
    ck_assert_str_eq(error.message, h->message);
    ck_assert_str_eq(error.hint, h->hint);
    ck_assert_uint_eq(tokens.count, 0);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hints");
    TCase *tests = tcase_create("hints");
    tcase_add_test(tests, test_unknown_rules);
    tcase_add_test(tests, test_unknown_list);
    tcase_add_loop_test(tests, test_hints, 0, sizeof hints / sizeof *hints);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
