/* Words that are asked for by themselves. Which token a word must be is said by the spellings: Ġ and ▁ are the space that
 * stands before a word in a running text. */
#include "config.h"

#include "testing.h"

#include "testing/texts.h"

#include <string.h>

/* The ids of WORD, joined by spaces. */
static const char *ids_of(const attn_tokenizer *tokenizer, const char *word, int lowercase)
{
    static char ids[128];
    attn_encode_options options = texts_plain();
    attn_tokens tokens = {0};
    attn_error error = {0};
    size_t used = 0;
    options.lowercase = lowercase;
    ids[0] = '\0';
    if (attn_tokenizer_encode_word(tokenizer, attn_bytes_of(word), &options, &tokens, NULL, &error) != ATTN_OK)
        snprintf(ids, sizeof ids, "ERROR: %s", error.message);
    for (size_t i = 0; i < tokens.count; i++)
        used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%u", i > 0 ? " " : "", (unsigned)tokens.items[i].id);
    attn_tokens_free(&tokens);
    return ids;
}

static attn_tokenizer *open_bpe(const char *const *spellings, size_t n, bool byte_level, bool dummy_prefix)
{
    attn_bytes tokens[16];
    const float scores[16] = {0};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    for (size_t i = 0; i < n; i++)
        tokens[i] = attn_bytes_of(spellings[i]);
    spec.kind = &attn_kind_bpe;
    spec.tokens = tokens;
    spec.n_tokens = n;
    spec.byte_level = byte_level;
    spec.scores = byte_level ? NULL : scores;
    spec.split = byte_level ? ATTN_SPLIT_GPT2 : ATTN_SPLIT_NONE;
    spec.escape_spaces = !byte_level;
    spec.dummy_prefix = dummy_prefix;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    return tokenizer;
}

START_TEST(test_behind_a_space)
{
    static const char *const gpt2[] = {"king", "Ġking", "queen", "Ġ", "p", "r", "Ġp"};
    static const char *const llama[] = {"king", "▁king", "queen", "▁", "p", "r", "▁p"};
    const bool byte_level = _i == 0;
    attn_tokenizer *tokenizer = open_bpe(byte_level ? gpt2 : llama, 7, byte_level, _i == 2);
    ck_assert_str_eq(ids_of(tokenizer, "king", -1), "1");
    ck_assert_str_eq(ids_of(tokenizer, "queen", -1), "2");                        /* there is no other */
    ck_assert_str_eq(ids_of(tokenizer, byte_level ? "Ġking" : "▁king", -1), "1"); /* as the vocabulary spells it */
    ck_assert_str_eq(ids_of(tokenizer, "pr", -1), "6 5");
    ck_assert_str_eq(ids_of(tokenizer, "KING", 1), "1");
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_lower_case_first)
{
    attn_tokenizer *tokenizer = texts_tokenizer(&attn_kind_words, "Apple\napple\nPear\nnew-york\nnew", false);
    ck_assert_str_eq(ids_of(tokenizer, "Apple", -1), "0");
    ck_assert_str_eq(ids_of(tokenizer, "Apple", 1), "1");
    ck_assert_str_eq(ids_of(tokenizer, "Pear", 1), "ERROR: nothing of the text is in the vocabulary: 'Pear'");
    ck_assert_str_eq(ids_of(tokenizer, "New-York", 1), "3"); /* whole, though the tokenizer would cut it */
    attn_tokenizer_close(tokenizer);
    tokenizer = texts_tokenizer(&attn_kind_words, "Apple\napple\nPear", true); /* as its file says */
    ck_assert_str_eq(ids_of(tokenizer, "Apple", -1), "1");
    ck_assert_str_eq(ids_of(tokenizer, "Pear", -1), "2");
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("word");
    TCase *tests = tcase_create("word");
    tcase_add_loop_test(tests, test_behind_a_space, 0, 3);
    tcase_add_test(tests, test_lower_case_first);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
