/* test_families.c: a small random model of each family against tests/model/make_families.py's
 * float64 values; and every setting of its config.json altered in turn: the output changes or the
 * setting is refused. */
#include "config.h"

#include "testing.h"

#include "testing/arrays.h"
#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"

#include <math.h>
#include <string.h>

static const char *const families[] = {
    "bert",  "distilbert", "gemma",    "gemma2",          "gemma2_plain", "gemma2_types", "gemma3_plain", "gemma3_text",
    "gpt2",  "gpt2_plain", "gpt_neox", "gpt_neox_serial", "gpt_oss",      "llama",        "llama_q8_0",   "mistral",
    "olmo2", "phi3",       "qwen2",    "qwen2_plain",     "qwen3",        "roberta",
};
enum { N_FAMILIES = sizeof families / sizeof families[0] };

/* Those that are there as GGUF too. */
static const char *const in_gguf[] = {"bert",       "gemma", "gemma2_plain", "gemma3_plain", "gpt2_plain", "llama",
                                      "llama_q8_0", "olmo2", "phi3",         "qwen2_plain",  "qwen3"};
enum { N_GGUF = sizeof in_gguf / sizeof in_gguf[0] };

static const char *folder_of(const char *family)
{
    return files_join(testing_source("tests/model/families"), family);
}

START_TEST(family_agrees)
{
    attn_model model;
    const char *folder = folder_of(families[_i]);
    models_open(&model, folder);
    capture_check(&model, folder);
    attn_model_close(&model);
}
END_TEST

START_TEST(gguf_agrees)
{
    attn_model model;
    const char *folder = folder_of(in_gguf[_i]);
    models_open(&model, files_join(folder, "model.gguf"));
    capture_check(&model, folder);
    attn_model_close(&model);
}
END_TEST

/* ---- every setting altered ---- */

/* Settings that carry no numbers of this text: how it was trained and stored, which token is which;
 * and what bounds a text's length without changing a shorter one. */
static const char *const carry_nothing[] = {"architectures",
                                            "torch_dtype",
                                            "use_cache",
                                            "initializer_range",
                                            "bos_token_id",
                                            "eos_token_id",
                                            "attn_pdrop",
                                            "embd_pdrop",
                                            "resid_pdrop",
                                            "attention_dropout",
                                            "hidden_dropout",
                                            "hidden_dropout_prob",
                                            "attention_probs_dropout_prob",
                                            "classifier_dropout",
                                            "dropout",
                                            "seq_classif_dropout",
                                            "qa_dropout",
                                            "summary_type",
                                            "reorder_and_upcast_attn",
                                            "pretraining_tp",
                                            "sinusoidal_pos_embds",
                                            "cache_implementation",
                                            NULL};
