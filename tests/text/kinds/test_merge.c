/* Merging. Small examples are worked out by hand; words of every length are compared with the textbook loop
 * (Sennrich et al. 2016: find the best pair, left-most first, join it, begin again), written here. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "testing/random.h"
#include "testing/texts.h"
#include "text/kinds/kinds.h"
#include "text/kinds/merge.h"

#include <string.h>
#include <time.h>

enum { MAX_TOKENS = 64 };

typedef struct world { /* letters a … d, and what merges make of them */
    attn_bytes tokens[MAX_TOKENS];
    attn_bytes merges[MAX_TOKENS][2];
    attn_tokenizer_spec spec;
    attn_vocabulary vocabulary;
    attn_arena arena;
} world;

static void add_token(world *w, attn_bytes token)
{
    if (attn_map_add(&w->vocabulary.ids, token, w->spec.n_tokens) == ATTN_MAP_ADDED)
        w->tokens[w->spec.n_tokens++] = token;
    w->vocabulary.n_own = w->spec.n_tokens;
    if (token.size > w->vocabulary.longest)
        w->vocabulary.longest = token.size;
}

static void begin(world *w)
{
    *w = (world){.spec = attn_tokenizer_spec_default()};
    w->spec.tokens = w->tokens;
    w->spec.merges = (const attn_bytes(*)[2])w->merges;
    w->vocabulary.tokens = w->tokens;
    for (size_t i = 0; i < 4; i++)
        add_token(w, (attn_bytes){(const uint8_t *)"abcd" + i, 1});
}

static void add_merge(world *w, attn_bytes left, attn_bytes right)
{
    char *joined = attn_arena_alloc(&w->arena, left.size + right.size, 1);
    memcpy(joined, left.data, left.size);
    memcpy(joined + left.size, right.data, right.size);
    w->merges[w->spec.n_merges][0] = left;
    w->merges[w->spec.n_merges++][1] = right;
    add_token(w, (attn_bytes){(const uint8_t *)joined, left.size + right.size});
}

static void end(world *w)
{
    attn_map_free(&w->vocabulary.ids);
    attn_arena_free(&w->arena);
}

/* Random merges of tokens there are. */
static void random_world(world *w, uint32_t *state)
{
    begin(w);
    while (w->spec.n_tokens < 40 && w->spec.n_merges < MAX_TOKENS - 1) {
        attn_bytes left = w->tokens[random_below(state, (uint32_t)w->spec.n_tokens)];
        attn_bytes right = w->tokens[random_below(state, (uint32_t)w->spec.n_tokens)];
        if (left.size + right.size <= 9)
            add_merge(w, left, right);
    }
    w->vocabulary.n_tokens = w->spec.n_tokens;
}

static size_t first_pieces(const world *w, const uint8_t *word, size_t size, attn_piece *pieces)
{
    for (size_t i = 0; i < size; i++) {
        size_t id = 0;
        ck_assert(attn_map_find(&w->vocabulary.ids, (attn_bytes){word + i, 1}, &id));
        pieces[i] = (attn_piece){(uint32_t)id, 1, i};
    }
    return size;
}

/* The place of the pair in the list of merges, or n_merges. BY_SPELLING: of the joined token in the vocabulary. */
static size_t textbook_rank(const world *w, const uint8_t *word, const attn_piece *pair, bool by_spelling)
{
    if (by_spelling) {
        size_t id;
        attn_bytes joined = {word + pair[0].start, (size_t)pair[0].size + pair[1].size};
        return attn_map_find(&w->vocabulary.ids, joined, &id) ? id : MAX_TOKENS;
    }
    for (size_t i = w->spec.n_merges; i-- > 0;) /* of a pair that is there twice the last counts */
        if (attn_bytes_equal(w->merges[i][0], w->tokens[pair[0].id]) &&
            attn_bytes_equal(w->merges[i][1], w->tokens[pair[1].id]))
            return i;
    return MAX_TOKENS;
}

static size_t textbook(const world *w, const uint8_t *word, attn_piece *pieces, size_t n, bool by_spelling)
{
    for (;;) {
        size_t best = MAX_TOKENS, at = 0, id = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            size_t rank = textbook_rank(w, word, &pieces[i], by_spelling);
            if (rank < best) {
                best = rank;
                at = i;
            }
        }
        if (best == MAX_TOKENS)
            return n;
        pieces[at].size += pieces[at + 1].size;
        ck_assert(attn_map_find(&w->vocabulary.ids, (attn_bytes){word + pieces[at].start, pieces[at].size}, &id));
        pieces[at].id = (uint32_t)id;
        n--;
        memmove(&pieces[at + 1], &pieces[at + 2], (n - at - 1) * sizeof *pieces);
    }
}

