/* test_pull.c: `pull` and `moves`: against shared/data/reading (float64, by definition), against their formulas in
 * double over the parts of the pass on every family's model, and by hand. */
#include "config.h"

#include "testing.h"

#include "testing/arrays.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/parts.h"
#include "testing/reports.h"

#include <math.h>
#include <string.h>

/* ---- float64, by definition ---- */

static const struct {
    const char *name, *model, *text;
    bool unmasked; /* -a none */
    bool ids;      /* the text is ids */
} readings[] = {
    {"fruit", "examples/fruit.json", "apple orange pear", false, false},
    {"fruit-none", "examples/fruit.json", "apple orange pear", true, false},
    {"fruit-android", "examples/fruit.json", "apple android", true, false},
    {"fisherman", "examples/fisherman.json", "fisherman net", false, false},
    {"fisherman-ko", "examples/ko/fisherman.json", "어부 그물", false, false},
    {"subjects", "examples/subjects.json", "maths physics", false, false},
    {"two", "data/reading/two.json", "a b c", false, false},
    {"nano_sort", "data/nano_sort/hf", "0 0 2 1 0 1 0 0 0 0 0", false, true},
};

static reports_run start_reading(int which, const char *report)
{
    const char *name = readings[which].model;
    const char *path = strncmp(name, "data/", 5) == 0 ? testing_shared(name) : testing_source(name);
    reports_run r = readings[which].ids ? reports_start_ids(path, report) : reports_start_at(path, report);
    if (readings[which].unmasked)
        r.model.layers[0].mask = (attn_mask){0};
    r.texts[0] = readings[which].text;
    r.request.layers = "0-";
    return r;
}

/* Column COLUMN of line LINE of OUTPUT as text, in one buffer used again. */
static const char *cell_of(const char *output, size_t line, size_t column)
{
    static char text[256];
    for (; line > 0; line--)
        output = strchr(output, '\n') + 1;
    for (; column > 0; column--)
        output = strchr(output, '\t') + 1;
    size_t size = strcspn(output, "\t\n");
    ck_assert_uint_lt(size, sizeof text);
    memcpy(text, output, size);
    text[size] = '\0';
    return text;
}

static size_t lines_of(const char *output)
{
    size_t n = 0;
    for (; *output != '\0'; output++)
        n += *output == '\n';
    return n;
}

/* The same rows, numbers within 1e-5 of the row's largest; ours have `text` in front. */
static void check_reading(int which, const char *report)
{
    right_table right;
    reports_run r = start_reading(which, report);
    const char *printed = reports_printed(&r);
    right_open(&right, testing_shared(files_print("data/reading/%s.%s.tsv", readings[which].name, report)));
    ck_assert_uint_eq(lines_of(printed), right.n_rows + 1);
    for (size_t i = 0; i < right.n_rows; i++) {
        double largest = 0;
        for (size_t k = 0; k < right.n_columns; k++)
            if (strstr(right.header[k], "token") == NULL)
                largest = fmax(largest, fabs(strtod(right.rows[i][k], NULL)));
        for (size_t k = 0; k < right.n_columns; k++) {
            const char *found = cell_of(printed, i + 1, k + 1), *wanted = right.rows[i][k];
            bool token = strstr(right.header[k], "token") != NULL, text = token || wanted[0] == '\0';
            if (token && readings[which].ids) /* named by their ids there */
                continue;
            bool near = text ? strcmp(found, wanted) == 0
                             : found[0] != '\0' && fabs(strtod(found, NULL) - strtod(wanted, NULL)) <= 1e-5 * largest;
            ck_assert_msg(near, "%s.%s, row %zu, %s: '%s', right is '%s'", readings[which].name, report, i + 1,
                          right.header[k], found, wanted);
        }
    }
    right_close(&right);
}

START_TEST(pull_by_definition)
{
    testing_need("data/reading");
    check_reading(_i, "pull");
}
END_TEST

START_TEST(moves_by_definition)
{
    testing_need("data/reading");
    check_reading(_i, "moves");
}
END_TEST

/* ---- every family: the formulas over the parts of the pass ---- */

