/* capture.c: see capture.h. */
#include "config.h"

#include "testing/capture.h"

#include "base/memory.h"
#include "testing.h"

#include <math.h>
#include <string.h>

static attn_status keep_block(void *context, const attn_block *block, attn_error *error)
{
    capture *c = context;
    float *to = block->kind == ATTN_ROWS_SCORES ? c->scores : c->weights;
    size_t h, q;
    (void)error;
    ck_assert_uint_eq(block->n_keys, c->n_keys);
    for (h = 0; h < block->n_heads; h++)
        for (q = 0; q < block->n_queries; q++)
            memcpy(to + ((block->layer * c->n_heads + block->head + h) * c->n + block->query + q) * c->n_keys,
                   block->values + (h * block->n_queries + q) * c->n_keys, c->n_keys * sizeof *to);
    c->n_blocks++;
    return ATTN_OK;
}

static attn_status keep_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    capture *c = context;
    size_t at = hidden->layer + (hidden->after ? 1 : 0);
    (void)error;
    if (c->hidden[at] == NULL) {
        c->hidden[at] = malloc(hidden->n_tokens * hidden->width * sizeof(float));
        ck_assert_ptr_nonnull(c->hidden[at]);
    }
    c->widths[at] = hidden->width;
    memcpy(c->hidden[at], hidden->values, hidden->n_tokens * hidden->width * sizeof(float));
    return ATTN_OK;
}

static attn_status keep_logits(void *context, const attn_logits *logits, attn_error *error)
{
    capture *c = context;
    (void)error;
    memcpy(c->logits + logits->position * c->n_vocab, logits->values,
           logits->n_positions * logits->n_vocab * sizeof(float));
    return ATTN_OK;
}

void capture_run(capture *c, const attn_model *model, attn_input *input, unsigned wants, attn_order order,
                 attn_pool *pool)
{
    attn_observer observer = {0};
    attn_error error;
    uint8_t layers[64] = {0};
    size_t l, count;
    char text[2048];
    memset(c, 0, sizeof *c);
    memset(&error, 0, sizeof error);
    ck_assert_uint_le(model->n_layers, sizeof layers);
    for (l = 0; l < model->n_layers && c->n_layers == l; l++) {
        layers[l] = 1;
        c->n_layers++;
        if (model->layers[l].cut_short != NULL) { /* nothing can be had behind its weights */
            wants &= ~(unsigned)(ATTN_WANT_AFTER | ATTN_WANT_LOGITS);
            break;
        }
    }
    c->n = input->n;
    c->n_keys = input->context_ids != NULL ? input->n_context : input->n;
    c->n_vocab = model->head.w.data != NULL ? model->head.w.shape[1] : 0;
    for (l = 0; l < model->n_layers; l++)
        if (model->layers[l].rule.n_heads > c->n_heads)
            c->n_heads = model->layers[l].rule.n_heads;
    count = c->n_layers * c->n_heads * c->n * c->n_keys;
    c->weights = calloc(count + 1, sizeof(float));
    c->scores = calloc(count + 1, sizeof(float));
    c->hidden = calloc(c->n_layers + 1, sizeof *c->hidden);
    c->widths = calloc(c->n_layers + 1, sizeof *c->widths);
    c->logits = calloc(c->n * c->n_vocab + 1, sizeof(float));
    observer.context = c;
    observer.wants = wants;
    observer.order = order;
    observer.layers = layers;
    observer.max_heads = c->n_heads;
    observer.block = keep_block;
    observer.hidden = keep_hidden;
    observer.logits = keep_logits;
    if (attn_forward(model, input, &observer, pool, &error) != ATTN_OK) {
        attn_error_text(&error, text, sizeof text);
        ck_abort_msg("%s", text);
    }
}

void capture_free(capture *c)
{
    size_t l;
    for (l = 0; c->hidden != NULL && l <= c->n_layers; l++)
        free(c->hidden[l]);
    free(c->weights);
    free(c->scores);
    free(c->hidden);
    free(c->widths);
    free(c->logits);
    memset(c, 0, sizeof *c);
}

void capture_open(attn_model *model, const char *path)
{
    attn_model_request request = {0};
    attn_error error;
    char text[2048];
    memset(&error, 0, sizeof error);
    request.model = path;
    request.overrides = attn_overrides_none();
    if (attn_model_open(&request, model, &error) != ATTN_OK) {
        attn_error_text(&error, text, sizeof text);
        ck_abort_msg("%s", text);
    }
}

