/* test_range.c: scores, weights and vectors where float32 ends: masks, scales and lengths near its limits, NaN and
 * infinity in places that are seen. Right values are worked by hand (each says how) or reference.h's formulas in
 * double; and in every case the vectors must be what the printed weights make. */
#include "config.h"

#include "attention/attention.h"
#include "attention/reference.h"
#include "base/memory.h"
#include "testing.h"

#include <float.h>
#include <string.h>

enum { MOST_KEYS = 600, MOST_QUERIES = 40, MOST_DIM = 8 };

/* One head, or the rule's, over vectors that lie side by side. */
typedef struct fixture {
    attn_rule rule;
    attn_mask mask;
    attn_attention a;
} fixture;

static float out[MOST_QUERIES * MOST_DIM], weights[MOST_QUERIES * MOST_KEYS], scores[MOST_QUERIES * MOST_KEYS];
static uint8_t visible[MOST_QUERIES * MOST_KEYS];

static void set_up(fixture *f, attn_score score, const float *q, size_t n_queries, const float *k, size_t n_keys,
                   size_t dim)
{
    memset(f, 0, sizeof *f);
    f->rule = attn_rule_default();
    f->rule.score = score;
    f->rule.head_dim = f->rule.value_dim = dim;
    f->a = (attn_attention){.rule = &f->rule,
                            .mask = &f->mask,
                            .n_queries = n_queries,
                            .n_keys = n_keys,
                            .q = {q, dim, dim},
                            .k = {k, dim, dim},
                            .v = {k, dim, dim}};
}

static void add_matrix(fixture *f, const float *values)
{
    f->mask.matrices[f->mask.n_matrices++] =
        (attn_mask_matrix){.values = values, .n_heads = 1, .n_queries = f->a.n_queries, .n_keys = f->a.n_keys};
}

/* Fills weights, scores, visible and out; the vectors are those of the weights, to float32's rounding. */
static void run(const fixture *f)
{
    size_t n = f->a.n_queries, n_keys = f->a.n_keys, dim = f->rule.value_dim;
    attn_error error;
    ck_assert_msg(attn_attention_run(&f->a, out, dim, NULL, &error) == ATTN_OK, "%s", error.message);
    ck_assert_int_eq(attn_attention_rows(&f->a, ATTN_ROWS_SCORES, 0, 1, 0, n, scores, NULL, NULL), ATTN_OK);
    ck_assert_int_eq(attn_attention_rows(&f->a, ATTN_ROWS_WEIGHTS, 0, 1, 0, n, weights, visible, NULL), ATTN_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < dim; c++) {
            double want = 0, size = 0;
            for (size_t j = 0; j < n_keys; j++) {
                double value = (double)f->a.v.data[j * f->a.v.row_stride + c];
                if (visible[i * n_keys + j] == 0)
                    continue;
                want += (double)weights[i * n_keys + j] * value;
                size += fabs((double)weights[i * n_keys + j] * value);
            }
            double got = (double)out[i * dim + c];
            ck_assert_msg(isnan(want) ? isnan(got) : fabs(got - want) <= 1e-5 * size + 1e-43,
                          "out %zu %zu: %g, weights say %g", i, c, got, want);
        }
    }
}

static void expect(const char *what, const float *got, const double *want, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        double g = (double)got[i], w = want[i];
        bool same = isnan(w) ? isnan(g) : isinf(w) || g == w ? g == w : fabs(g - w) <= tolerance;
        ck_assert_msg(same, "%s %zu: %.9g, expected %.9g", what, i, g, w);
    }
}

/* One query of one number against keys that are values too. */
static void set_keys(fixture *f, attn_score score, const float *query, const float *keys, size_t n)
{
    set_up(f, score, query, 1, keys, n, 1);
}

static const float one = 1;

/* ---- masks ---- */

/* Two words (1, 2) and (3, 4), attention on the vectors themselves. Row 1's scores are 11/√2 and 25/√2, which is
 * nothing beside 1e38: its weights are those of the mask's numbers alone. */
