/* clock.h: the monotonic clock in seconds. */
#ifndef ATTN_BENCH_CLOCK_H
#define ATTN_BENCH_CLOCK_H

#include <time.h>

static inline double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
