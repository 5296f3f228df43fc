/* draft.c: from a draft to a layer: counts from shapes, every shape checked, errors at the key that is wrong. Used by
 * load.c for what toy.c and weights.c leave; it knows no file format. */
#include "config.h"

#include "load/draft_finish.h"

#include <math.h>
#include <string.h>

const char *const attn_draft_names[ATTN_N_ROLES] = {"W_Q", "W_K", "W_V", "W_O"};

attn_layer_draft attn_layer_draft_default(size_t index)
{
    return (attn_layer_draft){
        .index = index, .scale = NAN, .temperature = 1.0F, .rope_theta = 10000.0, .rope_layout = ATTN_ROPE_HALF};
}

attn_status attn_draft_at(const attn_draft_context *context, const attn_layer_draft *draft, attn_place place)
{
    if (context->n_layers > 1)
        attn_error_prefix(context->error, "layer %zu: ", draft->index);
    attn_error_file(context->error, context->file);
    if (place.line != 0)
        return attn_error_line(context->error, place.line, place.column);
    return context->error != NULL ? context->error->status : ATTN_EDATA;
}

attn_status attn_draft_fail(const attn_draft_finishing *f, const attn_draft_matrix *matrix)
{
    attn_draft_at(f->context, f->draft, matrix != NULL ? matrix->place : f->draft->place);
    return ATTN_EDATA;
}

/* ---- counts ---- */

static attn_status ask_counts(const attn_draft_finishing *f)
{
    attn_fail(f->context->error, ATTN_EDATA, "W_Q has %zu columns and W_K %zu, which leaves the number of heads open",
              f->cols[ATTN_ROLE_Q], f->cols[ATTN_ROLE_K]);
    attn_error_hint(f->context->error, "say n_heads and n_kv_heads, or head_dim");
    return attn_draft_fail(f, &f->draft->w[ATTN_ROLE_K]);
}

static attn_status uneven(const attn_draft_finishing *f, const attn_draft_matrix *matrix, size_t columns,
                          const char *by, size_t count)
{
    attn_fail(f->context->error, ATTN_EDATA, "%s has %zu columns, which %s %zu does not divide",
              matrix->name != NULL ? matrix->name : "d_model", columns, by, count);
    return attn_draft_fail(f, matrix->name != NULL ? matrix : NULL);
}

/* The number of key/value heads as the option or else the file says; 0: neither does. */
static size_t kv_heads_said(const attn_draft_finishing *f)
{
    return f->context->n_kv_heads != 0 ? f->context->n_kv_heads : f->draft->n_kv_heads;
}

/* The number of query heads, and head_dim where it follows on the way. */
static attn_status find_heads(const attn_draft_finishing *f, size_t *n_heads, size_t *head_dim)
{
    const attn_layer_draft *d = f->draft;
    size_t q = f->cols[ATTN_ROLE_Q], k = f->cols[ATTN_ROLE_K], n_kv = kv_heads_said(f);
    *n_heads = f->context->n_heads != 0 ? f->context->n_heads : d->n_heads;
    *head_dim = f->context->n_heads != 0 ? 0 : d->head_dim;
    if (*n_heads != 0)
        return ATTN_OK;
    if (*head_dim != 0) {
        size_t width = q != 0 ? q : f->d_model;
        if (width % *head_dim != 0)
            return uneven(f, &d->w[ATTN_ROLE_Q], width, "head_dim", *head_dim);
        *n_heads = width / *head_dim;
        return ATTN_OK;
    }
    if (n_kv != 0 && q != 0 && k != 0) {
        if (k % n_kv != 0)
            return uneven(f, &d->w[ATTN_ROLE_K], k, "n_kv_heads", n_kv);
        *head_dim = k / n_kv;
        if (q % *head_dim != 0)
            return uneven(f, &d->w[ATTN_ROLE_Q], q, "head_dim", *head_dim);
        *n_heads = q / *head_dim;
        return ATTN_OK;
    }
    if (q != 0 && k != 0 && q != k)
        return ask_counts(f);
    *n_heads = n_kv != 0 ? n_kv : 1;
    return ATTN_OK;
}

