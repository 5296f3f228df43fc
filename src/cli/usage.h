/* usage.h: what options may not say together, before anything is opened. */
#ifndef ATTN_CLI_USAGE_H
#define ATTN_CLI_USAGE_H

#include "cli/options.h"

/* ATTN_EUSAGE for a contradiction (-T with FILEs, standard input used twice), ATTN_EDATA when the output
 * would overwrite an input. */
attn_status attn_usage_check(const attn_options *options, attn_error *error);

#endif
