/* nearest.c: see nearest.h. The table is cut into tasks of rows; each worker keeps a list of
 * candidates for every query; at the end a task a query joins the workers' lists, computes the
 * exact similarities and orders them. Used by report/. */
#include "config.h"

#include "kernels/nearest.h"

#include "base/memory.h"
#include "kernels/kernels.h"
#include "kernels/nearest_list.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK_PANELS = 16, /* packed at a time: they stay in the second-level cache */
    BLOCK_ROWS = BLOCK_PANELS * ATTN_PANEL,
    TASK_ROWS = 8 * BLOCK_ROWS,
    BATCH = 1024,   /* queries that run together */
    FEW_QUERIES = 4 /* up to so many go row by row instead of by tiles */
};

struct attn_nearest {
    attn_tensor table;   /* data NULL: the identity */
    const float *direct; /* borrowed; [n_rows][dim]: the table, if it can be used in place */
    size_t n_rows, dim;
    float *inverse; /* owned; [n_rows]: 1/|row|; 0: a row of zeros; NAN: not finite, or odd */
    size_t *odd;    /* owned; [n_odd], ascending: finite rows whose squares leave float32's range */
    size_t n_odd, odd_capacity;
    size_t n_lost; /* rows that are not finite */
};

typedef struct near_worker { /* what one thread works with */
    float *rows;             /* [block_rows][dim]: converted rows, where the table can not be used in place */
    float *panels;           /* [block_rows/ATTN_PANEL][dim][ATTN_PANEL] */
    float *scores;           /* [tile_rows][ATTN_PANEL] */
    attn_near_list *lists;   /* [n_queries of the batch] */
    float *bars;             /* [n_queries]: the lists' bars side by side, looked at for every row */
    bool failed;             /* out of memory */
} near_worker;

typedef struct near_search { /* one batch */
    const attn_nearest *nearest;
    const attn_near_request *request;
    const attn_kernel_table *kernels;
    size_t first, n_queries; /* of the request's */
    attn_near_rule rule;
    float *units;         /* owned; [n_queries][dim]: the queries at length 1 */
    float *packed;        /* owned; [n_tiles][dim][tile_rows], or NULL: row by row */
    double *squares;      /* owned; [n_queries]: |query|²; 0: a query of zeros; NAN: not finite */
    near_worker *workers; /* owned; [n_workers] */
    size_t n_workers;
} near_search;

/* The rows of the largest block, whole panels: few where the table is small, which may be very wide. */
static size_t block_rows(const attn_nearest *nearest)
{
    return nearest->n_rows < BLOCK_ROWS ? (nearest->n_rows + ATTN_PANEL - 1) / ATTN_PANEL * ATTN_PANEL : BLOCK_ROWS;
}

/* Rows FIRST…FIRST+COUNT−1 of the table, [COUNT][dim]: in place or in ROOM. */
static const float *table_rows(const attn_nearest *nearest, size_t first, size_t count, float *room)
{
    if (nearest->direct != NULL)
        return nearest->direct + first * nearest->dim;
    if (nearest->table.data != NULL) {
        attn_tensor_read(&nearest->table, first, count, 0, nearest->dim, room, nearest->dim);
        return room;
    }
    memset(room, 0, count * nearest->dim * sizeof *room);
    for (size_t i = 0; i < count; i++)
        room[i * nearest->dim + first + i] = 1;
    return room;
}

static double dot(const float *a, const float *b, size_t n)
{
    double sums[4] = {0};
    size_t i = 0;
    for (; n - i >= 4; i += 4)
        for (size_t j = 0; j < 4; j++)
            sums[j] += (double)a[i + j] * b[i + j];
    for (; i < n; i++)
        sums[0] += (double)a[i] * b[i];
    return sums[0] + sums[1] + (sums[2] + sums[3]);
}

/* The cosine of two finite vectors that are not zero. */
static float cosine(const float *a, double a_squares, const float *b, size_t n)
{
    double value = dot(a, b, n) / sqrt(a_squares * dot(b, b, n));
    return (float)(value > 1 ? 1 : value < -1 ? -1 : value) + 0.0f; /* no −0 */
}

