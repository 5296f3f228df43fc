/* neighbors.c: see neighbors.h. */
#include "config.h"

#include "report/neighbors.h"
#include "base/memory.h"

#include <math.h>

void attn_neighbors_init(attn_neighbors *neighbors, const attn_report *report)
{
    const attn_model *model = report->model;
    *neighbors = (attn_neighbors){.table = model->embeddings};
    if (neighbors->table.data == NULL) {
        neighbors->table.n_dims = 2;
        neighbors->table.shape[0] = model->n_vocab;
        neighbors->table.shape[1] = model->d_model;
    }
    neighbors->top = report->top < model->n_vocab ? report->top : model->n_vocab;
}

static attn_status make_room(attn_neighbors *neighbors, size_t n, attn_error *error)
{
    size_t size;
    if (n <= neighbors->capacity)
        return ATTN_OK;
    attn_free(neighbors->hits);
    attn_free(neighbors->n_hits);
    neighbors->hits = NULL;
    neighbors->capacity = 0;
    neighbors->n_hits = attn_alloc_array(n, sizeof *neighbors->n_hits);
    if (attn_multiply(n, neighbors->top, &size))
        neighbors->hits = attn_alloc_array(size, sizeof *neighbors->hits);
    if (neighbors->hits == NULL || neighbors->n_hits == NULL)
        return attn_fail_memory(error);
    neighbors->capacity = n;
    return ATTN_OK;
}

static attn_status open_index(attn_neighbors *neighbors, attn_report *report, attn_error *error)
{
    const attn_model *model = report->model;
    attn_status status = attn_nearest_open(&neighbors->table, report->pool, &neighbors->index, error);
    if (status != ATTN_OK)
        return status;
    report->counts.lost_vectors = attn_nearest_lost(neighbors->index);
    for (size_t i = 0; model->no_vector != NULL && i < model->n_vocab; i++)
        report->counts.lost_vectors -= model->no_vector[i]; /* said when they were loaded */
    return ATTN_OK;
}

static bool all_finite(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

attn_status attn_neighbors_ask(attn_neighbors *neighbors, attn_report *report, const float *queries, size_t stride,
                               size_t n, const attn_near_rows *excluded, attn_error *error)
{
    attn_near_request request = {
        .queries = queries, .stride = stride, .n_queries = n, .excluded = excluded, .top = neighbors->top};
    attn_status status = make_room(neighbors, n, error);
    if (status == ATTN_OK && neighbors->index == NULL)
        status = open_index(neighbors, report, error);
    if (status != ATTN_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        report->counts.lost_queries += !all_finite(queries + i * stride, report->model->d_model);
    request.hits = neighbors->hits;
    request.n_hits = neighbors->n_hits;
    return attn_nearest_find(neighbors->index, &request, report->pool, error);
}

bool attn_neighbors_hit(attn_neighbors *neighbors, const attn_report *report, size_t query, size_t rank,
                        attn_near_hit *hit)
{
    if (rank >= neighbors->n_hits[query])
        return false;
    *hit = neighbors->hits[query * neighbors->top + rank];
    if (!attn_report_shows(report, hit->similarity))
        return false;
    neighbors->label.size = 0;
    attn_tokenizer_label(report->model->tokenizer, (uint32_t)hit->row, report->request.raw_tokens, &neighbors->label);
    return true;
}

void attn_neighbors_close(attn_neighbors *neighbors)
{
    attn_nearest_close(neighbors->index);
    attn_free(neighbors->hits);
    attn_free(neighbors->n_hits);
    attn_buffer_free(&neighbors->label);
    *neighbors = (attn_neighbors){0};
}
