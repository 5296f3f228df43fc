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

/* Where settings of rotary positions are read: the object that holds them, or one of its layer types. */
typedef struct rope_object {
    attn_config *config;
    const char *key; /* for messages: "rope_scaling", "rope_parameters.full_attention" */
    attn_arena *arena;
    size_t head_dim;
} rope_object;

static bool take_number(const rope_object *from, const attn_json_node *node, attn_rope_settings *rope)
{
    double value;
    for (size_t i = 0; i < sizeof scaling_keys / sizeof scaling_keys[0]; i++) {
        if (strcmp(attn_json_node_key(node), scaling_keys[i].name) != 0)
            continue;
        if (attn_json_node_type(node) == ATTN_JSON_NULL)
            return true;
        if (!attn_json_node_number(node, &value) || !isfinite(value))
            attn_config_fail(from->config, from->key, "%s: expected a number", attn_json_node_key(node));
        else
            memcpy((char *)rope + scaling_keys[i].offset, &value, sizeof value);
        return true;
    }
    return false;
}

/* "long_factor" and "short_factor": one number a pair. */
static void take_factors(const rope_object *from, const attn_json_node *node, attn_rope_settings *rope)
{
    const char *name = attn_json_node_key(node);
    size_t n = attn_json_node_size(node), i = 0;
    if (attn_json_node_type(node) != ATTN_JSON_ARRAY || n != rope->dims / 2) {
        attn_config_fail(from->config, from->key, "%s: expected %zu numbers", name, rope->dims / 2);
        return;
    }
    double *factors = attn_arena_alloc(from->arena, n, sizeof *factors);
    if (factors == NULL) {
        from->config->status = attn_fail_memory(from->config->error);
        return;
    }
    for (const attn_json_node *item = attn_json_node_first(node); item != NULL; item = attn_json_node_next(item), i++) {
        if (!attn_json_node_number(item, &factors[i]) || !(factors[i] > 0.0)) {
            attn_config_fail(from->config, from->key, "%s: expected numbers above 0", name);
            return;
        }
    }
    if (strcmp(name, "long_factor") == 0)
        rope->long_factors = factors;
    else
        rope->short_factors = factors;
}

static void take_type(const rope_object *from, const attn_json_node *node, attn_rope_settings *rope)
{
    const char *text = attn_json_node_text(node);
    for (size_t i = 0; text != NULL && i < sizeof scaling_names / sizeof scaling_names[0]; i++) {
        if (strcmp(text, scaling_names[i].name) == 0) {
            rope->scaling = scaling_names[i].scaling;
            return;
        }
    }
    attn_config_fail(from->config, from->key, "there is no scaling '%.60s'", text != NULL ? text : "?");
}

/* How much of a head is turned, as a part of it. */
static void take_part(const rope_object *from, const char *name, double part, attn_rope_settings *rope)
{
    if (!(part > 0.0) || part > 1.0) {
        attn_config_fail(from->config, name, "expected a number above 0 and up to 1");
        return;
    }
    rope->dims = (size_t)((double)from->head_dim * part);
    if (rope->dims == 0 || rope->dims % 2 != 0)
        attn_config_fail(from->config, part < 1.0 ? name : "head_dim",
                         "rotary positions turn pairs: expected an even count, found %zu", rope->dims);
}

/* An object's settings over ROPE. */
static void take_object(const rope_object *from, const attn_json_node *object, attn_rope_settings *rope)
{
    const attn_json_node *item = attn_json_node_member(object, "partial_rotary_factor");
    double part = 0.0;
    if (attn_json_node_type(object) != ATTN_JSON_OBJECT) {
        attn_config_fail(from->config, from->key, "expected an object");
        return;
    }
    if (item != NULL && attn_json_node_type(item) != ATTN_JSON_NULL) { /* first: the factors below go by it */
        attn_json_node_number(item, &part);
        take_part(from, "partial_rotary_factor", part, rope);
    }
    for (item = attn_json_node_first(object); item != NULL && from->config->status == ATTN_OK;
         item = attn_json_node_next(item)) {
        const char *name = attn_json_node_key(item);
        if (strcmp(name, "rope_type") == 0 || strcmp(name, "type") == 0)
            take_type(from, item, rope);
        else if (strcmp(name, "long_factor") == 0 || strcmp(name, "short_factor") == 0)
            take_factors(from, item, rope);
        else if (strcmp(name, "truncate") == 0)
            attn_json_node_bool(item, &rope->truncate);
        else if (strcmp(name, "partial_rotary_factor") != 0 && !take_number(from, item, rope))
            attn_config_unknown(from->config, from->key, name, item);
    }
}