static const char *const *folders;
static int n_folders;

typedef struct layer_right { /* one layer, in double */
    size_t n, d;
    double *p;    /* owned; [n][n][d]: p_ij */
    double *y;    /* owned; [n][d] */
    double *mean; /* owned; [n][n] */
} layer_right;

static void norm_map(const attn_norm *norm, double *row, size_t d, double sigma)
{
    double mean = 0;
    for (size_t k = 0; k < d && norm->kind == ATTN_NORM_LAYER; k++)
        mean += row[k] / (double)d;
    for (size_t k = 0; k < d; k++)
        row[k] = (row[k] - mean) * (norm->weight != NULL ? (double)norm->weight[k] : 1) / sigma;
}

static layer_right layer_right_of(const parts *p, size_t l, const bool *selected)
{
    const attn_layer *layer = &p->model->layers[l];
    const double *sigma = parts_of(p, ATTN_PART_ATTENDED, l)->sigma;
    size_t n = p->n, d = parts_of(p, ATTN_PART_ATTENDED, l)->width, n_heads = 0;
    layer_right right = {.n = n,
                         .d = d,
                         .p = calloc(n * n * d, sizeof(double)),
                         .y = calloc(n * d, sizeof(double)),
                         .mean = calloc(n * n, sizeof(double))};
    float *f = parts_added(p, l);
    ck_assert(right.p != NULL && right.y != NULL && right.mean != NULL);
    for (size_t h = 0; h < layer->rule.n_heads; h++)
        n_heads += selected[h];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++)
            right.y[i * d + k] = (double)p->before[l][i * d + k];
        for (size_t j = 0; j < n; j++) {
            double *sum = right.p + (i * n + j) * d;
            for (size_t h = 0; h < layer->rule.n_heads; h++)
                for (size_t k = 0; k < d && selected[h]; k++)
                    sum[k] += (double)parts_rows(p, ATTN_ROWS_WEIGHTS, l, h, i)[j] * (double)f[(h * n + j) * d + k];
            for (size_t h = 0; h < layer->rule.n_heads; h++)
                right.mean[i * n + j] +=
                    selected[h] ? (double)parts_rows(p, ATTN_ROWS_WEIGHTS, l, h, i)[j] / (double)n_heads : 0;
            if (layer->attention_after.kind != ATTN_NORM_NONE)
                norm_map(&layer->attention_after, sum, d, sigma[i]);
            for (size_t k = 0; k < d; k++)
                right.y[i * d + k] += sum[k];
        }
    }
    ck_assert(layer->residual); /* of every published model */
    free(f);
    return right;
}

static void layer_right_free(layer_right *right)
{
    free(right->p);
    free(right->y);
    free(right->mean);
}

static double distance(const double *a, const double *b, size_t d)
{
    double square = 0;
    for (size_t k = 0; k < d; k++)
        square += (a[k] - (b != NULL ? b[k] : 0)) * (a[k] - (b != NULL ? b[k] : 0));
    return sqrt(square);
}

static double distance_before(const parts *p, size_t l, size_t i, size_t j, size_t d)
{
    double square = 0;
    for (size_t k = 0; k < d; k++) {
        double off = (double)p->before[l][i * d + k] - (double)p->before[l][j * d + k];
        square += off * off;
    }
    return sqrt(square);
}

static void near_relative(double found, double right, double scale)
{
    ck_assert_double_eq_tol(found, right, 2e-5 * fmax(1, scale));
}

