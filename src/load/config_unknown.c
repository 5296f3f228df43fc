/* config_unknown.c: what becomes of the settings that no family reads. One that changes numbers must not be passed over,
 * and one that does not must not stop anyone: numbers, true and the names of kinds are refused, the rest is a warning, and
 * what is known to say nothing of the numbers is not worth one. Used for config.json; GGUF's metadata go by the same. */
#include "config.h"

#include "load/config_json.h"
#include "load/loader.h"

#include <stdio.h>
#include <string.h>

/* Keys that say how a model was trained, stored or generated from, but change nothing that the pass computes. */
static const char *const without_numbers[] = {
    "architectures",
    "auto_map",
    "model_type",
    "transformers_version",
    "torch_dtype",
    "dtype",
    "tokenizer_class",
    "use_cache",
    "cache_implementation",
    "use_return_dict",
    "return_dict",
    "output_attentions",
    "output_hidden_states",
    "torchscript",
    "gradient_checkpointing",
    "pretraining_tp",
    "model_parallel",
    "reorder_and_upcast_attn",
    "tf_legacy_loss",
    "problem_type",
    "finetuning_task",
    "id2label",
    "label2id",
    "num_labels",
    "task_specific_params",
    "prefix",
    "directionality",
    "is_encoder_decoder",
    "is_composition",
    "is_llama_config",
    "transformers.js_config",
    "attn_implementation",
    "use_bfloat16",
    "output_past",
    "neftune_noise_alpha",
    "tie_weights_",
    "unsloth_fixed",
    "unsloth_version",
    /* how long a text may be, said a second time */
    "max_sequence_length",
    /* random numbers at training */
    "initializer_range",
    "initializer_factor",
    "attention_dropout",
    "attn_pdrop",
    "embd_pdrop",
    "resid_pdrop",
    "hidden_dropout",
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "dropout",
    "classifier_dropout",
    "embedding_dropout",
    "resid_dropout",
    "embd_dropout",
    "seq_classif_dropout",
    "qa_dropout",
    "sinusoidal_pos_embds",
    /* which token is which, and how texts are generated */
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "sep_token_id",
    "cls_token_id",
    "mask_token_id",
    "unk_token_id",
    "decoder_start_token_id",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "suppress_tokens",
    "begin_suppress_tokens",
    "bad_words_ids",
    "do_sample",
    "early_stopping",
    "max_length",
    "min_length",
    "max_new_tokens",
    "num_beams",
    "num_beam_groups",
    "diversity_penalty",
    "length_penalty",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "num_return_sequences",
    "output_scores",
    "remove_invalid_values",
    "repetition_penalty",
    "return_dict_in_generate",
    "temperature",
    "top_k",
    "top_p",
    "typical_p",
    "exponential_decay_length_penalty",
    "tie_encoder_decoder",
    "chunk_size_feed_forward",
    "pruned_heads",
    "cross_attention_hidden_size",
    /* heads that are not run */
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "pooler_fc_size",
    "pooler_num_attention_heads",
    "pooler_num_fc_layers",
    "pooler_size_per_head",
    "pooler_type",
    "classifier_activation",
    "classifier_bias",
    "classifier_pooling",
    "sbert_ce_default_activation_function",
    "sentence_transformers",
    /* older spellings, and what other programs keep here for themselves */
    "n_special",
    "predict_special_tokens",
    "sliding_window_size",
    "language",
    "name",
    "custom_pipelines",
    "internal_version",
    "eos_token_ids",
    "adapters",
    "rope_scaling.finetuned",
    "loss_type",
    "model_max_length",
    "seq_length",
    "use_flash_attn",
    "use_flash_attention",
    "use_flash_attention_2",
    "flash_attention",
};

enum { DEEPEST = 16, MOST_NAMED = 5 };

static bool carries_no_numbers(const char *key)
{
    if (key[0] == '_')
        return true;
    for (size_t i = 0; i < sizeof without_numbers / sizeof without_numbers[0]; i++)
        if (strcmp(key, without_numbers[i]) == 0)
            return true;
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), size = strlen(end);
    return n >= size && strcmp(text + n - size, end) == 0;
}

