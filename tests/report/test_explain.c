/* test_explain.c: `explain`: against shared/data/reading (float64, by definition); the identities that its steps must
 * keep, in double, on every family's model; and its pages by hand. */
#include "config.h"

#include "testing.h"

#include "base/utf8.h"
#include "testing/arrays.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/parts.h"
#include "testing/reports.h"

#include <math.h>
#include <string.h>

/* ---- what is printed, number by number ---- */

enum { COLUMNS = 10, TEXT = 0, LAYER, HEAD, STEP, QUERY, QUERY_TOKEN, KEY, KEY_TOKEN, DIMENSION, VALUE };

typedef struct printed { /* a table of TSV */
    char *bytes;         /* owned, cut up */
    char *(*rows)[COLUMNS];
    size_t n;
} printed;

static printed printed_of(const char *tsv)
{
    printed p = {.bytes = strdup(tsv), .rows = calloc(strlen(tsv) / COLUMNS + 1, sizeof *p.rows)};
    ck_assert(p.bytes != NULL && p.rows != NULL);
    char *line = strchr(p.bytes, '\n') + 1; /* behind the header */
    while (*line != '\0') {
        for (size_t i = 0; i < COLUMNS; i++) {
            size_t size = strcspn(line, "\t\n");
            ck_assert_int_eq(line[size], i + 1 < COLUMNS ? '\t' : '\n');
            p.rows[p.n][i] = line;
            line[size] = '\0';
            line += size + 1;
        }
        p.n++;
    }
    return p;
}

static void printed_free(printed *p)
{
    free(p->rows);
    free(p->bytes);
}

/* ---- float64, by definition ---- */

static const struct {
    const char *name, *model, *text;
    bool unmasked; /* -a none */
} readings[] = {
    {"fruit", "examples/fruit.json", "apple orange pear", false},
    {"fruit-none", "examples/fruit.json", "apple orange pear", true},
    {"fruit-android", "examples/fruit.json", "apple android", true},
    {"fisherman", "examples/fisherman.json", "fisherman net", false},
    {"fisherman-ko", "examples/ko/fisherman.json", "어부 그물", false},
    {"subjects", "examples/subjects.json", "maths physics", false},
};

/* The row of P that has the cells of RIGHT's row, the value apart; NULL: none. */
static char *const *row_like(const printed *p, char **right)
{
    for (size_t i = 0; i < p->n; i++) {
        bool same = true;
        for (size_t k = LAYER; k < VALUE && same; k++)
            same = strcmp(p->rows[i][k], right[k - 1]) == 0;
        if (same)
            return p->rows[i];
    }
    return NULL;
}

/* Every number of the file is printed, within 1e-5. */
START_TEST(by_definition)
{
    testing_need("data/reading");
    reports_run r = reports_start_at(testing_source(readings[_i].model), "explain");
    if (readings[_i].unmasked)
        r.model.layers[0].mask = (attn_mask){0};
    r.texts[0] = readings[_i].text;
    printed p = printed_of(reports_printed(&r));
    right_table right;
    right_open(&right, testing_shared(files_print("data/reading/%s.explain.tsv", readings[_i].name)));
    for (size_t i = 0; i < right.n_rows; i++) {
        char *const *row = row_like(&p, right.rows[i]);
        double wanted = right_number(&right, i, "value");
        ck_assert_msg(row != NULL, "%s: row %zu is not printed", readings[_i].name, i + 1);
        ck_assert_msg(fabs(strtod(row[VALUE], NULL) - wanted) <= 1e-5 * fmax(1, fabs(wanted)),
                      "%s, row %zu, %s: %s, right is %.9g", readings[_i].name, i + 1, row[STEP], row[VALUE], wanted);
    }
    right_close(&right);
    printed_free(&p);
}
END_TEST

/* ---- every family: what the steps must be of one another ---- */

static const char *const step_names[] = {"x",        "normed", "q",     "k",   "v",      "dot", "scaled",
                                         "capped",   "bias",   "score", "exp", "weight", "mix", "head",
                                         "attended", "branch", "mid",   "fed", "out"};
enum {
    S_X,
    S_NORMED,
    S_Q,
    S_K,
    S_V,
    S_DOT,
    S_SCALED,
    S_CAPPED,
    S_BIAS,
    S_SCORE,
    S_EXP,
    S_WEIGHT,
    S_MIX,
    S_HEAD,
    S_ATTENDED,
    S_BRANCH,
    S_MID,
    S_FED,
    S_OUT,
    N_STEPS
};

