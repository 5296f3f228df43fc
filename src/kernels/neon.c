/* neon.c: the kernels for AArch64: 24 accumulators of 4 floats. Every AArch64 machine has them. */
#include "config.h"

#include <arm_neon.h>
#include <stddef.h>

enum { LANES = 4, BLOCK = 4, TILE_ROWS = 6 };
#define TILE_CASES(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#define TABLE attn_kernels_neon
#define NAME "neon"
#define NEEDS "AArch64"
#define LEAST_POWER (-127)

typedef float32x4_t vec;
typedef float32x4_t strip;

#define v_set vdupq_n_f32
#define v_load vld1q_f32
#define v_store vst1q_f32
#define v_add vaddq_f32
#define v_sub vsubq_f32
#define v_mul vmulq_f32
#define v_div vdivq_f32
#define v_fma(a, b, c) vfmaq_f32(c, a, b)
#define v_min vminq_f32
#define v_max vmaxq_f32
#define v_abs vabsq_f32
#define v_sum vaddvq_f32
#define v_largest vmaxvq_f32
#define s_set v_set
#define s_load v_load
#define s_mul v_mul
#define s_fma v_fma
#define s_sum v_sum

static inline vec v_copysign(vec a, vec b)
{
    return vbslq_f32(vdupq_n_u32(0x80000000u), b, a);
}

static inline vec v_unless_below(vec a, vec b, vec c)
{
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(a), vcltq_f32(b, c)));
}

static inline vec v_round(vec x)
{
    return vrndnq_f32(x);
}

/* n is added to p's exponent; at −127 that is 0, and 1·2^-127 becomes +0 */
static inline vec v_power(vec p, vec n)
{
    int32x4_t exponent = vshlq_n_s32(vcvtq_s32_f32(n), 23);
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(p), exponent));
}

/* N is 2 or 4. */
static inline void s_store_some(float *to, strip x, size_t n)
{
    if (n == 4)
        vst1q_f32(to, x);
    else
        vst1_f32(to, vget_low_f32(x));
}

static inline void s_transpose(strip r[BLOCK])
{
    float32x4x2_t a = vtrnq_f32(r[0], r[1]), b = vtrnq_f32(r[2], r[3]);
    r[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
    r[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
    r[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
    r[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
}

#include "kernels/vector.h"
