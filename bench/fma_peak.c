/* fma_peak.c: how many float32 multiply-adds a second the processor does with nothing else to do:
 * the ceiling that bench/attention compares with. */
#include "config.h"

#include "bench/fma_peak.h"

#include "bench/clock.h"

#if defined(__x86_64__)
#include <immintrin.h>

enum { STEPS = 4000000, CHAINS = 16 };

static double rate(double seconds, size_t lanes)
{
    return 2.0 * STEPS * CHAINS * (double)lanes / seconds / 1e9;
}

/* The empty asm makes each sum the work of its own turn. */
#define CHAIN(x, FMA)                                                                                                  \
    x = FMA(x, factor, term);                                                                                          \
    __asm__ volatile("" : "+v"(x))
#define CHAINS_OF(FMA)                                                                                                 \
    CHAIN(a0, FMA);                                                                                                    \
    CHAIN(a1, FMA);                                                                                                    \
    CHAIN(a2, FMA);                                                                                                    \
    CHAIN(a3, FMA);                                                                                                    \
    CHAIN(a4, FMA);                                                                                                    \
    CHAIN(a5, FMA);                                                                                                    \
    CHAIN(a6, FMA);                                                                                                    \
    CHAIN(a7, FMA);                                                                                                    \
    CHAIN(b0, FMA);                                                                                                    \
    CHAIN(b1, FMA);                                                                                                    \
    CHAIN(b2, FMA);                                                                                                    \
    CHAIN(b3, FMA);                                                                                                    \
    CHAIN(b4, FMA);                                                                                                    \
    CHAIN(b5, FMA);                                                                                                    \
    CHAIN(b6, FMA);                                                                                                    \
    CHAIN(b7, FMA)

__attribute__((target("avx512f"))) static double peak_512(void)
{
    __m512 factor = _mm512_set1_ps(0.999999F), term = _mm512_set1_ps(1e-6F), a0 = term, a1 = term, a2 = term, a3 = term,
           a4 = term, a5 = term, a6 = term, a7 = term, b0 = term, b1 = term, b2 = term, b3 = term, b4 = term, b5 = term,
           b6 = term, b7 = term;
    double start = bench_seconds();
    for (size_t i = 0; i < STEPS; i++) {
        CHAINS_OF(_mm512_fmadd_ps);
    }
    return rate(bench_seconds() - start, 16);
}

__attribute__((target("avx2,fma"))) static double peak_256(void)
{
    __m256 factor = _mm256_set1_ps(0.999999F), term = _mm256_set1_ps(1e-6F), a0 = term, a1 = term, a2 = term, a3 = term,
           a4 = term, a5 = term, a6 = term, a7 = term, b0 = term, b1 = term, b2 = term, b3 = term, b4 = term, b5 = term,
           b6 = term, b7 = term;
    double start = bench_seconds();
    for (size_t i = 0; i < STEPS; i++) {
        CHAINS_OF(_mm256_fmadd_ps);
    }
    return rate(bench_seconds() - start, 8);
}

static double peak_of_one(void)
{
    double narrow = 0, wide = 0;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        narrow = peak_256();
    if (__builtin_cpu_supports("avx512f"))
        wide = peak_512();
    return narrow > wide ? narrow : wide;
}
#else
static double peak_of_one(void)
{
    return 0;
}
#endif

static void one_task(void *context, size_t index, size_t worker)
{
    double *rates = context;
    (void)worker;
    rates[index] = peak_of_one();
}

double bench_fma_peak(attn_pool *pool)
{
    double rates[64] = {0}, sum = 0;
    size_t n = attn_pool_size(pool) < 64 ? attn_pool_size(pool) : 64;
    attn_pool_run(pool, one_task, rates, n);
    for (size_t i = 0; i < n; i++)
        sum += rates[i];
    return sum;
}
