/* test_settings.c: every setting of a file that an option switches on or leaves alone, from each kind of file; and
 * matrices whose dimension of 1 a writer left out. Right values are the file's own numbers, and case 078's, made with
 * numpy in float64. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"
#include "testing/models.h"

#include <string.h>

/* ---- pairs of an option and a setting ---- */

static const char *toy_model(const char *keys)
{
    return files_print("{\"words\": {\"a\": [1, 2, 3, 4]}, %s}", keys);
}

static void open_kind(int kind, const char *keys, const char *positions, attn_model *model)
{
    attn_model_request request = models_request(kind == 0 ? files_text(toy_model(keys)) : NULL);
    if (kind != 0) {
        request.embeddings = files_text("a 1 2 3 4\n");
        request.weights = files_text(kind == 1 ? files_print("{%s}", keys) : files_print("{\"layers\": [{%s}]}", keys));
    }
    request.overrides.positions = positions;
    models_open_request(&request, model);
}

/* What a layer has with KEYS in the file and --positions. dims 0: no rotation is asked for. */
typedef struct pair {
    const char *keys, *positions;
    attn_position_rule rule;
    size_t dims;
    double theta;
    attn_rope_layout layout;
    float slope; /* 0: none */
} pair;

static const pair pairs[] = {
    {"\"rope_theta\": 5000000", "rope", ATTN_POSITION_ROPE, 4, 5e6, ATTN_ROPE_HALF, 0},
    {"\"rotary_dim\": 2", "rope", ATTN_POSITION_ROPE, 2, 1e4, ATTN_ROPE_HALF, 0},
    {"\"partial_rotary_factor\": 0.5", "rope", ATTN_POSITION_ROPE, 2, 1e4, ATTN_ROPE_HALF, 0},
    {"\"rope_layout\": \"interleaved\"", "rope", ATTN_POSITION_ROPE, 4, 1e4, ATTN_ROPE_INTERLEAVED, 0},
    {"\"positions\": \"alibi\", \"rope_theta\": 7", "rope", ATTN_POSITION_ROPE, 4, 7, ATTN_ROPE_HALF, 0},
    {"\"positions\": \"rope\", \"rope_theta\": 7", "rope", ATTN_POSITION_ROPE, 4, 7, ATTN_ROPE_HALF, 0},
    {"\"n_heads\": 2, \"rope_theta\": 7", "rope", ATTN_POSITION_ROPE, 2, 7, ATTN_ROPE_HALF, 0},
    {"\"comment\": 0", "rope", ATTN_POSITION_ROPE, 4, 1e4, ATTN_ROPE_HALF, 0},
    {"\"slopes\": [3]", "alibi", ATTN_POSITION_ALIBI, 0, 0, ATTN_ROPE_HALF, 3},
    {"\"positions\": \"rope\", \"slopes\": [3]", "alibi", ATTN_POSITION_ALIBI, 0, 0, ATTN_ROPE_HALF, 3},
    {"\"comment\": 0", "alibi", ATTN_POSITION_ALIBI, 0, 0, ATTN_ROPE_HALF, 0.00390625F}, /* 2^-8 */
    {"\"slopes\": [3], \"rope_theta\": 7", "rope", ATTN_POSITION_ROPE, 4, 7, ATTN_ROPE_HALF, 0},
    {"\"slopes\": [3], \"rope_theta\": 7", "none", ATTN_POSITION_NONE, 0, 0, ATTN_ROPE_HALF, 0},
    {"\"slopes\": [3], \"rope_theta\": 7", "sinusoidal", ATTN_POSITION_NONE, 0, 0, ATTN_ROPE_HALF, 0},
};
enum { N_PAIRS = sizeof pairs / sizeof *pairs, N_KINDS = 3 };

