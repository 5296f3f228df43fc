/* message.h: what goes to standard error: "attn: …" lines and the progress of long loads. */
#ifndef ATTN_CLI_MESSAGE_H
#define ATTN_CLI_MESSAGE_H

#include "base/error.h"

typedef struct attn_messages {
    bool quiet;         /* no warnings, no progress */
    bool progress;      /* standard error is a terminal, and not quiet */
    bool shown;         /* a progress line stands there and must be cleared */
    double begun, last; /* seconds: when this work first told of itself, when it was last shown */
} attn_messages;

attn_messages attn_messages_open(bool quiet);
void attn_message_error(attn_messages *messages, const attn_error *error);
void attn_message_warning(attn_messages *messages, const char *format, ...) ATTN_PRINTF(2, 3);
void attn_message_usage_hint(attn_messages *messages); /* where to read on, after wrong usage */
/* A line that is written over, from half a second after the first call on and some ten times a second;
 * FRACTION 1 ends it. */
void attn_message_progress(attn_messages *messages, const char *what, double fraction);

#endif
