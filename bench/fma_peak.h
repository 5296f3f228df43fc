/* fma_peak.h: see fma_peak.c. */
#ifndef ATTN_BENCH_FMA_PEAK_H
#define ATTN_BENCH_FMA_PEAK_H

#include "base/thread.h"

/* GFLOP/s of all of POOL's threads at once; 0: not measured on this kind of machine. */
double bench_fma_peak(attn_pool *pool);

#endif
