/* pulls.c: see pulls.h. Knows weights and values, no text and no format. */
#include "config.h"

#include "report/pulls.h"

#include <math.h>
#include <string.h>

enum {
    RUN_FLOATS = 1 << 24, /* of f at once: 64 MiB */
    TASK_KEYS = 16,
    STEP = 16 /* numbers at once: loops of a known length become vector code */
};

static void add_scaled(double *restrict sum, const float *restrict x, double factor, size_t n)
{
    size_t whole = n - n % STEP;
    for (size_t i = 0; i < whole; i += STEP)
        for (size_t k = 0; k < STEP; k++)
            sum[i + k] += factor * (double)x[i + k];
    for (size_t i = whole; i < n; i++)
        sum[i] += factor * (double)x[i];
}

/* Sums side by side, since the compiler may not reorder one. */
typedef struct sums {
    double s[STEP];
} sums;

static double total(const sums *t)
{
    double sum = 0;
    for (size_t k = 0; k < STEP; k++)
        sum += t->s[k];
    return sum;
}

static double dot(const double *restrict a, const double *restrict b, size_t n)
{
    size_t whole = n - n % STEP;
    sums t = {0};
    for (size_t i = 0; i < whole; i += STEP)
        for (size_t k = 0; k < STEP; k++)
            t.s[k] += a[i + k] * b[i + k];
    for (size_t i = whole; i < n; i++)
        t.s[i - whole] += a[i] * b[i];
    return total(&t);
}

static double distance(const float *restrict a, const float *restrict b, size_t n)
{
    size_t whole = n - n % STEP;
    sums t = {0};
    for (size_t i = 0; i < whole; i += STEP)
        for (size_t k = 0; k < STEP; k++) {
            double off = (double)a[i + k] - (double)b[i + k];
            t.s[k] += off * off;
        }
    for (size_t i = whole; i < n; i++)
        t.s[i - whole] += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sqrt(total(&t));
}

void attn_branch_norm(const attn_layer *layer, float *rows, size_t n, size_t width, const double *sigma)
{
    if (layer->attention_after.kind == ATTN_NORM_NONE)
        return;
    attn_norm_map(&layer->attention_after, attn_rows_of(rows, n, width), rows, width);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < width; k++)
            rows[i * width + k] = (float)((double)rows[i * width + k] / sigma[i]);
}

/* ---- the layer ---- */

static void *numbers(size_t rows, size_t width, size_t size)
{
    size_t count;
    return attn_multiply(rows, width, &count) ? attn_alloc_array(count, size) : NULL;
}

/* The selected heads and what each counts in the mean. */
static attn_status choose_heads(attn_pulls *p, const uint8_t *selected, attn_error *error)
{
    size_t n = p->layer->rule.n_heads;
    double total = 0;
    p->heads = attn_alloc_array(n, sizeof *p->heads);
    p->proportions = attn_alloc_array(n, sizeof *p->proportions);
    if (p->heads == NULL || p->proportions == NULL)
        return attn_fail_memory(error);
    for (size_t h = 0; h < n; h++)
        if (selected[h] != 0) {
            p->heads[p->n_heads++] = h;
            total += p->layer->head_mix != NULL ? (double)p->layer->head_mix[h] : 0;
        }
    for (size_t i = 0; i < p->n_heads; i++)
        p->proportions[i] = total > 0 ? (double)p->layer->head_mix[p->heads[i]] / total : 1 / (double)p->n_heads;
    return ATTN_OK;
}

attn_status attn_pulls_open(attn_pulls *pulls, const attn_model *model, size_t layer, const uint8_t *heads,
                            const float *x, size_t n, size_t n_keys, attn_pool *pool, attn_error *error)
{
    attn_status status;
    *pulls = (attn_pulls){.layer = &model->layers[layer],
                          .pool = pool,
                          .n = n,
                          .n_keys = n_keys,
                          .width = attn_model_width(model, (ptrdiff_t)layer),
                          .x = x,
                          .keys = x};
    status = choose_heads(pulls, heads, error);
    if (status == ATTN_OK)
        status = attn_head_outputs_open(model, layer, &pulls->outputs, error);
    if (status != ATTN_OK)
        return status;
    pulls->run = RUN_FLOATS / (pulls->n_heads * pulls->width + 1) + 1;
    if (pulls->run > n_keys)
        pulls->run = n_keys;
    pulls->f = numbers(pulls->n_heads * pulls->run, pulls->width, sizeof(float));
    pulls->y = numbers(n, pulls->width, sizeof(float));
    pulls->scratch_width = pulls->layer->rule.value_dim;
    if (pulls->scratch_width < pulls->width)
        pulls->scratch_width = pulls->width;
    pulls->scratch = numbers(attn_pool_size(pool), pulls->scratch_width, sizeof(double));
    return pulls->f != NULL && pulls->y != NULL && pulls->scratch != NULL ? ATTN_OK : attn_fail_memory(error);
}

