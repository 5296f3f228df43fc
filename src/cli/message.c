/* message.c: see message.h. The one place that writes to standard error. */
#include "config.h"

#include "cli/message.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

attn_messages attn_messages_open(bool quiet)
{
    return (attn_messages){.quiet = quiet, .progress = !quiet && isatty(STDERR_FILENO)};
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

/* TEXT as one line: what would steer a terminal (a text's words may) is spelled out. */
static void put_line(const char *text)
{
    const attn_bytes bytes = attn_bytes_of(text);
    for (size_t at = 0, length; at < bytes.size; at += length) {
        const bool steers = attn_utf8_steers(bytes, at, &length);
        for (size_t i = 0; i < length; i++)
            fprintf(stderr, steers ? "\\x%02X" : "%c", (unsigned)bytes.data[at + i]);
    }
    fputc('\n', stderr);
}

void attn_message_warning(attn_messages *messages, const char *format, ...)
{
    char text[4096];
    va_list args;
    if (messages->quiet)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clear_progress(messages);
    fputs("attn: warning: ", stderr);
    put_line(text);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void attn_message_usage_hint(attn_messages *messages)
{
    clear_progress(messages);
    fputs("Usage: attn [OPTION]... [FILE]...    attn --help tells more\n", stderr);
}

void attn_message_progress(attn_messages *messages, const char *what, double fraction)
{
    double now;
    if (!messages->progress)
        return;
    if (fraction >= 1) {
        clear_progress(messages);
        messages->begun = 0;
        return;
    }
    now = seconds();
    if (messages->begun == 0)
        messages->begun = now;
    if (now - messages->begun < 0.5 || now - messages->last < 0.1)
        return;
    messages->last = now;
    fprintf(stderr, "\rattn: %s %3.0f %%", what, fraction * 100);
    fflush(stderr);
    messages->shown = true;
}