/* Opening: a task a run of rows, each worker with its own room for converted ones. */
typedef struct near_norms {
    attn_nearest *nearest;
    float **rooms; /* [n_workers] */
} near_norms;

static void norms_task(void *context, size_t index, size_t worker)
{
    const near_norms *norms = context;
    attn_nearest *nearest = norms->nearest;
    const attn_kernel_table *kernels = attn_kernels();
    size_t end = (index + 1) * TASK_ROWS, dim = nearest->dim;
    if (end > nearest->n_rows)
        end = nearest->n_rows;
    for (size_t first = index * TASK_ROWS; first < end; first += BLOCK_ROWS) {
        size_t count = end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS;
        const float *rows = table_rows(nearest, first, count, norms->rooms[worker]);
        for (size_t i = 0; i < count; i++) {
            const float *row = rows + i * dim;
            float squares;
            kernels->dots(1, dim, row, row, dim, &squares);
            if (squares > 0x1p-100f && squares < 0x1p100f)
                nearest->inverse[first + i] = 1 / sqrtf(squares);
            else
                nearest->inverse[first + i] = dot(row, row, dim) == 0 ? 0 : NAN;
        }
    }
}

/* Finds which of the rows without an inverse are finite after all. */
static attn_status list_odd_rows(attn_nearest *nearest, float *room, attn_error *error)
{
    for (size_t row = 0; row < nearest->n_rows; row++) {
        void *items = nearest->odd;
        if (!isnan(nearest->inverse[row]))
            continue;
        const float *values = table_rows(nearest, row, 1, room);
        if (!isfinite(dot(values, values, nearest->dim))) {
            nearest->n_lost++;
            continue;
        }
        if (!attn_grow(&items, &nearest->odd_capacity, nearest->n_odd, sizeof *nearest->odd))
            return attn_fail_memory(error);
        nearest->odd = items;
        nearest->odd[nearest->n_odd++] = row;
    }
    return ATTN_OK;
}

static size_t count_tasks(const attn_nearest *nearest)
{
    return nearest->n_rows / TASK_ROWS + (nearest->n_rows % TASK_ROWS != 0);
}

static attn_status measure_rows(attn_nearest *nearest, attn_pool *pool, attn_error *error)
{
    near_norms norms = {.nearest = nearest};
    size_t n_workers = attn_pool_size(pool);
    attn_status status = ATTN_OK;
    norms.rooms = attn_calloc_array(n_workers, sizeof *norms.rooms);
    if (norms.rooms == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < n_workers && status == ATTN_OK; i++) {
        size_t count;
        if (attn_multiply(block_rows(nearest), nearest->dim, &count))
            norms.rooms[i] = attn_alloc_aligned(count, sizeof **norms.rooms);
        if (norms.rooms[i] == NULL)
            status = attn_fail_memory(error);
    }
    if (status == ATTN_OK) {
        attn_pool_run(pool, norms_task, &norms, count_tasks(nearest));
        status = list_odd_rows(nearest, norms.rooms[0], error);
    }
    for (size_t i = 0; i < n_workers; i++)
        attn_free(norms.rooms[i]);
    attn_free(norms.rooms);
    return status;
}

attn_status attn_nearest_open(const attn_tensor *table, attn_pool *pool, attn_nearest **nearest, attn_error *error)
{
    attn_nearest *made = attn_calloc_array(1, sizeof *made);
    *nearest = NULL;
    if (made == NULL)
        return attn_fail_memory(error);
    made->table = *table;
    made->direct = table->data != NULL ? attn_tensor_as_f32(table) : NULL;
    made->n_rows = table->shape[0];
    made->dim = table->shape[1];
    made->inverse = attn_alloc_array(made->n_rows, sizeof *made->inverse);
    attn_status status = made->inverse != NULL ? measure_rows(made, pool, error) : attn_fail_memory(error);
    if (status == ATTN_OK)
        *nearest = made;
    else
        attn_nearest_close(made);
    return status;
}

size_t attn_nearest_lost(const attn_nearest *nearest)
{
    return nearest->n_lost;
}

void attn_nearest_close(attn_nearest *nearest)
{
    if (nearest == NULL)
        return;
    attn_free(nearest->inverse);
    attn_free(nearest->odd);
    attn_free(nearest);
}

