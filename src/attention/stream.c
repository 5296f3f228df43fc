/* stream.c: attn_attention_run: attention by an online softmax over blocks of keys (Milakov and
 * Gimelshein 2018; Dao et al. 2022), so that no matrix of queries by keys ever exists.
 *
 * A unit is what shares keys and values: one key/value head and the heads that read it. Each worker takes a unit of
 * its own, packs its keys and values and works through its heads, a block of queries at a time; whoever has no unit
 * left helps with another's. What a core packs it mostly reads itself.
 *
 *   queries, packed ─┐  panels of keys                 panels of values
 *                    ├─▶ scores [block][256] ─▶ 2^(s−m) ─▶ out = alpha·out + weights·values
 *
 * Key blocks start at multiples of 256 and each row is worked alone, so a row's result depends neither on the number
 * of threads nor on which other queries are asked for. A row whose scores leave what float32 holds well is only
 * marked: settle.c computes it from its exact weights. */
#include "config.h"

#include "attention/score.h"
#include "attention/stream.h"

#include "base/memory.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    KEYS = ATTN_KEY_BLOCK,
    BLOCK_ROWS = 24,                  /* queries of a task, or as many whole tiles as fit */
    BATCH_FLOATS = 1u << 19,          /* packed keys and values at a time, unless one unit is larger, */
    MOST_BATCH_FLOATS = 1u << 21,     /* or that would leave a worker without a unit of its own */
    CHUNK_PANELS = KEYS / ATTN_PANEL, /* panels that one packing task takes */
    SMALL = 1 << 17                   /* multiply-adds below which threads are not worth waking */
};

#define LOG2_E 1.44269504F

_Static_assert((int)BLOCK_ROWS >= (int)ATTN_MAX_TILE_ROWS, "a block holds at least one tile");

typedef struct range {
    size_t low, high;
} range;

typedef struct workspace {
    float *queries;            /* [groups][head_dim][tile_rows] */
    float *weights;            /* [block_rows][KEYS]: scores, then weights */
    float *out;                /* [block_rows][value_panels·16] */
    float *max, *sum, *factor; /* [block_rows] */
    attn_mask_span *spans;     /* [block_rows] */
    range *keys;               /* [groups]: keys any row of the group sees */
} workspace;

/* How far the work on a unit is. Units lie on cache lines of their own. */
typedef struct progress {
    _Alignas(64) atomic_size_t next_chunk; /* the first that nobody packs */
    atomic_size_t packed;                  /* chunks that are ready */
    atomic_size_t next_block;              /* the first that nobody works on */
    atomic_bool careful;                   /* some value is NaN or infinite */
} progress;

typedef struct plan {
    const attn_attention *attention;
    const attn_rule *rule;
    const attn_kernel_table *kernels;
    attn_scoring scoring;
    float *out;
    size_t out_stride;
    size_t shared; /* heads of a unit */
    size_t n_units;
    size_t block_rows, n_blocks, n_groups;
    size_t n_panels, n_chunks; /* of keys */
    size_t value_panels, value_width;
    size_t key_floats, unit_floats;
    size_t first_unit, n_batch; /* the units at hand */
    /* owned; [batch][unit_floats]: keys [n_panels][head_dim][16], then values [value_panels][n_panels·16][16] */
    float *packed;
    size_t n_workers;
    atomic_size_t begun;       /* blocks, of all units */
    const attn_doubts *doubts; /* borrowed */
    float far;                 /* from here on a row's maximum is doubtful */
    progress *units;           /* owned; [batch] */
    workspace *workspaces;     /* owned; [workers] */
    float *memory;             /* owned; their numbers */
    attn_mask_span *spans;     /* owned */
    range *ranges;             /* owned */
} plan;

/* One head's work on one block of queries. */
typedef struct block {
    const plan *p;
    workspace *w;
    size_t head, query, n_rows, n_groups;
    const float *keys, *values; /* packed */
    bool careful;
    uint8_t *doubtful; /* borrowed; [n_rows], of the head */
} block;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t pieces(size_t whole, size_t part)
{
    return whole / part + (whole % part != 0);
}

/* ---- packing ---- */

