/* llama.c: Llama (Touvron et al. 2023) and its kin: RMSNorm, rotary positions, gated feed-forward. What sets the kin
 * apart is a row of flags: which biases, QK-norm, where the norms stand, how windows alternate. */
#include "config.h"

#include "load/family/llama.h"

#include <math.h>
#include <string.h>

typedef struct llama_kin {
    attn_llama_norms norms;
    attn_llama_windows windows;
    bool qkv_bias, bias_setting; /* queries, keys, values have biases; `attention_bias` says for all four */
    bool mlp_bias_setting;
    bool qk_norm, qk_norm_full;
    bool fused;        /* qkv_proj and gate_up_proj (Phi-3) */
    bool gemma;        /* norms stored less one, embeddings times √d_model, a gelu under a key of its own */
    bool softcaps;     /* attn_logit_softcapping, final_logit_softcapping */
    bool query_scalar; /* query_pre_attn_scalar */
    bool local_theta;  /* rope_local_base_freq of windowed layers */
    bool sinks;        /* a logit a head in the softmax's denominator (gpt-oss) */
    bool experts;      /* the feed-forward is a choice of experts, which is not run */
    bool tied;         /* where the file does not say */
    size_t head_dim;   /* where the file does not say; 0: d_model / heads */
    size_t n_heads, n_kv_heads, n_vocab, window; /* likewise; 0: the file must say (no window) */
    double theta;                                /* likewise; 0: 10000 */
} llama_kin;

/* ---- settings ---- */

static size_t count_or(attn_config *config, const char *key, size_t fallback)
{
    return attn_config_count(config, key, fallback != 0 ? fallback : ATTN_CONFIG_REQUIRED);
}

static void read_sizes(attn_config *config, const llama_kin *kin, attn_llama_settings *s)
{
    s->d_model = attn_config_count(config, "hidden_size", ATTN_CONFIG_REQUIRED);
    s->n_layers = attn_config_count(config, "num_hidden_layers", ATTN_CONFIG_REQUIRED);
    s->n_heads = count_or(config, "num_attention_heads", kin->n_heads);
    s->n_kv_heads =
        attn_config_count(config, "num_key_value_heads", kin->n_kv_heads != 0 ? kin->n_kv_heads : s->n_heads);
    s->head_dim = attn_config_count(config, "head_dim", kin->head_dim);
    s->n_inner = attn_config_count(config, "intermediate_size", ATTN_CONFIG_REQUIRED);
    s->n_vocab = count_or(config, "vocab_size", kin->n_vocab);
    s->max_tokens = attn_config_count(config, "max_position_embeddings", 0);
    if (config->status != ATTN_OK)
        return;
    if (s->n_layers > ATTN_MAX_LAYERS)
        attn_config_fail(config, "num_hidden_layers", "expected at most %d", (int)ATTN_MAX_LAYERS);
    if (s->head_dim == 0) {
        attn_family_check_heads(config, "num_attention_heads", s->n_heads, "hidden_size", s->d_model);
        s->head_dim = s->d_model / s->n_heads;
    }
    if (s->n_kv_heads == 0 || s->n_heads % s->n_kv_heads != 0)
        attn_config_fail(config, "num_key_value_heads", "%zu does not divide the %zu attention heads", s->n_kv_heads,
                         s->n_heads);
}

static void read_biases(attn_config *config, const llama_kin *kin, attn_llama_settings *s)
{
    s->qkv_bias = kin->qkv_bias;
    if (kin->bias_setting) {
        s->qkv_bias = attn_config_bool(config, "attention_bias", false);
        s->o_bias = s->qkv_bias;
    } else {
        attn_config_only_bool(config, "attention_bias", false);
    }
    if (kin->mlp_bias_setting)
        s->mlp_bias = attn_config_bool(config, "mlp_bias", false);
}

static void read_activation(attn_config *config, const llama_kin *kin, attn_llama_settings *s)
{
    if (!kin->gemma) {
        s->activation = attn_family_activation(config, "hidden_act", "silu");
        return;
    }
    s->activation = attn_family_activation(config, "hidden_activation", "gelu_pytorch_tanh");
    /* Gemma's first files say "gelu" under the old key and mean the approximation; the new key wins. */
    attn_activation old = attn_family_activation(config, "hidden_act", "gelu_pytorch_tanh");
    if (old != ATTN_GELU && old != ATTN_GELU_TANH)
        attn_config_fail(config, "hidden_act", "expected a gelu");
}