const char *capture_file(const char *text)
{
    static char path[64];
    int fd;
    snprintf(path, sizeof path, "test_model_XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

float *capture_npy(const char *path, size_t *count)
{
    attn_container container;
    attn_error error;
    float *values;
    if (path == NULL || attn_container_open(path, NULL, &container, &error) != ATTN_OK)
        return NULL;
    ck_assert_uint_eq(container.n_tensors, 1);
    ck_assert(attn_tensor_count(&container.tensors[0].tensor, count));
    values = malloc((*count + 1) * sizeof *values);
    ck_assert_ptr_nonnull(values);
    attn_tensor_to_f32(&container.tensors[0].tensor, values);
    attn_container_close(&container);
    return values;
}

void capture_near(const float *found, const float *right, size_t count, double tolerance, const char *what)
{
    double largest = 1.0, worst = 0.0;
    size_t i, at = 0;
    for (i = 0; i < count; i++)
        if (isfinite(right[i]) && fabs((double)right[i]) > largest)
            largest = fabs((double)right[i]);
    for (i = 0; i < count; i++) {
        double off = fabs((double)found[i] - (double)right[i]);
        if (isnan(found[i]))
            off = INFINITY;
        if (off > worst) {
            worst = off;
            at = i;
        }
    }
    if (getenv("CAPTURE_SHOW") != NULL)
        fprintf(stderr, "%s: %zu numbers, worst %g of %g\n", what, count, worst, largest);
    if (worst > tolerance * largest)
        ck_abort_msg("%s: number %zu of %zu is %.9g, right is %.9g (off by %.3g, allowed %.3g)", what, at, count,
                     (double)found[at], (double)right[at], worst, tolerance * largest);
}

char *capture_join(const char *a, const char *b)
{
    static char paths[8][4096];
    static size_t next;
    char *path = paths[next++ % 8];
    size_t n = strlen(a), m = strlen(b);
    ck_assert_uint_lt(n + m + 2, sizeof paths[0]);
    memmove(path, a, n);
    path[n] = '/';
    memmove(path + n + 1, b, m + 1);
    return path;
}

uint32_t *capture_ids(const char *path, size_t *n)
{
    float *values = capture_npy(path, n);
    uint32_t *ids;
    size_t i;
    ck_assert_ptr_nonnull(values);
    ids = malloc(*n * sizeof *ids);
    ck_assert_ptr_nonnull(ids);
    for (i = 0; i < *n; i++)
        ids[i] = (uint32_t)values[i];
    free(values);
    return ids;
}

static void compare(const char *path, const float *found, size_t count, double tolerance)
{
    size_t n;
    float *right = capture_npy(path, &n);
    if (right == NULL)
        return; /* that reference has no such part */
    ck_assert_uint_eq(n, count);
    capture_near(found, right, count, tolerance, path);
    free(right);
}

static void compare_hidden(const char *path, const capture *c)
{
    size_t n, l, width = c->widths[0];
    float *right = capture_npy(path, &n);
    if (right == NULL)
        return;
    ck_assert_uint_eq(n, (c->n_layers + 1) * c->n * width);
    for (l = 0; l <= c->n_layers; l++)
        capture_near(c->hidden[l], right + l * c->n * width, c->n * width, CAPTURE_TOLERANCE, path);
    free(right);
}

static void compare_argmax(const char *path, const capture *c)
{
    size_t n, i, k;
    float *right = capture_npy(path, &n);
    if (right == NULL)
        return;
    ck_assert_uint_eq(n, c->n * c->n_vocab);
    for (i = 0; i < c->n; i++) {
        size_t a = 0, b = 0;
        for (k = 1; k < c->n_vocab; k++) {
            if (right[i * c->n_vocab + k] > right[i * c->n_vocab + a])
                a = k;
            if (c->logits[i * c->n_vocab + k] > c->logits[i * c->n_vocab + b])
                b = k;
        }
        ck_assert_uint_eq(a, b);
    }
    free(right);
}

/* Everything the folder VALUES has of: ids, mask, attn, hidden, logits. */
void capture_check(const attn_model *model, const char *values)
{
    capture c;
    attn_input input = {0};
    size_t n, i, n_mask;
    uint32_t *ids = capture_ids(capture_join(values, "ids.npy"), &n);
    float *mask = capture_npy(capture_join(values, "mask.npy"), &n_mask);
    uint8_t hidden[256] = {0};
    unsigned wants = ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER;
    for (i = 0; mask != NULL && i < n; i++)
        hidden[i] = mask[i] == 0.0F;
    input.ids = ids;
    input.n = n;
    input.hidden_keys = mask != NULL ? hidden : NULL;
    if (model->head.w.data != NULL)
        wants |= ATTN_WANT_LOGITS;
    capture_run(&c, model, &input, wants, ATTN_BY_QUERY, NULL);
    compare(capture_join(values, "attn.npy"), c.weights, c.n_layers * c.n_heads * n * n, CAPTURE_TOLERANCE);
    compare_hidden(capture_join(values, "hidden.npy"), &c);
    if (model->head.w.data != NULL) {
        compare(capture_join(values, "logits.npy"), c.logits, n * c.n_vocab, CAPTURE_TOLERANCE);
        compare_argmax(capture_join(values, "logits.npy"), &c);
    }
    capture_free(&c);
    free(mask);
    free(ids);
}
