/* Added tokens in a text: which wins, what they take with them. Places are counted by hand. */
#include "config.h"

#include "testing.h"

#include "testing/texts.h"

#include <string.h>

typedef struct added_example {
    const char *name;
    bool parse_special;
    const char *text, *expected;
} added_example;

/* Tokens: <a> and <a>b plain; <s> special; <l>, <r> take white space on their left or right; <w>
 * only apart from word characters; <N> is looked for in the lower-cased text. */
static const added_example added_examples[] = {
    {"the longest wins", false, "x<a>bx<a>x", "x@0-1 <a>b@1-5 x@5-6 <a>@6-9 x@9-10"},
    {"special ones are text", false, "x <s>", "x@0-1 <@2-3 s@3-4 >@4-5"},
    {"unless asked for", true, "x<s>x", "x@0-1 <s>@1-4 x@4-5"},
    {"lstrip", false, "x \u3000<l> x", "x@0-1 <l>@1-8 x@9-10"},
    {"rstrip", false, "x <r> \t\nx", "x@0-1 <r>@2-8 x@8-9"},
    {"single_word", false, "x <w> x<w> <w>é", "x@0-1 <w>@2-5 x@6-7 <@7-8 w@8-9 >@9-10 <@11-12 w@12-13 >@13-14"},
    /* \w by UTS #18: a mark, a joiner, U+203F, a letter in a circle, U+2167 are; a superscript and U+2460 are not.
     * A cluster with a mark is no token. */
    {"single_word: a mark", false, "<w>\u0301", "<@0-1 w@1-2"},
    {"single_word: a joiner", false, "<w>\u200D", "<@0-1 w@1-2"},
    {"single_word: a connector", false, "<w>\u203F", "<@0-1 w@1-2 >@2-3"},
    {"single_word: a letter in a circle", false, "<w>\u24B6", "<@0-1 w@1-2 >@2-3"},
    {"single_word: a Roman numeral", false, "<w>\u2167", "<@0-1 w@1-2 >@2-3"},
    {"single_word: a superscript", false, "<w>\u00B2", "<w>@0-3"},
    {"single_word: a number in a circle", false, "<w>\u2460", "<w>@0-3"},
    {"normalized", false, "<n> <N> x", "<N>@0-3 <N>@4-7 x@8-9"},
    {"not normalized", false, "<A> x", "<@0-1 a@1-2 >@2-3 x@4-5"},
    {"two of them", false, "<a><a>", "<a>@0-3 <a>@3-6"},
    {"cut short", false, "x <a", "x@0-1 <@2-3 a@3-4"},
};

START_TEST(test_added)
{
    static const char *const words[] = {"x", "<", ">", "a", "s", "w"};
    const added_example *e = &added_examples[_i];
    attn_added_token added[] = {{.content = attn_bytes_of("<a>")},
                                {.content = attn_bytes_of("<a>b")},
                                {.content = attn_bytes_of("<s>"), .special = true},
                                {.content = attn_bytes_of("<l>"), .lstrip = true},
                                {.content = attn_bytes_of("<r>"), .rstrip = true},
                                {.content = attn_bytes_of("<w>"), .single_word = true},
                                {.content = attn_bytes_of("<N>"), .normalized = true}};
    enum { N_WORDS = sizeof words / sizeof *words, N_ADDED = sizeof added / sizeof *added };
    attn_bytes tokens[N_WORDS];
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_encode_options options = attn_encode_options_default();
    attn_tokenizer *tokenizer = NULL;
    for (size_t i = 0; i < N_WORDS; i++)
        tokens[i] = attn_bytes_of(words[i]);
    for (size_t i = 0; i < N_ADDED; i++)
        added[i].id = (uint32_t)(N_WORDS + i);
    spec.tokens = tokens;
    spec.n_tokens = N_WORDS;
    spec.added = added;
    spec.n_added = N_ADDED;
    spec.lowercase = true;
    options.parse_special = e->parse_special;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), N_WORDS + N_ADDED);
    const char *shown = texts_show(tokenizer, attn_bytes_of(e->text), &options, NULL);
    ck_assert_msg(strcmp(shown, e->expected) == 0, "%s: expected '%s', found '%s'", e->name, e->expected, shown);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* As the manual says: at each place of a text so many bytes may have to be looked at. */
START_TEST(a_content_has_512_bytes_at_most)
{
    static uint8_t content[513];
    attn_bytes token = attn_bytes_of("x");
    attn_added_token added = {.content = {content, 513}, .id = 1};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    memset(content, 'y', sizeof content);
    spec.tokens = &token;
    spec.n_tokens = 1;
    spec.added = &added;
    spec.n_added = 1;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, &error), ATTN_EUNSUPPORTED);
    ck_assert_msg(strstr(error.message, "yyy…' has 513 bytes; at most 512") != NULL, "%s", error.message);
    added.content.size = 512;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, &error), ATTN_OK);
    attn_tokens tokens = {0};
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, added.content, NULL, &tokens, NULL, NULL), ATTN_OK);
    ck_assert(tokens.count == 1 && tokens.items[0].id == 1);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("added");
    TCase *tests = tcase_create("added");
    tcase_add_loop_test(tests, test_added, 0, sizeof added_examples / sizeof *added_examples);
    tcase_add_test(tests, a_content_has_512_bytes_at_most);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