static void check_pull_row(const parts *p, const layer_right *right, size_t l, const char *printed, size_t line)
{
    size_t i = (size_t)reports_number(printed, line, 2), j = (size_t)reports_number(printed, line, 4), d = right->d;
    const double *pull = right->p + (i * right->n + j) * d;
    double move[4096], along = 0, square;
    ck_assert_uint_le(d, 4096);
    for (size_t k = 0; k < d; k++) {
        move[k] = right->y[i * d + k] - (double)p->before[l][i * d + k];
        along += move[k] * pull[k];
    }
    square = distance(move, NULL, d) * distance(move, NULL, d);
    double size = distance(right->y + i * d, NULL, d);
    near_relative(reports_number(printed, line, 6), right->mean[i * right->n + j], 1);
    if (cell_of(printed, line, 7)[0] == '\0')
        ck_assert_double_eq(right->mean[j * right->n + i], 0);
    else
        near_relative(reports_number(printed, line, 7), right->mean[j * right->n + i], 1);
    near_relative(reports_number(printed, line, 8), distance(pull, NULL, d), size);
    ck_assert_double_eq_tol(reports_number(printed, line, 9), along / square, 1e-4);
    near_relative(reports_number(printed, line, 10), distance_before(p, l, i, j, d), size);
    near_relative(reports_number(printed, line, 11), distance(right->y + i * d, right->y + j * d, d), size);
}

/* The report over layer L with the heads LIST (NULL: all). */
static void check_pulls(const parts *p, const char *folder, const char *text, size_t l, const char *list)
{
    const attn_rule *rule = &p->model->layers[l].rule;
    bool selected[64] = {false};
    ck_assert_uint_le(rule->n_heads, 64);
    for (size_t h = 0; h < rule->n_heads; h++)
        selected[h] = list == NULL || h != 1;
    layer_right right = layer_right_of(p, l, selected);
    reports_run r = reports_start_ids(folder, "pull");
    r.texts[0] = text;
    r.request.layers = files_print("%zu", l);
    r.request.heads = list;
    const char *printed = reports_printed(&r);
    size_t n_lines = lines_of(printed), pairs = 0;
    for (size_t i = 0; i < p->n * p->n; i++)
        pairs += right.mean[i] > 0;
    ck_assert_uint_ge(n_lines - 1, pairs);
    for (size_t line = 1; line < n_lines; line++)
        check_pull_row(p, &right, l, printed, line);
    /* a query's shares sum to 1 */
    for (size_t line = 1, end; line < n_lines; line = end) {
        double sum = 0;
        for (end = line; end < n_lines && reports_number(printed, end, 2) == reports_number(printed, line, 2); end++)
            sum += reports_number(printed, end, 9);
        ck_assert_double_eq_tol(sum, 1, 1e-4);
    }
    layer_right_free(&right);
}

static void check_moves(const parts *p, const char *folder, const char *text, size_t l)
{
    bool all[64];
    memset(all, 1, sizeof all);
    layer_right right = layer_right_of(p, l, all);
    reports_run r = reports_start_ids(folder, "moves");
    r.texts[0] = text;
    r.request.layers = files_print("%zu", l);
    const char *printed = reports_printed(&r);
    ck_assert_uint_eq(lines_of(printed), p->n + 1);
    for (size_t i = 0; i < p->n; i++) {
        const double *y = right.y + i * right.d;
        double x[4096], along = 0;
        for (size_t k = 0; k < right.d; k++) {
            x[k] = (double)p->before[l][i * right.d + k];
            along += x[k] * y[k];
        }
        double before = distance(x, NULL, right.d), after = distance(y, NULL, right.d);
        near_relative(reports_number(printed, i + 1, 4), distance(x, y, right.d), after);
        near_relative(reports_number(printed, i + 1, 5), along / (before * after), 1);
        near_relative(reports_number(printed, i + 1, 6), before, before);
        near_relative(reports_number(printed, i + 1, 7), after, after);
    }
    layer_right_free(&right);
}

START_TEST(families)
{
    attn_model model;
    parts p;
    size_t n;
    models_open(&model, folders[_i]);
    uint32_t *ids = arrays_ids(files_join(folders[_i], "ids.npy"), &n);
    attn_input input = {.ids = ids, .n = n};
    const char *text = files_print("%u", (unsigned)ids[0]);
    for (size_t i = 1; i < n; i++)
        text = files_print("%s %u", text, (unsigned)ids[i]);
    parts_run(&p, &model, &input, NULL);
    for (size_t l = 0; l < p.n_layers; l++) {
        check_pulls(&p, folders[_i], text, l, NULL);
        check_pulls(&p, folders[_i], text, l, model.layers[l].rule.n_heads > 2 ? "0,2-" : "0");
        check_moves(&p, folders[_i], text, l);
    }
    parts_free(&p);
    free(ids);
    attn_model_close(&model);
}
END_TEST

