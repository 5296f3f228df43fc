/* lens.c: see lens.h. Knows no report: it stands between the pass and any that takes vectors. */
#include "config.h"

#include "base/memory.h"
#include "report/lens.h"
#include "model/norm.h"

attn_status attn_lens_check(const attn_report *report, attn_error *error)
{
    const attn_model *model = report->model;
    if (model->final_norm.kind == ATTN_NORM_NONE)
        return attn_fail(error, ATTN_EUSAGE, "--final-norm: this model has no final norm");
    for (size_t layer = 0; layer < model->n_layers; layer++)
        if (report->selection.layers[layer] != 0 && attn_model_width(model, (ptrdiff_t)layer) != model->d_model)
            return attn_fail(error, ATTN_EUSAGE,
                             "--final-norm: layer %zu gives vectors of %zu numbers, the norm takes %zu", layer,
                             attn_model_width(model, (ptrdiff_t)layer), model->d_model);
    return ATTN_OK;
}

static attn_status look(void *context, const attn_hidden *hidden, attn_error *error)
{
    attn_lens *lens = context;
    const attn_model *model = lens->report->model;
    attn_hidden seen = *hidden;
    attn_final_norm_run(model, hidden->values, hidden->n_tokens, lens->normed, lens->report->pool);
    seen.values = lens->normed;
    return lens->inner->hidden(lens->inner->context, &seen, error);
}

attn_status attn_lens_open(attn_lens *lens, attn_report *report, const attn_observer *inner, attn_observer *observer,
                           attn_error *error)
{
    size_t count;
    *lens = (attn_lens){.report = report, .inner = inner};
    if (!attn_multiply(report->text->tokens->count, report->model->d_model, &count))
        return attn_fail_memory(error);
    lens->normed = attn_alloc_array(count, sizeof *lens->normed);
    if (lens->normed == NULL)
        return attn_fail_memory(error);
    observer->context = lens;
    observer->hidden = look;
    return ATTN_OK;
}

void attn_lens_close(attn_lens *lens)
{
    attn_free(lens->normed);
    lens->normed = NULL;
}
