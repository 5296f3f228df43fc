/* test_projections.c: `queries`, `keys` and `values`: against q, k and v of shared/data/reading (float64, by
 * definition), nano_sort's author's own, the parts of the pass on families with rotary positions and shared heads,
 * and by hand. */
#include "config.h"

#include "testing.h"

#include "testing/arrays.h"
#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/parts.h"
#include "testing/reports.h"

#include <math.h>
#include <string.h>

/* fisherman.json: W_Q turns net, (0, 1), to (3, 1); W_K and W_V are the identity. */
START_TEST(by_hand)
{
    const char *path = testing_source("examples/fisherman.json");
    reports_run r = reports_start_at(path, "queries");
    r.texts[0] = "fisherman net";
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\thead\tposition\ttoken\tv0\tv1\n"
                                          "0\t0\t0\t0\tfisherman\t1\t0\n0\t0\t0\t1\tnet\t3\t1\n");
    r = reports_start_at(path, "keys");
    r.texts[0] = "fisherman net";
    r.request.queries = "1";
    r.output.columns = "token,head,v1";
    ck_assert_str_eq(reports_printed(&r), "token\thead\tv1\nnet\t0\t1\n");
    r = reports_start_at(path, "values");
    r.texts[0] = "fisherman net";
    r.output.format = reports_format("table");
    ck_assert_str_eq(reports_printed(&r), "text  layer  head  position  token          v0      v1\n"
                                          "   0      0     0         0  fisherman  1.0000  0.0000\n"
                                          "   0      0     0         1  net        0.0000  1.0000\n");
}
END_TEST

START_TEST(json_says_which_head)
{
    reports_run r = reports_start("{" REPORTS_TWO_WORDS "\"n_heads\": 2, \"W_Q\": [[1, 2], [3, 4]]}", "queries");
    r.output.format = reports_format("json");
    ck_assert_str_eq(reports_printed(&r),
                     "{\"text\":0,\"file\":null,\"layer\":0,\"at\":\"after\",\"head\":0,\"tokens\":[\"a\",\"b\"],"
                     "\"vectors\":[[1],[3]]}\n"
                     "{\"text\":0,\"file\":null,\"layer\":0,\"at\":\"after\",\"head\":1,\"tokens\":[\"a\",\"b\"],"
                     "\"vectors\":[[2],[4]]}\n");
    r = reports_start("{" REPORTS_TWO_WORDS "\"n_heads\": 2, \"W_V\": [[1, 2], [3, 4]]}", "values");
    r.output.format = reports_format("json");
    r.request.heads = "1";
    r.request.queries = "0";
    ck_assert_str_eq(reports_printed(&r), "{\"text\":0,\"file\":null,\"layer\":0,\"head\":1,\"tokens\":[\"a\"],"
                                          "\"positions\":[0],\"vectors\":[[2]]}\n");
}
END_TEST

/* Nothing stands before or after anything in values: there is no such column. */
START_TEST(values_have_no_at)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "values");
    r.output.columns = "at,v0";
    reports_refused(&r, ATTN_EUSAGE);
    r = reports_start(REPORTS_UNIFORM, "keys");
    r.output.columns = "at,v0";
    ck_assert_str_eq(reports_printed(&r), "at\tv0\nafter\t1\nafter\t0\n");
}
END_TEST

/* ---- float64, by definition ---- */

static const struct {
    const char *name, *model, *text;
} toys[] = {
    {"fruit", "examples/fruit.json", "apple orange pear"},
    {"fisherman", "examples/fisherman.json", "fisherman net"},
    {"fisherman-ko", "examples/ko/fisherman.json", "어부 그물"},
    {"subjects", "examples/subjects.json", "maths physics"},
};

