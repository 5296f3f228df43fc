/* reports.h: a report over a toy model, and what it prints. */
#ifndef ATTN_TESTING_REPORTS_H
#define ATTN_TESTING_REPORTS_H

#include "cli/encode.h"
#include "report/report.h"

/* Two words, one-hot, with zero queries: every visible key has the same score, so weights are uniform. */
#define REPORTS_TWO_WORDS "\"words\": {\"a\": [1, 0], \"b\": [0, 1]}, "
#define REPORTS_UNIFORM "{" REPORTS_TWO_WORDS "\"layers\": [{\"W_Q\": [[0, 0], [0, 0]], \"score\": \"dot\"}]}"
/* Two heads with opposite preference, as case 075: head 0 likes the same word, head 1 the other; the weights are
 * e^s/(e^s + 1) with s = 3/√1: .9525741268 and .0474258732. */
#define REPORTS_TWO_HEADS                                                                                              \
    "{" REPORTS_TWO_WORDS "\"layers\": [{\"n_heads\": 2, \"W_Q\": [[1, 0, 0, 1], [0, 1, 1, 0]], "                      \
    "\"W_K\": [[3, 0, 3, 0], [0, 3, 0, 3]], \"W_V\": [[1, 0, 1, 0], [0, 1, 0, 1]], "                                   \
    "\"score\": \"dot\", \"mask\": \"none\"}]}"
/* Only the token itself is seen: the vector after the layer is the vector before it. */
#define REPORTS_STILL                                                                                                  \
    "{\"words\": {\"q\": [1, 0], \"w3\": [0.5, 0.5], \"w1\": [0.5, 0.5], \"z\": [0, 0], \"w0\": [1, 0.1], "            \
    "\"twin\": [2, 0]}, \"layers\": [{\"mask\": \"window:1\"}]}"

typedef struct reports_run {
    attn_model model;
    attn_report_request request;
    attn_output_request output;
    bool several_texts;
    attn_error error;
    const char *texts[4];
    const attn_tokens *tokens; /* instead of the tokenizer's */
    const char *context;       /* the other text of cross-attention, or NULL */
    attn_pool *pool;           /* borrowed, or NULL */
    const uint8_t *hidden;     /* padding */
    attn_messages messages;
    attn_encoding encoding;
} reports_run;

/* The rows of a report and of a format, by the names that -p and -f know; the test fails where there is none. */
const attn_report_kind *reports_kind(const char *name);
const attn_output *reports_format(const char *name);

/* The report PRINT over the toy JSON and the text "a b", as TSV with the shortest numbers. */
reports_run reports_start(const char *json, const char *print);
/* The same over the model at PATH; and with texts that are ids. */
reports_run reports_start_at(const char *path, const char *print);
reports_run reports_start_ids(const char *path, const char *print);
/* Runs it; what it printed, *SIZE bytes and a NUL (NULL: not wanted), lives until the next run. */
attn_status reports_try(reports_run *run, const char **output, size_t *size);
void reports_end(reports_run *run);

/* Runs it and ends it: what it printed; the message with which it must end as STATUS says, nothing printed. */
const char *reports_printed(reports_run *run);
const char *reports_refused(reports_run *run, attn_status status);

/* Column COLUMN (from 0) of line LINE (0: the header) of OUTPUT as a number. */
double reports_number(const char *output, size_t line, size_t column);

#endif
