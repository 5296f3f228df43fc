/* test_attention.c: the streaming driver and exact rows, against reference.h's naive reading in
 * double, values worked by hand, and each other. */
#include "config.h"

#include "testing.h"

#include "attention/attention.h"
#include "attention/reference.h"
#include "testing/memory.h"
#include "testing/random.h"

#include <string.h>

enum { ROOM = 1 << 18, MOST = 1 << 16 };

/* One attention over numbers made up from a seed, with gaps between rows and heads. */
typedef struct fixture {
    attn_rule rule;
    attn_mask mask;
    attn_attention a;
    size_t out_stride;
} fixture;

static float q_data[ROOM], k_data[ROOM], v_data[ROOM], v_A[1024], out[ROOM], again[ROOM];
static float rows[MOST * 8], rows_again[MOST * 8];
static uint8_t visible[MOST * 8];
static double weights[4096];

/* Where there are no gaps: heads of D side by side. */
static attn_heads lay_out(float *data, size_t n, size_t n_heads, size_t d, size_t seed)
{
    attn_heads heads = {data + 1, n_heads * (d + 1) + 3, d + 1};
    ck_assert(n * heads.row_stride < ROOM);
    random_fill(data, n * heads.row_stride + 1, seed, 1.5F);
    return heads;
}

static void set_up(fixture *f, attn_score score, size_t n_queries, size_t n_keys, size_t head_dim, size_t value_dim)
{
    memset(f, 0, sizeof *f);
    f->rule = attn_rule_default();
    f->rule.n_heads = 4;
    f->rule.n_kv_heads = 2;
    f->rule.head_dim = head_dim;
    f->rule.value_dim = value_dim;
    f->rule.score = score;
    f->rule.v_A = v_A;
    random_fill(v_A, sizeof v_A / sizeof v_A[0], 17, 1);
    f->a = (attn_attention){.rule = &f->rule, .mask = &f->mask, .n_queries = n_queries, .n_keys = n_keys};
    f->a.q = lay_out(q_data, n_queries, f->rule.n_heads, head_dim, 1);
    f->a.k = lay_out(k_data, n_keys, f->rule.n_kv_heads, head_dim, 2);
    f->a.v = lay_out(v_data, n_keys, f->rule.n_kv_heads, value_dim, 3);
    f->out_stride = f->rule.n_heads * value_dim + 2;
}

static void run(const fixture *f, float *to, attn_pool *pool)
{
    attn_error error;
    ck_assert_msg(attn_attention_run(&f->a, to, f->out_stride, pool, &error) == ATTN_OK, "%s", error.message);
}

static void take_rows(const fixture *f, attn_rows_kind kind, float *to)
{
    attn_error error;
    ck_assert_msg(attn_attention_rows(&f->a, kind, 0, f->rule.n_heads, 0, f->a.n_queries, to, visible, &error) ==
                      ATTN_OK,
                  "%s", error.message);
}

/* Weights and outputs of every head and query within TOLERANCE of the reference's. */
static void check_all(const fixture *f, double tolerance)
{
    size_t shared = f->rule.n_heads / f->rule.n_kv_heads;
    ck_assert(f->a.n_queries * f->a.n_keys <= MOST && f->a.n_queries * f->out_stride <= ROOM);
    run(f, out, NULL);
    take_rows(f, ATTN_ROWS_WEIGHTS, rows);
    for (size_t h = 0; h < f->rule.n_heads; h++) {
        for (size_t i = 0; i < f->a.n_queries; i++) {
            const float *row = rows + (h * f->a.n_queries + i) * f->a.n_keys;
            const float *got = out + i * f->out_stride + h * f->rule.value_dim;
            reference_weights(&f->a, h, i, weights);
            for (size_t j = 0; j < f->a.n_keys; j++)
                ck_assert_msg(fabs((double)row[j] - weights[j]) <= tolerance, "weight %zu %zu %zu: %g, expected %g", h,
                              i, j, (double)row[j], weights[j]);
            for (size_t c = 0; c < f->rule.value_dim; c++) {
                double want = 0;
                for (size_t j = 0; j < f->a.n_keys; j++)
                    want +=
                        weights[j] * (double)f->a.v.data[j * f->a.v.row_stride + h / shared * f->a.v.head_stride + c];
                ck_assert_msg(fabs((double)got[c] - want) <= tolerance, "out %zu %zu %zu: %g, expected %g", h, i, c,
                              (double)got[c], want);
            }
        }
    }
}

