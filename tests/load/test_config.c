/* test_config.c: what becomes of config.json's settings that attn does not know, the ways of newer files to say the known
 * ones, and how far rotary scaling lets a text reach. Right values: the families' own published code (outside data,
 * known_v5_*); vLLM's rule for the longest text. */
#include "config.h"

#include "testing.h"

#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"

#include <string.h>

/* A folder with the weights of tests/model/families/FAMILY, and its config.json with SETTINGS in front. */
static const char *folder_with(const char *family, const char *settings)
{
    const char *from = testing_source(files_print("tests/model/families/%s", family)), *folder = files_folder();
    char *config = files_read(files_join(from, "config.json"), NULL), *open = strchr(config, '{');
    const char *text = files_print("{%s%s%s", settings, settings[0] != '\0' ? "," : "", open + 1);
    ck_assert_int_eq(symlink(files_join(from, "model.safetensors"), files_join(folder, "model.safetensors")), 0);
    files_write(files_join(folder, "config.json"), text, strlen(text));
    free(config);
    return folder;
}

typedef struct unknown {
    const char *setting, *name; /* name: as a message calls it */
    enum { SILENT, WARNED, REFUSED } fate;
} unknown;

static const unknown unknowns[] = {
    /* issue: strings, null, false, empty lists, lists and objects without numbers: a warning at most */
    {"\"made_by\": \"me\"", "made_by", WARNED},
    {"\"some_tags\": []", "some_tags", WARNED},
    {"\"some_tags\": [\"a\", \"b\"]", "some_tags", WARNED},
    {"\"notes\": {\"by\": {\"whom\": \"me\"}}", "notes", WARNED},
    {"\"some_flag\": false", "some_flag", WARNED},
    {"\"some_flag\": null", "some_flag", SILENT},
    {"\"n_special\": 0", "n_special", SILENT},
    {"\"predict_special_tokens\": true", "predict_special_tokens", SILENT},
    {"\"sliding_window_size\": 4096", "sliding_window_size", SILENT},
    {"\"language\": \"english\"", "language", SILENT},
    {"\"custom_pipelines\": {\"a\": 1}", "custom_pipelines", SILENT},
    {"\"eos_token_ids\": [1, 2]", "eos_token_ids", SILENT},
    {"\"adapters\": {\"adapters\": {}, \"config_map\": {}}", "adapters", SILENT},
    {"\"_anything\": 7", "_anything", SILENT},
    {"\"layer_types\": [\"full_attention\", \"full_attention\"]", "layer_types", SILENT},
    {"\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0, \"finetuned\": true}", "finetuned", SILENT},
    {"\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0, \"who\": \"me\"}", "rope_scaling.who", WARNED},
    /* what may change numbers */
    {"\"twist\": 0.5", "twist", REFUSED},
    {"\"twist\": [[1]]", "twist", REFUSED},
    {"\"notes\": {\"by\": {\"whom\": 3}}", "notes", REFUSED},
    {"\"some_flag\": true", "some_flag", REFUSED},
    {"\"head_type\": \"gated\"", "head_type", REFUSED},
    {"\"rope_impl\": \"other\"", "rope_impl", REFUSED},
    {"\"activation_kind\": \"relu6\"", "activation_kind", REFUSED},
    {"\"norm_of_heads\": \"l2\"", "norm_of_heads", REFUSED},
    {"\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0, \"bend\": 3}", "rope_scaling.bend", REFUSED},
    {"\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0, \"bend\": true}", "rope_scaling.bend", REFUSED},
};
enum { N_UNKNOWNS = sizeof unknowns / sizeof *unknowns };

