/* test_parts.c: -v, -e and -w alone and over a model, roles by name, options against a model's own
 * rules, and what happens when memory fails at any point of loading and running. Right values by
 * hand. */
#include "config.h"

#include "testing.h"

#include "load/roles.h"
#include "testing/files.h"
#include "testing/memory.h"
#include "testing/models.h"

#include <string.h>

static attn_model_request request_of(const char *model, const char *vocab, const char *embeddings, const char *weights)
{
    attn_model_request request = models_request(model);
    request.vocab = vocab;
    request.embeddings = embeddings;
    request.weights = weights;
    return request;
}

static const char vocab_text[] = "orange\npear\nandroid\n";
static const char vector_text[] = "pear 7 2\norange 6 1\nandroid 1 8\nkiwi 5 5\n";

START_TEST(vectors_bring_their_words)
{
    attn_model model;
    attn_model_request request = request_of(NULL, NULL, files_text(vector_text), NULL);
    float row[2];
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 4);
    ck_assert_uint_eq(model.n_layers, 1);
    ck_assert_uint_eq(attn_tokenizer_find(model.tokenizer, attn_bytes_of("orange")), 1);
    attn_tensor_read(&model.embeddings, 1, 1, 0, 2, row, 2);
    ck_assert_float_eq(row[0], 6.0F);
    ck_assert(model.layers[0].mask.causal);
    attn_model_close(&model);
}
END_TEST

START_TEST(vocabulary_orders_the_vectors)
{
    attn_model model;
    const char *vocab = files_text(vocab_text);
    attn_model_request request = request_of(NULL, vocab, files_text(vector_text), NULL);
    float row[2];
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 3);
    attn_tensor_read(&model.embeddings, 0, 1, 0, 2, row, 2);
    ck_assert_float_eq(row[0], 6.0F);
    attn_tensor_read(&model.embeddings, 1, 1, 0, 2, row, 2);
    ck_assert_float_eq(row[0], 7.0F);
    ck_assert_ptr_nonnull(strstr(model.warning, "1 of the 4 words")); /* kiwi */
    attn_model_close(&model);
}
END_TEST

START_TEST(vocabulary_alone_is_one_hot)
{
    attn_model model;
    attn_model_request request = request_of(NULL, files_text(vocab_text), NULL, NULL);
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 3);
    ck_assert_uint_eq(model.d_model, 3);
    ck_assert_ptr_null(model.embeddings.data);
    attn_model_close(&model);
}
END_TEST

START_TEST(rows_by_id)
{
    attn_model model;
    const char *rows = files_text("[[1, 2], [3, 4]]");
    attn_model_request request = request_of(NULL, NULL, rows, NULL);
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 2);
    ck_assert_ptr_eq(attn_tokenizer_kind_of(model.tokenizer), &attn_kind_ids);
    attn_model_close(&model);
}
END_TEST

START_TEST(weights_replace_layers)
{
    attn_model model;
    const char *toy = files_text("{\"words\": {\"a\": [1, 2]}, \"layers\": [{}, {}]}");
    const char *weights = files_text("{\"W_V\": [[0, 1], [1, 0]]}");
    attn_model_request request = request_of(toy, NULL, NULL, weights);
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_layers, 1);
    ck_assert_ptr_nonnull(model.layers[0].v.w.data);
    ck_assert_ptr_null(model.layers[0].q.w.data);
    attn_model_close(&model);
}
END_TEST

START_TEST(parts_that_do_not_fit)
{
    const char *vectors = files_text(vector_text);
    const char *wide = files_text("{\"W_V\": [[0, 1], [1, 0], [1, 1]]}");
    const char *toy = files_text("{\"words\": {\"a\": [1, 2, 3]}, \"W_V\": [[1], [2], [3]]}");
    const char *words = files_text("{\"words\": {\"a\": [1, 2]}}");
    attn_model_request request = request_of(NULL, NULL, vectors, wide);
    models_refuse(&request, "expected [2][2]");
    request = request_of(NULL, NULL, NULL, wide);
    models_refuse(&request, "no vocabulary");
    request = request_of(toy, NULL, vectors, NULL);
    models_refuse(&request, "[3][1]");
    request = request_of(NULL, NULL, vectors, words);
    models_refuse(&request, "belongs to a model");
    request = request_of("does/not/exist.json", NULL, NULL, NULL);
    models_refuse(&request, "does/not/exist.json");
    request = request_of(NULL, NULL, NULL, NULL);
    models_refuse(&request, "no model");
    request = request_of(NULL, testing_source("tests/model/families/gpt2/ids.npy"), NULL, NULL);
    models_refuse(&request, "numbers and no vocabulary");
}
END_TEST