START_TEST(mask_near_the_limit)
{
    static const float words[4] = {1, 2, 3, 4};
    static const struct {
        float mask[2];
        double weights[2], vector[2];
    } cases[] = {
        {{-FLT_MAX, -FLT_MAX}, {0.5, 0.5}, {2, 3}},
        {{-2.5e38F, -2.4e38F}, {0, 1}, {3, 4}},
        {{2.4e38F, 0}, {1, 0}, {1, 2}},
        {{FLT_MAX, FLT_MAX}, {0.5, 0.5}, {2, 3}},
        {{-FLT_MAX, FLT_MAX}, {0, 1}, {3, 4}},
        {{-2.4e38F, -INFINITY}, {1, 0}, {1, 2}},
        {{1e30F, 1e30F}, {0.5, 0.5}, {2, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture f;
        const float matrix[4] = {0, 0, cases[i].mask[0], cases[i].mask[1]};
        set_up(&f, ATTN_SCORE_SCALED, words, 2, words, 2, 2);
        add_matrix(&f, matrix);
        run(&f);
        expect("weight", weights + 2, cases[i].weights, 2, 0);
        expect("vector", out + 2, cases[i].vector, 2, 0);
    }
}
END_TEST

/* Sums that no float32 holds are told apart; they do not hide a key, and no third mask takes them for hidden. */
START_TEST(masks_whose_sum_overflows)
{
    static const float low[3] = {-3e38F, -3e38F, -INFINITY}, lower[3] = {-3e38F, -2e38F, 0}, none[3] = {0, 0, 0};
    static const float high[3] = {3e38F, 3e38F, 0}, words[3] = {1, 2, 5};
    fixture f;
    set_keys(&f, ATTN_SCORE_DOT, &one, words, 3);
    add_matrix(&f, low);
    add_matrix(&f, low);
    run(&f); /* −6e38 + 1 and + 2: 1 is nothing beside it */
    expect("weight", weights, (double[]){0.5, 0.5, 0}, 3, 0);
    expect("score", scores, (double[]){-INFINITY, -INFINITY, -INFINITY}, 3, 0);
    ck_assert(visible[0] == 1 && visible[1] == 1 && visible[2] == 0);
    set_keys(&f, ATTN_SCORE_DOT, &one, words, 3);
    add_matrix(&f, low);
    add_matrix(&f, lower);
    run(&f);
    expect("weight", weights, (double[]){0, 1, 0}, 3, 0);
    set_keys(&f, ATTN_SCORE_DOT, &one, words, 3);
    add_matrix(&f, high);
    add_matrix(&f, high);
    add_matrix(&f, none);
    run(&f);
    expect("weight", weights, (double[]){0.5, 0.5, 0}, 3, 0);
    expect("score", scores, (double[]){INFINITY, INFINITY, 5}, 3, 0);
    set_keys(&f, ATTN_SCORE_DOT, &one, words, 3); /* 3e38 − 3e38 comes out as nothing: the scores are the words */
    add_matrix(&f, high);
    add_matrix(&f, (const float[]){-3e38F, -3e38F, -INFINITY});
    run(&f);
    expect("weight", weights, (double[]){1 / (1 + exp(1)), 1 / (1 + exp(-1)), 0}, 3, 1e-7);
}
END_TEST

/* A number on a whole row takes nothing away: −10000 and −1e6 on ln 1, ln 2 and ln 5 leave ⅛, ¼ and ⅝. */
START_TEST(mask_of_one_number_on_a_row)
{
    static const float ln[3] = {0, 0.693147181F, 1.609437912F};
    const float numbers[] = {-10000, -1e6F, 1e7F, -300};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fixture f;
        const float matrix[3] = {numbers[i], numbers[i], numbers[i]};
        set_keys(&f, ATTN_SCORE_DOT, &one, ln, 3);
        add_matrix(&f, matrix);
        run(&f);
        expect("weight", weights, (double[]){0.125, 0.25, 0.625}, 3, 2e-7);
    }
}
END_TEST

static uint32_t seed;

static double random_unit(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 16777216;
}

/* Finite numbers of every size on some keys, on rows of one size, alone and two masks together: against the
 * definition in double, summed outside the library. */
START_TEST(any_finite_mask)
{
    static float words[MOST_QUERIES * MOST_DIM], matrix[2][MOST_QUERIES * MOST_QUERIES];
    enum { N = 24, DIM = 5 };
    seed = (uint32_t)_i * 7919 + 1;
    for (size_t i = 0; i < N * DIM; i++)
        words[i] = (float)(4 * random_unit() - 2);
    for (size_t i = 0; i < N; i++) {
        double row_size = ldexp(1, (int)(random_unit() * 140) - 12);
        for (size_t j = 0; j < N; j++) {
            double size = i % 2 == 0 ? row_size : ldexp(1, (int)(random_unit() * 140) - 12);
            matrix[0][i * N + j] = (float)((random_unit() > 0.7 && i % 3 != 0 ? 0.9 : -0.9) * size);
            matrix[1][i * N + j] = i % 2 == 0 ? (float)(-0.9 * row_size) : (float)(2 * random_unit());
        }
    }
    fixture f;
    set_up(&f, ATTN_SCORE_SCALED, words, N, words, N, DIM);
    for (size_t m = 0; m <= (size_t)_i % 2; m++)
        add_matrix(&f, matrix[m]);
    run(&f);
    for (size_t i = 0; i < N; i++) {
        double s[N], max = (double)-INFINITY, sum = 0;
        for (size_t j = 0; j < N; j++) {
            double added = 0; /* the masks' numbers meet first: what they cancel swallows nothing */
            for (size_t m = 0; m < f.mask.n_matrices; m++)
                added += (double)matrix[m][i * N + j];
            s[j] = reference_f(&f.a, 0, i, j) / sqrt((double)DIM) + added;
            max = fmax(max, s[j]);
        }
        for (size_t j = 0; j < N; j++)
            sum += exp(s[j] - max);
        for (size_t j = 0; j < N; j++)
            s[j] = exp(s[j] - max) / sum;
        expect("weight", weights + i * N, s, N, 1e-5);
    }
}
END_TEST

/* ---- scales, temperatures, caps, biases ---- */

/* Scores of 1e40 and 2e40 print as infinite; their weights are 0 and 1, and halves where they are equal. */
START_TEST(scores_beyond_the_limit)
{
    static const float big[2] = {1e10F, 2e10F}, huge[3] = {1e20F, 2e20F, 2e20F}, q = 1e20F;
    fixture f;
    set_keys(&f, ATTN_SCORE_DOT, &one, big, 2);
    f.rule.scale = 1e30F;
    run(&f);
    expect("score", scores, (double[]){INFINITY, INFINITY}, 2, 0);
    expect("weight", weights, (double[]){0, 1}, 2, 0);
    ck_assert(visible[0] == 1);
    f.rule.scale = -1e30F;
    run(&f);
    expect("score", scores, (double[]){-INFINITY, -INFINITY}, 2, 0);
    expect("weight", weights, (double[]){1, 0}, 2, 0);
    ck_assert(visible[0] == 1 && visible[1] == 1);
    set_keys(&f, ATTN_SCORE_DOT, &q, huge, 3); /* the products overflow: 1e40, 2e40, 2e40 */
    run(&f);
    expect("weight", weights, (double[]){0, 0.5, 0.5}, 3, 0);
    f.rule.scale = 1e-30F; /* 1e10, 2e10, 2e10 */
    run(&f);
    expect("score", scores, (double[]){1e10, 2e10, 2e10}, 3, 1e3);
    expect("weight", weights, (double[]){0, 0.5, 0.5}, 3, 0);
    f.rule.softcap = 3; /* 3·tanh(a lot) */
    run(&f);
    expect("weight", weights, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 3, 1e-7);
}
END_TEST

START_TEST(temperatures_and_caps)
{
    static const float words[3] = {1, 2, 2}, far[2] = {-2e38F, -3e38F};
    fixture f;
    set_keys(&f, ATTN_SCORE_DOT, &one, words, 3);
    f.rule.temperature = 1e-37F;
    run(&f);
    expect("weight", weights, (double[]){0, 0.5, 0.5}, 3, 0);
    f.rule.temperature = 1e38F; /* 1e-38 apart */
    run(&f);
    expect("weight", weights, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 3, 1e-7);
    f.rule.temperature = 1;
    f.rule.softcap = 1e-42F; /* every score is a cap's tanh: nothing apart */
    run(&f);
    expect("weight", weights, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 3, 1e-7);
    set_keys(&f, ATTN_SCORE_DOT, &one, far, 2);
    f.rule.temperature = 1e38F; /* scores −2 and −3 of its size */
    run(&f);
    expect("weight", weights, (double[]){1 / (1 + exp(-1)), 1 / (1 + exp(1))}, 2, 1e-6);
}
END_TEST

/* ALiBi's slopes: a causal query sees itself at distance 0; without a mask the farthest key ahead gains 2·3e38. */
START_TEST(biases)
{
    static const float words[3] = {1, 2, 5}, slope = 3e38F, sink = 3e38F, low_sink = -FLT_MAX;
    static const float buckets[4] = {-3e38F, -3e38F, 3e38F, 3e38F};
    fixture f;
    set_up(&f, ATTN_SCORE_DOT, words, 3, words, 3, 1);
    f.rule.slopes = &slope;
    f.mask.causal = true;
    run(&f);
    expect("weight", weights + 6, (double[]){0, 0, 1}, 3, 0);
    f.mask.causal = false;
    run(&f);
    expect("weight", weights, (double[]){0, 0, 1}, 3, 0);
    set_up(&f, ATTN_SCORE_DOT, words, 3, words, 3, 1);
    f.rule.relative = (attn_relative_bias){.values = buckets, .n_buckets = 4, .max_distance = 8, .bidirectional = true};
    f.rule.scale = 0;
    run(&f); /* the lower buckets are the keys up to the query */
    expect("weight", weights, (double[]){0, 0.5, 0.5}, 3, 0);
    set_keys(&f, ATTN_SCORE_DOT, &one, words, 3);
    f.rule.sinks = &sink;
    run(&f);
    expect("weight", weights, (double[]){0, 0, 0}, 3, 0);
    f.rule.sinks = &low_sink;
    add_matrix(&f, (const float[]){-FLT_MAX, -FLT_MAX, -INFINITY}); /* as heavy as each key */
    run(&f);
    expect("weight", weights, (double[]){1.0 / 3, 1.0 / 3, 0}, 3, 1e-7);
}
END_TEST

/* ---- lengths ---- */

/* cos((3, 4), (4, 3)) = 24/25, with itself 1, with (−4, 3) 0: at every length. */
START_TEST(cosine_at_every_length)
{
    const float sizes[] = {1, 1e19F, 3e25F, 6e37F, 1e-19F, 2e-30F, 1e-38F};
    enum { N = sizeof sizes / sizeof sizes[0] };
    for (size_t a = 0; a < N; a++) {
        for (size_t b = 0; b < N; b++) {
            const float q[2] = {3 * sizes[a], 4 * sizes[a]};
            const float k[8] = {4 * sizes[b],  3 * sizes[b], 3 * sizes[b], 4 * sizes[b], 0, 0,
                                -4 * sizes[b], 3 * sizes[b]};
            double s[4] = {0.96, 1, 0, 0}, sum = exp(0.96) + exp(1) + 2;
            fixture f;
            set_up(&f, ATTN_SCORE_COSINE, q, 1, k, 4, 2);
            run(&f);
            expect("score", scores, s, 4, 1e-6);
            for (size_t j = 0; j < 4; j++)
                s[j] = exp(s[j]) / sum;
            expect("weight", weights, s, 4, 1e-6);
        }
    }
}
END_TEST

/* Distances 1 and 2 units: 1/1 and 1/4 of the sum 5/4; a unit whose square float32 does not hold is one too, and so is
 * a pair that only seems to be at distance 0. */
START_TEST(distances)
{
    const float units[] = {1, 1e25F, 1e-30F, 1e18F, 1e-18F, 1e-44F};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        float unit = units[i];
        const float places[3] = {0, unit, 2 * unit}, q = 0;
        fixture f;
        set_keys(&f, ATTN_SCORE_GRAVITY, &q, places, 3);
        run(&f);
        expect("weight", weights, (double[]){0, 0.8, 0.2}, 3, 1e-7);
        ck_assert(visible[0] == 0 && visible[1] == 1 && visible[2] == 1);
        set_keys(&f, ATTN_SCORE_GAUSSIAN, &q, places, 3);
        f.rule.temperature = 1e38F;
        f.rule.scale = unit > 1e19F ? 1e-12F : 0;
        run(&f); /* at 1e25: −1e38 and −4e38 over the temperature, to 1e-6 */
        double sum = 1 + exp(-1) + exp(-4);
        if (unit > 1e19F)
            expect("weight", weights, (double[]){1 / sum, exp(-1) / sum, exp(-4) / sum}, 3, 1e-6);
        else
            expect("weight", weights, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 3, 1e-7);
    }
}
END_TEST

