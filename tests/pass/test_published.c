/* test_published.c: trained models against outside values: shared/data (float64 numpy references
 * that agree with PyTorch, and nano_sort's author's own PyTorch values), shared/cases, and the
 * model in the box against its training script's reference. */
#include "config.h"

#include "testing/capture.h"
#include "testing.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

static void check_all(const char *model_name, const char *folder, const char *const *references)
{
    attn_model model;
    char model_path[4096], base[4096];
    size_t i;
    if (testing_shared(model_name) == NULL) {
        printf("SKIP: %s is not there\n", model_name);
        return;
    }
    snprintf(model_path, sizeof model_path, "%s", testing_shared(model_name));
    snprintf(base, sizeof base, "%s", testing_shared(folder));
    capture_open(&model, model_path);
    for (i = 0; references[i] != NULL; i++)
        capture_check(&model, capture_join(base, references[i]));
    attn_model_close(&model);
}

static const char *const stories_references[] = {"s0", "s1", "s2", "s3", "s4", NULL};

START_TEST(stories_directory)
{
    check_all("data/stories260K/hf", "data/stories260K/ref", stories_references);
}
END_TEST

START_TEST(stories_gguf)
{
    check_all("data/stories260K/stories260K.gguf", "data/stories260K/ref", stories_references);
}
END_TEST

START_TEST(stories_llama2c)
{
    check_all("data/stories260K/stories260K.bin", "data/stories260K/ref", stories_references);
}
END_TEST

START_TEST(bert_with_padding)
{
    static const char *const references[] = {"s0", "s1", "s2_pad", NULL};
    check_all("data/bert_tiny4L_2L_f16", "data/bert_tiny4L_2L_f16/ref", references);
}
END_TEST

START_TEST(nano_sort_references)
{
    static const char *const references[] = {"b0", "b1", "b2", NULL};
    check_all("data/nano_sort/hf", "data/nano_sort/ref", references);
}
END_TEST

/* The author's own PyTorch values: three texts in one batch, of the last block. */
START_TEST(nano_sort_partials)
{
    attn_model model;
    char path[4096], partials[4096];
    size_t n, text, count, l;
    uint32_t *ids;
    float *right;
    if (testing_shared("data/nano_sort/hf") == NULL) {
        printf("SKIP: data/nano_sort is not there\n");
        return;
    }
    snprintf(path, sizeof path, "%s", testing_shared("data/nano_sort/hf"));
    snprintf(partials, sizeof partials, "%s", testing_shared("data/nano_sort/partials"));
    capture_open(&model, path);
    ids = capture_ids(capture_join(partials, "idx.npy"), &n);
    ck_assert_uint_eq(n, 33);
    for (text = 0; text < 3; text++) {
        capture c;
        attn_input input = {0};
        input.ids = ids + text * 11;
        input.n = 11;
        capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER | ATTN_WANT_LOGITS,
                    ATTN_BY_HEAD, NULL);
        for (l = 0; l < 3; l++) {
            char name[32];
            snprintf(name, sizeof name, "block%zu.npy", l);
            right = capture_npy(capture_join(partials, name), &count);
            capture_near(c.hidden[l + 1], right + text * 11 * 48, (size_t)11 * 48, CAPTURE_TOLERANCE, name);
            free(right);
        }
        right = capture_npy(capture_join(partials, "x.npy"), &count);
        capture_near(c.hidden[0], right + text * 11 * 48, (size_t)11 * 48, CAPTURE_TOLERANCE, "x.npy");
        free(right);
        right = capture_npy(capture_join(partials, "lm_head.npy"), &count);
        capture_near(c.logits, right + text * 33, 33, CAPTURE_TOLERANCE, "lm_head.npy");
        free(right);
        capture_free(&c);
    }
    /* attSm is of one of the blocks: the layer whose weights it is */
    free(ids);
    attn_model_close(&model);
}
END_TEST

/* The model sorts: six letters, then each next one is the arg-max. */
START_TEST(nano_sort_sorts)
{
    static const uint32_t letters[] = {2, 0, 1, 1, 0, 2}, sorted[] = {0, 0, 1, 1, 2, 2};
    attn_model model;
    uint32_t ids[11];
    size_t i, k, n = 6;
    if (testing_shared("data/nano_sort/hf") == NULL) {
        printf("SKIP: data/nano_sort is not there\n");
        return;
    }
    capture_open(&model, testing_shared("data/nano_sort/hf"));
    memcpy(ids, letters, sizeof letters);
    for (i = 0; i < 6; i++) {
        capture c;
        attn_input input = {0};
        uint32_t best = 0;
        input.ids = ids;
        input.n = n;
        capture_run(&c, &model, &input, ATTN_WANT_LOGITS, ATTN_BY_HEAD, NULL);
        for (k = 1; k < 3; k++)
            if (c.logits[(n - 1) * 3 + k] > c.logits[(n - 1) * 3 + best])
                best = (uint32_t)k;
        ck_assert_uint_eq(best, sorted[i]);
        if (n < 11)
            ids[n++] = best;
        capture_free(&c);
    }
    attn_model_close(&model);
}
END_TEST

