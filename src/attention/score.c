/* score.c: see score.h. */
#include "config.h"

#include "attention/score.h"

#include "attention/position.h"
#include "base/memory.h"

#include <math.h>

enum { MAX_REACH = 1 << 16 }; /* of the table of relative buckets; farther pairs are computed */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool is_product(attn_score score)
{
    return score == ATTN_SCORE_SCALED || score == ATTN_SCORE_DOT || score == ATTN_SCORE_COSINE;
}

static attn_status fill_buckets(attn_scoring *s, const attn_relative_bias *relative, attn_error *error)
{
    s->reach = (ptrdiff_t)smaller(relative->max_distance, MAX_REACH);
    s->buckets = attn_alloc_array((size_t)s->reach * 2 + 1, sizeof *s->buckets);
    if (s->buckets == NULL)
        return attn_fail_memory(error);
    for (ptrdiff_t r = -s->reach; r <= s->reach; r++)
        s->buckets[r + s->reach] =
            (unsigned)attn_t5_bucket(r, relative->bidirectional, relative->n_buckets, relative->max_distance);
    return ATTN_OK;
}

attn_status attn_scoring_open(const attn_attention *attention, float unit, bool fold, attn_scoring *scoring,
                              attn_error *error)
{
    const attn_rule *rule = attention->rule;
    *scoring = (attn_scoring){.attention = attention, .kernels = attn_kernels(), .unit = unit};
    scoring->scale = attn_rule_scale(rule);
    scoring->folded = fold && is_product(rule->score) && rule->softcap == 0;
    scoring->biased = rule->slopes != NULL || rule->relative.values != NULL;
    scoring->past = attention->mask != NULL ? attention->mask->past : 0;
    return rule->relative.values != NULL ? fill_buckets(scoring, &rule->relative, error) : ATTN_OK;
}

void attn_scoring_close(attn_scoring *scoring)
{
    attn_free(scoring->buckets);
    scoring->buckets = NULL;
}

/* Divide each of N columns, WIDTH floats from element to element, by its length. */
static void normalise_columns(float *packed, size_t depth, size_t width, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < depth; k++)
            square += (double)packed[k * width + i] * (double)packed[k * width + i];
        double inverse = square > 0 ? 1 / sqrt(square) : square == 0 ? 0 : NAN;
        for (size_t k = 0; k < depth; k++)
            packed[k * width + i] = (float)((double)packed[k * width + i] * inverse);
    }
}

double attn_scaled_length(const float *x, size_t n, size_t stride, int *exponent)
{
    double square = 0;
    int e = 0;
    for (size_t k = 0; k < n; k++)
        square += (double)x[k * stride] * (double)x[k * stride];
    double length = isfinite(square) ? frexp(sqrt(square), &e) : square;
    if (exponent != NULL)
        *exponent = e;
    return length;
}

/* Scale each of N columns by a power of two to a length in [½, 1): exact but where it is of no account. */
static void scale_columns(float *packed, size_t depth, size_t width, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int exponent;
        attn_scaled_length(packed + i, depth, width, &exponent);
        for (size_t k = 0; exponent != 0 && k < depth; k++)
            packed[k * width + i] = (float)ldexp((double)packed[k * width + i], -exponent);
    }
}

void attn_score_pack_queries(const attn_scoring *scoring, size_t head, size_t query, size_t rows, float *packed)
{
    const attn_rule *rule = scoring->attention->rule;
    const attn_heads *q = &scoring->attention->q;
    float factor = scoring->folded ? scoring->scale * scoring->unit : 1;
    size_t width = scoring->kernels->tile_rows;
    bool cosine = rule->score == ATTN_SCORE_COSINE;
    scoring->kernels->pack_rows(rows, rule->head_dim, q->data + query * q->row_stride + head * q->head_stride,
                                q->row_stride, cosine ? 1 : factor, packed);
    if (cosine && scoring->raw_cosine)
        scale_columns(packed, rule->head_dim, width, rows);
    if (!cosine || scoring->raw_cosine)
        return;
    normalise_columns(packed, rule->head_dim, width, rows);
    for (size_t i = 0; i < rule->head_dim * width; i++)
        packed[i] *= factor;
}

void attn_score_pack_keys(const attn_scoring *scoring, size_t kv_head, size_t key, size_t n, float *panel)
{
    const attn_rule *rule = scoring->attention->rule;
    const attn_heads *k = &scoring->attention->k;
    scoring->kernels->pack_panel(n, rule->head_dim, k->data + key * k->row_stride + kv_head * k->head_stride,
                                 k->row_stride, 1, panel);
    if (rule->score == ATTN_SCORE_COSINE)
        (scoring->raw_cosine ? scale_columns : normalise_columns)(panel, rule->head_dim, ATTN_PANEL, n);
}

/* v_A·tanh(q + k) */
static void additive_tile(const attn_scoring *s, size_t head, size_t rows, const float *queries, const float *keys,
                          float *f, size_t f_stride)
{
    size_t depth = s->attention->rule->head_dim, width = s->kernels->tile_rows;
    const float *v_A = s->attention->rule->v_A + head * depth;
    for (size_t i = 0; i < rows; i++) {
        float *row = f + i * f_stride;
        for (size_t j = 0; j < ATTN_PANEL; j++)
            row[j] = 0;
        for (size_t k = 0; k < depth; k++) {
            float turned[ATTN_PANEL];
            for (size_t j = 0; j < ATTN_PANEL; j++)
                turned[j] = queries[k * width + i] + keys[k * ATTN_PANEL + j];
            s->kernels->tanh_row(turned, ATTN_PANEL, 1, v_A[k]);
            for (size_t j = 0; j < ATTN_PANEL; j++)
                row[j] += turned[j];
        }
    }
}

