/* settle.c: rows whose scores float32 does not hold well, or that see a value which is not finite: out = Σ w·v in
 * double over what the row sees, with the weights that are printed. So weights and vectors agree whatever mask, scale
 * and temperature are given, and NaN comes out where it is seen. */
#include "config.h"

#include "attention/settle.h"

#include "attention/rows.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <string.h>

enum { MOST_ROWS = 16 }; /* of a run: keys are packed once for all of them */

typedef struct run { /* neighbouring rows of one head */
    size_t head, query, n_queries;
} run;

typedef struct settling {
    const attn_attention *attention;
    const attn_doubts *doubts;
    float *out;
    size_t out_stride;
    run *runs; /* owned; [n_runs] */
    size_t n_runs, capacity;
    atomic_bool failed; /* for want of memory */
} settling;

static bool add_run(settling *s, run r)
{
    void *runs = s->runs;
    if (!attn_grow(&runs, &s->capacity, s->n_runs, sizeof *s->runs))
        return false;
    s->runs = runs;
    s->runs[s->n_runs++] = r;
    return true;
}

static bool list_runs(settling *s)
{
    size_t n = s->attention->n_queries;
    for (size_t head = 0; head < s->doubts->n_heads; head++) {
        const uint8_t *rows = s->doubts->rows + head * n;
        for (size_t query = 0; query < n; query++) {
            size_t from = query;
            while (query < n && query - from < MOST_ROWS && rows[query] != 0)
                query++;
            if (query == from)
                continue;
            if (!add_run(s, (run){.head = head, .query = from, .n_queries = query - from}))
                return false;
            query--;
        }
    }
    return true;
}

/* SUMS has room for the values of one key. */
static void attend(const settling *s, size_t head, const float *weights, const uint8_t *seen, double *sums, float *out)
{
    const attn_rule *rule = s->attention->rule;
    const attn_heads *v = &s->attention->v;
    const float *values = v->data + head / (rule->n_heads / rule->n_kv_heads) * v->head_stride;
    memset(sums, 0, rule->value_dim * sizeof *sums);
    for (size_t j = 0; j < s->attention->n_keys; j++)
        for (size_t c = 0; seen[j] != 0 && c < rule->value_dim; c++)
            sums[c] += (double)weights[j] * (double)values[j * v->row_stride + c];
    for (size_t c = 0; c < rule->value_dim; c++)
        out[c] = (float)sums[c];
}

static void settle_run(void *context, size_t index, size_t worker)
{
    settling *s = context;
    const run *r = &s->runs[index];
    size_t n_keys = s->attention->n_keys, dim = s->attention->rule->value_dim, count = 0;
    bool fits = attn_multiply(r->n_queries, n_keys, &count);
    float *weights = fits ? attn_alloc_array(count, sizeof *weights) : NULL;
    uint8_t *seen = fits ? attn_alloc_array(count, sizeof *seen) : NULL;
    double *sums = attn_alloc_array(dim, sizeof *sums);
    (void)worker;
    attn_rows_wanted wanted = {.kind = ATTN_ROWS_WEIGHTS,
                               .head = r->head,
                               .n_heads = 1,
                               .query = r->query,
                               .n_queries = r->n_queries,
                               .rows = weights,
                               .visible = seen};
    bool done =
        weights != NULL && seen != NULL && sums != NULL && attn_exact_rows(s->attention, &wanted, NULL) == ATTN_OK;
    for (size_t i = 0; done && i < r->n_queries; i++)
        attend(s, r->head, weights + i * n_keys, seen + i * n_keys, sums,
               s->out + (r->query + i) * s->out_stride + r->head * dim);
    if (!done)
        atomic_store(&s->failed, true);
    attn_free(sums);
    attn_free(seen);
    attn_free(weights);
}

attn_status attn_settle(const attn_attention *attention, const attn_doubts *doubts, float *out, size_t out_stride,
                        attn_pool *pool, attn_error *error)
{
    settling s = {.attention = attention, .doubts = doubts, .out = out, .out_stride = out_stride};
    bool listed = list_runs(&s);
    if (listed)
        attn_pool_run(pool, settle_run, &s, s.n_runs);
    attn_free(s.runs);
    return listed && !atomic_load(&s.failed) ? ATTN_OK : attn_fail_memory(error);
}