typedef struct grid {         /* the numbers of one layer */
    size_t n, width, n_heads; /* tokens; numbers of the longest vector; heads, behind which the layer's own stand */
    double *at[N_STEPS];      /* owned; [n_heads + 1][n][width or n]; NAN: not printed */
    double sink[64][64];      /* [n_heads][n] */
} grid;

static double *place(const grid *g, int step, size_t head, size_t query, size_t k)
{
    return &g->at[step][(head * g->n + query) * g->width + k];
}

static int step_of(const char *name)
{
    int step = 0;
    while (step < N_STEPS && strcmp(step_names[step], name) != 0)
        step++;
    return step;
}

static grid grid_of(const printed *p, size_t n, size_t width, size_t n_heads)
{
    grid g = {.n = n, .width = width > n ? width : n, .n_heads = n_heads};
    ck_assert(n_heads <= 64 && n <= 64);
    for (int step = 0; step < N_STEPS; step++) {
        size_t count = (n_heads + 1) * n * g.width;
        g.at[step] = malloc(count * sizeof(double));
        ck_assert_ptr_nonnull(g.at[step]);
        for (size_t i = 0; i < count; i++)
            g.at[step][i] = (double)NAN;
    }
    for (size_t i = 0; i < p->n; i++) {
        char *const *row = p->rows[i];
        int step = step_of(row[STEP]);
        size_t head = row[HEAD][0] != '\0' ? (size_t)atoi(row[HEAD]) : n_heads, k = 0;
        if (step == N_STEPS) /* before the rotation, of a temperature */
            continue;
        bool sink = step == S_EXP && row[KEY][0] == '\0';
        k = (size_t)atoi(row[KEY][0] != '\0' ? row[KEY] : row[DIMENSION]);
        double *to = sink ? &g.sink[head][atoi(row[QUERY])] : place(&g, step, head, (size_t)atoi(row[QUERY]), k);
        ck_assert_msg(sink || isnan(*to), "%s is printed twice", row[STEP]);
        *to = strtod(row[VALUE], NULL);
    }
    return g;
}

static void grid_free(grid *g)
{
    for (int step = 0; step < N_STEPS; step++)
        free(g->at[step]);
}

static void near(double found, double right, double scale, const char *what)
{
    ck_assert_msg(fabs(found - right) <= 3e-5 * fmax(1, scale), "%s: %.9g, right is %.9g", what, found, right);
}

static bool there(const grid *g, int step, size_t head, size_t query, size_t k)
{
    return !isnan(*place(g, step, head, query, k));
}

/* q·k is the sum of its products, and the score is made of it; a pair that is not seen has no more than q·k. */
static void check_scores(const grid *g, const attn_layer *layer, size_t h, size_t i, size_t j)
{
    const attn_rule *rule = &layer->rule;
    double sum = 0, size = 0, dot = *place(g, S_DOT, h, i, j), scaled = *place(g, S_SCALED, h, i, j);
    for (size_t d = 0; d < rule->head_dim; d++) {
        double product = *place(g, S_Q, h, i, d) * *place(g, S_K, h, j, d);
        sum += product;
        size += fabs(product);
    }
    near(dot, sum, size, "q·k");
    near(scaled, dot * (double)attn_rule_scale(rule), fabs(scaled), "scaled");
    if (!there(g, S_SCORE, h, i, j)) {
        ck_assert(!there(g, S_WEIGHT, h, i, j) && !there(g, S_EXP, h, i, j));
        return;
    }
    double capped = rule->softcap > 0 ? (double)rule->softcap * tanh(scaled / (double)rule->softcap) : scaled;
    if (rule->softcap > 0)
        near(*place(g, S_CAPPED, h, i, j), capped, fabs(capped), "capped");
    double bias = there(g, S_BIAS, h, i, j) ? *place(g, S_BIAS, h, i, j) : 0;
    near(*place(g, S_SCORE, h, i, j), capped + bias, fabs(capped) + fabs(bias), "score");
}