/* Tell the caches of rows that are touched soon: they lie too far apart to be foreseen. */
static void announce(const float *rows, size_t stride, size_t n_rows, size_t width)
{
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < width; j += ATTN_PANEL)
            __builtin_prefetch(rows + i * stride + j);
}

/* Values KEY…KEY+N−1 of one head into every value panel, zeros beyond them; n <= ATTN_PANEL. False:
 * some are not finite. */
static bool pack_values(const plan *p, size_t kv_head, size_t key, size_t n, float *values)
{
    const attn_heads *v = &p->attention->v;
    bool finite = true;
    for (size_t panel = 0; panel < p->value_panels; panel++) {
        size_t column = panel * ATTN_PANEL;
        size_t width = smaller(ATTN_PANEL, p->rule->value_dim - column);
        float *to = values + (panel * p->n_panels * ATTN_PANEL + key) * ATTN_PANEL;
        const float *from = v->data + key * v->row_stride + kv_head * v->head_stride + column;
        finite = p->kernels->copy_panel(n, width, from, v->row_stride, to) && finite;
        memset(to + n * ATTN_PANEL, 0, (ATTN_PANEL - n) * ATTN_PANEL * sizeof *to);
    }
    return finite;
}

static void pack_chunk(plan *p, size_t in_batch, size_t chunk)
{
    size_t unit = p->first_unit + in_batch;
    float *keys = p->packed + in_batch * p->unit_floats;
    float *values = keys + p->key_floats;
    size_t end = smaller((chunk + 1) * CHUNK_PANELS, p->n_panels);
    bool finite = true;
    for (size_t panel = chunk * CHUNK_PANELS; panel < end; panel++) {
        size_t key = panel * ATTN_PANEL;
        size_t n = smaller(ATTN_PANEL, p->attention->n_keys - key);
        attn_score_pack_keys(&p->scoring, unit, key, n, keys + panel * p->rule->head_dim * ATTN_PANEL);
        finite = pack_values(p, unit, key, n, values) && finite;
    }
    if (!finite)
        atomic_store_explicit(&p->units[in_batch].careful, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->units[in_batch].packed, 1, memory_order_release);
}

/* ---- one block of queries ---- */

/* The queries of the block that comes next. */
static void announce_queries(const block *b)
{
    const plan *p = b->p;
    const attn_heads *q = &p->attention->q;
    if (b->query >= p->block_rows)
        announce(q->data + (b->query - p->block_rows) * q->row_stride + b->head * q->head_stride, q->row_stride,
                 p->block_rows, p->rule->head_dim);
}

static float *place_of_result(const block *b)
{
    return b->p->out + b->query * b->p->out_stride + b->head * b->p->rule->value_dim;
}

static void prepare(block *b)
{
    const plan *p = b->p;
    workspace *w = b->w;
    size_t tile_rows = p->kernels->tile_rows;
    const float *sinks = p->rule->sinks;
    for (size_t i = 0; i < b->n_rows; i++) {
        w->spans[i] = attn_mask_bounds(p->attention->mask, b->query + i, 1, p->attention->n_keys);
        w->max[i] = sinks != NULL ? sinks[b->head] * p->scoring.unit : -INFINITY;
        w->sum[i] = sinks != NULL ? 1 : 0;
    }
    memset(w->out, 0, b->n_rows * p->value_width * sizeof *w->out);
    announce_queries(b);
    for (size_t g = 0; g < b->n_groups; g++) {
        size_t row = g * tile_rows, end = smaller(row + tile_rows, b->n_rows);
        range *keys = &w->keys[g];
        attn_score_pack_queries(&p->scoring, b->head, b->query + row, end - row, w->queries + row * p->rule->head_dim);
        *keys = (range){.low = p->attention->n_keys};
        for (; row < end; row++) {
            if (w->spans[row].low >= w->spans[row].high)
                continue;
            keys->low = smaller(keys->low, w->spans[row].low);
            keys->high = larger(keys->high, w->spans[row].high);
        }
    }
}

/* The keys of the block at KEY that a group looks at, counted from KEY: whole panels below, exact
 * above. Empty: low >= high. */
