/* tokenizers.c: how fast texts become tokens, beside the npm packages that read the same
 * vocabularies.
 *
 *   bench/tokenizers SHARED [MODULES [SCRIPT]]
 *
 * SHARED: the outside data; MODULES: a node_modules folder with the packages; SCRIPT:
 * bench/tokenizers.js of the source tree. One tab-separated line a row of `rows`: name, bytes, load
 * ms, MB/s, the reference's load ms, MB/s, ratios of both, and whether the ids are the same. Best
 * of RUNS, one thread, no special tokens. Last come whole processes, from start to end, that encode
 * one line.
 *
 *   bench/tokenizers --start VOCABULARY     is such a process */
#include "config.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "bench/clock.h"
#include "text/tokenizer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 5, PATH_SIZE = 1024 };

typedef struct row {
    const char *name;
    const char *vocabulary, *text; /* in SHARED */
    unsigned copies;               /* the text is encoded so often a run */
    unsigned joined;               /* after it was joined to itself so often; 0: once */
    const char *package;           /* what bench/tokenizers.js calls the reference; NULL: none */
} row;

static const char random_bytes[] = "random"; /* a text that is made: random bytes read as Latin-1 */

static const row rows[] = {
    {"WordPiece, English", "data/vocab/bert/vocab.txt", "data/text/botchan.txt", 4, 0, "bert"},
    {"WordPiece, Korean", "data/vocab/bert/vocab.txt", "data/text/kobill_ko.txt", 8, 0, "bert"},
    {"GPT-2 BPE, English", "data/vocab/gpt2/vocab.json", "data/text/botchan.txt", 1, 47, "gpt2"},
    {"GPT-2 BPE, Korean", "data/vocab/gpt2/vocab.json", "data/text/kobill_ko.txt", 1, 32, "gpt2"},
    {"GPT-2 BPE, code", "data/vocab/gpt2/vocab.json", "prototypes/proto.c", 1, 200, "gpt2"},
    {"GPT-2 BPE, random bytes", "data/vocab/gpt2/vocab.json", random_bytes, 1, 0, "gpt2"},
};

static const row starts[] = {
    {"start, GPT-2 BPE", "data/vocab/gpt2/vocab.json", NULL, 1, 0, "gpt2"},
    {"start, WordPiece", "data/vocab/bert/vocab.txt", NULL, 1, 0, "bert"},
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

static attn_status measure(const char *vocabulary, attn_bytes text, unsigned copies, result *best, attn_error *error)
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
        status = attn_tokenizer_load(vocabulary, NULL, NULL, &tokenizer, error);
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
    snprintf(command, sizeof command, "node '%s' '%s' %s '%s' '%s' %u %d", argv[3], argv[2], r->package, vocabulary,
             text, r->copies, RUNS);
    pipe = popen(command, "r");
    if (pipe == NULL)
        return false;
    n_read = fscanf(pipe, "%lf %lf %" SCNu64 " %" SCNu64, &found->load, &found->encode, &found->n_ids, &found->sum);
    return pclose(pipe) == 0 && n_read == 4;
}

/* ---- texts ---- */

enum { RANDOM_SIZE = 2 << 20 };

static void put_random(attn_buffer *text)
{
    uint32_t state = 1;
    for (size_t i = 0; i < RANDOM_SIZE; i++) {
        uint8_t code[4];
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        attn_buffer_put(text, code, attn_utf8_encode(state >> 8 & 0xff, code));
    }
}

