/* readers_nearest.c: nearest words: one query against the speed of memory, many against that of
 * multiply-adds, both measured in the same run. */
#include "config.h"

#include "base/memory.h"
#include "bench/clock.h"
#include "bench/fma_peak.h"
#include "bench/readers.h"
#include "kernels/kernels.h"
#include "kernels/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 10, READ_STEP = 1 << 18, LANES = 8 };

typedef struct reading { /* the table once through, by as many threads */
    const uint64_t *words;
    size_t n_words;
    uint64_t sums[64];
} reading;

static void read_task(void *context, size_t index, size_t worker)
{
    reading *whole = context;
    const uint64_t *from = whole->words + index * READ_STEP;
    uint64_t sums[LANES] = {0};
    for (size_t i = 0; i < READ_STEP; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sums[lane] ^= from[i + lane];
    for (size_t lane = 0; lane < LANES; lane++)
        whole->sums[worker] ^= sums[lane];
}

/* The same by the kernels' widest loads. */
static void load_task(void *context, size_t index, size_t worker)
{
    reading *whole = context;
    const float *from = (const float *)(const void *)(whole->words + index * READ_STEP);
    whole->sums[worker] += attn_kernels()->row_max(from, 2 * READ_STEP) > 0;
}

/* GB/s, the better of two ways. */
static double read_bandwidth(const float *table, size_t count, attn_pool *pool, size_t runs)
{
    reading whole = {.words = (const void *)table, .n_words = count / 2};
    double best = 1e9;
    for (size_t run = 0; run < runs; run++) {
        double start = bench_seconds();
        attn_pool_run(pool, run % 2 == 0 ? read_task : load_task, &whole, whole.n_words / READ_STEP);
        start = bench_seconds() - start;
        best = start < best ? start : best;
    }
    return (double)(whole.n_words / READ_STEP * READ_STEP) * 8 / best / 1e9;
}

static double find_seconds(const attn_nearest *nearest, const float *queries, size_t n, size_t dim, attn_pool *pool,
                           size_t runs)
{
    attn_near_hit *hits = attn_alloc_array(n * TOP, sizeof *hits);
    size_t *n_hits = attn_alloc_array(n, sizeof *n_hits);
    attn_near_request request = {queries, dim, n, NULL, TOP, hits, n_hits};
    double best = 1e9;
    for (size_t run = 0; run < runs; run++) {
        double start = bench_seconds();
        if (hits == NULL || n_hits == NULL || attn_nearest_find(nearest, &request, pool, NULL) != ATTN_OK)
            bench_die("memory");
        start = bench_seconds() - start;
        best = start < best ? start : best;
    }
    attn_free(hits);
    attn_free(n_hits);
    return best;
}

static void with_threads(const bench_settings *settings, const float *table, size_t threads, bool peers)
{
    size_t count = settings->rows * settings->dim;
    attn_tensor rows = attn_tensor_f32(table, settings->rows, settings->dim);
    attn_pool *pool;
    attn_nearest *nearest;
    double seconds, bandwidth, peak;
    char what[64];
    if (attn_pool_open(threads, &pool, NULL) != ATTN_OK)
        bench_die("threads");
    bandwidth = read_bandwidth(table, count, pool, 2 * settings->runs + 2);
    seconds = bench_seconds();
    if (attn_nearest_open(&rows, pool, &nearest, NULL) != ATTN_OK)
        bench_die("memory");
    seconds = bench_seconds() - seconds;
    snprintf(what, sizeof what, "norms of %zu x %zu, %zu threads", settings->rows, settings->dim, threads);
    bench_line(what, (double)count * 4 / seconds / 1e9, "GB/s", "reading memory", bandwidth, true);
    seconds = find_seconds(nearest, table + 77 * settings->dim, 1, settings->dim, pool, settings->runs + 2);
    snprintf(what, sizeof what, "nearest, 1 query, %zu threads", threads);
    bench_line(what, (double)count * 4 / seconds / 1e9, "GB/s", "reading memory", bandwidth, true);
    if (peers)
        bench_peers(settings, "nearest1", seconds * 1e3, "ms", false);
    seconds =
        find_seconds(nearest, table, settings->queries, settings->dim, pool, settings->runs > 2 ? 2 : settings->runs);
    peak = bench_fma_peak(pool);
    snprintf(what, sizeof what, "nearest, %zu queries, %zu threads", settings->queries, threads);
    bench_line(what, 2 * (double)count * (double)settings->queries / seconds / 1e9, "GFLOP/s", "FMA peak", peak, true);
    if (peers)
        bench_peers(settings, "nearest", seconds, "s", false);
    attn_nearest_close(nearest);
    attn_pool_close(pool);
}

/* The table for readers_peers.py: float32 as they lie in memory. */
static void write_table(const char *path, const float *table, size_t count)
{
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(table, sizeof *table, count, out) != count || fclose(out) != 0)
        bench_die(path);
}

void bench_nearest(const bench_settings *settings)
{
    size_t count = settings->rows * settings->dim;
    float *table = attn_alloc_aligned(count, sizeof *table);
    uint64_t state = 99;
    if (table != NULL)
        attn_large_pages(table, count * sizeof *table); /* as attn_vectors_take does */
    if (table == NULL || settings->queries > settings->rows || settings->rows < 78)
        bench_die("memory, or too few rows");
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
        table[i] = (float)((double)(state >> 40) / 8388608.0 - 1);
    }
    if (settings->peers[0] != '\0')
        write_table(bench_path(settings, "table.f32"), table, count);
    with_threads(settings, table, 1, true);
    with_threads(settings, table, 2, false);
    attn_free(table);
}