static range group_range(const block *b, size_t group, size_t key)
{
    const range *keys = &b->w->keys[group];
    range r = {.low = 0};
    if (keys->low >= key + KEYS || keys->high <= key)
        return r;
    r.low = (larger(keys->low, key) - key) / ATTN_PANEL * ATTN_PANEL;
    r.high = smaller(keys->high - key, KEYS);
    return r;
}

/* Panel by panel, so that one stays in the first cache while the groups pass over it. */
static void score_block(const block *b, size_t key)
{
    const plan *p = b->p;
    size_t depth = p->rule->head_dim, tile_rows = p->kernels->tile_rows;
    for (size_t at = 0; at < KEYS && key + at < p->attention->n_keys; at += ATTN_PANEL) {
        const float *panel = b->keys + (key + at) * depth;
        for (size_t g = 0; g < b->n_groups; g++) {
            range r = group_range(b, g, key);
            size_t row = g * tile_rows;
            if (at >= r.low && at < r.high)
                attn_score_tile(&p->scoring, b->head, smaller(tile_rows, b->n_rows - row), b->w->queries + row * depth,
                                panel, b->w->weights + row * KEYS + at, KEYS);
        }
    }
}

/* Rules that divide by the sum: the scores are the weights. */
static void sum_row(const block *b, size_t row, size_t n, float *weights)
{
    float sum = 0;
    for (size_t j = 0; j < n; j++) {
        weights[j] = weights[j] == -INFINITY ? 0 : weights[j];
        sum += weights[j];
    }
    b->w->factor[row] = 1;
    b->w->sum[row] += sum;
}

static void weights_of_group(const block *b, size_t group, size_t key)
{
    const plan *p = b->p;
    range r = group_range(b, group, key);
    size_t n = pieces(r.high - r.low, ATTN_PANEL) * ATTN_PANEL, from = key + r.low;
    size_t first = group * p->kernels->tile_rows;
    size_t rows = smaller(p->kernels->tile_rows, b->n_rows - first);
    float *weights = b->w->weights + first * KEYS + r.low;
    bool always = !p->scoring.folded || p->scoring.biased;
    for (size_t i = 0; i < rows; i++) {
        const attn_mask_span *span = &b->w->spans[first + i];
        if (always || span->clear_low > from || span->clear_high < from + n)
            attn_score_finish(&p->scoring, b->head, b->query + first + i, span, from, n, weights + i * KEYS);
    }
    if (attn_score_of(p->rule->score)->softmax)
        p->kernels->soften(rows, n, weights, b->w->max + first, b->w->sum + first, b->w->factor + first);
    else
        for (size_t i = 0; i < rows; i++)
            sum_row(b, first + i, n, weights + i * KEYS);
}

/* Whether the row sees a value that is not finite, of VALUES[16] at KEY: then its weight matters though it is 0. */
static bool sees_odd_value(const block *b, size_t row, size_t key, const float *values)
{
    bool finite = true;
    for (size_t c = 0; c < ATTN_PANEL; c++)
        finite = finite && isfinite(values[c]);
    if (finite)
        return false;
    float add;
    attn_mask_row(b->p->attention->mask, b->head, b->query + row, key, 1, &add);
    return add > -INFINITY;
}

/* As the kernel's weigh for one row, but a weight of 0 takes nothing from its value: 0·NaN must not come out from
 * behind a mask. The same chain of additions otherwise. KEY is the first of DEPTH. */
static void weigh_carefully(const block *b, size_t row, size_t key, size_t depth, const float *values, float *out)
{
    const attn_kernel_table *kernels = b->p->kernels;
    const float *weights = b->w->weights + row * KEYS + key % KEYS;
    float shrink = b->w->factor[row];
    kernels->weigh(1, 0, weights, values, &shrink, out, b->p->value_width);
    shrink = 1;
    for (size_t k = 0; k < depth;) {
        size_t from = k;
        while (k < depth && weights[k] != 0)
            k++;
        if (k > from)
            kernels->weigh(1, k - from, weights + from, values + from * ATTN_PANEL, &shrink, out, b->p->value_width);
        for (; k < depth && weights[k] == 0; k++)
            if (sees_odd_value(b, row, key + k, values + k * ATTN_PANEL))
                b->doubtful[row] = 1;
    }
}

