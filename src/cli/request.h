/* request.h: the command line as data: one struct, made of what is asked of each stage. {0}: nothing was said. */
#ifndef ATTN_CLI_REQUEST_H
#define ATTN_CLI_REQUEST_H

#include "cli/encode.h"
#include "cli/texts.h"
#include "load/load.h"
#include "output/writer.h"
#include "report/report.h"

enum { ATTN_MOST_OPTIONS = 128 };

typedef struct attn_request { /* strings are borrowed from argv */
    attn_model_request model;
    attn_texts_request texts;
    attn_encode_request encode;
    attn_report_request report;
    attn_output_request output;
    size_t threads; /* 0: as many as processors */
    bool quiet, help, version;
    bool given[ATTN_MOST_OPTIONS]; /* which rows of the option table were, whatever their values */
} attn_request;

#endif
