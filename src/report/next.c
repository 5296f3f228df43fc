/* next.c: the report `next`: the likeliest next tokens after each position; for a model that fills
 * masks (BERT), the likeliest tokens in place of each [MASK], or of every position of a text
 * without one. */
#include "config.h"

#include "base/memory.h"
#include "report/kind.h"
#include "report/top.h"

#include <math.h>

typedef struct predictor {
    attn_report *report;
    attn_top top;
    attn_buffer label;
    uint32_t only; /* the mask token's id: positions of other tokens are passed over */
    bool only_masks;
} predictor;

/* softmax over the vocabulary, in double: log of the sum of exponentials, the largest subtracted
 * first. */
static double log_sum(const float *logits, size_t n, float largest)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += exp((double)logits[i] - (double)largest);
    return (double)largest + log(sum);
}

static attn_status print_row(predictor *p, size_t position, const float *logits, size_t n, attn_error *error)
{
    attn_report *report = p->report;
    attn_status status = ATTN_OK;
    double total;
    attn_top_clear(&p->top);
    for (size_t i = 0; i < n; i++)
        attn_top_offer(&p->top, i, logits[i]);
    attn_top_sort(&p->top);
    if (p->top.n == 0)
        return ATTN_OK;
    total = log_sum(logits, n, p->top.values[0]);
    for (size_t i = 0; i < p->top.n && status == ATTN_OK; i++) {
        uint32_t id = (uint32_t)p->top.indices[i];
        attn_cell cells[] = {attn_cell_count(position),
                             attn_cell_label(attn_units_label(&report->query_units, position)),
                             attn_cell_count(i + 1),
                             attn_cell_count(id),
                             attn_cell_label((attn_bytes){NULL, 0}),
                             attn_cell_number((float)exp((double)p->top.values[i] - total))};
        if (!attn_report_shows(report, cells[5].number))
            break;
        p->label.size = 0;
        attn_tokenizer_label(report->model->tokenizer, id, report->request.raw_tokens, &p->label);
        if (p->label.failed)
            return attn_fail_memory(error);
        cells[4].label = attn_buffer_bytes(&p->label);
        status = attn_report_record(report, cells, error);
    }
    return status;
}

static attn_status take_logits(void *context, const attn_logits *block, attn_error *error)
{
    predictor *p = context;
    const attn_units *units = &p->report->query_units;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < block->n_positions && status == ATTN_OK; i++) {
        size_t position = block->position + i;
        if (units->selected[position] != 0 &&
            (!p->only_masks || p->report->text->tokens->items[position].id == p->only))
            status = print_row(p, position, block->values + i * block->n_vocab, block->n_vocab, error);
    }
    return status;
}

static uint32_t mask_token(const attn_tokenizer *tokenizer)
{
    static const char *const names[] = {"[MASK]", "<mask>"};
    uint32_t id = ATTN_NO_TOKEN;
    for (size_t i = 0; i < sizeof names / sizeof *names && id == ATTN_NO_TOKEN; i++)
        id = attn_tokenizer_find(tokenizer, attn_bytes_of(names[i]));
    return id;
}

static attn_status print_next(attn_report *report, attn_error *error)
{
    predictor p = {.report = report, .only = ATTN_NO_TOKEN};
    attn_observer callbacks = {.context = &p, .logits = take_logits};
    size_t most = report->model->head.w.shape[1];
    attn_status status;
    if (report->model->masked_lm)
        p.only = mask_token(report->model->tokenizer);
    for (size_t i = 0; i < report->text->tokens->count && p.only != ATTN_NO_TOKEN; i++)
        p.only_masks = p.only_masks || report->text->tokens->items[i].id == p.only;
    if (!attn_top_open(&p.top, report->top < most ? report->top : most))
        status = attn_fail_memory(error);
    else
        status = attn_report_run(report, ATTN_WANT_LOGITS, ATTN_BY_HEAD, &callbacks, error);
    attn_top_close(&p.top);
    attn_buffer_free(&p.label);
    return status;
}

static attn_status open_next(attn_report *report, attn_error *error)
{
    const attn_model *model = report->model;
    if (model->head.w.data == NULL)
        return attn_fail(error, ATTN_EUNSUPPORTED, "the model has no output head: it can not tell the next token");
    for (size_t l = 0; l < model->n_layers; l++)
        if ((report->selection.layers[l] != 0) != (l + 1 == model->n_layers))
            return attn_fail(error, ATTN_EUSAGE, "--print=next looks at the last layer (%zu) only",
                             model->n_layers - 1);
    return ATTN_OK;
}

const attn_report_kind attn_report_next = {
    .name = "next",
    .summary = "the likeliest next tokens (or fillings of [MASK])",
    .columns = "text position token rank id next probability",
    .shape = ATTN_SHAPE_RECORDS,
    .cells = {.unit = "probability"},
    .takes = ATTN_TAKES_LAYERS | ATTN_TAKES_QUERIES | ATTN_TAKES_TOP | ATTN_TAKES_MIN,
    .only_self = true,
    .top = 10,
    .open = open_next,
    .text = print_next,
};
