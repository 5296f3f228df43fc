/* family_gpt2.c: GPT-2 (Radford et al. 2019): learned positions, LayerNorm before each branch, queries, keys
 * and values fused in one Conv1D ([in][out], all queries first). */
#include "config.h"

#include "model/family.h"

#include <math.h>

typedef struct gpt2_settings {
    size_t d_model, n_layers, n_heads, n_inner, n_positions, n_vocab;
    attn_activation activation;
    double epsilon;
    bool scaled, by_layer, tied;
} gpt2_settings;

static gpt2_settings read_settings(attn_config *config)
{
    gpt2_settings s;
    s.d_model = attn_config_count(config, "n_embd", ATTN_CONFIG_REQUIRED);
    s.n_layers = attn_config_count(config, "n_layer", ATTN_CONFIG_REQUIRED);
    s.n_heads = attn_config_count(config, "n_head", ATTN_CONFIG_REQUIRED);
    s.n_positions = attn_config_count(config, "n_positions", ATTN_CONFIG_REQUIRED);
    s.n_vocab = attn_config_count(config, "vocab_size", ATTN_CONFIG_REQUIRED);
    s.n_inner = attn_config_count(config, "n_inner", 4 * s.d_model);
    s.activation = attn_family_activation(config, "activation_function", "gelu_new");
    s.epsilon = attn_config_number(config, "layer_norm_epsilon", 1e-5);
    s.scaled = attn_config_bool(config, "scale_attn_weights", true);
    s.by_layer = attn_config_bool(config, "scale_attn_by_inverse_layer_idx", false);
    s.tied = attn_config_bool(config, "tie_word_embeddings", true);
    if (attn_config_count(config, "n_ctx", s.n_positions) != s.n_positions)
        attn_config_fail(config, "n_ctx", "expected the same as n_positions");
    if (config->status == ATTN_OK && s.d_model % s.n_heads != 0)
        attn_config_fail(config, "n_head", "%zu heads do not divide n_embd %zu", s.n_heads, s.d_model);
    return s;
}

static void load_layer(attn_source *source, const gpt2_settings *s, size_t l)
{
    attn_layer *layer = &source->loader->model->layers[l];
    size_t d = s->d_model;
    attn_linear qkv;
    layer->rule.n_heads = layer->rule.n_kv_heads = s->n_heads;
    layer->rule.head_dim = layer->rule.value_dim = d / s->n_heads;
    if (!s->scaled || s->by_layer)
        layer->rule.scale = (float)((s->scaled ? 1.0 / sqrt((double)layer->rule.head_dim) : 1.0) /
                                    (s->by_layer ? (double)(l + 1) : 1.0));
    layer->mask.causal = layer->mask_given = true;
    layer->attention_before =
        attn_source_norm(source, attn_name_of("h.#.ln_1", l), "norm before attention", ATTN_NORM_LAYER, d, s->epsilon);
    qkv = attn_source_linear(source, attn_name_of("h.#.attn.c_attn", l), "query, key, value", d, 3 * d,
                             ATTN_BIAS_NEEDED);
    layer->q = attn_linear_part(qkv, 0, d);
    layer->k = attn_linear_part(qkv, d, d);
    layer->v = attn_linear_part(qkv, 2 * d, d);
    layer->o = attn_source_linear(source, attn_name_of("h.#.attn.c_proj", l), "output", d, d, ATTN_BIAS_NEEDED);
    layer->ffn_before =
        attn_source_norm(source, attn_name_of("h.#.ln_2", l), "norm before feed-forward", ATTN_NORM_LAYER, d, s->epsilon);
    layer->ffn.up = attn_source_linear(source, attn_name_of("h.#.mlp.c_fc", l), "feed-forward up", d, s->n_inner,
                                       ATTN_BIAS_NEEDED);
    layer->ffn.down = attn_source_linear(source, attn_name_of("h.#.mlp.c_proj", l), "feed-forward down",
                                         s->n_inner, d, ATTN_BIAS_NEEDED);
    layer->ffn.activation = s->activation;
}

static attn_status load(attn_source *source, attn_config *config, const attn_family *family)
{
    static const char *const prefixes[] = {"", "transformer.", NULL};
    gpt2_settings s = read_settings(config);
    attn_model *model = source->loader->model;
    size_t shape[2], l;
    (void)family;
    config->decoder = true;
    if (attn_config_finish(config) != ATTN_OK)
        return config->status;
    source->conv1d = true;
    attn_source_choose_prefix(source, prefixes, "wte.weight");
    attn_family_embeddings(source, "wte.weight", s.n_vocab, s.d_model);
    shape[0] = s.n_positions;
    shape[1] = s.d_model;
    model->positions = ATTN_POSITION_LEARNED;
    model->position_embeddings = attn_source_tensor(source, attn_name_of("wpe.weight", 0), "positions", 2, shape);
    model->max_tokens = s.n_positions;
    if (attn_family_layers(source, s.n_layers) != ATTN_OK)
        return source->status;
    for (l = 0; l < s.n_layers && source->status == ATTN_OK; l++)
        load_layer(source, &s, l);
    model->final_norm =
        attn_source_norm(source, attn_name_of("ln_f", 0), "final norm", ATTN_NORM_LAYER, s.d_model, s.epsilon);
    attn_family_head(source, "lm_head", s.tied, ATTN_BIAS_NONE);
    return source->status;
}

const attn_family attn_families_gpt2[] = {{"gpt2", load, NULL}, {NULL, NULL, NULL}};
