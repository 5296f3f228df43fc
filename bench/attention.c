/* attention.c: how fast the attention core, or a whole layer's attention, runs.
 *
 *   bench/attention -n N -H HEADS -d HEADDIM -j THREADS [-r RUNS] [--full]
 *                   [--layer | --projection [--blas=LIBRARY]]
 *
 * One line, tab-separated: what, n, heads, head_dim, threads, kernel, median ms, best ms, median
 * GFLOP/s, the FMA peak measured in the same run, the share of it. Counted are 2 operations a
 * multiply-add of visible pairs: 4·head_dim a pair, half of the pairs when causal, and
 * 8·n·d_model² for the four projections of --layer.
 *
 * --projection is one of these; with --blas the cblas_sgemm of that shared library does the same in
 * turns, and a second line is its. Set its threads as it wants (BLIS_NUM_THREADS, …). */
#include "config.h"

#include "attention/attention.h"
#include "base/memory.h"
#include "bench/clock.h"
#include "bench/fma_peak.h"
#include "kernels/kernels.h"
#include "kernels/matmul.h"

#include <dlfcn.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000, N_PROJECTIONS = 4 };

typedef struct settings {
    size_t n, n_heads, head_dim, threads, runs;
    bool full, layer, projection;
    const char *blas; /* a shared library, or NULL */
} settings;

/* As every CBLAS has it; row-major 101, no transpose 111. */
typedef void sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                   const float *b, int ldb, float beta, float *c, int ldc);

typedef struct work {
    settings s;
    sgemm *peer; /* or NULL */
    size_t d_model;
    attn_rule rule;
    attn_mask mask;
    float *x, *q, *k, *v, *heads, *out; /* owned; [n][d_model] */
    float *w[N_PROJECTIONS];            /* owned; [d_model][d_model] */
    attn_pool *pool;
} work;

static float *random_numbers(size_t n, float size)
{
    static uint64_t state = 88172645463325252u;
    float *x = attn_alloc_aligned(n, sizeof *x);
    if (x == NULL) {
        fputs("bench/attention: out of memory\n", stderr);
        exit(1);
    }
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        x[i] = size * ((float)(state >> 40) / 8388608.0F - 1);
    }
    return x;
}

static void prepare(work *w)
{
    size_t rows = w->s.n * w->s.n_heads * w->s.head_dim;
    w->d_model = w->s.n_heads * w->s.head_dim;
    w->rule = attn_rule_default();
    w->rule.n_heads = w->rule.n_kv_heads = w->s.n_heads;
    w->rule.head_dim = w->rule.value_dim = w->s.head_dim;
    w->mask = (attn_mask){.causal = !w->s.full};
    if (w->s.layer || w->s.projection) {
        w->x = random_numbers(rows, 1);
        for (size_t i = 0; i < N_PROJECTIONS; i++)
            w->w[i] = random_numbers(w->d_model * w->d_model, 0.05F);
    }
    w->q = random_numbers(rows, 2);
    w->heads = random_numbers(rows, 1);
    if (w->s.projection)
        return;
    w->k = random_numbers(rows, 2);
    w->v = random_numbers(rows, 1);
    if (w->s.layer)
        w->out = random_numbers(rows, 1);
}