START_TEST(positions_by_the_files_settings)
{
    const pair *p = &pairs[_i / N_KINDS];
    attn_model model;
    open_kind(_i % N_KINDS, p->keys, p->positions, &model);
    const attn_layer *layer = &model.layers[0];
    ck_assert_int_eq(layer->positions, p->rule);
    if (p->dims != 0) {
        ck_assert_uint_eq(layer->rope.dims, p->dims);
        ck_assert_double_eq(layer->rope.theta, p->theta);
        ck_assert_int_eq(layer->rope.layout, p->layout);
    }
    ck_assert_float_eq(layer->rule.slopes != NULL ? layer->rule.slopes[0] : 0, p->slope);
    attn_model_close(&model);
}
END_TEST

/* An option about one thing leaves the file's other settings: score, scale, temperature, soft-cap, window. */
START_TEST(other_settings_stay)
{
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.embeddings = files_text("a 1 2 3 4\n");
    request.weights = files_text("{\"score\": \"dot\", \"scale\": 0.25, \"temperature\": 2, \"softcap\": 9, "
                                 "\"window\": 3, \"mask\": \"none\"}");
    request.overrides.positions = "rope";
    models_open_request(&request, &model);
    const attn_layer *layer = &model.layers[0];
    ck_assert_int_eq(layer->rule.score, ATTN_SCORE_DOT);
    ck_assert_float_eq(layer->rule.scale, 0.25F);
    ck_assert_float_eq(layer->rule.temperature, 2);
    ck_assert_float_eq(layer->rule.softcap, 9);
    ck_assert_uint_eq(layer->mask.window, 3);
    attn_model_close(&model);
    request.overrides.has_score = true;
    request.overrides.score = ATTN_SCORE_DOT; /* the file's own: its scale belongs to it */
    models_open_request(&request, &model);
    ck_assert_float_eq(model.layers[0].rule.scale, 0.25F);
    attn_model_close(&model);
}
END_TEST

START_TEST(rotation_that_does_not_fit)
{
    attn_model_request request = models_request(files_text(toy_model("\"rotary_dim\": 3")));
    attn_model model;
    models_open_request(&request, &model); /* nothing asks for it */
    attn_model_close(&model);
    request.overrides.positions = "rope";
    models_refuse(&request, "even count up to head_dim 4, found 3");
    request.model = files_text(toy_model("\"partial_rotary_factor\": 1e300"));
    models_refuse(&request, "even count up to head_dim 4");
}
END_TEST

/* ---- containers ---- */

/* A safetensors file: HEADER and COUNT numbers 1, 2, …. */
static const char *safetensors(const char *header, size_t count)
{
    containers_image image = {0};
    containers_put(&image, strlen(header), 8);
    containers_put_bytes(&image, header, strlen(header));
    containers_put_floats(&image, count, 1);
    return files_bytes(image.data, image.size);
}

START_TEST(settings_as_arrays_of_one_number)
{
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.embeddings = files_text("a 1 2 3 4 5 6\n");
    request.weights = safetensors("{\"softcap\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                                  "\"rotary_dim\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]},"
                                  "\"rope_theta\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[8,12]},"
                                  "\"temperature\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[12,16]},"
                                  "\"W_V\":{\"dtype\":\"F32\",\"shape\":[6,2],\"data_offsets\":[16,64]}}",
                                  16);
    request.overrides.positions = "rope";
    models_open_request(&request, &model);
    ck_assert_double_eq(model.layers[0].rope.theta, 3); /* number 3 of 1, 2, … */
    ck_assert_uint_eq(model.layers[0].rope.dims, 2);
    ck_assert_float_eq(model.layers[0].rule.temperature, 4);
    ck_assert_float_eq(model.layers[0].rule.softcap, 1);
    attn_model_close(&model);
}
END_TEST

/* The weights of a GGUF alone turn as the whole model does: theta 10 (its config.json), pairs side by side. */
START_TEST(settings_of_gguf)
{
    attn_model model;
    const char *file = testing_source("tests/model/families/llama/model.gguf");
    attn_model_request request = models_request(NULL);
    request.embeddings = files_print("%s:token_embd.weight", file);
    request.weights = file;
    request.overrides.n_heads = 4;
    request.overrides.n_kv_heads = 2;
    request.overrides.positions = "rope";
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_layers, 2);
    ck_assert_double_eq(model.layers[1].rope.theta, 10);
    ck_assert_uint_eq(model.layers[1].rope.dims, 4);
    ck_assert_int_eq(model.layers[1].rope.layout, ATTN_ROPE_INTERLEAVED);
    attn_model_close(&model);
}
END_TEST

