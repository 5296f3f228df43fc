/* parts.h: an observer that keeps every part of a pass, and tables of right values. */
#ifndef ATTN_TESTING_PARTS_H
#define ATTN_TESTING_PARTS_H

#include "pass/forward.h"

enum {
    PARTS_KINDS = 15,  /* bits of attn_part_kind */
    PARTS_LAYERS = 32, /* of any model here, and what lies behind them */
    PARTS_ALL = (1 << PARTS_KINDS) - 1
};

typedef struct part_kept {
    float *values; /* owned; [n_heads][n_rows][width]; NULL: not shown */
    double *sigma; /* owned; [n_rows] or NULL */
    size_t n_heads, n_rows, width;
    size_t order; /* how many parts and blocks were shown before it */
} part_kept;

typedef struct parts {
    const attn_model *model; /* borrowed */
    size_t n_layers;         /* run: all, or up to the first that is cut short */
    size_t n, n_keys, max_heads;
    part_kept kept[PARTS_KINDS][PARTS_LAYERS];
    float *rows[ATTN_N_ROWS_KINDS];   /* owned; [n_layers][max_heads][n][n_keys] */
    size_t block_order[PARTS_LAYERS]; /* of the layer's first block */
    float *before[PARTS_LAYERS];      /* owned; [n][width] */
    float *after[PARTS_LAYERS];       /* owned; [n][width] or NULL: cut short */
    float *logits;                    /* owned; [n][n_vocab] or NULL */
    size_t shown;
} parts;

/* One pass over INPUT with everything wanted that the model has; the test fails with the message when it fails. */
void parts_run(parts *p, const attn_model *model, attn_input *input, attn_pool *pool);
void parts_free(parts *p);
/* What was kept of KIND in LAYER; the test fails when it was not shown. */
const part_kept *parts_of(const parts *p, attn_part_kind kind, size_t layer);
bool parts_shown(const parts *p, attn_part_kind kind, size_t layer);
/* The weights (or another kind) of one head and query: [n_keys]. */
const float *parts_rows(const parts *p, attn_rows_kind kind, size_t layer, size_t head, size_t query);
/* f_h of every value row: [n_heads][n_keys][width of the stream behind the layer]; owned by the caller. */
float *parts_added(const parts *p, size_t layer);

/* The folders in ROOT (NULL: none), in the order of their names; kept until the process ends. */
const char *const *parts_folders(const char *root, int *n);

/* A TSV file of right values. */
typedef struct right_table {
    char *text;   /* owned */
    char ***rows; /* owned; [n_rows][n_columns], the header is not among them */
    char **header;
    size_t n_rows, n_columns;
} right_table;

void right_open(right_table *table, const char *path);
const char *right_cell(const right_table *table, size_t row, const char *column);
double right_number(const right_table *table, size_t row, const char *column);
size_t right_index(const right_table *table, size_t row, const char *column); /* 0 where the cell is empty */
void right_close(right_table *table);

#endif
