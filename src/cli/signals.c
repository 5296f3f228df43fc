/* signals.c: see signals.h. The handler calls nothing that is not async-signal-safe (POSIX, 2.4.3). */
#include "config.h"

#include "cli/signals.h"
#include "base/file.h"
#include "base/utf8.h"
#include "output/sink.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static void put(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(STDERR_FILENO, text, size);
        if (wrote <= 0)
            return;
        text += wrote;
        size -= (size_t)wrote;
    }
}

/* NAME as other messages show it: what would steer a terminal is spelled out. */
static void put_name(const char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    const attn_bytes bytes = {(const uint8_t *)name, strlen(name)};
    for (size_t at = 0, length; at < bytes.size; at += length) {
        const bool steers = attn_utf8_steers(bytes, at, &length);
        for (size_t i = at; i < at + length; i++) {
            const uint8_t byte = bytes.data[i];
            const char hex[] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
            put(steers ? hex : name + i, steers ? sizeof hex : 1);
        }
    }
}

static void end_of_cut_file(int number, siginfo_t *info, void *context)
{
    static const char before[] = "attn: ", behind[] = " was cut short while it was read\n";
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *name = info->si_code > 0 ? attn_file_mapped_at(info->si_addr) : NULL;
    (void)context;
    if (name != NULL && atomic_flag_test_and_set(&told)) /* by another thread, which is about to end us */
        for (;;)
            pause();
    attn_sink_remove_temporaries();
    if (name == NULL) { /* no file of ours: the default action, when we return */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    put(before, sizeof before - 1);
    put_name(name);
    put(behind, sizeof behind - 1);
    _exit(1);
}

/* True: NUMBER had its default action. */
static bool ignore(int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
        return false;
    return signal(number, SIG_IGN) != SIG_ERR;
}

static void hold_standard_error(void)
{
    if (fcntl(STDERR_FILENO, F_GETFD) != -1)
        return;
    int fd = open("/dev/null", O_WRONLY);
    if (fd >= 0 && fd != STDERR_FILENO) {
        dup2(fd, STDERR_FILENO);
        close(fd);
    }
}

bool attn_signals_catch(void)
{
    struct sigaction action;
    hold_standard_error();
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    action.sa_sigaction = end_of_cut_file;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, NULL);
    ignore(SIGXFSZ);
    return ignore(SIGPIPE);
}

void attn_signals_end(bool pipe_default, bool reader_gone)
{
    if (!pipe_default)
        return;
    signal(SIGPIPE, SIG_DFL);
    if (reader_gone)
        raise(SIGPIPE);
}