static void weigh_block(const block *b, size_t key)
{
    const plan *p = b->p;
    const workspace *w = b->w;
    size_t tile_rows = p->kernels->tile_rows;
    for (size_t panel = 0; panel < p->value_panels; panel++) {
        const float *values = b->values + (panel * p->n_panels * ATTN_PANEL + key) * ATTN_PANEL;
        for (size_t g = 0; g < b->n_groups; g++) {
            range r = group_range(b, g, key);
            size_t row = g * tile_rows, rows = smaller(tile_rows, b->n_rows - row);
            const float *weights = w->weights + row * KEYS + r.low;
            const float *from = values + r.low * ATTN_PANEL;
            float *out = w->out + row * p->value_width + panel * ATTN_PANEL;
            if (r.low >= r.high)
                continue;
            if (!b->careful)
                p->kernels->weigh(rows, r.high - r.low, weights, from, w->factor + row, out, p->value_width);
            for (size_t i = 0; b->careful && i < rows; i++)
                weigh_carefully(b, row + i, key + r.low, r.high - r.low, from, out + i * p->value_width);
        }
    }
}

/* True: no sum over values has overflowed. */
static bool sums_are_small(const block *b)
{
    float squares;
    size_t n = b->n_rows * b->p->value_width;
    b->p->kernels->dots(1, n, b->w->out, b->w->out, n, &squares);
    return isfinite(squares);
}

static bool has_overflowed(const block *b, size_t row)
{
    const float *out = b->w->out + row * b->p->value_width;
    for (size_t c = 0; c < b->p->rule->value_dim; c++)
        if (!isfinite(out[c]))
            return true;
    return false;
}

/* Whether float32 may have lost what a row's weights depend on. A maximum of −INFINITY is mostly that of a row that
 * sees nothing, but it can have overflowed. */
static bool is_doubtful(const block *b, size_t row)
{
    const attn_mask_span *span = &b->w->spans[row];
    return (!isfinite(b->w->sum[row]) || !(fabsf(b->w->max[row]) <= b->p->far)) && span->low < span->high;
}

/* out = sum/total. A row that saw nothing is 0. */
static void write_block(const block *b)
{
    const plan *p = b->p;
    bool small = sums_are_small(b);
    for (size_t i = 0; i < b->n_rows; i++) {
        const float *from = b->w->out + i * p->value_width;
        float *to = place_of_result(b) + i * p->out_stride;
        float sum = b->w->sum[i];
        float inverse = sum == 0 ? 0 : 1 / sum;
        if (is_doubtful(b, i) || (!small && has_overflowed(b, i)))
            b->doubtful[i] = 1;
        p->kernels->scale_row(p->rule->value_dim, inverse, from, to);
    }
}

static void run_block(block *b)
{
    size_t low = b->p->attention->n_keys, high = 0;
    prepare(b);
    for (size_t g = 0; g < b->n_groups; g++) {
        low = smaller(low, b->w->keys[g].low);
        high = larger(high, b->w->keys[g].high);
    }
    for (size_t key = low / KEYS * KEYS; key < high; key += KEYS) {
        score_block(b, key);
        for (size_t g = 0; g < b->n_groups; g++) {
            range r = group_range(b, g, key);
            if (r.low < r.high)
                weights_of_group(b, g, key);
        }
        if (key + KEYS >= high)
            announce(place_of_result(b), b->p->out_stride, b->n_rows, b->p->rule->value_dim);
        weigh_block(b, key);
    }
    write_block(b);
}

/* Worker 0 is the thread that asked. */
static void tell_progress(plan *p, size_t worker)
{
    const attn_attention *a = p->attention;
    double blocks = (double)p->n_units * (double)p->shared * (double)p->n_blocks;
    size_t begun = atomic_fetch_add_explicit(&p->begun, 1, memory_order_relaxed);
    if (worker == 0 && a->progress != NULL)
        a->progress(a->progress_context, (double)begun / blocks);
}

