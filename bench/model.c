/* model.c: how fast a whole forward pass runs on a model of GPT-2 small's shape.
 *
 *   bench/model --make DIR                          writes the model: 124 M random parameters, 498
 * MB in F32 bench/model -m DIR [-n N] [-j THREADS] [-r RUNS] [--no-head]
 *
 * One line, tab-separated: what, n, threads, kernel, median ms, best ms, median GFLOP/s, the FMA
 * peak measured in the same run, the share of it. Counted are 2 operations a multiply-add of the
 * matrices, and of attention the visible half of the pairs. Any model directory can be given; the
 * count is right for GPT-2's layers. */
#include "config.h"

#include "base/memory.h"
#include "bench/clock.h"
#include "bench/fma_peak.h"
#include "kernels/kernels.h"
#include "load/load.h"
#include "pass/forward.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { D = 768, HEADS = 12, LAYERS = 12, POSITIONS = 1024, VOCAB = 50257, MOST_RUNS = 100 };

static void fail(const char *what)
{
    fprintf(stderr, "bench/model: %s\n", what);
    exit(1);
}

/* ---- the model
 * ------------------------------------------------------------------------------------------ */

typedef struct part {
    const char *name;     /* '#': a layer's number */
    size_t rows, columns; /* columns 0: a vector */
    float centre, spread;
} part;

static const part once[] = {{"wte.weight", VOCAB, D, 0, 0.02F},
                            {"wpe.weight", POSITIONS, D, 0, 0.01F},
                            {"ln_f.weight", D, 0, 1, 0.1F},
                            {"ln_f.bias", D, 0, 0, 0.1F}};
static const part by_layer[] = {{"ln_1.weight", D, 0, 1, 0.1F},
                                {"ln_1.bias", D, 0, 0, 0.1F},
                                {"attn.c_attn.weight", D, 3 * D, 0, 0.05F},
                                {"attn.c_attn.bias", 3 * D, 0, 0, 0.05F},
                                {"attn.c_proj.weight", D, D, 0, 0.05F},
                                {"attn.c_proj.bias", D, 0, 0, 0.05F},
                                {"ln_2.weight", D, 0, 1, 0.1F},
                                {"ln_2.bias", D, 0, 0, 0.1F},
                                {"mlp.c_fc.weight", D, 4 * D, 0, 0.05F},
                                {"mlp.c_fc.bias", 4 * D, 0, 0, 0.05F},
                                {"mlp.c_proj.weight", 4 * D, D, 0, 0.05F},
                                {"mlp.c_proj.bias", D, 0, 0, 0.05F}};
enum { N_ONCE = sizeof once / sizeof once[0], N_BY_LAYER = sizeof by_layer / sizeof by_layer[0] };

static size_t numbers_of(const part *p)
{
    return p->rows * (p->columns > 0 ? p->columns : 1);
}

static size_t write_entry(FILE *file, const part *p, size_t layer, size_t offset)
{
    size_t end = offset + numbers_of(p) * sizeof(float);
    fprintf(file, "%s\"", offset > 0 ? "," : "");
    if (layer < LAYERS)
        fprintf(file, "h.%zu.", layer);
    fprintf(file, "%s\":{\"dtype\":\"F32\",\"shape\":[%zu", p->name, p->rows);
    if (p->columns > 0)
        fprintf(file, ",%zu", p->columns);
    fprintf(file, "],\"data_offsets\":[%zu,%zu]}", offset, end);
    return end;
}

static void write_numbers(FILE *file, const part *p)
{
    static uint64_t state = 88172645463325252u;
    static float numbers[4096];
    size_t left = numbers_of(p), i;
    while (left > 0) {
        size_t n = left < 4096 ? left : 4096;
        for (i = 0; i < n; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            numbers[i] = p->centre + p->spread * 1.7F * ((float)(state >> 40) / 8388608.0F - 1);
        }
        if (fwrite(numbers, sizeof numbers[0], n, file) != n)
            fail("can not write the weights");
        left -= n;
    }
}

/* The header's length is not known before it is written: it is padded to HEADER bytes. */
static void write_weights(const char *path)
{
    enum { HEADER = 1 << 15 };
    FILE *file = fopen(path, "wb");
    size_t offset = 0, i, l;
    unsigned char length[8] = {HEADER & 255, HEADER >> 8, 0, 0, 0, 0, 0, 0};
    if (file == NULL)
        fail("can not write the weights");
    fwrite(length, 1, 8, file);
    fputc('{', file);
    for (i = 0; i < N_ONCE; i++)
        offset = write_entry(file, &once[i], LAYERS, offset);
    for (l = 0; l < LAYERS; l++)
        for (i = 0; i < N_BY_LAYER; i++)
            offset = write_entry(file, &by_layer[i], l, offset);
    fputc('}', file);
    while (ftell(file) < 8 + HEADER)
        fputc(' ', file);
    for (i = 0; i < N_ONCE; i++)
        write_numbers(file, &once[i]);
    for (l = 0; l < LAYERS; l++)
        for (i = 0; i < N_BY_LAYER; i++)
            write_numbers(file, &by_layer[i]);
    if (fclose(file) != 0)
        fail("can not write the weights");
}

