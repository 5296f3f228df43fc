/* default_model.h: the model that is used when the command line names none. */
#ifndef ATTN_CLI_DEFAULT_MODEL_H
#define ATTN_CLI_DEFAULT_MODEL_H

#include "load/load.h"

/* Names a model where REQUEST names none: $ATTN_MODEL if set; else the one beside the program in its build tree; else
 * the installed one; none: ATTN_EUSAGE. *OWNED, to be freed by the caller (attn_free), is the name, or NULL. */
attn_status attn_default_model(attn_model_request *request, char **owned, attn_error *error);

#endif
