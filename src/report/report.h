/* report.h: what -p can print. A report watches the pass (pass/observer.h) and hands rows to a writer
 * (output/writer.h); it knows no format. It is one file that ends in its row, an attn_report_kind, and one line in
 * reports.h. What others must know of it is said in the row: nobody else names it. */
#ifndef ATTN_REPORT_REPORT_H
#define ATTN_REPORT_REPORT_H

#include "output/writer.h"
#include "pass/forward.h"

/* Options that only some reports understand, or-ed in their rows' `takes`; elsewhere they are refused, not ignored. */
enum {
    ATTN_TAKES_LAYERS = 1 << 0,
    ATTN_TAKES_HEADS = 1 << 1,
    ATTN_TAKES_QUERIES = 1 << 2,
    ATTN_TAKES_KEYS = 1 << 3,
    ATTN_TAKES_MIN = 1 << 4,
    ATTN_TAKES_TOP = 1 << 5,
    ATTN_TAKES_AVERAGE = 1 << 6,
    ATTN_TAKES_WORDS = 1 << 7,
    ATTN_TAKES_AT = 1 << 8,
    ATTN_TAKES_SELF = 1 << 9,
    ATTN_TAKES_LENS = 1 << 10,
    ATTN_TAKES_AXES = 1 << 13,
    /* these three stand in no row: attn_report_takes tells them */
    ATTN_TAKES_WEIGHTS = 1 << 11,
    ATTN_TAKES_TEXTS = 1 << 14,    /* how a whole text becomes tokens */
    ATTN_TAKES_ATTENTION = 1 << 12 /* what steers a pass: masks, scores, positions, the other text */
};

typedef enum attn_reads {
    ATTN_READS_TOKENS, /* of each text */
    ATTN_READS_TEXT,   /* as it stands: tokens is NULL */
    ATTN_READS_NOTHING /* attn_report_text is called once, with an empty text */
} attn_reads;

typedef struct attn_report attn_report;

#define ATTN_TOP_ALL SIZE_MAX /* no limit, where no -k is given */

typedef struct attn_report_ranges { /* columns that hold such numbers, space-separated; NULL: none */
    const char *unit, *positive, *with_sign;
} attn_report_ranges;

typedef struct attn_report_kind { /* a report's row */
    const char *name, *summary;
    const char *columns; /* its TSV columns, space-separated */
    attn_shape shape;
    attn_range range;         /* of a grid's numbers */
    attn_report_ranges cells; /* of a record's */
    bool plane;               /* its rows can be drawn as points in a plane */
    bool by_head;             /* records: one a (layer, head), named so first: maps of heads */
    attn_reads reads;
    bool any_length;   /* texts longer than the model reads too: the pass does not run */
    unsigned takes;    /* ATTN_TAKES_… */
    bool all_layers;   /* by default; else the last */
    bool of_keys;      /* its rows are keys: the context's where there is one; its heads key/value heads */
    size_t titled;     /* records: so many columns name a section of a table */
    bool only_self;    /* refuses cross-attention */
    size_t top;        /* default of -k; 0: ATTN_TOP_ALL */
    size_t state_size; /* of report->state, cleared before open */
    /* open and close may be NULL. open runs before the writer is: it may set schema fields. */
    attn_status (*open)(attn_report *report, attn_error *error);
    attn_status (*text)(attn_report *report, attn_error *error);
    attn_status (*end)(attn_report *report, attn_error *error); /* after the last text; NULL: nothing is left to do */
    void (*close)(attn_report *report);
} attn_report_kind;

/* In --help's order; NULL past the end. */
const attn_report_kind *attn_report_at(size_t index);

/* All that KIND takes: its row's, and what the pass does that it runs (`model`, which runs none, tells of it). */
unsigned attn_report_takes(const attn_report_kind *kind);

/* What is asked of a report; {0}: nothing. Strings are borrowed. */
typedef struct attn_report_request {
    const attn_report_kind *kind;                /* NULL: the first */
    const char *layers, *heads, *queries, *keys; /* LISTs, still text */
    attn_strings query_tokens, key_tokens;
    attn_given_number min;
    attn_given_count top; /* -k; not given: the report's default */
    const char *axes;     /* of a plane: two dimensions with a comma, or "pca" */
    const char *at;       /* "before", "after" or both with a comma */
    bool average_heads, by_word, with_self, final_norm, raw_tokens;
} attn_report_request;

/* Appends the tokens of PART, a word of a text or of an option, to TOKENS: the one that it is in a running text, or else
 * its pieces, as the run encodes its texts but without the tokens that a model puts around one. Nothing of it is known: none is appended, and *WHY (may be NULL) says so. */
typedef attn_status attn_encode_part(void *context, attn_bytes part, attn_tokens *tokens, attn_error *why,
                                     attn_error *error);

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
    attn_encode_part *encode_part; /* for reports that read the text as it stands */
    void *encode_context;
    attn_progress *progress; /* of the pass over this text; NULL */
    void *progress_context;
} attn_text;

typedef struct attn_report_tools { /* what a report works with; borrowed for its life */
    const attn_model *model;
    attn_sink *sink;
    attn_pool *pool;
    bool several_texts; /* more than one text will come, as far as is known */
} attn_report_tools;

/* Checks the request against the model: lists, columns, formats, needs. Nothing is written yet. */
attn_status attn_report_open(const attn_report_request *request, const attn_output_request *output,
                             const attn_report_tools *tools, attn_report **report, attn_error *error);
/* Prints one text, most reports by a run of the pass over it. An error before
 * the text's first row leaves the output as it was: the next text may follow. */
attn_status attn_report_text(attn_report *report, const attn_text *text, attn_error *error);
/* What is printed of the texts so far goes out: the next is not there yet. */
attn_status attn_report_flush(attn_report *report, attn_error *error);
/* After the last text: footers ("]", npy's header …). */
attn_status attn_report_end(attn_report *report, attn_error *error);
/* What the warnings at the end count, over all texts. */
typedef struct attn_report_counts {
    uint64_t masked_rows;  /* rows with every key masked */
    uint64_t not_finite;   /* numbers written that are NaN or infinite */
    uint64_t lost_queries; /* vectors that hold NaN or infinity: asked for their nearest, they have none */
    uint64_t lost_vectors; /* of the vocabulary, likewise: they are nobody's nearest */
} attn_report_counts;
attn_report_counts attn_report_counted(const attn_report *report);
void attn_report_close(attn_report *report);

#endif
