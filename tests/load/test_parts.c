/* test_parts.c: -v, -e and -w alone and over a model, roles by name, options against a model's own
 * rules, and what happens when memory fails at any point of loading and running. Right values by
 * hand. */
#include "config.h"

#include "testing/capture.h"
#include "testing.h"

#include "load/roles.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct part_files { /* paths of new files, removed by drop */
    char paths[6][64];
    size_t n;
} part_files;

static const char *put(part_files *files, const char *text)
{
    char *path = files->paths[files->n++];
    snprintf(path, sizeof files->paths[0], "%s", capture_file(text));
    return path;
}

static void drop(const part_files *files)
{
    size_t i;
    for (i = 0; i < files->n; i++)
        unlink(files->paths[i]);
}

static attn_model_request request_of(const char *model, const char *vocab, const char *embeddings, const char *weights)
{
    attn_model_request request = {0};
    request.model = model;
    request.vocab = vocab;
    request.embeddings = embeddings;
    request.weights = weights;
    request.overrides = attn_overrides_none();
    return request;
}

static void must_open(const attn_model_request *request, attn_model *model)
{
    attn_error error;
    char text[2048];
    memset(&error, 0, sizeof error);
    if (attn_model_open(request, model, &error) != ATTN_OK) {
        attn_error_text(&error, text, sizeof text);
        ck_abort_msg("%s", text);
    }
}

static void must_refuse(const attn_model_request *request, const char *part)
{
    attn_error error;
    attn_model model;
    char text[2048];
    memset(&error, 0, sizeof error);
    ck_assert_int_ne(attn_model_open(request, &model, &error), ATTN_OK);
    attn_error_text(&error, text, sizeof text);
    if (strstr(text, part) == NULL)
        ck_abort_msg("expected '%s' in: %s", part, text);
}

static const char vocab_text[] = "orange\npear\nandroid\n";
static const char vector_text[] = "pear 7 2\norange 6 1\nandroid 1 8\nkiwi 5 5\n";

START_TEST(vectors_bring_their_words)
{
    part_files files = {0};
    attn_model model;
    attn_model_request request = request_of(NULL, NULL, put(&files, vector_text), NULL);
    float row[2];
    must_open(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 4);
    ck_assert_uint_eq(model.n_layers, 1);
    ck_assert_uint_eq(attn_tokenizer_find(model.tokenizer, attn_bytes_of("orange")), 1);
    attn_tensor_read(&model.embeddings, 1, 1, 0, 2, row, 2);
    ck_assert_float_eq(row[0], 6.0F);
    ck_assert(model.layers[0].mask.causal);
    attn_model_close(&model);
    drop(&files);
}
END_TEST

START_TEST(vocabulary_orders_the_vectors)
{
    part_files files = {0};
    attn_model model;
    const char *vocab = put(&files, vocab_text);
    attn_model_request request = request_of(NULL, vocab, put(&files, vector_text), NULL);
    float row[2];
    must_open(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 3);
    attn_tensor_read(&model.embeddings, 0, 1, 0, 2, row, 2);
    ck_assert_float_eq(row[0], 6.0F);
    attn_tensor_read(&model.embeddings, 1, 1, 0, 2, row, 2);
    ck_assert_float_eq(row[0], 7.0F);
    ck_assert_ptr_nonnull(strstr(model.warning, "1 of the 4 words")); /* kiwi */
    attn_model_close(&model);
    drop(&files);
}
END_TEST

START_TEST(vocabulary_alone_is_one_hot)
{
    part_files files = {0};
    attn_model model;
    attn_model_request request = request_of(NULL, put(&files, vocab_text), NULL, NULL);
    must_open(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 3);
    ck_assert_uint_eq(model.d_model, 3);
    ck_assert_ptr_null(model.embeddings.data);
    attn_model_close(&model);
    drop(&files);
}
END_TEST

START_TEST(rows_by_id)
{
    part_files files = {0};
    attn_model model;
    const char *rows = put(&files, "[[1, 2], [3, 4]]");
    attn_model_request request = request_of(NULL, NULL, rows, NULL);
    must_open(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 2);
    ck_assert_ptr_eq(attn_tokenizer_kind_of(model.tokenizer), &attn_kind_ids);
    attn_model_close(&model);
    drop(&files);
}
END_TEST

START_TEST(weights_replace_layers)
{
    part_files files = {0};
    attn_model model;
    const char *toy = put(&files, "{\"words\": {\"a\": [1, 2]}, \"layers\": [{}, {}]}");
    const char *weights = put(&files, "{\"W_V\": [[0, 1], [1, 0]]}");
    attn_model_request request = request_of(toy, NULL, NULL, weights);
    must_open(&request, &model);
    ck_assert_uint_eq(model.n_layers, 1);
    ck_assert_ptr_nonnull(model.layers[0].v.w.data);
    ck_assert_ptr_null(model.layers[0].q.w.data);
    attn_model_close(&model);
    drop(&files);
}
END_TEST