/* Layer 0 of the tiny models of shared/cases against their expected.json. */
static void check_case(const char *folder, const char *model_name)
{
    attn_model model;
    attn_json_node *root;
    attn_file file;
    attn_error error;
    const attn_json_node *head, *row, *cell, *item;
    capture c;
    attn_input input = {0};
    uint32_t ids[16];
    char base[4096];
    size_t h = 0, q, k;
    if (testing_shared(folder) == NULL) {
        printf("SKIP: %s is not there\n", folder);
        return;
    }
    snprintf(base, sizeof base, "%s", testing_shared(folder));
    capture_open(&model, capture_join(base, model_name));
    ck_assert_int_eq(attn_file_open(capture_join(base, "expected.json"), NULL, &file, &error), ATTN_OK);
    ck_assert_int_eq(attn_json_tree_of(file.bytes, "expected.json", &root, &error), ATTN_OK);
    for (item = attn_json_node_first(attn_json_node_member(root, "ids")); item != NULL;
         item = attn_json_node_next(item)) {
        uint64_t id;
        ck_assert(attn_json_node_u64(item, 100, &id));
        ids[input.n++] = (uint32_t)id;
    }
    input.ids = ids;
    capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS, ATTN_BY_HEAD, NULL);
    for (head = attn_json_node_first(attn_json_node_member(root, "attn")); head != NULL;
         head = attn_json_node_next(head), h++) {
        for (row = attn_json_node_first(head), q = 0; row != NULL; row = attn_json_node_next(row), q++) {
            for (cell = attn_json_node_first(row), k = 0; cell != NULL; cell = attn_json_node_next(cell), k++) {
                double right;
                ck_assert(attn_json_node_number(cell, &right));
                ck_assert_double_eq_tol((double)c.weights[(h * c.n + q) * c.n + k], right, 1e-5);
            }
        }
    }
    ck_assert_uint_eq(h, c.n_heads);
    capture_free(&c);
    attn_json_tree_free(root);
    attn_file_close(&file);
    attn_model_close(&model);
}

START_TEST(case_084_permuted_rows)
{
    check_case("cases/084-gguf-llama-permuted-qk", "hf");
    check_case("cases/084-gguf-llama-permuted-qk", "model.gguf");
}
END_TEST

START_TEST(case_086_conv1d)
{
    check_case("cases/086-gpt2-conv1d-c-attn", "plain");
    check_case("cases/086-gpt2-conv1d-c-attn", "prefixed");
}
END_TEST

/* The model in the box against models/reference.py (numpy float64): logits to 1e-4, weights to
 * 2e-5. */
START_TEST(model_in_the_box)
{
    attn_model model;
    char data[4096];
    size_t text, n, count;
    snprintf(data, sizeof data, "%s", testing_source("tests/data/model"));
    capture_open(&model, testing_source("models/attn-tiny"));
    for (text = 0; text < 3; text++) {
        capture c;
        attn_input input = {0};
        char name[32];
        float *right;
        snprintf(name, sizeof name, "ids%zu.npy", text);
        uint32_t *ids = capture_ids(capture_join(data, name), &n);
        input.ids = ids;
        input.n = n;
        capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_LOGITS, ATTN_BY_HEAD, NULL);
        snprintf(name, sizeof name, "attention%zu.npy", text);
        right = capture_npy(capture_join(data, name), &count);
        ck_assert_ptr_nonnull(right);
        ck_assert_uint_eq(count, c.n_layers * c.n_heads * n * n);
        capture_near(c.weights, right, count, CAPTURE_TOLERANCE, name);
        free(right);
        snprintf(name, sizeof name, "logits%zu.npy", text);
        right = capture_npy(capture_join(data, name), &count);
        ck_assert_ptr_nonnull(right);
        ck_assert_uint_eq(count, n * c.n_vocab);
        capture_near(c.logits, right, count, 1e-4, name);
        free(right);
        free(ids);
        capture_free(&c);
    }
    attn_model_close(&model);
}
END_TEST

/* Whatever is observed and with however many threads, the stream has the same bytes. */
START_TEST(observing_changes_nothing)
{
    attn_model model;
    capture all, few;
    attn_input input = {0};
    attn_pool *pool;
    attn_error error;
    uint32_t ids[150];
    size_t i, l, d;
    capture_open(&model, testing_source("models/attn-tiny"));
    d = model.d_model;
    for (i = 0; i < 150; i++)
        ids[i] = (uint32_t)(i * 37 % 4000);
    input.ids = ids;
    input.n = 150;
    capture_run(&all, &model, &input,
                ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER | ATTN_WANT_LOGITS,
                ATTN_BY_QUERY, NULL);
    ck_assert_int_eq(attn_pool_open(3, &pool, &error), ATTN_OK);
    capture_run(&few, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER | ATTN_WANT_LOGITS, ATTN_BY_HEAD, pool);
    for (l = 1; l <= all.n_layers; l++)
        ck_assert_mem_eq(all.hidden[l], few.hidden[l], 150 * d * sizeof(float));
    ck_assert_mem_eq(all.logits, few.logits, 150 * all.n_vocab * sizeof(float));
    ck_assert_mem_eq(all.weights, few.weights, all.n_layers * all.n_heads * 150 * 150 * sizeof(float));
    capture_free(&all);
    capture_free(&few);
    attn_pool_close(pool);
    attn_model_close(&model);
}
END_TEST

static Suite *published_suite(void)
{
    Suite *suite = suite_create("published");
    TCase *values = tcase_create("values");
    tcase_set_timeout(values, 60);
    tcase_add_test(values, stories_directory);
    tcase_add_test(values, stories_gguf);
    tcase_add_test(values, stories_llama2c);
    tcase_add_test(values, bert_with_padding);
    tcase_add_test(values, nano_sort_references);
    tcase_add_test(values, nano_sort_partials);
    tcase_add_test(values, nano_sort_sorts);
    tcase_add_test(values, case_084_permuted_rows);
    tcase_add_test(values, case_086_conv1d);
    tcase_add_test(values, model_in_the_box);
    tcase_add_test(values, observing_changes_nothing);
    suite_add_tcase(suite, values);
    return suite;
}

int main(void)
{
    return testing_run(published_suite());
}
