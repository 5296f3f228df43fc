/* options.h: the command line as data. One table (options.c) says names, argument, choices, help and where
 * the value goes; getopt, --help, the man page's OPTIONS and the completions all come from it. */
#ifndef ATTN_CLI_OPTIONS_H
#define ATTN_CLI_OPTIONS_H

#include "base/error.h"
#include "base/given.h"

typedef struct attn_options { /* strings are borrowed from argv; NULL, 0, false, NAN: not given */
    const char *model, *vocab, *embeddings, *weights;
    attn_strings texts, files;
    const char *tokenizer, *context, *unknown, *special, *pad_token;
    bool lines, lowercase, parse_special, keep_newline;
    size_t max_tokens;
    attn_strings masks;
    const char *score, *positions;
    float scale, temperature, softcap;
    size_t n_heads, n_kv_heads;
    const char *layers, *heads, *queries, *keys;
    attn_strings query_tokens, key_tokens;
    float min;
    size_t top;
    const char *average;
    bool by_word;
    const char *print, *at, *format, *columns, *color, *output;
    bool with_self, final_norm, raw_tokens, no_header;
    size_t precision;
    size_t threads;
    bool quiet, help, version;
} attn_options;

enum { ATTN_NO_PRECISION = 1000 };

typedef enum attn_option_kind {
    ATTN_OPTION_FLAG,   /* bool */
    ATTN_OPTION_TEXT,   /* const char * */
    ATTN_OPTION_TEXTS,  /* attn_strings */
    ATTN_OPTION_CHOICE, /* const char *, one of the row's choices */
    ATTN_OPTION_COUNT,  /* size_t, least…most */
    ATTN_OPTION_NUMBER  /* float */
} attn_option_kind;

typedef enum attn_option_section {
    ATTN_SECTION_MODEL,
    ATTN_SECTION_TEXT,
    ATTN_SECTION_ATTENTION,
    ATTN_SECTION_SELECT,
    ATTN_SECTION_PRINT,
    ATTN_SECTION_GENERAL,
    ATTN_N_SECTIONS
} attn_option_section;

typedef struct attn_option { /* a row of the table */
    char letter;             /* 0: none */
    const char *name;        /* long name */
    const char *argument;    /* NULL: takes none */
    attn_option_section section;
    attn_option_kind kind;
    size_t offset;                       /* of the field in attn_options */
    const char *(*choice)(size_t index); /* ATTN_OPTION_CHOICE: NULL past the end */
    size_t least, most;                  /* ATTN_OPTION_COUNT; ATTN_OPTION_NUMBER: least 1 demands a positive number */
    const char *help;                    /* for --help and the man page */
} attn_option;

extern const attn_option attn_option_table[];
extern const size_t attn_n_options;
const char *attn_section_name(attn_option_section section);

/* Reads ARGV into OPTIONS. ATTN_EUSAGE with a message and often a "did you mean". */
attn_status attn_options_read(int argc, char **argv, attn_options *options, attn_error *error);
void attn_options_free(attn_options *options);

#endif