/* ---- every rule at every edge ---- */

START_TEST(score_rules)
{
    static const size_t sizes[][4] = {/* queries, keys, head_dim, value_dim */
                                      {1, 1, 1, 1},    {3, 5, 3, 2},     {7, 16, 8, 16},   {16, 17, 16, 17},
                                      {33, 47, 20, 9}, {49, 65, 31, 33}, {100, 97, 64, 8}, {13, 255, 5, 40},
                                      {2, 256, 17, 1}, {50, 257, 7, 3},  {97, 300, 64, 64}};
    /* where scores reach 100, float32 holds them to 4e-6 */
    double tolerance = (attn_score)_i == ATTN_SCORE_DOT || (attn_score)_i == ATTN_SCORE_GAUSSIAN ? 2e-5 : 4e-6;
    fixture f;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        set_up(&f, (attn_score)_i, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3]);
        check_all(&f, tolerance);
        f.mask.causal = true;
        check_all(&f, tolerance);
        f.mask.past = 9;
        f.rule.scale = 0.7F;
        f.rule.temperature = 1.75F;
        check_all(&f, tolerance);
    }
}
END_TEST

START_TEST(masks)
{
    enum { N = 90, KEYS = 300 };
    static uint8_t hidden[KEYS], ends[KEYS];
    static float matrix[N * KEYS], by_head[4 * N * KEYS];
    fixture f;
    for (size_t i = 0; i < KEYS; i++) {
        hidden[i] = random_number(i) > 0.3F;
        ends[i] = i < 21 || i >= 277 || i == 100; /* padding at both ends, and one inside */
    }
    for (size_t i = 0; i < 4 * N * KEYS; i++) {
        by_head[i] = random_number(i) > 0.5F ? -INFINITY : random_number(i + 5);
        if (i < N * KEYS)
            matrix[i] = random_number(i + 7) > 0.9F ? -INFINITY : 3 * random_number(i + 9);
    }
    for (size_t kind = 0; kind < 12; kind++) {
        set_up(&f, ATTN_SCORE_SCALED, N, KEYS, 16, 16);
        f.mask.past = 190;
        f.mask.causal = kind % 2 == 1;
        f.mask.window = kind == 2 ? 1 : kind == 3 ? 20 : 0;
        f.mask.band = kind == 4 ? 30 : 0;
        f.mask.has_prefix = kind == 5;
        f.mask.prefix = 250;
        f.mask.hidden_keys = kind == 6 || kind == 7 ? hidden : kind >= 10 ? ends : NULL;
        f.mask.n_matrices = kind >= 7 && kind < 10 ? 2 : 0;
        f.mask.matrices[0] = (attn_mask_matrix){matrix, 1, N, KEYS};
        f.mask.matrices[1] = (attn_mask_matrix){by_head, 4, N, KEYS};
        check_all(&f, 4e-6);
    }
}
END_TEST

START_TEST(variants)
{
    static const float sinks[4] = {0.5F, -3, 20, 0}, slopes[4] = {0.5F, 0.25F, 0.125F, 0.0625F};
    static float relative[32 * 4], q_at[70], k_at[120];
    fixture f;
    for (size_t i = 0; i < 32 * 4; i++)
        relative[i] = random_number(i);
    for (size_t i = 0; i < 120; i++) {
        k_at[i] = (float)(i + 3);
        if (i < 70)
            q_at[i] = (float)(2 * i + 20);
    }
    for (size_t variant = 0; variant < 7; variant++) {
        set_up(&f, ATTN_SCORE_SCALED, 70, 120, 24, 20);
        f.mask.causal = variant % 2 == 0;
        f.mask.past = 40;
        f.rule.softcap = variant == 1 || variant == 6 ? 0.8F : 0;
        f.rule.sinks = variant == 2 || variant == 6 ? sinks : NULL;
        f.rule.slopes = variant == 3 || variant == 6 ? slopes : NULL;
        if (variant == 4 || variant == 5)
            f.rule.relative = (attn_relative_bias){relative, 32, variant == 4 ? 20 : 128, variant == 5};
        if (variant == 3 || variant == 5) {
            f.a.query_positions = q_at;
            f.a.key_positions = k_at;
        }
        check_all(&f, 4e-6);
    }
    set_up(&f, ATTN_SCORE_SCALED, 20, 30, 8, 8); /* multi-query */
    f.rule.n_kv_heads = 1;
    check_all(&f, 4e-6);
}
END_TEST