static void make(const char *directory)
{
    char *path;
    FILE *file;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        fail("can not make the directory");
    path = attn_path_join(directory, "config.json");
    file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL)
        fail("can not write config.json");
    fprintf(file,
            "{\"model_type\": \"gpt2\", \"n_embd\": %d, \"n_head\": %d, \"n_layer\": %d, "
            "\"n_positions\": %d,\n"
            " \"vocab_size\": %d, \"activation_function\": \"gelu_new\", \"layer_norm_epsilon\": "
            "1e-5}\n",
            D, HEADS, LAYERS, POSITIONS, VOCAB);
    fclose(file);
    attn_free(path);
    path = attn_path_join(directory, "model.safetensors");
    if (path == NULL)
        fail("out of memory");
    write_weights(path);
    attn_free(path);
}

/* ---- the measurement
 * ------------------------------------------------------------------------------------ */

typedef struct settings {
    const char *model;
    size_t n, threads, runs;
    bool head;
} settings;

static attn_status take_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    (void)error;
    *(float *)context += hidden->values[0];
    return ATTN_OK;
}

static attn_status take_logits(void *context, const attn_logits *logits, attn_error *error)
{
    (void)error;
    *(float *)context += logits->values[0];
    return ATTN_OK;
}

static double operations(const attn_model *model, const settings *s)
{
    double n = (double)s->n, d = (double)model->d_model, sum = 0;
    size_t l;
    for (l = 0; l < model->n_layers; l++) {
        const attn_layer *layer = &model->layers[l];
        double inner = (double)layer->ffn.up.w.shape[1];
        sum += 2 * n * d * (4 * d + 2 * inner) + 2 * n * n * d;
    }
    return sum + (s->head ? 2 * n * d * (double)model->n_vocab : 0);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_once(const attn_model *model, const settings *s, const uint32_t *ids, attn_pool *pool)
{
    float sum = 0;
    uint8_t *layers = calloc(model->n_layers, 1);
    attn_observer observer = {.context = &sum,
                              .wants = s->head ? ATTN_WANT_LOGITS : ATTN_WANT_AFTER,
                              .layers = layers,
                              .hidden = take_hidden,
                              .logits = take_logits};
    attn_input input = {.ids = ids, .n = s->n};
    attn_error error;
    if (layers == NULL)
        fail("out of memory");
    layers[model->n_layers - 1] = 1;
    if (attn_forward(model, &input, &observer, pool, &error) != ATTN_OK)
        fail(error.message);
    free(layers);
}

static void measure(const attn_model *model, const settings *s, attn_pool *pool)
{
    double seconds[MOST_RUNS], peak, after, median;
    uint32_t *ids = calloc(s->n, sizeof *ids);
    size_t i;
    if (ids == NULL)
        fail("out of memory");
    for (i = 0; i < s->n; i++)
        ids[i] = (uint32_t)(i * 7919 % model->n_vocab);
    peak = bench_fma_peak(pool);
    run_once(model, s, ids, pool);
    for (i = 0; i < s->runs; i++) {
        double start = bench_seconds();
        run_once(model, s, ids, pool);
        seconds[i] = bench_seconds() - start;
    }
    after = bench_fma_peak(pool);
    peak = after > peak ? after : peak;
    qsort(seconds, s->runs, sizeof seconds[0], by_size);
    median = seconds[s->runs / 2];
    printf("forward%s\t%zu\t%zu\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.3f\n", s->head ? "" : " without head", s->n,
           attn_pool_size(pool), attn_kernels()->name, median * 1e3, seconds[0] * 1e3,
           operations(model, s) / median / 1e9, peak, peak > 0 ? operations(model, s) / median / 1e9 / peak : 0);
    free(ids);
}

static void parse(int argc, char **argv, settings *s)
{
    static const struct option options[] = {
        {"make", required_argument, NULL, 'M'}, {"no-head", no_argument, NULL, 'N'}, {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "m:n:j:r:", options, NULL)) != -1) {
        switch (option) {
        case 'M':
            make(optarg);
            exit(0);
        case 'N':
            s->head = false;
            break;
        case 'm':
            s->model = optarg;
            break;
        case 'n':
            s->n = strtoul(optarg, NULL, 10);
            break;
        case 'j':
            s->threads = strtoul(optarg, NULL, 10);
            break;
        case 'r':
            s->runs = strtoul(optarg, NULL, 10);
            break;
        default:
            exit(2);
        }
    }
    if (s->model == NULL || s->n == 0 || s->runs == 0 || s->runs > MOST_RUNS)
        fail("usage: bench/model --make DIR | -m DIR [-n N] [-j THREADS] [-r RUNS] [--no-head]");
}

int main(int argc, char **argv)
{
    settings s = {NULL, 1024, 1, 5, true};
    attn_model_request request = {0};
    attn_model model;
    attn_pool *pool;
    attn_error error;
    parse(argc, argv, &s);
    request.model = s.model;
    if (attn_model_open(&request, &model, &error) != ATTN_OK || attn_pool_open(s.threads, &pool, &error) != ATTN_OK)
        fail(error.message);
    measure(&model, &s, pool);
    attn_pool_close(pool);
    attn_model_close(&model);
    return 0;
}