/* ---- NaN and infinity ---- */

static bool all_nan(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            return false;
    return true;
}

/* A query, a key, a value that is NaN comes out as NaN of the rows that see it, and of no other: 1 sees itself and 0
 * under a causal mask. */
START_TEST(nan_comes_out_where_it_is_seen)
{
    for (int score = 0; score < ATTN_N_SCORES; score++) {
        float q[3] = {1, 2, 3}, k[3] = {4, 5, 7}, v[3] = {1, 2, 3};
        fixture f;
        set_up(&f, (attn_score)score, q, 3, k, 3, 1);
        f.rule.v_A = &one;
        f.a.v.data = v;
        f.mask.causal = true;
        q[1] = NAN;
        run(&f);
        ck_assert(isfinite(out[0]) && isnan(out[1]) && isfinite(out[2]));
        ck_assert(all_nan(weights + 3, 2) && weights[5] == 0 && isfinite(weights[8]));
        ck_assert(visible[3] == 1 && visible[5] == 0);
        q[1] = 2;
        k[1] = NAN;
        run(&f);
        ck_assert(isfinite(out[0]) && isnan(out[1]) && isnan(out[2]) && weights[5] == 0 && all_nan(weights + 6, 3));
        k[1] = 5;
        v[2] = NAN;
        run(&f);
        ck_assert(isfinite(out[0]) && isfinite(out[1]) && isnan(out[2]) && isfinite(weights[8]));
    }
}
END_TEST