/* The weights are the exponentials over their sum; the values times the weights are what the head finds. */
static void check_weights(const grid *g, const attn_layer *layer, size_t h, size_t i)
{
    double largest = (double)-INFINITY, sum = g->sink[h][i];
    for (size_t j = 0; j < g->n; j++)
        if (there(g, S_SCORE, h, i, j))
            largest = fmax(largest, *place(g, S_SCORE, h, i, j));
    if (layer->rule.sinks != NULL)
        largest = fmax(largest, (double)layer->rule.sinks[h]);
    for (size_t j = 0; j < g->n; j++) {
        if (!there(g, S_SCORE, h, i, j))
            continue;
        near(*place(g, S_EXP, h, i, j), exp(*place(g, S_SCORE, h, i, j) - largest), fabs(largest), "exp");
        sum += *place(g, S_EXP, h, i, j);
    }
    for (size_t j = 0; j < g->n; j++)
        if (there(g, S_SCORE, h, i, j))
            near(*place(g, S_WEIGHT, h, i, j), *place(g, S_EXP, h, i, j) / sum, 1, "weight");
    for (size_t d = 0; d < layer->rule.value_dim; d++) {
        double mix = 0, size = 0;
        for (size_t j = 0; j < g->n; j++)
            if (there(g, S_WEIGHT, h, i, j)) {
                mix += *place(g, S_WEIGHT, h, i, j) * *place(g, S_V, h, j, d);
                size += fabs(*place(g, S_V, h, j, d));
            }
        near(*place(g, S_MIX, h, i, d), mix, size, "mix");
    }
}

/* The heads and W_O's bias are what attention's branch adds; with the stream and the feed-forward the layer's vector. */
static void check_layer(const grid *g, const attn_layer *layer, size_t i, size_t width)
{
    size_t own = g->n_heads;
    bool post =
        layer->attention_post_residual.kind != ATTN_NORM_NONE || layer->ffn_post_residual.kind != ATTN_NORM_NONE;
    for (size_t k = 0; k < width; k++) {
        double sum = layer->o.bias != NULL ? (double)layer->o.bias[k] : 0, size = 1;
        for (size_t h = 0; h < g->n_heads; h++) {
            sum += *place(g, S_HEAD, h, i, k);
            size += fabs(*place(g, S_HEAD, h, i, k));
        }
        near(*place(g, S_ATTENDED, own, i, k), sum, size, "attended");
        if (!there(g, S_OUT, own, i, k) || post)
            continue;
        bool normed = layer->attention_after.kind != ATTN_NORM_NONE;
        double mid = *place(g, S_X, own, i, k) + *place(g, normed ? S_BRANCH : S_ATTENDED, own, i, k);
        if (!layer->parallel)
            near(*place(g, S_MID, own, i, k), mid, fabs(mid) + fabs(*place(g, S_X, own, i, k)), "mid");
        double out = *place(g, S_MID, own, i, k) + *place(g, S_FED, own, i, k);
        near(*place(g, S_OUT, own, i, k), out, fabs(*place(g, S_MID, own, i, k)) + fabs(out), "out");
    }
}

static const char *const *folders;
static int n_folders;

static void check_family_layer(const attn_model *model, const char *folder, const char *text, size_t n, size_t l)
{
    const attn_layer *layer = &model->layers[l];
    reports_run r = reports_start_ids(folder, "explain");
    r.texts[0] = text;
    r.request.layers = files_print("%zu", l);
    r.request.queries = "0-";
    printed p = printed_of(reports_printed(&r));
    size_t width = model->d_model > layer->rule.head_dim ? model->d_model : layer->rule.head_dim;
    grid g = grid_of(&p, n, width, layer->rule.n_heads);
    for (size_t h = 0; h < layer->rule.n_heads; h++)
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++)
                check_scores(&g, layer, h, i, j);
            check_weights(&g, layer, h, i);
        }
    for (size_t i = 0; i < n; i++)
        check_layer(&g, layer, i, model->d_model);
    grid_free(&g);
    printed_free(&p);
}

START_TEST(families)
{
    attn_model model;
    size_t n;
    models_open(&model, folders[_i]);
    uint32_t *ids = arrays_ids(files_join(folders[_i], "ids.npy"), &n);
    const char *text = files_print("%u", (unsigned)ids[0]);
    for (size_t i = 1; i < n; i++)
        text = files_print("%s %u", text, (unsigned)ids[i]);
    for (size_t l = 0; l < model.n_layers && (l == 0 || model.layers[l - 1].cut_short == NULL); l++)
        check_family_layer(&model, folders[_i], text, n, l);
    free(ids);
    attn_model_close(&model);
}
END_TEST