/* What follows from all that was said. */
static void settle(const rope_object *from, attn_rope_settings *rope)
{
    if (!(rope->theta > 0.0))
        attn_config_fail(from->config, "rope_theta", "expected a number above 0");
    if (rope->original_max_positions == 0.0)
        rope->original_max_positions = rope->max_positions;
    /* longrope's magnitude follows from how far the text may stretch */
    if (rope->scaling == ATTN_ROPE_LONGROPE && rope->factor == 0.0 && rope->original_max_positions > 0.0)
        rope->factor = rope->max_positions / rope->original_max_positions;
}

/* rope_parameters: one object, or one for each type of layer (transformers 5); PLAIN is what a type goes on from. */
static void take_parameters(rope_object *from, const attn_rope_settings *plain, attn_llama_settings *s)
{
    static const char *const types[] = {"full_attention", "sliding_attention"};
    const attn_json_node *node = attn_config_get(from->config, "rope_parameters"), *item;
    from->key = "rope_parameters";
    if (node == NULL)
        return;
    if (attn_json_node_member(node, types[0]) == NULL && attn_json_node_member(node, types[1]) == NULL) {
        take_object(from, node, &s->rope);
        return;
    }
    for (item = attn_json_node_first(node); item != NULL; item = attn_json_node_next(item)) {
        if (strcmp(attn_json_node_key(item), types[0]) == 0) {
            from->key = "rope_parameters.full_attention";
            take_object(from, item, &s->rope);
        } else if (strcmp(attn_json_node_key(item), types[1]) == 0) {
            from->key = "rope_parameters.sliding_attention";
            if (s->local_rope.dims == 0)
                s->local_rope = *plain;
            take_object(from, item, &s->local_rope);
            settle(from, &s->local_rope);
        } else {
            attn_config_unknown(from->config, "rope_parameters", attn_json_node_key(item), item);
        }
    }
}

void attn_config_rope(attn_config *config, attn_llama_settings *s, attn_arena *arena)
{
    attn_rope_settings *rope = &s->rope;
    rope_object from = {.config = config, .key = "rope_scaling", .arena = arena, .head_dim = s->head_dim};
    const double part =
        s->rotary_part > 0.0 ? s->rotary_part : attn_config_number(config, "partial_rotary_factor", 1.0);
    take_part(&from, "partial_rotary_factor", part, rope);
    rope->theta = attn_config_number(config, "rope_theta", rope->theta > 0.0 ? rope->theta : 10000.0);
    rope->layout = s->rope_layout;
    rope->max_positions = (double)s->max_tokens;
    rope->truncate = true;
    rope->original_max_positions = attn_config_number(config, "original_max_position_embeddings", 0.0);
    attn_rope_settings plain = *rope;
    if (s->local_theta) {
        plain.theta = attn_config_number(config, "rope_local_base_freq", 10000.0);
        if (!(plain.theta > 0.0))
            attn_config_fail(config, "rope_local_base_freq", "expected a number above 0");
        s->local_rope = plain;
    }
    const attn_json_node *scaling = attn_config_get(config, "rope_scaling");
    if (scaling != NULL)
        take_object(&from, scaling, rope);
    take_parameters(&from, &plain, s);
    settle(&from, rope);
    if (!s->local_theta) /* Gemma 3's max_position_embeddings counts the scaling in */
        s->max_tokens = attn_rope_reach(rope, s->max_tokens);
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