/* A score of −infinity that no mask made has weight 0 and is seen; where nothing else is, 0/0 is NaN. */
START_TEST(infinite_numbers)
{
    static const float keys[2] = {-INFINITY, 2}, values[2] = {3, 4}, alone[1] = {-INFINITY}, top[2] = {INFINITY, 1};
    fixture f;
    set_keys(&f, ATTN_SCORE_DOT, &one, keys, 2);
    f.a.v.data = values;
    run(&f);
    expect("score", scores, (double[]){-INFINITY, 2}, 2, 0);
    expect("weight", weights, (double[]){0, 1}, 2, 0);
    ck_assert(visible[0] == 1 && out[0] == 4);
    set_keys(&f, ATTN_SCORE_DOT, &one, alone, 1);
    run(&f);
    ck_assert(isnan(weights[0]) && isnan(out[0]));
    set_keys(&f, ATTN_SCORE_DOT, &one, top, 2);
    run(&f);
    ck_assert(all_nan(weights, 2) && isnan(out[0]));
}
END_TEST

/* A weight that is too small for a number does not make a value that is NaN disappear; a mask does. */
START_TEST(values_of_no_weight)
{
    static const float keys[3] = {0, 500, 0}, nan_first[3] = {NAN, 2, 1}, infinite[3] = {2, 3, INFINITY};
    fixture f;
    set_keys(&f, ATTN_SCORE_DOT, &one, keys, 3);
    f.a.v.data = nan_first;
    run(&f);
    ck_assert(weights[0] == 0 && isnan(out[0]));
    f.a.v.data = infinite;
    run(&f);
    ck_assert(isnan(out[0])); /* 0·∞ */
    add_matrix(&f, (const float[]){0, 0, -INFINITY});
    run(&f);
    ck_assert(out[0] == 3);
}
END_TEST

