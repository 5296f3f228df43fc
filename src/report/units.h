/* units.h: what the rows and columns of a report stand for: tokens, or words with --by-word; their labels, and
 * which of them are selected. Private to report/. */
#ifndef ATTN_REPORT_UNITS_H
#define ATTN_REPORT_UNITS_H

#include "base/given.h"
#include "output/writer.h"
#include "report/select.h"
#include "text/tokenizer.h"
#include "text/unicode/normal.h"

/* --query-token and --key-token: a unit is selected when one of the texts is its label, with or without the label's
 * leading spaces, both in Unicode's composed form (NFC); or, where none of the text's labels is that, when it is what a
 * column or a table prints for it (\n, \\xED, ␣the) or what the vocabulary spells (Ġthe). What never matches in a whole
 * run is an error at its end. */
typedef struct attn_token_filter {
    const char *option;        /* "--query-token" */
    const char *const *tokens; /* borrowed; [n] */
    size_t n;
    attn_normal *composed; /* owned; [n]: the tokens */
    uint8_t *matched;      /* owned; [n]: in some text */
    uint8_t *sense;        /* owned; [n]: what it means in the text that is asked about, an attn_token_sense */
    char *nearest;         /* owned; [n][ATTN_NEAR_KEPT][ATTN_NEAR_SIZE]: the nearest labels seen, nearest first */
    size_t *distance;      /* owned; [n][ATTN_NEAR_KEPT]: how far each is */
} attn_token_filter;
enum { ATTN_NEAR_SIZE = 64, ATTN_NEAR_KEPT = 3 };

attn_status attn_token_filter_open(const char *option, const attn_strings *tokens, attn_token_filter *filter,
                                   attn_error *error);
/* Fails when a token matched nothing in any text. */
attn_status attn_token_filter_end(const attn_token_filter *filter, attn_error *error);
void attn_token_filter_close(attn_token_filter *filter);

typedef struct attn_units {
    size_t n_tokens, n;
    uint32_t *first;        /* owned; [n + 1]: unit i is tokens first[i]…first[i+1]−1 */
    uint32_t *label_starts; /* owned; [n + 1] */
    attn_buffer label_bytes;
    uint8_t *selected;       /* owned; [n] */
    uint8_t *token_selected; /* owned; [n_tokens]: its unit is selected */
    size_t *positions;       /* owned; [n_selected]: the selected units, ascending */
    attn_bytes *side_labels; /* owned; [n_selected]; or NULL: no writer asks for a side */
    size_t n_selected;
} attn_units;

typedef struct attn_units_request {
    const attn_tokenizer *tokenizer;
    attn_bytes text;
    const attn_tokens *tokens;
    bool by_word, raw;
    const char *option; /* "--query" or "--key" */
    const attn_list *list;
    attn_token_filter *filter; /* NULL: none */
    bool is_side;              /* a writer will ask for all of them: see attn_units_side */
} attn_units_request;

attn_status attn_units_make(const attn_units_request *request, attn_units *units, attn_error *error);
void attn_units_free(attn_units *units); /* leaves {0} */
/* Appends TEXT with ill-formed bytes as \xNN. */
void attn_put_readable(attn_bytes text, attn_buffer *out);
attn_bytes attn_units_label(const attn_units *units, size_t unit);
/* The label of the INDEXth selected unit. */
attn_bytes attn_units_selected_label(const attn_units *units, size_t index);
attn_side attn_units_side(const attn_units *units);

#endif
