/* peak.c: runs a command and says what it took: `STATUS KILOBYTES LINES`, its exit status (128 and a signal's number
 * after one), the most memory it held at once (ru_maxrss) and the lines that it printed, which are read and left. What
 * it says on standard error passes. Small, because the peak that the system counts for a child begins at its parent's
 * size. Called by tests/bounds/memory.py. */
#define _GNU_SOURCE /* wait4 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1 << 30 }; /* bytes of a command that takes far too much: it fails before the machine does */

static unsigned long count_lines(int from)
{
    static char bytes[1 << 16];
    unsigned long lines = 0;
    ssize_t size;
    while ((size = read(from, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < size; i++)
            lines += bytes[i] == '\n';
    return lines;
}

int main(int argc, char **argv)
{
    int ends[2], status;
    struct rusage used;
    const struct rlimit most = {MOST, MOST};
    if (argc < 2 || pipe(ends) != 0)
        return 99;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        setrlimit(RLIMIT_AS, &most);
        execv(argv[1], argv + 1);
        _exit(99);
    }
    close(ends[1]);
    const unsigned long lines = count_lines(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &used) != child)
        return 99;
    printf("%d %ld %lu\n", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), used.ru_maxrss, lines);
    return 0;
}
