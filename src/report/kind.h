/* kind.h: what a report's file defines and may use. Private to report/. */
#ifndef ATTN_REPORT_KIND_H
#define ATTN_REPORT_KIND_H

#include "output/writer.h"
#include "report/report.h"
#include "report/select.h"
#include "report/units.h"

enum { /* selecting options a report understands, or-ed; others are refused, not ignored */
       ATTN_TAKES_LAYERS = 1,
       ATTN_TAKES_HEADS = 2,
       ATTN_TAKES_QUERIES = 4,
       ATTN_TAKES_KEYS = 8,
       ATTN_TAKES_MIN = 16,
       ATTN_TAKES_TOP = 32,
       ATTN_TAKES_AVERAGE = 64,
       ATTN_TAKES_WORDS = 128,
       ATTN_TAKES_AT = 256,
       ATTN_TAKES_SELF = 512,
       ATTN_TAKES_LENS = 1024
};

typedef struct attn_report_kind {
    attn_report_info info;
    attn_shape shape;
    unsigned takes;
    bool all_layers;   /* by default; else the last */
    bool only_self;    /* refuses cross-attention */
    size_t top;        /* default of -k; 0: no limit */
    size_t state_size; /* of report->state, cleared before open */
    /* open and close may be NULL. open runs before the writer is: it may set schema fields. */
    attn_status (*open)(attn_report *report, attn_error *error);
    attn_status (*text)(attn_report *report, attn_error *error);
    void (*close)(attn_report *report);
} attn_report_kind;

extern const attn_report_kind attn_report_weights, attn_report_scores, attn_report_embeddings, attn_report_nearest,
    attn_report_similar, attn_report_tokens, attn_report_heads, attn_report_next, attn_report_model;

struct attn_report {
    const attn_report_kind *kind;
    attn_report_request request;
    const attn_model *model; /* borrowed, as sink and pool */
    attn_sink *sink;
    attn_pool *pool;
    attn_writer *writer; /* owned */
    attn_schema schema;
    attn_selection selection; /* reports that take layers */
    attn_list queries, keys;
    attn_token_filter query_filter, key_filter;
    size_t top; /* 0: no limit */
    uint64_t masked_rows;
    void *state; /* owned; the kind's own */
    attn_arena arena;
    /* the current text */
    const attn_text *text;
    bool begun;             /* the writer knows of it */
    attn_units query_units; /* tokens, or words */
    attn_units key_units;   /* grids only; of the context where there is one */
};

/* The writer's text begins with its first row, so that a text that fails before leaves no trace. Call it before
 * every row. */
attn_status attn_report_begin_rows(attn_report *report, attn_error *error);
attn_status attn_report_record(attn_report *report, const attn_cell *cells, attn_error *error);
/* Runs the pass with what the kind wants; layers, heads and queries selected. */
attn_status attn_report_run(attn_report *report, unsigned wants, attn_order order, const attn_observer *callbacks,
                            attn_error *error);
#endif
