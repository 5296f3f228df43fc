/* default_model.h: the model that is used when the command line names none. */
#ifndef ATTN_CLI_DEFAULT_MODEL_H
#define ATTN_CLI_DEFAULT_MODEL_H

/* $ATTN_MODEL if set; else the one beside the program in its build tree; else the installed one. Owned by
 * the caller (attn_free); NULL: there is none, or no memory. */
char *attn_default_model(void);

#endif
