/* attention.h: attention itself. Every variant is data in attn_rule; callers do not branch.
 *
 *   s = softcap(scale · f(q, k)) + bias(query position, key position) + additive mask
 *   masked pairs are left out;  weights = softmax(s / temperature), a sink's logit in the denominator
 *   out = Σ_j weights_j · v_j
 *
 * A row whose keys are all masked has weights 0 and output 0. Values behind a mask never matter, NaN and infinity
 * included; in a place that is seen NaN comes out as NaN: a score's in all weights of its row, a value's in the row's
 * output. Scores and weights are those of float32's numbers but not of its range: what overflows on the way (a score of
 * 1e40, masks of −3.4e38) is computed in double, and outputs are always what the weights make.
 * Key/value head of head h: h / (n_heads / n_kv_heads).
 * Sources are named beside each formula in score.h, mask.h and position.h. */
#ifndef ATTN_ATTENTION_ATTENTION_H
#define ATTN_ATTENTION_ATTENTION_H

#include "attention/mask.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/thread.h"

typedef enum attn_score {
    ATTN_SCORE_SCALED,   /* q·k, scale 1/√head_dim (Vaswani et al. 2017) */
    ATTN_SCORE_DOT,      /* q·k, scale 1 */
    ATTN_SCORE_COSINE,   /* q·k/(|q||k|), 0 when either is 0; scale 1 */
    ATTN_SCORE_ADDITIVE, /* v_A·tanh(q + k), scale 1 (Bahdanau et al. 2015) */
    ATTN_SCORE_GAUSSIAN, /* −|q − k|², scale ½ */
    /* 1/|q − k|², scale 1; pairs at distance 0 left out; divided by the row's sum instead of softmax. Our own. */
    ATTN_SCORE_GRAVITY,
    ATTN_N_SCORES
} attn_score;

/* One table: names for the command line and JSON, default scale, how a row is normalised. */
typedef struct attn_score_info {
    const char *name;
    const char *summary;
    bool softmax; /* false: divide by the sum */
} attn_score_info;
const attn_score_info *attn_score_of(attn_score score);
bool attn_score_find(const char *name, attn_score *score);

/* T5's learned bias by distance bucket (Raffel et al. 2020). No loader fills it yet: encoder–decoders will. */
typedef struct attn_relative_bias {
    const float *values; /* borrowed; [n_buckets][n_heads]; NULL: none */
    size_t n_buckets, max_distance;
    bool bidirectional;
} attn_relative_bias;

typedef struct attn_rule {
    size_t n_heads, n_kv_heads;
    size_t head_dim;  /* of queries and keys */
    size_t value_dim; /* of values */
    attn_score score;
    float scale;         /* multiplies f; NAN: the score rule's default for head_dim */
    float temperature;   /* 1 */
    float softcap;       /* 0: none */
    const float *v_A;    /* borrowed; [n_heads][head_dim]; additive only */
    const float *sinks;  /* borrowed; [n_heads]; NULL: none; one more logit, its weight dropped (gpt-oss) */
    const float *slopes; /* borrowed; [n_heads]; NULL: none; bias −slope·(query − key position) (ALiBi) */
    attn_relative_bias relative;
} attn_rule;

/* {n_heads = n_kv_heads = 1, scaled, temperature 1, scale NAN}: fill in the dimensions. */
attn_rule attn_rule_default(void);
/* The scale that applies: rule->scale, or the default of its score rule. */
float attn_rule_scale(const attn_rule *rule);
/* Refuse what can not be: n_heads not a multiple of n_kv_heads, temperature <= 0, … */
attn_status attn_rule_check(const attn_rule *rule, attn_error *error);

/* Rows of heads side by side; the distance in floats from one row to the next and from one head to the
 * next. The usual layout [n][n_heads·dim] has row stride n_heads·dim and head stride dim. */
typedef struct attn_heads {
    const float *data; /* borrowed */
    size_t row_stride, head_stride;
} attn_heads;

typedef struct attn_attention {
    const attn_rule *rule; /* borrowed */
    const attn_mask *mask; /* borrowed; NULL: every key is seen */
    size_t n_queries, n_keys;
    attn_heads q, k, v;           /* rope and the like already applied */
    const float *query_positions; /* borrowed; [n_queries]; NULL: mask's past + 0, 1, …; biases use them */
    const float *key_positions;   /* borrowed; [n_keys]; NULL: 0, 1, … */
    attn_progress *progress;      /* of attn_attention_run; NULL */
    void *progress_context;
} attn_attention;

/* out[n_queries][n_heads·value_dim] with OUT_STRIDE floats from row to row, by the streaming kernel: memory
 * grows with n_queries + n_keys, not with their product. The same bytes at every thread count. */
attn_status attn_attention_run(const attn_attention *attention, float *out, size_t out_stride, attn_pool *pool,
                               attn_error *error);

typedef enum attn_rows_kind {
    ATTN_ROWS_DOT,     /* f alone: q·k, or what the score rule has in its place */
    ATTN_ROWS_PRODUCT, /* scale · f */
    ATTN_ROWS_CAPPED,  /* softcap of that */
    ATTN_ROWS_SCORES,  /* s: bias and mask added; −INFINITY where masked */
    ATTN_ROWS_WEIGHTS, /* exact normalised weights, 0 where masked */
    ATTN_N_ROWS_KINDS
} attn_rows_kind;

/* Exact rows for printing, of heads head…head+n_heads−1 and queries query…query+n_queries−1, to
 * ROWS[n_heads][n_queries][n_keys]; VISIBLE[n_heads][n_queries][n_keys] (may be NULL) becomes 1 where the
 * pair is not masked. They never feed back into attn_attention_run. The same bytes however the heads and
 * queries are cut into calls. WORKERS may call it at once with different ROWS. DOT, PRODUCT and CAPPED
 * are of all pairs, masked ones too; a pair that gravity leaves out is −INFINITY and not visible. */
attn_status attn_attention_rows(const attn_attention *attention, attn_rows_kind kind, size_t head, size_t n_heads,
                                size_t query, size_t n_queries, float *rows, uint8_t *visible, attn_error *error);

#endif
