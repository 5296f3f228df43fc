/* llama_gguf.c: Llama and its kin in GGUF. Llama's own q and k rows are stored permuted, head by head, so that rotary
 * pairs lie side by side: they stay as they are, and the pairs are turned interleaved, which gives the same scores. The
 * other architectures keep the halves. Gemma's norms are stored with 1 added. */
#include "config.h"

#include "load/family/llama.h"

#include <math.h>
#include <string.h>

typedef struct gguf_kin {
    bool gelu, scaled_embeddings, qk_norm, qk_norm_full, fused, softcaps, local_theta;
    attn_llama_norms norms;
    attn_llama_windows windows;
    size_t big_layers; /* a model of so many layers scales by d_model / heads instead of head_dim */
} gguf_kin;

static const attn_llama_names names_gguf = {
    .embeddings = "token_embd.weight",
    .norm = "output_norm",
    .head = "output",
    .norm_in = "blk.#.attn_norm",
    .norm_before_ffn = "blk.#.ffn_norm",
    .norm_after_attention = "blk.#.post_attention_norm",
    .norm_before_ffn_both = "blk.#.ffn_norm",
    .norm_after_ffn = "blk.#.post_ffw_norm",
    .q = "blk.#.attn_q",
    .k = "blk.#.attn_k",
    .v = "blk.#.attn_v",
    .qkv = "blk.#.attn_qkv",
    .o = "blk.#.attn_output",
    .q_norm = "blk.#.attn_q_norm",
    .k_norm = "blk.#.attn_k_norm",
    .gate = "blk.#.ffn_gate",
    .up = "blk.#.ffn_up",
    .gate_up = "blk.#.ffn_up",
    .down = "blk.#.ffn_down",
};

static void read_sizes(attn_gguf *gguf, attn_llama_settings *s)
{
    s->d_model = attn_gguf_count(gguf, "embedding_length", SIZE_MAX);
    s->n_layers = attn_gguf_count(gguf, "block_count", SIZE_MAX);
    s->n_inner = attn_gguf_count(gguf, "feed_forward_length", SIZE_MAX);
    s->n_heads = attn_gguf_count(gguf, "attention.head_count", SIZE_MAX);
    s->n_kv_heads = attn_gguf_count(gguf, "attention.head_count_kv", s->n_heads);
    s->max_tokens = attn_gguf_count(gguf, "context_length", 0);
    s->n_vocab = attn_gguf_vocab(gguf);
    if (gguf->status != ATTN_OK)
        return;
    if (s->n_layers > ATTN_MAX_LAYERS)
        attn_gguf_fail(gguf, "block_count", "expected at most 2048");
    if (s->n_heads % s->n_kv_heads != 0)
        attn_gguf_fail(gguf, "attention.head_count_kv", "it does not divide attention.head_count");
    s->head_dim = attn_gguf_count(gguf, "attention.key_length", s->d_model / s->n_heads);
    if (attn_gguf_count(gguf, "attention.value_length", s->head_dim) != s->head_dim)
        attn_gguf_fail(gguf, "attention.value_length", "values of another width than keys are not supported");
}

/* rope_freqs.weight divides each pair's frequency (Llama 3.1); phi3 has two such, for short and long texts. */
static const double *read_factors(attn_checkpoint *checkpoint, const char *name, size_t n)
{
    const float *values = attn_checkpoint_vector(checkpoint, attn_name_of(name, 0), "rotary factors", n);
    double *factors = values != NULL ? attn_checkpoint_alloc(checkpoint, n, sizeof *factors) : NULL;
    for (size_t i = 0; factors != NULL && i < n; i++)
        factors[i] = (double)values[i];
    return factors;
}

static void read_frequencies(attn_checkpoint *checkpoint, attn_gguf *gguf, attn_rope_settings *rope)
{
    size_t pairs = rope->dims / 2;
    if (attn_checkpoint_has(checkpoint, attn_name_of("rope_freqs.weight", 0), "")) {
        rope->scaling = ATTN_ROPE_LONGROPE;
        rope->short_factors = rope->long_factors = read_factors(checkpoint, "rope_freqs.weight", pairs);
        rope->attention_factor = 1.0;
        rope->original_max_positions = 1.0;
    } else if (attn_checkpoint_has(checkpoint, attn_name_of("rope_factors_long.weight", 0), "")) {
        rope->scaling = ATTN_ROPE_LONGROPE;
        rope->long_factors = read_factors(checkpoint, "rope_factors_long.weight", pairs);
        rope->short_factors = read_factors(checkpoint, "rope_factors_short.weight", pairs);
        rope->attention_factor = attn_gguf_number(gguf, "rope.scaling.attn_factor", 0.0);
    }
}