/* ---- pages, by hand ---- */

static const char *page_of(reports_run *r)
{
    r->output.format = reports_format("table");
    return reports_printed(r);
}

/* READING's own example, by hand: 3·1 + 1·0 = 3, 3/√2 = 2.1213, e^(0.7071 − 2.1213) = .2431, 1/1.2431 = .8044; the way
 * from (0, 1) is .8044·√2. */
START_TEST(fisherman_and_net)
{
    reports_run r = reports_start_at(testing_source("examples/fisherman.json"), "explain");
    r.texts[0] = "fisherman net";
    r.request.queries = "1";
    ck_assert_str_eq(page_of(&r), "text 0, layer 0, head 0: 2 tokens of 2 numbers, scaled dot product, no mask\n"
                                  "\n"
                                  "             x       q = x·W_Q  k = x·W_K  v = x·W_V\n"
                                  "0 fisherman  (1, 0)  (1, 0)     (1, 0)     (1, 0)\n"
                                  "1 net        (0, 1)  (3, 1)     (0, 1)     (0, 1)     (W_K, W_V: identity)\n"
                                  "\n"
                                  "query 1 net: q = (3, 1)\n"
                                  "             q·k            × 0.7071  e^(s − 2.1213)  weight  v\n"
                                  "0 fisherman  3×1 + 1×0 = 3    2.1213          1.0000  0.8044  (1, 0)\n"
                                  "1 net        3×0 + 1×1 = 1    0.7071          0.2431  0.1956  (0, 1)\n"
                                  "                                 sum          1.2431  1.0000\n"
                                  "Σ weight·v = 0.8044×(1, 0) + 0.1956×(0, 1) = (0.8044, 0.1956)\n"
                                  "net moves from (0, 1) to (0.8044, 0.1956), by 1.1376\n");
    r = reports_start_at(testing_source("examples/ko/fisherman.json"), "explain");
    r.texts[0] = "어부 그물";
    r.request.queries = "0";
    ck_assert_str_eq(page_of(&r), "text 0, layer 0, head 0: 2 tokens of 2 numbers, scaled dot product, no mask\n"
                                  "\n"
                                  "        x       q = x·W_Q  k = x·W_K  v = x·W_V\n"
                                  "0 어부  (1, 0)  (1, 0)     (1, 0)     (1, 0)\n"
                                  "1 그물  (0, 1)  (3, 1)     (0, 1)     (0, 1)     (W_K, W_V: identity)\n"
                                  "\n"
                                  "query 0 어부: q = (1, 0)\n"
                                  "        q·k            × 0.7071  e^(s − 0.7071)  weight  v\n"
                                  "0 어부  1×1 + 0×0 = 1    0.7071          1.0000  0.6698  (1, 0)\n"
                                  "1 그물  1×0 + 0×1 = 0    0.0000          0.4931  0.3302  (0, 1)\n"
                                  "                            sum          1.4931  1.0000\n"
                                  "Σ weight·v = 0.6698×(1, 0) + 0.3302×(0, 1) = (0.6698, 0.3302)\n"
                                  "어부 moves from (1, 0) to (0.6698, 0.3302), by 0.4670\n");
}
END_TEST

/* A masked pair is met and not seen. e^(s − max) of orange and itself: 37/√2 = 26.1630; apple 28/√2: e^−6.364 = .0017. */
START_TEST(what_is_masked)
{
    reports_run r = reports_start_at(testing_source("examples/fruit.json"), "explain");
    r.texts[0] = "apple orange pear";
    r.request.queries = "1";
    ck_assert_str_eq(page_of(&r), "text 0, layer 0, head 0: 3 tokens of 2 numbers, scaled dot product, causal mask\n"
                                  "\n"
                                  "          x\n"
                                  "0 apple   (4, 4)\n"
                                  "1 orange  (6, 1)\n"
                                  "2 pear    (7, 2)  (q = k = v = x)\n"
                                  "\n"
                                  "query 1 orange: q = (6, 1)\n"
                                  "          q·k             × 0.7071  e^(s − 26.163)  weight  v\n"
                                  "0 apple   6×4 + 1×4 = 28   19.7990          0.0017  0.0017  (4, 4)\n"
                                  "1 orange  6×6 + 1×1 = 37   26.1630          1.0000  0.9983  (6, 1)\n"
                                  "2 pear    6×7 + 1×2 = 44   31.1127               ·       ·  ·\n"
                                  "                               sum          1.0017  1.0000\n"
                                  "Σ weight·v = 0.0017×(4, 4) + 0.9983×(6, 1) = (5.9966, 1.0052)\n"
                                  "orange moves from (6, 1) to (5.9966, 1.0052), by 0.0062\n");
}
END_TEST

