/* explain.c: the report `explain`: each step of attention with its numbers, from x to q·k to the moved vector. Each
 * selected layer is run again from the stream that enters it: once to keep what the layer computes of each token, then
 * head by head for the numbers of each pair. Memory grows with n·d. The tables are explained_steps.c's. */
#include "config.h"

#include "report/explained.h"

#include <string.h>

enum {
    ALL_QUERIES = 8, /* of a text of up to so many tokens; of a longer one the last */
    N_KINDS = ATTN_N_ROWS_KINDS
};

typedef struct run { /* a layer on its way */
    attn_explained explained;
    size_t head; /* the section at hand */
    bool begun;
} run;

/* ---- what is kept ---- */

static attn_status take_part(void *context, const attn_part *part, attn_error *error)
{
    return attn_explained_part(context, part, error);
}

static attn_status take_out(void *context, const attn_hidden *after, attn_error *error)
{
    return attn_explained_out(context, after, error);
}

/* Calls TAKE for each selected query of a block of weights. */
static attn_status each_query(attn_explained *e, const attn_block *block,
                              attn_status (*take)(attn_explained *e, const attn_explained_query *query,
                                                  attn_error *error),
                              attn_error *error)
{
    const attn_units *units = &e->report->query_units;
    attn_status status = ATTN_OK;
    for (size_t h = 0; h < block->n_heads; h++)
        for (size_t i = 0; i < units->n_selected && status == ATTN_OK; i++) {
            attn_explained_query query = {.head = block->head + h, .index = i};
            size_t row = units->positions[i] - block->query;
            if (units->positions[i] < block->query || row >= block->n_queries)
                continue;
            for (size_t kind = 0; kind < N_KINDS; kind++)
                query.rows[kind] = e->rows[kind] != NULL ? e->rows[kind] + row * e->n_keys : NULL;
            query.rows[ATTN_ROWS_WEIGHTS] = block->values + (h * block->n_queries + row) * e->n_keys;
            query.visible = block->visible + (h * block->n_queries + row) * e->n_keys;
            status = take(e, &query, error);
        }
    return status;
}

static attn_status use_query(attn_explained *e, const attn_explained_query *query, attn_error *error)
{
    (void)error;
    attn_explained_use(e, query);
    return ATTN_OK;
}

static attn_status use_block(void *context, const attn_block *block, attn_error *error)
{
    return each_query(context, block, use_query, error);
}

/* *MASKED_ROWS: rows with every key masked. */
static attn_status keep_layer(attn_explained *e, const attn_hidden *before, uint64_t *masked_rows, attn_error *error)
{
    bool whole = e->layer->cut_short == NULL;
    const unsigned to_attended = ATTN_PART_NORMED | ATTN_PART_NORMED_CONTEXT | ATTN_PART_CONTEXT |
                                 ATTN_PART_QUERY_BEFORE | ATTN_PART_KEY_BEFORE | ATTN_PART_QUERY | ATTN_PART_KEY |
                                 ATTN_PART_VALUE | ATTN_PART_HEADS | ATTN_PART_ATTENDED;
    const attn_observer callbacks = {
        .context = e,
        .wants = (whole ? ATTN_WANT_AFTER : 0) | (e->used != NULL ? ATTN_WANT_WEIGHTS : 0),
        .parts = to_attended | (whole ? ATTN_PART_MIDDLE | ATTN_PART_FED : 0),
        .order = ATTN_BY_HEAD,
        .queries = e->report->query_units.token_selected,
        .part = take_part,
        .hidden = take_out,
        .block = use_block,
    };
    return attn_report_run_layer(e->report, before, &callbacks, masked_rows, error);
}

/* ---- what is printed ---- */