static bool is_excluded(const near_search *search, size_t query, size_t row)
{
    const attn_near_rows *rows = search->request->excluded;
    if (rows == NULL)
        return false;
    rows += search->first + query;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->rows[i] == row)
            return true;
    return false;
}

static inline bool any_reaches(const float *scores /* [ATTN_PANEL] */, float bar)
{
    int any = 0;
    for (size_t j = 0; j < ATTN_PANEL; j++)
        any |= scores[j] >= bar;
    return any != 0;
}

/* Takes the similarities of COUNT <= ATTN_PANEL rows from ROW on to the list of QUERY. */
static void collect(const near_search *search, near_worker *worker, size_t query, size_t row,
                    const float *scores /* [ATTN_PANEL] */, size_t count)
{
    attn_near_list *list = &worker->lists[query];
    for (size_t j = 0; j < count; j++)
        if (scores[j] >= list->bar && !is_excluded(search, query, row + j) &&
            !attn_near_list_add(list, (attn_near_candidate){.row = row + j, .similarity = scores[j]}, &search->rule))
            worker->failed = true;
    worker->bars[query] = list->bar;
}

/* Multiplies column j of a panel by factors[j]. */
static void scale_panel(float *panel /* [depth][ATTN_PANEL] */, size_t depth, const float *factors /* [ATTN_PANEL] */)
{
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < ATTN_PANEL; j++)
            panel[k * ATTN_PANEL + j] *= factors[j];
}

/* ROWS [count][dim] are the table's from FIRST on. */
static void scan_by_tiles(const near_search *search, near_worker *worker, size_t first, size_t count, const float *rows)
{
    const attn_kernel_table *kernels = search->kernels;
    size_t dim = search->nearest->dim, tile = kernels->tile_rows;
    for (size_t at = 0; at < count; at += ATTN_PANEL) {
        size_t n = count - at < ATTN_PANEL ? count - at : ATTN_PANEL;
        float factors[ATTN_PANEL] = {0};
        memcpy(factors, search->nearest->inverse + first + at, n * sizeof *factors);
        kernels->pack_panel(n, dim, rows + at * dim, dim, 1, worker->panels + at * dim);
        scale_panel(worker->panels + at * dim, dim, factors);
    }
    for (size_t query = 0; query < search->n_queries; query += tile) {
        size_t n_queries = search->n_queries - query < tile ? search->n_queries - query : tile;
        for (size_t at = 0; at < count; at += ATTN_PANEL) {
            size_t n = count - at < ATTN_PANEL ? count - at : ATTN_PANEL;
            kernels->product(n_queries, dim, search->packed + query * dim, worker->panels + at * dim, worker->scores,
                             ATTN_PANEL, false);
            for (size_t i = 0; i < n_queries; i++) {
                const float *scores = worker->scores + i * ATTN_PANEL;
                if (any_reaches(scores, worker->bars[query + i]))
                    collect(search, worker, query + i, first + at, scores, n);
            }
        }
    }
}

static void scan_by_rows(const near_search *search, near_worker *worker, size_t first, size_t count, const float *rows)
{
    size_t dim = search->nearest->dim;
    for (size_t at = 0; at < count; at += ATTN_PANEL) {
        size_t n = count - at < ATTN_PANEL ? count - at : ATTN_PANEL;
        for (size_t query = 0; query < search->n_queries; query++) {
            float scores[ATTN_PANEL] = {0};
            search->kernels->dots(n, dim, search->units + query * dim, rows + at * dim, dim, scores);
            for (size_t j = 0; j < n; j++)
                scores[j] *= search->nearest->inverse[first + at + j];
            if (any_reaches(scores, worker->bars[query]))
                collect(search, worker, query, first + at, scores, n);
        }
    }
}

static void scan_task(void *context, size_t index, size_t number)
{
    const near_search *search = context;
    near_worker *worker = &search->workers[number];
    size_t end = (index + 1) * TASK_ROWS;
    if (end > search->nearest->n_rows)
        end = search->nearest->n_rows;
    for (size_t first = index * TASK_ROWS; first < end; first += BLOCK_ROWS) {
        size_t count = end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS;
        const float *rows = table_rows(search->nearest, first, count, worker->rows);
        if (search->packed != NULL)
            scan_by_tiles(search, worker, first, count, rows);
        else
            scan_by_rows(search, worker, first, count, rows);
    }
}