/* Who sees nobody gets nothing: there is no largest score. */
START_TEST(who_sees_nobody)
{
    static const float add[] = {-INFINITY, -INFINITY, 0, 0};
    reports_run r = reports_start(REPORTS_UNIFORM, "explain");
    r.model.layers[0].mask =
        (attn_mask){.n_matrices = 1, .matrices = {{.values = add, .n_heads = 1, .n_queries = 2, .n_keys = 2}}};
    r.request.queries = "0";
    const char *page = page_of(&r);
    ck_assert_ptr_nonnull(strstr(page, "  e^(s − 0)  weight  v\n"));
    ck_assert_ptr_nonnull(
        strstr(page, " sum          0       0\nΣ weight·v = (0, 0)\na moves from (1, 0) to (0, 0), by 1\n"));
}
END_TEST

/* With -k the heaviest keys, their vectors and the weight of the rest. q·k = 32, 28, 36 (over √2): e^((32 − 36)/√2) =
 * .0591, e^((28 − 36)/√2) = .0035: 1/1.0626 = .9411. */
START_TEST(the_heaviest_keys)
{
    reports_run r = reports_start_at(testing_source("examples/fruit.json"), "explain");
    r.model.layers[0].mask = (attn_mask){0};
    r.texts[0] = "apple orange pear";
    r.request.queries = "0";
    r.request.top = (attn_given_count){true, 1};
    ck_assert_str_eq(page_of(&r), "text 0, layer 0, head 0: 3 tokens of 2 numbers, scaled dot product, no mask\n"
                                  "\n"
                                  "         x\n"
                                  "0 apple  (4, 4)\n"
                                  "2 pear   (7, 2)  (q = k = v = x)\n"
                                  "\n"
                                  "query 0 apple: q = (4, 4)\n"
                                  "          q·k             × 0.7071  e^(s − 25.4558)  weight  v\n"
                                  "2 pear    4×7 + 4×2 = 36   25.4558           1.0000  0.9411  (7, 2)\n"
                                  "+ 2 more                                             0.0589\n"
                                  "Σ weight·v = (6.8298, 2.1080)\n"
                                  "apple moves from (4, 4) to (6.8298, 2.1080), by 3.4041\n");
    r = reports_start_at(testing_source("examples/fruit.json"), "explain");
    r.model.layers[0].mask = (attn_mask){0};
    r.texts[0] = "apple orange pear";
    r.request.queries = "0";
    r.request.top = (attn_given_count){true, 2};
    r.output.columns = "step,key_token,value";
    const char *tsv = reports_printed(&r);
    ck_assert_ptr_nonnull(strstr(tsv, "dot\tpear\t36\n"));
    ck_assert_ptr_nonnull(strstr(strstr(tsv, "dot\tpear\t36\n"), "dot\tapple\t32\n"));
    ck_assert_ptr_null(strstr(tsv, "dot\torange"));
}
END_TEST

/* One number each: q = 1, k = 2. 2·½ = 1; cap 2·tanh(1/2) = .9242; slope 1/256 times distance 0 for the token itself;
 * over T = ½ 1.8485; the sink's ½ over ½ is 1: e^(1 − 1.8485) = .4281; 1/1.4281 = .7003. */
