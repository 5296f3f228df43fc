/* tokenizers.c: how fast texts become tokens, beside the npm packages that read the same vocabularies.
 *
 *   bench/tokenizers SHARED [MODULES [SCRIPT]]
 *
 * SHARED: the outside data; MODULES: a node_modules folder with the packages; SCRIPT: bench/tokenizers.js of
 * the source tree. One tab-separated line a row of `rows`: name, bytes, load ms, MB/s, the reference's load
 * ms, MB/s, ratios of both, and whether the ids are the same. Best of RUNS, one thread, no special tokens. */
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "bench/clock.h"
#include "text/tokenizer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 5, PATH_SIZE = 1024 };

typedef struct row {
    const char *name;
    const char *vocabulary, *text; /* in SHARED */
    unsigned copies;               /* the text is encoded so often a run */
    const char *package;           /* what bench/tokenizers.js calls the reference; NULL: none */
} row;

static const row rows[] = {
    {"WordPiece, English", "data/vocab/bert/vocab.txt", "data/text/botchan.txt", 4, "bert"},
    {"WordPiece, Korean", "data/vocab/bert/vocab.txt", "data/text/kobill_ko.txt", 8, "bert"},
};

typedef struct result {
    double load, encode; /* seconds */
    uint64_t n_ids, sum; /* of all ids of one text; sum is a running hash */
} result;

/* What both sides compute over the ids, so that equal ids show without being passed over. */
static void sum_ids(const attn_tokens *tokens, result *found)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < tokens->count; i++)
        sum = sum * 31 + tokens->items[i].id;
    found->n_ids = tokens->count;
    found->sum = sum;
}

static attn_status measure(const char *vocabulary, attn_bytes text, unsigned copies, result *best,
                           attn_error *error)
{
    attn_encode_options options = attn_encode_options_default();
    attn_tokenizer *tokenizer = NULL;
    attn_tokens tokens = {0};
    attn_status status = ATTN_OK;
    options.add_special = false;
    *best = (result){.load = 1e9, .encode = 1e9};
    for (int run = 0; run < RUNS && status == ATTN_OK; run++) {
        double start = bench_seconds();
        attn_tokenizer_close(tokenizer);
        status = attn_tokenizer_load(vocabulary, ATTN_TOKENIZER_AUTO, &tokenizer, error);
        if (bench_seconds() - start < best->load)
            best->load = bench_seconds() - start;
        start = bench_seconds();
        for (unsigned i = 0; i < copies && status == ATTN_OK; i++) {
            tokens.count = 0;
            status = attn_tokenizer_encode(tokenizer, text, &options, &tokens, NULL, error);
        }
        if (bench_seconds() - start < best->encode)
            best->encode = bench_seconds() - start;
    }
    sum_ids(&tokens, best);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
    return status;
}

/* Runs the node script on the same files. False: it is not there, or failed. */
static bool measure_package(const row *r, const char *vocabulary, const char *text, char **argv, result *found)
{
    char command[4 * PATH_SIZE];
    FILE *pipe;
    int n_read;
    snprintf(command, sizeof command, "node '%s' '%s' %s '%s' '%s' %u %d", argv[3], argv[2], r->package,
             vocabulary, text, r->copies, RUNS);
    pipe = popen(command, "r");
    if (pipe == NULL)
        return false;
    n_read = fscanf(pipe, "%lf %lf %" SCNu64 " %" SCNu64, &found->load, &found->encode, &found->n_ids,
                    &found->sum);
    return pclose(pipe) == 0 && n_read == 4;
}

static attn_status run_row(const row *r, int argc, char **argv, attn_error *error)
{
    char vocabulary[PATH_SIZE], path[PATH_SIZE];
    attn_file text;
    attn_status status;
    result own, other;
    double megabytes;
    snprintf(vocabulary, sizeof vocabulary, "%s/%s", argv[1], r->vocabulary);
    snprintf(path, sizeof path, "%s/%s", argv[1], r->text);
    status = attn_file_open(path, &text, error);
    if (status != ATTN_OK)
        return status;
    megabytes = 1e-6 * (double)text.bytes.size * r->copies;
    status = measure(vocabulary, text.bytes, r->copies, &own, error);
    if (status == ATTN_OK) {
        printf("%s\t%zu\t%.2f\t%.1f", r->name, text.bytes.size * r->copies, 1e3 * own.load,
               megabytes / own.encode);
        if (argc == 4 && r->package != NULL && measure_package(r, vocabulary, path, argv, &other))
            printf("\t%.2f\t%.1f\t%.1f\t%.1f\t%s", 1e3 * other.load, megabytes / other.encode,
                   other.load / own.load, other.encode / own.encode,
                   own.n_ids == other.n_ids && own.sum == other.sum ? "same ids" : "OTHER IDS");
        printf("\n");
        fflush(stdout);
    }
    attn_file_close(&text);
    return status;
}

int main(int argc, char **argv)
{
    attn_error error;
    char message[2048];
    if (argc < 2 || argc == 3 || argc > 4) {
        fprintf(stderr, "usage: bench/tokenizers SHARED [MODULES SCRIPT]\n");
        return 2;
    }
    printf("what\tbytes\tload ms\tMB/s\tpackage load ms\tpackage MB/s\tload ratio\tspeed ratio\tids\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (run_row(&rows[i], argc, argv, &error) != ATTN_OK) {
            attn_error_text(&error, message, sizeof message);
            fprintf(stderr, "bench/tokenizers: %s\n", message);
            return 1;
        }
    return 0;
}
