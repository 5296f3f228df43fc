/* llama.h: what Llama and its kin are made of, whatever file said so: llama.c fills it from config.json, llama_gguf.c
 * from metadata. */
#ifndef ATTN_LOAD_FAMILY_LLAMA_H
#define ATTN_LOAD_FAMILY_LLAMA_H

#include "load/family/family.h"

typedef enum attn_llama_norms {
    ATTN_LLAMA_NORMS_BEFORE, /* each branch (Llama) */
    ATTN_LLAMA_NORMS_AFTER,  /* each branch (OLMo 2) */
    ATTN_LLAMA_NORMS_BOTH    /* (Gemma 2) */
} attn_llama_norms;

/* Which layers a sliding window holds for. */
typedef enum attn_llama_windows {
    ATTN_LLAMA_WINDOW_NONE,
    ATTN_LLAMA_WINDOW_ALL,    /* where the setting is given (Mistral) */
    ATTN_LLAMA_WINDOW_QWEN,   /* from max_window_layers on, with use_sliding_window */
    ATTN_LLAMA_WINDOW_GEMMA2, /* even layers */
    ATTN_LLAMA_WINDOW_GEMMA3  /* all but every sixth */
} attn_llama_windows;

typedef struct attn_llama_settings {
    size_t d_model, n_layers, n_heads, n_kv_heads, head_dim, n_inner, n_vocab, max_tokens;
    double epsilon, embedding_scale;
    float scale, softcap, logit_softcap; /* scale NAN: 1/√head_dim */
    attn_activation activation;
    attn_llama_norms norms;
    bool qkv_bias, o_bias, mlp_bias, qk_norm, qk_norm_full, fused, plus_one, tied, sinks;
    bool experts; /* the feed-forward is a choice of experts, which is not run */
    attn_rope_layout rope_layout;
    double rotary_part; /* of a head that is turned, where another key than partial_rotary_factor says so; else 0 */
    bool local_theta;   /* rope_local_base_freq is there for windowed layers */
    attn_rope_settings rope, local_rope; /* local: of windowed layers; dims 0: the same */
    size_t window;
    const bool *windowed; /* in the arena; [n_layers]; NULL: none */
} attn_llama_settings;

typedef struct attn_llama_names { /* tensors' names, '#' for the layer */
    const char *embeddings, *norm, *head;
    const char *norm_in, *norm_before_ffn, *norm_after_attention, *norm_before_ffn_both, *norm_after_ffn;
    const char *sinks, *q, *k, *v, *qkv, *o, *q_norm, *k_norm, *gate, *up, *gate_up, *down;
} attn_llama_names;

/* Fill CHECKPOINT's model. Its status. */
attn_status attn_llama_build(attn_checkpoint *checkpoint, const attn_llama_settings *settings,
                             const attn_llama_names *names);

/* config_rope.c: rotary positions and windows as config.json says them. */
/* rope_theta (where it is not said: s->rope.theta, or 10000), partial_rotary_factor, rope_scaling, rope_parameters (flat
 * or by layer type), rope_local_base_freq: s->rope, s->local_rope, and how long a text may be: s->max_tokens. */
void attn_config_rope(attn_config *config, attn_llama_settings *s, attn_arena *arena);
/* sliding_window (where it is not said: s->window), layer_types and the like: s->window, s->windowed. */
void attn_config_windows(attn_config *config, attn_llama_windows windows, attn_llama_settings *s, attn_arena *arena);

#endif