static const char *const carry_nothing_here[][2] = {
    {"llama", "max_position_embeddings"},
    {"llama_q8_0", "max_position_embeddings"},
    {"llama_q8_0", "pad_token_id"},
    {"mistral", "max_position_embeddings"},
    {"qwen2", "max_position_embeddings"},
    {"qwen2_plain", "max_position_embeddings"},
    {"qwen3", "max_position_embeddings"},
    {"olmo2", "max_position_embeddings"},
    {"gemma", "max_position_embeddings"},
    {"gemma2", "max_position_embeddings"},
    {"gemma2_plain", "max_position_embeddings"},
    {"gemma2_types", "max_position_embeddings"},
    {"gemma2_types", "pad_token_id"},
    {"gemma2_types", "hidden_act"},
    {"gemma3_plain", "max_position_embeddings"},
    {"gemma3_plain", "pad_token_id"},
    {"gemma3_text", "max_position_embeddings"},
    {"gpt_neox", "max_position_embeddings"},
    {"gpt_neox_serial", "max_position_embeddings"},
    {"gpt_oss", "max_position_embeddings"},
    {"gpt_oss", "pad_token_id"},
    /* its experts are not run, nor anything that follows the first layer's weights */
    {"gpt_oss", "num_local_experts"},
    {"gpt_oss", "num_experts_per_tok"},
    {"gpt_oss", "experts_per_token"},
    {"gpt_oss", "router_aux_loss_coef"},
    {"gpt_oss", "output_router_logits"},
    {"gpt_oss", "swiglu_limit"},
    {"gpt_oss", "initial_context_length"},
    {"gpt_oss", "quant_method"},
    {"gpt_oss", "intermediate_size"},
    {"gpt_oss", "tie_word_embeddings"},
    {"gpt_oss", "hidden_act"},
    /* only RoBERTa's positions start behind it */
    {"bert", "pad_token_id"},
    {"distilbert", "pad_token_id"},
    {"llama", "pad_token_id"},
    {"mistral", "pad_token_id"},
    {"qwen2", "pad_token_id"},
    {"qwen2_plain", "pad_token_id"},
    {"qwen3", "pad_token_id"},
    {"olmo2", "pad_token_id"},
    {"phi3", "pad_token_id"},
    {"gemma", "pad_token_id"},
    {"gemma2", "pad_token_id"},
    {"gemma2_plain", "pad_token_id"},
    {"gemma3_text", "pad_token_id"},
    /* without use_sliding_window they say nothing */
    {"qwen2_plain", "sliding_window"},
    {"qwen2_plain", "max_window_layers"},
    {"qwen3", "sliding_window"},
    {"qwen3", "max_window_layers"},
    /* one window for all, none here */
    {"qwen3", "use_sliding_window"},
    /* the old key of Gemma's activation, which hidden_activation overrides; other than a gelu is
       refused */
    {"gemma", "hidden_act"},
    {"gemma2", "hidden_act"},
    /* the text is longer than the original length: the long factors hold */
    {"phi3", "short_factor"},
};