/* ---- exact small values ---- */

/* One head, one query of 1, keys given as scores by ATTN_SCORE_DOT. */
static void set_scores(fixture *f, const float *scores, size_t n)
{
    static const float one = 1;
    set_up(f, ATTN_SCORE_DOT, 1, 1, 1, 1);
    f->rule.n_heads = f->rule.n_kv_heads = 1;
    f->a.n_keys = n;
    f->a.q = (attn_heads){&one, 1, 1};
    f->a.k = (attn_heads){scores, 1, 1};
    f->a.v = (attn_heads){scores, 1, 1};
}

static void check_row(const fixture *f, attn_rows_kind kind, const double *want, double tolerance)
{
    take_rows(f, kind, rows);
    for (size_t j = 0; j < f->a.n_keys; j++)
        ck_assert_msg(fabs((double)rows[j] - want[j]) <= tolerance, "%zu: %.9g, expected %.9g", j, (double)rows[j],
                      want[j]);
}

START_TEST(values_by_hand)
{
    static const float ln[3] = {0, 0.693147181F, 1.609437912F}, sunk[2] = {0.693147181F, 0};
    static const float hundred[2] = {100, 0}, huge[3] = {1e30F, 1e30F, 0}, far[3] = {-7e5F, -7e5F, -7e5F};
    static const float sink = 0, temperature[2] = {1.386294361F, 0};
    fixture f;
    set_scores(&f, ln, 3);
    check_row(&f, ATTN_ROWS_WEIGHTS, (double[]){0.125, 0.25, 0.625}, 1e-7);
    check_row(&f, ATTN_ROWS_SCORES, (double[]){0, 0.693147181, 1.609437912}, 1e-7);
    run(&f, out, NULL); /* ln 2/4 + 5 ln 5/8 */
    ck_assert(fabs((double)out[0] - (0.25 * log(2) + 0.625 * log(5))) <= 2e-7);
    set_scores(&f, sunk, 2);
    f.rule.sinks = &sink;
    check_row(&f, ATTN_ROWS_WEIGHTS, (double[]){0.5, 0.25}, 1e-7);
    run(&f, out, NULL);
    ck_assert(fabs((double)out[0] - 0.5 * log(2)) <= 1e-7);
    set_scores(&f, hundred, 2);
    f.rule.softcap = 50;
    check_row(&f, ATTN_ROWS_CAPPED, (double[]){48.201379, 0}, 4e-6);
    check_row(&f, ATTN_ROWS_PRODUCT, (double[]){100, 0}, 0);
    set_scores(&f, temperature, 2); /* 2 ln 2 at temperature 2 */
    f.rule.temperature = 2;
    check_row(&f, ATTN_ROWS_WEIGHTS, (double[]){2.0 / 3, 1.0 / 3}, 1e-7);
    run(&f, out, NULL);
    ck_assert(fabs((double)out[0] - 4 * log(2) / 3) <= 2e-7);
    set_scores(&f, huge, 3);
    check_row(&f, ATTN_ROWS_WEIGHTS, (double[]){0.5, 0.5, 0}, 0);
    set_scores(&f, far, 3);
    check_row(&f, ATTN_ROWS_WEIGHTS, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-7);
    run(&f, out, NULL);
    ck_assert(fabs((double)out[0] + 7e5) <= 0.125);
}
END_TEST

/* Soft-cap comes before the mask's numbers: with 50·tanh(0/50) = 0 and −100 added, the score is
 * −100, not 50·tanh(−2). A sink far above all scores takes part in the maximum. Gravity: 1/1 and
 * 1/4 of a sum 5/4, the pair at distance 0 left out. */