static attn_status find_head_dim(const attn_draft_finishing *f, size_t n_heads, size_t *head_dim)
{
    const attn_layer_draft *d = f->draft;
    size_t q = f->cols[ATTN_ROLE_Q], k = f->cols[ATTN_ROLE_K];
    bool said = d->d_model != 0 && d->n_heads != 0 && f->context->n_heads == 0;
    if (*head_dim != 0)
        return ATTN_OK;
    if (q != 0 && !said) {
        if (q % n_heads != 0)
            return uneven(f, &d->w[ATTN_ROLE_Q], q, "n_heads", n_heads);
        *head_dim = q / n_heads;
    } else if (k != 0 && !said) {
        size_t n_kv = kv_heads_said(f) != 0 ? kv_heads_said(f) : n_heads;
        if (k % n_kv != 0)
            return uneven(f, &d->w[ATTN_ROLE_K], k, "n_kv_heads", n_kv);
        *head_dim = k / n_kv;
    } else {
        if (f->d_model % n_heads != 0) {
            attn_fail(f->context->error, ATTN_EDATA, "n_heads %zu does not divide d_model %zu", n_heads, f->d_model);
            attn_error_hint(f->context->error, "say head_dim where heads are not d_model / n_heads wide");
            return attn_draft_fail(f, NULL);
        }
        *head_dim = f->d_model / n_heads;
    }
    return ATTN_OK;
}

static attn_status find_kv_heads(const attn_draft_finishing *f, size_t n_heads, size_t head_dim, size_t *n_kv)
{
    const attn_layer_draft *d = f->draft;
    size_t k = f->cols[ATTN_ROLE_K];
    *n_kv = kv_heads_said(f);
    if (f->context->n_heads != 0 && f->context->n_kv_heads == 0 && d->n_kv_heads == d->n_heads)
        *n_kv = 0;
    if (*n_kv == 0) {
        if (k % head_dim != 0)
            return uneven(f, &d->w[ATTN_ROLE_K], k, "head_dim", head_dim);
        *n_kv = k != 0 ? k / head_dim : n_heads;
    }
    if (n_heads % *n_kv == 0)
        return ATTN_OK;
    attn_fail(f->context->error, ATTN_EDATA, "n_heads %zu is no multiple of n_kv_heads %zu", n_heads, *n_kv);
    return attn_draft_fail(f, NULL);
}

static attn_status find_value_dim(const attn_draft_finishing *f, size_t n_kv, size_t *value_dim)
{
    size_t v = f->cols[ATTN_ROLE_V];
    if (v != 0) {
        if (v % n_kv != 0)
            return uneven(f, &f->draft->w[ATTN_ROLE_V], v, "the number of key/value heads", n_kv);
        *value_dim = v / n_kv;
        return ATTN_OK;
    }
    *value_dim = f->d_model % n_kv == 0 ? f->d_model / n_kv : f->d_model;
    return ATTN_OK;
}

/* ---- shapes ---- */

attn_status attn_draft_check_matrix(const attn_draft_finishing *f, const attn_draft_matrix *m, size_t rows,
                                    size_t columns)
{
    if (m->tensor.shape[0] == rows && m->tensor.shape[1] == columns)
        return ATTN_OK;
    attn_fail(f->context->error, ATTN_EDATA, "%s: expected [%zu][%zu] (in, out), found [%zu][%zu]", m->name, rows,
              columns, m->tensor.shape[0], m->tensor.shape[1]);
    if (m->tensor.shape[0] != rows && m->tensor.shape[1] == rows)
        attn_error_hint(f->context->error, "its transpose would fit: y = x W, a row for each number that comes in");
    return attn_draft_fail(f, m);
}

