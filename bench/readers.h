/* readers.h: what the parts of bench/readers share. */
#ifndef ATTN_BENCH_READERS_H
#define ATTN_BENCH_READERS_H

#include "base/thread.h"

#include <stddef.h>

typedef struct bench_settings {
    size_t rows, dim; /* of the word vectors */
    size_t queries;
    size_t runs;
    const char *directory; /* where the made files lie */
    const char *program;   /* argv[0], to start once more */
    const char *peers;     /* readers_peers.py, or "" */
    bool keep;             /* the files */
} bench_settings;

/* One line of the result: what, attn's figure, its unit, the peer, the peer's figure, the ratio.
 * HIGHER: larger figures are better; the ratio is above 1 where attn is better. */
void bench_line(const char *what, double ours, const char *unit, const char *peer, double theirs, bool higher);
void bench_die(const char *what);

/* DIRECTORY/NAME in a static buffer. */
const char *bench_path(const bench_settings *settings, const char *name);
/* The made files: three matrices of 768 × 768 as JSON; word vectors as GloVe text. */
void bench_make_json(const char *path);
void bench_make_glove(const char *path, size_t rows, size_t dim);
/* Runs readers_peers.py WHAT with the directory; each line "name<tab>figure" it prints is one
 * peer's. */
void bench_peers(const bench_settings *settings, const char *what, double ours, const char *unit, bool higher);

void bench_nearest(const bench_settings *settings);

#endif
