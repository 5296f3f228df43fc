/* model.h: a model is one struct, whatever it was loaded from. A toy is a model of one layer
 * without norms and feed-forward: there is one forward pass (pass/forward.h) and no other path.
 *
 * All matrices are views W[in][out] for y = x·W (a container's [out][in] becomes a transposed
 * view). They stay in the mapped file in their own type; the pass converts by block. */
#ifndef ATTN_MODEL_MODEL_H
#define ATTN_MODEL_MODEL_H

#include "attention/attention.h"
#include "attention/position.h"
#include "base/memory.h"
#include "formats/container.h"
#include "formats/vectors.h"
#include "text/tokenizer.h"

typedef struct attn_linear { /* y = x·W + b */
    attn_tensor w;           /* [in][out]; data NULL: absent (identity where the header says so) */
    const float *bias;       /* borrowed; [out] or NULL */
    /* 0: all columns; else groups of `group` columns, every `group_stride` of w's (GPT-NeoX: queries, keys and
     * values of one head lie together) */
    size_t group, group_stride;
} attn_linear;

/* Its width: columns of y. */
size_t attn_linear_out(const attn_linear *linear);

typedef enum attn_norm_kind { ATTN_NORM_NONE, ATTN_NORM_LAYER, ATTN_NORM_RMS } attn_norm_kind;

typedef struct attn_norm {
    attn_norm_kind kind;
    const float *weight; /* borrowed; [d]; NULL: 1. Gemma's (1 + w) is added by the loader */
    const float *bias;   /* borrowed; [d]; NULL: 0 */
    float epsilon;
} attn_norm;

typedef enum attn_activation {
    ATTN_GELU,      /* exact, by erf */
    ATTN_GELU_TANH, /* GPT-2's approximation */
    ATTN_SILU,
    ATTN_RELU,
    ATTN_QUICK_GELU
} attn_activation;

typedef struct attn_feed_forward {
    attn_linear up, gate, down; /* gate.w.data NULL: ungated. down.w.data NULL: no feed-forward */
    attn_activation activation;
} attn_feed_forward;

typedef enum attn_position_rule {
    ATTN_POSITION_NONE,
    ATTN_POSITION_ROPE, /* inside attention, as ALiBi and T5's */
    ATTN_POSITION_ALIBI,
    ATTN_POSITION_SINUSOIDAL, /* added to the embeddings */
    ATTN_N_PLAIN_POSITIONS,   /* those before need no numbers of a file: they can be asked for by name */
    ATTN_POSITION_LEARNED = ATTN_N_PLAIN_POSITIONS, /* added to the embeddings */
    ATTN_POSITION_T5                                /* no loader gives it yet: encoder–decoders will */
} attn_position_rule;
const char *attn_position_rule_name(attn_position_rule rule);
/* The plain rule that is called NAME. */
bool attn_position_rule_find(const char *name, attn_position_rule *rule);

typedef struct attn_layer {
    size_t d_model;
    attn_rule rule;        /* heads, score, scale, soft-cap, sinks, … */
    attn_mask mask;        /* causal, window, …: the layer's own; options may replace it */
    bool mask_given;       /* by an option or a toy; else a default, which cross-attention goes without */
    attn_linear q, k, v;   /* w.data NULL: the identity */
    attn_linear o;         /* w.data NULL: none, heads are concatenated */
    const float *head_mix; /* [n_heads] or NULL: out = Σ mix_h · head_h, the width of one head */
    bool residual;
    bool parallel; /* attention and feed-forward read the same input (GPT-NeoX) */
    attn_norm attention_before, attention_after, attention_post_residual;
    attn_norm ffn_before, ffn_after, ffn_post_residual;
    attn_norm q_norm, k_norm; /* QK-norm */
    bool qk_norm_full;        /* over the full width (OLMo 2) instead of per head (Qwen 3, Gemma 3) */
    attn_position_rule positions;
    attn_rope_settings rope; /* ATTN_POSITION_ROPE */
    attn_feed_forward ffn;
    /* why only attention's scores and weights can be had of this layer, not what it adds to the stream (experts in
     * gpt-oss's feed-forward); NULL: all of it */
    const char *cut_short;
} attn_layer;

typedef struct attn_account {                  /* what -p model prints: each tensor and what became of it */
    const char *tensor, *file, *role, *layout; /* role NULL: unused */
    attn_dtype dtype;
    size_t n_dims, shape[ATTN_MAX_DIMS];
} attn_account;

typedef struct attn_model {
    const char *name;   /* where it came from, for -p model */
    const char *family; /* "toy", "gpt2", "llama", … */
    const char *format; /* of the file called name: "json", "safetensors", "glove", …; NULL: a vocabulary alone */
    attn_tokenizer *tokenizer; /* owned */
    /* in the arena; why the model's own tokenizer could not be had, of which whoever needs a text must be told (the one
     * above takes ids then); NULL: it could, or the text is ids anyway */
    const attn_error *no_tokenizer;
    attn_tensor embeddings; /* [n_vocab][d_model]; data NULL: one-hot */
    size_t n_vocab, d_model;
    const uint8_t *no_vector;        /* [n_vocab], 1: the token has no row, no text may use it; NULL: all have */
    float embedding_scale;           /* 1; Gemma √d_model */
    attn_norm embedding_norm;        /* BERT */
    attn_tensor token_types;         /* [n_types][d_model] or data NULL; type 0 is added */
    attn_position_rule positions;    /* NONE, SINUSOIDAL or LEARNED: added to the embeddings */
    attn_tensor position_embeddings; /* [n_positions][d_model]; LEARNED */
    size_t position_offset;          /* 2 for RoBERTa */
    size_t max_tokens;               /* 0: no limit */
    attn_layer *layers;              /* [n_layers] */
    size_t n_layers;
    attn_norm final_norm;
    attn_linear head_transform; /* BERT's masked-token head: dense + activation + norm before the head */
    attn_activation head_activation;
    attn_norm head_norm;
    attn_linear head;        /* [d_model][n_vocab]; data NULL: no next tokens */
    float logit_softcap;     /* 0: none */
    float logit_scale;       /* 1 */
    bool masked_lm;          /* the head fills masks instead of predicting the next token */
    const char *const *axes; /* names of the dimensions, [n_axes], for tables */
    size_t n_axes;
    attn_account *accounts; /* owned; [n_accounts] */
    size_t n_accounts, account_room;
    char warning[1024]; /* "" or what a user should know (duplicate words …) */
    /* what it owns */
    attn_arena arena;
    attn_container *containers; /* [n_containers] */
    size_t n_containers, container_room;
    attn_vectors *vectors; /* or NULL */
    attn_file_list files;  /* all that were read for it, the tokenizer's among them */
} attn_model;

void attn_model_close(attn_model *model);
/* ATTN_EDATA when a text of N_TOKENS is longer than the model reads. */
attn_status attn_model_reads(const attn_model *model, size_t n_tokens, attn_error *error);
/* Refuse a token that has no vector: beyond the table, or a word without one. */
attn_status attn_model_has_vector(const attn_model *model, uint32_t id, attn_error *error);
/* Width of the stream after layer L (L = −1: the input). */
size_t attn_model_width(const attn_model *model, ptrdiff_t layer);

#endif