START_TEST(parts_that_do_not_fit)
{
    part_files files = {0};
    const char *vectors = put(&files, vector_text);
    const char *wide = put(&files, "{\"W_V\": [[0, 1], [1, 0], [1, 1]]}");
    const char *toy = put(&files, "{\"words\": {\"a\": [1, 2, 3]}, \"W_V\": [[1], [2], [3]]}");
    const char *words = put(&files, "{\"words\": {\"a\": [1, 2]}}");
    attn_model_request request = request_of(NULL, NULL, vectors, wide);
    must_refuse(&request, "expected [2][2]");
    request = request_of(NULL, NULL, NULL, wide);
    must_refuse(&request, "no vocabulary");
    request = request_of(toy, NULL, vectors, NULL);
    must_refuse(&request, "[3][1]");
    request = request_of(NULL, NULL, vectors, words);
    must_refuse(&request, "belongs to a model");
    request = request_of("does/not/exist.json", NULL, NULL, NULL);
    must_refuse(&request, "does/not/exist.json");
    request = request_of(NULL, NULL, NULL, NULL);
    must_refuse(&request, "no model");
    request = request_of(NULL, testing_source("tests/model/families/gpt2/ids.npy"), NULL, NULL);
    must_refuse(&request, "numbers and no vocabulary");
    drop(&files);
}
END_TEST

START_TEST(weights_alone_with_ids)
{
    part_files files = {0};
    attn_model model;
    attn_model_request request = request_of(NULL, NULL, NULL, put(&files, "{\"W_V\": [[0, 1], [1, 0], [1, 1]]}"));
    request.tokenizer = &attn_kind_ids;
    must_open(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 3);
    attn_model_close(&model);
    drop(&files);
}
END_TEST

/* ---- names
 * ---------------------------------------------------------------------------------------------- */

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
    const attn_tensor *fused;
    char weights[4096], rows[4200];
    float file[48], own[16];
    size_t i, k;
    attn_model_request request;
    snprintf(weights, sizeof weights, "%s", testing_source("tests/model/families/gpt2/model.safetensors"));
    snprintf(rows, sizeof rows, "%s:transformer.wte.weight", weights);
    request = request_of(NULL, NULL, rows, weights);
    request.overrides.n_heads = 4;
    must_open(&request, &model);
    ck_assert_uint_eq(model.n_layers, 2);
    ck_assert_uint_eq(model.n_vocab, 24);
    ck_assert_uint_eq(model.layers[1].rule.head_dim, 4);
    ck_assert_int_eq(attn_container_open(weights, NULL, &container, &error), ATTN_OK);
    fused = attn_container_find(&container, "transformer.h.1.attn.c_attn.weight");
    ck_assert_ptr_nonnull(fused);
    for (i = 0; i < 16; i++) {
        const attn_linear *parts[3];
        parts[0] = &model.layers[1].q;
        parts[1] = &model.layers[1].k;
        parts[2] = &model.layers[1].v;
        attn_tensor_read(fused, i, 1, 0, 48, file, 48);
        for (k = 0; k < 3; k++) {
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
    attn_model_request request;
    char weights[4096];
    snprintf(weights, sizeof weights, "%s", testing_source("tests/model/families/gpt2/ids.npy"));
    request = request_of(NULL, NULL, NULL, weights);
    request.tokenizer = &attn_kind_ids;
    must_refuse(&request, "by a name attn knows");
}
END_TEST

/* ---- options
 * -------------------------------------------------------------------------------------------- */

START_TEST(options_over_a_model)
{
    part_files files = {0};
    attn_model model;
    attn_mask mask = {0};
    attn_model_request request = request_of(
        put(&files, "{\"words\": {\"a\": [1, 2, 3, 4]}, \"mask\": \"none\", \"scale\": 3}"), NULL, NULL, NULL);
    request.overrides.n_heads = 2;
    request.overrides.softcap = 5.0F;
    request.overrides.temperature = 2.0F;
    must_open(&request, &model);
    ck_assert_uint_eq(model.layers[0].rule.n_heads, 2);
    ck_assert_uint_eq(model.layers[0].rule.head_dim, 2);
    ck_assert_float_eq(model.layers[0].rule.softcap, 5.0F);
    ck_assert_float_eq(model.layers[0].rule.scale, 3.0F);
    ck_assert(!model.layers[0].mask.causal);
    attn_model_close(&model);
    request.overrides.has_score = true; /* another rule has another scale */
    request.overrides.score = ATTN_SCORE_DOT;
    mask.window = 3;
    request.overrides.mask = &mask;
    request.overrides.positions = "alibi";
    must_open(&request, &model);
    ck_assert_float_eq(attn_rule_scale(&model.layers[0].rule), 1.0F);
    ck_assert_uint_eq(model.layers[0].mask.window, 3);
    ck_assert_float_eq(model.layers[0].rule.slopes[0], 0.0625F); /* 2^−(8/2) */
    attn_model_close(&model);
    request.overrides.positions = "helix";
    must_refuse(&request, "--positions");
    request.overrides.positions = "rop";
    must_refuse(&request, "did you mean 'rope'?");
    request.overrides.positions = NULL;
    request.overrides.n_heads = 3;
    must_refuse(&request, "3");
    drop(&files);
}
END_TEST

START_TEST(counts_of_a_published_model)
{
    attn_model_request request = request_of(testing_source("tests/model/families/llama"), NULL, NULL, NULL);
    request.overrides.n_heads = 2;
    must_refuse(&request, "llama model has its own counts");
}
END_TEST

/* ---- failing memory
 * --------------------------------------------------------------------------------------- */

typedef struct failing {
    size_t seen, at;
} failing;

static bool fail_one(void *context, size_t size)
{
    failing *f = context;
    (void)size;
    return ++f->seen != f->at;
}

static attn_status nothing_block(void *context, const attn_block *block, attn_error *error)
{
    (void)context;
    (void)block;
    (void)error;
    return ATTN_OK;
}

static attn_status nothing_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    (void)context;
    (void)hidden;
    (void)error;
    return ATTN_OK;
}

