/* layer.c: one layer of the pass up to W_O: attention's branch (norm, projections, QK-norm, rotary positions, the
 * driver of attention/, output); what is behind it is tail.c's. Which of these a layer has is data in attn_layer; no
 * family is known here. */
#include "config.h"

#include "pass/pass.h"

#include <string.h>

typedef struct projected { /* queries, keys or values of all heads */
    attn_room room;
    float *numbers; /* borrowed; the room's [n][n_heads·dim], or NULL: heads is a view of the input */
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

/* The identity: every head sees its own part of the input, or, where a head is as wide as the
 * input, all of it. No number moves. */
static attn_heads identity_view(attn_rows_in x, size_t n_heads, size_t dim)
{
    return (attn_heads){.data = x.data, .row_stride = x.stride, .head_stride = n_heads * dim == x.width ? dim : 0};
}

static void copy_identity(const attn_linear *linear, attn_rows_in x, projected *p)
{
    attn_heads view = identity_view(x, p->n_heads, p->dim);
    for (size_t i = 0; i < x.n; i++) {
        float *row = p->numbers + i * p->n_heads * p->dim;
        for (size_t h = 0; h < p->n_heads; h++)
            memcpy(row + h * p->dim, view.data + i * view.row_stride + h * view.head_stride, p->dim * sizeof *row);
        if (linear->bias != NULL)
            for (size_t k = 0; k < p->n_heads * p->dim; k++)
                row[k] += linear->bias[k];
    }
}

/* CHANGES: what follows writes into the result (rotation, norms). */
static attn_status project(attn_pass *pass, const attn_linear *linear, attn_rows_in x, bool changes, projected *p,
                           attn_error *error)
{
    size_t width = p->n_heads * p->dim;
    p->n = x.n;
    if (linear->w.data == NULL && linear->bias == NULL && !changes) {
        p->heads = identity_view(x, p->n_heads, p->dim);
        return ATTN_OK;
    }
    p->numbers = attn_pass_room_for(pass, p->room, x.n, width, error);
    if (p->numbers == NULL)
        return ATTN_ENOMEM;
    p->heads = (attn_heads){.data = p->numbers, .row_stride = width, .head_stride = p->dim};
    if (linear->w.data != NULL)
        return attn_linear_run(linear, x, p->numbers, width, pass->pool, error);
    copy_identity(linear, x, p);
    return ATTN_OK;
}

static void norm_heads(const attn_layer *layer, const attn_norm *norm, projected *p, attn_pool *pool)
{
    if (norm->kind == ATTN_NORM_NONE)
        return;
    attn_rows_in rows = layer->qk_norm_full ? attn_rows_of(p->numbers, p->n, p->n_heads * p->dim)
                                            : attn_rows_of(p->numbers, p->n * p->n_heads, p->dim);
    attn_norm_run(norm, rows, p->numbers, rows.stride, pool);
}

static const float *key_positions(const attn_pass *pass)
{
    return pass->key_positions != NULL ? pass->key_positions : pass->positions;
}

static attn_rotating rotating(const projected *p, const float *positions)
{
    return (attn_rotating){.x = p->numbers, .positions = positions, .n = p->n, .n_heads = p->n_heads, .dim = p->dim};
}

static attn_status show(attn_pass *pass, attn_part_kind kind, const projected *p, attn_error *error)
{
    return attn_pass_show_heads(pass, kind, p->heads, p->n, p->n_heads, p->dim, error);
}

static attn_status rotate(attn_pass *pass, branch *b, attn_error *error)
{
    if (b->layer->positions != ATTN_POSITION_ROPE)
        return ATTN_OK;
    attn_status status = attn_pass_rotate(pass, &b->layer->rope, rotating(&b->q, pass->positions), error);
    if (status != ATTN_OK)
        return status;
    return attn_pass_rotate(pass, &b->layer->rope, rotating(&b->k, key_positions(pass)), error);
}

static attn_status project_queries_and_keys(attn_pass *pass, branch *b, attn_error *error)
{
    const attn_layer *layer = b->layer;
    const attn_rule *rule = &layer->rule;
    bool rotated = layer->positions == ATTN_POSITION_ROPE;
    b->q = (projected){.room = ATTN_ROOM_Q, .n_heads = rule->n_heads, .dim = rule->head_dim};
    b->k = (projected){.room = ATTN_ROOM_K, .n_heads = rule->n_kv_heads, .dim = rule->head_dim};
    attn_status status =
        project(pass, &layer->q, b->queries, rotated || layer->q_norm.kind != ATTN_NORM_NONE, &b->q, error);
    if (status == ATTN_OK)
        status = project(pass, &layer->k, b->keys, rotated || layer->k_norm.kind != ATTN_NORM_NONE, &b->k, error);
    if (status != ATTN_OK)
        return status;
    norm_heads(layer, &layer->q_norm, &b->q, pass->pool);
    norm_heads(layer, &layer->k_norm, &b->k, pass->pool);
    status = show(pass, ATTN_PART_QUERY_BEFORE, &b->q, error);
    if (status == ATTN_OK)
        status = show(pass, ATTN_PART_KEY_BEFORE, &b->k, error);
    if (status == ATTN_OK)
        status = rotate(pass, b, error);
    if (status == ATTN_OK)
        status = show(pass, ATTN_PART_QUERY, &b->q, error);
    return status == ATTN_OK ? show(pass, ATTN_PART_KEY, &b->k, error) : status;
}

static attn_status project_values(attn_pass *pass, branch *b, attn_error *error)
{
    const attn_rule *rule = &b->layer->rule;
    b->v = (projected){.room = ATTN_ROOM_V, .n_heads = rule->n_kv_heads, .dim = rule->value_dim};
    attn_status status = project(pass, &b->layer->v, b->keys, false, &b->v, error);
    return status == ATTN_OK ? show(pass, ATTN_PART_VALUE, &b->v, error) : status;
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
    size_t heads = layer->rule.n_heads, dim = layer->rule.value_dim;
    for (size_t i = 0; i < n; i++) {
        const float *in = rows + i * heads * dim;
        float *out = rows + i * dim;
        for (size_t k = 0; k < dim; k++) {
            float sum = 0.0F;
            for (size_t h = 0; h < heads; h++)
                sum += layer->head_mix[h] * in[h * dim + k];
            out[k] = sum; /* read no more: out lies at or before in[k] */
        }
    }
}

static void add_output_bias(const float *bias, float *rows, size_t n, size_t width)
{
    for (size_t i = 0; bias != NULL && i < n; i++)
        for (size_t k = 0; k < width; k++)
            rows[i * width + k] += bias[k];
}

/* What the branch adds to the stream: the heads' outputs Z through W_O, or mixed, or side by side where they are; into
 * the room ATTENDED. */
static attn_status put_out(attn_pass *pass, const attn_layer *layer, float *z, size_t width, attn_error *error)
{
    size_t row = layer->rule.n_heads * layer->rule.value_dim;
    if (layer->o.w.data != NULL) {
        float *out = attn_pass_room_for(pass, ATTN_ROOM_ATTENDED, pass->n, width, error);
        return out == NULL ? ATTN_ENOMEM
                           : attn_linear_run(&layer->o, attn_rows_of(z, pass->n, row), out, width, pass->pool, error);
    }
    if (layer->head_mix != NULL)
        mix_heads(layer, z, pass->n);
    add_output_bias(layer->o.bias, z, pass->n, width);
    return ATTN_OK;
}

static attn_status attend_all(attn_pass *pass, const attn_layer *layer, const attn_attention *attention,
                              attn_error *error)
{
    const attn_rule *rule = &layer->rule;
    size_t row = rule->n_heads * rule->value_dim, width = attn_model_width(pass->model, (ptrdiff_t)pass->layer);
    attn_room room = layer->o.w.data != NULL ? ATTN_ROOM_HEADS : ATTN_ROOM_ATTENDED;
    float *z = attn_pass_room_for(pass, room, pass->n, row, error);
    if (z == NULL)
        return ATTN_ENOMEM;
    attn_status status = attn_attention_run(attention, z, row, pass->pool, error);
    if (status != ATTN_OK)
        return status;
    attn_pass_edit(pass, pass->layer, z);
    status = attn_pass_show_heads(pass, ATTN_PART_HEADS,
                                  (attn_heads){.data = z, .row_stride = row, .head_stride = rule->value_dim}, pass->n,
                                  rule->n_heads, rule->value_dim, error);
    if (status == ATTN_OK)
        status = put_out(pass, layer, z, width, error);
    if (status != ATTN_OK)
        return status;
    attn_rows_in attended = attn_rows_of(pass->rooms[ATTN_ROOM_ATTENDED].numbers, pass->n, width);
    status = attn_pass_measure(pass, ATTN_PART_ATTENDED, &layer->attention_after, attended, error);
    return status == ATTN_OK ? attn_pass_show(pass, ATTN_PART_ATTENDED, attended, error) : status;
}

/* How far the pass is when this layer's attention is done by FRACTION: most of a long text's time. */
static void tell_progress(void *context, double fraction)
{
    const attn_pass *pass = context;
    pass->input->progress(pass->input->progress_context,
                          ((double)pass->layers_done + fraction) / (double)pass->layers_to_run);
}

static attn_status attend(attn_pass *pass, const attn_layer_work *work, branch *b, attn_error *error)
{
    const attn_rule *rule = &b->layer->rule;
    const attn_attention attention = {
        .rule = rule,
        .mask = &b->mask,
        .n_queries = pass->n,
        .n_keys = pass->n_keys,
        .q = b->q.heads,
        .k = b->k.heads,
        .v = b->v.heads,
        .query_positions = pass->positions_plain ? NULL : pass->positions,
        .key_positions = pass->positions_plain ? NULL : key_positions(pass),
        .progress = pass->input->progress != NULL ? tell_progress : NULL,
        .progress_context = pass,
    };
    attn_status status = attn_mask_check(&b->mask, rule->n_heads, pass->n, pass->n_keys, error);
    if (status == ATTN_OK && work->depth >= ATTN_DEPTH_ATTENDED)
        status = attend_all(pass, b->layer, &attention, error);
    if (status == ATTN_OK && work->blocks)
        status = attn_pass_blocks(pass, work->layer, &attention, error);
    return status;
}

/* The branch's input: the stream normed, and the context likewise. */
static attn_status norm_inputs(attn_pass *pass, branch *b, attn_error *error)
{
    const attn_norm *norm = &b->layer->attention_before;
    attn_rows_in x = attn_rows_of(pass->x, pass->n, pass->width);
    attn_status status = attn_pass_measure(pass, ATTN_PART_NORMED, norm, x, error);
    if (status == ATTN_OK)
        status = attn_pass_norm(pass, norm, ATTN_ROOM_NORMED, x, &b->queries, error);
    if (status == ATTN_OK)
        status = attn_pass_show(pass, ATTN_PART_NORMED, b->queries, error);
    b->keys = b->queries;
    if (status != ATTN_OK || pass->context == NULL)
        return status;
    x = attn_rows_of(pass->context, pass->n_keys, pass->model->d_model);
    status = attn_pass_measure(pass, ATTN_PART_NORMED_CONTEXT, norm, x, error);
    if (status == ATTN_OK)
        status = attn_pass_norm(pass, norm, ATTN_ROOM_NORMED_CONTEXT, x, &b->keys, error);
    return status == ATTN_OK ? attn_pass_show(pass, ATTN_PART_NORMED_CONTEXT, b->keys, error) : status;
}

attn_status attn_pass_layer(attn_pass *pass, const attn_layer_work *work, attn_error *error)
{
    branch b = {.layer = &pass->model->layers[work->layer]};
    choose_mask(pass, &b);
    attn_status status = norm_inputs(pass, &b, error);
    if (status == ATTN_OK)
        status = project_queries_and_keys(pass, &b, error);
    if (status == ATTN_OK && work->depth >= ATTN_DEPTH_VALUES)
        status = project_values(pass, &b, error);
    if (status == ATTN_OK)
        status = attend(pass, work, &b, error);
    if (status != ATTN_OK)
        return status;
    pass->input->n_masked_rows += attn_pass_masked_rows(&b.mask, b.layer->rule.n_heads, pass->n, pass->n_keys);
    return work->depth == ATTN_DEPTH_OUTPUT ? attn_pass_tail(pass, work->layer, error) : ATTN_OK;
}