/* NaN among keys that are otherwise hidden, in the first block of 256 that the stream takes; a whole row of NaN. */
START_TEST(nan_in_an_otherwise_hidden_block)
{
    static float keys[MOST_KEYS];
    static uint8_t hidden[MOST_KEYS];
    for (size_t place = 0; place < 256; place += 85) {
        fixture f;
        for (size_t i = 0; i < MOST_KEYS; i++) {
            keys[i] = (float)(i % 7);
            hidden[i] = i < 256 && i != place;
        }
        keys[place] = NAN;
        set_keys(&f, ATTN_SCORE_DOT, &one, keys, MOST_KEYS);
        f.mask.hidden_keys = hidden;
        run(&f);
        ck_assert(isnan(out[0]) && isnan(weights[300]));
        hidden[place] = 1;
        run(&f);
        ck_assert(isfinite(out[0]));
    }
}
END_TEST

/* ---- few and very wide keys ---- */

/* Keys that the query scores as ln 1, ln 2, ln 5 and ln 4 by their last number, so that the weights of the first three
 * are 1, 2 and 5 eighths; the fourth is masked, and so is the infinite number in it. Of the values 8, 4, 0 in column 1
 * that makes 1 + 1 + 0. 28 more masked keys make two whole panels, which the stream takes. */
