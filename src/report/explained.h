/* explained.h: one layer of one text, kept whole, and the steps of it that the report `explain` hands to the writer.
 * Private to report/. explain.c runs the layer; explained.c keeps it; explained_tokens.c and
 * explained_steps.c make tables of it. */
#ifndef ATTN_REPORT_EXPLAINED_H
#define ATTN_REPORT_EXPLAINED_H

#include "base/memory.h"
#include "report/kind.h"
#include "report/top.h"

typedef struct attn_kept { /* a part of the pass */
    float *values;         /* owned; [n_heads][n_rows][width]; NULL: there was none */
    size_t n_heads, n_rows, width;
} attn_kept;

enum {
    ATTN_KEPT_PARTS = 15,
    ATTN_TITLE_ROOM = 96,
    /* of a query's table: columns of numbers, and which of a column there are */
    ATTN_N_EXPLAINED = 10,
    ATTN_N_MARKS = 4
};

typedef struct attn_titles { /* of steps, where a number or a name is part of them */
    char scale[ATTN_TITLE_ROOM], cap[ATTN_TITLE_ROOM], temperature[ATTN_TITLE_ROOM], exponent[ATTN_TITLE_ROOM],
        head[ATTN_TITLE_ROOM], q[ATTN_TITLE_ROOM], k[ATTN_TITLE_ROOM], v[ATTN_TITLE_ROOM], note[ATTN_TITLE_ROOM];
} attn_titles;

typedef struct attn_explained {
    attn_report *report;     /* borrowed, as layer and x */
    const attn_layer *layer; /* number INDEX */
    size_t index, n, n_keys;
    const float *x; /* [n][x_width]: the stream that enters it */
    size_t x_width;
    attn_kept kept[ATTN_KEPT_PARTS]; /* by the bit of the part's kind */
    attn_kept out;                   /* the stream after the layer; nothing where the layer is cut short */
    attn_head_outputs outputs;
    const uint8_t *heads; /* borrowed; [n_heads], 1: selected */
    size_t n_selected;    /* heads */
    size_t limit;         /* keys of a query on a page */
    uint8_t *used; /* owned; [n_heads][n_keys]: keys that a query of the head prints; NULL: all that are selected */
    /* of the query at hand, [n_keys + 1]: a sink stands behind the keys */
    float *rows[ATTN_N_ROWS_KINDS]; /* owned; [capacity][n_keys]: the block's */
    size_t capacity;
    attn_top top;
    size_t *order, *positions, *shown; /* owned */
    attn_bytes *labels;                /* owned */
    uint8_t *mine;                     /* owned; [ATTN_N_MARKS][n_keys + 1]: which numbers there are */
    float *numbers;                    /* owned; [ATTN_N_EXPLAINED][n_keys + 1] */
    float *keys, *values;              /* owned; [n_keys + 1][head_dim], [n_keys + 1][value_dim] */
    float *added;                      /* owned; [width behind the layer] */
    attn_titles titles;
} attn_explained;

/* X[n][width] is the stream that enters LAYER. Only ATTN_ENOMEM fails, here and below. Close it in any case. */
attn_status attn_explained_open(attn_explained *e, attn_report *report, const attn_hidden *before, attn_error *error);
void attn_explained_close(attn_explained *e);
/* A part, the stream after the layer, as the pass shows them. */
attn_status attn_explained_part(attn_explained *e, const attn_part *part, attn_error *error);
attn_status attn_explained_out(attn_explained *e, const attn_hidden *after, attn_error *error);
/* What was kept of KIND; values NULL: nothing. */
const attn_kept *attn_explained_kept(const attn_explained *e, attn_part_kind kind);
/* Row ROW of head HEAD of what was kept. */
const float *attn_kept_row(const attn_kept *kept, size_t head, size_t row);

/* One query of one head: its numbers for each key. */
typedef struct attn_explained_query {
    size_t head, index;                   /* INDEX into the selected queries */
    const float *rows[ATTN_N_ROWS_KINDS]; /* [n_keys] each; CAPPED may be NULL */
    const uint8_t *visible;               /* [n_keys] */
} attn_explained_query;
/* Marks the keys that a query prints, where that is asked for. */
void attn_explained_use(attn_explained *e, const attn_explained_query *query);
/* What holds for HEAD in words, to FACTS; ATTN_HEAD_NONE: for all heads. */
void attn_explained_facts(const attn_explained *e, size_t head, attn_buffer *facts);

/* Hands over: the section of HEAD with its tokens' vectors; one query's steps, and with a single head also what the
 * layer makes of it; the section of what the layer makes of its heads. */
attn_status attn_explained_head(attn_explained *e, size_t head, attn_error *error);
attn_status attn_explained_steps(attn_explained *e, const attn_explained_query *query, attn_error *error);
attn_status attn_explained_layer(attn_explained *e, attn_error *error);
/* Chooses the keys to print of QUERY, in order, to e->order; with -k the largest weights first. */
size_t attn_explained_choose(attn_explained *e, const attn_explained_query *query);

/* For explained_*.c. A step of one vector a row; "BEFORE 0.7071 AFTER", whole numbers bare, to OUT[ATTN_TITLE_ROOM]. */
attn_step attn_vector_step(const char *name, const char *title, const char *short_title, const float *values,
                           size_t width);
void attn_put_step_title(char *out, const char *before, double number, const char *after);
/* The section of HEAD (ATTN_HEAD_NONE: what is behind them) begins. */
attn_status attn_explained_section(attn_explained *e, size_t head, attn_error *error);

#endif
