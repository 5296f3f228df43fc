/* report.h: what -p can print. A report watches the pass (pass/observer.h) and hands rows to a writer
 * (output/writer.h); it knows no format. One file and one table row a report: see report.c. */
#ifndef ATTN_REPORT_REPORT_H
#define ATTN_REPORT_REPORT_H

#include "pass/forward.h"
#include "output/sink.h"

typedef struct attn_report_info { /* a row of the table of reports */
    const char *name, *summary;
    const char *columns; /* its TSV columns, space-separated */
    bool reads_text;     /* false: attn_report_text is called once, with an empty text ("model") */
    bool reads_tokens;   /* false: tokens is NULL, the text is taken as it stands ("similar") */
} attn_report_info;
/* The row of NAME, or NULL. */
const attn_report_info *attn_report_info_of(const char *name);
/* The table, in --help's order; NULL past the end. */
const attn_report_info *attn_report_info_at(size_t index);
/* Formats likewise: "table", "tsv", "matrix", "json", "npy"; NULL past the end. */
const char *attn_report_format_at(size_t index);

/* What the command line says; strings borrowed, NULL or 0: not given. */
typedef struct attn_report_request {
    const char *print;                                   /* "weights" … */
    const char *format;                                  /* NULL: table on a terminal, else tsv */
    const char *layers, *heads, *queries, *keys;         /* LISTs, still text */
    const char *const *query_tokens, *const *key_tokens; /* NULL-terminated arrays, or NULL */
    bool has_min, average_heads, by_word, before, after, with_self, final_norm, raw_tokens, no_header;
    float min;
    size_t top;          /* -k; 0: the report's default */
    const char *columns; /* LIST of names */
    int precision;       /* −1: shortest */
    int color;           /* 0 never, 1 always */
    bool several_texts;  /* more than one text will come, as far as is known: npy refuses at once */
} attn_report_request;

typedef struct attn_text { /* one text on its way */
    const char *file;      /* as the user named it; "-" standard input; "" given by -T */
    size_t number;         /* counts over all files and lines, from 0 */
    size_t line;           /* with --lines its number in the file, from 1; else 0 */
    attn_bytes bytes;
    const attn_tokens *tokens;
    const uint8_t *hidden_keys; /* [tokens->count] or NULL: padding */
    attn_bytes context_bytes;   /* -c: the other text */
    const attn_tokens *context; /* NULL: none */
    const uint8_t *context_hidden;
    attn_progress *progress; /* of the pass over this text; NULL */
    void *progress_context;
    /* for reports that take the text as it stands ("similar"): how to encode it, and the run's unknown words */
    const attn_encode_options *encode; /* NULL: the defaults */
    attn_unknowns *unknowns;           /* NULL: not counted */
} attn_text;

typedef struct attn_report attn_report;

/* Checks the request against the model: names, lists, columns, formats, needs. Nothing is written yet. */
attn_status attn_report_open(const attn_report_request *request, const attn_model *model, attn_sink *sink,
                             attn_pool *pool, attn_report **report, attn_error *error);
/* Runs the pass over one text (not for "tokens", "similar", "model") and writes its rows. An error before
 * the text's first row leaves the output as it was: the next text may follow. */
attn_status attn_report_text(attn_report *report, const attn_text *text, attn_error *error);
/* After the last text: footers ("]", npy's header …). */
attn_status attn_report_end(attn_report *report, attn_error *error);
/* Rows with every key masked, over all texts, for the warning at the end. */
uint64_t attn_report_masked_rows(const attn_report *report);
/* Numbers written that are NaN or infinite, likewise. */
uint64_t attn_report_not_finite(const attn_report *report);
void attn_report_close(attn_report *report);

#endif
