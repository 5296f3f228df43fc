/* head.c: from the stream to logits: final norm, the masked-token head's transform where there is
 * one, the output matrix; in row blocks, for the observer only. */
#include "config.h"

#include "pass/pass.h"

#include <math.h>

enum { LOGIT_BYTES = 64 << 20 }; /* of a block of logits, about */

typedef struct logit_block { /* room for the rows of one block */
    float *normed;           /* owned; [rows][d] */
    float *transformed;      /* owned; [rows][head's input], or NULL */
    float *logits;           /* owned; [rows][n_vocab] */
    size_t rows;
} logit_block;

static bool wanted(const attn_observer *observer, size_t from, size_t count)
{
    if (observer->queries == NULL)
        return true;
    for (size_t i = from; i < from + count; i++)
        if (observer->queries[i] != 0)
            return true;
    return false;
}

static void scale_and_cap(const attn_model *model, float *logits, size_t count)
{
    if (model->logit_scale != 1.0F)
        for (size_t i = 0; i < count; i++)
            logits[i] *= model->logit_scale;
    if (model->logit_softcap != 0.0F)
        for (size_t i = 0; i < count; i++)
            logits[i] = model->logit_softcap * tanhf(logits[i] / model->logit_softcap);
}

static attn_status compute(const attn_pass *pass, logit_block *block, size_t from, size_t count, attn_error *error)
{
    const attn_model *model = pass->model;
    attn_rows_in rows = attn_rows_of(pass->x + from * pass->width, count, pass->width);
    attn_norm_run(&model->final_norm, rows, block->normed, pass->width, pass->pool);
    rows.data = block->normed;
    if (block->transformed != NULL) {
        size_t width = model->head_transform.w.shape[1];
        attn_status status =
            attn_linear_run(&model->head_transform, rows, block->transformed, width, pass->pool, error);
        if (status != ATTN_OK)
            return status;
        attn_activation_run(model->head_activation, block->transformed, count * width);
        rows = attn_rows_of(block->transformed, count, width);
        attn_norm_run(&model->head_norm, rows, block->transformed, width, pass->pool);
    }
    attn_status status = attn_linear_run(&model->head, rows, block->logits, model->head.w.shape[1], pass->pool, error);
    if (status == ATTN_OK)
        scale_and_cap(model, block->logits, count * model->head.w.shape[1]);
    return status;
}

static attn_status make_room(const attn_pass *pass, logit_block *block, attn_error *error)
{
    const attn_model *model = pass->model;
    size_t vocab = model->head.w.shape[1];
    block->rows = LOGIT_BYTES / sizeof(float) / vocab + 1;
    if (block->rows > pass->n)
        block->rows = pass->n;
    block->normed = attn_alloc_aligned(block->rows, pass->width * sizeof(float));
    block->logits = attn_alloc_aligned(block->rows, vocab * sizeof(float));
    if (block->normed == NULL || block->logits == NULL)
        return attn_fail_memory(error);
    if (model->head_transform.w.data != NULL) {
        block->transformed = attn_alloc_aligned(block->rows, model->head_transform.w.shape[1] * sizeof(float));
        if (block->transformed == NULL)
            return attn_fail_memory(error);
    }
    return ATTN_OK;
}

attn_status attn_pass_logits(const attn_pass *pass, attn_error *error)
{
    const attn_observer *observer = pass->observer;
    logit_block block = {0};
    if (pass->model->head.w.data == NULL)
        return attn_fail(error, ATTN_EUNSUPPORTED, "the model has no output head, so it predicts no token");
    attn_status status = make_room(pass, &block, error);
    for (size_t from = 0; status == ATTN_OK && from < pass->n; from += block.rows) {
        size_t count = pass->n - from < block.rows ? pass->n - from : block.rows;
        if (!wanted(observer, from, count))
            continue;
        status = compute(pass, &block, from, count, error);
        if (status != ATTN_OK)
            break;
        const attn_logits logits = {
            .position = from, .n_positions = count, .n_vocab = pass->model->head.w.shape[1], .values = block.logits};
        status = observer->logits(observer->context, &logits, error);
    }
    attn_free(block.normed);
    attn_free(block.transformed);
    attn_free(block.logits);
    return status;
}

void attn_head_row(const attn_model *model, uint32_t id, float *row, float *bias)
{
    const attn_tensor *w = &model->head.w;
    attn_tensor_read(w, 0, w->shape[0], id, 1, row, 1);
    for (size_t k = 0; k < w->shape[0]; k++)
        row[k] *= model->logit_scale;
    *bias = model->head.bias != NULL ? model->head.bias[id] * model->logit_scale : 0.0F;
}