static attn_status nothing_logits(void *context, const attn_logits *logits, attn_error *error)
{
    (void)context;
    (void)logits;
    (void)error;
    return ATTN_OK;
}

static attn_status open_and_run(const char *path, attn_error *error)
{
    static const uint32_t ids[] = {1, 0, 1};
    attn_model model;
    attn_model_request request = request_of(path, NULL, NULL, NULL);
    attn_observer observer = {0};
    attn_input input = {0};
    attn_status status = attn_model_open(&request, &model, error);
    if (status != ATTN_OK)
        return status;
    input.ids = ids;
    input.n = 3;
    observer.wants = ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER |
                     (model.head.w.data != NULL ? (unsigned)ATTN_WANT_LOGITS : 0U);
    observer.block = nothing_block;
    observer.hidden = nothing_hidden;
    observer.logits = nothing_logits;
    status = attn_forward(&model, &input, &observer, NULL, error);
    attn_model_close(&model);
    return status;
}

/* The Nth allocation fails, for every N: a message, no crash (and no leak, under the sanitizer). */
static void fail_every_allocation(const char *path)
{
    failing f = {0};
    attn_error error;
    for (f.at = 1; f.at < 100000; f.at++) {
        attn_status status;
        f.seen = 0;
        memset(&error, 0, sizeof error);
        attn_set_alloc_hook(fail_one, &f);
        status = open_and_run(path, &error);
        attn_set_alloc_hook(NULL, NULL);
        if (f.seen < f.at) {
            ck_assert_int_eq(status, ATTN_OK);
            break;
        }
        if (status != ATTN_OK) {
            ck_assert_int_eq(status, ATTN_ENOMEM);
            ck_assert_str_ne(error.message, "");
        }
    }
    ck_assert_uint_gt(f.at, 20);
}

START_TEST(failing_memory_toy)
{
    part_files files = {0};
    fail_every_allocation(put(&files, "{\"words\": {\"a\": [1, 2], \"b\": [0, 1]}, \"axes\": "
                                      "[\"x\", \"y\"], \"layers\": [{\"heads\": "
                                      "[{\"W_Q\": [[1, 0], [0, 2]]}, {}], \"head_mix\": [1, 2], \"b_O\": [1, 2], "
                                      "\"mask\": [\"causal\", [[0, 1, 0], "
                                      "[1, 0, null], [true, 1, 1]]], \"positions\": \"rope\"}, "
                                      "{\"qk_norm\": true, \"n_heads\": 2, "
                                      "\"positions\": \"alibi\", \"residual\": true}]}"));
    drop(&files);
}
END_TEST

START_TEST(failing_memory_published)
{
    static const char *const models[] = {"tests/model/families/gemma3_text", "tests/model/families/gpt_neox",
                                         "tests/model/families/bert", "tests/model/families/llama/model.gguf",
                                         "tests/model/families/phi3"};
    char path[4096];
    snprintf(path, sizeof path, "%s", testing_source(models[_i]));
    fail_every_allocation(path);
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
