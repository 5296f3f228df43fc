/* exact.c: scores of single pairs in double, from the vectors themselves: attention.h's formulas word by word. Slow;
 * rows.c asks for them where float32 can not hold what the tiles compute. Knows no softmax. */
#include "config.h"

#include "attention/score.h"

#include "attention/position.h"

#include <math.h>

typedef struct pair {
    const float *q, *k; /* [head_dim] */
} pair;

static pair pair_of(const attn_scoring *s, size_t head, size_t query, size_t key)
{
    const attn_attention *a = s->attention;
    size_t kv_head = head / (a->rule->n_heads / a->rule->n_kv_heads);
    return (pair){.q = a->q.data + query * a->q.row_stride + head * a->q.head_stride,
                  .k = a->k.data + key * a->k.row_stride + kv_head * a->k.head_stride};
}

static double dot(pair p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)p.q[i] * (double)p.k[i];
    return sum;
}

static double square_distance(pair p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)p.q[i] - (double)p.k[i];
        sum += d * d;
    }
    return sum;
}

static double cosine(pair p, size_t n)
{
    double both = sqrt(dot((pair){.q = p.q, .k = p.q}, n)) * sqrt(dot((pair){.q = p.k, .k = p.k}, n));
    return both == 0 ? 0 : dot(p, n) / both;
}

static double additive(pair p, const float *v_A, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)v_A[i] * tanh((double)p.q[i] + (double)p.k[i]);
    return sum;
}

static double f_of(const attn_rule *rule, size_t head, pair p)
{
    size_t n = rule->head_dim;
    switch (rule->score) {
    case ATTN_SCORE_COSINE:
        return cosine(p, n);
    case ATTN_SCORE_ADDITIVE:
        return additive(p, rule->v_A + head * n, n);
    case ATTN_SCORE_GAUSSIAN:
        return 0 - square_distance(p, n);
    case ATTN_SCORE_GRAVITY:
        return 1 / square_distance(p, n);
    default:
        return dot(p, n);
    }
}

static double bias(const attn_scoring *s, size_t head, size_t query, size_t key)
{
    const attn_attention *a = s->attention;
    const attn_rule *rule = a->rule;
    double at = a->query_positions != NULL ? (double)a->query_positions[query] : (double)query + (double)s->past;
    double distance = (a->key_positions != NULL ? (double)a->key_positions[key] : (double)key) - at;
    double sum = rule->slopes != NULL ? (double)rule->slopes[head] * distance : 0;
    const attn_relative_bias *r = &rule->relative;
    if (r->values == NULL)
        return sum;
    size_t bucket = attn_t5_bucket((ptrdiff_t)distance, r->bidirectional, r->n_buckets, r->max_distance);
    return sum + (double)r->values[bucket * rule->n_heads + head];
}

bool attn_score_left_out(const attn_scoring *scoring, size_t head, size_t query, size_t key)
{
    const attn_rule *rule = scoring->attention->rule;
    if (rule->score != ATTN_SCORE_GRAVITY)
        return false;
    pair p = pair_of(scoring, head, query, key);
    for (size_t i = 0; i < rule->head_dim; i++)
        if (p.q[i] != p.k[i])
            return false;
    return true;
}

bool attn_score_has_additions(const attn_scoring *scoring)
{
    const attn_mask *mask = scoring->attention->mask;
    return scoring->biased || (mask != NULL && mask->n_matrices > 0);
}

double attn_score_exact(const attn_scoring *scoring, attn_rows_kind kind, size_t head, size_t query, size_t key)
{
    const attn_rule *rule = scoring->attention->rule;
    double cap = (double)rule->softcap;
    if (attn_score_left_out(scoring, head, query, key))
        return (double)-INFINITY;
    double f = f_of(rule, head, pair_of(scoring, head, query, key));
    if (kind == ATTN_ROWS_DOT)
        return f;
    double s = f * (double)scoring->scale;
    if (kind == ATTN_ROWS_PRODUCT)
        return s;
    if (cap > 0)
        s = cap * tanh(s / cap);
    if (kind == ATTN_ROWS_CAPPED)
        return s;
    return s + bias(scoring, head, query, key) + attn_mask_sum(scoring->attention->mask, head, query, key);
}