/* Holds a block's rows until its weights come, which are the last. */
static attn_status hold_block(attn_explained *e, const attn_block *block, attn_error *error)
{
    size_t count = block->n_queries * e->n_keys;
    if (e->capacity < block->n_queries) {
        for (size_t kind = 0; kind < N_KINDS; kind++) {
            attn_free(e->rows[kind]);
            e->rows[kind] = NULL;
        }
        e->capacity = block->n_queries;
    }
    if (e->rows[block->kind] == NULL)
        e->rows[block->kind] = attn_alloc_array(e->capacity * e->n_keys, sizeof(float));
    if (e->rows[block->kind] == NULL)
        return attn_fail_memory(error);
    memcpy(e->rows[block->kind], block->values, count * sizeof(float));
    return ATTN_OK;
}

static attn_status take_block(void *context, const attn_block *block, attn_error *error)
{
    run *r = context;
    if (block->kind != ATTN_ROWS_WEIGHTS)
        return hold_block(&r->explained, block, error);
    if (!r->begun || r->head != block->head) {
        r->begun = true;
        r->head = block->head;
        attn_status status = attn_explained_head(&r->explained, r->head, error);
        if (status != ATTN_OK)
            return status;
    }
    return each_query(&r->explained, block, attn_explained_steps, error);
}

static attn_status print_heads(run *r, const attn_hidden *before, attn_error *error)
{
    attn_explained *e = &r->explained;
    const attn_observer callbacks = {
        .context = r,
        .wants = ATTN_WANT_DOT | ATTN_WANT_PRODUCT | ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS |
                 (e->layer->rule.softcap > 0 ? ATTN_WANT_CAPPED : 0),
        .order = ATTN_BY_HEAD,
        .queries = e->report->query_units.token_selected,
        .block = take_block,
    };
    uint64_t ignored;
    return attn_report_run_layer(e->report, before, &callbacks, &ignored, error);
}

static attn_status take_hidden(void *context, const attn_hidden *before, attn_error *error)
{
    attn_report *report = context;
    run r = {0};
    uint64_t masked_rows = 0;
    attn_status status = attn_explained_open(&r.explained, report, before, error);
    if (status == ATTN_OK)
        status = keep_layer(&r.explained, before, &masked_rows, error);
    if (status == ATTN_OK)
        status = attn_report_begin_rows(report, error);
    if (status == ATTN_OK)
        status = print_heads(&r, before, error);
    if (status == ATTN_OK && r.explained.n_selected > 1)
        status = attn_explained_layer(&r.explained, error);
    if (before->layer == attn_selected_last(&report->selection, report->model->n_layers))
        report->counts.masked_rows += masked_rows; /* those of the others are counted as the pass goes on */
    attn_explained_close(&r.explained);
    return status;
}

/* Where nobody says which: all queries of a short text, the last of a longer one that is no padding. */
static void choose_queries(attn_report *report)
{
    attn_units *units = &report->query_units;
    const uint8_t *hidden = report->text->hidden_keys;
    size_t last = units->n;
    if (report->request.queries != NULL || report->request.query_tokens.count > 0 || units->n <= ALL_QUERIES)
        return;
    while (last > 1 && hidden != NULL && hidden[last - 1] != 0)
        last--;
    memset(units->selected, 0, units->n);
    memset(units->token_selected, 0, units->n_tokens);
    units->selected[last - 1] = units->token_selected[last - 1] = 1;
    units->positions[0] = last - 1;
    if (units->side_labels != NULL)
        units->side_labels[0] = attn_units_label(units, last - 1);
    units->n_selected = 1;
}

static attn_status print_explain(attn_report *report, attn_error *error)
{
    const attn_observer callbacks = {.context = report, .hidden = take_hidden};
    choose_queries(report);
    if (report->query_units.n_selected == 0)
        return ATTN_OK;
    return attn_report_run(report, ATTN_WANT_BEFORE, ATTN_BY_HEAD, &callbacks, error);
}

const attn_report_kind attn_report_explain = {
    .name = "explain",
    .summary = "each step of attention with its numbers, from x to q.k to the moved vector",
    .columns = "text layer head step query query_token key key_token dimension value",
    .shape = ATTN_SHAPE_STEPS,
    .takes = ATTN_TAKES_LAYERS | ATTN_TAKES_HEADS | ATTN_TAKES_QUERIES | ATTN_TAKES_KEYS | ATTN_TAKES_TOP,
    .text = print_explain,
};