START_TEST(unknown_settings)
{
    const unknown *u = &unknowns[_i];
    const char *folder = folder_with("mistral", u->setting);
    attn_model_request request = models_request(folder);
    const char *ignored[] = {u->name, NULL};
    attn_model model;
    if (u->fate == REFUSED) {
        const char *text = models_refusal(&request);
        ck_assert_msg(strstr(text, files_print("/config.json:1: %s: ", u->name)) != NULL, "%s", text);
        ck_assert_msg(strstr(text, files_print("--ignore-setting=%s ", u->name)) != NULL, "%s", text);
        request.ignored_settings = (attn_strings){ignored, 1};
    }
    models_open_request(&request, &model);
    ck_assert_msg((strstr(model.warning, u->name) != NULL) == (u->fate == WARNED), "%s: %s", u->setting, model.warning);
    attn_model_close(&model);
}
END_TEST

/* What is ignored is as if it were not there, known or not; a name that is not there is a warning. */
START_TEST(ignored_settings)
{
    const char *ignored[] = {"rope_scaling", "twist", NULL};
    attn_model_request request = models_request(folder_with("mistral", "\"rope_scaling\": {\"type\": \"other\"}"));
    attn_model model;
    models_refuse(&request, "there is no scaling 'other'");
    request.ignored_settings = (attn_strings){ignored, 2};
    models_open_request(&request, &model);
    ck_assert_int_eq(model.layers[0].rope.scaling, ATTN_ROPE_NONE);
    ck_assert_ptr_nonnull(strstr(model.warning, "no setting 'twist' to ignore"));
    attn_model_close(&model);
    request = models_request(testing_source("examples/fruit.json"));
    request.ignored_settings = (attn_strings){ignored, 1};
    models_refuse(&request, "--ignore-setting is for the settings of a published model");
}
END_TEST

START_TEST(settings_of_gguf)
{
    const char *ignored[] = {"rope.freq_base", "qwen3.nothing", NULL};
    attn_model_request request = models_request(testing_source("tests/model/families/qwen3/model.gguf"));
    attn_model model;
    models_open_request(&request, &model);
    ck_assert_double_ne(model.layers[0].rope.theta, 10000.0);
    attn_model_close(&model);
    request.ignored_settings = (attn_strings){ignored, 2};
    models_open_request(&request, &model);
    ck_assert_double_eq(model.layers[0].rope.theta, 10000.0);
    ck_assert_ptr_nonnull(strstr(model.warning, "no setting 'qwen3.nothing' to ignore"));
    attn_model_close(&model);
}
END_TEST

START_TEST(quantized_weights)
{
    static const char *const ways[][2] = {{"\"quant_method\": \"gptq\", \"bits\": 4", "in the GPTQ way"},
                                          {"\"quant_method\": \"awq\"", "in the AWQ way"},
                                          {"\"load_in_8bit\": true", "in the bitsandbytes way"},
                                          {"\"quant_method\": \"fp8\"", "in the fp8 way"}};
    for (size_t i = 0; i < 4; i++) {
        const char *setting = files_print("\"quantization_config\": {%s}", ways[i][0]);
        const attn_model_request request = models_request(folder_with("mistral", setting));
        models_refuse(&request, ways[i][1]);
    }
}
END_TEST

START_TEST(windows_of_a_family_without)
{
    const char *ignored[] = {"layer_types", NULL};
    attn_model_request request = models_request(folder_with("llama", "\"layer_types\": [\"sliding_attention\"]"));
    attn_model model;
    models_refuse(&request, "full_attention only");
    request.ignored_settings = (attn_strings){ignored, 1};
    models_open_request(&request, &model);
    attn_model_close(&model);
}
END_TEST

/* A part of a head that no number of it is: 1e38 of one is no count either. */
START_TEST(parts_of_a_head)
{
    static const char *const bad[] = {"\"partial_rotary_factor\": 1e38", "\"partial_rotary_factor\": 0",
                                      "\"rope_parameters\": {\"partial_rotary_factor\": 1e38}",
                                      "\"rope_parameters\": {\"partial_rotary_factor\": \"half\"}"};
    for (size_t i = 0; i < 4; i++) {
        const attn_model_request request = models_request(folder_with("mistral", bad[i]));
        models_refuse(&request, "partial_rotary_factor: expected a number above 0 and up to 1");
    }
    attn_model_request request = models_request(testing_source("tests/model/families/gpt_neox"));
    const char *folder = files_folder();
    char *config = files_read(files_join(request.model, "config.json"), NULL),
         *key = strstr(config, "\"rotary_pct\": ");
    ck_assert_ptr_nonnull(key);
    const char *text = files_print("%.*s\"rotary_pct\": 1e38%s", (int)(key - config), config, strchr(key, ','));
    files_write(files_join(folder, "config.json"), text, strlen(text));
    ck_assert_int_eq(symlink(files_join(request.model, "model.safetensors"), files_join(folder, "model.safetensors")),
                     0);
    request.model = folder;
    models_refuse(&request, "rotary_pct: expected a number above 0 and up to 1");
    free(config);
}
END_TEST