/* R's text in TEXT and in the new file PATH (a template for mkstemp), which the package reads. */
static attn_status make_text(const row *r, const char *shared, attn_buffer *text, char *path, attn_error *error)
{
    char name[PATH_SIZE];
    attn_file file = {0};
    attn_status status = ATTN_OK;
    int descriptor;
    if (r->text == random_bytes) {
        put_random(text);
    } else {
        snprintf(name, sizeof name, "%s/%s", shared, r->text);
        status = attn_file_open(name, NULL, &file, error);
        for (unsigned i = 0; i < (r->joined > 0 ? r->joined : 1) && status == ATTN_OK; i++)
            attn_buffer_put(text, file.bytes.data, file.bytes.size);
        attn_file_close(&file);
    }
    if (status != ATTN_OK || text->failed)
        return status != ATTN_OK ? status : attn_fail_memory(error);
    descriptor = mkstemp(path);
    if (descriptor < 0 || write(descriptor, text->data, text->size) != (ssize_t)text->size)
        status = attn_fail_system(error, path, errno);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

/* ---- rows ---- */

static void print_package(const result *own, const result *other, double megabytes)
{
    printf("\t%.2f\t%.1f\t%.1f\t%.1f\t%s", 1e3 * other->load, megabytes / other->encode, other->load / own->load,
           other->encode / own->encode,
           own->n_ids == other->n_ids && own->sum == other->sum ? "same ids" : "OTHER IDS");
}

static attn_status run_row(const row *r, int argc, char **argv, attn_error *error)
{
    char vocabulary[PATH_SIZE], path[] = "/tmp/attn-bench-XXXXXX";
    attn_buffer text = {0};
    result own, other;
    attn_status status = make_text(r, argv[1], &text, path, error);
    const double megabytes = 1e-6 * (double)text.size * r->copies;
    snprintf(vocabulary, sizeof vocabulary, "%s/%s", argv[1], r->vocabulary);
    if (status == ATTN_OK)
        status = measure(vocabulary, attn_buffer_bytes(&text), r->copies, &own, error);
    if (status == ATTN_OK) {
        printf("%s\t%zu\t%.2f\t%.1f", r->name, text.size * r->copies, 1e3 * own.load, megabytes / own.encode);
        if (argc == 4 && measure_package(r, vocabulary, path, argv, &other))
            print_package(&own, &other, megabytes);
        printf("\n");
        fflush(stdout);
    }
    unlink(path);
    attn_buffer_free(&text);
    return status;
}

/* Seconds of COMMAND from start to end, the best of RUNS; 0: it failed. */
static double time_command(const char *command)
{
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        double start = bench_seconds();
        if (system(command) != 0)
            return 0;
        if (bench_seconds() - start < best)
            best = bench_seconds() - start;
    }
    return best;
}

static void run_start(const row *r, int argc, char **argv)
{
    char command[4 * PATH_SIZE];
    double own, other = 0;
    snprintf(command, sizeof command, "'%s' --start '%s/%s'", argv[0], argv[1], r->vocabulary);
    own = time_command(command);
    snprintf(command, sizeof command, "node '%s' '%s' %s '%s/%s' - 1 1 >/dev/null", argv[argc - 1], argv[2], r->package,
             argv[1], r->vocabulary);
    if (argc == 4)
        other = time_command(command);
    printf("%s\t\t%.2f", r->name, 1e3 * own);
    if (other > 0 && own > 0)
        printf("\t\t%.2f\t\t%.1f", 1e3 * other, other / own);
    printf("\n");
}

static int start_only(const char *vocabulary)
{
    attn_tokenizer *tokenizer = NULL;
    attn_tokens tokens = {0};
    attn_status status = attn_tokenizer_load(vocabulary, NULL, NULL, &tokenizer, NULL);
    if (status == ATTN_OK)
        status = attn_tokenizer_encode(tokenizer, attn_bytes_of("one line of text"), NULL, &tokens, NULL, NULL);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
    return status == ATTN_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    attn_error error;
    char message[2048];
    if (argc == 3 && strcmp(argv[1], "--start") == 0)
        return start_only(argv[2]);
    if (argc < 2 || argc == 3 || argc > 4) {
        fprintf(stderr, "usage: bench/tokenizers SHARED [MODULES SCRIPT]\n");
        return 2;
    }
    printf("what\tbytes\tload ms\tMB/s\tpackage load ms\tpackage MB/s\tload ratio\tspeed "
           "ratio\tids\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (run_row(&rows[i], argc, argv, &error) != ATTN_OK) {
            attn_error_text(&error, message, sizeof message);
            fprintf(stderr, "bench/tokenizers: %s\n", message);
            return 1;
        }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        run_start(&starts[i], argc, argv);
    return 0;
}