static void read_scaling(attn_gguf *gguf, attn_rope_settings *rope)
{
    attn_bytes type = attn_gguf_text(gguf, "rope.scaling.type");
    rope->factor = attn_gguf_number(gguf, "rope.scaling.factor", attn_gguf_number(gguf, "rope.scale_linear", 0.0));
    rope->original_max_positions = attn_gguf_number(gguf, "rope.scaling.original_context_length", rope->max_positions);
    rope->beta_fast = attn_gguf_number(gguf, "rope.scaling.yarn_beta_fast", 0.0); /* YaRN's; 0: the usual 32 and 1 */
    rope->beta_slow = attn_gguf_number(gguf, "rope.scaling.yarn_beta_slow", 0.0);
    if (attn_bytes_are(type, "linear") || (type.size == 0 && rope->factor > 0.0)) {
        rope->scaling = ATTN_ROPE_LINEAR;
    } else if (attn_bytes_are(type, "yarn")) {
        rope->scaling = ATTN_ROPE_YARN;
        rope->attention_factor = attn_gguf_number(gguf, "rope.scaling.attn_factor", 0.0);
    } else if (type.size > 0 && !attn_bytes_are(type, "none") && !attn_bytes_are(type, "longrope")) {
        attn_gguf_fail(gguf, "rope.scaling.type", "expected none, linear, yarn or longrope");
    }
}

/* Ollama's files call the two bases of Gemma 3 global and local, or leave them out where they are the usual ones. */
static void read_rope(attn_checkpoint *checkpoint, attn_gguf *gguf, const attn_architecture *row,
                      attn_llama_settings *s)
{
    attn_rope_settings *rope = &s->rope;
    const gguf_kin *kin = row->flags;
    rope->layout = row->rope_layout;
    rope->dims = attn_gguf_count(gguf, "rope.dimension_count", s->head_dim);
    rope->theta = attn_gguf_number(gguf, "rope.freq_base",
                                   kin->local_theta ? attn_gguf_number(gguf, "rope.global.freq_base", 1e6) : 1e4);
    rope->max_positions = (double)s->max_tokens;
    rope->truncate = true;
    if (rope->dims % 2 != 0 || rope->dims > s->head_dim || !(rope->theta > 0.0))
        attn_gguf_fail(gguf, "rope.dimension_count", "expected an even count up to the head's width");
    read_scaling(gguf, rope);
    if (gguf->status == ATTN_OK)
        read_frequencies(checkpoint, gguf, rope);
    if (!kin->local_theta) {
        s->max_tokens = attn_rope_reach(rope, s->max_tokens);
    } else {
        s->local_rope.layout = rope->layout;
        s->local_rope.dims = rope->dims;
        s->local_rope.theta =
            attn_gguf_number(gguf, "rope.freq_base_swa", attn_gguf_number(gguf, "rope.local.freq_base", 1e4));
    }
}

/* attention.sliding_window_pattern as one truth value a layer: whether it has the window. */
static void read_pattern(attn_gguf *gguf, const attn_meta *pattern, size_t n_layers, bool *windowed)
{
    if (pattern->element != ATTN_META_BOOL || pattern->n_elements != n_layers || pattern->numbers == NULL) {
        attn_gguf_fail(gguf, "attention.sliding_window_pattern", "expected a count, or true or false for each layer");
        return;
    }
    for (size_t l = 0; l < n_layers; l++) {
        const attn_tensor at = attn_tensor_at(*pattern->numbers, l);
        float value;
        attn_tensor_to_f32(&at, &value);
        windowed[l] = value != 0.0f;
    }
}

/* Without a pattern every second (Gemma 2) or sixth (Gemma 3) layer sees all. */
static void read_windows(attn_checkpoint *checkpoint, attn_gguf *gguf, const gguf_kin *kin, attn_llama_settings *s)
{
    const attn_meta *pattern = attn_gguf_get(gguf, "attention.sliding_window_pattern"); /* of no use without a window */
    s->window = attn_gguf_count(gguf, "attention.sliding_window", 0);
    if (s->window == 0 || kin->windows == ATTN_LLAMA_WINDOW_NONE || gguf->status != ATTN_OK)
        return;
    bool *windowed = attn_checkpoint_alloc(checkpoint, s->n_layers, sizeof *windowed);
    const size_t usual = kin->windows == ATTN_LLAMA_WINDOW_GEMMA2 ? 2 : 6;
    s->windowed = windowed;
    if (windowed == NULL)
        return;
    if (pattern != NULL && pattern->type == ATTN_META_ARRAY) {
        read_pattern(gguf, pattern, s->n_layers, windowed);
        return;
    }
    const size_t period = attn_gguf_count(gguf, "attention.sliding_window_pattern", usual);
    for (size_t l = 0; gguf->status == ATTN_OK && l < s->n_layers; l++)
        windowed[l] = (kin->windows == ATTN_LLAMA_WINDOW_ALL && pattern == NULL) || (l + 1) % period != 0;
}

