/* fuzz_quiet.h: what a run prints goes elsewhere, and comes back for libFuzzer and the sanitizers. */
#ifndef ATTN_TESTS_FUZZ_QUIET_H
#define ATTN_TESTS_FUZZ_QUIET_H

#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

typedef struct fuzz_quiet {
    int kept[3]; /* the descriptors 0, 1 and 2 as they were; −1: it stays */
} fuzz_quiet;

static inline void fuzz_replace(fuzz_quiet *quiet, int number, int descriptor)
{
    quiet->kept[number] = dup(number);
    if (descriptor < 0 || quiet->kept[number] < 0 || dup2(descriptor, number) != number)
        abort();
}

/* Standard input is empty, standard output is OUTPUT (−1: nowhere), standard error nowhere, unless ATTN_FUZZ_LOUD is
 * set: to see what a crash says. */
static inline fuzz_quiet fuzz_hush(int output)
{
    fuzz_quiet quiet = {{-1, -1, -1}};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    fuzz_replace(&quiet, STDIN_FILENO, nowhere);
    fuzz_replace(&quiet, STDOUT_FILENO, output >= 0 ? output : nowhere);
    if (getenv("ATTN_FUZZ_LOUD") == NULL)
        fuzz_replace(&quiet, STDERR_FILENO, nowhere);
    close(nowhere);
    return quiet;
}

static inline void fuzz_speak(fuzz_quiet *quiet)
{
    for (int i = 0; i < 3; i++)
        if (quiet->kept[i] >= 0) {
            dup2(quiet->kept[i], i);
            close(quiet->kept[i]);
        }
}

#endif
