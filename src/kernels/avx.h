/* avx.h: eight floats, as avx2.c computes with and as avx2.c and avx512.c transpose with. Static
 * functions; only files compiled for AVX2 and FMA include it. */
#ifndef ATTN_KERNELS_AVX_H
#define ATTN_KERNELS_AVX_H

#include <immintrin.h>
#include <stddef.h>

enum { BLOCK = 8 };
typedef __m256 strip;

static inline strip s_set(float x)
{
    return _mm256_set1_ps(x);
}

static inline strip s_load(const float *x)
{
    return _mm256_loadu_ps(x);
}

static inline strip s_mul(strip a, strip b)
{
    return _mm256_mul_ps(a, b);
}

static inline strip s_fma(strip a, strip b, strip c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static inline float s_sum(strip x)
{
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

/* N is 4, 6 or 8. */
static inline void s_store_some(float *to, strip x, size_t n)
{
    __m128 high = _mm256_extractf128_ps(x, 1);
    if (n == 8) {
        _mm256_storeu_ps(to, x);
        return;
    }
    _mm_storeu_ps(to, _mm256_castps256_ps128(x));
    if (n == 6)
        _mm_storel_pi((__m64 *)(void *)(to + 4), high);
}

static inline void s_transpose(strip r[BLOCK])
{
    strip pairs[BLOCK], quads[BLOCK];
#pragma GCC unroll 4
    for (size_t i = 0; i < BLOCK; i += 2) {
        pairs[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < BLOCK; i += 4) {
        quads[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
        quads[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xee);
        quads[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
        quads[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < BLOCK / 2; i++) {
        r[i] = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x31);
    }
}

#endif
