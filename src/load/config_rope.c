/* config_rope.c: rotary positions and sliding windows in config.json; used by the families that have them. */
#include "config.h"

#include "load/family/llama.h"

#include <math.h>
#include <string.h>

typedef struct scaling_name {
    const char *name;
    attn_rope_scaling scaling;
} scaling_name;

static const scaling_name scaling_names[] = {
    {"default", ATTN_ROPE_NONE}, {"linear", ATTN_ROPE_LINEAR}, {"dynamic", ATTN_ROPE_DYNAMIC},
    {"yarn", ATTN_ROPE_YARN},    {"llama3", ATTN_ROPE_LLAMA3}, {"longrope", ATTN_ROPE_LONGROPE},
    {"su", ATTN_ROPE_LONGROPE},
};

/* The numbers of a scaling and where each goes; a key that is none of them is refused. */
typedef struct scaling_key {
    const char *name;
    size_t offset;
} scaling_key;

#define FIELD(field) offsetof(attn_rope_settings, field)
static const scaling_key scaling_keys[] = {
    {"factor", FIELD(factor)},
    {"low_freq_factor", FIELD(low_freq_factor)},
    {"high_freq_factor", FIELD(high_freq_factor)},
    {"beta_fast", FIELD(beta_fast)},
    {"beta_slow", FIELD(beta_slow)},
    {"attention_factor", FIELD(attention_factor)},
    {"mscale", FIELD(mscale)},
    {"mscale_all_dim", FIELD(mscale_all_dim)},
    {"original_max_position_embeddings", FIELD(original_max_positions)},
    {"rope_theta", FIELD(theta)},
};

static bool take_number(attn_config *config, const char *key, const attn_json_node *node, attn_rope_settings *rope)
{
    double value;
    for (size_t i = 0; i < sizeof scaling_keys / sizeof scaling_keys[0]; i++) {
        if (strcmp(attn_json_node_key(node), scaling_keys[i].name) != 0)
            continue;
        if (attn_json_node_type(node) == ATTN_JSON_NULL)
            return true;
        if (!attn_json_node_number(node, &value) || !isfinite(value))
            attn_config_fail(config, key, "%s: expected a number", attn_json_node_key(node));
        else
            memcpy((char *)rope + scaling_keys[i].offset, &value, sizeof value);
        return true;
    }
    return false;
}

/* "long_factor" and "short_factor": one number a pair. */
static void take_factors(attn_config *config, const char *key, const attn_json_node *node, attn_rope_settings *rope,
                         attn_arena *arena)
{
    size_t n = attn_json_node_size(node), i = 0;
    if (attn_json_node_type(node) != ATTN_JSON_ARRAY || n != rope->dims / 2) {
        attn_config_fail(config, key, "%s: expected %zu numbers", attn_json_node_key(node), rope->dims / 2);
        return;
    }
    double *factors = attn_arena_alloc(arena, n, sizeof *factors);
    if (factors == NULL) {
        config->status = attn_fail_memory(config->error);
        return;
    }
    for (const attn_json_node *item = attn_json_node_first(node); item != NULL; item = attn_json_node_next(item), i++) {
        if (!attn_json_node_number(item, &factors[i]) || !(factors[i] > 0.0)) {
            attn_config_fail(config, key, "%s: expected numbers above 0", attn_json_node_key(node));
            return;
        }
    }
    if (strcmp(attn_json_node_key(node), "long_factor") == 0)
        rope->long_factors = factors;
    else
        rope->short_factors = factors;
}

static void take_type(attn_config *config, const char *key, const attn_json_node *node, attn_rope_settings *rope)
{
    const char *text = attn_json_node_text(node);
    for (size_t i = 0; text != NULL && i < sizeof scaling_names / sizeof scaling_names[0]; i++) {
        if (strcmp(text, scaling_names[i].name) == 0) {
            rope->scaling = scaling_names[i].scaling;
            return;
        }
    }
    attn_config_fail(config, key, "there is no scaling '%.60s'", text != NULL ? text : "?");
}

/* One rope_scaling object over ROPE (theta and dims are set). */
static void take_scaling(attn_config *config, const char *key, attn_rope_settings *rope, attn_arena *arena)
{
    const attn_json_node *node = attn_config_get(config, key);
    if (node == NULL)
        return;
    if (attn_json_node_type(node) != ATTN_JSON_OBJECT) {
        attn_config_fail(config, key, "expected an object");
        return;
    }
    for (const attn_json_node *item = attn_json_node_first(node); item != NULL && config->status == ATTN_OK;
         item = attn_json_node_next(item)) {
        const char *name = attn_json_node_key(item);
        if (strcmp(name, "rope_type") == 0 || strcmp(name, "type") == 0)
            take_type(config, key, item, rope);
        else if (strcmp(name, "long_factor") == 0 || strcmp(name, "short_factor") == 0)
            take_factors(config, key, item, rope, arena);
        else if (strcmp(name, "truncate") == 0)
            attn_json_node_bool(item, &rope->truncate);
        else if (!take_number(config, key, item, rope))
            attn_config_fail(config, key, "a setting that attn does not know: '%.60s'", name);
    }
}

