/* position.h: how positions enter: rotary (RoPE), ALiBi slopes, T5 buckets, sinusoidal vectors. */
#ifndef ATTN_ATTENTION_POSITION_H
#define ATTN_ATTENTION_POSITION_H

#include "base/error.h"
#include "base/memory.h"

/* Rotary embedding (Su et al. 2021). Pair m of the first `dims` numbers of a head turns by the angle
 * position · frequency[m] and is multiplied by `magnitude`; the rest stays. */
typedef enum attn_rope_layout {
    ATTN_ROPE_HALF,       /* pairs (m, m + dims/2): GPT-NeoX, Hugging Face Llama */
    ATTN_ROPE_INTERLEAVED /* pairs (2m, 2m + 1): GPT-J, the paper, GGUF llama */
} attn_rope_layout;

typedef enum attn_rope_scaling {
    ATTN_ROPE_NONE,
    ATTN_ROPE_LINEAR,
    ATTN_ROPE_DYNAMIC,
    ATTN_ROPE_YARN,
    ATTN_ROPE_LLAMA3,
    ATTN_ROPE_LONGROPE
} attn_rope_scaling;

typedef struct attn_rope_settings { /* as config.json has them; 0 where a field does not apply */
    size_t dims;                    /* rotated numbers of a head, even, <= head_dim */
    double theta;
    attn_rope_layout layout;
    attn_rope_scaling scaling;
    double factor, low_freq_factor, high_freq_factor, beta_fast, beta_slow, attention_factor, mscale, mscale_all_dim;
    double original_max_positions, max_positions;
    bool truncate;              /* YaRN: round the correction range (the usual) */
    const double *long_factors; /* borrowed; [dims/2]; longrope */
    const double *short_factors;
} attn_rope_settings;

typedef struct attn_rope {
    const double *frequencies; /* owned by the arena given; [dims/2], radians a position */
    size_t dims;
    attn_rope_layout layout;
    double magnitude; /* 1 but for YaRN and longrope */
} attn_rope;

/* N_POSITIONS is the text's length (dynamic NTK and longrope look at it). Refused: odd or zero dims, a theta
 * or factor that is not positive. The scalings follow: linear (Chen et al. 2023), dynamic NTK
 * (bloc97 2023, as Hugging Face transformers reads them), YaRN (Peng et al. 2023), llama3 (Llama 3.1's
 * rope_scaling), longrope (Ding et al. 2024, Phi-3). */
attn_status attn_rope_make(const attn_rope_settings *settings, size_t n_positions, attn_arena *arena, attn_rope *rope,
                           attn_error *error);

/* How many tokens a text may have where the settings say MAX_TOKENS (max_position_embeddings; 0: no limit): linear and
 * dynamic scaling stretch that by the factor, YaRN and longrope the original length by theirs where that is more; llama3's
 * factor says nothing of it. As vLLM derives a model's longest text. */
size_t attn_rope_reach(const attn_rope_settings *settings, size_t max_tokens);

/* The cosines and sines (times the magnitude) of each position, to be shared by all layers with the same
 * settings: table[n_rows][dims], the dims/2 cosines first. Angles are computed in double, rounded once. */
void attn_rope_table(const attn_rope *rope, const float *positions, size_t n_rows, float *table);

/* Turn rows in place by the table: x[n_rows] of n_heads heads, strides in floats as in attention.h. */
void attn_rope_apply(const attn_rope *rope, const float *table, float *x, size_t n_rows, size_t row_stride,
                     size_t n_heads, size_t head_stride);

/* ALiBi (Press et al. 2022): slopes of N_HEADS heads, also when that is no power of two. */
void attn_alibi_slopes(size_t n_heads, float *slopes);

/* T5's bucket (Raffel et al. 2020) of relative position key − query. */
size_t attn_t5_bucket(ptrdiff_t relative, bool bidirectional, size_t n_buckets, size_t max_distance);

/* Sinusoidal vector of POSITION (Vaswani et al. 2017): out[2i] = sin(p/10000^(2i/d)), out[2i+1] = cos. */
void attn_sinusoidal(double position, size_t d_model, float *out);

#endif