static void release(work *w)
{
    float *all[] = {w->x, w->q, w->k, w->v, w->heads, w->out, w->w[0], w->w[1], w->w[2], w->w[3]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        attn_free(all[i]);
    attn_pool_close(w->pool);
}

static void project(work *w, const float *x, size_t which, float *y)
{
    attn_tensor weights = attn_tensor_f32(w->w[which], w->d_model, w->d_model);
    attn_product p = {x, w->d_model, w->s.n, &weights, NULL, y, w->d_model};
    attn_matmul(&p, w->pool, NULL);
}

static void run_once(work *w)
{
    size_t d = w->s.head_dim, row = w->d_model;
    attn_attention a = {.rule = &w->rule,
                        .mask = &w->mask,
                        .n_queries = w->s.n,
                        .n_keys = w->s.n,
                        .q = {w->q, row, d},
                        .k = {w->k, row, d},
                        .v = {w->v, row, d}};
    if (w->s.projection) {
        project(w, w->x, 0, w->q);
        return;
    }
    if (w->s.layer) {
        project(w, w->x, 0, w->q);
        project(w, w->x, 1, w->k);
        project(w, w->x, 2, w->v);
    }
    attn_attention_run(&a, w->heads, row, w->pool, NULL);
    if (w->s.layer)
        project(w, w->heads, 3, w->out);
}

static void run_peer(work *w)
{
    int n = (int)w->s.n, d = (int)w->d_model;
    w->peer(101, 111, 111, n, d, d, 1, w->x, d, w->w[0], d, 0, w->heads, d);
}

static double seconds_of(work *w, void (*once)(work *))
{
    double start = bench_seconds();
    once(w);
    return bench_seconds() - start;
}

static double operations(const work *w)
{
    double n = (double)w->s.n, d = (double)w->d_model;
    double core = 4 * n * n * d * (w->s.full ? 1 : 0.5);
    if (w->s.projection)
        return 2 * n * d * d;
    return core + (w->s.layer ? 8 * n * d * d : 0);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_line(const work *w, const char *kernel, double *seconds, double peak)
{
    double median, rate;
    qsort(seconds, w->s.runs, sizeof seconds[0], by_size);
    median = seconds[w->s.runs / 2];
    rate = operations(w) / median / 1e9;
    printf("%s\t%zu\t%zu\t%zu\t%zu\t%s\t%.3f\t%.3f\t%.1f\t%.1f\t%.3f\n",
           w->s.projection ? "projection"
           : w->s.layer    ? w->s.full ? "full layer" : "causal layer"
           : w->s.full     ? "full"
                           : "causal",
           w->s.n, w->s.n_heads, w->s.head_dim, attn_pool_size(w->pool), kernel, median * 1e3, seconds[0] * 1e3, rate,
           peak, peak > 0 ? rate / peak : 0);
}

static void measure(work *w)
{
    double own[MOST_RUNS], peers[MOST_RUNS], peak = bench_fma_peak(w->pool), after;
    run_once(w);
    if (w->peer != NULL)
        run_peer(w);
    for (size_t i = 0; i < w->s.runs; i++) {
        own[i] = seconds_of(w, run_once);
        if (w->peer != NULL)
            peers[i] = seconds_of(w, run_peer);
    }
    after = bench_fma_peak(w->pool);
    peak = after > peak ? after : peak;
    print_line(w, attn_kernels()->name, own, peak);
    if (w->peer != NULL)
        print_line(w, w->s.blas, peers, peak);
}

static bool load_peer(work *w)
{
    void *library, *symbol;
    if (w->s.blas == NULL)
        return true;
    library = dlopen(w->s.blas, RTLD_NOW | RTLD_LOCAL);
    symbol = library != NULL ? dlsym(library, "cblas_sgemm") : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "bench/attention: %s\n", dlerror());
        return false;
    }
    /* POSIX's way from an object to a function pointer */
    memcpy(&w->peer, &symbol, sizeof w->peer);
    return true;
}

static bool parse(int argc, char **argv, settings *s)
{
    static const struct option options[] = {{"full", no_argument, NULL, 'f'},
                                            {"layer", no_argument, NULL, 'l'},
                                            {"projection", no_argument, NULL, 'p'},
                                            {"blas", required_argument, NULL, 'b'},
                                            {NULL, 0, NULL, 0}};
    int option;
    *s = (settings){.n = 1024, .n_heads = 12, .head_dim = 64, .threads = 1, .runs = 21};
    while ((option = getopt_long(argc, argv, "n:H:d:j:r:", options, NULL)) != -1) {
        size_t number = optarg != NULL && option != 'b' ? (size_t)strtoul(optarg, NULL, 10) : 1;
        switch (option) {
        case 'n':
            s->n = number;
            break;
        case 'H':
            s->n_heads = number;
            break;
        case 'd':
            s->head_dim = number;
            break;
        case 'j':
            s->threads = number;
            break;
        case 'r':
            s->runs = number;
            break;
        case 'f':
            s->full = true;
            break;
        case 'l':
            s->layer = true;
            break;
        case 'p':
            s->projection = true;
            break;
        case 'b':
            s->blas = optarg;
            break;
        default:
            return false;
        }
        if (number == 0)
            return false;
    }
    return optind == argc && s->runs <= MOST_RUNS && (s->blas == NULL || s->projection);
}

int main(int argc, char **argv)
{
    work w = {0};
    if (!parse(argc, argv, &w.s)) {
        fputs("usage: bench/attention [-n N] [-H HEADS] [-d HEADDIM] [-j THREADS] [-r RUNS] [--full] "
              "[--layer | --projection [--blas=LIBRARY]]\n",
              stderr);
        return 2;
    }
    if (!load_peer(&w) || attn_pool_open(w.s.threads, &w.pool, NULL) != ATTN_OK)
        return 1;
    prepare(&w);
    measure(&w);
    release(&w);
    return 0;
}
