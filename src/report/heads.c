/* heads.c: the report `heads`: what each head does, as means over the queries of a text. With w the
 * weights of query i and the same token meaning the same id:
 *
 *   entropy    −Σ_j w_j log2 w_j, in bits: (½, ¼, ¼) has 1.5
 *   self       w_i
 *   previous   w_(i−1), 0 for the first query: uniform causal weights over 4 tokens give 13/48
 *   first      w_0
 *   same       Σ w_j over j < i with the same token
 *   induction  Σ w_(j+1) over j < i − 1 with the same token: the weight on what followed an
 *              earlier copy (Olsson et al. 2022, "In-context learning and induction heads");
 *              ABAB, uniform: 7/48
 *   distance   Σ_j w_j |i − j|, in tokens
 *
 * Padding and queries that see no key are not counted. */
#include "config.h"

#include "base/memory.h"
#include "report/kind.h"

#include <math.h>

enum { N_MEANS = 7 };

typedef struct profile {
    attn_report *report;
    uint32_t *ids; /* owned; [n]: the text's tokens */
    bool any;
    size_t layer, head, n_queries;
    double sums[N_MEANS]; /* entropy self previous first same induction distance */
} profile;

static attn_status flush(profile *p, attn_error *error)
{
    attn_cell cells[3 + N_MEANS] = {attn_cell_count(p->layer), attn_cell_count(p->head), attn_cell_count(p->n_queries)};
    if (!p->any)
        return ATTN_OK;
    for (size_t i = 0; i < N_MEANS; i++) {
        cells[3 + i] = attn_cell_number((float)(p->sums[i] / (double)p->n_queries));
        if (p->n_queries == 0)
            cells[3 + i].type = ATTN_CELL_NONE;
    }
    p->any = false;
    return attn_report_record(p->report, cells, error);
}

static void turn_to(profile *p, size_t layer, size_t head)
{
    p->any = true;
    p->layer = layer;
    p->head = head;
    p->n_queries = 0;
    for (size_t i = 0; i < N_MEANS; i++)
        p->sums[i] = 0;
}

static bool sees_a_key(const uint8_t *visible, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (visible[i] != 0)
            return true;
    return false;
}

static double entropy_of(const float *weights, size_t n)
{
    double entropy = 0;
    for (size_t j = 0; j < n; j++)
        if (weights[j] > 0 || isnan(weights[j]))
            entropy -= (double)(weights[j] * log2f(weights[j]));
    return entropy;
}

static double distance_from(const float *weights, size_t i, size_t n)
{
    double distance = 0;
    for (size_t j = 0; j < i; j++)
        distance += (double)weights[j] * (double)(i - j);
    for (size_t j = i + 1; j < n; j++)
        distance += (double)weights[j] * (double)(j - i);
    return distance;
}

/* Adds the weights of query I of N tokens. */
static void add_query(profile *p, const float *weights, size_t i, size_t n)
{
    double same = 0, induction = 0;
    for (size_t j = 0; j < i; j++)
        if (p->ids[j] == p->ids[i]) {
            same += weights[j];
            induction += j + 1 < i ? weights[j + 1] : 0;
        }
    p->n_queries++;
    p->sums[0] += entropy_of(weights, n);
    p->sums[1] += weights[i];
    p->sums[2] += i > 0 ? weights[i - 1] : 0;
    p->sums[3] += weights[0];
    p->sums[4] += same;
    p->sums[5] += induction;
    p->sums[6] += distance_from(weights, i, n);
}

static attn_status take_block(void *context, const attn_block *block, attn_error *error)
{
    profile *p = context;
    const uint8_t *padding = p->report->text->hidden_keys;
    for (size_t h = 0; h < block->n_heads; h++) {
        if (p->any && (p->layer != block->layer || p->head != block->head + h)) {
            attn_status status = flush(p, error);
            if (status != ATTN_OK)
                return status;
        }
        if (!p->any)
            turn_to(p, block->layer, block->head + h);
        for (size_t q = 0; q < block->n_queries; q++) {
            size_t at = (h * block->n_queries + q) * block->n_keys, query = block->query + q;
            if (p->report->query_units.selected[query] != 0 && (padding == NULL || padding[query] == 0) &&
                sees_a_key(block->visible + at, block->n_keys))
                add_query(p, block->values + at, query, block->n_keys);
        }
    }
    return ATTN_OK;
}

static attn_status print_heads(attn_report *report, attn_error *error)
{
    const attn_tokens *tokens = report->text->tokens;
    profile p = {.report = report, .ids = attn_alloc_array(tokens->count, sizeof *p.ids)};
    attn_observer callbacks = {.context = &p, .block = take_block};
    attn_status status;
    if (p.ids == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < tokens->count; i++)
        p.ids[i] = tokens->items[i].id;
    status = attn_report_run(report, ATTN_WANT_WEIGHTS, ATTN_BY_HEAD, &callbacks, error);
    if (status == ATTN_OK)
        status = flush(&p, error);
    attn_free(p.ids);
    return status;
}

const attn_report_kind attn_report_heads = {
    .name = "heads",
    .summary = "what each head does: entropy in bits, weight on itself, the previous, the first token …",
    .columns = "text layer head queries entropy self previous first same induction distance",
    .shape = ATTN_SHAPE_RECORDS,
    .cells = {.unit = "self previous first same induction", .positive = "entropy distance"},
    .by_head = true,
    .takes = ATTN_TAKES_LAYERS | ATTN_TAKES_HEADS | ATTN_TAKES_QUERIES,
    .all_layers = true,
    .only_self = true,
    .text = print_heads,
};
