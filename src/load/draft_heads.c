/* draft_heads.c: the heads that a toy lists one by one, side by side in whole matrices. Used by draft.c. */
#include "config.h"

#include "load/draft_finish.h"

#include <string.h>

/* One matrix for all heads from `heads`; a head that lacks it gets the identity. */
static attn_status fuse_role(attn_draft_finishing *f, attn_layer_draft *fused, int role)
{
    const attn_layer_draft *d = f->draft;
    size_t dim = 0, count;
    const attn_draft_matrix *first = NULL;
    float *all;
    for (size_t h = 0; h < d->n_listed; h++) {
        const attn_draft_matrix *m = &d->heads[h].w[role];
        size_t columns = m->tensor.data != NULL ? m->tensor.shape[1] : f->d_model;
        if (m->tensor.data != NULL && first == NULL)
            first = m;
        if (h > 0 && columns != dim) {
            attn_fail(f->context->error, ATTN_EDATA, "heads: %s is %zu wide in head %zu and %zu in head 0",
                      attn_draft_names[role], columns, h, dim);
            attn_draft_at(f->context, d, m->tensor.data != NULL ? m->place : d->heads[h].place);
            return ATTN_EDATA;
        }
        dim = columns;
        if (m->tensor.data != NULL && m->tensor.shape[0] != f->d_model)
            return attn_draft_check_matrix(f, m, f->d_model, dim);
    }
    if (first == NULL)
        return ATTN_OK; /* every head: the identity */
    if (!attn_multiply(f->d_model, d->n_listed * dim, &count) ||
        (all = attn_arena_aligned(f->context->arena, count, sizeof *all)) == NULL)
        return attn_fail_memory(f->context->error);
    memset(all, 0, count * sizeof *all);
    for (size_t h = 0; h < d->n_listed; h++) {
        const attn_tensor *t = &d->heads[h].w[role].tensor;
        float *to = all + h * dim;
        if (t->data != NULL)
            attn_tensor_read(t, 0, f->d_model, 0, dim, to, d->n_listed * dim);
        for (size_t i = 0; t->data == NULL && i < dim; i++)
            to[i * d->n_listed * dim + i] = 1.0F;
    }
    fused->w[role] = *first;
    fused->w[role].tensor = attn_tensor_f32(all, f->d_model, d->n_listed * dim);
    return ATTN_OK;
}

static attn_status fuse_bias(const attn_draft_finishing *f, attn_layer_draft *fused, int role, size_t dim)
{
    const attn_layer_draft *d = f->draft;
    const attn_draft_matrix *first = NULL;
    for (size_t h = 0; h < d->n_listed && first == NULL; h++)
        if (d->heads[h].b[role].tensor.data != NULL)
            first = &d->heads[h].b[role];
    if (first == NULL)
        return ATTN_OK;
    float *all = attn_arena_aligned(f->context->arena, d->n_listed, dim * sizeof *all);
    if (all == NULL)
        return attn_fail_memory(f->context->error);
    memset(all, 0, d->n_listed * dim * sizeof *all);
    for (size_t h = 0; h < d->n_listed; h++) {
        const float *b = NULL;
        attn_status status = attn_draft_vector(f, &d->heads[h].b[role], dim, &b);
        if (status != ATTN_OK)
            return status;
        if (b != NULL)
            memcpy(all + h * dim, b, dim * sizeof *all);
    }
    fused->b[role] = *first;
    fused->b[role].tensor = attn_tensor_make(all, ATTN_F32, 1, (size_t[]){d->n_listed * dim});
    return ATTN_OK;
}

static attn_status check_once(const attn_draft_finishing *f, const attn_draft_matrix *all, const attn_draft_matrix *one,
                              size_t head)
{
    if (all->tensor.data == NULL || one->tensor.data == NULL)
        return ATTN_OK;
    attn_fail(f->context->error, ATTN_EDATA, "%s is there for all heads and for head %zu alone", all->name, head);
    return attn_draft_fail(f, all);
}

/* What is given both ways would leave open which of them counts. */
static attn_status check_given_once(const attn_draft_finishing *f)
{
    const attn_layer_draft *d = f->draft;
    attn_status status = ATTN_OK;
    for (size_t h = 0; h < d->n_listed; h++) {
        for (int role = 0; role < ATTN_ROLE_O && status == ATTN_OK; role++) {
            status = check_once(f, &d->w[role], &d->heads[h].w[role], h);
            if (status == ATTN_OK)
                status = check_once(f, &d->b[role], &d->heads[h].b[role], h);
        }
    }
    return status;
}

attn_status attn_draft_fuse_heads(attn_draft_finishing *f, attn_layer_draft *fused)
{
    const attn_layer_draft *d = f->draft;
    attn_status status = check_given_once(f);
    *fused = *d;
    if (status != ATTN_OK)
        return status;
    if (f->context->n_heads != 0 && f->context->n_heads != d->n_listed) {
        attn_fail(f->context->error, ATTN_EDATA, "--n-heads says %zu, but the file lists %zu heads",
                  f->context->n_heads, d->n_listed);
        return attn_draft_fail(f, NULL);
    }
    fused->n_heads = fused->n_kv_heads = d->n_listed;
    for (int role = 0; role < ATTN_ROLE_O && status == ATTN_OK; role++)
        status = fuse_role(f, fused, role);
    if (status != ATTN_OK)
        return status;
    if (fused->head_dim == 0) {
        const attn_tensor *q = &fused->w[ATTN_ROLE_Q].tensor, *k = &fused->w[ATTN_ROLE_K].tensor;
        fused->head_dim = q->data != NULL   ? q->shape[1] / d->n_listed
                          : k->data != NULL ? k->shape[1] / d->n_listed
                                            : f->d_model;
    }
    for (int role = 0; role < ATTN_ROLE_O && status == ATTN_OK; role++) {
        const attn_tensor *t = &fused->w[role].tensor;
        status = fuse_bias(f, fused, role, t->data != NULL ? t->shape[1] / d->n_listed : f->d_model);
    }
    fused->heads = NULL;
    return status;
}
