/* capture.c: see capture.h. */
#include "config.h"

#include "testing/capture.h"

#include "testing.h"

#include "testing/arrays.h"
#include "testing/files.h"

#include <math.h>
#include <string.h>

static attn_status keep_block(void *context, const attn_block *block, attn_error *error)
{
    capture *c = context;
    float *to = block->kind == ATTN_ROWS_SCORES ? c->scores : c->weights;
    (void)error;
    ck_assert_uint_eq(block->n_keys, c->n_keys);
    for (size_t h = 0; h < block->n_heads; h++)
        for (size_t q = 0; q < block->n_queries; q++)
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

/* The layers up to the first that is cut short: nothing can be had behind its weights. */
static void choose_layers(capture *c, const attn_model *model, uint8_t *layers, unsigned *wants)
{
    while (c->n_layers < model->n_layers) {
        layers[c->n_layers] = 1;
        if (model->layers[c->n_layers++].cut_short != NULL) {
            *wants &= ~(unsigned)(ATTN_WANT_AFTER | ATTN_WANT_LOGITS);
            return;
        }
    }
}

void capture_run(capture *c, const attn_model *model, attn_input *input, unsigned wants, attn_order order,
                 attn_pool *pool)
{
    attn_error error = {0};
    uint8_t layers[64] = {0};
    ck_assert_uint_le(model->n_layers, sizeof layers);
    *c = (capture){.n = input->n,
                   .n_keys = input->context_ids != NULL ? input->n_context : input->n,
                   .n_vocab = model->head.w.data != NULL ? model->head.w.shape[1] : 0};
    choose_layers(c, model, layers, &wants);
    for (size_t l = 0; l < model->n_layers; l++)
        if (model->layers[l].rule.n_heads > c->n_heads)
            c->n_heads = model->layers[l].rule.n_heads;
    size_t count = c->n_layers * c->n_heads * c->n * c->n_keys;
    c->weights = calloc(count + 1, sizeof(float));
    c->scores = calloc(count + 1, sizeof(float));
    c->hidden = calloc(c->n_layers + 1, sizeof *c->hidden);
    c->widths = calloc(c->n_layers + 1, sizeof *c->widths);
    c->logits = calloc(c->n * c->n_vocab + 1, sizeof(float));
    const attn_observer observer = {.context = c,
                                    .wants = wants,
                                    .order = order,
                                    .layers = layers,
                                    .max_heads = c->n_heads,
                                    .block = keep_block,
                                    .hidden = keep_hidden,
                                    .logits = keep_logits};
    if (attn_forward(model, input, &observer, pool, &error) != ATTN_OK) {
        char text[2048];
        attn_error_text(&error, text, sizeof text);
        ck_abort_msg("%s", text);
    }
}

void capture_free(capture *c)
{
    for (size_t l = 0; c->hidden != NULL && l <= c->n_layers; l++)
        free(c->hidden[l]);
    free(c->weights);
    free(c->scores);
    free(c->hidden);
    free(c->widths);
    free(c->logits);
    *c = (capture){0};
}

static void compare(const char *path, const float *found, size_t count, double tolerance)
{
    size_t n;
    float *right = arrays_npy(path, &n);
    if (right == NULL)
        return; /* that reference has no such part */
    ck_assert_uint_eq(n, count);
    arrays_near(found, right, count, tolerance, path);
    free(right);
}

static void compare_hidden(const char *path, const capture *c)
{
    size_t n, width = c->widths[0];
    float *right = arrays_npy(path, &n);
    if (right == NULL)
        return;
    ck_assert_uint_eq(n, (c->n_layers + 1) * c->n * width);
    for (size_t l = 0; l <= c->n_layers; l++)
        arrays_near(c->hidden[l], right + l * c->n * width, c->n * width, CAPTURE_TOLERANCE, path);
    free(right);
}

static void compare_argmax(const char *path, const capture *c)
{
    size_t n;
    float *right = arrays_npy(path, &n);
    if (right == NULL)
        return;
    ck_assert_uint_eq(n, c->n * c->n_vocab);
    for (size_t i = 0; i < c->n; i++) {
        size_t a = 0, b = 0;
        for (size_t k = 1; k < c->n_vocab; k++) {
            if (right[i * c->n_vocab + k] > right[i * c->n_vocab + a])
                a = k;
            if (c->logits[i * c->n_vocab + k] > c->logits[i * c->n_vocab + b])
                b = k;
        }
        ck_assert_uint_eq(a, b);
    }
    free(right);
}

void capture_check(const attn_model *model, const char *values)
{
    capture c;
    size_t n, n_mask;
    uint32_t *ids = arrays_ids(files_join(values, "ids.npy"), &n);
    float *mask = arrays_npy(files_join(values, "mask.npy"), &n_mask);
    uint8_t hidden[256] = {0};
    bool has_head = model->head.w.data != NULL;
    unsigned wants = ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER;
    ck_assert_uint_le(n, sizeof hidden);
    for (size_t i = 0; mask != NULL && i < n; i++)
        hidden[i] = mask[i] == 0;
    attn_input input = {.ids = ids, .n = n, .hidden_keys = mask != NULL ? hidden : NULL};
    capture_run(&c, model, &input, has_head ? wants | ATTN_WANT_LOGITS : wants, ATTN_BY_QUERY, NULL);
    compare(files_join(values, "attn.npy"), c.weights, c.n_layers * c.n_heads * n * n, CAPTURE_TOLERANCE);
    compare_hidden(files_join(values, "hidden.npy"), &c);
    if (has_head) {
        compare(files_join(values, "logits.npy"), c.logits, n * c.n_vocab, CAPTURE_TOLERANCE);
        compare_argmax(files_join(values, "logits.npy"), &c);
    }
    capture_free(&c);
    free(mask);
    free(ids);
}
