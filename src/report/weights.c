/* weights.c: the reports `weights` and `scores`: who attends to whom. Rows of the observer's blocks
 * go, when asked, through the mean over heads, the joining of word pieces and the filters; none of
 * these changes the softmax. Without any of them a row is handed to the writer where it stands. */
#include "config.h"

#include "base/memory.h"
#include "report/kind.h"
#include "report/top.h"

#include <string.h>

typedef struct grid {
    attn_report *report;
    bool scores;
    size_t n_key_tokens, n_keys; /* tokens, and selected units */
    /* mean over heads of a query block */
    double *sums;     /* owned; [rows][n_key_tokens] */
    uint32_t *counts; /* owned; the same: heads that see the pair */
    size_t sums_size; /* allocated */
    size_t heads_done;
    float *mean;           /* owned; [n_key_tokens] */
    uint8_t *mean_visible; /* owned; [n_key_tokens] */
    /* pieces joined to words */
    double *word_sums;     /* owned; [n key units] */
    uint8_t *word_visible; /* owned; [n key units] */
    float *word_values;    /* owned; [n key units] */
    /* the row as it is written */
    float *values;    /* owned; [n_keys] */
    uint8_t *visible; /* owned; [n_keys] */
    attn_top top;
} grid;

static void free_buffers(grid *g)
{
    attn_free(g->sums);
    attn_free(g->counts);
    attn_free(g->mean);
    attn_free(g->mean_visible);
    attn_free(g->word_sums);
    attn_free(g->word_visible);
    attn_free(g->word_values);
    attn_free(g->values);
    attn_free(g->visible);
    attn_top_close(&g->top);
}

static attn_status make_buffers(grid *g, attn_error *error)
{
    const attn_units *keys = &g->report->key_units;
    size_t top = g->report->top < g->n_keys ? g->report->top : g->n_keys;
    g->mean = attn_alloc_array(g->n_key_tokens, sizeof *g->mean);
    g->mean_visible = attn_alloc_array(g->n_key_tokens, 1);
    g->word_sums = attn_calloc_array(keys->n, sizeof *g->word_sums);
    g->word_visible = attn_calloc_array(keys->n, 1);
    g->word_values = attn_alloc_array(keys->n, sizeof *g->word_values);
    g->values = attn_alloc_array(g->n_keys, sizeof *g->values);
    g->visible = attn_alloc_array(g->n_keys, 1);
    if (g->mean == NULL || g->mean_visible == NULL || g->word_sums == NULL || g->word_visible == NULL ||
        g->word_values == NULL || g->values == NULL || g->visible == NULL || !attn_top_open(&g->top, top))
        return attn_fail_memory(error);
    return ATTN_OK;
}

/* --min and -k. What they leave out is marked as invisible. */
static void filter(grid *g, attn_grid_row *row)
{
    for (size_t i = 0; i < g->n_keys; i++)
        g->visible[i] = row->visible[i] != 0 && attn_report_shows(g->report, row->values[i]);
    row->visible = g->visible;
    if (g->report->top == ATTN_TOP_ALL)
        return;
    attn_top_clear(&g->top);
    for (size_t i = 0; i < g->n_keys; i++)
        if (g->visible[i] != 0)
            attn_top_offer(&g->top, i, row->values[i]);
    attn_top_sort(&g->top);
    memset(g->visible, 0, g->n_keys);
    for (size_t i = 0; i < g->top.n; i++)
        g->visible[g->top.indices[i]] = 1;
    row->order = g->top.indices;
    row->n_order = g->top.n;
}

