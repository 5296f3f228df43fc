/* config_json.c: see config_json.h. The keys that carry no numbers are a table here. */
#include "config.h"

#include "load/config_json.h"

#include <math.h>
#include <stdarg.h>
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
};

static bool carries_no_numbers(const char *key)
{
    if (key[0] == '_')
        return true;
    for (size_t i = 0; i < sizeof without_numbers / sizeof without_numbers[0]; i++)
        if (strcmp(key, without_numbers[i]) == 0)
            return true;
    return false;
}

attn_status attn_config_open(attn_bytes text, const char *file, attn_config *config, attn_error *error)
{
    *config = (attn_config){0};
    attn_status status = attn_json_tree_of(text, file, &config->root, error);
    if (status != ATTN_OK)
        return status;
    config->file = file;
    config->error = error;
    config->object = config->root;
    if (attn_json_node_type(config->root) != ATTN_JSON_OBJECT) {
        attn_config_close(config);
        attn_fail(error, ATTN_EDATA, "expected an object of settings");
        return attn_error_file(error, file);
    }
    config->n_keys = attn_json_node_size(config->root);
    config->used = attn_calloc_array(config->n_keys, sizeof *config->used);
    if (config->used == NULL) {
        attn_config_close(config);
        return attn_fail_memory(error);
    }
    return ATTN_OK;
}

attn_status attn_config_enter(attn_config *config, const char *key)
{
    const attn_json_node *node = attn_json_node_member(config->object, key);
    size_t n = attn_json_node_size(node);
    if (attn_json_node_type(node) != ATTN_JSON_OBJECT)
        return ATTN_OK;
    bool *used = attn_calloc_array(n, sizeof *used);
    if (used == NULL)
        return config->status = attn_fail_memory(config->error);
    attn_free(config->used);
    config->used = used;
    config->n_keys = n;
    config->object = node;
    return ATTN_OK;
}

void attn_config_close(attn_config *config)
{
    attn_json_tree_free(config->root);
    attn_free(config->used);
    *config = (attn_config){0};
}

attn_status attn_config_fail(attn_config *config, const char *key, const char *format, ...)
{
    char message[512];
    const attn_json_node *node = attn_json_node_member(config->object, key);
    va_list arguments;
    if (config->status != ATTN_OK)
        return config->status;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    config->status = ATTN_EDATA;
    attn_fail(config->error, ATTN_EDATA, "%.80s: %s", key, message);
    attn_error_file(config->error, config->file);
    if (node != NULL)
        attn_error_line(config->error, attn_json_node_line(node), 0);
    return ATTN_EDATA;
}

attn_status attn_config_finish(attn_config *config)
{
    const attn_json_node *node = attn_json_node_first(config->object);
    attn_config_only_bool(config, "is_decoder", config->decoder && attn_config_bool(config, "is_decoder", false));
    attn_config_only_bool(config, "add_cross_attention", false);
    if (attn_config_get(config, "quantization_config") != NULL && !config->quantized)
        attn_config_fail(config, "quantization_config", "quantized weights are not supported");
    for (size_t i = 0; config->status == ATTN_OK && node != NULL; i++, node = attn_json_node_next(node)) {
        if (config->used[i] || carries_no_numbers(attn_json_node_key(node)) ||
            attn_json_node_type(node) == ATTN_JSON_NULL)
            continue;
        attn_config_fail(config, attn_json_node_key(node),
                         "a setting that attn does not know for this family; it may change the numbers");
        config->status = ATTN_EUNSUPPORTED;
        if (config->error != NULL)
            config->error->status = ATTN_EUNSUPPORTED;
    }
    return config->status;
}

const attn_json_node *attn_config_get(attn_config *config, const char *key)
{
    const attn_json_node *node = attn_json_node_first(config->object);
    for (size_t i = 0; node != NULL; i++, node = attn_json_node_next(node)) {
        if (strcmp(attn_json_node_key(node), key) != 0)
            continue;
        config->used[i] = true;
        return attn_json_node_type(node) == ATTN_JSON_NULL ? NULL : node;
    }
    return NULL;
}

bool attn_config_has(const attn_config *config, const char *key)
{
    return attn_json_node_member(config->object, key) != NULL;
}

size_t attn_config_count(attn_config *config, const char *key, size_t fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    uint64_t value = 0;
    if (node == NULL) {
        if (fallback != ATTN_CONFIG_REQUIRED)
            return fallback;
        attn_config_fail(config, key, "expected a count, found none");
        return 0;
    }
    if (!attn_json_node_u64(node, ATTN_CONFIG_MAX, &value) || (value == 0 && fallback == ATTN_CONFIG_REQUIRED))
        attn_config_fail(config, key, "expected a whole number from %d to %d", fallback == ATTN_CONFIG_REQUIRED ? 1 : 0,
                         (int)ATTN_CONFIG_MAX);
    return (size_t)value;
}

double attn_config_number(attn_config *config, const char *key, double fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    double value = 0.0;
    if (node == NULL) {
        if (isnan(fallback))
            attn_config_fail(config, key, "expected a number, found none");
        return fallback;
    }
    if (!attn_json_node_number(node, &value) || !isfinite(value))
        attn_config_fail(config, key, "expected a number");
    return value;
}

bool attn_config_bool(attn_config *config, const char *key, bool fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    bool value = fallback;
    if (node != NULL && !attn_json_node_bool(node, &value))
        attn_config_fail(config, key, "expected true or false");
    return value;
}

const char *attn_config_text(attn_config *config, const char *key, const char *fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    if (node == NULL) {
        if (fallback == NULL)
            attn_config_fail(config, key, "expected a name, found none");
        return fallback != NULL ? fallback : "";
    }
    if (attn_json_node_text(node) == NULL) {
        attn_config_fail(config, key, "expected a name");
        return "";
    }
    return attn_json_node_text(node);
}

void attn_config_only_bool(attn_config *config, const char *key, bool value)
{
    if (attn_config_bool(config, key, value) != value)
        attn_config_fail(config, key, "only %s is supported", value ? "true" : "false");
}

void attn_config_only_text(attn_config *config, const char *key, const char *value)
{
    const char *found = attn_config_text(config, key, value);
    if (strcmp(found, value) != 0)
        attn_config_fail(config, key, "only '%s' is supported, found '%.60s'", value, found);
}

void attn_config_only_null(attn_config *config, const char *key)
{
    if (attn_config_get(config, key) != NULL)
        attn_config_fail(config, key, "not supported");
}
