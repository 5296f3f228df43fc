/* score.h: the scores of queries against a panel of keys, for every rule: what stream.c and rows.c
 * share. Only attention/ includes it.
 *
 *   f          by attn_score_tile, from packed queries and keys
 *   the rest   by attn_score_finish, a row at a time: scale, soft-cap, bias, mask; −INFINITY hides
 *
 * What float32 can not hold (an overflow, a distance whose square is 0) shows as NaN or infinity, and as a row's
 * maximum far from 0 where a bias or a mask has swallowed what the queries say. Such a row is left to
 * attn_score_exact: the same formulas, one pair at a time, in double from the vectors themselves.
 *
 * Sources: scaled products Vaswani et al. 2017; additive Bahdanau et al. 2015; soft-cap Gemma 2
 * (Gemma Team 2024): cap·tanh(x/cap), before bias and mask; ALiBi Press et al. 2022; relative
 * buckets Raffel et al. 2020. */
#ifndef ATTN_ATTENTION_SCORE_H
#define ATTN_ATTENTION_SCORE_H

#include "attention/attention.h"
#include "kernels/kernels.h"

typedef struct attn_scoring {
    const attn_attention *attention; /* borrowed */
    const attn_kernel_table *kernels;
    float scale;
    float unit; /* multiplies the finished score: log2(e)/temperature when streaming, 1 for rows */
    /* packed queries carry scale·unit: where neither bias nor mask says anything, the tile's result is the score */
    bool folded;
    bool biased;
    bool raw_cosine;   /* vectors scaled by powers of two, so that attn_scaled_length is left to divide by */
    ptrdiff_t past;    /* position of query 0 */
    unsigned *buckets; /* owned; [2·reach + 1], of positions −reach…reach; NULL: no such bias */
    ptrdiff_t reach;
} attn_scoring;

/* FOLD: put scale·unit into the queries where the rule allows it. */
attn_status attn_scoring_open(const attn_attention *attention, float unit, bool fold, attn_scoring *scoring,
                              attn_error *error);
void attn_scoring_close(attn_scoring *scoring);

/* Queries QUERY…QUERY+ROWS−1 of HEAD, packed for the tile; rows <= tile_rows. */
void attn_score_pack_queries(const attn_scoring *scoring, size_t head, size_t query, size_t rows,
                             float *packed /* [head_dim][tile_rows] */);
/* Keys KEY…KEY+N−1 of key head KV_HEAD as a panel; n <= ATTN_PANEL. */
void attn_score_pack_keys(const attn_scoring *scoring, size_t kv_head, size_t key, size_t n,
                          float *panel /* [head_dim][ATTN_PANEL] */);

/* f of ROWS packed queries and a panel of keys; of gravity |q − k|², which attn_score_scale turns over. */
void attn_score_tile(const attn_scoring *scoring, size_t head, size_t rows, const float *queries, const float *keys,
                     float *f /* [rows][ATTN_PANEL] */, size_t f_stride);

/* From f to the score, in place, for keys KEY…KEY+N−1 of one query. SPAN is the query's own. */
void attn_score_finish(const attn_scoring *scoring, size_t head, size_t query, const attn_mask_span *span, size_t key,
                       size_t n, float *scores /* [n] */);

/* scale·f of keys KEY…KEY+N−1 in place, −INFINITY where the rule leaves the pair out; and the soft-cap of that: the
 * first two steps of attn_score_finish. */
void attn_score_scale(const attn_scoring *scoring, size_t head, size_t query, size_t key, size_t n,
                      float *scores /* [n] */);
void attn_score_cap(const attn_scoring *scoring, size_t n, float *scores /* [n] */);
/* f itself of these keys, from what the tile leaves of it. */
void attn_score_settle(const attn_scoring *scoring, size_t head, size_t query, size_t key, size_t n,
                       float *f /* [n] */);

/* |x|·2^-e with e so that it lies in [½, 1), or |x| where that is 0 or not finite; *EXPONENT (may be NULL) is e. */
double attn_scaled_length(const float *x, size_t n, size_t stride, int *exponent);

/* Gravity leaves pairs at distance 0 out. */
bool attn_score_left_out(const attn_scoring *scoring, size_t head, size_t query, size_t key);
/* KIND's number of one pair, not for weights; of ATTN_ROWS_SCORES the pair must not be masked. −INFINITY: left out. */
double attn_score_exact(const attn_scoring *scoring, attn_rows_kind kind, size_t head, size_t query, size_t key);
/* Beyond this a row's maximum, over the temperature, leaves too few of float32's bits to what tells the keys apart. */
enum { ATTN_SCORE_FAR = 256 };
/* Numbers are added to the scores. */
bool attn_score_has_additions(const attn_scoring *scoring);

#endif