/* ---- dimensions of 1 that the writer left out ---- */

static void row_of(const attn_tensor *matrix, size_t rows, size_t columns, const float *right)
{
    float found[8];
    ck_assert_uint_eq(matrix->n_dims, 2);
    ck_assert_uint_eq(matrix->shape[0], rows);
    ck_assert_uint_eq(matrix->shape[1], columns);
    attn_tensor_to_f32(matrix, found);
    ck_assert_mem_eq(found, right, rows * columns * sizeof *found);
}

static const float counted[8] = {1, 2, 3, 4, 5, 6, 7, 8};

START_TEST(embeddings_of_one_row)
{
    static const char *const shapes[] = {"4", "1,4", "1,1,4"};
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.embeddings = safetensors(
        files_print("{\"rows\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[0,16]}}", shapes[_i]), 4);
    models_open_request(&request, &model);
    row_of(&model.embeddings, 1, 4, counted);
    attn_model_close(&model);
    request.embeddings = files_print("%s:rows", request.embeddings);
    models_open_request(&request, &model);
    ck_assert_uint_eq(model.n_vocab, 1);
    attn_model_close(&model);
}
END_TEST

/* A query, key, value or output matrix as one dimension: [d_model][1] or [1][out] by the stream's width. */
START_TEST(weights_of_one_row_or_column)
{
    static const struct {
        const char *name, *vectors;
        size_t rows, columns;
    } lines[] = {{"W_V", "a 1 2 3 4\n", 4, 1},
                 {"v_proj.weight", "a 1 2 3 4\n", 4, 1},
                 {"W_V", "a 1\n", 1, 4},
                 {"v_proj.weight", "a 1\n", 1, 4}};
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.embeddings = files_text(lines[_i].vectors);
    request.weights = safetensors(
        files_print("{\"%s\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", lines[_i].name), 4);
    models_open_request(&request, &model);
    row_of(&model.layers[0].v.w, lines[_i].rows, lines[_i].columns, counted);
    attn_model_close(&model);
}
END_TEST

/* Biases of [1][n] and a fused [1][3n]; positions of one row. */
START_TEST(vectors_of_two_dimensions)
{
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.embeddings = files_text("a 1\n");
    request.weights = safetensors("{\"W_V\":{\"dtype\":\"F32\",\"shape\":[1,4],\"data_offsets\":[0,16]},"
                                  "\"b_V\":{\"dtype\":\"F32\",\"shape\":[1,4],\"data_offsets\":[16,32]}}",
                                  8);
    models_open_request(&request, &model);
    ck_assert_mem_eq(model.layers[0].v.bias, counted + 4, 4 * sizeof *counted);
    attn_model_close(&model);
    request.weights = NULL;
    request.embeddings = files_text("a 1 2 3 4\n");
    request.overrides.positions = safetensors("{\"p\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 4);
    models_open_request(&request, &model);
    row_of(&model.position_embeddings, 1, 4, counted);
    attn_model_close(&model);
}
END_TEST

static Suite *settings_suite(void)
{
    Suite *suite = suite_create("settings");
    TCase *tests = tcase_create("settings");
    tcase_add_loop_test(tests, positions_by_the_files_settings, 0, N_PAIRS * N_KINDS);
    tcase_add_test(tests, other_settings_stay);
    tcase_add_test(tests, rotation_that_does_not_fit);
    tcase_add_test(tests, settings_as_arrays_of_one_number);
    tcase_add_test(tests, settings_of_gguf);
    tcase_add_loop_test(tests, embeddings_of_one_row, 0, 3);
    tcase_add_loop_test(tests, weights_of_one_row_or_column, 0, 4);
    tcase_add_test(tests, vectors_of_two_dimensions);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return testing_run(settings_suite());
}
