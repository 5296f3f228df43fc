/* signals.h: the program's manners towards signals. What ends it removes its temporaries (output/sink.c); here is what
 * must not end it, and what must end it with a word. */
#ifndef ATTN_CLI_SIGNALS_H
#define ATTN_CLI_SIGNALS_H

#include <stdbool.h>

/* Before anything is opened. A reader that has gone (SIGPIPE) and a file that grows too large (SIGXFSZ) become errors of
 * the write, so that a lost warning loses no output; a mapped file that is cut while it is read (SIGBUS) ends the program
 * with a message and status 1; a closed standard error is held open, so that no file takes its number and gets the
 * messages. True: SIGPIPE had its default action. */
bool attn_signals_catch(void);
/* Behind the last clean-up. PIPE_DEFAULT is what attn_signals_catch gave; with READER_GONE the program then dies of
 * SIGPIPE, as its shell expects of it. */
void attn_signals_end(bool pipe_default, bool reader_gone);

#endif