/* ---- by hand ---- */

/* READING's own example: fisherman and net. */
START_TEST(a_table_with_titles)
{
    reports_run r = reports_start_at(testing_source("examples/fisherman.json"), "pull");
    r.texts[0] = "fisherman net";
    r.output.format = reports_format("table");
    ck_assert_str_eq(reports_printed(&r), "text 0, layer 0\n"
                                          "query        key          weight    back    pull   share  before   after\n"
                                          "0 fisherman  0 fisherman  0.6698  0.6698  0.0000  0.0000  0.0000  0.0000\n"
                                          "0 fisherman  1 net        0.3302  0.8044  0.4670  1.0000  1.4142  0.1904\n"
                                          "1 net        0 fisherman  0.8044  0.3302  1.1376  1.0000  1.4142  0.1904\n"
                                          "1 net        1 net        0.1956  0.1956  0.0000  0.0000  0.0000  0.0000\n");
    /* a section a text and layer; columns that the user chose stand as they are */
    r = reports_start("{" REPORTS_TWO_WORDS "\"layers\": [{}, {}]}", "moves");
    r.texts[1] = "a";
    r.request.layers = "0-";
    r.request.queries = "0";
    r.output.format = reports_format("table");
    ck_assert_str_eq(reports_printed(&r), "text 0, layer 0\nposition  distance  cosine  before   after\n"
                                          "0 a         0.0000  1.0000  1.0000  1.0000\n\n"
                                          "text 0, layer 1\nposition  distance  cosine  before   after\n"
                                          "0 a         0.0000  1.0000  1.0000  1.0000\n\n"
                                          "text 1, layer 0\nposition  distance  cosine  before   after\n"
                                          "0 a         0.0000  1.0000  1.0000  1.0000\n\n"
                                          "text 1, layer 1\nposition  distance  cosine  before   after\n"
                                          "0 a         0.0000  1.0000  1.0000  1.0000\n");
    r = reports_start(REPORTS_UNIFORM, "pull");
    r.request.queries = "1";
    r.output.format = reports_format("table");
    r.output.columns = "layer,query_token,pull";
    ck_assert_str_eq(reports_printed(&r), "layer  query_token    pull\n    0  b            0.7071\n"
                                          "    0  b            0.0000\n");
}
END_TEST

/* Three tokens, uniform weights, identity values: p = (x_j − x_i)/3. */
#define THREE                                                                                                          \
    "{\"words\": {\"a\": [0, 0], \"b\": [3, 0], \"c\": [0, 6]}, \"W_Q\": [[0, 0], [0, 0]], \"mask\": \"none\"}"

START_TEST(filters_go_by_the_pull)
{
    reports_run r = reports_start(THREE, "pull");
    r.texts[0] = "a b c";
    r.request.top = (attn_given_count){true, 1};
    r.output.columns = "query,key,pull";
    ck_assert_str_eq(reports_printed(&r), "query\tkey\tpull\n0\t2\t2\n1\t2\t2.236068\n2\t1\t2.236068\n");
    r = reports_start(THREE, "pull");
    r.texts[0] = "a b c";
    r.request.min = (attn_given_number){.given = true, .value = 1.5F};
    r.request.queries = "0,1";
    r.output.columns = "query,key,pull";
    ck_assert_str_eq(reports_printed(&r), "query\tkey\tpull\n0\t2\t2\n1\t2\t2.236068\n");
    r = reports_start(THREE, "pull");
    r.texts[0] = "a b c";
    r.request.keys = "1";
    r.output.columns = "query,key,key_token,weight,back,before,after";
    ck_assert_str_eq(reports_printed(&r), "query\tkey\tkey_token\tweight\tback\tbefore\tafter\n"
                                          "0\t1\tb\t0.33333334\t0.33333334\t3\t0\n"
                                          "1\t1\tb\t0.33333334\t0.33333334\t0\t0\n"
                                          "2\t1\tb\t0.33333334\t0.33333334\t6.708204\t0\n");
}
END_TEST