START_TEST(every_step_of_the_score)
{
    reports_run r = reports_start(
        "{\"words\": {\"a\": [1]}, \"W_K\": [[2]], \"W_V\": [[3]], \"b_V\": [1], \"scale\": 0.5, \"softcap\": 2, "
        "\"positions\": \"alibi\", \"temperature\": 0.5, \"sinks\": [0.5]}",
        "explain");
    r.texts[0] = "a";
    r.output.width = 120;
    ck_assert_str_eq(page_of(&r),
                     "text 0, layer 0, head 0: 1 token of 1 number, scaled dot product, causal mask, ALiBi, a sink\n"
                     "\n"
                     "     x    q = x·W_Q  k = x·W_K  v = x·W_V + b_V\n"
                     "0 a  (1)  (1)        (2)        (4)              (W_Q: identity)\n"
                     "\n"
                     "query 0 a: q = (1)\n"
                     "        q·k      × 0.5  softcap 2  bias       s  t = s ÷ 0.5  e^(t − 1.8485)  weight  v\n"
                     "0 a     1×2 = 2      1     0.9242     0  0.9242       1.8485          1.0000  0.7002  (4)\n"
                     "(sink)  ·            ·          ·     ·       ·            ·          0.4281       ·  ·\n"
                     "                                                         sum          1.4281  0.7002\n"
                     "Σ weight·v = 0.7002×(4) = (2.8010)\n"
                     "a moves from (1) to (2.8010), by 1.8010\n");
    r = reports_start("{\"words\": {\"a\": [1, 0], \"b\": [4, 4]}, \"score\": \"gravity\", \"mask\": \"none\"}",
                      "explain");
    r.request.queries = "1";
    ck_assert_str_eq(page_of(&r), "text 0, layer 0, head 0: 2 tokens of 2 numbers, gravity, no mask\n"
                                  "\n"
                                  "     x\n"
                                  "0 a  (1, 0)\n"
                                  "1 b  (4, 4)  (q = k = v = x)\n"
                                  "\n"
                                  "query 1 b: q = (4, 4)\n"
                                  "     1/|q − k|²  weight  v\n"
                                  "0 a      0.0400       1  (1, 0)\n"
                                  "1 b           ·       ·  ·\n"
                                  "sum      0.0400       1\n"
                                  "Σ weight·v = 1×(1, 0) = (1, 0)\n"
                                  "b moves from (4, 4) to (1, 0), by 5\n");
}
END_TEST

/* Rotary positions: (0, 1) at position 1 turns by one radian to (−sin 1, cos 1). Vectors of another width than x's do
 * not move. */
START_TEST(steps_that_are_rare)
{
    reports_run r =
        reports_start("{" REPORTS_TWO_WORDS "\"positions\": \"rope\", \"W_Q\": [[2, 0], [0, 2]]}", "explain");
    r.request.queries = "1";
    r.output.width = 100;
    const char *page = page_of(&r);
    ck_assert_ptr_nonnull(strstr(page, "     x       q = x·W_Q  q rotated          k rotated          v = x·W_V\n"
                                       "0 a  (1, 0)  (2, 0)     (2, 0)             (1, 0)             (1, 0)\n"
                                       "1 b  (0, 1)  (0, 2)     (-1.6829, 1.0806)  (-0.8415, 0.5403)  (0, 1)"));
    ck_assert_ptr_nonnull(strstr(page, "query 1 b: q = (-1.6829, 1.0806)\n"));
    r = reports_start("{\"words\": {\"a\": [1, 2, 3, 4, 5]}, \"W_V\": [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]}",
                      "explain");
    r.texts[0] = "a";
    page = page_of(&r);
    ck_assert_ptr_nonnull(strstr(page, "query 0 a: |q| 7.4162\n")); /* √55 */
    ck_assert_ptr_nonnull(strstr(page, "\nx becomes (1, 2)\n"));
}
END_TEST

/* The other rules: −|q − k|² = −2 for one-hot words, half of it the score; the cosine of 45°; v_A·tanh(q + k) =
 * 2·tanh 2 = 1.9281. */
START_TEST(other_scores)
{
    static const struct {
        const char *toy, *line;
    } right[] = {
        {"{" REPORTS_TWO_WORDS "\"score\": \"gaussian\"}", "0 a         -2     -1     0.3679  0.2689  (1, 0)\n"},
        {"{\"words\": {\"a\": [1, 0], \"b\": [2, 2]}, \"score\": \"cosine\"}",
         "0 a  0.7071     0.7461  0.4273  (1, 0)\n"},
        {"{\"words\": {\"a\": [1], \"b\": [1]}, \"score\": \"additive\", \"v_A\": [2]}",
         "0 a           1.9281               1  0.5000  (1)\n"},
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        reports_run r = reports_start(right[i].toy, "explain");
        r.request.queries = "1";
        const char *page = page_of(&r);
        ck_assert_msg(strstr(page, right[i].line) != NULL, "%s", page);
    }
}
END_TEST

