/* rows.c: exact rows of products, scores and weights: for printing, and for the few rows that the stream leaves to
 * them (settle.c).
 *
 * Each row is scored whole with the kernels' tile, then finished alone: the maximum over the whole row, one
 * exponential each, the sum in double. What float32 can not hold is computed again in double, pair by pair (exact.c),
 * and so are few but very wide keys: a panel of them would be mostly padding. Nothing depends on which rows are asked
 * for together. */
#include "config.h"

#include "attention/rows.h"

#include "attention/score.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 64,            /* queries packed at a time */
    FEW_KEYS = 2 * ATTN_PANEL, /* of fewer, much of the panels can be padding, */
    WIDE_DIM = 1 << 15         /* which from here on costs more than pairs one by one */
};

typedef struct job {
    const attn_attention *attention;
    const attn_rule *rule;
    const attn_rows_wanted *wanted;
    attn_scoring scoring;
    float *queries;  /* [MOST_ROWS rounded up to tiles][head_dim] packed */
    float *panel;    /* [head_dim][16] */
    float *tile;     /* [ATTN_MAX_TILE_ROWS][16] */
    float *memory;   /* owned; all of the above */
    double *lengths; /* owned; [n_keys]: scaled |k| of the head at hand; cosine only */
    double *wide;    /* owned; [n_keys]: a row in double */
    uint8_t *seen;   /* owned; [MOST_ROWS][n_keys]: visibility that the caller did not ask for */
} job;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t key_head(const attn_rule *rule, size_t head)
{
    return head / (rule->n_heads / rule->n_kv_heads);
}

bool attn_rows_are_wide(const attn_attention *attention)
{
    const attn_rule *rule = attention->rule;
    return attention->n_keys < FEW_KEYS && (rule->head_dim >= WIDE_DIM || rule->value_dim >= WIDE_DIM);
}

/* f of N queries from QUERY on against all keys, to rows[n][n_keys]; where they are wide NaN, as if float32 could not
 * hold it. */
static void fill_products(const job *j, size_t head, size_t query, size_t n, float *rows)
{
    size_t n_keys = j->attention->n_keys, depth = j->rule->head_dim;
    size_t tile_rows = j->scoring.kernels->tile_rows;
    if (attn_rows_are_wide(j->attention)) {
        for (size_t i = 0; i < n * n_keys; i++)
            rows[i] = NAN;
        return;
    }
    for (size_t at = 0; at < n; at += tile_rows)
        attn_score_pack_queries(&j->scoring, head, query + at, smaller(tile_rows, n - at), j->queries + at * depth);
    for (size_t key = 0; key < n_keys; key += ATTN_PANEL) {
        size_t width = smaller(ATTN_PANEL, n_keys - key);
        attn_score_pack_keys(&j->scoring, key_head(j->rule, head), key, width, j->panel);
        for (size_t at = 0; at < n; at += tile_rows) {
            size_t part = smaller(tile_rows, n - at);
            attn_score_tile(&j->scoring, head, part, j->queries + at * depth, j->panel, j->tile, ATTN_PANEL);
            for (size_t i = 0; i < part; i++)
                memcpy(rows + (at + i) * n_keys + key, j->tile + i * ATTN_PANEL, width * sizeof *rows);
        }
    }
}

static void measure_keys(const job *j, size_t head)
{
    const attn_heads *k = &j->attention->k;
    const float *keys = k->data + key_head(j->rule, head) * k->head_stride;
    for (size_t i = 0; i < j->attention->n_keys; i++)
        j->lengths[i] = attn_scaled_length(keys + i * k->row_stride, j->rule->head_dim, 1, NULL);
}

/* Products over |q||k|, one division each. */
static void divide_by_lengths(const job *j, size_t head, size_t query, float *row)
{
    const attn_heads *q = &j->attention->q;
    const float *from = q->data + query * q->row_stride + head * q->head_stride;
    double q_length = attn_scaled_length(from, j->rule->head_dim, 1, NULL);
    for (size_t i = 0; i < j->attention->n_keys; i++) {
        double both = q_length * j->lengths[i];
        row[i] = both == 0 ? 0 : (float)((double)row[i] / both);
    }
}