static void free_block(attn_pulls *p)
{
    attn_free(p->weights);
    attn_free(p->visible);
    attn_free(p->moves);
    attn_free(p->squares);
    attn_free(p->rows);
    attn_free(p->mean);
    attn_free(p->pull);
    attn_free(p->share);
    attn_free(p->before);
    attn_free(p->after);
}

void attn_pulls_close(attn_pulls *p)
{
    attn_head_outputs_close(&p->outputs);
    attn_free(p->heads);
    attn_free(p->proportions);
    attn_free(p->context);
    attn_free(p->values);
    attn_free(p->y);
    attn_free(p->sigma);
    attn_free(p->f);
    attn_free(p->scratch);
    free_block(p);
    *p = (attn_pulls){0};
}

/* ---- the parts ---- */

static attn_status take_context(attn_pulls *p, const attn_part *part, attn_error *error)
{
    p->context = numbers(part->n_rows, part->width, sizeof(float));
    if (p->context == NULL)
        return attn_fail_memory(error);
    memcpy(p->context, part->values.data, part->n_rows * part->width * sizeof *p->context);
    p->keys = p->context;
    return ATTN_OK;
}

static attn_status take_values(attn_pulls *p, const attn_part *part, attn_error *error)
{
    p->values = numbers(part->n_heads * part->n_rows, part->width, sizeof(float));
    if (p->values == NULL)
        return attn_fail_memory(error);
    for (size_t h = 0; h < part->n_heads; h++)
        for (size_t j = 0; j < part->n_rows; j++)
            memcpy(p->values + (h * part->n_rows + j) * part->width,
                   part->values.data + j * part->values.row_stride + h * part->values.head_stride,
                   part->width * sizeof *p->values);
    return ATTN_OK;
}

/* y becomes what the selected heads add. */
static attn_status take_heads(attn_pulls *p, const attn_part *part, attn_error *error)
{
    float *added = numbers(p->n, p->width, sizeof(float));
    attn_status status = added != NULL ? ATTN_OK : attn_fail_memory(error);
    memset(p->y, 0, p->n * p->width * sizeof *p->y);
    for (size_t i = 0; i < p->n_heads && status == ATTN_OK; i++) {
        const attn_rows_in z = {.data = part->values.data + p->heads[i] * part->values.head_stride,
                                .n = part->n_rows,
                                .width = part->width,
                                .stride = part->values.row_stride};
        status = attn_head_output(&p->outputs, p->heads[i], z, added, p->width, p->pool, error);
        for (size_t k = 0; k < p->n * p->width && status == ATTN_OK; k++)
            p->y[k] += added[k];
    }
    attn_free(added);
    return status;
}

/* … and then the stream with it, through the norm after the branch where there is one. */
static attn_status take_attended(attn_pulls *p, const attn_part *part, attn_error *error)
{
    if (part->sigma != NULL) {
        p->sigma = attn_alloc_array(p->n, sizeof *p->sigma);
        if (p->sigma == NULL)
            return attn_fail_memory(error);
        memcpy(p->sigma, part->sigma, p->n * sizeof *p->sigma);
    }
    attn_branch_norm(p->layer, p->y, p->n, p->width, p->sigma);
    for (size_t k = 0; p->layer->residual && k < p->n * p->width; k++)
        p->y[k] += p->x[k];
    return ATTN_OK;
}

attn_status attn_pulls_part(attn_pulls *pulls, const attn_part *part, attn_error *error)
{
    switch (part->kind) {
    case ATTN_PART_CONTEXT:
        return take_context(pulls, part, error);
    case ATTN_PART_VALUE:
        return take_values(pulls, part, error);
    case ATTN_PART_HEADS:
        return take_heads(pulls, part, error);
    case ATTN_PART_ATTENDED:
        return take_attended(pulls, part, error);
    default:
        return ATTN_OK;
    }
}

/* ---- a block of queries ---- */

