/* layer.c: one layer of the pass: attention's branch (projections, QK-norm, rotary positions, the driver of
 * attention/, output), the feed-forward's branch, norms and residuals around them. Which of these a layer has
 * is data in attn_layer; no family is known here. */
#include "config.h"

#include "model/pass.h"

#include <string.h>

typedef struct projected { /* queries, keys or values of all heads */
    float *owned;          /* owned, or NULL: DATA is a view of the input */
    attn_heads heads;
    size_t n, n_heads, dim;
} projected;

typedef struct branch { /* what one attention branch works on */
    const attn_layer *layer;
    attn_rows_in queries; /* normed stream */
    attn_rows_in keys;    /* the same, or the context's */
    projected q, k, v;
    attn_mask mask;
} branch;

/* The identity: every head sees its own part of the input, or, where a head is as wide as the input, all of
 * it. No number moves. */
static attn_heads identity_view(attn_rows_in x, size_t n_heads, size_t dim)
{
    attn_heads heads;
    heads.data = x.data;
    heads.row_stride = x.stride;
    heads.head_stride = n_heads * dim == x.width ? dim : 0;
    return heads;
}

static void copy_identity(const attn_linear *linear, attn_rows_in x, projected *p)
{
    attn_heads view = identity_view(x, p->n_heads, p->dim);
    size_t i, h, k;
    for (i = 0; i < x.n; i++) {
        float *row = p->owned + i * p->n_heads * p->dim;
        for (h = 0; h < p->n_heads; h++)
            memcpy(row + h * p->dim, view.data + i * view.row_stride + h * view.head_stride,
                   p->dim * sizeof *row);
        if (linear->bias != NULL)
            for (k = 0; k < p->n_heads * p->dim; k++)
                row[k] += linear->bias[k];
    }
}

/* CHANGES: what follows writes into the result (rotation, norms). */
static attn_status project(const attn_linear *linear, attn_rows_in x, bool changes, projected *p,
                           attn_pool *pool, attn_error *error)
{
    size_t width = p->n_heads * p->dim, count;
    p->n = x.n;
    if (linear->w.data == NULL && linear->bias == NULL && !changes) {
        p->heads = identity_view(x, p->n_heads, p->dim);
        return ATTN_OK;
    }
    p->owned = attn_multiply(x.n, width, &count) ? attn_alloc_aligned(count, sizeof(float)) : NULL;
    if (p->owned == NULL)
        return attn_fail_memory(error);
    p->heads.data = p->owned;
    p->heads.row_stride = width;
    p->heads.head_stride = p->dim;
    if (linear->w.data != NULL)
        return attn_linear_run(linear, x, p->owned, width, pool, error);
    copy_identity(linear, x, p);
    return ATTN_OK;
}

static void norm_heads(const attn_layer *layer, const attn_norm *norm, projected *p, attn_pool *pool)
{
    attn_rows_in rows;
    if (norm->kind == ATTN_NORM_NONE)
        return;
    rows.data = p->owned;
    rows.width = rows.stride = layer->qk_norm_full ? p->n_heads * p->dim : p->dim;
    rows.n = layer->qk_norm_full ? p->n : p->n * p->n_heads;
    attn_norm_run(norm, rows, p->owned, rows.stride, pool);
}

static const float *key_positions(const attn_pass *pass)
{
    return pass->key_positions != NULL ? pass->key_positions : pass->positions;
}

static attn_rotating rotating(const projected *p, const float *positions)
{
    attn_rotating r;
    r.x = p->owned;
    r.positions = positions;
    r.n = p->n;
    r.n_heads = p->n_heads;
    r.dim = p->dim;
    return r;
}

static attn_status project_all(attn_pass *pass, branch *b, bool values, attn_error *error)
{
    const attn_layer *layer = b->layer;
    const attn_rule *rule = &layer->rule;
    bool rotated = layer->positions == ATTN_POSITION_ROPE;
    attn_status status;
    b->q.n_heads = rule->n_heads;
    b->k.n_heads = b->v.n_heads = rule->n_kv_heads;
    b->q.dim = b->k.dim = rule->head_dim;
    b->v.dim = rule->value_dim;
    status = project(&layer->q, b->queries, rotated || layer->q_norm.kind != ATTN_NORM_NONE, &b->q,
                     pass->pool, error);
    if (status == ATTN_OK)
        status = project(&layer->k, b->keys, rotated || layer->k_norm.kind != ATTN_NORM_NONE, &b->k,
                         pass->pool, error);
    if (status == ATTN_OK && values)
        status = project(&layer->v, b->keys, false, &b->v, pass->pool, error);
    if (status != ATTN_OK)
        return status;
    norm_heads(layer, &layer->q_norm, &b->q, pass->pool);
    norm_heads(layer, &layer->k_norm, &b->k, pass->pool);
    if (!rotated)
        return ATTN_OK;
    status = attn_pass_rotate(pass, &layer->rope, rotating(&b->q, pass->positions), error);
    if (status != ATTN_OK)
        return status;
    return attn_pass_rotate(pass, &layer->rope, rotating(&b->k, key_positions(pass)), error);
}

