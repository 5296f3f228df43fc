/* activation.c: the feed-forward's bends. */
#include "config.h"

#include "model/pass.h"

#include <math.h>

/* Hendrycks and Gimpel 2016: x·Φ(x), exactly. */
static float gelu(float x)
{
    return 0.5F * x * (1.0F + erff(x * 0.70710678118654752F));
}

/* Their approximation, which GPT-2 uses. */
static float gelu_tanh(float x)
{
    return 0.5F * x * (1.0F + tanhf(0.79788456080286536F * (x + 0.044715F * x * x * x)));
}

static float sigmoid(float x)
{
    return 1.0F / (1.0F + expf(-x));
}

void attn_activation_run(attn_activation activation, float *x, size_t count)
{
    size_t i;
    switch (activation) {
    case ATTN_GELU:
        for (i = 0; i < count; i++)
            x[i] = gelu(x[i]);
        break;
    case ATTN_GELU_TANH:
        for (i = 0; i < count; i++)
            x[i] = gelu_tanh(x[i]);
        break;
    case ATTN_SILU: /* Elfwing et al. 2018: x·σ(x) */
        for (i = 0; i < count; i++)
            x[i] *= sigmoid(x[i]);
        break;
    case ATTN_RELU:
        for (i = 0; i < count; i++)
            x[i] = x[i] > 0.0F ? x[i] : 0.0F;
        break;
    case ATTN_QUICK_GELU: /* x·σ(1.702·x) */
        for (i = 0; i < count; i++)
            x[i] *= sigmoid(1.702F * x[i]);
        break;
    }
}
