/* matmul.c: see matmul.h. Used by pass/; knows tensors and kernels, nothing of attention.
 *
 * Rows are taken in stripes. A stripe's x is packed once and shared; then each task takes a few
 * panels of W's columns: for each span of depth it packs those panels into its own workspace and
 * runs the tile down the stripe, block of depth by block of depth.
 *
 *   W            ─ a span of a few columns ─▶ panels in the workspace ─┐
 *   stripe of x  ─ packed rows ────────────────────────────────────────┴▶ tiles of y
 *
 * W is read once a stripe, from whatever type it is stored in. */
#include "config.h"

#include "kernels/matmul.h"

#include "base/memory.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <string.h>

enum {
    DEPTH = 256,             /* of a block: a panel of it is 16 KiB */
    STRIPE_FLOATS = 1 << 20, /* packed x, unless that is fewer rows than the plan's */
    SMALL = 1 << 16          /* multiply-adds below which threads are not worth waking */
};

typedef struct plan {   /* how a product is cut; what it gives does not depend on it */
    size_t panels;      /* a task packs at once */
    size_t span;        /* of depth packed at a time */
    size_t run;         /* rows that pass over those panels before the next rows */
    size_t stripe_rows; /* at least */
} plan;

/* Measured: a small W keeps y in the cache over its whole depth; a large one (a feed-forward's, an
 * output head's) rather has x read by fewer tasks and W packed once for 1024 rows. */
static const plan small_plan = {.panels = 4, .span = 4 * DEPTH, .run = 96, .stripe_rows = 512};
static const plan large_plan = {.panels = 8, .span = DEPTH, .run = 192, .stripe_rows = 1024};
enum { LARGE = 1 << 20 }; /* numbers of W */

typedef struct workspace {
    float *panels; /* [span/DEPTH][panels][DEPTH][ATTN_PANEL] of the plan */
    float *rows;   /* [ATTN_PANEL][DEPTH]: columns of W stored as rows, before they are packed */
    float *tile;   /* [ATTN_MAX_TILE_ROWS][ATTN_PANEL]: a tile over y's right edge */
} workspace;

typedef struct job {
    const attn_product *product; /* borrowed */
    const attn_kernel_table *kernels;
    const plan *plan;
    size_t in, out;
    size_t first, n_rows;  /* the stripe */
    float *packed;         /* owned; [groups][in][tile_rows] */
    workspace *workspaces; /* owned; [workers] */
    float *memory;         /* owned; what the workspaces point into */
} job;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t pieces(size_t whole, size_t part)
{
    return whole / part + (whole % part != 0);
}

static void pack_group(void *context, size_t index, size_t worker)
{
    const job *j = context;
    size_t rows = j->kernels->tile_rows;
    size_t row = index * rows;
    (void)worker;
    j->kernels->pack_rows(smaller(rows, j->n_rows - row), j->in,
                          j->product->x + (j->first + row) * j->product->x_stride, j->product->x_stride, 1,
                          j->packed + index * j->in * rows);
}

/* The first element of a matrix whose rows are aligned float32 of this machine, each row's numbers
 * side by side; NULL: it must be converted. */
static const float *native_rows(const attn_tensor *matrix)
{
    attn_tensor row = attn_tensor_rows(*matrix, 0, 1);
    return attn_tensor_as_f32(&row);
}

/* One panel of W[k…k+depth−1][column…column+width−1] where W is stored as [out][in]. */
static void pack_transposed(const job *j, const workspace *work, size_t k, size_t depth, size_t column, size_t width,
                            float *panel)
{
    attn_tensor stored = attn_tensor_transpose(*j->product->w);
    const float *rows = native_rows(&stored);
    size_t stride = (size_t)stored.strides[0];
    if (rows == NULL) {
        attn_tensor_read(&stored, column, width, k, depth, work->rows, DEPTH);
        j->kernels->pack_panel(width, depth, work->rows, DEPTH, 1, panel);
        return;
    }
    j->kernels->pack_panel(width, depth, rows + column * stride + k, stride, 1, panel);
}

