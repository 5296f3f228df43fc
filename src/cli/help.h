/* help.h: what the option table says to people: --help, the man page's OPTIONS, shell completions. */
#ifndef ATTN_CLI_HELP_H
#define ATTN_CLI_HELP_H

#include "base/buffer.h"
#include "base/error.h"

void attn_help_page(attn_buffer *out);       /* --help: sections, within 80 columns */
void attn_help_version(attn_buffer *out);    /* --version: version, kernels, licence */
void attn_help_man(attn_buffer *out);        /* the man page's OPTIONS as roff */
void attn_help_completion(attn_buffer *out); /* for bash */

/* One of the pages to standard output. */
attn_status attn_help_print(void (*page)(attn_buffer *out), attn_error *error);

#endif
