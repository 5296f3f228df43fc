/* test_onnx.c: the ONNX Attention operator's own conformance suite (shared/data/onnx_attention) through attn's attention
 * entry points, a turn of the loop a case. Right values are the suite's output_*.npy. No attention arithmetic here:
 * only layouts and comparing. */
#include "config.h"

#include "testing.h"

#include "attention/attention.h"
#include "attention/conformance.h"
#include "base/memory.h"
#include "formats/container.h"
#include "testing/files.h"
#include "testing/trees.h"

#include <string.h>

typedef struct array { /* a named input or output as float32 */
    size_t n_dims, shape[ATTN_MAX_DIMS], count;
    float *values; /* owned */
    bool boolean, half;
} array;

typedef struct onnx_case {
    const char *directory;
    attn_json_node *root;
    array q, k, v, mask, past_k, past_v, lengths;
    array want_y, want_k, want_v, want_qk;
    /* as the engine wants them */
    size_t batch, heads, kv_heads, n_queries, n_keys, past, head_dim, value_dim;
    float *keys, *values; /* owned; [batch][kv_heads][n_keys][dim], past first */
} onnx_case;

static void read_array(const onnx_case *c, const attn_json_node *entry, array *out)
{
    const char *path = files_join(c->directory, attn_json_node_text(attn_json_node_member(entry, "file")));
    attn_container container;
    attn_error error;
    ck_assert_msg(attn_container_open(path, NULL, &container, &error) == ATTN_OK, "%s: %s", path, error.message);
    const attn_tensor *tensor = &container.tensors[0].tensor;
    out->n_dims = tensor->n_dims;
    memcpy(out->shape, tensor->shape, sizeof out->shape);
    ck_assert(attn_tensor_count(tensor, &out->count));
    out->values = attn_alloc_array(out->count, sizeof(float));
    attn_tensor_to_f32(tensor, out->values);
    out->boolean = tensor->dtype == ATTN_BOOL;
    out->half = tensor->dtype == ATTN_F16;
    attn_container_close(&container);
}

static void read_named(const onnx_case *c, const char *list, const char *name, array *out)
{
    const attn_json_node *entry = attn_json_node_first(attn_json_node_member(c->root, list));
    *out = (array){0};
    for (; entry != NULL; entry = attn_json_node_next(entry))
        if (strcmp(attn_json_node_text(attn_json_node_member(entry, "name")), name) == 0)
            read_array(c, entry, out);
}

static double attribute(const onnx_case *c, const char *name, double otherwise)
{
    double value = otherwise;
    attn_json_node_number(attn_json_node_member(attn_json_node_member(c->root, "attributes"), name), &value);
    return value;
}

/* Element (b, head, row, i) of an array [B][H][S][d] or [B][S][H·d]. */
static const float *at(const array *a, size_t n_heads, size_t b, size_t head, size_t row)
{
    if (a->n_dims == 4)
        return a->values + ((b * a->shape[1] + head) * a->shape[2] + row) * a->shape[3];
    size_t dim = a->shape[2] / n_heads;
    return a->values + (b * a->shape[1] + row) * a->shape[2] + head * dim;
}

static size_t rows_of(const array *a)
{
    return a->n_dims == 4 ? a->shape[2] : a->shape[1];
}

/* Past and present one after the other: [batch][kv_heads][n_keys][dim]. */
static float *join(const onnx_case *c, const array *past, const array *fresh, size_t dim)
{
    float *all = attn_alloc_array(c->batch * c->kv_heads * c->n_keys, dim * sizeof(float));
    for (size_t b = 0; b < c->batch; b++)
        for (size_t h = 0; h < c->kv_heads; h++)
            for (size_t row = 0; row < c->n_keys; row++)
                memcpy(all + ((b * c->kv_heads + h) * c->n_keys + row) * dim,
                       row < c->past ? at(past, c->kv_heads, b, h, row) : at(fresh, c->kv_heads, b, h, row - c->past),
                       dim * sizeof(float));
    return all;
}