/* The same where it must be converted. */
static void pack_converted(const job *j, size_t k, size_t depth, size_t column, size_t width, float *panel)
{
    if (width < ATTN_PANEL)
        memset(panel, 0, depth * ATTN_PANEL * sizeof *panel);
    attn_tensor_read(j->product->w, k, depth, column, width, panel, ATTN_PANEL);
}

/* All panels of W's float32 rows, a few rows at a time: what lies side by side is read together. */
static void copy_panels(const job *j, const float *rows, size_t k, size_t depth, size_t column, size_t width,
                        float *panels)
{
    size_t stride = (size_t)j->product->w->strides[0];
    for (size_t i = 0; i < depth; i += ATTN_PANEL)
        for (size_t c = 0; c < width; c += ATTN_PANEL)
            j->kernels->copy_panel(smaller(ATTN_PANEL, depth - i), smaller(ATTN_PANEL, width - c),
                                   rows + (k + i) * stride + column + c, stride, panels + c * DEPTH + i * ATTN_PANEL);
}

/* W[k…k+depth−1][column…column+width−1] as panels, DEPTH·ATTN_PANEL floats apart. */
static void pack_weights(const job *j, const workspace *work, size_t k, size_t depth, size_t column, size_t width,
                         float *panels)
{
    const attn_tensor *w = j->product->w;
    bool transposed = w->strides[0] == 1 && w->strides[1] != 1;
    const float *rows = transposed ? NULL : native_rows(w);
    if (rows != NULL) {
        copy_panels(j, rows, k, depth, column, width, panels);
        return;
    }
    for (size_t c = 0; c < width; c += ATTN_PANEL) {
        size_t columns = smaller(ATTN_PANEL, width - c);
        if (transposed)
            pack_transposed(j, work, k, depth, column + c, columns, panels + c * DEPTH);
        else
            pack_converted(j, k, depth, column + c, columns, panels + c * DEPTH);
    }
}

/* The bias of a tile's columns, before the first block of depth is added. */
static void start_tile(const float *bias, float *y, size_t stride, size_t rows, size_t width)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(y + i * stride, bias, width * sizeof *y);
}

/* One tile of y: a block of depth of ROWS packed rows against a panel. */
static void tile(const job *j, const workspace *work, size_t row, size_t rows, size_t k, size_t depth,
                 const float *panel, size_t column)
{
    const attn_kernel_table *kernels = j->kernels;
    const float *a = j->packed + row * j->in + k * kernels->tile_rows;
    size_t stride = j->product->y_stride;
    float *y = j->product->y + (j->first + row) * stride + column;
    size_t width = smaller(ATTN_PANEL, j->out - column);
    bool add = k > 0 || j->product->bias != NULL;
    if (k == 0 && j->product->bias != NULL)
        start_tile(j->product->bias + column, y, stride, rows, width);
    if (width == ATTN_PANEL) {
        kernels->product(rows, depth, a, panel, y, stride, add);
        return;
    }
    kernels->product(rows, depth, a, panel, work->tile, ATTN_PANEL, false);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < width; c++)
            y[i * stride + c] =
                add ? y[i * stride + c] + work->tile[i * ATTN_PANEL + c] : work->tile[i * ATTN_PANEL + c];
}

/* Where x has no columns y is the bias alone, or 0. */
static void fill_columns(const job *j, size_t column, size_t width)
{
    const attn_product *p = j->product;
    for (size_t i = 0; i < j->n_rows; i++) {
        float *y = p->y + (j->first + i) * p->y_stride + column;
        for (size_t c = 0; c < width; c++)
            y[c] = p->bias != NULL ? p->bias[column + c] : 0;
    }
}

/* The plan's run of rows from ROW on against the packed span of W: block by block of depth, so that
 * what they add to stays in the cache. */
static void multiply_run(const job *j, const workspace *work, size_t row, size_t k, size_t span, size_t column,
                         size_t width)
{
    size_t tile_rows = j->kernels->tile_rows;
    size_t end = smaller(row + j->plan->run / tile_rows * tile_rows, j->n_rows);
    for (size_t at = 0; at < span; at += DEPTH) {
        size_t depth = smaller(DEPTH, span - at);
        for (size_t c = 0; c < width; c += ATTN_PANEL) {
            const float *panel = work->panels + at * j->plan->panels * ATTN_PANEL + c * DEPTH;
            for (size_t r = row; r < end; r += tile_rows)
                tile(j, work, r, smaller(tile_rows, end - r), k + at, depth, panel, column + c);
        }
    }
}