static void compare(uint32_t *state, bool by_spelling)
{
    enum { LONGEST = 400 };
    world w;
    attn_merge_rule rule;
    attn_merge_space space = {0};
    random_world(&w, state);
    if (by_spelling)
        w.spec.merges = NULL;
    ck_assert_int_eq(attn_merge_rule_open(&rule, &w.vocabulary, &w.spec, NULL), ATTN_OK);
    for (size_t size = 1; size < LONGEST; size += size < 130 ? 1 : 29) {
        uint8_t word[LONGEST];
        attn_piece ours[LONGEST], expected[LONGEST];
        size_t n, n_expected;
        uint32_t letters = 1 + random_below(state, 4);
        for (size_t i = 0; i < size; i++)
            word[i] = (uint8_t)('a' + random_below(state, letters));
        n = first_pieces(&w, word, size, ours);
        first_pieces(&w, word, size, expected);
        ck_assert_int_eq(attn_merge(&rule, &space, word, ours, &n, NULL), ATTN_OK);
        n_expected = textbook(&w, word, expected, size, by_spelling);
        ck_assert_uint_eq(n, n_expected);
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_eq(ours[i].id, expected[i].id);
            ck_assert_uint_eq(ours[i].start, expected[i].start);
            ck_assert_uint_eq(ours[i].size, expected[i].size);
        }
    }
    attn_merge_space_free(&space);
    attn_merge_rule_free(&rule);
    end(&w);
}

START_TEST(merges_as_the_textbook)
{
    uint32_t state = 3;
    for (size_t round = 0; round < 12; round++)
        compare(&state, false);
}
END_TEST

START_TEST(merges_by_spelling_as_the_textbook)
{
    uint32_t state = 5;
    for (size_t round = 0; round < 12; round++)
        compare(&state, true);
}
END_TEST

/* "aaa" with the merge "a a": the left-most goes first, [aa, a]. */
START_TEST(joins_the_left_most_of_equals)
{
    world w;
    attn_merge_rule rule;
    attn_merge_space space = {0};
    attn_piece pieces[3];
    begin(&w);
    add_merge(&w, attn_bytes_of("a"), attn_bytes_of("a"));
    w.vocabulary.n_tokens = w.spec.n_tokens;
    ck_assert_int_eq(attn_merge_rule_open(&rule, &w.vocabulary, &w.spec, NULL), ATTN_OK);
    size_t n = first_pieces(&w, (const uint8_t *)"aaa", 3, pieces);
    ck_assert_int_eq(attn_merge(&rule, &space, (const uint8_t *)"aaa", pieces, &n, NULL), ATTN_OK);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(pieces[0].size, 2);
    ck_assert_uint_eq(pieces[1].size, 1);
    attn_merge_rule_free(&rule);
    end(&w);
}
END_TEST

/* Scores: the higher first; equal ones left-most; control tokens never. "abc" with ab 1, bc 2 gives [a, bc]. */
START_TEST(scores_order_merges)
{
    const attn_bytes tokens[] = {attn_bytes_of("a"),  attn_bytes_of("b"),  attn_bytes_of("c"),
                                 attn_bytes_of("ab"), attn_bytes_of("bc"), attn_bytes_of("abc")};
    const float scores[] = {0, 0, 0, 1, 2, 3};
    const uint8_t types[] = {1, 1, 1, 1, 1, ATTN_TOKEN_CONTROL};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer;
    spec.kind = &attn_kind_bpe;
    spec.tokens = tokens;
    spec.n_tokens = 6;
    spec.scores = scores;
    spec.types = types;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    texts_expect(tokenizer, attn_bytes_of("abc"), "0 4");
    texts_expect(tokenizer, attn_bytes_of("abab"), "3 3");
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(refuses_merges_of_unknown_tokens)
{
    const attn_bytes tokens[] = {attn_bytes_of("a"), attn_bytes_of("b")};
    const attn_bytes merges[][2] = {{attn_bytes_of("a"), attn_bytes_of("b")}};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    spec.kind = &attn_kind_bpe;
    spec.tokens = tokens;
    spec.n_tokens = 2;
    spec.merges = merges;
    spec.n_merges = 1;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, &error), ATTN_EDATA);
    ck_assert_msg(strstr(error.message, "'a' 'b'") != NULL, "%s", error.message);
}
END_TEST

static double seconds_for(size_t size)
{
    world w;
    attn_merge_rule rule;
    attn_merge_space space = {0};
    uint8_t *word = attn_alloc(size);
    attn_piece *pieces = attn_alloc_array(size, sizeof *pieces);
    begin(&w);
    add_merge(&w, attn_bytes_of("a"), attn_bytes_of("a"));
    add_merge(&w, attn_bytes_of("aa"), attn_bytes_of("aa"));
    w.vocabulary.n_tokens = w.spec.n_tokens;
    ck_assert_int_eq(attn_merge_rule_open(&rule, &w.vocabulary, &w.spec, NULL), ATTN_OK);
    memset(word, 'a', size);
    size_t n = first_pieces(&w, word, size, pieces);
    clock_t start = clock();
    ck_assert_int_eq(attn_merge(&rule, &space, word, pieces, &n, NULL), ATTN_OK);
    ck_assert_uint_eq(n, size / 4);
    attn_merge_space_free(&space);
    attn_merge_rule_free(&rule);
    attn_free(word);
    attn_free(pieces);
    end(&w);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* A quadratic loop would take 64 times as long for 8 times the letters. */
START_TEST(a_million_letters_are_near_linear)
{
    double small = seconds_for(1 << 17), large = seconds_for(1 << 20);
    ck_assert_msg(large < 24 * (small + 0.01), "%f s for 8 times what took %f s", large, small);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("merge");
    TCase *tests = tcase_create("merge");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, merges_as_the_textbook);
    tcase_add_test(tests, merges_by_spelling_as_the_textbook);
    tcase_add_test(tests, joins_the_left_most_of_equals);
    tcase_add_test(tests, scores_order_merges);
    tcase_add_test(tests, refuses_merges_of_unknown_tokens);
    tcase_add_test(tests, a_million_letters_are_near_linear);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
