/* neighbors.c: see neighbors.h. */
#include "config.h"

#include "report/neighbors.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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

attn_status attn_neighbors_records(attn_neighbors *neighbors, attn_report *report, size_t query,
                                   const attn_cell *before, size_t n_before, attn_error *error)
{
    attn_cell cells[ATTN_NEIGHBOR_CELLS + 3];
    attn_buffer *label = &neighbors->label;
    attn_status status = ATTN_OK;
    assert(n_before <= ATTN_NEIGHBOR_CELLS);
    memcpy(cells, before, n_before * sizeof *cells);
    for (size_t rank = 0; status == ATTN_OK && rank < neighbors->n_hits[query]; rank++) {
        const attn_near_hit hit = neighbors->hits[query * neighbors->top + rank];
        if (!attn_report_shows(report, hit.similarity))
            break;
        label->size = 0;
        attn_tokenizer_label(report->model->tokenizer, (uint32_t)hit.row, report->request.raw_tokens, label);
        if (label->failed)
            return attn_fail_memory(error);
        cells[n_before] = attn_cell_count(rank + 1);
        cells[n_before + 1] = attn_cell_label(attn_buffer_bytes(label));
        cells[n_before + 2] = attn_cell_number(hit.similarity);
        status = attn_report_record(report, cells, error);
    }
    return status;
}

void attn_neighbors_close(attn_neighbors *neighbors)
{
    attn_nearest_close(neighbors->index);
    attn_free(neighbors->hits);
    attn_free(neighbors->n_hits);
    attn_buffer_free(&neighbors->label);
    *neighbors = (attn_neighbors){0};
}