/* Numbers that would fill a line have an exponent. */
START_TEST(large_numbers)
{
    reports_run r = reports_start("{\"words\": {\"a\": [1e15], \"b\": [12345678]}, \"score\": \"dot\"}", "explain");
    r.texts[0] = "a";
    const char *page = page_of(&r);
    ck_assert_msg(strstr(page, "\n0 a  1.00e15×1.00e15 = 1.00e30 ") != NULL, "%s", page);
    r = reports_start("{\"words\": {\"a\": [12345678]}}", "explain");
    r.texts[0] = "a";
    ck_assert_ptr_nonnull(strstr(page_of(&r), "\nquery 0 a: q = (12345678)\n"));
}
END_TEST

/* Several heads: what they make together stands behind them. .9·(.6698, .3302) + .1·(.5441, .4559). */
START_TEST(several_heads)
{
    reports_run r = reports_start_at(testing_source("examples/subjects.json"), "explain");
    r.texts[0] = "maths physics";
    r.request.queries = "0";
    const char *page = page_of(&r);
    ck_assert_ptr_nonnull(strstr(page, "\n× 0.9: head 0 adds (0.6028, 0.2972)\n\ntext 0, layer 0, head 1: "));
    ck_assert_ptr_nonnull(strstr(page, "\n0 maths    1×1 + 0.5×0.5 = 1.25    0.8839 "));
    ck_assert_ptr_nonnull(strstr(page, "\n\ntext 0, layer 0: its 2 heads together\n"
                                       "\n"
                                       "query 0 maths: x = (1, 0)\n"
                                       "maths moves from (1, 0) to (0.6572, 0.3428), by 0.4848\n"));
}
END_TEST

/* A long text: its last query, 12 keys and the weight of the rest; all weights alike. */
START_TEST(a_long_text)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "explain");
    r.texts[0] = "a b a b a b a b a b a b a b a b";
    const char *page = page_of(&r);
    ck_assert_ptr_nonnull(strstr(page, ", causal mask,\n    1 of 16 queries\n"));
    ck_assert_ptr_nonnull(strstr(page, "\n\nquery 15 b: x = (0, 1), q = (0, 0)\n"));
    ck_assert_ptr_nonnull(strstr(page, "\n11 b "));
    ck_assert_ptr_null(strstr(page, "\n12 a "));
    ck_assert_ptr_nonnull(strstr(page, "\n+ 4 more "));
    ck_assert_ptr_nonnull(strstr(page, " 0.2500\nΣ weight·v = (0.5, 0.5)\n"));
    r = reports_start(REPORTS_UNIFORM, "explain");
    r.texts[0] = "a b a b a b a b a b a b a b a b";
    r.request.queries = "1";
    page = page_of(&r);
    ck_assert_ptr_nonnull(strstr(page, "\n+ 14 masked\nΣ"));
    ck_assert_ptr_null(strstr(page, " more"));
}
END_TEST

/* The other text's tokens have a table of their own, and stand under key. */
START_TEST(of_a_context)
{
    reports_run r = reports_start_at(testing_source("examples/fruit.json"), "explain");
    r.texts[0] = "apple";
    r.context = "orange pear";
    printed p = printed_of(reports_printed(&r));
    size_t keys = 0;
    for (size_t i = 0; i < p.n; i++)
        if (strcmp(p.rows[i][STEP], "k") == 0 || strcmp(p.rows[i][STEP], "v") == 0) {
            ck_assert_str_eq(p.rows[i][QUERY], "");
            ck_assert_str_ne(p.rows[i][KEY_TOKEN], "apple");
            keys++;
        }
    ck_assert_uint_eq(keys, 8);
    printed_free(&p);
}
END_TEST

START_TEST(as_json)
{
    reports_run r = reports_start("{\"words\": {\"a\": [2]}}", "explain");
    r.texts[0] = "a";
    r.output.format = reports_format("json");
    ck_assert_str_eq(reports_printed(&r),
                     "{\"text\":0,\"file\":null,\"layer\":0,\"head\":0,"
                     "\"facts\":\"1 token of 1 number, scaled dot product, causal mask\",\"steps\":["
                     "{\"query\":null,\"tokens\":[\"a\"],\"positions\":[0],"
                     "\"x\":[[2]],\"q\":[[2]],\"k\":[[2]],\"v\":[[2]]},"
                     "{\"query\":\"a\",\"query_position\":0,\"keys\":[\"a\"],\"key_positions\":[0],"
                     "\"dot\":[4],\"scaled\":[4],\"score\":[4],\"exp\":[1],\"weight\":[1],"
                     "\"mix\":[2],\"attended\":[2],\"out\":[2]}]}\n");
}
END_TEST

