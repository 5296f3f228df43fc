/* test_onnxruntime.c: 20 literal cases of a second implementation (shared/data/onnxruntime_attention), with packed
 * projections, biases and masks, through attn's matrix product and attention. That implementation hides a key by adding
 * -10000 to its scores, so here a mask matrix of such numbers does. */
#include "config.h"

#include "testing.h"

#include "attention/attention.h"
#include "attention/conformance.h"
#include "kernels/matmul.h"
#include "testing/files.h"
#include "testing/trees.h"

#include <dirent.h>
#include <string.h>

typedef struct literal_case {
    const attn_json_node *root;
    size_t batch, n, d_in, heads; /* n tokens of d_in numbers */
    size_t widths[3];             /* of Q, K, V, all heads together */
    float *qkv;                   /* owned; [batch·n][widths 0+1+2] */
} literal_case;

static bool flag(const literal_case *c, const char *key)
{
    bool value = false;
    attn_json_node_bool(attn_json_node_member(c->root, key), &value);
    return value;
}

static float *numbers(const literal_case *c, const char *key, size_t *count)
{
    return trees_numbers(attn_json_node_member(c->root, key), count);
}

static void project(literal_case *c)
{
    size_t count, out = c->widths[0] + c->widths[1] + c->widths[2];
    float *x = numbers(c, "input", &count), *w = numbers(c, "weight", &count), *bias = numbers(c, "bias", &count);
    attn_tensor tensor = attn_tensor_f32(w, c->d_in, out);
    attn_product product = {
        .x = x, .x_stride = c->d_in, .n_rows = c->batch * c->n, .w = &tensor, .bias = bias, .y = NULL, .y_stride = out};
    attn_error error;
    c->qkv = malloc(c->batch * c->n * out * sizeof *c->qkv);
    product.y = c->qkv;
    ck_assert_msg(attn_matmul(&product, NULL, &error) == ATTN_OK, "%s", error.message);
    free(x);
    free(w);
    free(bias);
}

/* Is key J hidden from query I of batch entry B? MASK [COUNT] as the case's mask_type says. */
static bool hidden_by(const literal_case *c, const float *mask, size_t count, const char *type, size_t b, size_t i,
                      size_t j)
{
    if (count == 0 || strcmp(type, "MASK_2D_DUMMY") == 0)
        return false;
    if (strcmp(type, "MASK_1D_KEY_SEQ_LEN") == 0)
        return (float)j >= mask[b];
    if (strcmp(type, "MASK_1D_END_START") == 0)
        return (float)j >= mask[b] || (float)j < mask[c->batch + b];
    if (strcmp(type, "MASK_2D_KEY_PADDING") == 0)
        return mask[b * c->n + j] == 0;
    return mask[(b * c->n + i) * c->n + j] == 0; /* MASK_3D_ATTENTION */
}

/* Everything that is added to the scores of batch entry B: [heads][n][n], owned by the caller. */
static float *added(const literal_case *c, size_t b)
{
    const char *type = attn_json_node_text(attn_json_node_member(c->root, "mask_type"));
    size_t n_mask, n_extra;
    float *mask = numbers(c, "mask_index", &n_mask), *extra = numbers(c, "extra_add", &n_extra);
    float *all = malloc(c->heads * c->n * c->n * sizeof *all), *out = all;
    for (size_t h = 0; h < c->heads; h++)
        for (size_t i = 0; i < c->n; i++)
            for (size_t j = 0; j < c->n; j++, out++) {
                bool hidden = hidden_by(c, mask, n_mask, type, b, i, j);
                *out = hidden ? -10000.0F : 0;
                if (extra != NULL)
                    *out += extra[((b * c->heads + h) * c->n + i) * c->n + j];
            }
    free(mask);
    free(extra);
    return all;
}

static void attend(const literal_case *c, size_t b, float *y)
{
    size_t stride = c->widths[0] + c->widths[1] + c->widths[2];
    const float *q = c->qkv + b * c->n * stride;
    attn_rule rule = attn_rule_default();
    attn_mask mask = {.causal = flag(c, "is_unidirectional"), .n_matrices = 1};
    float *matrix = added(c, b);
    attn_attention a = {.rule = &rule, .mask = &mask, .n_queries = c->n, .n_keys = c->n};
    attn_error error;
    rule.n_heads = rule.n_kv_heads = c->heads;
    rule.head_dim = c->widths[0] / c->heads;
    rule.value_dim = c->widths[2] / c->heads;
    mask.matrices[0] = (attn_mask_matrix){matrix, c->heads, c->n, c->n};
    a.q = (attn_heads){q, stride, rule.head_dim};
    a.k = (attn_heads){q + c->widths[0], stride, rule.head_dim};
    a.v = (attn_heads){q + c->widths[0] + c->widths[1], stride, rule.value_dim};
    ck_assert_msg(attn_attention_run(&a, y, c->widths[2], NULL, &error) == ATTN_OK, "%s", error.message);
    free(matrix);
}

static void run_case(const char *path)
{
    attn_json_node *root = trees_read(path);
    literal_case c = {.root = root,
                      .batch = trees_whole(root, "batch_size"),
                      .n = trees_whole(root, "sequence_length"),
                      .d_in = trees_whole(root, "input_hidden_size"),
                      .heads = trees_whole(root, "number_of_heads")};
    size_t count;
    float *widths = numbers(&c, "qkv_sizes", &count), *want;
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < 3; i++)
        c.widths[i] = (size_t)widths[i];
    project(&c);
    want = numbers(&c, "output", &count);
    ck_assert_uint_eq(count, c.batch * c.n * c.widths[2]);
    float *y = calloc(count, sizeof *y);
    for (size_t b = 0; b < c.batch; b++)
        attend(&c, b, y + b * c.n * c.widths[2]);
    /* the outputs are printed there with about five digits; float16 rounds at 2^-11 of 6 */
    conformance_near(y, want, count, flag(&c, "use_float16") ? 5e-3 : 1e-5, path);
    free(y);
    free(want);
    free(widths);
    free(c.qkv);
    attn_json_tree_free(root);
}

static int is_case(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".json") == 0;
}

#define DATA "data/onnxruntime_attention"

enum { N_CASES = 20 };

/* The Ith case's path. */
static const char *case_of(int i)
{
    const char *folder = testing_shared(DATA), *path = NULL;
    struct dirent **names = NULL;
    ck_assert_int_eq(scandir(folder, &names, is_case, alphasort), N_CASES);
    for (int j = 0; j < N_CASES; j++) {
        if (j == i)
            path = files_join(folder, names[j]->d_name);
        free(names[j]);
    }
    free(names);
    return path;
}

START_TEST(literal)
{
    testing_need(DATA);
    run_case(case_of(_i));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("onnxruntime");
    TCase *tests = tcase_create("onnxruntime");
    tcase_add_loop_test(tests, literal, 0, N_CASES);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
