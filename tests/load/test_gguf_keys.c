/* test_gguf_keys.c: what becomes of a GGUF's keys that no family reads, and of those that newer files have. Right values:
 * the kinds and fates that the issue and llama.cpp's list of keys name; numbers by the same model without the key, or by
 * the same model with the setting said in another way. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"
#include "testing/models.h"

#include <string.h>

enum { U32 = 4, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9, HEAD = 24 };

static void put_text(containers_image *image, const char *text)
{
    containers_put(image, strlen(text), 8);
    containers_put_bytes(image, text, strlen(text));
}

/* The architecture of a folder of tests/model/families: "gemma3" of "gemma3_plain". */
static const char *architecture_of(const char *folder)
{
    return files_print("%.*s", (int)strcspn(folder, "_"), folder);
}

/* The model of FOLDER with one key more, NAME of its architecture, whose type and value are VALUE. */
static const char *model_with(const char *folder, const char *name, const containers_image *value)
{
    static const char pad[32] = "................................";
    size_t size;
    char *old = files_read(testing_source(files_print("tests/model/families/%s/model.gguf", folder)), &size);
    containers_image keys = {.size = 0};
    put_text(&keys, files_print("%s.%s", architecture_of(folder), name));
    containers_put_bytes(&keys, value->data, value->size);
    put_text(&keys, "pad"); /* the numbers stay at a multiple of 32 bytes */
    containers_put(&keys, STRING, 4);
    const size_t room = (32 - (keys.size + 8) % 32) % 32;
    containers_put(&keys, room, 8);
    containers_put_bytes(&keys, pad, room);
    char *whole = malloc(size + keys.size);
    ck_assert_ptr_nonnull(whole);
    memcpy(whole, old, HEAD);
    whole[16] = (char)(whole[16] + 2); /* the number of keys */
    memcpy(whole + HEAD, keys.data, keys.size);
    memcpy(whole + HEAD + keys.size, old + HEAD, size - HEAD);
    const char *path = files_bytes(whole, size + keys.size);
    free(whole);
    free(old);
    return path;
}

static containers_image number(uint32_t type, double value)
{
    containers_image image = {.size = 0};
    const float as_float = (float)value;
    uint32_t bits;
    memcpy(&bits, &as_float, sizeof bits);
    containers_put(&image, type, 4);
    containers_put(&image, type == F32 ? bits : (uint64_t)value, type == BOOL ? 1 : 4);
    return image;
}

typedef struct unknown {
    const char *folder, *name;
    uint32_t type;
    double value;
    enum { SILENT, WARNED, REFUSED } fate;
} unknown;

static const unknown unknowns[] = {
    {"gemma3_plain", "vision.block_count", U32, 27, SILENT},
    {"gemma3_plain", "mm.tokens_per_image", U32, 256, SILENT},
    {"gemma3_plain", "vision.attention.layer_norm_epsilon", F32, 1e-6, SILENT},
    {"llama", "rope.scaling.finetuned", BOOL, 1, SILENT},
    {"llama", "rope.scaling.yarn_beta_fast", F32, 32, SILENT},
    {"llama", "rope.scaling.yarn_ext_factor", F32, -1, SILENT},
    {"llama", "rope.scaling.yarn_ext_factor", F32, 0.5, REFUSED},
    {"llama", "rope.scaling.yarn_log_multiplier", F32, 0, SILENT},
    {"llama", "rope.scaling.yarn_log_multiplier", F32, 0.1, REFUSED},
    {"llama", "expert_count", U32, 0, SILENT},
    {"llama", "expert_count", U32, 8, REFUSED},
    {"llama", "expert_used_count", U32, 2, SILENT}, /* of no experts */
    {"llama", "attention.causal", BOOL, 1, SILENT},
    {"llama", "attention.causal", BOOL, 0, REFUSED},
    {"gpt2_plain", "attention.causal", BOOL, 0, REFUSED},
    {"llama", "embedding_length_out", U32, 16, SILENT},
    {"llama", "embedding_length_out", U32, 24, REFUSED},
    {"llama", "logit_scale", F32, 0, SILENT},
    {"llama", "logit_scale", F32, 0.25, REFUSED},
    {"llama", "attention.sliding_window_pattern", U32, 6, SILENT}, /* it has no window */
    {"llama", "some_flag", BOOL, 0, WARNED},
    {"llama", "some_flag", BOOL, 1, REFUSED},
    {"llama", "twist", F32, 0.5, REFUSED},
};
enum { N_UNKNOWNS = sizeof unknowns / sizeof *unknowns };

START_TEST(keys_that_nobody_reads)
{
    const unknown *u = &unknowns[_i];
    const containers_image value = number(u->type, u->value);
    attn_model_request request = models_request(model_with(u->folder, u->name, &value));
    const char *ignored[] = {u->name, NULL};
    attn_model model;
    if (u->fate == REFUSED) {
        const char *text = models_refusal(&request);
        ck_assert_msg(strstr(text, files_print("%s.%s: ", architecture_of(u->folder), u->name)) != NULL, "%s", text);
        ck_assert_msg(strstr(text, files_print("--ignore-setting=%s ", u->name)) != NULL, "%s", text);
        request.ignored_settings = (attn_strings){ignored, 1};
    }
    models_open_request(&request, &model);
    ck_assert_msg((strstr(model.warning, u->name) != NULL) == (u->fate == WARNED), "%s: %s", u->name, model.warning);
    attn_model_close(&model);
}
END_TEST