/* The other text does not move, and looks at nothing: y = (3, 0) and (0, 6)'s mean is (1.5, 3), the query at (0, 0). */
START_TEST(context_does_not_move)
{
    reports_run r = reports_start(THREE, "pull");
    r.texts[0] = "a";
    r.context = "b c";
    ck_assert_str_eq(reports_printed(&r),
                     "text\tlayer\tquery\tquery_token\tkey\tkey_token\tweight\tback\tpull\tshare\tbefore\tafter\n"
                     "0\t0\t0\ta\t0\tb\t0.5\t\t1.5\t0.2\t3\t3.354102\n"
                     "0\t0\t0\ta\t1\tc\t0.5\t\t3\t0.8\t6\t3.354102\n");
}
END_TEST

/* Mixed heads count in their proportions: a third of head 0 (which sees both alike), two of head 1 (q·k = 9, 0). */
START_TEST(mixed_heads)
{
    const char *toy = "{" REPORTS_TWO_WORDS "\"heads\": [{\"W_Q\": [[0, 0], [0, 0]]}, {\"W_Q\": [[9, 0], [9, 0]]}], "
                      "\"score\": \"dot\", \"head_mix\": [1, 2], \"mask\": \"none\"}";
    reports_run r = reports_start(toy, "pull");
    r.request.queries = "1";
    r.output.columns = "key,weight,share";
    const char *printed = reports_printed(&r);
    ck_assert_double_eq_tol(reports_number(printed, 1, 1), (0.5 + 2 / (1 + exp(-9))) / 3, 1e-6);
    ck_assert_double_eq_tol(reports_number(printed, 2, 1), (0.5 + 2 / (1 + exp(9))) / 3, 1e-6);
    r = reports_start(toy, "pull");
    r.request.queries = "1";
    r.request.heads = "0";
    r.output.columns = "key,weight";
    ck_assert_str_eq(reports_printed(&r), "key\tweight\n0\t0.5\n1\t0.5\n");
}
END_TEST

/* A layer that changes the width moves nothing; embeddings shows it. */
START_TEST(another_width)
{
    static const char *const reports[] = {"pull", "moves"};
    for (size_t i = 0; i < 2; i++) {
        reports_run r = reports_start("{" REPORTS_TWO_WORDS "\"W_V\": [[1, 0, 0], [0, 1, 0]]}", reports[i]);
        ck_assert_str_eq(reports_refused(&r, ATTN_EUSAGE),
                         "layer 0 takes vectors of 2 numbers and gives vectors of 3: nothing moves");
    }
}
END_TEST

/* A token that sees nothing: no row of pull; without a residual its vector becomes 0. */
START_TEST(a_query_without_keys)
{
    reports_run r = reports_start("{" REPORTS_TWO_WORDS "\"score\": \"gravity\"}", "pull");
    r.output.columns = "query,key,weight,share";
    ck_assert_str_eq(reports_printed(&r), "query\tkey\tweight\tshare\n1\t0\t1\t1\n");
    r = reports_start("{" REPORTS_TWO_WORDS "\"score\": \"gravity\"}", "moves");
    r.output.columns = "position,distance,cosine,after";
    ck_assert_str_eq(reports_printed(&r), "position\tdistance\tcosine\tafter\n0\t1\t0\t0\n1\t1.4142135\t0\t1\n");
}
END_TEST

/* ---- many tokens ---- */

static const char *many(const char *const *words, size_t n_words, size_t n)
{
    char *text = malloc(n * 2 + 1);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = words[i * i % n_words][0];
        text[2 * i + 1] = ' ';
    }
    text[2 * n - 1] = '\0';
    return text;
}

