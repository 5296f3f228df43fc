/* gpt_neox.c: GPT-NeoX and Pythia (Black et al. 2022): rotary positions over a part of each head, branches that read
 * the same stream, queries, keys and values fused head by head. */
#include "config.h"

#include "load/family/llama.h"

#include <string.h>

typedef struct neox_settings {
    attn_llama_settings common; /* sizes and rotary positions */
    bool parallel, bias;
} neox_settings;

static neox_settings read_settings(attn_config *config, attn_arena *arena)
{
    neox_settings s = {0};
    attn_llama_settings *c = &s.common;
    c->d_model = attn_config_count(config, "hidden_size", ATTN_CONFIG_REQUIRED);
    c->n_layers = attn_config_count(config, "num_hidden_layers", ATTN_CONFIG_REQUIRED);
    c->n_heads = attn_config_count(config, "num_attention_heads", ATTN_CONFIG_REQUIRED);
    c->n_inner = attn_config_count(config, "intermediate_size", ATTN_CONFIG_REQUIRED);
    c->n_vocab = attn_config_count(config, "vocab_size", ATTN_CONFIG_REQUIRED);
    c->max_tokens = attn_config_count(config, "max_position_embeddings", 2048);
    c->epsilon = attn_config_number(config, "layer_norm_eps", 1e-5);
    c->activation = attn_family_activation(config, "hidden_act", "gelu");
    c->tied = attn_config_bool(config, "tie_word_embeddings", false);
    s.parallel = attn_config_bool(config, "use_parallel_residual", true);
    s.bias = attn_config_bool(config, "attention_bias", true);
    c->rotary_part =
        attn_config_number(config, "rotary_pct", attn_config_number(config, "partial_rotary_factor", 0.25));
    c->rope.theta = attn_config_number(config, "rotary_emb_base", 10000.0);
    if (!(c->rotary_part > 0.0) || c->rotary_part > 1.0)
        attn_config_fail(config, "rotary_pct", "expected a number above 0 and up to 1");
    if (config->status != ATTN_OK)
        return s;
    attn_family_check_heads(config, "num_attention_heads", c->n_heads, "hidden_size", c->d_model);
    c->head_dim = c->d_model / c->n_heads;
    c->rope_layout = ATTN_ROPE_HALF;
    attn_config_rope(config, c, arena);
    return s;
}

/* Part ROLE of the fused map: its rows come head by head, queries, keys and values of a head together. */
static attn_linear head_part(attn_checkpoint *checkpoint, const attn_llama_settings *c, attn_linear fused, size_t role)
{
    size_t dim = c->head_dim;
    if (fused.w.data == NULL)
        return (attn_linear){0};
    attn_linear part = {.w = attn_tensor_columns(fused.w, role * dim, fused.w.shape[1] - 2 * dim),
                        .group = dim,
                        .group_stride = 3 * dim};
    float *bias = fused.bias != NULL ? attn_checkpoint_alloc(checkpoint, c->d_model, sizeof *bias) : NULL;
    for (size_t h = 0; bias != NULL && h < c->n_heads; h++)
        memcpy(bias + h * dim, fused.bias + (3 * h + role) * dim, dim * sizeof *bias);
    part.bias = bias;
    return part;
}

static void load_layer(attn_checkpoint *checkpoint, const neox_settings *s, size_t l)
{
    const attn_llama_settings *c = &s->common;
    attn_layer *layer = &checkpoint->loader->model->layers[l];
    bool bias = s->bias;
    size_t d = c->d_model;
    layer->rule.n_heads = layer->rule.n_kv_heads = c->n_heads;
    layer->rule.head_dim = layer->rule.value_dim = c->head_dim;
    layer->mask.causal = layer->mask_given = true;
    layer->positions = ATTN_POSITION_ROPE;
    layer->rope = c->rope;
    layer->parallel = s->parallel;
    layer->attention_before = attn_checkpoint_norm(checkpoint, attn_name_of("layers.#.input_layernorm", l),
                                                   "norm before attention", ATTN_NORM_LAYER, d, c->epsilon);
    layer->ffn_before = attn_checkpoint_norm(checkpoint, attn_name_of("layers.#.post_attention_layernorm", l),
                                             "norm before feed-forward", ATTN_NORM_LAYER, d, c->epsilon);
    attn_linear fused = attn_checkpoint_linear(checkpoint, attn_name_of("layers.#.attention.query_key_value", l),
                                               "query, key, value", d, 3 * d, bias);
    layer->q = head_part(checkpoint, c, fused, 0);
    layer->k = head_part(checkpoint, c, fused, 1);
    layer->v = head_part(checkpoint, c, fused, 2);
    layer->o = attn_checkpoint_linear(checkpoint, attn_name_of("layers.#.attention.dense", l), "output", d, d, bias);
    layer->ffn.up = attn_checkpoint_linear(checkpoint, attn_name_of("layers.#.mlp.dense_h_to_4h", l), "feed-forward up",
                                           d, c->n_inner, true);
    layer->ffn.down = attn_checkpoint_linear(checkpoint, attn_name_of("layers.#.mlp.dense_4h_to_h", l),
                                             "feed-forward down", c->n_inner, d, true);
    layer->ffn.activation = c->activation;
}

static attn_status load(attn_checkpoint *checkpoint, attn_config *config, const attn_family *family)
{
    static const char *const prefixes[] = {"gpt_neox.", "", NULL};
    neox_settings s = read_settings(config, &checkpoint->loader->model->arena);
    attn_model *model = checkpoint->loader->model;
    (void)family;
    config->decoder = true;
    if (attn_config_finish(config) != ATTN_OK)
        return config->status;
    attn_checkpoint_choose_prefix(checkpoint, prefixes, "embed_in.weight");
    attn_family_embeddings(checkpoint, "embed_in.weight", s.common.n_vocab, s.common.d_model);
    model->max_tokens = s.common.max_tokens;
    if (checkpoint->status != ATTN_OK || attn_family_layers(checkpoint, s.common.n_layers) != ATTN_OK)
        return checkpoint->status;
    for (size_t l = 0; l < s.common.n_layers && checkpoint->status == ATTN_OK; l++)
        load_layer(checkpoint, &s, l);
    model->final_norm = attn_checkpoint_norm(checkpoint, attn_name_of("final_layer_norm", 0), "final norm",
                                             ATTN_NORM_LAYER, s.common.d_model, s.common.epsilon);
    attn_family_head(checkpoint, "embed_out", s.common.tied);
    return checkpoint->status;
}

const attn_family attn_families_gpt_neox[] = {{.name = "gpt_neox", .load = load}, {.name = NULL}};
