/* edits.c: interventions: what an input puts in the place of heads' outputs, between the kernel and W_O. */
#include "config.h"

#include "pass/pass.h"

#include <string.h>

attn_status attn_pass_check_edits(const attn_model *model, const attn_input *input, attn_error *error)
{
    for (size_t i = 0; i < input->n_edits; i++) {
        const attn_edit *edit = &input->edits[i];
        if (edit->layer >= model->n_layers)
            return attn_fail(error, ATTN_EUSAGE, "there is no layer %zu to edit: the model has %zu", edit->layer,
                             model->n_layers);
        if (edit->head >= model->layers[edit->layer].rule.n_heads)
            return attn_fail(error, ATTN_EUSAGE, "there is no head %zu.%zu to edit: layer %zu has %zu", edit->layer,
                             edit->head, edit->layer, model->layers[edit->layer].rule.n_heads);
        if (edit->position != ATTN_EVERY_POSITION && edit->position >= input->n)
            return attn_fail(error, ATTN_EUSAGE, "there is no position %zu to edit: the text has %zu tokens",
                             edit->position, input->n);
    }
    return ATTN_OK;
}

typedef struct edited { /* one head's rows */
    float *z;           /* [n][dim], STRIDE floats from row to row */
    size_t n, dim, stride;
    size_t from, to; /* the rows to change */
} edited;

static void put_rows(const edited *e, const float *rows)
{
    for (size_t i = e->from; i < e->to; i++)
        memcpy(e->z + i * e->stride, rows + (i - e->from) * e->dim, e->dim * sizeof *rows);
}

static void put_zeros(const edited *e)
{
    for (size_t i = e->from; i < e->to; i++)
        memset(e->z + i * e->stride, 0, e->dim * sizeof *e->z);
}

/* Dimension by dimension: the mean is taken before it is put. */
static void put_mean(const edited *e, const uint8_t *hidden)
{
    for (size_t k = 0; k < e->dim; k++) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < e->n; i++) {
            if (hidden != NULL && hidden[i] != 0)
                continue;
            sum += (double)e->z[i * e->stride + k];
            count++;
        }
        for (size_t i = e->from; i < e->to; i++)
            e->z[i * e->stride + k] = count == 0 ? 0.0F : (float)(sum / (double)count);
    }
}

void attn_pass_edit(const attn_pass *pass, size_t layer, float *z)
{
    const attn_rule *rule = &pass->model->layers[layer].rule;
    const attn_input *input = pass->input;
    for (size_t i = 0; i < input->n_edits; i++) {
        const attn_edit *edit = &input->edits[i];
        if (edit->layer != layer)
            continue;
        bool every = edit->position == ATTN_EVERY_POSITION;
        edited e = {
            .z = z + edit->head * rule->value_dim,
            .n = pass->n,
            .dim = rule->value_dim,
            .stride = rule->n_heads * rule->value_dim,
            .from = every ? 0 : edit->position,
            .to = every ? pass->n : edit->position + 1,
        };
        switch (edit->kind) {
        case ATTN_EDIT_ZERO:
            put_zeros(&e);
            break;
        case ATTN_EDIT_MEAN:
            put_mean(&e, input->hidden_keys);
            break;
        case ATTN_EDIT_ROWS:
            put_rows(&e, edit->rows);
            break;
        }
    }
}