/* Where neither the mask nor the rule leaves the pair out. */
static void mark_visible(const job *j, size_t head, size_t query, uint8_t *visible)
{
    size_t n = j->attention->n_keys;
    bool gravity = j->rule->score == ATTN_SCORE_GRAVITY;
    for (size_t key = 0; key < n; key += ATTN_KEY_BLOCK) {
        size_t part = smaller(ATTN_KEY_BLOCK, n - key);
        float add[ATTN_KEY_BLOCK];
        attn_mask_row(j->attention->mask, head, query, key, part, add);
        for (size_t i = 0; i < part; i++)
            visible[key + i] =
                add[i] > -INFINITY && !(gravity && attn_score_left_out(&j->scoring, head, query, key + i));
    }
}

/* Scores to e^((s − max)/T)/Σ, a sink's logit in the sum. False: float32 does not hold them well enough. */
static bool soften(const job *j, size_t head, float *row)
{
    size_t n = j->attention->n_keys;
    float factor = 1 / j->rule->temperature;
    float sink = j->rule->sinks != NULL ? j->rule->sinks[head] : -INFINITY;
    float max = j->scoring.kernels->row_max(row, n);
    if (max <= sink)
        max = sink;
    if (!isfinite(max) || factor < 0x1p-64F)
        return false;
    if (attn_score_has_additions(&j->scoring) && !(fabsf(max) * factor <= ATTN_SCORE_FAR))
        return false;
    j->scoring.kernels->exp_row(row, n, max, factor);
    double sum = exp((double)factor * ((double)sink - (double)max));
    for (size_t i = 0; i < n; i++)
        sum += (double)row[i];
    for (size_t i = 0; i < n; i++)
        row[i] = (float)((double)row[i] / sum);
    return isfinite(sum);
}

/* Scores over their sum. False as above. */
static bool divide_by_sum(const job *j, float *row)
{
    double sum = 0;
    for (size_t i = 0; i < j->attention->n_keys; i++) {
        row[i] = row[i] == -INFINITY ? 0 : row[i];
        sum += (double)row[i];
    }
    for (size_t i = 0; i < j->attention->n_keys; i++)
        row[i] = sum == 0 ? 0 : (float)((double)row[i] / sum);
    return isfinite(sum);
}

/* Weights by their definition, in double. NaN among the scores seen makes the weights of all that is seen NaN. */
static void weigh_exactly(const job *j, size_t head, size_t query, const uint8_t *seen, float *row)
{
    size_t n = j->attention->n_keys;
    bool softmax = attn_score_of(j->rule->score)->softmax;
    double sink = j->rule->sinks != NULL ? (double)j->rule->sinks[head] : (double)-INFINITY;
    double max = sink, sum = 0;
    for (size_t i = 0; i < n; i++) {
        j->wide[i] = seen[i] ? attn_score_exact(&j->scoring, ATTN_ROWS_SCORES, head, query, i) : 0;
        max = seen[i] && j->wide[i] > max ? j->wide[i] : max;
    }
    if (softmax && j->rule->sinks != NULL)
        sum = exp((sink - max) / (double)j->rule->temperature);
    for (size_t i = 0; i < n; i++) {
        if (seen[i] && softmax)
            j->wide[i] = exp((j->wide[i] - max) / (double)j->rule->temperature);
        sum += j->wide[i];
    }
    for (size_t i = 0; i < n; i++)
        row[i] = !seen[i] || sum == 0 ? 0 : (float)(j->wide[i] / sum);
}

/* The numbers that float32's arithmetic overflowed at (masks' sums stop at the largest), rounded from double: finite,
 * or infinite indeed. */
static void mend(const job *j, attn_rows_kind kind, size_t head, size_t query, const uint8_t *seen, float *row)
{
    for (size_t i = 0; i < j->attention->n_keys; i++)
        if (!(fabsf(row[i]) < FLT_MAX) && (seen == NULL || seen[i]))
            row[i] = (float)attn_score_exact(&j->scoring, kind, head, query, i);
}

/* From f to scores or weights; SEEN tells which keys are. */
static void finish_seen(const job *j, size_t head, size_t query, const uint8_t *seen, float *row)
{
    size_t n = j->attention->n_keys;
    attn_mask_span span = attn_mask_bounds(j->attention->mask, query, 1, n);
    if (memchr(seen, 1, n) == NULL) {
        for (size_t i = 0; i < n; i++)
            row[i] = j->wanted->kind == ATTN_ROWS_SCORES ? -INFINITY : 0;
        return;
    }
    attn_score_finish(&j->scoring, head, query, &span, 0, n, row);
    if (j->wanted->kind == ATTN_ROWS_SCORES)
        mend(j, ATTN_ROWS_SCORES, head, query, seen, row);
    else if (!(attn_score_of(j->rule->score)->softmax ? soften(j, head, row) : divide_by_sum(j, row)))
        weigh_exactly(j, head, query, seen, row);
}

