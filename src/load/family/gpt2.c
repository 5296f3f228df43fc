/* gpt2.c: GPT-2 (Radford et al. 2019): learned positions, LayerNorm before each branch, queries, keys and values fused
 * in one Conv1D ([in][out], all queries first). */
#include "config.h"

#include "load/family/family.h"

#include <math.h>

typedef struct gpt2_settings {
    size_t d_model, n_layers, n_heads, n_inner, n_positions, n_vocab;
    attn_activation activation;
    double epsilon;
    bool scaled, by_layer, tied;
} gpt2_settings;

typedef struct gpt2_names {
    const char *embeddings, *positions, *norm, *head;
    const char *norm_attention, *qkv, *o, *norm_ffn, *up, *down;
} gpt2_names;

static const gpt2_names names_hf = {.embeddings = "wte.weight",
                                    .positions = "wpe.weight",
                                    .norm = "ln_f",
                                    .head = "lm_head",
                                    .norm_attention = "h.#.ln_1",
                                    .qkv = "h.#.attn.c_attn",
                                    .o = "h.#.attn.c_proj",
                                    .norm_ffn = "h.#.ln_2",
                                    .up = "h.#.mlp.c_fc",
                                    .down = "h.#.mlp.c_proj"};
static const gpt2_names names_gguf = {.embeddings = "token_embd.weight",
                                      .positions = "position_embd.weight",
                                      .norm = "output_norm",
                                      .head = "output",
                                      .norm_attention = "blk.#.attn_norm",
                                      .qkv = "blk.#.attn_qkv",
                                      .o = "blk.#.attn_output",
                                      .norm_ffn = "blk.#.ffn_norm",
                                      .up = "blk.#.ffn_up",
                                      .down = "blk.#.ffn_down"};

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
    attn_family_check_heads(config, "n_head", s.n_heads, "n_embd", s.d_model);
    return s;
}

static void load_layer(attn_checkpoint *checkpoint, const gpt2_settings *s, const gpt2_names *names, size_t l)
{
    attn_layer *layer = &checkpoint->loader->model->layers[l];
    size_t d = s->d_model;
    layer->rule.n_heads = layer->rule.n_kv_heads = s->n_heads;
    layer->rule.head_dim = layer->rule.value_dim = d / s->n_heads;
    if (!s->scaled || s->by_layer)
        layer->rule.scale = (float)((s->scaled ? 1.0 / sqrt((double)layer->rule.head_dim) : 1.0) /
                                    (s->by_layer ? (double)(l + 1) : 1.0));
    layer->mask.causal = layer->mask_given = true;
    layer->attention_before = attn_checkpoint_norm(checkpoint, attn_name_of(names->norm_attention, l),
                                                   "norm before attention", ATTN_NORM_LAYER, d, s->epsilon);
    attn_linear qkv =
        attn_checkpoint_linear(checkpoint, attn_name_of(names->qkv, l), "query, key, value", d, 3 * d, true);
    layer->q = attn_linear_part(qkv, 0, d);
    layer->k = attn_linear_part(qkv, d, d);
    layer->v = attn_linear_part(qkv, 2 * d, d);
    layer->o = attn_checkpoint_linear(checkpoint, attn_name_of(names->o, l), "output", d, d, true);
    layer->ffn_before = attn_checkpoint_norm(checkpoint, attn_name_of(names->norm_ffn, l), "norm before feed-forward",
                                             ATTN_NORM_LAYER, d, s->epsilon);
    layer->ffn.up =
        attn_checkpoint_linear(checkpoint, attn_name_of(names->up, l), "feed-forward up", d, s->n_inner, true);
    layer->ffn.down =
        attn_checkpoint_linear(checkpoint, attn_name_of(names->down, l), "feed-forward down", s->n_inner, d, true);
    layer->ffn.activation = s->activation;
}

static attn_status build(attn_checkpoint *checkpoint, const gpt2_settings *s, const gpt2_names *names)
{
    attn_model *model = checkpoint->loader->model;
    attn_family_embeddings(checkpoint, names->embeddings, s->n_vocab, s->d_model);
    attn_family_positions(checkpoint, names->positions, s->n_positions, 0);
    if (checkpoint->status != ATTN_OK || attn_family_layers(checkpoint, s->n_layers) != ATTN_OK)
        return checkpoint->status;
    for (size_t l = 0; l < s->n_layers && checkpoint->status == ATTN_OK; l++)
        load_layer(checkpoint, s, names, l);
    model->final_norm = attn_checkpoint_norm(checkpoint, attn_name_of(names->norm, 0), "final norm", ATTN_NORM_LAYER,
                                             s->d_model, s->epsilon);
    attn_family_head(checkpoint, names->head, s->tied);
    return checkpoint->status;
}

static attn_status load(attn_checkpoint *checkpoint, attn_config *config, const attn_family *family)
{
    static const char *const prefixes[] = {"", "transformer.", NULL};
    gpt2_settings s = read_settings(config);
    (void)family;
    config->decoder = true;
    if (attn_config_finish(config) != ATTN_OK)
        return config->status;
    checkpoint->conv1d = true;
    attn_checkpoint_choose_prefix(checkpoint, prefixes, names_hf.embeddings);
    return build(checkpoint, &s, &names_hf);
}

/* GGUF stores the maps transposed to [out][in]. */
static attn_status load_gguf(attn_checkpoint *checkpoint, attn_gguf *gguf, const attn_architecture *row)
{
    gpt2_settings s = {0};
    (void)row;
    s.d_model = attn_gguf_count(gguf, "embedding_length", SIZE_MAX);
    s.n_layers = attn_gguf_count(gguf, "block_count", SIZE_MAX);
    s.n_heads = attn_gguf_count(gguf, "attention.head_count", SIZE_MAX);
    s.n_inner = attn_gguf_count(gguf, "feed_forward_length", 4 * s.d_model);
    s.n_positions = attn_gguf_count(gguf, "context_length", SIZE_MAX);
    s.n_vocab = attn_gguf_vocab(gguf);
    s.epsilon = attn_gguf_number(gguf, "attention.layer_norm_epsilon", 1e-5);
    s.activation = ATTN_GELU_TANH;
    s.scaled = true;
    s.tied = !attn_checkpoint_has(checkpoint, attn_name_of("output", 0), ".weight");
    attn_gguf_check_heads(gguf, s.n_heads, s.d_model);
    return attn_gguf_finish(gguf) == ATTN_OK ? build(checkpoint, &s, &names_gguf) : gguf->status;
}

const attn_family attn_families_gpt2[] = {{.name = "gpt2", .load = load}, {.name = NULL}};
const attn_architecture attn_architectures_gpt2[] = {{.name = "gpt2", .load = load_gguf}, {.name = NULL}};
