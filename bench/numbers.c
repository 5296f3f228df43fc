/* numbers.c: how fast float32 becomes text.
 *
 *   bench/numbers [-r RUNS]
 *
 * 2.1 million attention weights (8 heads, 512 queries, softmax of random scores, no mask) to
 * /dev/null, one thread, processor time, runs interleaved. Lines, tab-separated: what, median ms,
 * best ms, ns a number, how many times fprintf's speed by the medians. std::to_chars is measured
 * where bench/to_chars.so has been built (make bench/to_chars.so, a C++17 compiler). */
#include "config.h"

#include "base/memory.h"
#include "output/number.h"
#include "output/sink.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { N_KEYS = 512, N_ROWS = 8 * 512, N = N_ROWS * N_KEYS, BATCH = 256, MOST_RUNS = 99 };

/* Processor time: what else runs on the machine counts less than on the clock. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef size_t to_text(const float *values, size_t n, char *text); /* each behind a tab */

static size_t ours_shortest(const float *values, size_t n, char *text)
{
    return attn_numbers_f32(values, n, ATTN_SHORTEST, '\t', text);
}

static size_t ours_one_by_one(const float *values, size_t n, char *text)
{
    char *at = text;
    for (size_t i = 0; i < n; i++) {
        *at++ = '\t';
        at += attn_number_f32(values[i], ATTN_SHORTEST, at);
    }
    return (size_t)(at - text);
}

static size_t ours_six(const float *values, size_t n, char *text)
{
    return attn_numbers_f32(values, n, 6, '\t', text);
}

static float *weights(void)
{
    uint64_t state = 88172645463325252u;
    float *w = attn_alloc_array(N, sizeof *w);
    if (w == NULL)
        exit(1);
    for (size_t row = 0; row < N_ROWS; row++) {
        double sum = 0;
        for (size_t i = 0; i < N_KEYS; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            w[row * N_KEYS + i] = expf(4 * ((float)(state >> 40) / 8388608.0F - 1));
            sum += w[row * N_KEYS + i];
        }
        for (size_t i = 0; i < N_KEYS; i++)
            w[row * N_KEYS + i] = (float)(w[row * N_KEYS + i] / sum);
    }
    return w;
}

/* Through the sink, as the writers do. */
static double run_sink(const float *w, to_text *put)
{
    attn_sink *sink;
    double start = cpu_seconds();
    if (attn_sink_open("/dev/null", &sink, NULL) != ATTN_OK)
        exit(1);
    for (size_t i = 0; i < N; i += BATCH) {
        char *room = attn_sink_room(sink, BATCH * (ATTN_NUMBER_ROOM + 1));
        attn_sink_advance(sink, put(w + i, BATCH, room));
    }
    attn_sink_commit(sink, NULL);
    attn_sink_close(sink);
    return cpu_seconds() - start;
}

static double run_fprintf(const float *w)
{
    FILE *file = fopen("/dev/null", "w");
    double start = cpu_seconds();
    if (file == NULL)
        exit(1);
    for (size_t i = 0; i < N; i++)
        fprintf(file, "\t%.6g", (double)w[i]);
    fclose(file);
    return cpu_seconds() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct row {
    const char *name;
    to_text *put; /* NULL: fprintf */
    double seconds[MOST_RUNS];
} row;

int main(int argc, char **argv)
{
    static row rows[] = {{"fprintf %.6g", NULL, {0}},
                         {"attn shortest", ours_shortest, {0}},
                         {"attn one by one", ours_one_by_one, {0}},
                         {"attn 6 decimals", ours_six, {0}},
                         {"std::to_chars", NULL, {0}}};
    size_t n_rows = 5, runs = 7;
    void *peer = dlopen("bench/to_chars.so", RTLD_NOW);
    float *w = weights();
    int option;
    while ((option = getopt(argc, argv, "r:")) != -1)
        runs = option == 'r' ? strtoul(optarg, NULL, 10) : 0;
    if (runs == 0 || runs > MOST_RUNS) {
        fputs("usage: bench/numbers [-r RUNS]\n", stderr);
        return 2;
    }
    if (peer != NULL)
        *(void **)&rows[4].put = dlsym(peer, "to_chars_shortest");
    if (rows[4].put == NULL)
        n_rows = 4;
    for (size_t run = 0; run < runs; run++)
        for (size_t i = 0; i < n_rows; i++)
            rows[i].seconds[run] = rows[i].put != NULL ? run_sink(w, rows[i].put) : run_fprintf(w);
    for (size_t i = 0; i < n_rows; i++)
        qsort(rows[i].seconds, runs, sizeof(double), ascending);
    for (size_t i = 0; i < n_rows; i++) {
        double median = rows[i].seconds[runs / 2];
        printf("%s\t%.1f\t%.1f\t%.1f\t%.1f\n", rows[i].name, 1e3 * median, 1e3 * rows[i].seconds[0], 1e9 * median / N,
               rows[0].seconds[runs / 2] / median);
    }
    if (n_rows == 4)
        puts("std::to_chars\tnot built: make bench/to_chars.so");
    attn_free(w);
    return 0;
}