static void multiply_columns(void *context, size_t index, size_t worker)
{
    const job *j = context;
    const workspace *work = &j->workspaces[worker];
    size_t from = index * j->plan->panels * ATTN_PANEL;
    size_t width = smaller(j->plan->panels * ATTN_PANEL, j->out - from);
    size_t run = j->plan->run / j->kernels->tile_rows * j->kernels->tile_rows;
    for (size_t k = 0; k < j->in; k += j->plan->span) {
        size_t span = smaller(j->plan->span, j->in - k);
        for (size_t at = 0; at < span; at += DEPTH)
            pack_weights(j, work, k + at, smaller(DEPTH, span - at), from, width,
                         work->panels + at * j->plan->panels * ATTN_PANEL);
        for (size_t row = 0; row < j->n_rows; row += run)
            multiply_run(j, work, row, k, span, from, width);
    }
    if (j->in == 0)
        fill_columns(j, from, width);
}

/* Rows of a stripe: whole groups, and as many as fit in the memory given to packed x. */
static size_t stripe_rows(const job *j)
{
    size_t tile_rows = j->kernels->tile_rows;
    size_t rows = STRIPE_FLOATS / (j->in > 0 ? j->in : 1);
    rows = rows > j->plan->stripe_rows ? rows : j->plan->stripe_rows;
    rows = smaller(rows, j->product->n_rows);
    return pieces(rows, tile_rows) * tile_rows;
}

static bool make_room(job *j, size_t rows, size_t workers)
{
    const size_t panels = j->plan->panels * j->plan->span * ATTN_PANEL;
    const size_t each = panels + (size_t)ATTN_PANEL * DEPTH + (size_t)ATTN_MAX_TILE_ROWS * ATTN_PANEL;
    size_t floats, bytes;
    if (!attn_multiply(rows, j->in, &floats) || !attn_multiply(workers, each, &bytes))
        return false;
    j->packed = attn_alloc_aligned(floats, sizeof(float));
    j->workspaces = attn_alloc_array(workers, sizeof *j->workspaces);
    j->memory = attn_alloc_aligned(bytes, sizeof(float));
    if (j->packed == NULL || j->workspaces == NULL || j->memory == NULL)
        return false;
    for (size_t i = 0; i < workers; i++) {
        float *start = j->memory + i * each;
        j->workspaces[i] =
            (workspace){.panels = start, .rows = start + panels, .tile = start + panels + ATTN_PANEL * DEPTH};
    }
    return true;
}

attn_status attn_matmul(const attn_product *product, attn_pool *pool, attn_error *error)
{
    job j = {.product = product, .kernels = attn_kernels()};
    attn_status status = ATTN_OK;
    assert(product->w->n_dims == 2);
    j.in = product->w->shape[0];
    j.out = product->w->shape[1];
    j.plan = j.out > 0 && j.in > LARGE / j.out ? &large_plan : &small_plan;
    if (product->n_rows == 0 || j.out == 0)
        return ATTN_OK;
    if ((double)product->n_rows * (double)j.in * (double)j.out < SMALL)
        pool = NULL;
    size_t rows = stripe_rows(&j);
    if (!make_room(&j, rows, attn_pool_size(pool))) {
        status = attn_fail_memory(error);
        goto done;
    }
    for (j.first = 0; j.first < product->n_rows; j.first += rows) {
        j.n_rows = smaller(rows, product->n_rows - j.first);
        attn_pool_run(pool, pack_group, &j, pieces(j.n_rows, j.kernels->tile_rows));
        attn_pool_run(pool, multiply_columns, &j, pieces(j.out, j.plan->panels * ATTN_PANEL));
    }
done:
    attn_free(j.memory);
    attn_free(j.workspaces);
    attn_free(j.packed);
    return status;
}