static void lay_out(onnx_case *c)
{
    bool flat = c->q.n_dims == 3;
    c->batch = c->q.shape[0];
    c->heads = flat ? (size_t)attribute(c, "q_num_heads", 0) : c->q.shape[1];
    c->kv_heads = flat ? (size_t)attribute(c, "kv_num_heads", 0) : c->k.shape[1];
    c->n_queries = rows_of(&c->q);
    c->past = c->past_k.values != NULL ? c->past_k.shape[2] : 0;
    c->n_keys = c->past + rows_of(&c->k);
    c->head_dim = flat ? c->q.shape[2] / c->heads : c->q.shape[3];
    c->value_dim = flat ? c->v.shape[2] / c->kv_heads : c->v.shape[3];
    c->keys = join(c, &c->past_k, &c->k, c->head_dim);
    c->values = join(c, &c->past_v, &c->v, c->value_dim);
}

/* The mask input of batch entry B, broadcast to [heads][n_queries][n_keys]; keys beyond its columns are
 * hidden. Booleans keep. */
static float *mask_of(const onnx_case *c, size_t b)
{
    const array *m = &c->mask;
    size_t n = m->n_dims, columns = m->shape[n - 1], rows = m->shape[n - 2];
    size_t heads = n > 2 ? m->shape[n - 3] : 1, batches = n > 3 ? m->shape[n - 4] : 1;
    float *all = attn_alloc_array(c->heads * c->n_queries * c->n_keys, sizeof *all), *out = all;
    for (size_t h = 0; h < c->heads; h++)
        for (size_t i = 0; i < c->n_queries; i++)
            for (size_t j = 0; j < c->n_keys; j++, out++) {
                size_t row = ((batches > 1 ? b : 0) * heads + (heads > 1 ? h : 0)) * rows + (rows > 1 ? i : 0);
                float value = j < columns ? m->values[row * columns + j] : -INFINITY;
                *out = j >= columns ? -INFINITY : !m->boolean ? value : value != 0 ? 0 : -INFINITY;
            }
    return all;
}

/* Both of the engine's ways over batch entry B: Y to y, rows of KIND to rows (NULL: not wanted). */
static void attend(const onnx_case *c, size_t b, float *y, attn_rows_kind kind, float *rows)
{
    size_t dim = c->head_dim;
    attn_rule rule = attn_rule_default();
    attn_mask mask = {.causal = attribute(c, "is_causal", 0) != 0, .past = (ptrdiff_t)c->past};
    float *matrix = c->mask.values != NULL ? mask_of(c, b) : NULL;
    uint8_t *hidden = attn_calloc_array(c->n_keys, 1);
    attn_attention a = {.rule = &rule, .mask = &mask, .n_queries = c->n_queries, .n_keys = c->n_keys};
    attn_error error;
    rule.n_heads = c->heads;
    rule.n_kv_heads = c->kv_heads;
    rule.head_dim = dim;
    rule.value_dim = c->value_dim;
    rule.softcap = (float)attribute(c, "softcap", 0);
    rule.scale = (float)attribute(c, "scale", NAN);
    if (matrix != NULL)
        mask.matrices[mask.n_matrices++] = (attn_mask_matrix){matrix, c->heads, c->n_queries, c->n_keys};
    if (c->lengths.values != NULL) { /* nonpad_kv_seqlen: keys behind it hidden; causal ends at it */
        size_t length = (size_t)c->lengths.values[b];
        for (size_t j = length; j < c->n_keys; j++)
            hidden[j] = 1;
        mask.hidden_keys = hidden;
        mask.past = (ptrdiff_t)length - (ptrdiff_t)c->n_queries;
    }
    a.q = (attn_heads){at(&c->q, c->heads, b, 0, 0), c->q.n_dims == 4 ? dim : c->heads * dim,
                       c->q.n_dims == 4 ? c->n_queries * dim : dim};
    a.k = (attn_heads){c->keys + b * c->kv_heads * c->n_keys * dim, dim, c->n_keys * dim};
    a.v = (attn_heads){c->values + b * c->kv_heads * c->n_keys * c->value_dim, c->value_dim, c->n_keys * c->value_dim};
    ck_assert_msg(attn_attention_run(&a, y, c->heads * c->value_dim, NULL, &error) == ATTN_OK, "%s", error.message);
    if (rows != NULL)
        ck_assert_int_eq(attn_attention_rows(&a, kind, 0, c->heads, 0, c->n_queries, rows, NULL, NULL), ATTN_OK);
    attn_free(matrix);
    attn_free(hidden);
}

