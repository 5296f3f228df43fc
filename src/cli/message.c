/* message.c: see message.h. The one place that writes to standard error. */
#include "config.h"

#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

attn_messages attn_messages_open(bool quiet)
{
    attn_messages messages = {quiet, !quiet && isatty(STDERR_FILENO), false};
    return messages;
}

static void clear_progress(attn_messages *messages)
{
    if (messages->shown)
        fputs("\r\033[K", stderr);
    messages->shown = false;
}

void attn_message_error(attn_messages *messages, const attn_error *error)
{
    char text[2048];
    attn_error_text(error, text, sizeof text);
    clear_progress(messages);
    fprintf(stderr, "attn: %s\n", text);
}

void attn_message_warning(attn_messages *messages, const char *format, ...)
{
    va_list args;
    if (messages->quiet)
        return;
    clear_progress(messages);
    fputs("attn: warning: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void attn_message_usage_hint(attn_messages *messages)
{
    clear_progress(messages);
    fputs("Usage: attn [OPTION]... [FILE]...    attn --help tells more\n", stderr);
}

void attn_message_progress(attn_messages *messages, const char *what, double fraction)
{
    if (!messages->progress)
        return;
    if (fraction >= 1) {
        clear_progress(messages);
        return;
    }
    fprintf(stderr, "\rattn: %s %3.0f %%", what, fraction * 100);
    fflush(stderr);
    messages->shown = true;
}