/* A missing matrix is the identity: is it possible? */
static attn_status check_identity(const attn_draft_finishing *f, int role, size_t n_heads, size_t dim)
{
    if (dim == f->d_model || n_heads * dim == f->d_model)
        return ATTN_OK;
    attn_fail(f->context->error, ATTN_EDATA,
              "%s is missing, and the identity does not fit: %zu head%s of %zu over d_model %zu",
              attn_draft_names[role], n_heads, n_heads == 1 ? "" : "s", dim, f->d_model);
    return attn_draft_fail(f, NULL);
}

static attn_status check_projection(const attn_draft_finishing *f, int role, size_t n_heads, size_t dim)
{
    const attn_draft_matrix *m = &f->draft->w[role];
    if (f->cols[role] == 0)
        return check_identity(f, role, n_heads, dim);
    return attn_draft_check_matrix(f, m, f->d_model, n_heads * dim);
}

static attn_status check_forgotten(const attn_draft_finishing *f)
{
    size_t given = 0;
    int missing = 0;
    if (f->cols[ATTN_ROLE_O] == 0)
        return ATTN_OK;
    for (int role = 0; role < ATTN_ROLE_O; role++) {
        if (f->cols[role] != 0)
            given++;
        else
            missing = role;
    }
    if (given == 0 || given == ATTN_ROLE_O)
        return ATTN_OK;
    attn_fail(f->context->error, ATTN_EDATA, "%s is missing, though W_O and %zu of W_Q, W_K, W_V are given",
              attn_draft_names[missing], given);
    attn_error_hint(f->context->error, "write the identity out if it is meant");
    return attn_draft_fail(f, NULL);
}

/* A vector of COUNT numbers; *OUT NULL where it is not given. */
attn_status attn_draft_vector(const attn_draft_finishing *f, const attn_draft_matrix *m, size_t count,
                              const float **out)
{
    size_t found;
    if (m->tensor.data == NULL)
        return ATTN_OK;
    if (!attn_tensor_count(&m->tensor, &found) || found != count) {
        attn_fail(f->context->error, ATTN_EDATA, "%s: expected %zu numbers, found %zu", m->name, count, found);
        return attn_draft_fail(f, m);
    }
    *out = attn_tensor_floats(&m->tensor, f->context->arena);
    return *out == NULL ? attn_fail_memory(f->context->error) : ATTN_OK;
}

static attn_status take_weights(const attn_draft_finishing *f)
{
    const attn_rule *rule = &f->layer->rule;
    const attn_layer_draft *d = f->draft;
    const struct {
        attn_linear *linear;
        size_t heads, dim;
    } parts[ATTN_ROLE_O] = {
        [ATTN_ROLE_Q] = {&f->layer->q, rule->n_heads, rule->head_dim},
        [ATTN_ROLE_K] = {&f->layer->k, rule->n_kv_heads, rule->head_dim},
        [ATTN_ROLE_V] = {&f->layer->v, rule->n_kv_heads, rule->value_dim},
    };
    for (int role = 0; role < ATTN_ROLE_O; role++) {
        attn_status status = check_projection(f, role, parts[role].heads, parts[role].dim);
        if (status != ATTN_OK)
            return status;
        parts[role].linear->w = d->w[role].tensor;
        status = attn_draft_vector(f, &d->b[role], parts[role].heads * parts[role].dim, &parts[role].linear->bias);
        if (status != ATTN_OK)
            return status;
    }
    return ATTN_OK;
}

