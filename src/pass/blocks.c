/* blocks.c: the observer's blocks: scores, weights and the steps before them. Blocks are cut in the observer's order; a
 * bounded batch of them is computed by the pool, then handed over in order on the caller's thread.
 * Nothing here feeds back into the stream. Also: counting rows whose keys are all masked. */
#include "config.h"

#include "pass/pass.h"

#include <math.h>

enum {
    BLOCK_BYTES = 4 << 20, /* values and visibility of a block, about */
    MIN_ROWS = 8           /* of a block: keys are packed once for all its rows */
};

typedef struct cut { /* a block: which heads, which queries */
    size_t head, n_heads, query, n_queries;
} cut;

typedef struct cutter { /* walks the cuts in order */
    const attn_observer *observer;
    const uint8_t *heads; /* [n_heads] or NULL */
    size_t n_heads, n_queries, rows;
    size_t head, query; /* where to go on */
} cutter;

static bool head_selected(const cutter *c, size_t head)
{
    return c->heads == NULL || c->heads[head] != 0;
}

static bool query_selected(const cutter *c, size_t query, size_t count)
{
    if (c->observer->queries == NULL)
        return true;
    for (size_t i = query; i < query + count; i++)
        if (c->observer->queries[i] != 0)
            return true;
    return false;
}

static bool next_by_head(cutter *c, cut *out)
{
    for (; c->head < c->n_heads; c->head++, c->query = 0) {
        if (!head_selected(c, c->head))
            continue;
        while (c->query < c->n_queries) {
            size_t count = c->n_queries - c->query < c->rows ? c->n_queries - c->query : c->rows;
            *out = (cut){.head = c->head, .n_heads = 1, .query = c->query, .n_queries = count};
            c->query += out->n_queries;
            if (query_selected(c, out->query, out->n_queries))
                return true;
        }
    }
    return false;
}

/* One run of neighbouring selected heads after the other, then the next queries. */
static bool next_by_query(cutter *c, cut *out)
{
    for (; c->query < c->n_queries; c->query += c->rows, c->head = 0) {
        size_t count = c->n_queries - c->query < c->rows ? c->n_queries - c->query : c->rows;
        if (!query_selected(c, c->query, count))
            continue;
        while (c->head < c->n_heads && !head_selected(c, c->head))
            c->head++;
        if (c->head == c->n_heads)
            continue;
        size_t head = c->head;
        while (c->head < c->n_heads && head_selected(c, c->head))
            c->head++;
        *out = (cut){.head = head, .n_heads = c->head - head, .query = c->query, .n_queries = count};
        return true;
    }
    return false;
}

static bool next_cut(cutter *c, cut *out)
{
    return c->observer->order == ATTN_BY_HEAD ? next_by_head(c, out) : next_by_query(c, out);
}

typedef struct slot { /* a block being computed */
    cut cut;
    float *rows[ATTN_N_ROWS_KINDS]; /* owned; [heads][rows][n_keys], or NULL: not wanted */
    uint8_t *visible;               /* owned; the same shape */
} slot;

typedef struct batch {
    const attn_pass *pass;
    const attn_attention *attention;
    size_t layer;
    size_t max_heads, rows; /* of a block */
    slot *slots;            /* owned; [n_slots] */
    size_t n_slots, used;
    attn_error *errors; /* owned; [n_slots · max_heads] */
} batch;

/* One head of one block. */
static void compute_task(void *context, size_t index, size_t worker)
{
    batch *b = context;
    slot *s = &b->slots[index / b->max_heads];
    size_t h = index % b->max_heads, size = s->cut.n_queries * b->attention->n_keys;
    attn_error *error = &b->errors[index];
    (void)worker;
    error->status = ATTN_OK;
    if (h >= s->cut.n_heads)
        return;
    for (int kind = 0; kind < ATTN_N_ROWS_KINDS && error->status == ATTN_OK; kind++)
        if (s->rows[kind] != NULL)
            attn_attention_rows(b->attention, (attn_rows_kind)kind, s->cut.head + h, 1, s->cut.query, s->cut.n_queries,
                                s->rows[kind] + h * size, s->visible + h * size, error);
}

static attn_status emit_kind(const batch *b, const slot *s, attn_rows_kind kind, attn_error *error)
{
    if (s->rows[kind] == NULL)
        return ATTN_OK;
    const attn_block block = {
        .kind = kind,
        .layer = b->layer,
        .head = s->cut.head,
        .n_heads = s->cut.n_heads,
        .query = s->cut.query,
        .n_queries = s->cut.n_queries,
        .n_keys = b->attention->n_keys,
        .values = s->rows[kind],
        .visible = s->visible,
    };
    return b->pass->observer->block(b->pass->observer->context, &block, error);
}

static attn_status emit_batch(batch *b, attn_error *error)
{
    attn_status status = ATTN_OK;
    attn_pool_run(b->pass->pool, compute_task, b, b->used * b->max_heads);
    for (size_t i = 0; i < b->used * b->max_heads; i++) {
        if (b->errors[i].status != ATTN_OK) {
            if (error != NULL)
                *error = b->errors[i];
            return b->errors[i].status;
        }
    }
    for (size_t i = 0; i < b->used; i++)
        for (int kind = 0; kind < ATTN_N_ROWS_KINDS && status == ATTN_OK; kind++)
            status = emit_kind(b, &b->slots[i], (attn_rows_kind)kind, error);
    b->used = 0;
    return status;
}

