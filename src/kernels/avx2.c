/* avx2.c: the kernels for AVX2 and FMA: 12 accumulators of 8 floats. Compiled for that set alone;
 * choose.c asks the machine first. */
#include "config.h"

#include "kernels/avx.h"

enum { LANES = 8, TILE_ROWS = 6 };
#define TILE_CASES(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#define TABLE attn_kernels_avx2
#define NAME "avx2"
#define NEEDS "AVX2 and FMA"
#define LEAST_POWER (-127)

typedef __m256 vec;

#define v_set s_set
#define v_load s_load
#define v_mul s_mul
#define v_fma s_fma
#define v_sum s_sum
#define v_store _mm256_storeu_ps
#define v_add _mm256_add_ps
#define v_sub _mm256_sub_ps
#define v_div _mm256_div_ps
#define v_min _mm256_min_ps
#define v_max _mm256_max_ps

static inline vec v_abs(vec x)
{
    return _mm256_andnot_ps(v_set(-0.0F), x);
}

static inline vec v_copysign(vec a, vec b)
{
    return _mm256_or_ps(a, _mm256_and_ps(v_set(-0.0F), b));
}

static inline vec v_unless_below(vec a, vec b, vec c)
{
    return _mm256_and_ps(a, _mm256_cmp_ps(b, c, _CMP_NLT_UQ));
}

static inline vec v_round(vec x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* n is added to p's exponent; at −127 that is 0, and 1·2^-127 becomes +0 */
static inline vec v_power(vec p, vec n)
{
    __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), exponent));
}

static inline float v_largest(vec x)
{
    __m128 max = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    max = _mm_max_ps(max, _mm_movehl_ps(max, max));
    return _mm_cvtss_f32(_mm_max_ss(max, _mm_movehdup_ps(max)));
}

#include "kernels/vector.h"