static attn_status take_output(const attn_draft_finishing *f)
{
    const attn_layer_draft *d = f->draft;
    attn_layer *layer = f->layer;
    size_t width = layer->rule.n_heads * layer->rule.value_dim, out = width;
    attn_status status;
    if (f->cols[ATTN_ROLE_O] != 0 && d->head_mix.tensor.data != NULL) {
        attn_fail(f->context->error, ATTN_EDATA, "expected W_O or head_mix, found both");
        return attn_draft_fail(f, &d->head_mix);
    }
    if (f->cols[ATTN_ROLE_O] != 0) {
        status = attn_draft_check_matrix(f, &d->w[ATTN_ROLE_O], width, f->cols[ATTN_ROLE_O]);
        if (status != ATTN_OK)
            return status;
        layer->o.w = d->w[ATTN_ROLE_O].tensor;
        out = f->cols[ATTN_ROLE_O];
    }
    status = attn_draft_vector(f, &d->head_mix, layer->rule.n_heads, &layer->head_mix);
    if (status == ATTN_OK && layer->head_mix != NULL)
        out = layer->rule.value_dim;
    if (status == ATTN_OK)
        status = attn_draft_vector(f, &d->b[ATTN_ROLE_O], out, &layer->o.bias);
    if (status != ATTN_OK)
        return status;
    layer->residual = d->residual;
    if (!d->residual || out == f->d_model)
        return ATTN_OK;
    attn_fail(f->context->error, ATTN_EDATA,
              "residual adds the layer's output to its input, but they are %zu and %zu wide", out, f->d_model);
    return attn_draft_fail(f, NULL);
}

/* v_A for all heads: [n_heads][head_dim], or one row for every head. */
static attn_status take_additive(const attn_draft_finishing *f)
{
    const attn_draft_matrix *m = &f->draft->v_A;
    const attn_rule *rule = &f->layer->rule;
    size_t found;
    if (m->tensor.data == NULL || !attn_tensor_count(&m->tensor, &found) || found != rule->head_dim ||
        rule->n_heads == 1)
        return attn_draft_vector(f, m, rule->n_heads * rule->head_dim, &f->layer->rule.v_A);
    float *all = attn_arena_aligned(f->context->arena, rule->n_heads, rule->head_dim * sizeof *all);
    if (all == NULL)
        return attn_fail_memory(f->context->error);
    for (size_t h = 0; h < rule->n_heads; h++)
        attn_tensor_to_f32(&m->tensor, all + h * rule->head_dim);
    f->layer->rule.v_A = all;
    return ATTN_OK;
}

/* What the file says of rotation, whether its own positions or only an option's will ask for it. */
static void take_rotation(const attn_draft_finishing *f)
{
    const attn_layer_draft *d = f->draft;
    size_t head_dim = f->layer->rule.head_dim, dims = head_dim;
    if (d->rotary_dim != 0)
        dims = d->rotary_dim;
    else if (d->partial_rotary_factor != 0.0)
        dims = (size_t)fmin((double)head_dim * d->partial_rotary_factor, (double)UINT32_MAX);
    f->layer->rope = (attn_rope_settings){.dims = dims, .theta = d->rope_theta, .layout = d->rope_layout};
}

attn_status attn_layer_rope(attn_layer *layer, attn_error *error)
{
    size_t dims = layer->rope.dims, head_dim = layer->rule.head_dim;
    layer->positions = ATTN_POSITION_ROPE;
    if (dims != 0 && dims % 2 == 0 && dims <= head_dim)
        return ATTN_OK;
    return attn_fail(error, ATTN_EDATA,
                     "rotary positions turn pairs of a head's numbers: expected an even count up to head_dim %zu, "
                     "found %zu",
                     head_dim, dims);
}

attn_status attn_layer_alibi(attn_layer *layer, attn_arena *arena, attn_error *error)
{
    layer->positions = ATTN_POSITION_ALIBI;
    if (layer->rule.slopes != NULL)
        return ATTN_OK;
    float *slopes = attn_arena_aligned(arena, layer->rule.n_heads, sizeof *slopes);
    if (slopes == NULL)
        return attn_fail_memory(error);
    attn_alibi_slopes(layer->rule.n_heads, slopes);
    layer->rule.slopes = slopes;
    return ATTN_OK;
}