START_TEST(order_of_steps)
{
    static const float zeros[2] = {0, 0}, added[2] = {-100, 0}, sink = 200, places[3] = {1, 2, 3};
    fixture f;
    set_scores(&f, zeros, 2);
    f.rule.softcap = 50;
    f.mask.n_matrices = 1;
    f.mask.matrices[0] = (attn_mask_matrix){added, 1, 1, 2};
    check_row(&f, ATTN_ROWS_SCORES, (double[]){-100, 0}, 0);
    check_row(&f, ATTN_ROWS_CAPPED, (double[]){0, 0}, 0);
    set_scores(&f, zeros, 2);
    f.rule.sinks = &sink;
    check_row(&f, ATTN_ROWS_WEIGHTS, (double[]){0, 0}, 1e-80);
    run(&f, out, NULL);
    ck_assert(out[0] == 0);
    set_scores(&f, places, 3);
    f.rule.score = ATTN_SCORE_GRAVITY;
    check_row(&f, ATTN_ROWS_WEIGHTS, (double[]){0, 0.8, 0.2}, 1e-7);
    ck_assert(visible[0] == 0 && visible[1] == 1 && visible[2] == 1);
    run(&f, out, NULL);
    ck_assert(fabs((double)out[0] - 2.2) <= 1e-6);
}
END_TEST

/* ---- what must not leak ---- */

static void poison(float *data, const attn_heads *heads, size_t row, size_t n_heads, size_t d, float with)
{
    (void)data;
    for (size_t h = 0; h < n_heads; h++)
        for (size_t c = 0; c < d; c++)
            data[1 + row * heads->row_stride + h * heads->head_stride + c] = with;
}

/* Keys and values behind the mask become NaN, infinity and an odd NaN: no byte of the result
 * changes. */
START_TEST(nothing_leaks_from_behind_a_mask)
{
    static uint8_t hidden[300];
    fixture f;
    float odd_nan;
    const uint32_t odd_bits = 0x7fc00155u;
    memcpy(&odd_nan, &odd_bits, sizeof odd_nan);
    for (size_t i = 0; i < 300; i++)
        hidden[i] = i % 37 == 5;
    for (size_t kind = 0; kind < 3; kind++) {
        const float bad[3] = {NAN, INFINITY, odd_nan};
        size_t n_floats;
        set_up(&f, (attn_score)_i, 100, 300, 20, 20);
        f.mask.causal = kind != 0;
        f.mask.past = 120; /* keys from 220 on are behind it */
        f.mask.hidden_keys = kind != 1 ? hidden : NULL;
        n_floats = f.a.n_queries * f.out_stride;
        memset(out, 0, n_floats * sizeof *out);
        memset(again, 0, n_floats * sizeof *out);
        run(&f, out, NULL);
        take_rows(&f, ATTN_ROWS_WEIGHTS, rows);
        for (size_t i = 0; i < 300; i++) {
            if (!(f.mask.causal && i >= 220) && !(f.mask.hidden_keys != NULL && hidden[i]))
                continue;
            poison(k_data, &f.a.k, i, 2, 20, bad[i % 3]);
            poison(v_data, &f.a.v, i, 2, 20, bad[(i + 1) % 3]);
        }
        run(&f, again, NULL);
        take_rows(&f, ATTN_ROWS_WEIGHTS, rows_again);
        ck_assert(memcmp(out, again, n_floats * sizeof *out) == 0);
        ck_assert(memcmp(rows, rows_again, 4 * 100 * 300 * sizeof *rows) == 0);
    }
}
END_TEST

/* A causal mask: a value that only the last query sees is NaN; the others' bytes stay. What is seen
 * shows. */
