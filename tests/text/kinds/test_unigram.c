/* Unigram against a table of all prefixes (dynamic programming over a map of the tokens, written here): the tokens'
 * scores must add up to the best there is. Vocabularies of thousands of random words, so that the trie grows. */
#include "config.h"

#include "testing.h"

#include "base/map.h"
#include "base/memory.h"
#include "testing/random.h"
#include "testing/texts.h"

#include <string.h>

enum { N_TOKENS = 4000, LONGEST = 7, WORD = 300 };

typedef struct world {
    char spellings[N_TOKENS][LONGEST + 1];
    attn_bytes tokens[N_TOKENS];
    float scores[N_TOKENS];
    size_t n;
    attn_map ids;
} world;

static void make_world(world *w, uint32_t *state)
{
    while (w->n < N_TOKENS) {
        char *spelling = w->spellings[w->n];
        size_t size = w->n < 6 ? 1 : 2 + random_below(state, LONGEST - 1);
        attn_bytes token = {(const uint8_t *)spelling, size};
        for (size_t i = 0; i < size; i++)
            spelling[i] = (char)('a' + (w->n < 6 ? w->n : random_below(state, 7))); /* 'g' has no token of its own */
        if (attn_map_add(&w->ids, token, w->n) != ATTN_MAP_ADDED)
            continue;
        w->tokens[w->n] = token;
        w->scores[w->n++] = -0.25F * (float)(1 + random_below(state, 60));
    }
}

/* The best sum over WORD; an unknown 'g' costs 10 more than the least score. */
static double best_sum(const world *w, attn_bytes word)
{
    double best[WORD + 1];
    double least = 0;
    for (size_t i = 0; i < w->n; i++)
        least = (double)w->scores[i] < least ? (double)w->scores[i] : least;
    best[0] = 0;
    for (size_t end = 1; end <= word.size; end++) {
        best[end] = word.data[end - 1] == 'g' ? best[end - 1] + least - 10 : -1e9;
        for (size_t size = 1; size <= LONGEST && size <= end; size++) {
            size_t id;
            if (attn_map_find(&w->ids, (attn_bytes){word.data + end - size, size}, &id) &&
                best[end - size] + (double)w->scores[id] > best[end])
                best[end] = best[end - size] + (double)w->scores[id];
        }
    }
    return best[word.size];
}

START_TEST(the_best_of_all_ways)
{
    static world w;
    uint32_t state = 11;
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer;
    attn_tokens tokens = {0};
    make_world(&w, &state);
    spec.kind = &attn_kind_unigram;
    spec.tokens = w.tokens;
    spec.scores = w.scores;
    spec.n_tokens = w.n;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    for (size_t round = 0; round < 300; round++) {
        uint8_t text[WORD];
        const attn_bytes word = {text, 1 + random_below(&state, WORD)};
        double sum = 0;
        size_t at = 0;
        attn_encode_options options = texts_plain();
        options.unknown = ATTN_UNKNOWN_SKIP;
        for (size_t i = 0; i < word.size; i++)
            text[i] = (uint8_t)('a' + random_below(&state, round % 2 == 0 ? 6 : 7));
        if (round % 2 == 1)
            text[0] = 'a'; /* something that is known */
        tokens.count = 0;
        ck_assert_int_eq(attn_tokenizer_encode(tokenizer, word, &options, &tokens, NULL, NULL), ATTN_OK);
        for (size_t i = 0; i < tokens.count; i++) {
            const attn_token *token = &tokens.items[i];
            for (; at < token->start; at++) { /* left out: unknown */
                ck_assert_int_eq(text[at], 'g');
                sum += -0.25 * 60 - 10;
            }
            ck_assert(
                attn_bytes_equal((attn_bytes){text + token->start, token->end - token->start}, w.tokens[token->id]));
            sum += (double)w.scores[token->id];
            at = token->end;
        }
        for (; at < word.size; at++)
            sum += -0.25 * 60 - 10;
        ck_assert_double_eq_tol(sum, best_sum(&w, word), 1e-9);
    }
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
    attn_map_free(&w.ids);
}
END_TEST

/* The merging test's twin: time for a megabyte of one letter without pre-tokenizer. */
START_TEST(a_megabyte_is_linear)
{
    attn_tokenizer *tokenizer = texts_open_json("{\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>"
                                                "\",0],[\"a\",-1],[\"aa\",-1.5],[\"aaa\",-2]]}}");
    const size_t size = 1 << 20;
    uint8_t *text = attn_alloc(size);
    attn_tokens tokens = {0};
    memset(text, 'a', size);
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, (attn_bytes){text, size}, NULL, &tokens, NULL, NULL), ATTN_OK);
    ck_assert_uint_eq(tokens.count, size / 3 + 1); /* 349525 threes and a one: −699051 is the best sum */
    attn_tokens_free(&tokens);
    attn_free(text);
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unigram");
    TCase *tests = tcase_create("unigram");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_best_of_all_ways);
    tcase_add_test(tests, a_megabyte_is_linear);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