static void choose_mask(const attn_pass *pass, branch *b)
{
    static const attn_mask none = {0};
    const attn_input *input = pass->input;
    bool cross = input->context_ids != NULL;
    b->mask = cross && !b->layer->mask_given ? none : b->layer->mask;
    b->mask.hidden_keys = cross ? input->context_hidden : input->hidden_keys;
}

/* out = Σ mix_h · head_h, in place at the front of each row, then closed up to [n][dim]. */
static void mix_heads(const attn_layer *layer, float *rows, size_t n)
{
    size_t heads = layer->rule.n_heads, dim = layer->rule.value_dim, i, h, k;
    for (i = 0; i < n; i++) {
        const float *in = rows + i * heads * dim;
        float *out = rows + i * dim;
        for (k = 0; k < dim; k++) {
            float sum = 0.0F;
            for (h = 0; h < heads; h++)
                sum += layer->head_mix[h] * in[h * dim + k];
            out[k] = sum; /* read no more: out lies at or before in[k] */
        }
    }
}

/* The heads' outputs through W_O or the mix: [n][*width] of new memory to *OUT. */
static attn_status join_heads(const attn_pass *pass, const attn_layer *layer, float *heads, float **out,
                              size_t *width, attn_error *error)
{
    attn_rows_in rows;
    size_t count, i, k;
    *width = attn_model_width(pass->model, layer - pass->model->layers);
    *out = heads;
    if (layer->o.w.data != NULL) {
        *out = attn_multiply(pass->n, *width, &count) ? attn_alloc_aligned(count, sizeof(float)) : NULL;
        if (*out == NULL) {
            attn_free(heads);
            return attn_fail_memory(error);
        }
        rows.data = heads;
        rows.n = pass->n;
        rows.width = rows.stride = layer->rule.n_heads * layer->rule.value_dim;
        attn_status status = attn_linear_run(&layer->o, rows, *out, *width, pass->pool, error);
        attn_free(heads);
        return status;
    }
    if (layer->head_mix != NULL)
        mix_heads(layer, heads, pass->n);
    if (layer->o.bias != NULL)
        for (i = 0; i < pass->n; i++)
            for (k = 0; k < *width; k++)
                heads[i * *width + k] += layer->o.bias[k];
    return ATTN_OK;
}

static attn_status attend(attn_pass *pass, const attn_layer_work *work, branch *b, float **out,
                          size_t *width, attn_error *error)
{
    const attn_layer *layer = b->layer;
    const attn_rule *rule = &layer->rule;
    size_t row = rule->n_heads * rule->value_dim, count;
    attn_attention attention = {0};
    attn_status status;
    float *heads;
    attention.rule = rule;
    attention.mask = &b->mask;
    attention.n_queries = pass->n;
    attention.n_keys = pass->n_keys;
    attention.q = b->q.heads;
    attention.k = b->k.heads;
    attention.v = b->v.heads;
    if (!pass->positions_plain) {
        attention.query_positions = pass->positions;
        attention.key_positions = key_positions(pass);
    }
    status = attn_mask_check(&b->mask, rule->n_heads, pass->n, pass->n_keys, error);
    if (status == ATTN_OK && work->blocks)
        status = attn_pass_blocks(pass, work->layer, &attention, error);
    if (status != ATTN_OK || !work->output)
        return status;
    heads = attn_multiply(pass->n, row, &count) ? attn_alloc_aligned(count, sizeof(float)) : NULL;
    if (heads == NULL)
        return attn_fail_memory(error);
    status = attn_attention_run(&attention, heads, row, pass->pool, error);
    if (status != ATTN_OK) {
        attn_free(heads);
        return status;
    }
    return join_heads(pass, layer, heads, out, width, error);
}

static attn_rows_in rows_of(const float *data, size_t n, size_t width)
{
    attn_rows_in rows;
    rows.data = data;
    rows.n = n;
    rows.width = rows.stride = width;
    return rows;
}

/* X normed to new memory in *OWNED, or X itself where there is no norm. */
static attn_status normed(const attn_norm *norm, attn_rows_in x, attn_pool *pool, float **owned,
                          attn_rows_in *out, attn_error *error)
{
    size_t count;
    *out = x;
    if (norm->kind == ATTN_NORM_NONE)
        return ATTN_OK;
    *owned = attn_multiply(x.n, x.width, &count) ? attn_alloc_aligned(count, sizeof(float)) : NULL;
    if (*owned == NULL)
        return attn_fail_memory(error);
    attn_norm_run(norm, x, *owned, x.width, pool);
    *out = rows_of(*owned, x.n, x.width);
    return ATTN_OK;
}