/* The index of unit QUERY among the selected ones. */
static size_t index_of(const attn_units *units, size_t unit)
{
    size_t low = 0, high = units->n_selected;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (units->positions[middle] <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A row over all key units, of query unit UNIT. */
static attn_status emit(grid *g, attn_grid_row row, size_t unit, attn_error *error)
{
    attn_report *report = g->report;
    const attn_units *keys = &report->key_units;
    attn_status status = attn_report_begin_rows(report, error);
    if (status != ATTN_OK)
        return status;
    row.query = index_of(&report->query_units, unit);
    if (g->n_keys < keys->n) {
        for (size_t i = 0; i < g->n_keys; i++) {
            g->values[i] = row.values[keys->positions[i]];
            g->visible[i] = row.visible[keys->positions[i]];
        }
        row.values = g->values;
        row.visible = g->visible;
    }
    if (report->request.min.given || report->top != ATTN_TOP_ALL)
        filter(g, &row);
    return attn_writer_grid(report->writer, &row, error);
}

/* Adds a token's row to its word's: keys summed; the word's last token gives the mean over its
 * tokens. */
static attn_status join_words(grid *g, attn_grid_row row, size_t token, size_t unit, attn_error *error)
{
    const attn_units *keys = &g->report->key_units, *queries = &g->report->query_units;
    double n_pieces = (double)(queries->first[unit + 1] - queries->first[unit]);
    for (size_t i = 0; i < keys->n; i++)
        for (size_t j = keys->first[i]; j < keys->first[i + 1]; j++)
            if (row.visible[j] != 0) {
                g->word_sums[i] += row.values[j];
                g->word_visible[i] = 1;
            }
    if (token + 1 < queries->first[unit + 1])
        return ATTN_OK;
    for (size_t i = 0; i < keys->n; i++)
        g->word_values[i] = (float)(g->word_sums[i] / n_pieces);
    row.values = g->word_values;
    row.visible = g->word_visible;
    {
        attn_status status = emit(g, row, unit, error);
        memset(g->word_sums, 0, keys->n * sizeof *g->word_sums);
        memset(g->word_visible, 0, keys->n);
        return status;
    }
}

static size_t unit_of(const attn_units *units, size_t token)
{
    size_t low = 0, high = units->n;
    if (units->n == units->n_tokens)
        return token;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (units->first[middle] <= token)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static attn_status token_row(grid *g, attn_grid_row row, size_t token, attn_error *error)
{
    size_t unit = unit_of(&g->report->query_units, token);
    if (g->report->request.by_word)
        return join_words(g, row, token, unit, error);
    return emit(g, row, unit, error);
}

static attn_status make_sums(grid *g, const attn_block *block, attn_error *error)
{
    size_t size = block->n_queries * block->n_keys;
    if (size > g->sums_size) {
        attn_free(g->sums);
        attn_free(g->counts);
        g->sums = attn_alloc_array(size, sizeof *g->sums);
        g->counts = attn_alloc_array(size, sizeof *g->counts);
        g->sums_size = g->sums != NULL && g->counts != NULL ? size : 0;
        if (g->sums_size == 0)
            return attn_fail_memory(error);
    }
    for (size_t i = 0; i < size; i++) {
        g->sums[i] = 0;
        g->counts[i] = 0;
    }
    return ATTN_OK;
}

/* The mean of a query over the heads: of weights over all of them, of scores over those that see
 * the pair. */
static void take_mean(grid *g, const attn_block *block, size_t query)
{
    const double *sums = g->sums + query * block->n_keys;
    const uint32_t *counts = g->counts + query * block->n_keys;
    for (size_t i = 0; i < block->n_keys; i++) {
        double n = g->scores ? counts[i] : (double)g->heads_done;
        g->mean_visible[i] = counts[i] > 0;
        g->mean[i] = counts[i] > 0 ? (float)(sums[i] / n) : 0;
    }
}

/* Blocks of one layer and query range come one after the other until all selected heads were seen. */
static attn_status average_block(grid *g, const attn_block *block, attn_error *error)
{
    size_t size = block->n_queries * block->n_keys;
    attn_grid_row row = {.layer = block->layer, .head = ATTN_HEAD_MEAN, .values = g->mean, .visible = g->mean_visible};
    attn_status status = g->heads_done == 0 ? make_sums(g, block, error) : ATTN_OK;
    for (size_t h = 0; h < block->n_heads && status == ATTN_OK; h++)
        for (size_t i = 0; i < size; i++)
            if (block->visible[h * size + i] != 0) {
                g->sums[i] += block->values[h * size + i];
                g->counts[i]++;
            }
    g->heads_done += block->n_heads;
    if (status != ATTN_OK || g->heads_done < attn_selected_heads(&g->report->selection, block->layer))
        return status;
    for (size_t q = 0; q < block->n_queries && status == ATTN_OK; q++) {
        if (g->report->query_units.token_selected[block->query + q] == 0)
            continue;
        take_mean(g, block, q);
        status = token_row(g, row, block->query + q, error);
    }
    g->heads_done = 0;
    return status;
}

static attn_status take_block(void *context, const attn_block *block, attn_error *error)
{
    grid *g = context;
    attn_status status = ATTN_OK;
    if (g->report->request.average_heads)
        return average_block(g, block, error);
    for (size_t h = 0; h < block->n_heads; h++)
        for (size_t q = 0; q < block->n_queries && status == ATTN_OK; q++) {
            size_t at = (h * block->n_queries + q) * block->n_keys;
            attn_grid_row row = {.layer = block->layer,
                                 .head = block->head + h,
                                 .values = block->values + at,
                                 .visible = block->visible + at};
            if (g->report->query_units.token_selected[block->query + q] != 0)
                status = token_row(g, row, block->query + q, error);
        }
    return status;
}

static attn_status print_grid(attn_report *report, bool scores, attn_error *error)
{
    grid g = {.report = report, .scores = scores};
    attn_observer callbacks = {.context = &g, .block = take_block};
    attn_order order = report->request.average_heads ? ATTN_BY_QUERY : ATTN_BY_HEAD;
    attn_status status;
    g.n_key_tokens = report->key_units.n_tokens;
    g.n_keys = report->key_units.n_selected;
    status = make_buffers(&g, error);
    if (status == ATTN_OK)
        status = attn_report_run(report, scores ? ATTN_WANT_SCORES : ATTN_WANT_WEIGHTS, order, &callbacks, error);
    free_buffers(&g);
    return status;
}

static attn_status open_weights(attn_report *report, attn_error *error)
{
    (void)error;
    report->schema.value = "weight";
    report->schema.values = "weights";
    report->schema.masked_is_zero = true;
    return ATTN_OK;
}

static attn_status open_scores(attn_report *report, attn_error *error)
{
    (void)error;
    report->schema.value = "score";
    report->schema.values = "scores";
    return ATTN_OK;
}

static attn_status print_weights(attn_report *report, attn_error *error)
{
    return print_grid(report, false, error);
}

static attn_status print_scores(attn_report *report, attn_error *error)
{
    return print_grid(report, true, error);
}

#define GRID_TAKES                                                                                                     \
    (ATTN_TAKES_LAYERS | ATTN_TAKES_HEADS | ATTN_TAKES_QUERIES | ATTN_TAKES_KEYS | ATTN_TAKES_MIN | ATTN_TAKES_TOP |   \
     ATTN_TAKES_AVERAGE)

const attn_report_kind attn_report_weights = {
    .name = "weights",
    .summary = "who attends to whom: the weights after softmax",
    .columns = "text layer head query query_token key key_token weight",
    .shape = ATTN_SHAPE_GRID,
    .range = ATTN_RANGE_UNIT,
    .takes = GRID_TAKES | ATTN_TAKES_WORDS,
    .all_layers = true,
    .open = open_weights,
    .text = print_weights,
};

const attn_report_kind attn_report_scores = {
    .name = "scores",
    .summary = "the same before softmax",
    .columns = "text layer head query query_token key key_token score",
    .shape = ATTN_SHAPE_GRID,
    .range = ATTN_RANGE_SIGNED,
    .takes = GRID_TAKES,
    .all_layers = true,
    .open = open_scores,
    .text = print_scores,
};
