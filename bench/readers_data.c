/* readers_data.c: the files bench/readers reads: numbers as published files write them, always the
 * same. */
#include "config.h"

#include "bench/readers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MATRIX = 768 };

typedef struct random_source {
    uint64_t state;
} random_source;

static uint64_t next(random_source *source)
{
    source->state ^= source->state << 13;
    source->state ^= source->state >> 7;
    source->state ^= source->state << 17;
    return source->state;
}

static FILE *create(const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        bench_die(path);
    setvbuf(out, NULL, _IOFBF, 1 << 20);
    return out;
}

static void finish(FILE *out, const char *path)
{
    if (ferror(out) || fclose(out) != 0)
        bench_die(path);
}

/* About the bell curve of trained weights: a sum of four uniform numbers, −1…1. */
static double weight(random_source *source)
{
    uint64_t bits = next(source);
    double sum = 0;
    for (int i = 0; i < 4; i++, bits >>= 16)
        sum += (double)(bits & 0xffff) / 65536 - 0.5;
    return sum / 2;
}

void bench_make_json(const char *path)
{
    static const char *const names[] = {"W_Q", "W_K", "W_V"};
    random_source source = {UINT64_C(88172645463325252)};
    FILE *out = create(path);
    for (int m = 0; m < 3; m++) {
        fprintf(out, "%s\"%s\": [", m > 0 ? ",\n" : "{", names[m]);
        for (int row = 0; row < MATRIX; row++)
            for (int i = 0; i < MATRIX; i++)
                fprintf(out, "%s%.9f", i > 0 ? ", " : row > 0 ? "],\n[" : "[", weight(&source) * 0.2);
        fputs("]]", out);
    }
    fputs("}\n", out);
    finish(out, path);
}

/* As GloVe's files have them: five significant digits. Not by printf, which would take minutes. */
static char *put_number(char *p, random_source *source)
{
    uint64_t bits = next(source);
    uint32_t digits = 10000 + (uint32_t)(bits >> 8) % 90000;
    size_t zeros = (bits & 0xff) < 200 ? 0 : (bits & 0xff) < 250 ? 1 : 2;
    *p++ = ' ';
    if ((bits >> 62) != 0)
        *p = '-';
    p += (bits >> 63) != 0;
    *p++ = '0';
    *p++ = '.';
    for (size_t i = 0; i < zeros; i++)
        *p++ = '0';
    for (uint32_t power = 10000; power > 0; power /= 10)
        *p++ = (char)('0' + digits / power % 10);
    while (p[-1] == '0')
        p--;
    return p;
}

void bench_make_glove(const char *path, size_t rows, size_t dim)
{
    random_source source = {UINT64_C(1234567891)};
    FILE *out = create(path);
    char *line = malloc(32 + 16 * dim);
    if (line == NULL)
        bench_die("memory");
    for (size_t row = 0; row < rows; row++) {
        char *p = line + sprintf(line, "w%zu", row);
        for (size_t i = 0; i < dim; i++)
            p = put_number(p, &source);
        *p++ = '\n';
        fwrite(line, 1, (size_t)(p - line), out);
    }
    free(line);
    finish(out, path);
}