static void check_step(const char *report, const char *step, int which)
{
    right_table right;
    reports_run r = reports_start_at(testing_source(toys[which].model), report);
    size_t seen = 0, line = 1;
    right_open(&right, testing_shared(files_print("data/reading/%s.explain.tsv", toys[which].name)));
    r.texts[0] = toys[which].text;
    const char *printed = reports_printed(&r);
    for (size_t i = 0; i < right.n_rows; i++) { /* layer, head, query, dimension: our rows' order */
        size_t dimension = right_index(&right, i, "dimension");
        if (strcmp(right_cell(&right, i, "step"), step) != 0)
            continue;
        ck_assert_double_eq(reports_number(printed, line, 2), right_number(&right, i, "head"));
        ck_assert_double_eq(reports_number(printed, line, 3), right_number(&right, i, "query"));
        ck_assert_double_eq_tol(reports_number(printed, line, 5 + dimension), right_number(&right, i, "value"), 1e-5);
        seen++;
        line += dimension == 1;
    }
    ck_assert_uint_gt(seen, 3);
    right_close(&right);
}

START_TEST(steps_by_definition)
{
    testing_need("data/reading");
    check_step("queries", "q", _i);
    check_step("keys", "k", _i);
    check_step("values", "v", _i);
}
END_TEST

/* ---- npy: [layer][head][token][width] ---- */

/* What -f npy holds, and its shape as the header says it. */
static const float *npy_of(reports_run *r, const char *shape)
{
    enum { HEADER = 128 };
    static float numbers[1 << 14];
    const char *printed;
    size_t size;
    r->output.format = reports_format("npy");
    ck_assert_msg(reports_try(r, &printed, &size) == ATTN_OK, "%s", r->error.message);
    ck_assert_msg(memmem(printed, HEADER, shape, strlen(shape)) != NULL, "the shape is not %s", shape);
    ck_assert_uint_le(size - HEADER, sizeof numbers);
    memcpy(numbers, printed + HEADER, size - HEADER);
    reports_end(r);
    return numbers;
}

/* Its author's PyTorch values of the first block, the first of three texts. */
START_TEST(nano_sort)
{
    static const char *const reports[] = {"queries", "keys", "values"};
    static const char *const files[] = {"q.npy", "k.npy", "v.npy"};
    enum { N = 11, HEADS = 3, WIDTH = 16 };
    testing_need("data/nano_sort");
    const char *partials = testing_shared("data/nano_sort/partials");
    size_t count, n;
    uint32_t *ids = arrays_ids(files_join(partials, "idx.npy"), &n);
    const char *text = files_print("%u", (unsigned)ids[0]);
    for (size_t i = 1; i < N; i++)
        text = files_print("%s %u", text, (unsigned)ids[i]);
    for (size_t i = 0; i < 3; i++) {
        reports_run r = reports_start_ids(testing_shared("data/nano_sort/hf"), reports[i]);
        float *right = arrays_npy(files_join(partials, files[i]), &count);
        r.texts[0] = text;
        r.request.layers = "0";
        arrays_near(npy_of(&r, "(1, 3, 11, 16)"), right, (size_t)N * HEADS * WIDTH, CAPTURE_TOLERANCE, files[i]);
        free(right);
    }
    free(ids);
}
END_TEST

/* ---- the pass's own ---- */

typedef struct wanted {
    const char *report, *at;
    attn_part_kind kind;
} wanted;

static const wanted each[] = {
    {"queries", NULL, ATTN_PART_QUERY}, {"queries", "before", ATTN_PART_QUERY_BEFORE},
    {"keys", "after", ATTN_PART_KEY},   {"keys", "before", ATTN_PART_KEY_BEFORE},
    {"values", NULL, ATTN_PART_VALUE},
};

/* Rotary positions, QK-norm over a head or all of them, shared key/value heads, biases: the last layer, all its
 * heads. */
static const char *const families[] = {"llama", "qwen3", "olmo2", "gemma2", "gpt_oss", "bert", "phi3"};