static attn_rows_in values_of(const attn_pulls *p, size_t head, size_t key, size_t n)
{
    const attn_rule *rule = &p->layer->rule;
    size_t shared = head / (rule->n_heads / rule->n_kv_heads);
    return attn_rows_of(p->values + (shared * p->n_keys + key) * rule->value_dim, n, rule->value_dim);
}

static float *weights_of(const attn_pulls *p, size_t head, size_t row)
{
    return p->weights + (head * p->room + row) * p->n_keys;
}

static double scale_of(const attn_pulls *p, size_t row)
{
    return p->sigma != NULL ? 1 / p->sigma[p->query + row] : 1;
}

static attn_status make_room(attn_pulls *p, size_t n_queries, attn_error *error)
{
    if (n_queries <= p->room)
        return ATTN_OK;
    free_block(p);
    p->room = n_queries;
    p->weights = numbers(p->n_heads * n_queries, p->n_keys, sizeof(float));
    p->visible = numbers(n_queries, p->n_keys, 1);
    p->moves = numbers(n_queries, p->width, sizeof(double));
    p->squares = numbers(n_queries, 1, sizeof(double));
    p->rows = numbers(2 * n_queries, p->layer->rule.value_dim + p->width, sizeof(float));
    p->mean = numbers(n_queries, p->n_keys, sizeof(float));
    p->pull = numbers(n_queries, p->n_keys, sizeof(float));
    p->share = numbers(n_queries, p->n_keys, sizeof(float));
    p->before = numbers(n_queries, p->n_keys, sizeof(float));
    p->after = numbers(n_queries, p->n_keys, sizeof(float));
    return p->weights != NULL && p->visible != NULL && p->moves != NULL && p->squares != NULL && p->rows != NULL &&
                   p->mean != NULL && p->pull != NULL && p->share != NULL && p->before != NULL && p->after != NULL
               ? ATTN_OK
               : attn_fail_memory(error);
}

static double mean_weight(const attn_pulls *p, size_t row, size_t key)
{
    double mean = 0;
    for (size_t h = 0; h < p->n_heads; h++)
        mean += p->proportions[h] * (double)weights_of(p, h, row)[key];
    return mean;
}

typedef struct head_task {
    attn_pulls *pulls;
    size_t head; /* index into the selected ones */
} head_task;

/* z of one row in double, as two floats whose sum it is: W_O's product then loses nothing of a small move. */
static void sum_values(void *context, size_t row, size_t worker)
{
    const head_task *task = context;
    attn_pulls *p = task->pulls;
    size_t dim = p->layer->rule.value_dim;
    attn_rows_in v = values_of(p, p->heads[task->head], 0, p->n_keys);
    const float *weights = weights_of(p, task->head, row);
    float *high = p->rows + row * dim, *low = p->rows + (p->n_queries + row) * dim;
    double *sum = p->scratch + worker * p->scratch_width;
    memset(sum, 0, dim * sizeof *sum);
    for (size_t j = 0; j < p->n_keys; j++)
        if (weights[j] != 0)
            add_scaled(sum, v.data + j * dim, (double)weights[j], dim);
    for (size_t k = 0; k < dim; k++) {
        high[k] = (float)sum[k];
        low[k] = (float)(sum[k] - (double)high[k]);
    }
}

/* moves = Σ_j p_ij */
static attn_status sum_moves(attn_pulls *p, attn_error *error)
{
    size_t d = p->width, n = p->n_queries, dim = p->layer->rule.value_dim;
    float *out = p->rows + 2 * p->room * dim; /* [2·n][d] */
    memset(p->moves, 0, n * d * sizeof *p->moves);
    for (size_t h = 0; h < p->n_heads; h++) {
        head_task task = {p, h};
        attn_status status;
        attn_pool_run(p->pool, sum_values, &task, n);
        status = attn_head_output(&p->outputs, p->heads[h], attn_rows_of(p->rows, 2 * n, dim), out, d, p->pool, error);
        if (status != ATTN_OK)
            return status;
        if (p->layer->attention_after.kind != ATTN_NORM_NONE)
            attn_norm_map(&p->layer->attention_after, attn_rows_of(out, 2 * n, d), out, d);
        for (size_t i = 0; i < n; i++) {
            add_scaled(p->moves + i * d, out + i * d, scale_of(p, i), d);
            add_scaled(p->moves + i * d, out + (n + i) * d, scale_of(p, i), d);
        }
    }
    for (size_t i = 0; i < n && !p->layer->residual; i++) {
        double sum = 0;
        for (size_t j = 0; j < p->n_keys; j++)
            sum += mean_weight(p, i, j);
        add_scaled(p->moves + i * d, p->x + (p->query + i) * d, -sum, d);
    }
    for (size_t i = 0; i < n; i++)
        p->squares[i] = dot(p->moves + i * d, p->moves + i * d, d);
    return ATTN_OK;
}