/* A query of zeros: everything is at similarity 0, so the first rows answer. */
static void answer_zero(const near_search *search, size_t query)
{
    const attn_nearest *nearest = search->nearest;
    const attn_near_request *request = search->request;
    attn_near_hit *hits = request->hits + (search->first + query) * request->top;
    size_t n = 0, odd = 0;
    for (size_t row = 0; row < nearest->n_rows && n < search->rule.top; row++) {
        bool is_odd = odd < nearest->n_odd && nearest->odd[odd] == row;
        odd += is_odd;
        if ((is_odd || !isnan(nearest->inverse[row])) && !is_excluded(search, query, row))
            hits[n++] = (attn_near_hit){.row = row};
    }
    request->n_hits[search->first + query] = n;
}

/* All candidates of QUERY in one list, none that can be among the nearest missing. False: out of memory. */
static bool join_lists(const near_search *search, size_t query, attn_near_list *joined)
{
    const attn_nearest *nearest = search->nearest;
    for (size_t w = 1; w < search->n_workers; w++) {
        attn_near_list *list = &search->workers[w].lists[query];
        for (size_t i = 0; i < list->count; i++)
            if (!attn_near_list_add(joined, list->items[i], &search->rule))
                return false;
        attn_near_list_free(list);
    }
    attn_near_list_prune(joined, &search->rule);
    for (size_t i = 0; i < nearest->n_odd; i++)
        if (!is_excluded(search, query, nearest->odd[i]) &&
            !attn_near_list_append(joined, (attn_near_candidate){.row = nearest->odd[i]}))
            return false;
    return true;
}

static void answer_task(void *context, size_t query, size_t number)
{
    const near_search *search = context;
    const attn_nearest *nearest = search->nearest;
    const attn_near_request *request = search->request;
    near_worker *worker = &search->workers[number];
    attn_near_list *joined = &search->workers[0].lists[query];
    const float *vector = request->queries + (search->first + query) * request->stride;
    if (isnan(search->squares[query]))
        return;
    if (search->squares[query] == 0) {
        answer_zero(search, query);
        return;
    }
    if (!join_lists(search, query, joined)) {
        worker->failed = true;
        return;
    }
    for (size_t i = 0; i < joined->count; i++) {
        size_t row = joined->items[i].row;
        joined->items[i].similarity =
            nearest->inverse[row] == 0
                ? 0
                : cosine(vector, search->squares[query], table_rows(nearest, row, 1, worker->rows), nearest->dim);
    }
    attn_near_list_sort(joined);
    size_t n = joined->count < search->rule.top ? joined->count : search->rule.top;
    for (size_t i = 0; i < n; i++)
        request->hits[(search->first + query) * request->top + i] =
            (attn_near_hit){.row = joined->items[i].row, .similarity = joined->items[i].similarity};
    request->n_hits[search->first + query] = n;
    attn_near_list_free(joined);
}

/* The batch's queries at length 1, packed where there are many. */
static void prepare_queries(near_search *search)
{
    const attn_near_request *request = search->request;
    size_t dim = search->nearest->dim, tile = search->kernels->tile_rows;
    for (size_t query = 0; query < search->n_queries; query++) {
        const float *from = request->queries + (search->first + query) * request->stride;
        double squares = dot(from, from, dim);
        bool usable = isfinite(squares) && squares > 0;
        search->squares[query] = isfinite(squares) ? squares : NAN;
        double factor = usable ? 1 / sqrt(squares) : 0;
        for (size_t k = 0; k < dim; k++)
            search->units[query * dim + k] = usable ? (float)(from[k] * factor) : 0;
        for (size_t w = 0; w < search->n_workers; w++) {
            near_worker *worker = &search->workers[w];
            worker->lists[query].bar = worker->bars[query] = usable ? -INFINITY : INFINITY;
        }
    }
    for (size_t query = 0; search->packed != NULL && query < search->n_queries; query += tile) {
        size_t n = search->n_queries - query < tile ? search->n_queries - query : tile;
        search->kernels->pack_rows(n, dim, search->units + query * dim, dim, 1, search->packed + query * dim);
    }
}

