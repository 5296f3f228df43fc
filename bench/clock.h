/* clock.h: the monotonic clock in seconds. -DBENCH_CLOCK=CLOCK_PROCESS_CPUTIME_ID: the process's
 * own time, for comparing two versions of one thread's work on a busy machine. */
#ifndef ATTN_BENCH_CLOCK_H
#define ATTN_BENCH_CLOCK_H

#include <time.h>

#ifndef BENCH_CLOCK
#define BENCH_CLOCK CLOCK_MONOTONIC
#endif

static inline double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(BENCH_CLOCK, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
