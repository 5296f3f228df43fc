/* run.h: the whole program as a function, so that tests can call it. */
#ifndef ATTN_CLI_RUN_H
#define ATTN_CLI_RUN_H

/* Exit status: 0 fine, 1 failed, 2 wrong usage. */
int attn_cli_run(int argc, char **argv);

#endif