/* From f to what is wanted. A pair that a rule leaves out (distance 0) is as good as masked: of DOT, PRODUCT and CAPPED
 * it is −INFINITY. */
static void finish_row(const job *j, size_t head, size_t query, float *row, uint8_t *seen)
{
    size_t n = j->attention->n_keys;
    attn_rows_kind kind = j->wanted->kind;
    if (n == 0)
        return;
    if (j->lengths != NULL)
        divide_by_lengths(j, head, query, row);
    mark_visible(j, head, query, seen);
    if (kind == ATTN_ROWS_SCORES || kind == ATTN_ROWS_WEIGHTS) {
        finish_seen(j, head, query, seen, row);
        return;
    }
    if (kind == ATTN_ROWS_DOT)
        attn_score_settle(&j->scoring, head, query, 0, n, row);
    else
        attn_score_scale(&j->scoring, head, query, 0, n, row);
    if (kind == ATTN_ROWS_CAPPED)
        attn_score_cap(&j->scoring, n, row);
    mend(j, kind, head, query, NULL, row);
}

/* N queries of one head. */
static void fill_head(const job *j, size_t head, size_t query, size_t n, float *rows, uint8_t *visible)
{
    size_t n_keys = j->attention->n_keys;
    if (j->lengths != NULL)
        measure_keys(j, head);
    fill_products(j, head, query, n, rows);
    for (size_t i = 0; i < n; i++)
        finish_row(j, head, query + i, rows + i * n_keys, (visible != NULL ? visible : j->seen) + i * n_keys);
}

static bool make_room(job *j)
{
    size_t depth = attn_rows_are_wide(j->attention) ? 0 : j->rule->head_dim;
    size_t queries = MOST_ROWS + ATTN_MAX_TILE_ROWS;
    size_t total;
    if (!attn_multiply(depth, queries + ATTN_PANEL, &total))
        return false;
    if (!attn_add(total, ATTN_MAX_TILE_ROWS * ATTN_PANEL, &total))
        return false;
    j->memory = attn_alloc_aligned(total, sizeof *j->memory);
    if (j->memory == NULL)
        return false;
    j->panel = j->memory;
    j->tile = j->panel + depth * ATTN_PANEL;
    j->queries = j->tile + ATTN_MAX_TILE_ROWS * ATTN_PANEL;
    j->wide = attn_alloc_array(j->attention->n_keys, sizeof *j->wide);
    j->seen = attn_alloc_array(j->attention->n_keys, MOST_ROWS);
    if (j->rule->score == ATTN_SCORE_COSINE) {
        j->scoring.raw_cosine = true;
        j->lengths = attn_alloc_array(j->attention->n_keys, sizeof *j->lengths);
    }
    return j->wide != NULL && j->seen != NULL && (j->lengths != NULL || !j->scoring.raw_cosine);
}

attn_status attn_exact_rows(const attn_attention *attention, const attn_rows_wanted *wanted, attn_error *error)
{
    job j = {.attention = attention, .rule = attention->rule, .wanted = wanted};
    size_t n_keys = attention->n_keys;
    attn_status status = attn_scoring_open(attention, 1, false, &j.scoring, error);
    if (status != ATTN_OK)
        return status;
    if (!make_room(&j)) {
        status = attn_fail_memory(error);
        goto done;
    }
    for (size_t h = 0; h < wanted->n_heads; h++) {
        for (size_t at = 0; at < wanted->n_queries; at += MOST_ROWS) {
            size_t n = smaller(MOST_ROWS, wanted->n_queries - at);
            size_t offset = (h * wanted->n_queries + at) * n_keys;
            uint8_t *visible = wanted->visible != NULL ? wanted->visible + offset : NULL;
            fill_head(&j, wanted->head + h, wanted->query + at, n, wanted->rows + offset, visible);
        }
    }
done:
    attn_free(j.seen);
    attn_free(j.wide);
    attn_free(j.lengths);
    attn_free(j.memory);
    attn_scoring_close(&j.scoring);
    return status;
}
