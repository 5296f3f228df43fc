/* test_published.c: trained models against outside values: shared/data (float64 numpy references
 * that agree with PyTorch, and nano_sort's author's own PyTorch values), shared/cases, and the
 * model in the box against its training script's reference. */
#include "config.h"

#include "testing.h"

#include "testing/arrays.h"
#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/trees.h"

#include <string.h>

/* A published model and the folders of its references; shared/data has both. */
static const struct {
    const char *model, *folder, *references[6];
} published[] = {
    {"data/stories260K/hf", "data/stories260K/ref", {"s0", "s1", "s2", "s3", "s4"}},
    {"data/stories260K/stories260K.gguf", "data/stories260K/ref", {"s0", "s1", "s2", "s3", "s4"}},
    {"data/stories260K/stories260K.bin", "data/stories260K/ref", {"s0", "s1", "s2", "s3", "s4"}},
    {"data/bert_tiny4L_2L_f16", "data/bert_tiny4L_2L_f16/ref", {"s0", "s1", "s2_pad"}},
    {"data/nano_sort/hf", "data/nano_sort/ref", {"b0", "b1", "b2"}},
};

START_TEST(agrees_with_its_references)
{
    attn_model model;
    testing_need(published[_i].model);
    models_open(&model, testing_shared(published[_i].model));
    for (size_t i = 0; published[_i].references[i] != NULL; i++)
        capture_check(&model, files_join(testing_shared(published[_i].folder), published[_i].references[i]));
    attn_model_close(&model);
}
END_TEST

/* The author's own PyTorch values: three texts in one batch, of the last block. */
START_TEST(nano_sort_partials)
{
    enum { N = 11, WIDTH = 48, N_VOCAB = 3 };
    testing_need("data/nano_sort");
    static const char *const hidden[] = {"x.npy", "block0.npy", "block1.npy", "block2.npy"};
    const char *partials = testing_shared("data/nano_sort/partials");
    attn_model model;
    size_t n, count;
    uint32_t *ids = arrays_ids(files_join(partials, "idx.npy"), &n);
    float *right_logits = arrays_npy(files_join(partials, "lm_head.npy"), &count);
    ck_assert_uint_eq(n, 3 * N);
    models_open(&model, testing_shared("data/nano_sort/hf"));
    for (size_t text = 0; text < 3; text++) {
        capture c;
        attn_input input = {.ids = ids + text * N, .n = N};
        capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER | ATTN_WANT_LOGITS,
                    ATTN_BY_HEAD, NULL);
        for (size_t l = 0; l < 4; l++) {
            float *right = arrays_npy(files_join(partials, hidden[l]), &count);
            arrays_near(c.hidden[l], right + text * N * WIDTH, (size_t)N * WIDTH, CAPTURE_TOLERANCE, hidden[l]);
            free(right);
        }
        arrays_near(c.logits, right_logits + text * N * N_VOCAB, (size_t)N * N_VOCAB, CAPTURE_TOLERANCE, "lm_head.npy");
        capture_free(&c);
    }
    free(right_logits);
    free(ids);
    attn_model_close(&model);
}
END_TEST

/* The model sorts: six letters, then each next one is the arg-max. */
START_TEST(nano_sort_sorts)
{
    static const uint32_t letters[] = {2, 0, 1, 1, 0, 2}, sorted[] = {0, 0, 1, 1, 2, 2};
    testing_need("data/nano_sort");
    attn_model model;
    uint32_t ids[11];
    size_t n = 6;
    models_open(&model, testing_shared("data/nano_sort/hf"));
    memcpy(ids, letters, sizeof letters);
    for (size_t i = 0; i < 6; i++) {
        capture c;
        attn_input input = {.ids = ids, .n = n};
        uint32_t best = 0;
        capture_run(&c, &model, &input, ATTN_WANT_LOGITS, ATTN_BY_HEAD, NULL);
        for (uint32_t k = 1; k < 3; k++)
            if (c.logits[(n - 1) * 3 + k] > c.logits[(n - 1) * 3 + best])
                best = k;
        ck_assert_uint_eq(best, sorted[i]);
        if (n < 11)
            ids[n++] = best;
        capture_free(&c);
    }
    attn_model_close(&model);
}
END_TEST