/* How long a text may be: vLLM's rule, by hand; the family's max_position_embeddings is 64. */
static const struct {
    const char *scaling;
    size_t longest;
} reaches[] = {
    {"{\"rope_type\": \"default\"}", 64},
    {"{\"rope_type\": \"linear\", \"factor\": 4.0}", 256},
    {"{\"rope_type\": \"dynamic\", \"factor\": 2.5}", 160},
    {"{\"rope_type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 32}", 128},
    {"{\"rope_type\": \"yarn\", \"factor\": 2.0, \"original_max_position_embeddings\": 32}", 64},
    {"{\"rope_type\": \"yarn\", \"factor\": 4.0}", 256},
    {"{\"rope_type\": \"llama3\", \"factor\": 8.0, \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0, "
     "\"original_max_position_embeddings\": 32}",
     64},
    {"{\"rope_type\": \"longrope\", \"long_factor\": [1, 1, 1], \"short_factor\": [1, 1, 1], "
     "\"original_max_position_embeddings\": 16}",
     64},
};
enum { N_REACHES = sizeof reaches / sizeof *reaches };

START_TEST(reach_of_scaling)
{
    static const char *const keys[] = {"rope_scaling", "rope_parameters"};
    for (size_t i = 0; i < 2; i++) {
        attn_model model;
        models_open(&model, folder_with("mistral", files_print("\"%s\": %s", keys[i], reaches[_i].scaling)));
        ck_assert_uint_eq(model.max_tokens, reaches[_i].longest);
        attn_model_close(&model);
    }
}
END_TEST

/* Families saved by newer versions of transformers: rotary settings flat or by layer type. */
static const char *const newer[] = {"gemma3", "gemma_457", "gpt_neox",  "gpt_neox_seq",
                                    "phi3",   "phi3_long", "phi3_short"};
enum { N_NEWER = sizeof newer / sizeof *newer };

/* The values of FOLDER but for hidden.npy, whose last row is behind the final norm there. */
static const char *values_without_hidden(const char *folder)
{
    static const char *const names[] = {"ids.npy", "attn.npy", "logits.npy"};
    const char *values = files_folder();
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(symlink(files_join(folder, names[i]), files_join(values, names[i])), 0);
    return values;
}

START_TEST(newer_files)
{
    testing_need("data/families");
    const char *folder = testing_shared(files_print("data/families/known_v5_%s", newer[_i]));
    char *absolute = realpath(folder, NULL);
    attn_model model;
    models_open(&model, folder);
    ck_assert_ptr_nonnull(absolute);
    capture_check(&model, values_without_hidden(absolute));
    attn_model_close(&model);
    free(absolute);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("config");
    TCase *tcase = tcase_create("config");
    tcase_add_loop_test(tcase, unknown_settings, 0, N_UNKNOWNS);
    tcase_add_test(tcase, ignored_settings);
    tcase_add_test(tcase, settings_of_gguf);
    tcase_add_test(tcase, quantized_weights);
    tcase_add_test(tcase, windows_of_a_family_without);
    tcase_add_test(tcase, parts_of_a_head);
    tcase_add_loop_test(tcase, reach_of_scaling, 0, N_REACHES);
    tcase_add_loop_test(tcase, newer_files, 0, N_NEWER);
    suite_add_tcase(suite, tcase);
    return testing_run(suite);
}