/* The attention branch's addition to the stream: *OUT [n][*width], owned by the caller; NULL when the work
 * wants no output. */
static attn_status attention_branch(attn_pass *pass, const attn_layer_work *work, float **out,
                                    size_t *width, attn_error *error)
{
    branch b = {0};
    float *own_queries = NULL, *own_keys = NULL;
    attn_status status;
    b.layer = &pass->model->layers[work->layer];
    choose_mask(pass, &b);
    status = normed(&b.layer->attention_before, rows_of(pass->x, pass->n, pass->width), pass->pool,
                    &own_queries, &b.queries, error);
    b.keys = b.queries;
    if (status == ATTN_OK && pass->context != NULL)
        status = normed(&b.layer->attention_before,
                        rows_of(pass->context, pass->n_keys, pass->model->d_model), pass->pool,
                        &own_keys, &b.keys, error);
    if (status == ATTN_OK)
        status = project_all(pass, &b, work->output, error);
    if (status == ATTN_OK)
        status = attend(pass, work, &b, out, width, error);
    if (status == ATTN_OK)
        pass->input->n_masked_rows +=
            attn_pass_masked_rows(&b.mask, b.layer->rule.n_heads, pass->n, pass->n_keys);
    attn_free(own_queries);
    attn_free(own_keys);
    attn_free(b.q.owned);
    attn_free(b.k.owned);
    attn_free(b.v.owned);
    if (status != ATTN_OK) {
        attn_free(*out);
        *out = NULL;
    }
    return status;
}

/* The feed-forward's addition to the stream: *OUT [n][width], owned by the caller. */
static attn_status ffn_branch(const attn_pass *pass, const attn_layer *layer, float **out,
                              attn_error *error)
{
    float *owned = NULL;
    attn_rows_in h;
    size_t count;
    attn_status status = normed(&layer->ffn_before, rows_of(pass->x, pass->n, pass->width), pass->pool,
                                &owned, &h, error);
    if (status != ATTN_OK)
        return status;
    *out = attn_multiply(pass->n, pass->width, &count) ? attn_alloc_aligned(count, sizeof(float)) : NULL;
    status = *out == NULL ? attn_fail_memory(error)
                          : attn_feed_forward_run(&layer->ffn, h, *out, pass->pool, error);
    attn_free(owned);
    if (status == ATTN_OK && layer->ffn_after.kind != ATTN_NORM_NONE)
        attn_norm_run(&layer->ffn_after, rows_of(*out, pass->n, pass->width), *out, pass->width,
                      pass->pool);
    return status;
}

/* Add BRANCH (taken over) to the stream, or put it in its place; then the norm after the residual. */
static void join_stream(attn_pass *pass, float *branch_out, size_t width, bool residual,
                        const attn_norm *after)
{
    if (residual) {
        attn_rows_add(pass->x, branch_out, pass->n * width, pass->pool);
        attn_free(branch_out);
    } else {
        attn_free(pass->x);
        pass->x = branch_out;
        pass->width = width;
    }
    if (after->kind != ATTN_NORM_NONE)
        attn_norm_run(after, rows_of(pass->x, pass->n, pass->width), pass->x, pass->width, pass->pool);
}

attn_status attn_pass_layer(attn_pass *pass, const attn_layer_work *work, attn_error *error)
{
    const attn_layer *layer = &pass->model->layers[work->layer];
    bool has_ffn = layer->ffn.down.w.data != NULL;
    float *attended = NULL, *fed = NULL;
    size_t width = 0;
    attn_status status = attention_branch(pass, work, &attended, &width, error);
    if (status != ATTN_OK || !work->output)
        return status;
    if (layer->attention_after.kind != ATTN_NORM_NONE)
        attn_norm_run(&layer->attention_after, rows_of(attended, pass->n, width), attended, width,
                      pass->pool);
    if (has_ffn && layer->parallel) {
        status = ffn_branch(pass, layer, &fed, error);
        if (status != ATTN_OK)
            goto fail;
    }
    join_stream(pass, attended, width, layer->residual, &layer->attention_post_residual);
    attended = NULL;
    if (has_ffn && !layer->parallel) {
        status = ffn_branch(pass, layer, &fed, error);
        if (status != ATTN_OK)
            goto fail;
    }
    if (has_ffn)
        join_stream(pass, fed, pass->width, true, &layer->ffn_post_residual);
    return ATTN_OK;
fail:
    attn_free(attended);
    attn_free(fed);
    return status;
}