/* Block INDEX of a unit, its heads one after the other. Long blocks first: under a causal
 * mask they are the last ones. */
static void run_one(plan *p, size_t in_batch, size_t index, size_t worker)
{
    size_t at = p->n_blocks - 1 - index % p->n_blocks;
    size_t head = (p->first_unit + in_batch) * p->shared + index / p->n_blocks;
    const float *keys = p->packed + in_batch * p->unit_floats;
    size_t row = at * p->block_rows;
    block b = {.p = p, .w = &p->workspaces[worker], .head = head, .query = row, .keys = keys};
    tell_progress(p, worker);
    b.n_rows = smaller(p->block_rows, p->attention->n_queries - row);
    b.n_groups = pieces(b.n_rows, p->kernels->tile_rows);
    b.values = keys + p->key_floats;
    b.careful = atomic_load_explicit(&p->units[in_batch].careful, memory_order_relaxed);
    b.doubtful = p->doubts->rows + head * p->attention->n_queries + row;
    run_block(&b);
}

/* ---- sharing the work ---- */

/* The next of N numbers, in *INDEX. False: none is left. */
static bool take(atomic_size_t *next, size_t n, size_t *index)
{
    *index = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
    return *index < n;
}

static void work_on_unit(plan *p, size_t in_batch, size_t worker)
{
    progress *unit = &p->units[in_batch];
    size_t index;
    while (take(&unit->next_chunk, p->n_chunks, &index))
        pack_chunk(p, in_batch, index);
    while (atomic_load_explicit(&unit->packed, memory_order_acquire) < p->n_chunks)
        sched_yield(); /* another worker packs the last of it */
    while (take(&unit->next_block, p->shared * p->n_blocks, &index))
        run_one(p, in_batch, index, worker);
}

/* First the units that are this worker's, the same in every batch, then whatever is left. */
static void work(void *context, size_t index, size_t worker)
{
    plan *p = context;
    (void)index;
    for (size_t unit = worker; unit < p->n_batch; unit += p->n_workers)
        work_on_unit(p, unit, worker);
    for (size_t unit = 0; unit < p->n_batch; unit++)
        work_on_unit(p, (worker + unit) % p->n_batch, worker);
}

static void run_batch(plan *p, attn_pool *pool)
{
    size_t tasks = p->n_batch * (p->n_chunks + p->shared * p->n_blocks);
    for (size_t i = 0; i < p->n_batch; i++) {
        atomic_store(&p->units[i].next_chunk, 0);
        atomic_store(&p->units[i].packed, 0);
        atomic_store(&p->units[i].next_block, 0);
        atomic_store(&p->units[i].careful, false);
    }
    attn_pool_run(pool, work, p, smaller(p->n_workers, tasks));
}

/* ---- the whole ---- */

static bool measure(plan *p)
{
    const attn_attention *a = p->attention;
    size_t tile_rows = p->kernels->tile_rows;
    p->shared = p->rule->n_heads / p->rule->n_kv_heads;
    p->n_units = p->rule->n_kv_heads;
    p->n_groups = BLOCK_ROWS / tile_rows;
    p->block_rows = p->n_groups * tile_rows;
    p->n_blocks = pieces(a->n_queries, p->block_rows);
    p->n_panels = pieces(a->n_keys, ATTN_PANEL);
    p->n_chunks = pieces(p->n_panels, CHUNK_PANELS);
    p->value_panels = pieces(p->rule->value_dim, ATTN_PANEL);
    p->value_width = p->value_panels * ATTN_PANEL;
    size_t padded = p->n_panels * ATTN_PANEL, value_floats;
    return attn_multiply(padded, p->rule->head_dim, &p->key_floats) &&
           attn_multiply(padded, p->value_width, &value_floats) &&
           attn_add(p->key_floats, value_floats, &p->unit_floats);
}