static attn_status take_positions(const attn_draft_finishing *f)
{
    const attn_layer_draft *d = f->draft;
    attn_layer *layer = f->layer;
    attn_status status = attn_draft_vector(f, &d->slopes, layer->rule.n_heads, &layer->rule.slopes);
    if (status != ATTN_OK)
        return status;
    take_rotation(f);
    if (d->positions == ATTN_POSITION_ROPE) {
        status = attn_layer_rope(layer, f->context->error);
        return status == ATTN_OK ? ATTN_OK : attn_draft_fail(f, NULL);
    }
    if (d->positions == ATTN_POSITION_ALIBI || layer->rule.slopes != NULL)
        return attn_layer_alibi(layer, f->context->arena, f->context->error);
    return ATTN_OK;
}

static void take_norms(const attn_draft_finishing *f)
{
    if (!f->draft->qk_norm)
        return;
    f->layer->q_norm = f->layer->k_norm = (attn_norm){.kind = ATTN_NORM_RMS, .epsilon = 1e-6F};
    f->layer->qk_norm_full = f->draft->qk_norm_full;
}

/* ---- all together ---- */

static attn_status find_counts(attn_draft_finishing *f, bool listed)
{
    attn_rule *rule = &f->layer->rule;
    attn_status status = find_heads(f, &rule->n_heads, &rule->head_dim);
    if (status == ATTN_OK && listed)
        rule->head_dim = f->draft->head_dim;
    if (status == ATTN_OK)
        status = find_head_dim(f, rule->n_heads, &rule->head_dim);
    if (status == ATTN_OK)
        status = find_kv_heads(f, rule->n_heads, rule->head_dim, &rule->n_kv_heads);
    if (status == ATTN_OK)
        status = find_value_dim(f, rule->n_kv_heads, &rule->value_dim);
    if (status == ATTN_OK && listed && f->cols[ATTN_ROLE_V] == 0)
        rule->value_dim = f->d_model;
    return status;
}

static void take_settings(const attn_draft_finishing *f)
{
    const attn_layer_draft *d = f->draft;
    attn_rule *rule = &f->layer->rule;
    rule->score = d->score;
    rule->scale = d->scale;
    rule->temperature = d->temperature;
    rule->softcap = d->softcap;
    f->layer->mask = d->mask;
    f->layer->mask_given = d->mask_given;
}

attn_status attn_draft_finish(const attn_draft_context *context, const attn_layer_draft *draft, size_t d_model,
                              attn_layer *layer)
{
    attn_draft_finishing f = {.context = context, .draft = draft, .layer = layer, .d_model = d_model};
    attn_layer_draft fused;
    attn_status status = ATTN_OK;
    bool listed = draft->heads != NULL;
    *layer = (attn_layer){.d_model = d_model, .rule = attn_rule_default()};
    if (draft->d_model != 0 && draft->d_model != d_model) {
        attn_fail(context->error, ATTN_EDATA, "d_model is %zu, but the vectors that come in have %zu numbers",
                  draft->d_model, d_model);
        return attn_draft_fail(&f, NULL);
    }
    if (listed) {
        status = attn_draft_fuse_heads(&f, &fused);
        f.draft = &fused;
    }
    for (int role = 0; role < ATTN_N_ROLES; role++)
        f.cols[role] = f.draft->w[role].tensor.data != NULL ? f.draft->w[role].tensor.shape[1] : 0;
    if (status == ATTN_OK && !listed)
        status = check_forgotten(&f);
    if (status == ATTN_OK)
        status = find_counts(&f, listed);
    if (status != ATTN_OK)
        return status;
    take_settings(&f);
    if ((status = take_weights(&f)) != ATTN_OK || (status = take_output(&f)) != ATTN_OK ||
        (status = attn_draft_vector(&f, &f.draft->sinks, layer->rule.n_heads, &layer->rule.sinks)) != ATTN_OK ||
        (status = take_additive(&f)) != ATTN_OK || (status = take_positions(&f)) != ATTN_OK)
        return status;
    take_norms(&f);
    status = attn_rule_check(&layer->rule, context->error);
    return status == ATTN_OK ? ATTN_OK : attn_draft_at(context, draft, draft->place);
}