bool attn_setting_names_a_kind(const char *name)
{
    static const char *const beginnings[] = {"activation", "norm"};
    static const char *const ends[] = {"_type", "_impl", "_act", "_activation", "_norm"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

static bool holds_number(const attn_json_node *node, unsigned depth)
{
    double value;
    if (depth == DEEPEST || attn_json_node_number(node, &value))
        return true;
    for (const attn_json_node *item = attn_json_node_first(node); item != NULL; item = attn_json_node_next(item))
        if (holds_number(item, depth + 1))
            return true;
    return false;
}

bool attn_setting_may_matter(const char *name, const attn_json_node *value)
{
    bool on;
    if (attn_json_node_bool(value, &on))
        return on;
    if (attn_json_node_text(value) != NULL)
        return attn_setting_names_a_kind(name);
    return holds_number(value, 0);
}

static const attn_json_node *inner(const attn_json_node *object, const char *name)
{
    const attn_json_node *found = attn_json_node_member(object, name);
    const char *point = strchr(name, '.');
    char outer[64];
    if (found != NULL || point == NULL || (size_t)(point - name) >= sizeof outer)
        return found;
    memcpy(outer, name, (size_t)(point - name));
    outer[point - name] = '\0';
    return attn_json_node_member(attn_json_node_member(object, outer), point + 1);
}

static void warn_of_absent(const attn_config *config)
{
    for (size_t i = 0; config->ignored != NULL && i < config->ignored->count; i++)
        if (inner(config->object, config->ignored->items[i]) == NULL)
            attn_model_warn(config->model, "%s has no setting '%.60s' to ignore", config->file,
                            config->ignored->items[i]);
}

attn_status attn_config_unknown(attn_config *config, const char *key, const char *name, const attn_json_node *value)
{
    char path[160];
    snprintf(path, sizeof path, "%s%s%s", key != NULL ? key : "", key != NULL ? "." : "", name);
    if (config->status != ATTN_OK || attn_json_node_type(value) == ATTN_JSON_NULL || carries_no_numbers(path) ||
        attn_setting_ignored(config->ignored, path))
        return config->status;
    if (!attn_setting_may_matter(name, value)) {
        attn_setting_note(&config->passed_over, path);
        return ATTN_OK;
    }
    attn_config_fail(config, path, "a setting that attn does not know for this family; it may change the numbers");
    config->status = ATTN_EUNSUPPORTED;
    if (config->error != NULL) {
        attn_error_line(config->error, attn_json_node_line(value), 0);
        config->error->status = ATTN_EUNSUPPORTED;
    }
    attn_error_hint(config->error, "--ignore-setting=%.100s goes on without it", path);
    return config->status;
}

void attn_setting_note(attn_settings_passed *passed, const char *name)
{
    const size_t used = strlen(passed->names);
    if (passed->count++ < MOST_NAMED)
        snprintf(passed->names + used, sizeof passed->names - used, "%s%.60s", used > 0 ? ", " : "", name);
    else if (passed->count == MOST_NAMED + 1)
        snprintf(passed->names + used, sizeof passed->names - used, ", \xE2\x80\xA6");
}

void attn_settings_warn(attn_model *model, const attn_settings_passed *passed, const char *file)
{
    if (passed->count > 0)
        attn_model_warn(model, "%s: %zu setting%s that attn does not know, without numbers, passed over: %s", file,
                        passed->count, passed->count == 1 ? "" : "s", passed->names);
}

/* Weights that were made smaller: the numbers stored are not the numbers meant. */
static void refuse_quantized(attn_config *config)
{
    static const char *const ways[][2] = {{"gptq", "GPTQ"}, {"awq", "AWQ"}, {"bitsandbytes", "bitsandbytes"}};
    const attn_json_node *node = attn_config_get(config, "quantization_config");
    const char *method = attn_json_node_text(attn_json_node_member(node, "quant_method"));
    bool flag;
    if (node == NULL || config->quantized)
        return;
    for (size_t i = 0; method != NULL && i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(method, ways[i][0]) == 0)
            method = ways[i][1];
    if (method == NULL) /* bitsandbytes wrote none at first */
        method = attn_json_node_bool(attn_json_node_member(node, "load_in_8bit"), &flag) ? ways[2][1]
                                                                                         : "GPTQ/AWQ/bitsandbytes";
    attn_config_fail(config, "quantization_config",
                     "the weights are quantised in the %.40s way, which attn does not read", method);
    attn_error_hint(config->error, "take the model as it was before, or as a GGUF file");
}

/* A family without windows may say so of each layer. */
static void accept_full_layers(attn_config *config)
{
    const attn_json_node *types = attn_config_get(config, "layer_types");
    for (const attn_json_node *item = attn_json_node_first(types); item != NULL; item = attn_json_node_next(item)) {
        const char *text = attn_json_node_text(item);
        if (text == NULL || strcmp(text, "full_attention") != 0) {
            attn_config_fail(config, "layer_types", "this family has full_attention only, found '%.60s'",
                             text != NULL ? text : "?");
            return;
        }
    }
}

attn_status attn_config_finish(attn_config *config)
{
    const attn_json_node *node = attn_json_node_first(config->object);
    attn_config_only_bool(config, "is_decoder", config->decoder && attn_config_bool(config, "is_decoder", false));
    attn_config_only_bool(config, "add_cross_attention", false);
    refuse_quantized(config);
    for (size_t i = 0; config->status == ATTN_OK && node != NULL; i++, node = attn_json_node_next(node)) {
        if (config->used[i])
            continue;
        if (strcmp(attn_json_node_key(node), "layer_types") == 0)
            accept_full_layers(config);
        else
            attn_config_unknown(config, NULL, attn_json_node_key(node), node);
    }
    if (config->status == ATTN_OK) {
        attn_settings_warn(config->model, &config->passed_over, config->file);
        warn_of_absent(config);
    }
    return config->status;
}