/* ---- every width ---- */

static void check_lines(const char *page, size_t width)
{
    while (*page != '\0') {
        size_t size = strcspn(page, "\n");
        const attn_bytes line = {(const uint8_t *)page, size};
        ck_assert_msg(attn_utf8_width(line) <= width, "%zu columns: %zu in '%.*s'", width, attn_utf8_width(line),
                      (int)size, page);
        ck_assert(size == 0 || page[size - 1] != ' ');
        page += size + 1;
    }
}

static const char *const wide_toys[] = {
    "{\"words\": {\"a\": [0.123456, 7], \"세상에서가장길다란낱말하나\": [-31.0625, 2]}, \"softcap\": 50, "
    "\"temperature\": 3, "
    "\"positions\": \"rope\", \"W_Q\": [[1, 2], [3, 4]], \"W_K\": [[1, 2], [3, 4]], \"W_V\": [[1, 2], [3, 4]], "
    "\"mask\": \"none\", \"W_O\": [[1, 2], [3, 4.5]], "
    "\"residual\": true}",
    "{\"words\": {\"a\": [1, 2, 3, 4], \"세상에서가장길다란낱말하나\": [0.1, 0.2, 0.3, 0.4]}, \"n_heads\": 2, "
    "\"score\": \"cosine\", \"mask\": \"none\"}",
    "{\"words\": {\"a\": [1, 2, 3, 4, 5, 6], \"세상에서가장길다란낱말하나\": [1, 0, 1, 0, 1, 0]}, \"mask\": \"none\"}",
};

START_TEST(no_line_is_wider)
{
    for (size_t width = 20; width <= 130; width++) {
        reports_run r = reports_start(wide_toys[_i], "explain");
        r.texts[0] = "a 세상에서가장길다란낱말하나";
        r.output.width = width;
        check_lines(page_of(&r), width);
    }
}
END_TEST

/* What the tables are too wide for goes in this order: the three largest products, all products, decimals, vectors. */
START_TEST(said_shorter)
{
    static const struct {
        size_t width;
        const char *line;
    } right[] = {
        {120, "1 net        3×0 + 1×1 = 1    0.7071          0.2431  0.1956  (0, 1)\n"},
        {68, "1 net        3×0 + 1×1 = 1    0.7071          0.2431  0.1956  (0, 1)\n"},
        {67, "1 net          1    0.7071          0.2431  0.1956  (0, 1)\n"},
        {58, "1 net          1    0.7071          0.2431  0.1956  (0, 1)\n"},
        {57, "1 net          1      0.71       0.24    0.20    1\n"},
        {47, "text 0, layer 0, head 0: 2 tokens of 2 numbers,\n"}, /* the comma has room */
        {46, "text 0, layer 0, head 0:\n"},
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        reports_run r = reports_start_at(testing_source("examples/fisherman.json"), "explain");
        r.texts[0] = "fisherman net";
        r.request.queries = "1";
        r.output.width = right[i].width;
        const char *page = page_of(&r);
        ck_assert_msg(strstr(page, right[i].line) != NULL, "%zu columns:\n%s", right[i].width, page);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explain");
    TCase *tests = tcase_create("explain");
    folders = parts_folders(testing_source("tests/model/families"), &n_folders);
    tcase_add_loop_test(tests, by_definition, 0, sizeof readings / sizeof *readings);
    tcase_add_loop_test(tests, families, 0, n_folders);
    tcase_add_test(tests, fisherman_and_net);
    tcase_add_test(tests, what_is_masked);
    tcase_add_test(tests, who_sees_nobody);
    tcase_add_test(tests, the_heaviest_keys);
    tcase_add_test(tests, every_step_of_the_score);
    tcase_add_test(tests, steps_that_are_rare);
    tcase_add_test(tests, other_scores);
    tcase_add_test(tests, large_numbers);
    tcase_add_test(tests, several_heads);
    tcase_add_test(tests, a_long_text);
    tcase_add_test(tests, of_a_context);
    tcase_add_test(tests, as_json);
    tcase_add_loop_test(tests, no_line_is_wider, 0, sizeof wide_toys / sizeof *wide_toys);
    tcase_add_test(tests, said_shorter);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