static void batch_free(batch *b)
{
    for (size_t i = 0; b->slots != NULL && i < b->n_slots; i++) {
        for (size_t kind = 0; kind < ATTN_N_ROWS_KINDS; kind++)
            attn_free(b->slots[i].rows[kind]);
        attn_free(b->slots[i].visible);
    }
    attn_free(b->slots);
    attn_free(b->errors);
}

static const unsigned want_of[ATTN_N_ROWS_KINDS] = {
    [ATTN_ROWS_DOT] = ATTN_WANT_DOT,         [ATTN_ROWS_PRODUCT] = ATTN_WANT_PRODUCT,
    [ATTN_ROWS_CAPPED] = ATTN_WANT_CAPPED,   [ATTN_ROWS_SCORES] = ATTN_WANT_SCORES,
    [ATTN_ROWS_WEIGHTS] = ATTN_WANT_WEIGHTS,
};

static attn_status slot_make(slot *s, unsigned wants, size_t numbers, attn_error *error)
{
    s->visible = attn_alloc_array(numbers, 1);
    if (s->visible == NULL)
        return attn_fail_memory(error);
    for (size_t kind = 0; kind < ATTN_N_ROWS_KINDS; kind++) {
        if ((wants & want_of[kind]) == 0)
            continue;
        s->rows[kind] = attn_alloc_aligned(numbers, sizeof(float));
        if (s->rows[kind] == NULL)
            return attn_fail_memory(error);
    }
    return ATTN_OK;
}

static attn_status batch_make(batch *b, attn_error *error)
{
    size_t numbers;
    if (!attn_multiply(b->max_heads * b->rows, b->attention->n_keys, &numbers))
        return attn_fail_memory(error);
    b->slots = attn_calloc_array(b->n_slots, sizeof *b->slots);
    b->errors = attn_calloc_array(b->n_slots * b->max_heads, sizeof *b->errors);
    if (b->slots == NULL || b->errors == NULL)
        return attn_fail_memory(error);
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < b->n_slots && status == ATTN_OK; i++)
        status = slot_make(&b->slots[i], b->pass->observer->wants, numbers, error);
    return status;
}

static size_t count_heads(const cutter *c)
{
    size_t count = 0;
    for (size_t h = 0; h < c->n_heads; h++)
        count += head_selected(c, h) ? 1 : 0;
    return count;
}

attn_status attn_pass_blocks(const attn_pass *pass, size_t layer, const attn_attention *attention, attn_error *error)
{
    const attn_observer *observer = pass->observer;
    cutter c = {
        .observer = observer,
        .heads = observer->heads != NULL ? observer->heads + layer * observer->max_heads : NULL,
        .n_heads = attention->rule->n_heads,
        .n_queries = attention->n_queries,
    };
    size_t heads = count_heads(&c);
    if (heads == 0)
        return ATTN_OK;
    size_t max_heads = observer->order == ATTN_BY_HEAD ? 1 : heads;
    size_t bytes = attention->n_keys * max_heads * (sizeof(float) + 1);
    c.rows = BLOCK_BYTES / bytes > MIN_ROWS ? BLOCK_BYTES / bytes : MIN_ROWS;
    if (c.rows > c.n_queries)
        c.rows = c.n_queries;
    batch b = {
        .pass = pass,
        .attention = attention,
        .layer = layer,
        .max_heads = max_heads,
        .rows = c.rows,
        .n_slots = observer->order == ATTN_BY_HEAD ? 2 * attn_pool_size(pass->pool) : 2,
    };
    attn_status status = batch_make(&b, error);
    while (status == ATTN_OK && next_cut(&c, &b.slots[b.used].cut))
        if (++b.used == b.n_slots)
            status = emit_batch(&b, error);
    if (status == ATTN_OK && b.used > 0)
        status = emit_batch(&b, error);
    batch_free(&b);
    return status;
}

enum { MASK_CHUNK = 256 };

static bool row_masked(const attn_mask *mask, size_t head, size_t query, size_t n_keys)
{
    attn_mask_span span = attn_mask_bounds(mask, query, 1, n_keys);
    if (span.clear_low < span.clear_high)
        return false;
    for (size_t key = span.low; key < span.high; key += MASK_CHUNK) {
        size_t count = span.high - key < MASK_CHUNK ? span.high - key : MASK_CHUNK;
        float add[MASK_CHUNK];
        attn_mask_row(mask, head, query, key, count, add);
        for (size_t i = 0; i < count; i++)
            if (add[i] > -INFINITY)
                return false;
    }
    return true;
}

uint64_t attn_pass_masked_rows(const attn_mask *mask, size_t n_heads, size_t n_queries, size_t n_keys)
{
    bool per_head = false;
    uint64_t count = 0;
    for (size_t i = 0; i < mask->n_matrices; i++)
        per_head = per_head || mask->matrices[i].n_heads > 1;
    for (size_t h = 0; h < (per_head ? n_heads : 1); h++)
        for (size_t i = 0; i < n_queries; i++)
            if (row_masked(mask, h, i, n_keys))
                count += per_head ? 1 : n_heads;
    return count;
}