START_TEST(weights_alone_with_ids)
{
    attn_model model;
    attn_model_request request = request_of(NULL, NULL, NULL, files_text("{\"W_V\": [[0, 1], [1, 0], [1, 1]]}"));
    request.tokenizer = &attn_kind_ids;
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 3);
    attn_model_close(&model);
}
END_TEST

/* ---- names ---- */

static void expect_role(const char *name, int role, size_t layer, attn_layout layout)
{
    size_t found = 99;
    const attn_role_name *row = attn_role_of(name, &found);
    ck_assert_msg(row != NULL, "%s has no role", name);
    ck_assert_int_eq(row->role, role);
    ck_assert_uint_eq(found, layer);
    ck_assert_int_eq(row->layout, layout);
}

START_TEST(names_and_roles)
{
    size_t layer;
    expect_role("W_Q", 0, 0, ATTN_IN_OUT);
    expect_role("layers.3.W_K", 1, 3, ATTN_IN_OUT);
    expect_role("model.layers.12.self_attn.q_proj.weight", 0, 12, ATTN_OUT_IN);
    expect_role("transformer.h.2.attn.c_attn.weight", ATTN_ROLE_FUSED, 2, ATTN_IN_OUT);
    expect_role("h.2.attn.c_proj.weight", 3, 2, ATTN_IN_OUT);
    expect_role("bert.encoder.layer.1.attention.self.value.weight", 2, 1, ATTN_OUT_IN);
    expect_role("encoder.layer.1.attention.output.dense.weight", 3, 1, ATTN_OUT_IN);
    expect_role("blk.7.attn_output.weight", 3, 7, ATTN_OUT_IN);
    expect_role("blocks.0.attn.to_out.0.weight", 3, 0, ATTN_OUT_IN);
    expect_role("q_proj", 0, 0, ATTN_OUT_IN);
    expect_role("0/value", 2, 0, ATTN_OUT_IN);
    expect_role("c_attn", ATTN_ROLE_FUSED, 0, ATTN_IN_OUT);
    expect_role("in_proj_weight", ATTN_ROLE_FUSED, 0, ATTN_OUT_IN);
    expect_role("layers.4.attention.wq.weight", 0, 4, ATTN_OUT_IN);
    ck_assert_ptr_null(attn_role_of("h.2.mlp.c_proj.weight", &layer));
    ck_assert_ptr_null(attn_role_of("encoder.layer.1.output.dense.weight", &layer));
    ck_assert_ptr_null(attn_role_of("monkey.weight", &layer));
}
END_TEST

/* GPT-2's fused map as -w: the same numbers in q, k and v as the file has in its columns. */
START_TEST(fused_weights_of_a_container)
{
    attn_model model;
    attn_container container;
    attn_error error;
    float file[48], own[16];
    const char *weights = testing_source("tests/model/families/gpt2/model.safetensors");
    attn_model_request request = request_of(NULL, NULL, files_print("%s:transformer.wte.weight", weights), weights);
    request.overrides.n_heads = 4;
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_layers, 2);
    ck_assert_uint_eq(model.n_vocab, 24);
    ck_assert_uint_eq(model.layers[1].rule.head_dim, 4);
    ck_assert_int_eq(attn_container_open(weights, NULL, &container, &error), ATTN_OK);
    const attn_tensor *fused = attn_container_find(&container, "transformer.h.1.attn.c_attn.weight");
    ck_assert_ptr_nonnull(fused);
    const attn_linear *parts[3] = {&model.layers[1].q, &model.layers[1].k, &model.layers[1].v};
    for (size_t i = 0; i < 16; i++) {
        attn_tensor_read(fused, i, 1, 0, 48, file, 48);
        for (size_t k = 0; k < 3; k++) {
            attn_tensor_read(&parts[k]->w, i, 1, 0, 16, own, 16);
            ck_assert_mem_eq(own, file + 16 * k, sizeof own);
        }
    }
    attn_container_close(&container);
    attn_model_close(&model);
}
END_TEST

START_TEST(names_without_a_role)
{
    attn_model_request request = request_of(NULL, NULL, NULL, testing_source("tests/model/families/gpt2/ids.npy"));
    request.tokenizer = &attn_kind_ids;
    models_refuse(&request, "by a name attn knows");
}
END_TEST

/* ---- options ---- */