START_TEST(few_and_wide)
{
    enum { DIM = 1 << 15, SEEN = 3, MOST = 32 };
    static float q[DIM], k[MOST * DIM], wide_out[DIM], matrix[MOST];
    static const double expected[SEEN + 1] = {0.125, 0.25, 0.625, 0}, logs[SEEN] = {0, 0.69314718, 1.60943791};
    static const size_t counts[] = {SEEN + 1, MOST};
    fixture f;
    q[DIM - 1] = 1;
    for (size_t j = 0; j < MOST; j++) {
        k[j * DIM + DIM - 1] = j < SEEN ? (float)logs[j] : 1.38629436F;
        matrix[j] = j < SEEN ? 0 : -INFINITY;
    }
    k[1] = 8;
    k[DIM + 1] = 4;
    k[SEEN * DIM + 2] = INFINITY;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        set_up(&f, ATTN_SCORE_DOT, q, 1, k, counts[i], DIM);
        add_matrix(&f, matrix);
        ck_assert_int_eq(attn_attention_run(&f.a, wide_out, DIM, NULL, NULL), ATTN_OK);
        ck_assert_int_eq(attn_attention_rows(&f.a, ATTN_ROWS_SCORES, 0, 1, 0, 1, scores, NULL, NULL), ATTN_OK);
        ck_assert_int_eq(attn_attention_rows(&f.a, ATTN_ROWS_WEIGHTS, 0, 1, 0, 1, weights, NULL, NULL), ATTN_OK);
        expect("score", scores, logs, SEEN, 1e-6);
        ck_assert(scores[SEEN] == -INFINITY);
        expect("weight", weights, expected, SEEN + 1, 1e-6);
        expect("vector", wide_out, (double[]){0, 2, 0}, 3, 1e-6);
        expect("vector's end", wide_out + DIM - 1,
               (double[]){expected[0] * logs[0] + expected[1] * logs[1] + expected[2] * logs[2]}, 1, 1e-6);
    }
}
END_TEST

