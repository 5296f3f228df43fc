/* encode_file: reads a vocabulary and texts, prints token ids: what npm_compare drives.
 *
 *   encode_file [-s] [-p] [-t KIND] [-r REPEAT] VOCABULARY <TEXTS
 *
 * TEXTS are records: a decimal length, a line end, that many bytes. Output: a line a text, ids
 * joined by spaces, or "error: MESSAGE". -s: with the model's special tokens; -p: special tokens in
 * a text are recognised; -r: encode all REPEAT times and print the best time in seconds on stderr.
 *
 *   encode_file -u
 *
 * prints the ranges of code points that our Unicode tables do not know. */
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "text/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <utf8proc.h>

typedef struct settings {
    const attn_kind *kind;
    attn_encode_options options;
    long repeat;
} settings;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The record at *AT of BYTES; false: the end, or no record. */
static bool next_text(attn_bytes bytes, size_t *at, attn_bytes *text)
{
    size_t length = 0;
    while (*at < bytes.size && bytes.data[*at] >= '0' && bytes.data[*at] <= '9')
        length = length * 10 + (size_t)(bytes.data[(*at)++] - '0');
    if (*at >= bytes.size || bytes.data[*at] != '\n' || length > bytes.size - *at - 1)
        return false;
    *text = (attn_bytes){bytes.data + *at + 1, length};
    *at += 1 + length;
    return true;
}

static void print_ids(const attn_tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++)
        printf("%s%lu", i > 0 ? " " : "", (unsigned long)tokens->items[i].id);
    printf("\n");
}

static void encode_all(const attn_tokenizer *tokenizer, attn_bytes bytes, const settings *setting, bool print)
{
    attn_tokens tokens = {0};
    attn_error error;
    attn_bytes text;
    char message[2048];
    for (size_t at = 0; next_text(bytes, &at, &text);) {
        tokens.count = 0;
        if (attn_tokenizer_encode(tokenizer, text, &setting->options, &tokens, NULL, &error) == ATTN_OK) {
            if (print)
                print_ids(&tokens);
        } else if (print) {
            attn_error_text(&error, message, sizeof message);
            printf("error: %s\n", message);
        }
    }
    attn_tokens_free(&tokens);
}

static int print_unassigned(void)
{
    for (int32_t code = 0; code <= 0x10FFFF; code++) {
        const int32_t start = code;
        while (code <= 0x10FFFF && utf8proc_category(code) == UTF8PROC_CATEGORY_CN)
            code++;
        if (code > start)
            printf("%ld %ld\n", (long)start, (long)code - 1);
    }
    return 0;
}

static bool read_arguments(int argc, char **argv, settings *setting)
{
    int letter;
    while ((letter = getopt(argc, argv, "spt:r:")) != -1)
        switch (letter) {
        case 's':
            setting->options.add_special = true;
            break;
        case 'p':
            setting->options.parse_special = true;
            break;
        case 't':
            if (!attn_kind_find(optarg, &setting->kind))
                return false;
            break;
        case 'r':
            setting->repeat = strtol(optarg, NULL, 10);
            break;
        default:
            return false;
        }
    return optind == argc - 1;
}

int main(int argc, char **argv)
{
    settings setting = {.kind = NULL, .options = attn_encode_options_default()};
    attn_tokenizer *tokenizer = NULL;
    attn_file texts = {0};
    attn_error error;
    char message[2048];
    double best = 1e9;
    double start = now();
    setting.options.add_special = false;
    if (argc == 2 && strcmp(argv[1], "-u") == 0)
        return print_unassigned();
    if (!read_arguments(argc, argv, &setting)) {
        fprintf(stderr, "usage: encode_file [-s] [-p] [-t KIND] [-r REPEAT] VOCABULARY <TEXTS\n");
        return 2;
    }
    if (attn_tokenizer_load(argv[optind], NULL, setting.kind, &tokenizer, &error) != ATTN_OK) {
        attn_error_text(&error, message, sizeof message);
        fprintf(stderr, "encode_file: %s\n", message);
        return 1;
    }
    if (setting.repeat > 0)
        fprintf(stderr, "load %.6f\n", now() - start);
    if (attn_file_open("-", NULL, &texts, &error) != ATTN_OK) {
        attn_tokenizer_close(tokenizer);
        return 1;
    }
    encode_all(tokenizer, texts.bytes, &setting, true);
    for (long i = 0; i < setting.repeat; i++) {
        start = now();
        encode_all(tokenizer, texts.bytes, &setting, false);
        if (now() - start < best)
            best = now() - start;
    }
    if (setting.repeat > 0)
        fprintf(stderr, "encode %.6f\n", best);
    attn_file_close(&texts);
    attn_tokenizer_close(tokenizer);
    return 0;
}