static attn_llama_settings read_settings(attn_checkpoint *checkpoint, attn_gguf *gguf, const attn_architecture *row)
{
    const gguf_kin *kin = row->flags;
    attn_llama_settings s = {0};
    read_sizes(gguf, &s);
    if (gguf->status != ATTN_OK)
        return s;
    s.epsilon = attn_gguf_number(gguf, "attention.layer_norm_rms_epsilon", 1e-6);
    s.activation = kin->gelu ? ATTN_GELU_TANH : ATTN_SILU;
    s.norms = kin->norms;
    s.qk_norm = kin->qk_norm;
    s.qk_norm_full = kin->qk_norm_full;
    s.fused = kin->fused;
    s.embedding_scale = kin->scaled_embeddings ? sqrt((double)s.d_model) : 1.0;
    s.scale = NAN;
    if (kin->big_layers != 0 && s.n_layers == kin->big_layers)
        s.scale = (float)(1.0 / sqrt((double)s.d_model / (double)s.n_heads));
    if (kin->softcaps) {
        s.softcap = (float)attn_gguf_number(gguf, "attn_logit_softcapping", 50.0);
        s.logit_softcap = (float)attn_gguf_number(gguf, "final_logit_softcapping", 30.0);
    }
    s.qkv_bias = attn_checkpoint_has(checkpoint, attn_name_of("blk.0.attn_q.bias", 0), "") ||
                 attn_checkpoint_has(checkpoint, attn_name_of("blk.0.attn_qkv.bias", 0), "");
    s.o_bias = attn_checkpoint_has(checkpoint, attn_name_of("blk.0.attn_output.bias", 0), "");
    s.mlp_bias = attn_checkpoint_has(checkpoint, attn_name_of("blk.0.ffn_up.bias", 0), "");
    s.tied = !attn_checkpoint_has(checkpoint, attn_name_of("output.weight", 0), "");
    read_rope(checkpoint, gguf, row, &s);
    read_windows(checkpoint, gguf, kin, &s);
    return s;
}

static attn_status load(attn_checkpoint *checkpoint, attn_gguf *gguf, const attn_architecture *row)
{
    attn_llama_settings s = read_settings(checkpoint, gguf, row);
    if (checkpoint->status != ATTN_OK)
        return checkpoint->status;
    if (attn_gguf_finish(gguf) != ATTN_OK)
        return gguf->status;
    return attn_llama_build(checkpoint, &s, &names_gguf);
}

#define KIN(...) (&(const gguf_kin){__VA_ARGS__})

const attn_architecture attn_architectures_llama[] = {
    {.name = "llama", .load = load, .flags = KIN(0), .rope_layout = ATTN_ROPE_INTERLEAVED},
    {.name = "qwen2", .load = load, .flags = KIN(0)},
    {.name = "qwen3", .load = load, .flags = KIN(.qk_norm = true)},
    {.name = "olmo2",
     .load = load,
     .flags = KIN(.qk_norm = true, .qk_norm_full = true, .norms = ATTN_LLAMA_NORMS_AFTER)},
    {.name = "phi3", .load = load, .flags = KIN(.fused = true, .windows = ATTN_LLAMA_WINDOW_ALL)},
    {.name = "gemma", .load = load, .flags = KIN(.gelu = true, .scaled_embeddings = true)},
    {.name = "gemma2",
     .load = load,
     .flags = KIN(.gelu = true, .scaled_embeddings = true, .softcaps = true, .norms = ATTN_LLAMA_NORMS_BOTH,
                  .windows = ATTN_LLAMA_WINDOW_GEMMA2, .big_layers = 46)},
    {.name = "gemma3",
     .load = load,
     .flags = KIN(.gelu = true, .scaled_embeddings = true, .qk_norm = true, .local_theta = true,
                  .norms = ATTN_LLAMA_NORMS_BOTH, .windows = ATTN_LLAMA_WINDOW_GEMMA3, .big_layers = 62)},
    {.name = NULL},
};