/* ---- the rows that are computed a second time ---- */

/* The same bytes at every thread count, doubtful rows and others. */
START_TEST(threads)
{
    static float words[MOST_QUERIES * MOST_DIM], matrix[MOST_QUERIES * MOST_QUERIES], again[MOST_QUERIES * MOST_DIM];
    fixture f;
    seed = 5;
    for (size_t i = 0; i < MOST_QUERIES * MOST_DIM; i++)
        words[i] = (float)(2 * random_unit() - 1);
    for (size_t i = 0; i < MOST_QUERIES * MOST_QUERIES; i++)
        matrix[i] = i / MOST_QUERIES % 3 == 0 ? -1e6F : 0;
    set_up(&f, ATTN_SCORE_SCALED, words, MOST_QUERIES, words, MOST_QUERIES, MOST_DIM / 2);
    f.rule.n_heads = f.rule.n_kv_heads = 2;
    f.a.q = f.a.k = f.a.v = (attn_heads){.data = words, .row_stride = MOST_DIM, .head_stride = MOST_DIM / 2};
    add_matrix(&f, matrix);
    ck_assert_int_eq(attn_attention_run(&f.a, out, MOST_DIM, NULL, NULL), ATTN_OK);
    for (size_t n = 1; n < 5; n++) {
        attn_pool *pool;
        ck_assert_int_eq(attn_pool_open(n, &pool, NULL), ATTN_OK);
        ck_assert_int_eq(attn_attention_run(&f.a, again, MOST_DIM, pool, NULL), ATTN_OK);
        attn_pool_close(pool);
        ck_assert(memcmp(out, again, sizeof out) == 0);
    }
    f.mask.n_matrices = 0; /* rows without −1e6 are the same to rounding */
    ck_assert_int_eq(attn_attention_run(&f.a, again, MOST_DIM, NULL, NULL), ATTN_OK);
    for (size_t i = 0; i < MOST_QUERIES * MOST_DIM; i++)
        ck_assert(fabsf(out[i] - again[i]) <= 1e-6F);
}
END_TEST

static bool fail_nth(void *context, size_t size)
{
    size_t *left = context;
    (void)size;
    return (*left)-- != 0;
}

START_TEST(want_of_memory)
{
    static const float words[3] = {NAN, 2, 5};
    size_t failures = 0;
    attn_status status = ATTN_ENOMEM;
    fixture f;
    set_keys(&f, ATTN_SCORE_DOT, &one, words, 3);
    for (size_t nth = 0; status != ATTN_OK; nth++) {
        size_t left = nth;
        attn_set_alloc_hook(fail_nth, &left);
        status = attn_attention_run(&f.a, out, 1, NULL, NULL);
        attn_set_alloc_hook(NULL, NULL);
        ck_assert(status == ATTN_OK || status == ATTN_ENOMEM);
        failures += status == ATTN_ENOMEM;
    }
    ck_assert(failures >= 12 && isnan(out[0]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("range");
    TCase *group = tcase_create("range");
    tcase_set_timeout(group, 300);
    tcase_add_test(group, mask_near_the_limit);
    tcase_add_test(group, masks_whose_sum_overflows);
    tcase_add_test(group, mask_of_one_number_on_a_row);
    tcase_add_loop_test(group, any_finite_mask, 0, 40);
    tcase_add_test(group, scores_beyond_the_limit);
    tcase_add_test(group, temperatures_and_caps);
    tcase_add_test(group, biases);
    tcase_add_test(group, cosine_at_every_length);
    tcase_add_test(group, distances);
    tcase_add_test(group, nan_comes_out_where_it_is_seen);
    tcase_add_test(group, infinite_numbers);
    tcase_add_test(group, values_of_no_weight);
    tcase_add_test(group, nan_in_an_otherwise_hidden_block);
    tcase_add_test(group, few_and_wide);
    tcase_add_test(group, threads);
    tcase_add_test(group, want_of_memory);
    suite_add_tcase(suite, group);
    return testing_run(suite);
}