START_TEST(what_is_seen_shows)
{
    fixture f;
    set_up(&f, ATTN_SCORE_SCALED, 60, 60, 8, 8);
    f.mask.causal = true;
    run(&f, out, NULL);
    poison(v_data, &f.a.v, 59, 2, 8, NAN);
    run(&f, again, NULL);
    for (size_t i = 0; i < 60; i++)
        for (size_t c = 0; c < 32; c++)
            ck_assert(i < 59 ? memcmp(&out[i * f.out_stride + c], &again[i * f.out_stride + c], 4) == 0
                             : isnan(again[i * f.out_stride + c]));
    set_up(&f, ATTN_SCORE_SCALED, 60, 60, 8, 8);
    poison(k_data, &f.a.k, 3, 2, 8, NAN);
    run(&f, again, NULL);
    take_rows(&f, ATTN_ROWS_WEIGHTS, rows);
    ck_assert(isnan(again[0]) && isnan(again[5 * f.out_stride]) && isnan(rows[0]));
}
END_TEST

/* Rows that see nothing: 0 and 0, with and without sinks. */
START_TEST(rows_that_see_nothing)
{
    static uint8_t hidden[20];
    static const float sinks[4] = {1, 2, 3, 4};
    fixture f;
    for (int with_sinks = 0; with_sinks < 2; with_sinks++) {
        set_up(&f, (attn_score)_i, 20, 20, 4, 4);
        if (with_sinks && (attn_score)_i == ATTN_SCORE_GRAVITY)
            continue;
        memset(hidden, 0, sizeof hidden);
        hidden[0] = hidden[1] = 1;
        f.mask.causal = true;
        f.mask.hidden_keys = hidden;
        f.rule.sinks = with_sinks ? sinks : NULL;
        run(&f, out, NULL);
        take_rows(&f, ATTN_ROWS_WEIGHTS, rows);
        for (size_t i = 0; i < 2; i++)
            for (size_t c = 0; c < 16; c++)
                ck_assert(out[i * f.out_stride + c] == 0);
        for (size_t j = 0; j < 40; j++)
            ck_assert(rows[j] == 0 && visible[j] == 0);
        ck_assert(visible[2 * 20 + 2] == 1 && visible[2 * 20 + 3] == 0);
        ck_assert(out[2 * f.out_stride] != 0);
    }
}
END_TEST

START_TEST(no_keys_and_no_queries)
{
    fixture f;
    set_up(&f, ATTN_SCORE_SCALED, 3, 0, 4, 4);
    f.a.n_keys = 0;
    out[0] = out[7] = 5;
    run(&f, out, NULL);
    ck_assert(out[0] == 0 && out[7] == 0);
    take_rows(&f, ATTN_ROWS_WEIGHTS, rows);
    f.a.n_queries = 0;
    out[0] = 5;
    run(&f, out, NULL);
    ck_assert(out[0] == 5);
}
END_TEST

/* ---- the same bytes ---- */

START_TEST(threads)
{
    static const size_t counts[] = {1, 2, 3, 7};
    static const float slopes[4] = {0.5F, 0.25F, 0.125F, 0.0625F};
    fixture f;
    for (size_t variant = 0; variant < 3; variant++) {
        size_t n_floats;
        set_up(&f, variant == 2 ? ATTN_SCORE_GRAVITY : ATTN_SCORE_SCALED, 333, 333, 40, 24);
        f.mask.causal = variant != 1;
        f.rule.slopes = variant == 1 ? slopes : NULL;
        n_floats = f.a.n_queries * f.out_stride;
        for (size_t t = 0; t < 4; t++) {
            attn_pool *pool;
            float *to = t == 0 ? out : again;
            memset(to, 0, n_floats * sizeof *to);
            ck_assert_int_eq(attn_pool_open(counts[t], &pool, NULL), ATTN_OK);
            for (int repeat = 0; repeat < 3; repeat++) {
                run(&f, to, pool);
                ck_assert(memcmp(out, to, n_floats * sizeof *to) == 0);
            }
            attn_pool_close(pool);
        }
    }
}
END_TEST

/* Queries from the middle alone, with the past that puts them at their places: the bytes of the
 * whole run. */