START_TEST(options_over_a_model)
{
    attn_model model;
    const char *rules[] = {"window:3", NULL};
    attn_model_request request = request_of(
        files_text("{\"words\": {\"a\": [1, 2, 3, 4]}, \"mask\": \"none\", \"scale\": 3}"), NULL, NULL, NULL);
    request.overrides.n_heads = 2;
    request.overrides.softcap = (attn_given_number){true, 5.0F};
    request.overrides.temperature = (attn_given_number){true, 2.0F};
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.layers[0].rule.n_heads, 2);
    ck_assert_uint_eq(model.layers[0].rule.head_dim, 2);
    ck_assert_float_eq(model.layers[0].rule.softcap, 5.0F);
    ck_assert_float_eq(model.layers[0].rule.scale, 3.0F);
    ck_assert(!model.layers[0].mask.causal);
    attn_model_close(&model);
    request.overrides.has_score = true; /* another rule has another scale */
    request.overrides.score = ATTN_SCORE_DOT;
    request.overrides.masks = (attn_strings){rules, 1};
    request.overrides.positions = "alibi";
    models_open_request(&request, &model);
    ck_assert_float_eq(attn_rule_scale(&model.layers[0].rule), 1.0F);
    ck_assert_uint_eq(model.layers[0].mask.window, 3);
    ck_assert_float_eq(model.layers[0].rule.slopes[0], 0.0625F); /* 2^−(8/2) */
    attn_model_close(&model);
    request.overrides.positions = "helix";
    models_refuse(&request, "--positions");
    request.overrides.positions = "rop";
    models_refuse(&request, "did you mean 'rope'?");
    request.overrides.positions = NULL;
    request.overrides.n_heads = 3;
    models_refuse(&request, "3");
}
END_TEST

START_TEST(counts_of_a_published_model)
{
    attn_model_request request = request_of(testing_source("tests/model/families/llama"), NULL, NULL, NULL);
    request.overrides.n_heads = 2;
    models_refuse(&request, "llama model has its own counts");
}
END_TEST

/* ---- failing memory ---- */

static attn_status open_and_run(void *context, attn_error *error)
{
    return models_run(context, (const uint32_t[]){1, 0, 1}, 3, error);
}

START_TEST(failing_memory_toy)
{
    const char *path =
        files_text("{\"words\": {\"a\": [1, 2], \"b\": [0, 1]}, \"axes\": [\"x\", \"y\"], \"layers\": ["
                   "{\"heads\": [{\"W_Q\": [[1, 0], [0, 2]]}, {}], \"head_mix\": [1, 2], \"b_O\": [1, 2], "
                   "\"mask\": [\"causal\", [[0, 1, 0], [1, 0, null], [true, 1, 1]]], \"positions\": \"rope\"}, "
                   "{\"qk_norm\": true, \"n_heads\": 2, \"positions\": \"alibi\", \"residual\": true}]}");
    ck_assert_uint_gt(memory_fail_each(open_and_run, (char *)path, MEMORY_ONE).failures, 20);
}
END_TEST

static const char *const models[] = {"gemma3_text", "gpt_neox", "bert", "llama/model.gguf", "phi3"};

START_TEST(failing_memory_published)
{
    const char *path = testing_source(files_join("tests/model/families", models[_i]));
    ck_assert_uint_gt(memory_fail_each(open_and_run, (char *)path, MEMORY_ONE).failures, 20);
}
END_TEST

static Suite *parts_suite(void)
{
    Suite *suite = suite_create("parts");
    TCase *parts = tcase_create("parts"), *memory = tcase_create("memory");
    tcase_add_test(parts, vectors_bring_their_words);
    tcase_add_test(parts, vocabulary_orders_the_vectors);
    tcase_add_test(parts, vocabulary_alone_is_one_hot);
    tcase_add_test(parts, rows_by_id);
    tcase_add_test(parts, weights_replace_layers);
    tcase_add_test(parts, weights_alone_with_ids);
    tcase_add_test(parts, parts_that_do_not_fit);
    tcase_add_test(parts, names_and_roles);
    tcase_add_test(parts, names_without_a_role);
    tcase_add_test(parts, fused_weights_of_a_container);
    tcase_add_test(parts, options_over_a_model);
    tcase_add_test(parts, counts_of_a_published_model);
    tcase_set_timeout(memory, 300);
    tcase_add_test(memory, failing_memory_toy);
    tcase_add_loop_test(memory, failing_memory_published, 0, 5);
    suite_add_tcase(suite, parts);
    suite_add_tcase(suite, memory);
    return suite;
}

int main(void)
{
    return testing_run(parts_suite());
}