/* Whether the layers of gemma3_plain have a window, with the pattern VALUE. */
static void check_windows(const containers_image *value, const bool *right)
{
    const char *name = "attention.sliding_window_pattern";
    const attn_model_request request = models_request(model_with("gemma3_plain", name, value));
    attn_model model;
    models_open_request(&request, &model);
    for (size_t l = 0; l < model.n_layers; l++)
        ck_assert_msg((model.layers[l].mask.window != 0) == right[l], "layer %zu", l);
    attn_model_close(&model);
}

static containers_image truths(size_t count, uint32_t type)
{
    containers_image image = {.size = 0};
    containers_put(&image, ARRAY, 4);
    containers_put(&image, type, 4);
    containers_put(&image, count, 8);
    for (size_t i = 0; i < count; i++)
        containers_put(&image, i % 2, type == BOOL ? 1 : 4);
    return image;
}

/* A count n: every n-th layer sees all; else one truth value a layer. */
START_TEST(patterns_of_windows)
{
    attn_model model;
    attn_model_request request = models_request(testing_source("tests/model/families/gemma3_plain/model.gguf"));
    models_open_request(&request, &model);
    const size_t n_layers = model.n_layers;
    attn_model_close(&model);
    containers_image value = number(U32, 1);
    check_windows(&value, (bool[8]){false});
    value = number(U32, 2);
    check_windows(&value, (bool[8]){true, false, true, false, true, false, true, false});
    value = truths(n_layers, BOOL);
    check_windows(&value, (bool[8]){false, true, false, true, false, true, false, true});
    value = truths(n_layers + 1, BOOL);
    request.model = model_with("gemma3_plain", "attention.sliding_window_pattern", &value);
    models_refuse(&request, "true or false for each layer");
    value = truths(n_layers, U32);
    request.model = model_with("gemma3_plain", "attention.sliding_window_pattern", &value);
    models_refuse(&request, "true or false for each layer");
}
END_TEST

START_TEST(yarns_edges_are_read)
{
    const containers_image value = number(F32, 7);
    attn_model_request request = models_request(model_with("llama", "rope.scaling.yarn_beta_fast", &value));
    attn_model model;
    models_open_request(&request, &model);
    ck_assert_double_eq(model.layers[0].rope.beta_fast, 7);
    attn_model_close(&model);
}
END_TEST

/* The bases of all layers but the windowed, and of those, of Gemma 3's as Ollama's files have them (or have not). */
static void check_bases(const attn_model_request *request, double all, double windowed)
{
    attn_model model;
    models_open_request(request, &model);
    for (size_t l = 0; l < model.n_layers; l++)
        ck_assert_double_eq(model.layers[l].rope.theta, model.layers[l].mask.window != 0 ? windowed : all);
    attn_model_close(&model);
}

START_TEST(bases_of_ollama)
{
    const char *ignored[] = {"rope.freq_base", NULL};
    const containers_image value = number(F32, 555);
    attn_model_request request = models_request(testing_source("tests/model/families/gemma3_plain/model.gguf"));
    request.ignored_settings = (attn_strings){ignored, 1};
    check_bases(&request, 1e6, 1e4);
    request.model = model_with("gemma3_plain", "rope.global.freq_base", &value);
    check_bases(&request, 555, 1e4);
    request.model = model_with("gemma3_plain", "rope.local.freq_base", &value);
    check_bases(&request, 1e6, 555);
}
END_TEST

/* Counts by layer that are all the same count are one. */
START_TEST(counts_by_layer)
{
    containers_image value = {.size = 0};
    containers_put(&value, ARRAY, 4);
    containers_put(&value, U32, 4);
    containers_put(&value, 2, 8);
    containers_put(&value, 0, 4);
    containers_put(&value, 0, 4);
    attn_model_request request = models_request(model_with("llama", "attention.sliding_window", &value));
    attn_model model;
    models_open_request(&request, &model);
    attn_model_close(&model);
    value.data[value.size - 4] = 3;
    request.model = model_with("llama", "attention.sliding_window", &value);
    models_refuse(&request, "differ by layer");
}
END_TEST

/* A tensor that scales a whole matrix (NVFP4's, or a ternary model's) would have to be multiplied in. */
START_TEST(scales_beside_a_matrix)
{
    static const char scale[] = "{\"model.layers.0.self_attn.q_proj.scale\": "
                                "{\"dtype\": \"F32\", \"shape\": [0], \"data_offsets\": [0, 0]}, ";
    const char *from = testing_source("tests/model/families/llama"), *folder = files_folder();
    size_t size;
    char *old = files_read(files_join(from, "model.safetensors"), &size);
    char *whole = malloc(size + sizeof scale);
    ck_assert_ptr_nonnull(whole);
    const uint64_t header = attn_load_u64((const uint8_t *)old) + sizeof scale - 2; /* for '{' and NUL */
    for (size_t i = 0; i < 8; i++)
        whole[i] = (char)(header >> (8 * i) & 255);
    memcpy(whole + 8, scale, sizeof scale - 1);
    memcpy(whole + 8 + sizeof scale - 1, old + 9, size - 9);
    files_write(files_join(folder, "model.safetensors"), whole, size + sizeof scale - 2);
    ck_assert_int_eq(symlink(files_join(from, "config.json"), files_join(folder, "config.json")), 0);
    const attn_model_request request = models_request(folder);
    models_refuse(&request, "'model.layers.0.self_attn.q_proj.scale' scales a matrix");
    free(whole);
    free(old);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf_keys");
    TCase *tests = tcase_create("gguf_keys");
    tcase_add_loop_test(tests, keys_that_nobody_reads, 0, N_UNKNOWNS);
    tcase_add_test(tests, patterns_of_windows);
    tcase_add_test(tests, yarns_edges_are_read);
    tcase_add_test(tests, bases_of_ollama);
    tcase_add_test(tests, counts_by_layer);
    tcase_add_test(tests, scales_beside_a_matrix);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