/* Y of the suite in the engine's layout: [n_queries][heads·value_dim]. */
static float *wanted_y(const onnx_case *c, size_t b)
{
    size_t width = c->heads * c->value_dim;
    float *y = attn_alloc_array(c->n_queries * width, sizeof *y);
    for (size_t h = 0; h < c->heads; h++)
        for (size_t i = 0; i < c->n_queries; i++)
            memcpy(y + i * width + h * c->value_dim, at(&c->want_y, c->heads, b, h, i), c->value_dim * sizeof *y);
    return y;
}

static void compare_batch(const onnx_case *c, size_t b, double bound)
{
    static const attn_rows_kind kinds[] = {ATTN_ROWS_PRODUCT, ATTN_ROWS_CAPPED, ATTN_ROWS_SCORES, ATTN_ROWS_WEIGHTS};
    size_t n_y = c->n_queries * c->heads * c->value_dim, n_rows = c->heads * c->n_queries * c->n_keys;
    attn_rows_kind kind = kinds[(size_t)attribute(c, "qk_matmul_output_mode", 0)];
    float *y = attn_alloc_array(n_y, sizeof *y), *want = wanted_y(c, b);
    float *rows = c->want_qk.values != NULL ? attn_alloc_array(n_rows, sizeof *rows) : NULL;
    attend(c, b, y, kind, rows);
    conformance_near(y, want, n_y, bound, "Y");
    if (rows != NULL)
        conformance_near(rows, c->want_qk.values + b * n_rows, n_rows, bound, "qk_matmul_output");
    attn_free(y);
    attn_free(want);
    attn_free(rows);
}

static void compare(const onnx_case *c, double bound)
{
    if (c->want_k.values != NULL)
        conformance_near(c->keys, c->want_k.values, c->want_k.count, bound, "present_key");
    if (c->want_v.values != NULL)
        conformance_near(c->values, c->want_v.values, c->want_v.count, bound, "present_value");
    for (size_t b = 0; b < c->batch; b++)
        compare_batch(c, b, bound);
}

static void run_case(const char *directory)
{
    static const char *const names[] = {"Q",
                                        "K",
                                        "V",
                                        "attn_mask",
                                        "past_key",
                                        "past_value",
                                        "nonpad_kv_seqlen",
                                        "Y",
                                        "present_key",
                                        "present_value",
                                        "qk_matmul_output"};
    enum { N_NAMES = sizeof names / sizeof names[0], N_INPUTS = 7 };
    onnx_case c = {.directory = directory, .root = trees_read(files_join(directory, "case.json"))};
    array *arrays[N_NAMES] = {&c.q,       &c.k,      &c.v,      &c.mask,   &c.past_k, &c.past_v,
                              &c.lengths, &c.want_y, &c.want_k, &c.want_v, &c.want_qk};
    for (size_t i = 0; i < N_NAMES; i++)
        read_named(&c, i < N_INPUTS ? "inputs" : "outputs", names[i], arrays[i]);
    lay_out(&c);
    /* float16 cases are computed here in float32 and there in float16: 2^-10 of 1 apart */
    compare(&c, c.q.half ? 2e-3 : 1e-5);
    for (size_t i = 0; i < N_NAMES; i++)
        attn_free(arrays[i]->values);
    attn_free(c.keys);
    attn_free(c.values);
    attn_json_tree_free(c.root);
}

#define DATA "data/onnx_attention"

enum { N_CASES = 76 };

/* The Ith case of the operator, its folder; NULL: there are no more. */
static const char *case_of(size_t i)
{
    const char *folder = testing_shared(DATA), *found = NULL;
    attn_json_node *root = trees_read(files_join(folder, "index.json"));
    for (const attn_json_node *c = attn_json_node_first(root); c != NULL && found == NULL; c = attn_json_node_next(c))
        if (strcmp(attn_json_node_text(attn_json_node_member(c, "op")), "Attention") == 0 && i-- == 0)
            found = files_join(folder, attn_json_node_text(attn_json_node_member(c, "case")));
    attn_json_tree_free(root);
    return found;
}

START_TEST(conformance)
{
    testing_need(DATA "/index.json");
    ck_assert_ptr_null(case_of(N_CASES));
    run_case(case_of((size_t)_i));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("onnx");
    TCase *tests = tcase_create("onnx");
    tcase_add_loop_test(tests, conformance, 0, N_CASES);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