static void distance_tile(const attn_scoring *s, size_t rows, const float *queries, const float *keys, float *f,
                          size_t f_stride)
{
    s->kernels->distance(rows, s->attention->rule->head_dim, queries, keys, f, f_stride);
    if (s->attention->rule->score == ATTN_SCORE_GRAVITY)
        return;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < ATTN_PANEL; j++)
            f[i * f_stride + j] = 0 - f[i * f_stride + j]; /* no −0 */
}

void attn_score_tile(const attn_scoring *s, size_t head, size_t rows, const float *queries, const float *keys, float *f,
                     size_t f_stride)
{
    switch (s->attention->rule->score) {
    case ATTN_SCORE_ADDITIVE:
        additive_tile(s, head, rows, queries, keys, f, f_stride);
        break;
    case ATTN_SCORE_GAUSSIAN:
    case ATTN_SCORE_GRAVITY:
        distance_tile(s, rows, queries, keys, f, f_stride);
        break;
    default:
        s->kernels->product(rows, s->attention->rule->head_dim, queries, keys, f, f_stride, false);
    }
}

/* SCALE/|q − k|²; NaN where the square has left the range in which float32 holds it well. */
static float attraction(const attn_scoring *s, float scale, size_t head, size_t query, size_t key, float square)
{
    if (square >= 0x1p-100F && square <= 0x1p100F)
        return scale / square;
    return square == 0 && attn_score_left_out(s, head, query, key) ? -INFINITY : NAN;
}

void attn_score_scale(const attn_scoring *s, size_t head, size_t query, size_t key, size_t n, float *scores)
{
    if (s->attention->rule->score != ATTN_SCORE_GRAVITY)
        for (size_t j = 0; j < n; j++)
            scores[j] *= s->scale;
    else
        for (size_t j = 0; j < n; j++)
            scores[j] = attraction(s, s->scale, head, query, key + j, scores[j]);
}

void attn_score_settle(const attn_scoring *s, size_t head, size_t query, size_t key, size_t n, float *f)
{
    if (s->attention->rule->score == ATTN_SCORE_GRAVITY)
        for (size_t j = 0; j < n; j++)
            f[j] = attraction(s, 1, head, query, key + j, f[j]);
}

void attn_score_cap(const attn_scoring *s, size_t n, float *scores)
{
    float cap = s->attention->rule->softcap;
    if (cap == 0)
        return;
    s->kernels->tanh_row(scores, n, 1 / cap, cap);
}

static size_t bucket_of(const attn_scoring *s, ptrdiff_t relative)
{
    const attn_relative_bias *r = &s->attention->rule->relative;
    if (relative >= -s->reach && relative <= s->reach)
        return s->buckets[relative + s->reach];
    return attn_t5_bucket(relative, r->bidirectional, r->n_buckets, r->max_distance);
}

static void add_bias(const attn_scoring *s, size_t head, size_t query, size_t key, size_t n, float *scores)
{
    const attn_attention *a = s->attention;
    const attn_rule *rule = a->rule;
    float at = a->query_positions != NULL ? a->query_positions[query] : (float)((ptrdiff_t)query + s->past);
    float slope = rule->slopes != NULL ? rule->slopes[head] * s->unit : 0;
    for (size_t j = 0; j < n; j++) {
        float distance = (a->key_positions != NULL ? a->key_positions[key + j] : (float)(key + j)) - at;
        if (rule->slopes != NULL)
            scores[j] += slope * distance;
        if (rule->relative.values != NULL)
            scores[j] += s->unit * rule->relative.values[bucket_of(s, (ptrdiff_t)distance) * rule->n_heads + head];
    }
}

/* The mask's numbers for keys KEY…KEY+N−1 that the span does not call clear. */
static void add_mask(const attn_scoring *s, size_t head, size_t query, size_t key, size_t n, float *scores)
{
    for (size_t done = 0; done < n; done += ATTN_KEY_BLOCK) {
        size_t part = smaller(n - done, ATTN_KEY_BLOCK);
        float add[ATTN_KEY_BLOCK];
        attn_mask_row(s->attention->mask, head, query, key + done, part, add);
        for (size_t j = 0; j < part; j++) {
            float *score = &scores[done + j];
            *score = add[j] == -INFINITY ? -INFINITY : *score + s->unit * add[j];
        }
    }
}

static void hide(float *scores, size_t from, size_t to)
{
    for (size_t j = from; j < to; j++)
        scores[j] = -INFINITY;
}

void attn_score_finish(const attn_scoring *s, size_t head, size_t query, const attn_mask_span *span, size_t key,
                       size_t n, float *scores)
{
    size_t low = larger(smaller(span->low, key + n), key) - key;
    size_t high = larger(smaller(span->high, key + n), key + low) - key;
    size_t clear_low = larger(smaller(span->clear_low, key + high), key + low) - key;
    size_t clear_high = larger(smaller(span->clear_high, key + high), key + clear_low) - key;
    hide(scores, 0, low);
    hide(scores, high, n);
    if (!s->folded) {
        attn_score_scale(s, head, query, key + low, high - low, scores + low);
        attn_score_cap(s, high - low, scores + low);
        if (s->unit != 1)
            for (size_t j = low; j < high; j++)
                scores[j] *= s->unit;
    }
    if (s->biased)
        add_bias(s, head, query, key + low, high - low, scores + low);
    if (clear_low > low)
        add_mask(s, head, query, key + low, clear_low - low, scores + low);
    if (high > clear_high)
        add_mask(s, head, query, key + clear_high, high - clear_high, scores + clear_high);
}