static void read_scale(attn_config *config, const llama_kin *kin, attn_llama_settings *s)
{
    s->scale = NAN;
    if (kin->query_scalar) {
        double scalar = attn_config_number(config, "query_pre_attn_scalar", 256.0);
        if (!(scalar > 0.0))
            attn_config_fail(config, "query_pre_attn_scalar", "expected a number above 0");
        s->scale = (float)(1.0 / sqrt(scalar));
    }
    if (kin->softcaps) {
        bool second = kin->windows == ATTN_LLAMA_WINDOW_GEMMA2;
        s->softcap =
            (float)attn_config_number(config, "attn_logit_softcapping",
                                      second && !attn_config_has(config, "attn_logit_softcapping") ? 50.0 : 0.0);
        s->logit_softcap =
            (float)attn_config_number(config, "final_logit_softcapping",
                                      second && !attn_config_has(config, "final_logit_softcapping") ? 30.0 : 0.0);
    }
}

/* What is said of experts is not needed: they are not run. */
static void skip_experts(attn_config *config)
{
    static const char *const keys[] = {"num_local_experts",      "num_experts_per_tok",  "experts_per_token",
                                       "router_aux_loss_coef",   "output_router_logits", "swiglu_limit",
                                       "initial_context_length", "intermediate_size"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        attn_config_get(config, keys[i]);
    config->quantized = true;
}

/* Settings of some files of these families that only say what is done here anyway. */
static void refuse_others(attn_config *config, const llama_kin *kin)
{
    static const char *const off[] = {"use_mrope", "rope_interleaved", "use_bidirectional_attention", "lm_head_bias"};
    static const char *const one[] = {"full_attn_mod", "interpolate_factor"};
    attn_config_only_null(config, "clip_qkv");
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        attn_config_only_bool(config, off[i], false);
    if (!kin->mlp_bias_setting)
        attn_config_only_bool(config, "mlp_bias", false);
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        if (attn_config_number(config, one[i], 1.0) != 1.0)
            attn_config_fail(config, one[i], "only 1 is supported");
}

static attn_llama_settings read_settings(attn_config *config, attn_arena *arena, const llama_kin *kin)
{
    attn_llama_settings s = {0};
    read_sizes(config, kin, &s);
    read_biases(config, kin, &s);
    read_activation(config, kin, &s);
    read_scale(config, kin, &s);
    s.epsilon = attn_config_number(config, "rms_norm_eps", kin->norms == ATTN_LLAMA_NORMS_AFTER ? 1e-5 : 1e-6);
    s.tied = attn_config_bool(config, "tie_word_embeddings", kin->tied);
    s.norms = kin->norms;
    s.qk_norm = kin->qk_norm;
    s.qk_norm_full = kin->qk_norm_full;
    s.fused = kin->fused;
    s.sinks = kin->sinks;
    s.experts = kin->experts;
    if (s.experts)
        skip_experts(config);
    s.plus_one = kin->gemma;
    s.embedding_scale = kin->gemma ? sqrt((double)s.d_model) : 1.0;
    s.rope_layout = ATTN_ROPE_HALF;
    s.rope.theta = kin->theta;
    s.window = kin->window;
    s.local_theta = kin->local_theta;
    attn_config_rope(config, &s, arena);
    attn_config_windows(config, kin->windows, &s, arena);
    refuse_others(config, kin);
    return s;
}

/* ---- tensors ---- */

static void load_attention(attn_checkpoint *checkpoint, const attn_llama_settings *s, const attn_llama_names *names,
                           size_t l)
{
    attn_layer *layer = &checkpoint->loader->model->layers[l];
    size_t d = s->d_model, q = s->n_heads * s->head_dim, kv = s->n_kv_heads * s->head_dim;
    bool bias = s->qkv_bias;
    if (s->fused) {
        attn_linear qkv =
            attn_checkpoint_linear(checkpoint, attn_name_of(names->qkv, l), "query, key, value", d, q + 2 * kv, bias);
        layer->q = attn_linear_part(qkv, 0, q);
        layer->k = attn_linear_part(qkv, q, kv);
        layer->v = attn_linear_part(qkv, q + kv, kv);
    } else {
        layer->q = attn_checkpoint_linear(checkpoint, attn_name_of(names->q, l), "query", d, q, bias);
        layer->k = attn_checkpoint_linear(checkpoint, attn_name_of(names->k, l), "key", d, kv, bias);
        layer->v = attn_checkpoint_linear(checkpoint, attn_name_of(names->v, l), "value", d, kv, bias);
    }
    layer->o = attn_checkpoint_linear(checkpoint, attn_name_of(names->o, l), "output", q, d, s->o_bias);
    if (s->sinks)
        layer->rule.sinks = attn_checkpoint_vector(checkpoint, attn_name_of(names->sinks, l), "sinks", s->n_heads);
    if (s->qk_norm) {
        layer->qk_norm_full = s->qk_norm_full;
        layer->q_norm = attn_checkpoint_norm(checkpoint, attn_name_of(names->q_norm, l), "query norm", ATTN_NORM_RMS,
                                             s->qk_norm_full ? q : s->head_dim, s->epsilon);
        layer->k_norm = attn_checkpoint_norm(checkpoint, attn_name_of(names->k_norm, l), "key norm", ATTN_NORM_RMS,
                                             s->qk_norm_full ? kv : s->head_dim, s->epsilon);
    }
}

static void load_feed_forward(attn_checkpoint *checkpoint, const attn_llama_settings *s, const attn_llama_names *names,
                              size_t l)
{
    attn_feed_forward *ffn = &checkpoint->loader->model->layers[l].ffn;
    bool bias = s->mlp_bias;
    if (s->fused) {
        attn_linear both = attn_checkpoint_linear(checkpoint, attn_name_of(names->gate_up, l),
                                                  "feed-forward gate and up", s->d_model, 2 * s->n_inner, bias);
        ffn->gate = attn_linear_part(both, 0, s->n_inner);
        ffn->up = attn_linear_part(both, s->n_inner, s->n_inner);
    } else {
        ffn->gate = attn_checkpoint_linear(checkpoint, attn_name_of(names->gate, l), "feed-forward gate", s->d_model,
                                           s->n_inner, bias);
        ffn->up = attn_checkpoint_linear(checkpoint, attn_name_of(names->up, l), "feed-forward up", s->d_model,
                                         s->n_inner, bias);
    }
    ffn->down = attn_checkpoint_linear(checkpoint, attn_name_of(names->down, l), "feed-forward down", s->n_inner,
                                       s->d_model, bias);
    ffn->activation = s->activation;
}

static attn_norm load_norm(attn_checkpoint *checkpoint, const attn_llama_settings *s, const char *name, size_t l,
                           const char *role)
{
    return attn_checkpoint_norm(checkpoint, attn_name_of(name, l), role, ATTN_NORM_RMS, s->d_model, s->epsilon);
}

static void load_norms(attn_checkpoint *checkpoint, const attn_llama_settings *s, const attn_llama_names *names,
                       size_t l)
{
    attn_layer *layer = &checkpoint->loader->model->layers[l];
    switch (s->norms) {
    case ATTN_LLAMA_NORMS_BEFORE:
        layer->attention_before = load_norm(checkpoint, s, names->norm_in, l, "norm before attention");
        layer->ffn_before = load_norm(checkpoint, s, names->norm_before_ffn, l, "norm before feed-forward");
        break;
    case ATTN_LLAMA_NORMS_AFTER:
        layer->attention_after = load_norm(checkpoint, s, names->norm_after_attention, l, "norm after attention");
        layer->ffn_after = load_norm(checkpoint, s, names->norm_after_ffn, l, "norm after feed-forward");
        break;
    case ATTN_LLAMA_NORMS_BOTH:
        layer->attention_before = load_norm(checkpoint, s, names->norm_in, l, "norm before attention");
        layer->attention_after = load_norm(checkpoint, s, names->norm_after_attention, l, "norm after attention");
        layer->ffn_before = load_norm(checkpoint, s, names->norm_before_ffn_both, l, "norm before feed-forward");
        layer->ffn_after = load_norm(checkpoint, s, names->norm_after_ffn, l, "norm after feed-forward");
        break;
    }
}

static void load_layer(attn_checkpoint *checkpoint, const attn_llama_settings *s, const attn_llama_names *names,
                       size_t l)
{
    attn_layer *layer = &checkpoint->loader->model->layers[l];
    bool windowed = s->windowed != NULL && s->windowed[l];
    layer->rule.n_heads = s->n_heads;
    layer->rule.n_kv_heads = s->n_kv_heads;
    layer->rule.head_dim = layer->rule.value_dim = s->head_dim;
    layer->rule.scale = s->scale;
    layer->rule.softcap = s->softcap;
    layer->mask.causal = layer->mask_given = true;
    layer->mask.window = windowed ? s->window : 0;
    layer->positions = ATTN_POSITION_ROPE;
    layer->rope = windowed && s->local_rope.dims != 0 ? s->local_rope : s->rope;
    load_norms(checkpoint, s, names, l);
    load_attention(checkpoint, s, names, l);
    if (s->experts)
        layer->cut_short = "its feed-forward is made of experts, which attn does not run";
    else
        load_feed_forward(checkpoint, s, names, l);
}

attn_status attn_llama_build(attn_checkpoint *checkpoint, const attn_llama_settings *s, const attn_llama_names *names)
{
    attn_model *model = checkpoint->loader->model;
    checkpoint->plus_one = s->plus_one;
    attn_family_embeddings(checkpoint, names->embeddings, s->n_vocab, s->d_model);
    model->embedding_scale = (float)s->embedding_scale;
    model->max_tokens = s->max_tokens;
    model->logit_softcap = s->logit_softcap;
    if (checkpoint->status != ATTN_OK || attn_family_layers(checkpoint, s->n_layers) != ATTN_OK)
        return checkpoint->status;
    for (size_t l = 0; l < s->n_layers && checkpoint->status == ATTN_OK; l++)
        load_layer(checkpoint, s, names, l);
    model->final_norm = load_norm(checkpoint, s, names->norm, 0, "final norm");
    attn_family_head(checkpoint, names->head, s->tied);
    return checkpoint->status;
}

static const attn_llama_names names_hf = {
    .embeddings = "embed_tokens.weight",
    .norm = "norm",
    .head = "lm_head",
    .norm_in = "layers.#.input_layernorm",
    .norm_before_ffn = "layers.#.post_attention_layernorm",
    .norm_after_attention = "layers.#.post_attention_layernorm",
    .norm_before_ffn_both = "layers.#.pre_feedforward_layernorm",
    .norm_after_ffn = "layers.#.post_feedforward_layernorm",
    .sinks = "layers.#.self_attn.sinks",
    .q = "layers.#.self_attn.q_proj",
    .k = "layers.#.self_attn.k_proj",
    .v = "layers.#.self_attn.v_proj",
    .qkv = "layers.#.self_attn.qkv_proj",
    .o = "layers.#.self_attn.o_proj",
    .q_norm = "layers.#.self_attn.q_norm",
    .k_norm = "layers.#.self_attn.k_norm",
    .gate = "layers.#.mlp.gate_proj",
    .up = "layers.#.mlp.up_proj",
    .gate_up = "layers.#.mlp.gate_up_proj",
    .down = "layers.#.mlp.down_proj",
};

static attn_status load(attn_checkpoint *checkpoint, attn_config *config, const attn_family *family)
{
    static const char *const prefixes[] = {"model.", "", "language_model.model.", "model.language_model.", NULL};
    attn_llama_settings s = read_settings(config, &checkpoint->loader->model->arena, family->flags);
    config->decoder = true;
    if (attn_config_finish(config) != ATTN_OK)
        return config->status;
    attn_checkpoint_choose_prefix(checkpoint, prefixes, names_hf.embeddings);
    return attn_llama_build(checkpoint, &s, &names_hf);
}

#define KIN(...) (&(const llama_kin){__VA_ARGS__})

const attn_family attn_families_llama[] = {
    {"llama", load, KIN(.bias_setting = true, .mlp_bias_setting = true)},
    {"mistral", load, KIN(.windows = ATTN_LLAMA_WINDOW_ALL)},
    {"qwen2", load, KIN(.qkv_bias = true, .windows = ATTN_LLAMA_WINDOW_QWEN)},
    {"qwen3", load, KIN(.bias_setting = true, .qk_norm = true, .windows = ATTN_LLAMA_WINDOW_QWEN, .head_dim = 128)},
    {"olmo2", load, KIN(.bias_setting = true, .qk_norm = true, .qk_norm_full = true, .norms = ATTN_LLAMA_NORMS_AFTER)},
    {"phi3", load, KIN(.fused = true, .windows = ATTN_LLAMA_WINDOW_ALL)},
    {"gpt_oss", load,
     KIN(.bias_setting = true, .sinks = true, .experts = true, .windows = ATTN_LLAMA_WINDOW_GEMMA2, .head_dim = 64,
         .window = 128, .theta = 150000.0)},
    {"gemma", load, KIN(.gemma = true, .bias_setting = true, .tied = true, .head_dim = 256)},
    {"gemma2", load,
     KIN(.gemma = true, .bias_setting = true, .tied = true, .norms = ATTN_LLAMA_NORMS_BOTH,
         .windows = ATTN_LLAMA_WINDOW_GEMMA2, .window = 4096, .softcaps = true, .query_scalar = true, .head_dim = 256)},
    {"gemma3_text", load,
     KIN(.gemma = true, .bias_setting = true, .tied = true, .qk_norm = true, .norms = ATTN_LLAMA_NORMS_BOTH,
         .windows = ATTN_LLAMA_WINDOW_GEMMA3, .softcaps = true, .query_scalar = true, .local_theta = true,
         .head_dim = 256, .n_heads = 8, .n_kv_heads = 4, .n_vocab = 262208, .window = 4096, .theta = 1e6)},
    {.name = NULL},
};
