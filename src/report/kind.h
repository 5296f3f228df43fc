/* kind.h: what a report's file may use. Private to report/. */
#ifndef ATTN_REPORT_KIND_H
#define ATTN_REPORT_KIND_H

#include "report/report.h"
#include "report/reports.h"
#include "report/select.h"
#include "report/units.h"

#define ATTN_DECLARE(name) extern const attn_report_kind attn_report_##name;
ATTN_REPORTS(ATTN_DECLARE)
#undef ATTN_DECLARE

struct attn_report {
    const attn_report_kind *kind;
    attn_report_request request;
    attn_output_request output;
    const attn_model *model; /* borrowed, as sink and pool */
    attn_sink *sink;
    attn_pool *pool;
    bool before, after;  /* --at */
    bool drawn;          /* as points in a plane, instead of rows */
    attn_writer *writer; /* owned */
    attn_schema schema;
    attn_selection selection; /* reports that take layers */
    attn_list queries, keys;
    attn_token_filter query_filter, key_filter;
    size_t top;                /* of -k; ATTN_TOP_ALL: no limit */
    attn_report_counts counts; /* but for not_finite, which the writer counts */
    void *state;               /* owned; the kind's own */
    attn_arena arena;
    /* the current text */
    const attn_text *text;
    bool begun;             /* the writer knows of it */
    attn_units query_units; /* tokens, or words */
    attn_units key_units;   /* grids, and reports that take --key; of the context where there is one */
};

/* The writer's text begins with its first row, so that a text that fails before leaves no trace. Call it before
 * every row. */
attn_status attn_report_begin_rows(attn_report *report, attn_error *error);
/* Whether --min lets a row with VALUE be seen. */
bool attn_report_shows(const attn_report *report, float value);
attn_status attn_report_record(attn_report *report, const attn_cell *cells, attn_error *error);
/* Runs the pass with what the kind wants; layers, heads and queries selected. */
attn_status attn_report_run(attn_report *report, unsigned wants, attn_order order, const attn_observer *callbacks,
                            attn_error *error);
/* Runs the layer of BEFORE (the stream that enters it) once more, from there: with all that CALLBACKS says but the
 * layers and the heads, which are the selected ones. For a report that needs more of a layer than one run shows it;
 * may be called by an observer. *MASKED_ROWS: rows with every key masked. */
attn_status attn_report_run_layer(attn_report *report, const attn_hidden *before, const attn_observer *callbacks,
                                  uint64_t *masked_rows, attn_error *error);
#endif
