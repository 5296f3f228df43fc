/* gguf_unknown.c: what becomes of the keys of an architecture that no family reads, by the rule of config_unknown.c:
 * numbers, true and the names of kinds are refused, the rest is a warning, and what is known to say nothing of what the
 * pass computes, or to say what it computes anyway, is not worth one. */
#include "config.h"

#include "load/config_json.h"
#include "load/gguf.h"
#include "load/loader.h"

#include <stdio.h>
#include <string.h>

enum { KEY_ROOM = 160 };

/* Keys of an architecture that change nothing the pass computes. */
static const char *const without_numbers[] = {
    "vocab_size",
    "context_length",
    "pooling_type",
    "tensor_data_layout",
    "block_count",
    /* how a model was trained, which is not how it runs */
    "rope.scaling.finetuned",
    /* heads that are not run */
    "classifier.output_labels",
    "dense_2_feat_in",
    "dense_2_feat_out",
    "dense_3_feat_in",
    "dense_3_feat_out",
};

/* What begins so speaks of other towers of the file. */
static const char *const other_towers[] = {"vision.", "audio.", "mm.", "clip.", "projector."};

/* Keys that say what holds anyway where they have this value. */
static const struct harmless {
    const char *key;
    double value;
} harmless[] = {
    {"attention.causal", 1},
    {"expert_count", 0},
    {"leading_dense_block_count", 0},
    {"nextn_predict_layers", 0},
    {"attention.clamp_kqv", 0},
    {"attention.max_alibi_bias", 0},
    {"attn_logit_softcapping", 0},
    {"final_logit_softcapping", 0},
    {"logit_scale", 0}, /* 0: none, by llama.cpp's reader */
    {"logit_scale", 1},
    {"residual_scale", 0},
    {"residual_scale", 1},
    {"embedding_scale", 0},
    {"embedding_scale", 1},
    {"attention.scale", 0},
    {"rope.scale_linear", 1},
    {"rope.scaling.attn_factor", 1},
    {"rope.scaling.yarn_attn_factor", 1},
    {"rope.scaling.yarn_ext_factor", 1},
    {"rope.scaling.yarn_ext_factor", -1}, /* as the scaling's type says */
    {"rope.scaling.yarn_log_multiplier", 0},
};

/* Keys that say again what another says, for windowed layers or the output. */
static const char *const again[][2] = {
    {"embedding_length_out", "embedding_length"},
    {"attention.key_length_swa", "attention.key_length"},
    {"attention.value_length_swa", "attention.value_length"},
    {"rope.dimension_count_swa", "rope.dimension_count"},
};

static const attn_meta *meta_of(const attn_gguf *gguf, const char *key)
{
    char full[KEY_ROOM];
    snprintf(full, sizeof full, "%s.%s", gguf->architecture, key);
    return attn_container_meta(gguf->container, full);
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool carries_no_numbers(const char *key)
{
    for (size_t i = 0; i < sizeof without_numbers / sizeof without_numbers[0]; i++)
        if (strcmp(key, without_numbers[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof other_towers / sizeof other_towers[0]; i++)
        if (begins_with(key, other_towers[i]))
            return true;
    return false;
}

static bool is_single(const attn_meta *meta)
{
    return meta->type != ATTN_META_STRING && meta->type != ATTN_META_ARRAY;
}

static double value_of(const attn_meta *meta)
{
    return meta->type == ATTN_META_BOOL ? (double)meta->boolean : meta->f64;
}

/* *TOLD: KEY is one of those whose value decides. Whether it is the value that changes nothing. */
static bool says_what_holds(const attn_gguf *gguf, const char *key, const attn_meta *meta, bool *told)
{
    *told = false;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (strcmp(key, harmless[i].key) != 0)
            continue;
        *told = true;
        if (is_single(meta) && value_of(meta) == harmless[i].value)
            return true;
    }
    for (size_t i = 0; i < sizeof again / sizeof again[0]; i++) {
        const attn_meta *other = meta_of(gguf, again[i][1]);
        if (strcmp(key, again[i][0]) != 0)
            continue;
        *told = true;
        if (other != NULL && is_single(other) && is_single(meta) && value_of(other) == value_of(meta))
            return true;
    }
    const attn_meta *experts = meta_of(gguf, "expert_count");
    return begins_with(key, "expert_") && (experts == NULL || (is_single(experts) && value_of(experts) == 0.0));
}

/* As attn_setting_may_matter says of JSON. */
static bool may_matter(const char *key, const attn_meta *meta)
{
    if (meta->type == ATTN_META_BOOL)
        return meta->boolean;
    if (meta->type == ATTN_META_STRING)
        return attn_setting_names_a_kind(key);
    return meta->type != ATTN_META_ARRAY || (meta->n_elements > 0 && meta->element != ATTN_META_STRING);
}

static void warn_of_absent(const attn_gguf *gguf)
{
    for (size_t i = 0; i < gguf->ignored->count; i++) {
        const char *name = gguf->ignored->items[i];
        char full[KEY_ROOM];
        snprintf(full, sizeof full, "%s.%.100s", gguf->architecture, name);
        if (attn_container_meta(gguf->container, name) == NULL && attn_container_meta(gguf->container, full) == NULL)
            attn_model_warn(gguf->model, "%s has no setting '%.60s' to ignore", gguf->container->files[0].name, name);
    }
}

/* KEY of the architecture, which nobody read. */
static void judge(attn_gguf *gguf, const char *key, const attn_meta *meta, attn_settings_passed *passed)
{
    bool told;
    if (carries_no_numbers(key) || attn_gguf_ignores(gguf, key) || says_what_holds(gguf, key, meta, &told))
        return;
    if (!told && !may_matter(key, meta)) {
        attn_setting_note(passed, key);
        return;
    }
    attn_gguf_fail(gguf, key,
                   told ? "a setting that attn reads only where it changes nothing; it changes the numbers"
                        : "a setting that attn does not know; it may change the numbers");
    attn_error_hint(gguf->error, "--ignore-setting=%s goes on without it", key);
}

attn_status attn_gguf_finish(attn_gguf *gguf)
{
    const size_t n = strlen(gguf->architecture);
    attn_settings_passed passed = {0};
    for (size_t i = 0; i < gguf->container->n_meta && gguf->status == ATTN_OK; i++) {
        const attn_meta *meta = &gguf->container->meta[i];
        const attn_bytes key = meta->key;
        char text[KEY_ROOM];
        if (gguf->used[i] || key.size <= n + 1 || key.data[n] != '.' || memcmp(key.data, gguf->architecture, n) != 0)
            continue;
        const size_t size = key.size - n - 1;
        snprintf(text, sizeof text, "%.*s", (int)(size < 100 ? size : 100), (const char *)key.data + n + 1);
        judge(gguf, text, meta, &passed);
    }
    if (gguf->status == ATTN_OK) {
        attn_settings_warn(gguf->model, &passed, gguf->container->files[0].name);
        warn_of_absent(gguf);
    }
    return gguf->status;
}
