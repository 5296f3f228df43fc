/* readers.c: how fast text becomes numbers and numbers become neighbours, as ratios to others'
 * speed measured in the same run, on files the program makes itself in a temporary directory.
 *
 *   bench/readers [-k] [-r RUNS] [-n ROWS] [-d DIM] [-q QUERIES] [-p readers_peers.py] [json]
 * [glove] [nearest]
 *
 * Tab-separated: what, attn, unit, peer, its figure, ratio (above 1: attn is better). Best of RUNS
 * runs, the files in the page cache. With -k they stay. With -p, Python's numpy and faiss are
 * measured too, where they are installed. */
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "bench/clock.h"
#include "bench/readers.h"
#include "formats/container.h"
#include "formats/vectors.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_YYJSON
#include <yyjson.h>
#endif

extern char **environ;

void bench_die(const char *what)
{
    fprintf(stderr, "bench/readers: %s: %s\n", what, strerror(errno));
    exit(1);
}

void bench_line(const char *what, double ours, const char *unit, const char *peer, double theirs, bool higher)
{
    printf("%s\t%.4g\t%s\t%s\t%.4g\t%.3g\n", what, ours, unit, peer, theirs, higher ? ours / theirs : theirs / ours);
    fflush(stdout);
}

const char *bench_path(const bench_settings *settings, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", settings->directory, name);
    return path;
}

static void bench_remove(const bench_settings *settings, const char *path)
{
    if (!settings->keep)
        unlink(path);
}

void bench_peers(const bench_settings *settings, const char *what, double ours, const char *unit, bool higher)
{
    char command[9000], line[256], name[128];
    double figure;
    FILE *peers;
    if (settings->peers[0] == '\0')
        return;
    snprintf(command, sizeof command, "/usr/bin/python3 '%s' %s '%s' %zu %zu %zu", settings->peers, what,
             settings->directory, settings->rows, settings->dim, settings->queries);
    peers = popen(command, "r");
    if (peers == NULL)
        bench_die(command);
    while (fgets(line, sizeof line, peers) != NULL)
        if (sscanf(line, "%127[^\t]\t%lf", name, &figure) == 2)
            bench_line(what, ours, unit, name, figure, higher);
    pclose(peers);
}

static void open_file(const char *path, attn_file *file)
{
    if (attn_file_open(path, NULL, file, NULL) != ATTN_OK)
        bench_die(path);
}

/* Seconds of one run of each reader over PATH. */
typedef double read_once(const char *path);

static double best_of(read_once *read, const char *path, size_t runs)
{
    double best = 1e9;
    for (size_t run = 0; run < runs; run++) {
        double seconds = read(path);
        best = seconds < best ? seconds : best;
    }
    return best;
}

static double json_attn(const char *path)
{
    attn_container container;
    attn_error error;
    double start = bench_seconds();
    if (attn_container_open(path, NULL, &container, &error) != ATTN_OK)
        bench_die(error.message);
    start = bench_seconds() - start;
    attn_container_close(&container);
    return start;
}

static double json_cjson(const char *path)
{
    attn_file file;
    cJSON *root;
    double start;
    open_file(path, &file);
    start = bench_seconds();
    root = cJSON_ParseWithLength((const char *)file.bytes.data, file.bytes.size);
    start = bench_seconds() - start;
    if (root == NULL)
        bench_die("cJSON");
    cJSON_Delete(root);
    attn_file_close(&file);
    return start;
}

#ifdef HAVE_YYJSON
static double json_yyjson(const char *path)
{
    attn_file file;
    yyjson_doc *document;
    double start;
    open_file(path, &file);
    start = bench_seconds();
    document = yyjson_read((const char *)file.bytes.data, file.bytes.size, 0);
    start = bench_seconds() - start;
    if (document == NULL)
        bench_die("yyjson");
    yyjson_doc_free(document);
    attn_file_close(&file);
    return start;
}
#endif

/* Peak memory of a process that does nothing but read PATH, in bytes. */
static double peak_memory(const bench_settings *settings, const char *part, const char *path)
{
    char *arguments[] = {(char *)(uintptr_t)settings->program, "--only", (char *)(uintptr_t)part,
                         (char *)(uintptr_t)path, NULL};
    struct rusage usage;
    pid_t child;
    int status;
    if (posix_spawnp(&child, settings->program, NULL, NULL, arguments, environ) != 0 ||
        wait4(child, &status, 0, &usage) != child || status != 0)
        bench_die("a second process");
    return (double)usage.ru_maxrss * 1024;
}

static double file_size(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        bench_die(path);
    return (double)st.st_size;
}