START_TEST(queries_do_not_depend_on_company)
{
    enum { N = 700 };
    fixture f, part;
    size_t d = 4 * 24;
    set_up(&f, ATTN_SCORE_SCALED, N, N, 40, 24);
    f.mask.causal = true;
    f.mask.window = 300; /* more than one block of keys */
    run(&f, out, NULL);
    for (size_t from = 0; from < N; from += 23) {
        part = f;
        part.a.rule = &part.rule;
        part.a.mask = &part.mask;
        part.mask.past = (ptrdiff_t)from;
        part.a.n_queries = 1 + from % 7 * 9 < N - from ? 1 + from % 7 * 9 : N - from;
        part.a.q.data += from * f.a.q.row_stride;
        run(&part, again, NULL);
        for (size_t i = 0; i < part.a.n_queries; i++)
            ck_assert(memcmp(out + (from + i) * f.out_stride, again + i * f.out_stride, d * sizeof *out) == 0);
    }
}
END_TEST

START_TEST(rows_do_not_depend_on_the_cut)
{
    static const attn_rows_kind kinds[] = {ATTN_ROWS_PRODUCT, ATTN_ROWS_CAPPED, ATTN_ROWS_SCORES, ATTN_ROWS_WEIGHTS};
    fixture f;
    set_up(&f, (attn_score)_i, 101, 83, 13, 13);
    f.mask.causal = true;
    if ((attn_score)_i != ATTN_SCORE_GRAVITY)
        f.rule.softcap = 2;
    for (size_t kind = 0; kind < 4; kind++) {
        take_rows(&f, kinds[kind], rows);
        for (size_t h = 0; h < 4; h++) {
            for (size_t query = 0; query < 101;) {
                size_t n = 1 + query % 67 < 101 - query ? 1 + query % 67 : 101 - query;
                ck_assert_int_eq(attn_attention_rows(&f.a, kinds[kind], h, 1, query, n, rows_again, NULL, NULL),
                                 ATTN_OK);
                ck_assert(memcmp(rows + (h * 101 + query) * 83, rows_again, n * 83 * sizeof *rows) == 0);
                query += n;
            }
        }
    }
}
END_TEST

/* ---- refusals ---- */

START_TEST(refusals)
{
    fixture f;
    attn_error error;
    set_up(&f, ATTN_SCORE_SCALED, 3, 3, 4, 4);
    f.rule.n_kv_heads = 3;
    ck_assert_int_eq(attn_attention_run(&f.a, out, f.out_stride, NULL, &error), ATTN_EDATA);
    ck_assert(strstr(error.message, "4 heads") != NULL);
}
END_TEST

static attn_status run_and_take_rows(void *context, attn_error *error)
{
    const fixture *f = context;
    attn_status status = attn_attention_run(&f->a, out, f->out_stride, NULL, error);
    return status == ATTN_OK ? attn_attention_rows(&f->a, ATTN_ROWS_WEIGHTS, 0, 4, 0, 9, rows, NULL, error) : status;
}

START_TEST(want_of_memory)
{
    static float relative[8 * 4];
    fixture f;
    for (int cosine = 0; cosine < 2; cosine++) {
        set_up(&f, cosine ? ATTN_SCORE_COSINE : ATTN_SCORE_SCALED, 9, 9, 4, 4);
        f.rule.relative = (attn_relative_bias){relative, 8, 20, true};
        ck_assert_uint_ge(memory_every_failure(run_and_take_rows, &f), 8);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("attention");
    TCase *group = tcase_create("attention");
    tcase_set_timeout(group, 300);
    tcase_add_loop_test(group, score_rules, 0, ATTN_N_SCORES);
    tcase_add_test(group, masks);
    tcase_add_test(group, variants);
    tcase_add_test(group, values_by_hand);
    tcase_add_test(group, order_of_steps);
    tcase_add_loop_test(group, nothing_leaks_from_behind_a_mask, 0, ATTN_N_SCORES);
    tcase_add_test(group, what_is_seen_shows);
    tcase_add_loop_test(group, rows_that_see_nothing, 0, ATTN_N_SCORES);
    tcase_add_test(group, no_keys_and_no_queries);
    tcase_add_test(group, threads);
    tcase_add_test(group, queries_do_not_depend_on_company);
    tcase_add_loop_test(group, rows_do_not_depend_on_the_cut, 0, ATTN_N_SCORES);
    tcase_add_test(group, refusals);
    tcase_add_test(group, want_of_memory);
    suite_add_tcase(suite, group);
    return testing_run(suite);
}
