/* reference.h: attention read naively from attention.h's formulas, one pair at a time, in double:
 * what the engine's tests compare with. */
#ifndef ATTN_TESTS_ATTENTION_REFERENCE_H
#define ATTN_TESTS_ATTENTION_REFERENCE_H

#include "attention/attention.h"
#include "attention/position.h"

#include <math.h>

static inline double reference_f(const attn_attention *a, size_t head, size_t query, size_t key)
{
    const attn_rule *r = a->rule;
    const float *q = a->q.data + query * a->q.row_stride + head * a->q.head_stride;
    const float *k = a->k.data + key * a->k.row_stride + head / (r->n_heads / r->n_kv_heads) * a->k.head_stride;
    double dot = 0, qq = 0, kk = 0, distance = 0, additive = 0;
    for (size_t i = 0; i < r->head_dim; i++) {
        double x = (double)q[i], y = (double)k[i];
        dot += x * y;
        qq += x * x;
        kk += y * y;
        distance += (x - y) * (x - y);
        if (r->score == ATTN_SCORE_ADDITIVE)
            additive += (double)r->v_A[head * r->head_dim + i] * tanh(x + y);
    }
    switch (r->score) {
    case ATTN_SCORE_COSINE:
        return qq == 0 || kk == 0 ? 0 : dot / (sqrt(qq) * sqrt(kk));
    case ATTN_SCORE_ADDITIVE:
        return additive;
    case ATTN_SCORE_GAUSSIAN:
        return -distance;
    case ATTN_SCORE_GRAVITY:
        return distance == 0 ? (double)-INFINITY : 1 / distance;
    default:
        return dot;
    }
}

/* s of attention.h; −INFINITY: left out. */
static inline double reference_score(const attn_attention *a, size_t head, size_t query, size_t key)
{
    const attn_rule *r = a->rule;
    double scale = isnan(r->scale) ? r->score == ATTN_SCORE_SCALED     ? 1 / sqrt((double)r->head_dim)
                                     : r->score == ATTN_SCORE_GAUSSIAN ? 0.5
                                                                       : 1
                                   : (double)r->scale;
    double s = reference_f(a, head, query, key);
    double past = a->mask != NULL ? (double)a->mask->past : 0;
    double at = a->query_positions != NULL ? (double)a->query_positions[query] : (double)query + past;
    double from = a->key_positions != NULL ? (double)a->key_positions[key] : (double)key;
    float add = 0;
    if (isinf(s))
        return (double)-INFINITY;
    s *= scale;
    if (r->softcap > 0)
        s = (double)r->softcap * tanh(s / (double)r->softcap);
    if (r->slopes != NULL)
        s -= (double)r->slopes[head] * (at - from);
    if (r->relative.values != NULL)
        s += (double)r->relative.values[attn_t5_bucket((ptrdiff_t)(from - at), r->relative.bidirectional,
                                                       r->relative.n_buckets, r->relative.max_distance) *
                                            r->n_heads +
                                        head];
    attn_mask_row(a->mask, head, query, key, 1, &add);
    return add == -INFINITY ? (double)-INFINITY : s + (double)add;
}

/* One score head's weights to W[n_keys]. */
static inline void reference_weights(const attn_attention *a, size_t head, size_t query, double *w)
{
    const attn_rule *r = a->rule;
    double max = r->sinks != NULL ? (double)r->sinks[head] : (double)-INFINITY, sum = 0;
    bool softmax = r->score != ATTN_SCORE_GRAVITY;
    for (size_t j = 0; j < a->n_keys; j++) {
        w[j] = reference_score(a, head, query, j);
        max = w[j] > max ? w[j] : max;
    }
    if (softmax && r->sinks != NULL)
        sum = exp(((double)r->sinks[head] - max) / (double)r->temperature);
    for (size_t j = 0; j < a->n_keys; j++) {
        w[j] = isinf(w[j]) ? 0 : softmax ? exp((w[j] - max) / (double)r->temperature) : w[j];
        sum += w[j];
    }
    for (size_t j = 0; j < a->n_keys; j++)
        w[j] = sum == 0 ? 0 : w[j] / sum;
}

#endif