static void bench_json(const bench_settings *settings)
{
    const double matrices = 3.0 * 768 * 768 * sizeof(float);
    char path[4096];
    double ours = 1e9, cjson = 1e9, size, peak;
    snprintf(path, sizeof path, "%s", bench_path(settings, "matrices.json"));
    bench_make_json(path);
    size = file_size(path);
    peak = peak_memory(settings, "json", path);         /* first: it counts what this process has now */
    for (size_t run = 0; run < settings->runs; run++) { /* by turns */
        double seconds = best_of(json_attn, path, 3);
        ours = seconds < ours ? seconds : ours;
        seconds = best_of(json_cjson, path, 1);
        cjson = seconds < cjson ? seconds : cjson;
    }
    bench_line("JSON matrices, 1.77 M numbers", ours * 1e3, "ms", "cJSON", cjson * 1e3, false);
#ifdef HAVE_YYJSON
    bench_line("JSON matrices, 1.77 M numbers", ours * 1e3, "ms", "yyjson",
               best_of(json_yyjson, path, settings->runs) * 1e3, false);
#endif
    bench_line("JSON peak memory", peak / 1e6, "MB", "file + matrices", (size + matrices) / 1e6, false);
    bench_remove(settings, path);
}

static double glove_attn(const char *path)
{
    attn_file file;
    attn_vectors vectors;
    attn_error error;
    double start = bench_seconds();
    open_file(path, &file);
    if (attn_vectors_take(&file, &vectors, NULL, NULL, &error) != ATTN_OK)
        bench_die(error.message);
    start = bench_seconds() - start;
    attn_vectors_close(&vectors);
    return start;
}

/* What a plain C reader does: strtof for every number, over the file in memory. */
static double glove_strtof(const char *path)
{
    attn_file file;
    double start = bench_seconds();
    float sum = 0;
    const char *p, *end;
    open_file(path, &file);
    p = (const char *)file.bytes.data;
    end = p + file.bytes.size - 1; /* the last line's feed stops strtof */
    while (p < end) {
        while (*p != ' ')
            p++;
        while (*p == ' ') {
            char *past;
            sum += strtof(p, &past);
            p = past;
        }
        p++;
    }
    attn_file_close(&file);
    return sum == 0.12345F ? 0 : bench_seconds() - start;
}

static void bench_glove(const bench_settings *settings)
{
    char path[4096], what[64];
    double ours = 1e9, theirs, size, peak, runs = (double)settings->runs;
    snprintf(path, sizeof path, "%s", bench_path(settings, "glove.txt"));
    bench_make_glove(path, settings->rows, settings->dim);
    size = file_size(path) / 1e6;
    peak = peak_memory(settings, "glove", path);
    for (double run = 0; run < runs; run++) {
        double seconds = glove_attn(path);
        ours = seconds < ours ? seconds : ours;
    }
    theirs = best_of(glove_strtof, path, 1);
    snprintf(what, sizeof what, "GloVe text %zu x %zu, %.0f MB", settings->rows, settings->dim, size);
    bench_line(what, size / ours, "MB/s", "strtof", size / theirs, true);
    bench_line("GloVe peak memory", peak / 1e6, "MB", "file + table",
               size + (double)(settings->rows * settings->dim) * 4 / 1e6, false);
    bench_peers(settings, "glove", size / ours, "MB/s", true);
    bench_remove(settings, path);
}

/* The second process of peak_memory. */
static int only(const char *part, const char *path)
{
    (strcmp(part, "json") == 0 ? json_attn : glove_attn)(path);
    return 0;
}

static size_t number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value == 0) {
        fprintf(stderr, "bench/readers: %s: not a number\n", text);
        exit(2);
    }
    return value;
}

static bool wanted(char *const *parts, const char *part)
{
    bool all = *parts == NULL;
    for (; *parts != NULL; parts++)
        if (strcmp(*parts, part) == 0)
            return true;
    return all;
}

int main(int argc, char **argv)
{
    bench_settings settings = {400000, 300, 1000, 5, NULL, argv[0], "", false};
    char directory[4096];
    int option;
    if (argc == 4 && strcmp(argv[1], "--only") == 0)
        return only(argv[2], argv[3]);
    while ((option = getopt(argc, argv, "kr:n:d:q:p:")) != -1) {
        if (option == 'k')
            settings.keep = true;
        else if (option == 'r')
            settings.runs = number(optarg);
        else if (option == 'n')
            settings.rows = number(optarg);
        else if (option == 'd')
            settings.dim = number(optarg);
        else if (option == 'q')
            settings.queries = number(optarg);
        else if (option == 'p')
            settings.peers = optarg;
        else
            return 2;
    }
    snprintf(directory, sizeof directory, "%s/attn-bench-XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    settings.directory = mkdtemp(directory);
    if (settings.directory == NULL)
        bench_die(directory);
    printf("what\tattn\tunit\tpeer\tpeer's\tratio\n");
    if (wanted(argv + optind, "json"))
        bench_json(&settings);
    if (wanted(argv + optind, "glove"))
        bench_glove(&settings);
    if (wanted(argv + optind, "nearest")) {
        bench_nearest(&settings);
        bench_remove(&settings, bench_path(&settings, "table.f32"));
    }
    if (settings.keep)
        fprintf(stderr, "bench/readers: the files are in %s\n", settings.directory);
    else
        rmdir(settings.directory);
    return 0;
}