START_TEST(as_the_engine_uses_them)
{
    const char *folder = files_join(testing_source("tests/model/families"), families[_i]);
    static const uint32_t ids[] = {3, 1, 4, 1, 5};
    attn_input input = {.ids = ids, .n = 5};
    attn_model model;
    parts p;
    models_open(&model, folder);
    parts_run(&p, &model, &input, NULL);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        size_t last = p.n_layers - 1;
        const part_kept *kept = parts_of(&p, each[i].kind, last);
        reports_run r = reports_start_ids(folder, each[i].report);
        r.texts[0] = "3 1 4 1 5";
        r.request.at = each[i].at;
        r.request.layers = files_print("%zu", last);
        const float *found = npy_of(&r, files_print("(1, %zu, 5, %zu)", kept->n_heads, kept->width));
        arrays_equal(found, kept->values, kept->n_heads * 5 * kept->width, each[i].report);
    }
    parts_free(&p);
    attn_model_close(&model);
}
END_TEST

/* Four query heads share two key/value heads: -H counts the report's own. */
START_TEST(heads_are_the_reports_own)
{
    const char *folder = testing_source("tests/model/families/llama");
    reports_run r = reports_start_ids(folder, "queries");
    r.texts[0] = "3 1";
    r.request.heads = "3";
    npy_of(&r, "(1, 1, 2, 4)");
    r = reports_start_ids(folder, "keys");
    r.texts[0] = "3 1";
    npy_of(&r, "(1, 2, 2, 4)");
    r = reports_start_ids(folder, "values");
    r.texts[0] = "3 1";
    r.request.heads = "3";
    ck_assert_str_eq(reports_refused(&r, ATTN_EUSAGE), "--head: 3 is not there: key/value heads go from 0 to 1");
}
END_TEST

/* The context's tokens are the keys; --query chooses among the report's rows. */
START_TEST(keys_of_the_context)
{
    reports_run r = reports_start(REPORTS_UNIFORM, "keys");
    r.texts[0] = "a";
    r.context = "b a b";
    r.request.queries = "1-";
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\thead\tposition\ttoken\tv0\tv1\n"
                                          "0\t0\t0\t1\ta\t1\t0\n0\t0\t0\t2\tb\t0\t1\n");
    r = reports_start(REPORTS_UNIFORM, "queries");
    r.texts[0] = "a";
    r.context = "b a b";
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\thead\tposition\ttoken\tv0\tv1\n0\t0\t0\t0\ta\t0\t0\n");
}
END_TEST

START_TEST(one_width)
{
    reports_run r = reports_start("{" REPORTS_TWO_WORDS "\"layers\": [{}, {\"n_heads\": 2}]}", "values");
    r.request.layers = "0-";
    reports_refused(&r, ATTN_EUSAGE);
    /* Two layers of equally wide heads, not equally many: rows can be had, an array can not. By hand: b's two numbers
     * behind layer 0 are 0.5 (q is 0) and 1/(1 + e^-1), and the layer above adds them up. */
    const char *toy = "{" REPORTS_TWO_WORDS "\"layers\": [{\"n_heads\": 2}, {\"W_Q\": [[1], [1]], \"W_K\": [[1], [1]], "
                      "\"W_V\": [[1], [1]]}]}";
    r = reports_start(toy, "queries");
    r.request.layers = "0-";
    r.request.queries = "1";
    ck_assert_str_eq(reports_printed(&r), "text\tlayer\thead\tposition\ttoken\tv0\n"
                                          "0\t0\t0\t1\tb\t0\n0\t0\t1\t1\tb\t1\n0\t1\t0\t1\tb\t1.2310586\n");
    r = reports_start(toy, "queries");
    r.request.layers = "0-";
    r.output.format = reports_format("npy");
    reports_refused(&r, ATTN_EUSAGE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("projections");
    TCase *tests = tcase_create("projections");
    tcase_add_test(tests, by_hand);
    tcase_add_test(tests, json_says_which_head);
    tcase_add_test(tests, values_have_no_at);
    tcase_add_loop_test(tests, steps_by_definition, 0, sizeof toys / sizeof *toys);
    tcase_add_test(tests, nano_sort);
    tcase_add_loop_test(tests, as_the_engine_uses_them, 0, sizeof families / sizeof *families);
    tcase_add_test(tests, heads_are_the_reports_own);
    tcase_add_test(tests, keys_of_the_context);
    tcase_add_test(tests, one_width);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