/* f of the keys FIRST … FIRST+N−1, unless they are there. */
static attn_status fill_run(attn_pulls *p, size_t first, size_t n, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (p->n_run == n && p->first_key == first)
        return ATTN_OK;
    p->n_run = 0;
    for (size_t h = 0; h < p->n_heads && status == ATTN_OK; h++) {
        float *f = p->f + h * p->run * p->width;
        status = attn_head_output(&p->outputs, p->heads[h], values_of(p, p->heads[h], first, n), f, p->width, p->pool,
                                  error);
        if (status == ATTN_OK && p->layer->attention_after.kind != ATTN_NORM_NONE)
            attn_norm_map(&p->layer->attention_after, attn_rows_of(f, n, p->width), f, p->width);
    }
    p->first_key = first;
    p->n_run = n;
    return status;
}

static void measure_pair(attn_pulls *p, size_t row, size_t key, double *sum /* [width] */)
{
    size_t d = p->width, query = p->query + row, at = row * p->n_keys + key;
    const double *move = p->moves + row * d;
    double mean = mean_weight(p, row, key), square = p->squares[row];
    memset(sum, 0, d * sizeof *sum);
    for (size_t h = 0; h < p->n_heads; h++) {
        double weight = (double)weights_of(p, h, row)[key];
        if (weight != 0)
            add_scaled(sum, p->f + (h * p->run + key - p->first_key) * d, weight * scale_of(p, row), d);
    }
    if (!p->layer->residual)
        add_scaled(sum, p->x + query * d, -mean, d);
    p->mean[at] = (float)mean;
    p->pull[at] = (float)sqrt(dot(sum, sum, d));
    p->share[at] = square > 0 ? (float)(dot(sum, move, d) / square) : NAN;
    p->before[at] = (float)distance(p->x + query * d, p->keys + key * d, d);
    p->after[at] = (float)distance(p->y + query * d, (p->context != NULL ? p->keys : p->y) + key * d, d);
}

/* Keys in the outer loop: their f is read from near memory by all queries of the block. */
static void measure_keys(void *context, size_t index, size_t worker)
{
    attn_pulls *p = context;
    size_t key = p->first_key + index * TASK_KEYS, end = key + TASK_KEYS;
    if (end > p->first_key + p->n_run)
        end = p->first_key + p->n_run;
    for (; key < end; key++)
        for (size_t row = 0; row < p->n_queries; row++)
            if (p->visible[row * p->n_keys + key] != 0)
                measure_pair(p, row, key, p->scratch + worker * p->scratch_width);
}

static attn_status measure(attn_pulls *p, attn_error *error)
{
    attn_status status = sum_moves(p, error);
    for (size_t key = 0; key < p->n_keys && status == ATTN_OK; key += p->run) {
        size_t n = p->n_keys - key < p->run ? p->n_keys - key : p->run;
        status = fill_run(p, key, n, error);
        if (status == ATTN_OK)
            attn_pool_run(p->pool, measure_keys, p, (n + TASK_KEYS - 1) / TASK_KEYS);
    }
    return status;
}

attn_status attn_pulls_block(attn_pulls *pulls, const attn_block *block, bool *done, attn_error *error)
{
    size_t size = block->n_queries * block->n_keys;
    attn_status status = make_room(pulls, block->n_queries, error);
    *done = false;
    if (status != ATTN_OK)
        return status;
    if (pulls->heads_done == 0)
        memset(pulls->visible, 0, size);
    pulls->query = block->query;
    pulls->n_queries = block->n_queries;
    for (size_t h = 0; h < block->n_heads; h++) {
        memcpy(weights_of(pulls, pulls->heads_done + h, 0), block->values + h * size, size * sizeof *block->values);
        for (size_t i = 0; i < size; i++)
            pulls->visible[i] |= block->visible[h * size + i];
    }
    pulls->heads_done += block->n_heads;
    if (pulls->heads_done < pulls->n_heads)
        return ATTN_OK;
    pulls->heads_done = 0;
    *done = true;
    return measure(pulls, error);
}

double attn_pulls_proportion(const attn_pulls *pulls, size_t head)
{
    for (size_t i = 0; i < pulls->n_heads; i++)
        if (pulls->heads[i] == head)
            return pulls->proportions[i];
    return 0;
}