static bool make_workspaces(plan *p, size_t workers)
{
    size_t rows = p->block_rows;
    size_t queries = rows * p->rule->head_dim + ATTN_MAX_TILE_ROWS;
    queries = pieces(queries, ATTN_PANEL) * ATTN_PANEL; /* whole cache lines */
    size_t each = queries + rows * (KEYS + p->value_width) + pieces(3 * rows, ATTN_PANEL) * ATTN_PANEL;
    size_t total;
    if (!attn_multiply(each, workers, &total))
        return false;
    p->workspaces = attn_alloc_array(workers, sizeof *p->workspaces);
    p->memory = attn_alloc_aligned(total, sizeof *p->memory);
    p->spans = attn_alloc_array(workers * rows, sizeof *p->spans);
    p->ranges = attn_alloc_array(workers * p->n_groups, sizeof *p->ranges);
    if (p->workspaces == NULL || p->memory == NULL || p->spans == NULL || p->ranges == NULL)
        return false;
    for (size_t i = 0; i < workers; i++) {
        float *start = p->memory + i * each;
        workspace *w = &p->workspaces[i];
        w->queries = start;
        w->weights = w->queries + queries;
        w->out = w->weights + rows * KEYS;
        w->max = w->out + rows * p->value_width;
        w->sum = w->max + rows;
        w->factor = w->sum + rows;
        w->spans = p->spans + i * rows;
        w->keys = p->ranges + i * p->n_groups;
    }
    return true;
}

/* As many as fit in the memory given to them, and then as many for each worker as for the next. */
static size_t units_at_a_time(const plan *p)
{
    size_t workers = p->n_workers;
    size_t each = p->unit_floats > 0 ? p->unit_floats : 1;
    size_t fit = BATCH_FLOATS / each;
    if (fit < workers && workers <= MOST_BATCH_FLOATS / each)
        fit = workers;
    if (fit > workers)
        fit -= fit % workers;
    return fit > 0 ? smaller(fit, p->n_units) : 1;
}

static bool make_room(plan *p, size_t batch)
{
    size_t floats;
    if (!attn_multiply(batch, p->unit_floats, &floats))
        return false;
    p->packed = attn_alloc_aligned(floats, sizeof *p->packed);
    p->units = attn_alloc_aligned(batch, sizeof *p->units);
    return p->packed != NULL && p->units != NULL && make_workspaces(p, p->n_workers);
}

static bool is_small(const attn_attention *a)
{
    const attn_rule *rule = a->rule;
    return (double)a->n_queries * (double)a->n_keys * (double)rule->n_heads *
               (double)(rule->head_dim + rule->value_dim) <
           SMALL;
}

/* A rule without a softmax has no maximum: it stays at −INFINITY. */
static float doubtful_from(const plan *p)
{
    if (!attn_score_of(p->rule->score)->softmax)
        return INFINITY;
    if (p->rule->temperature > 0x1p64F)
        return -1;
    return LOG2_E * ATTN_SCORE_FAR * (attn_score_has_additions(&p->scoring) ? 1 : 4);
}

attn_status attn_stream(const attn_attention *attention, float *out, size_t out_stride, attn_pool *pool,
                        const attn_doubts *doubts, attn_error *error)
{
    plan p = {.attention = attention, .rule = attention->rule, .out = out, .out_stride = out_stride, .doubts = doubts};
    float unit = attn_score_of(p.rule->score)->softmax ? LOG2_E / attention->rule->temperature : 1;
    attn_status status = attn_scoring_open(attention, unit, true, &p.scoring, error);
    if (status != ATTN_OK)
        return status;
    p.kernels = p.scoring.kernels;
    p.far = doubtful_from(&p);
    if (is_small(attention))
        pool = NULL;
    if (!measure(&p)) {
        status = attn_fail_memory(error);
        goto done;
    }
    p.n_workers = attn_pool_size(pool);
    size_t batch = units_at_a_time(&p);
    if (!make_room(&p, batch)) {
        status = attn_fail_memory(error);
        goto done;
    }
    for (p.first_unit = 0; p.first_unit < p.n_units; p.first_unit += batch) {
        p.n_batch = smaller(batch, p.n_units - p.first_unit);
        run_batch(&p, pool);
    }
done:
    attn_free(p.ranges);
    attn_free(p.spans);
    attn_free(p.memory);
    attn_free(p.workspaces);
    attn_free(p.units);
    attn_free(p.packed);
    attn_scoring_close(&p.scoring);
    return status;
}