static void check_dims(attn_config *config, const char *key, const attn_rope_settings *rope)
{
    if (config->status == ATTN_OK && (rope->dims == 0 || rope->dims % 2 != 0))
        attn_config_fail(config, key, "rotary positions turn pairs: expected an even count, found %zu", rope->dims);
}

void attn_config_rope(attn_config *config, attn_llama_settings *s, attn_arena *arena)
{
    attn_rope_settings *rope = &s->rope;
    double part = attn_config_number(config, "partial_rotary_factor", 1.0);
    if (!(part > 0.0) || part > 1.0) {
        attn_config_fail(config, "partial_rotary_factor", "expected a number above 0 and up to 1");
        return;
    }
    rope->dims = (size_t)((double)s->head_dim * part);
    rope->theta = attn_config_number(config, "rope_theta", rope->theta > 0.0 ? rope->theta : 10000.0);
    rope->layout = s->rope_layout;
    rope->max_positions = (double)s->max_tokens;
    rope->truncate = true;
    check_dims(config, "head_dim", rope);
    double original = attn_config_number(config, "original_max_position_embeddings", 0.0);
    rope->original_max_positions = original;
    take_scaling(config, "rope_scaling", rope, arena);
    take_scaling(config, "rope_parameters", rope, arena);
    if (!(rope->theta > 0.0))
        attn_config_fail(config, "rope_theta", "expected a number above 0");
    if (rope->original_max_positions == 0.0)
        rope->original_max_positions = (double)s->max_tokens;
    /* longrope's magnitude follows from how far the text may stretch */
    if (rope->scaling == ATTN_ROPE_LONGROPE && rope->factor == 0.0 && rope->original_max_positions > 0.0)
        rope->factor = (double)s->max_tokens / rope->original_max_positions;
}

void attn_config_local_rope(attn_config *config, attn_llama_settings *s)
{
    double theta = attn_config_number(config, "rope_local_base_freq", 10000.0);
    if (!(theta > 0.0))
        attn_config_fail(config, "rope_local_base_freq", "expected a number above 0");
    s->local_rope = (attn_rope_settings){.dims = s->rope.dims, .layout = s->rope.layout, .theta = theta};
}

/* `layer_types`: one name a layer. */
static bool take_types(attn_config *config, size_t n_layers, bool *windowed)
{
    const attn_json_node *types = attn_config_get(config, "layer_types");
    size_t l = 0;
    if (types == NULL)
        return false;
    if (attn_json_node_type(types) != ATTN_JSON_ARRAY || attn_json_node_size(types) != n_layers) {
        attn_config_fail(config, "layer_types", "expected one name for each of %zu layers", n_layers);
        return true;
    }
    for (const attn_json_node *item = attn_json_node_first(types); item != NULL;
         item = attn_json_node_next(item), l++) {
        const char *text = attn_json_node_text(item);
        if (text == NULL || (strcmp(text, "sliding_attention") != 0 && strcmp(text, "full_attention") != 0)) {
            attn_config_fail(config, "layer_types", "expected sliding_attention or full_attention for layer %zu", l);
            return true;
        }
        windowed[l] = text[0] == 's';
    }
    return true;
}

/* Whether layer L has a window, where `layer_types` does not say. */
static bool by_rule(attn_llama_windows windows, size_t l, size_t from, size_t pattern)
{
    switch (windows) {
    case ATTN_LLAMA_WINDOW_ALL:
        return true;
    case ATTN_LLAMA_WINDOW_QWEN:
        return l >= from;
    case ATTN_LLAMA_WINDOW_GEMMA2:
        return l % 2 == 0;
    case ATTN_LLAMA_WINDOW_GEMMA3:
        return (l + 1) % pattern != 0;
    case ATTN_LLAMA_WINDOW_NONE:
        break;
    }
    return false;
}

void attn_config_windows(attn_config *config, attn_llama_windows windows, attn_llama_settings *s, attn_arena *arena)
{
    size_t from = 0, pattern = 1, fallback = s->window;
    bool on = true;
    s->window = 0;
    if (windows == ATTN_LLAMA_WINDOW_NONE)
        return;
    s->window = attn_config_count(config, "sliding_window", attn_config_has(config, "sliding_window") ? 0 : fallback);
    if (windows == ATTN_LLAMA_WINDOW_QWEN) {
        on = attn_config_bool(config, "use_sliding_window", false);
        from = attn_config_count(config, "max_window_layers", 28);
    }
    if (windows == ATTN_LLAMA_WINDOW_GEMMA3) {
        pattern = attn_config_count(config, "sliding_window_pattern",
                                    attn_config_count(config, "_sliding_window_pattern", 6));
        if (pattern == 0)
            attn_config_fail(config, "sliding_window_pattern", "expected at least 1");
    }
    if (config->status != ATTN_OK)
        return;
    bool *windowed = attn_arena_alloc(arena, s->n_layers, sizeof *windowed);
    if (windowed == NULL) {
        config->status = attn_fail_memory(config->error);
        return;
    }
    if (!take_types(config, s->n_layers, windowed))
        for (size_t l = 0; l < s->n_layers; l++)
            windowed[l] = by_rule(windows, l, from, pattern);
    s->windowed = on && s->window > 0 ? windowed : NULL;
}
