/* usage.h: what options may not say together, before anything is opened; and that no input is written over. */
#ifndef ATTN_CLI_USAGE_H
#define ATTN_CLI_USAGE_H

#include "base/file_list.h"
#include "cli/options.h"

/* ATTN_EUSAGE for an option that the report does not take and for a contradiction (-T with FILEs, standard input used
 * twice), ATTN_EDATA when the output would overwrite one of the texts, which are noted in INPUTS where there is an
 * output. */
attn_status attn_usage_check(const attn_request *request, attn_file_list *inputs, attn_error *error);
/* ATTN_EDATA when the output would overwrite one of INPUTS, however it is spelled. To be asked when all but the texts
 * is read, before the output is opened. */
attn_status attn_usage_output(const attn_request *request, const attn_file_list *inputs, attn_error *error);

#endif