/* The tiny models of shared/cases against their expected.json: weights [head][query][key] of the one layer. */
static const char *const cases[][2] = {{"cases/084-gguf-llama-permuted-qk", "hf"},
                                       {"cases/084-gguf-llama-permuted-qk", "model.gguf"},
                                       {"cases/086-gpt2-conv1d-c-attn", "plain"},
                                       {"cases/086-gpt2-conv1d-c-attn", "prefixed"}};

START_TEST(weights_of_a_case)
{
    testing_need(cases[_i][0]);
    const char *folder = testing_shared(cases[_i][0]);
    attn_json_node *root = trees_read(files_join(folder, "expected.json"));
    size_t n, count;
    float *numbers = trees_numbers(attn_json_node_member(root, "ids"), &n);
    float *right = trees_numbers(attn_json_node_member(root, "attn"), &count);
    uint32_t ids[16];
    attn_model model;
    capture c;
    attn_input input = {.ids = ids, .n = n};
    ck_assert_uint_le(n, 16);
    for (size_t i = 0; i < n; i++)
        ids[i] = (uint32_t)numbers[i];
    models_open(&model, files_join(folder, cases[_i][1]));
    capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS, ATTN_BY_HEAD, NULL);
    ck_assert_uint_eq(count, c.n_heads * n * n);
    arrays_near(c.weights, right, count, 1e-5, "attn");
    capture_free(&c);
    free(right);
    free(numbers);
    attn_json_tree_free(root);
    attn_model_close(&model);
}
END_TEST

/* The model in the box against models/reference.py (numpy float64): logits to 1e-4, weights to 2e-5. */
START_TEST(model_in_the_box)
{
    const char *folder = testing_source("tests/data/model");
    attn_model model;
    capture c;
    size_t n, n_weights, n_logits;
    uint32_t *ids = arrays_ids(files_print("%s/ids%d.npy", folder, _i), &n);
    float *weights = arrays_npy(files_print("%s/attention%d.npy", folder, _i), &n_weights);
    float *logits = arrays_npy(files_print("%s/logits%d.npy", folder, _i), &n_logits);
    attn_input input = {.ids = ids, .n = n};
    ck_assert(weights != NULL && logits != NULL);
    models_open(&model, testing_source("models/attn-tiny"));
    capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_LOGITS, ATTN_BY_HEAD, NULL);
    ck_assert_uint_eq(n_weights, c.n_layers * c.n_heads * n * n);
    arrays_near(c.weights, weights, n_weights, CAPTURE_TOLERANCE, "attention");
    ck_assert_uint_eq(n_logits, n * c.n_vocab);
    arrays_near(c.logits, logits, n_logits, 1e-4, "logits");
    capture_free(&c);
    free(weights);
    free(logits);
    free(ids);
    attn_model_close(&model);
}
END_TEST

/* Whatever is observed and with however many threads, the stream has the same bytes. */
START_TEST(observing_changes_nothing)
{
    attn_model model;
    capture all, few;
    attn_pool *pool;
    attn_error error;
    uint32_t ids[150];
    attn_input input = {.ids = ids, .n = 150};
    models_open(&model, testing_source("models/attn-tiny"));
    for (size_t i = 0; i < 150; i++)
        ids[i] = (uint32_t)(i * 37 % 4000);
    capture_run(&all, &model, &input,
                ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER | ATTN_WANT_LOGITS,
                ATTN_BY_QUERY, NULL);
    ck_assert_int_eq(attn_pool_open(3, &pool, &error), ATTN_OK);
    capture_run(&few, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER | ATTN_WANT_LOGITS, ATTN_BY_HEAD, pool);
    for (size_t l = 1; l <= all.n_layers; l++)
        ck_assert_mem_eq(all.hidden[l], few.hidden[l], 150 * model.d_model * sizeof(float));
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
    tcase_add_loop_test(values, agrees_with_its_references, 0, sizeof published / sizeof published[0]);
    tcase_add_test(values, nano_sort_partials);
    tcase_add_test(values, nano_sort_sorts);
    tcase_add_loop_test(values, weights_of_a_case, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(values, model_in_the_box, 0, 3);
    tcase_add_test(values, observing_changes_nothing);
    suite_add_tcase(suite, values);
    return suite;
}

int main(void)
{
    return testing_run(published_suite());
}
