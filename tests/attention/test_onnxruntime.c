/* test_onnxruntime.c: 20 literal cases of a second implementation, with packed projections, biases and
 * masks, through attn's matrix product and attention. usage: test_onnxruntime DIR (default:
 * $ATTN_SHARED/data/onnxruntime_attention). Six of them hide keys by adding a finite -10000, where attn leaves
 * keys out: whether the two readings must agree is not settled, so those are listed with both values. */
#include "config.h"

#include "attention/conformance.h"

#include "attention/attention.h"
#include "base/file.h"
#include "base/json.h"
#include "kernels/matmul.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef struct literal_case {
    const attn_json_node *root;
    size_t batch, n, d_in, heads; /* n tokens of d_in numbers */
    size_t widths[3];             /* of Q, K, V, all heads together */
    float *qkv;                   /* owned; [batch·n][widths 0+1+2] */
    bool hides;                   /* some key of some batch entry */
} literal_case;

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "onnxruntime_attention: %s: %s\n", what, why);
    exit(1);
}

static size_t whole(const literal_case *c, const char *key)
{
    uint64_t value;
    if (!attn_json_node_u64(attn_json_node_member(c->root, key), 1 << 20, &value))
        give_up(key, "a whole number is missing");
    return (size_t)value;
}

static bool flag(const literal_case *c, const char *key)
{
    bool value = false;
    attn_json_node_bool(attn_json_node_member(c->root, key), &value);
    return value;
}

/* The numbers of member KEY, owned by the caller; NULL and *COUNT 0 when it is absent or empty. */
static float *numbers(const literal_case *c, const char *key, size_t *count)
{
    const attn_json_node *list = attn_json_node_member(c->root, key), *entry = attn_json_node_first(list);
    float *values, *at;
    *count = attn_json_node_size(list);
    if (*count == 0)
        return NULL;
    at = values = attn_alloc_array(*count, sizeof *values);
    for (; entry != NULL; entry = attn_json_node_next(entry)) {
        double value;
        attn_json_node_number(entry, &value);
        *at++ = (float)value;
    }
    return values;
}

static void project(literal_case *c)
{
    size_t count, out = c->widths[0] + c->widths[1] + c->widths[2];
    float *x = numbers(c, "input", &count), *w = numbers(c, "weight", &count), *bias = numbers(c, "bias", &count);
    attn_tensor tensor = attn_tensor_f32(w, c->d_in, out);
    attn_product product = {x, c->d_in, c->batch * c->n, &tensor, bias, NULL, out};
    attn_error error;
    c->qkv = attn_alloc_array(c->batch * c->n, out * sizeof(float));
    product.y = c->qkv;
    if (attn_matmul(&product, NULL, &error) != ATTN_OK)
        give_up("projection", error.message);
    attn_free(x);
    attn_free(w);
    attn_free(bias);
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
static float *added(literal_case *c, size_t b)
{
    const char *type = attn_json_node_text(attn_json_node_member(c->root, "mask_type"));
    size_t n_mask, n_extra;
    float *mask = numbers(c, "mask_index", &n_mask), *extra = numbers(c, "extra_add", &n_extra);
    float *all = attn_alloc_array(c->heads * c->n, c->n * sizeof *all), *out = all;
    for (size_t h = 0; h < c->heads; h++)
        for (size_t i = 0; i < c->n; i++)
            for (size_t j = 0; j < c->n; j++, out++) {
                bool hidden = hidden_by(c, mask, n_mask, type, b, i, j);
                c->hides = c->hides || hidden;
                *out = hidden ? -INFINITY : extra != NULL ? extra[((b * c->heads + h) * c->n + i) * c->n + j] : 0;
            }
    attn_free(mask);
    attn_free(extra);
    return all;
}

static void attend(literal_case *c, size_t b, float *y)
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
    if (attn_attention_run(&a, y, c->widths[2], NULL, &error) != ATTN_OK)
        give_up("attention", error.message);
    attn_free(matrix);
}

static void list(const char *name, const float *ours, const float *theirs, size_t n, conformance_totals *totals)
{
    printf("list %s: hides keys by -10000; ours:", name);
    for (size_t i = 0; i < n; i++)
        printf(" %.6g", (double)ours[i]);
    printf("; theirs:");
    for (size_t i = 0; i < n; i++)
        printf(" %.6g", (double)theirs[i]);
    printf("; largest difference %.1e\n", conformance_difference(ours, theirs, n));
    totals->listed++;
}

static void run_case(const char *path, const char *name, conformance_totals *totals)
{
    literal_case c = {0};
    attn_json_node *root;
    attn_file file;
    attn_error error;
    size_t count, part = 0;
    float *y, *want;
    const attn_json_node *width;
    if (attn_file_open(path, NULL, &file, &error) != ATTN_OK ||
        attn_json_tree_of(file.bytes, path, &root, &error) != ATTN_OK)
        give_up(path, error.message);
    c.root = root;
    c.batch = whole(&c, "batch_size");
    c.n = whole(&c, "sequence_length");
    c.d_in = whole(&c, "input_hidden_size");
    c.heads = whole(&c, "number_of_heads");
    for (width = attn_json_node_first(attn_json_node_member(root, "qkv_sizes")); width != NULL && part < 3;
         width = attn_json_node_next(width)) {
        double value;
        attn_json_node_number(width, &value);
        c.widths[part++] = (size_t)value;
    }
    project(&c);
    want = numbers(&c, "output", &count);
    y = attn_calloc_array(count, sizeof *y);
    for (size_t b = 0; b < c.batch; b++)
        attend(&c, b, y + b * c.n * c.widths[2]);
    if (c.hides)
        list(name, y, want, count, totals);
    else /* the outputs are printed there with about five digits; float16 rounds at 2^-11 of 6 */
        conformance_verdict(totals, name, conformance_difference(y, want, count),
                            flag(&c, "use_float16") ? 5e-3 : 1e-5);
    attn_free(y);
    attn_free(want);
    attn_free(c.qkv);
    attn_json_tree_free(root);
    attn_file_close(&file);
}

static int is_case(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".json") == 0;
}

int main(int argc, char **argv)
{
    conformance_totals totals = {0};
    const char *shared = getenv("ATTN_SHARED");
    char *directory = argc > 1 ? attn_copy_text(argv[1], strlen(argv[1]))
                               : attn_path_join(shared != NULL ? shared : "../shared", "data/onnxruntime_attention");
    struct dirent **names = NULL;
    int n = attn_path_is_directory(directory) ? scandir(directory, &names, is_case, alphasort) : 0;
    if (n <= 0) {
        printf("SKIP: no outside data at %s\n", directory);
        attn_free(directory);
        return 77;
    }
    for (int i = 0; i < n; i++) {
        char *path = attn_path_join(directory, names[i]->d_name);
        run_case(path, names[i]->d_name, &totals);
        attn_free(path);
        free(names[i]);
    }
    free(names);
    attn_free(directory);
    printf("%zu listed\n", totals.listed);
    totals.listed = 0; /* nothing is skipped */
    return conformance_end(&totals);
}