static bool open_worker(near_worker *worker, const near_search *search)
{
    size_t dim = search->nearest->dim, tile = search->kernels->tile_rows * ATTN_PANEL, block;
    if (!attn_multiply(block_rows(search->nearest), dim, &block))
        return false;
    worker->lists = attn_calloc_array(search->n_queries, sizeof *worker->lists);
    worker->bars = attn_alloc_array(search->n_queries, sizeof *worker->bars);
    worker->rows = attn_alloc_aligned(block, sizeof *worker->rows);
    worker->panels = attn_alloc_aligned(search->packed != NULL ? block : 0, sizeof *worker->panels);
    worker->scores = attn_alloc_aligned(tile, sizeof *worker->scores);
    return worker->lists != NULL && worker->bars != NULL && worker->rows != NULL && worker->panels != NULL &&
           worker->scores != NULL;
}

static void close_worker(near_worker *worker, size_t n_queries)
{
    for (size_t i = 0; worker->lists != NULL && i < n_queries; i++)
        attn_near_list_free(&worker->lists[i]);
    attn_free(worker->lists);
    attn_free(worker->bars);
    attn_free(worker->rows);
    attn_free(worker->panels);
    attn_free(worker->scores);
}

static bool open_search(near_search *search)
{
    size_t dim = search->nearest->dim, tile = search->kernels->tile_rows;
    size_t padded = (search->n_queries + tile - 1) / tile * tile;
    bool by_tiles = search->n_queries > FEW_QUERIES, opened = true;
    size_t count;
    if (!attn_multiply(padded, dim, &count))
        return false;
    search->units = attn_alloc_array(count, sizeof *search->units);
    search->squares = attn_alloc_array(search->n_queries, sizeof *search->squares);
    search->packed = by_tiles ? attn_alloc_aligned(count, sizeof *search->packed) : NULL;
    search->workers = attn_calloc_array(search->n_workers, sizeof *search->workers);
    if (search->workers == NULL || search->units == NULL || search->squares == NULL ||
        (by_tiles && search->packed == NULL))
        return false;
    for (size_t i = 0; i < search->n_workers; i++)
        opened = opened && open_worker(&search->workers[i], search);
    return opened;
}

static void close_search(near_search *search)
{
    for (size_t i = 0; search->workers != NULL && i < search->n_workers; i++)
        close_worker(&search->workers[i], search->n_queries);
    attn_free(search->workers);
    attn_free(search->units);
    attn_free(search->packed);
    attn_free(search->squares);
}

static attn_status find_batch(near_search *search, attn_pool *pool, attn_error *error)
{
    bool failed = !open_search(search);
    if (!failed) {
        prepare_queries(search);
        attn_pool_run(pool, scan_task, search, count_tasks(search->nearest));
        attn_pool_run(pool, answer_task, search, search->n_queries);
        for (size_t i = 0; i < search->n_workers; i++)
            failed = failed || search->workers[i].failed;
    }
    close_search(search);
    return failed ? attn_fail_memory(error) : ATTN_OK;
}

attn_status attn_nearest_find(const attn_nearest *nearest, const attn_near_request *request, attn_pool *pool,
                              attn_error *error)
{
    near_search search = {.nearest = nearest, .request = request, .kernels = attn_kernels()};
    attn_status status = ATTN_OK;
    memset(request->n_hits, 0, request->n_queries * sizeof *request->n_hits);
    search.rule.top = request->top < nearest->n_rows ? request->top : nearest->n_rows;
    if (search.rule.top == 0)
        return ATTN_OK;
    /* with u = 2^-24, a dot of unit vectors errs by at most dim·u, their lengths by dim·u/2 and a
     * few u each (N. Higham, "Accuracy and Stability of Numerical Algorithms", 3.1); twice that */
    search.rule.margin = 4 * ((float)nearest->dim + 8) * 0x1p-24f;
    search.n_workers = attn_pool_size(pool);
    for (size_t first = 0; first < request->n_queries && status == ATTN_OK; first += BATCH) {
        near_search batch = search;
        batch.first = first;
        batch.n_queries = request->n_queries - first < BATCH ? request->n_queries - first : BATCH;
        status = find_batch(&batch, pool, error);
    }
    return status;
}
