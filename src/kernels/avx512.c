/* avx512.c: the kernels for AVX-512: 12 accumulators of 16 floats. Compiled for that set alone;
 * choose.c asks the machine first. */
#include "config.h"

#include "kernels/avx.h"

enum { LANES = 16, TILE_ROWS = 12 };
#define TILE_CASES(CASE)                                                                                               \
    CASE(1)                                                                                                            \
    CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#define TABLE attn_kernels_avx512
#define NAME "avx512"
#define NEEDS "AVX-512 F and DQ"
#define LEAST_POWER (-200)

typedef __m512 vec;

#define v_set _mm512_set1_ps
#define v_load _mm512_loadu_ps
#define v_store _mm512_storeu_ps
#define v_add _mm512_add_ps
#define v_sub _mm512_sub_ps
#define v_mul _mm512_mul_ps
#define v_div _mm512_div_ps
#define v_fma _mm512_fmadd_ps
#define v_min _mm512_min_ps
#define v_max _mm512_max_ps
#define v_abs _mm512_abs_ps
#define v_sum _mm512_reduce_add_ps
#define v_largest _mm512_reduce_max_ps

static inline vec v_copysign(vec a, vec b)
{
    return _mm512_or_ps(a, _mm512_and_ps(v_set(-0.0F), b));
}

static inline vec v_unless_below(vec a, vec b, vec c)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(b, c, _CMP_NLT_UQ), a);
}

static inline vec v_round(vec x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline vec v_power(vec p, vec n)
{
    return _mm512_scalef_ps(p, n);
}

#include "kernels/vector.h"
