/* activation.c: the feed-forward's bends, by the kernels' exponential. All but ReLU are x·F(x) with
 * F a distribution's function that is symmetric about 0, so that
 *
 *   x·F(x) = max(x, 0) − a·F(−a),  a = |x|
 *
 * and only the tail F(−a) is needed, which one exponential of a number below 0 gives:
 *
 *   logistic  F(−a) = e/(1 + e), e = exp(−a)                  SiLU (Elfwing et al. 2018)
 *             with a replaced by 1.702·a                      quick GELU
 *             by 2·√(2/π)·(a + 0.044715·a³)                   GELU by tanh, as ½(1 + tanh u) = 1/(1 + exp(−2u))
 *   normal    F(−a) = exp(−a²/2)·t·P(t), t = 1/(1 + 0.21·a)   GELU (Hendrycks and Gimpel 2016)
 *
 * P is a polynomial of degree 8 fitted to ½·erfcx(a/√2)/t over 0 ≤ a ≤ 14.5: relative error 2e-8,
 * in float32 5e-7 of the tail. max(x, 0) is written ½x + ½|x|, which the compiler turns into vector
 * code without being told to forget NaN. NaN stays NaN; infinity becomes NaN. */
#include "config.h"

#include "kernels/kernels.h"
#include "pass/pass.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 }; /* numbers at once, always so many: loops of a known length become vector code */

typedef struct bend_block {
    float a[BLOCK]; /* |x| */
    float e[BLOCK]; /* the exponent, then the exponential */
} bend_block;

static void magnitudes(bend_block *b, const float *x)
{
    for (size_t i = 0; i < BLOCK; i++)
        b->a[i] = fabsf(x[i]);
}

static void exponents(attn_activation activation, bend_block *b)
{
    switch (activation) {
    case ATTN_GELU:
        for (size_t i = 0; i < BLOCK; i++)
            b->e[i] = -0.5F * b->a[i] * b->a[i];
        break;
    case ATTN_GELU_TANH:
        for (size_t i = 0; i < BLOCK; i++)
            b->e[i] = -1.5957691216057308F * (b->a[i] + 0.044715F * b->a[i] * b->a[i] * b->a[i]);
        break;
    case ATTN_QUICK_GELU:
        for (size_t i = 0; i < BLOCK; i++)
            b->e[i] = -1.702F * b->a[i];
        break;
    default:
        for (size_t i = 0; i < BLOCK; i++)
            b->e[i] = -b->a[i];
        break;
    }
}

static float normal_tail(float a, float e)
{
    float t = 1.0F / (1.0F + 0.21F * a);
    float p = -0.0712952725F;
    p = p * t + 0.281806667F;
    p = p * t - 0.326497275F;
    p = p * t + 0.344990922F;
    p = p * t - 0.0907753389F;
    p = p * t + 0.123473195F;
    p = p * t + 0.0695694886F;
    p = p * t + 0.0850124741F;
    p = p * t + 0.0837151492F;
    return e * (p * t);
}

static void bend(attn_activation activation, const bend_block *b, float *x)
{
    if (activation == ATTN_GELU) {
        for (size_t i = 0; i < BLOCK; i++)
            x[i] = (0.5F * x[i] + 0.5F * b->a[i]) - b->a[i] * normal_tail(b->a[i], b->e[i]);
        return;
    }
    for (size_t i = 0; i < BLOCK; i++)
        x[i] = (0.5F * x[i] + 0.5F * b->a[i]) - b->a[i] * (b->e[i] / (1.0F + b->e[i]));
}

static void bend_whole(attn_activation activation, bend_block *b, float *x /* [BLOCK] */)
{
    magnitudes(b, x);
    exponents(activation, b);
    attn_kernels()->exp_row(b->e, BLOCK, 0.0F, 1.0F);
    bend(activation, b, x);
}

void attn_activation_run(attn_activation activation, float *x, size_t count)
{
    if (activation == ATTN_RELU) {
        for (size_t i = 0; i < count; i++)
            x[i] = x[i] < 0.0F ? 0.0F : x[i];
        return;
    }
    bend_block b;
    size_t at;
    for (at = 0; at + BLOCK <= count; at += BLOCK)
        bend_whole(activation, &b, x + at);
    if (at < count) {
        float rest[BLOCK];
        memset(rest, 0, sizeof rest);
        memcpy(rest, x + at, (count - at) * sizeof *rest);
        bend_whole(activation, &b, rest);
        memcpy(x + at, rest, (count - at) * sizeof *rest);
    }
}