static bool listed(const char *family, const char *key)
{
    for (size_t i = 0; carry_nothing[i] != NULL; i++)
        if (strcmp(key, carry_nothing[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof carry_nothing_here / sizeof carry_nothing_here[0]; i++)
        if (strcmp(family, carry_nothing_here[i][0]) == 0 && strcmp(key, carry_nothing_here[i][1]) == 0)
            return true;
    return false;
}

/* Another value of the same kind in the place of VALUE (as JSON). */
static void alter(const char *value, char *out, size_t size)
{
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        snprintf(out, size, "%s", value[0] == 't' ? "false" : "true");
    else if (strcmp(value, "null") == 0)
        snprintf(out, size, "2");
    else if (value[0] == '"')
        snprintf(out, size, "%s",
                 strstr(value, "gelu") != NULL || strstr(value, "silu") != NULL ? "\"relu\""
                 : strstr(value, "absolute") != NULL                            ? "\"relative_key\""
                                                                                : "\"other\"");
    else if (strchr(value, '.') != NULL || strchr(value, 'e') != NULL)
        snprintf(out, size, "%.6f", atof(value) * 1.5 + 0.001);
    else
        snprintf(out, size, "%d", atoi(value) + 1);
}

/* All that a run shows in one array; NULL when the model is refused. */
static float *run_all(const char *path, const char *values, size_t *count)
{
    attn_model model;
    const attn_model_request request = models_request(path);
    attn_error error = {0};
    capture c;
    size_t n;
    if (attn_model_open(&request, &model, &error) != ATTN_OK) {
        ck_assert_str_ne(error.message, "");
        return NULL;
    }
    uint32_t *ids = arrays_ids(files_join(values, "ids.npy"), &n);
    attn_input input = {.ids = ids, .n = n};
    unsigned wants = ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER;
    capture_run(&c, &model, &input, model.head.w.data != NULL ? wants | ATTN_WANT_LOGITS : wants, ATTN_BY_HEAD, NULL);
    size_t n_weights = c.n_layers * c.n_heads * n * n, n_hidden = n * model.d_model, at = n_weights;
    *count = n_weights + (c.n_layers + 1) * n_hidden + n * c.n_vocab;
    float *all = calloc(*count, sizeof *all);
    ck_assert_ptr_nonnull(all);
    memcpy(all, c.weights, n_weights * sizeof *all);
    for (size_t l = 0; l <= c.n_layers; l++, at += n_hidden)
        if (c.hidden[l] != NULL)
            memcpy(all + at, c.hidden[l], n_hidden * sizeof *all);
    memcpy(all + at, c.logits, n * c.n_vocab * sizeof *all);
    capture_free(&c);
    free(ids);
    attn_model_close(&model);
    return all;
}

static double largest_difference(const float *a, const float *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

typedef struct config_lines { /* config.json, one setting or number a line */
    char *text;               /* owned */
    char *lines[128];
    size_t n;
} config_lines;

static config_lines read_lines(const char *folder)
{
    config_lines c = {.text = files_read(files_join(folder, "config.json"), NULL)};
    for (char *line = strtok(c.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        ck_assert_uint_lt(c.n, sizeof c.lines / sizeof c.lines[0]);
        c.lines[c.n++] = line;
    }
    return c;
}

static void write_lines(const char *folder, const config_lines *c, size_t changed, const char *line)
{
    FILE *file = fopen(files_join(folder, "config.json"), "w");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < c->n; i++)
        fprintf(file, "%s\n", i == changed ? line : c->lines[i]);
    fclose(file);
}

/* A new folder with FAMILY's weights, and without a config.json. */
static const char *weights_alone(const char *family)
{
    const char *folder = files_folder();
    ck_assert_int_eq(
        symlink(files_join(folder_of(family), "model.safetensors"), files_join(folder, "model.safetensors")), 0);
    return folder;
}

/* The key of line I: its own, or for a number of an array that of the line that opens it. */
static void key_of(const config_lines *c, size_t i, char *key, size_t size)
{
    const char *quote, *colon;
    while (i > 0 && (colon = strstr(c->lines[i], "\":")) == NULL)
        i--;
    quote = strchr(c->lines[i], '"');
    colon = strstr(c->lines[i], "\":");
    key[0] = '\0';
    if (quote != NULL && colon != NULL && (size_t)(colon - quote) < size) {
        memcpy(key, quote + 1, (size_t)(colon - quote - 1));
        key[colon - quote - 1] = '\0';
    }
}

/* Line I with another value; false where it holds none. */
static bool altered_line(const config_lines *c, size_t i, char *line, size_t size)
{
    const char *colon = strstr(c->lines[i], "\": "), *from = colon != NULL ? colon + 3 : c->lines[i];
    char value[256], other[300];
    while (*from == ' ')
        from++;
    size_t n = strcspn(from, ",");
    if (n == 0 || n >= sizeof value || strchr("{}[]", from[0]) != NULL)
        return false;
    memcpy(value, from, n);
    value[n] = '\0';
    alter(value, other, sizeof other);
    snprintf(line, size, "%.*s%s%s", (int)(from - c->lines[i]), c->lines[i], other, from[n] == ',' ? "," : "");
    return true;
}

START_TEST(every_setting_counts)
{
    const char *right_folder = folder_of(families[_i]), *folder = weights_alone(families[_i]);
    config_lines lines = read_lines(right_folder);
    size_t count, altered, tried = 0;
    float *right = run_all(right_folder, right_folder, &count);
    ck_assert_ptr_nonnull(right);
    for (size_t i = 0; i < lines.n; i++) {
        char line[512], key[64];
        key_of(&lines, i, key, sizeof key);
        if (listed(families[_i], key) || !altered_line(&lines, i, line, sizeof line))
            continue;
        write_lines(folder, &lines, i, line);
        float *found = run_all(folder, right_folder, &altered);
        tried++;
        if (found != NULL && altered == count && largest_difference(found, right, count) < 1e-6)
            ck_abort_msg("%s: '%s' in the place of '%s' is neither refused nor changes a number", families[_i], line,
                         lines.lines[i]);
        free(found);
    }
    ck_assert_uint_gt(tried, 8);
    free(right);
    free(lines.text);
}
END_TEST

/* A key that attn has never heard of is refused by name. */
START_TEST(unknown_setting)
{
    const char *folder = weights_alone("llama");
    config_lines lines = read_lines(folder_of("llama"));
    attn_model model;
    attn_error error;
    write_lines(folder, &lines, 0, "{ \"attention_twist\": 0.5,");
    const attn_model_request request = models_request(folder);
    ck_assert_int_eq(attn_model_open(&request, &model, &error), ATTN_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.message, "attention_twist"));
    free(lines.text);
}
END_TEST

/* A text model within a larger one: its settings lie in text_config. And the weights' file named itself. */
START_TEST(text_within_a_larger_model)
{
    const char *folder = weights_alone("gemma3_text");
    config_lines lines = read_lines(folder_of("gemma3_text"));
    char line[600];
    attn_model model;
    snprintf(line, sizeof line, "{ \"model_type\": \"gemma3\", \"vision_config\": {}, \"text_config\": %s",
             lines.lines[0]);
    lines.lines[0] = line;
    write_lines(folder, &lines, lines.n - 1, "}}");
    models_open(&model, files_join(folder, "model.safetensors"));
    ck_assert_str_eq(model.family, "gemma3_text");
    capture_check(&model, folder_of("gemma3_text"));
    attn_model_close(&model);
    free(lines.text);
}
END_TEST

/* Every tensor has a role, and each is counted once. */
START_TEST(accounts)
{
    attn_model model;
    size_t unused = 0;
    models_open(&model, folder_of("gpt_neox"));
    ck_assert_uint_eq(model.n_accounts, model.containers[0].n_tensors);
    for (size_t i = 0; i < model.n_accounts; i++) {
        ck_assert_ptr_nonnull(model.accounts[i].role);
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(model.accounts[i].tensor, model.accounts[k].tensor);
    }
    attn_model_close(&model);
    /* the weights of BERT's masked-token head are used, its file has no others; without it they are
     * unused */
    models_open(&model, folder_of("bert"));
    for (size_t i = 0; i < model.n_accounts; i++)
        unused += model.accounts[i].role == NULL ? 1 : 0;
    ck_assert_uint_eq(unused, 0);
    ck_assert(model.masked_lm);
    attn_model_close(&model);
}
END_TEST

/* gpt-oss: the first layer's weights are those of family_agrees; what would need its experts is
 * refused. */
START_TEST(experts_are_refused)
{
    attn_model model;
    attn_input input = {.ids = (const uint32_t[]){1, 2}, .n = 2};
    const attn_observer observer = {.wants = ATTN_WANT_AFTER};
    attn_error error;
    models_open(&model, folder_of("gpt_oss"));
    ck_assert_ptr_nonnull(model.layers[0].rule.sinks);
    ck_assert_int_eq(attn_forward(&model, &input, &observer, NULL, &error), ATTN_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.message, "experts"));
    attn_model_close(&model);
}
END_TEST

static Suite *families_suite(void)
{
    Suite *suite = suite_create("families");
    TCase *values = tcase_create("values"), *settings = tcase_create("settings");
    tcase_set_timeout(settings, 120);
    tcase_add_loop_test(values, family_agrees, 0, N_FAMILIES);
    tcase_add_loop_test(values, gguf_agrees, 0, N_GGUF);
    tcase_add_loop_test(settings, every_setting_counts, 0, N_FAMILIES);
    tcase_add_test(settings, unknown_setting);
    tcase_add_test(settings, text_within_a_larger_model);
    tcase_add_test(settings, accounts);
    tcase_add_test(settings, experts_are_refused);
    suite_add_tcase(suite, values);
    suite_add_tcase(suite, settings);
    return suite;
}

int main(void)
{
    return testing_run(families_suite());
}