/* More queries than `back` is held of at once: the last ones' rows are those of a run over them alone. */
START_TEST(back_in_parts)
{
    static const char *const words[] = {"a", "b", "c"};
    enum { N = 3000 };
    const char *toy = "{\"words\": {\"a\": [1, 0], \"b\": [0, 2], \"c\": [1, 1]}}", *text = many(words, 3, N);
    reports_run r = reports_start(toy, "pull");
    r.texts[0] = text;
    r.request.keys = "7,2990-";
    const char *all = files_print("%s", reports_printed(&r));
    r = reports_start(toy, "pull");
    r.texts[0] = text;
    r.request.keys = "7,2990-";
    r.request.queries = "2980-";
    r.output.no_header = true;
    const char *last = reports_printed(&r);
    ck_assert_uint_gt(lines_of(last), 20);
    ck_assert_str_eq(all + strlen(all) - strlen(last), last);
    free((char *)text);
}
END_TEST

/* More keys than there is room for f of all: 64 mixed heads of 64 numbers, uniform weights, so that p = (x_j −
 * x_i)/n. */
START_TEST(keys_in_parts)
{
    static const char *const words[] = {"a", "b", "c"};
    enum { N = 5000, HEADS = 64, D = 64 };
    char *toy = malloc(1 << 16), *at = toy;
    ck_assert_ptr_nonnull(toy);
    for (int word = 0; word < 3; word++) {
        at += sprintf(at, "%s\"%s\": [", word == 0 ? "{\"words\": {" : "], ", words[word]);
        for (int k = 0; k < D; k++)
            at += sprintf(at, "%s%d", k > 0 ? "," : "", word * (k % 3));
    }
    at += sprintf(at, "]}, \"mask\": \"none\", \"temperature\": 1e30, \"heads\": [");
    for (int h = 0; h < HEADS; h++)
        at += sprintf(at, "%s{}", h > 0 ? "," : "");
    at += sprintf(at, "], \"head_mix\": [");
    for (int h = 0; h < HEADS; h++)
        at += sprintf(at, "%s%g", h > 0 ? "," : "", 1.0 / HEADS);
    sprintf(at, "]}");
    reports_run r = reports_start(toy, "pull");
    r.texts[0] = "a";
    r.context = many(words, 3, N);
    r.output.columns = "key,pull,before";
    const char *printed = reports_printed(&r);
    ck_assert_uint_eq(lines_of(printed), N + 1);
    for (size_t j = 0; j < N; j += 7) { /* b's length is √105: 21 times 1 and 21 times 2; c's is twice that */
        double right = (words[j * j % 3][0] - 'a') * sqrt(105);
        ck_assert_double_eq_tol(reports_number(printed, j + 1, 2), right, 1e-5);
        ck_assert_double_eq_tol(reports_number(printed, j + 1, 1), right / N, 1e-6 * right / N + 1e-12);
    }
    free((char *)r.context);
    free(toy);
}
END_TEST

START_TEST(threads)
{
    const char *first = NULL;
    for (size_t n_threads = 1; n_threads <= 5; n_threads += 2) {
        reports_run r = reports_start_ids(testing_source("tests/model/families/gemma2"), "pull");
        attn_error error;
        r.texts[0] = "3 1 4 1 5 9 2 6 5";
        r.request.layers = "0-";
        ck_assert_int_eq(attn_pool_open(n_threads, &r.pool, &error), ATTN_OK);
        attn_pool *pool = r.pool;
        const char *printed = reports_printed(&r);
        attn_pool_close(pool);
        if (first == NULL)
            first = files_print("%s", printed);
        ck_assert_str_eq(printed, first);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pull");
    TCase *tests = tcase_create("pull");
    folders = parts_folders(testing_source("tests/model/families"), &n_folders);
    tcase_add_loop_test(tests, pull_by_definition, 0, sizeof readings / sizeof *readings);
    tcase_add_loop_test(tests, moves_by_definition, 0, sizeof readings / sizeof *readings);
    tcase_add_loop_test(tests, families, 0, n_folders);
    tcase_add_test(tests, a_table_with_titles);
    tcase_add_test(tests, filters_go_by_the_pull);
    tcase_add_test(tests, context_does_not_move);
    tcase_add_test(tests, mixed_heads);
    tcase_add_test(tests, another_width);
    tcase_add_test(tests, a_query_without_keys);
    tcase_add_test(tests, back_in_parts);
    tcase_add_test(tests, keys_in_parts);
    tcase_add_test(tests, threads);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
