/* options.h: the options as data. One table (option_table.c) says of each its names, argument, choices and help, the
 * field of the request that it fills, and which reports take it; the reading of argv (options.c), --help, the man
 * page's OPTIONS, the completions and the checks of usage.c all go by it. */
#ifndef ATTN_CLI_OPTIONS_H
#define ATTN_CLI_OPTIONS_H

#include "cli/request.h"

typedef enum attn_option_kind {                           /* what the field is */
                                ATTN_OPTION_FLAG,         /* bool */
                                ATTN_OPTION_TEXT,         /* const char * */
                                ATTN_OPTION_TEXTS,        /* attn_strings */
                                ATTN_OPTION_CHOICE,       /* what the choices set */
                                ATTN_OPTION_COUNT,        /* size_t, least…most; least >= 1, so that 0 is not given */
                                ATTN_OPTION_COUNT_FROM_0, /* attn_given_count, 0…most */
                                ATTN_OPTION_NUMBER,       /* attn_given_number */
                                ATTN_OPTION_POSITIVE      /* attn_given_number, above 0 */
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

typedef enum attn_option_file { ATTN_FILE_NONE, ATTN_FILE_READ, ATTN_FILE_WRITTEN } attn_option_file;

typedef struct attn_choices {
    const char *(*name)(size_t index);      /* NULL past the end */
    void (*set)(void *field, size_t index); /* to what the field's stage wants: an enum, a bool, a row */
} attn_choices;

typedef struct attn_option { /* a row of the table */
    char letter;             /* 0: none */
    const char *name;        /* long name */
    const char *argument;    /* NULL: takes none */
    attn_option_section section;
    attn_option_kind kind;
    size_t offset;               /* of the field in attn_request */
    const attn_choices *choices; /* ATTN_OPTION_CHOICE */
    size_t least, most;          /* counts */
    attn_option_file file;       /* the argument is, or may be, the name of one; "-" is standard input */
    unsigned takes;              /* ATTN_TAKES_…: only reports whose row has it take the option; 0: all do */
    const char *help;            /* for --help and the man page */
} attn_option;

extern const attn_option attn_option_table[];
extern const size_t attn_n_options;
const char *attn_section_name(attn_option_section section);

/* Reads ARGV into REQUEST; the report is the first when none is named. ATTN_EUSAGE with a message and often a "did you mean". */
attn_status attn_request_read(int argc, char **argv, attn_request *request, attn_error *error);
void attn_request_free(attn_request *request);
/* The values of a text option, [count], borrowed from REQUEST; 0: it was not given. */
size_t attn_option_values(const attn_option *row, const attn_request *request, const char *const **values);

#endif
