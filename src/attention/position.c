/* position.c: position rules as plain arithmetic. The pass calls it; it knows no model and no attention. */
#include "config.h"

#include "attention/position.h"

#include <math.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

/* The pair index (a real number) whose wavelength makes ROTATIONS turns within N positions. */
static double yarn_pair(double rotations, double dims, double theta, double n)
{
    return dims * log(n / (rotations * TWO_PI)) / (2 * log(theta));
}

static double yarn_mscale(double factor, double mscale)
{
    return factor <= 1 ? 1 : 0.1 * mscale * log(factor) + 1;
}

static double yarn_magnitude(const attn_rope_settings *s)
{
    if (s->attention_factor > 0)
        return s->attention_factor;
    if (s->mscale > 0 && s->mscale_all_dim > 0)
        return yarn_mscale(s->factor, s->mscale) / yarn_mscale(s->factor, s->mscale_all_dim);
    return yarn_mscale(s->factor, 1);
}

/* Low pairs keep their frequency, high pairs are interpolated, a ramp between. */
static void scale_yarn(const attn_rope_settings *s, double *frequencies)
{
    double dims = (double)s->dims;
    double fast = s->beta_fast > 0 ? s->beta_fast : 32;
    double slow = s->beta_slow > 0 ? s->beta_slow : 1;
    double low = yarn_pair(fast, dims, s->theta, s->original_max_positions);
    double high = yarn_pair(slow, dims, s->theta, s->original_max_positions);
    if (s->truncate) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, dims - 1);
    if (low == high)
        high += 0.001;
    for (size_t m = 0; m < s->dims / 2; m++) {
        double ramp = fmin(fmax(((double)m - low) / (high - low), 0), 1);
        frequencies[m] = frequencies[m] / s->factor * ramp + frequencies[m] * (1 - ramp);
    }
}

static void scale_llama3(const attn_rope_settings *s, double *frequencies)
{
    double n = s->original_max_positions;
    for (size_t m = 0; m < s->dims / 2; m++) {
        double wavelength = TWO_PI / frequencies[m];
        double smooth = (n / wavelength - s->low_freq_factor) / (s->high_freq_factor - s->low_freq_factor);
        if (wavelength > n / s->low_freq_factor)
            frequencies[m] /= s->factor;
        else if (wavelength >= n / s->high_freq_factor)
            frequencies[m] = (1 - smooth) * frequencies[m] / s->factor + smooth * frequencies[m];
    }
}

static double scale_longrope(const attn_rope_settings *s, size_t n_positions, double *frequencies)
{
    bool is_long = (double)n_positions > s->original_max_positions;
    const double *factors = is_long ? s->long_factors : s->short_factors; /* [dims/2] */
    for (size_t m = 0; m < s->dims / 2; m++)
        frequencies[m] /= factors[m];
    if (s->attention_factor > 0)
        return s->attention_factor;
    return s->factor <= 1 ? 1 : sqrt(1 + log(s->factor) / log(s->original_max_positions));
}

/* The base that stretches the longest wavelength by FACTOR and leaves the shortest. */
static double ntk_theta(const attn_rope_settings *s, double factor)
{
    double dims = (double)s->dims;
    return s->theta * pow(factor, dims / (dims - 2));
}

static double effective_theta(const attn_rope_settings *s, size_t n_positions)
{
    double n = (double)n_positions;
    if (s->scaling == ATTN_ROPE_DYNAMIC && n > s->max_positions)
        return ntk_theta(s, s->factor * n / s->max_positions - (s->factor - 1));
    return s->theta;
}

static attn_status check_settings(const attn_rope_settings *s, attn_error *error)
{
    bool needs_original =
        s->scaling == ATTN_ROPE_YARN || s->scaling == ATTN_ROPE_LLAMA3 || s->scaling == ATTN_ROPE_LONGROPE;
    if (s->dims == 0 || s->dims % 2 != 0)
        return attn_fail(error, ATTN_EDATA, "rotary positions turn pairs of numbers: expected an even size, found %zu",
                         s->dims);
    if (!(s->theta > 0) || !isfinite(s->theta))
        return attn_fail(error, ATTN_EDATA, "rope_theta must be positive");
    if (s->scaling != ATTN_ROPE_NONE && s->scaling != ATTN_ROPE_LONGROPE && !(s->factor > 0))
        return attn_fail(error, ATTN_EDATA, "the factor of rope_scaling must be positive");
    if (needs_original && !(s->original_max_positions > 0))
        return attn_fail(error, ATTN_EDATA, "rope_scaling needs original_max_position_embeddings");
    if (s->scaling == ATTN_ROPE_DYNAMIC && !(s->max_positions > 0))
        return attn_fail(error, ATTN_EDATA, "dynamic rope_scaling needs max_position_embeddings");
    if (s->scaling == ATTN_ROPE_LLAMA3 && !(s->high_freq_factor > s->low_freq_factor))
        return attn_fail(error, ATTN_EDATA, "rope_scaling: high_freq_factor must be above low_freq_factor");
    if (s->scaling == ATTN_ROPE_LONGROPE && (s->long_factors == NULL || s->short_factors == NULL))
        return attn_fail(error, ATTN_EDATA, "longrope needs long_factor and short_factor");
    return ATTN_OK;
}

attn_status attn_rope_make(const attn_rope_settings *settings, size_t n_positions, attn_arena *arena, attn_rope *rope,
                           attn_error *error)
{
    double theta, *frequencies; /* [dims/2] */
    attn_status status = check_settings(settings, error);
    if (status != ATTN_OK)
        return status;
    frequencies = attn_arena_alloc(arena, settings->dims / 2, sizeof *frequencies);
    if (frequencies == NULL)
        return attn_fail_memory(error);
    *rope = (attn_rope){.frequencies = frequencies, .dims = settings->dims, .layout = settings->layout, .magnitude = 1};
    theta = effective_theta(settings, n_positions);
    for (size_t m = 0; m < settings->dims / 2; m++)
        frequencies[m] = pow(theta, -2.0 * (double)m / (double)settings->dims);
    switch (settings->scaling) {
    case ATTN_ROPE_LINEAR:
        for (size_t m = 0; m < settings->dims / 2; m++)
            frequencies[m] /= settings->factor;
        break;
    case ATTN_ROPE_YARN:
        scale_yarn(settings, frequencies);
        rope->magnitude = yarn_magnitude(settings);
        break;
    case ATTN_ROPE_LLAMA3:
        scale_llama3(settings, frequencies);
        break;
    case ATTN_ROPE_LONGROPE:
        rope->magnitude = scale_longrope(settings, n_positions, frequencies);
        break;
    case ATTN_ROPE_NONE:
    case ATTN_ROPE_DYNAMIC:
        break;
    }
    return ATTN_OK;
}

size_t attn_rope_reach(const attn_rope_settings *settings, size_t max_tokens)
{
    double reach = 0.0;
    switch (settings->scaling) {
    case ATTN_ROPE_LINEAR:
    case ATTN_ROPE_DYNAMIC:
        reach = (double)max_tokens * settings->factor;
        break;
    case ATTN_ROPE_YARN:
    case ATTN_ROPE_LONGROPE:
        reach = settings->original_max_positions * settings->factor;
        break;
    case ATTN_ROPE_NONE:
    case ATTN_ROPE_LLAMA3:
        break;
    }
    if (max_tokens == 0 || !(reach > (double)max_tokens))
        return max_tokens;
    return reach < (double)UINT32_MAX ? (size_t)reach : UINT32_MAX;
}

void attn_rope_table(const attn_rope *rope, const float *positions, size_t n_rows, float *table)
{
    size_t n_pairs = rope->dims / 2;
    for (size_t row = 0; row < n_rows; row++, table += rope->dims) {
        for (size_t m = 0; m < n_pairs; m++) {
            double angle = (double)positions[row] * rope->frequencies[m];
            table[m] = (float)(rope->magnitude * cos(angle));
            table[n_pairs + m] = (float)(rope->magnitude * sin(angle));
        }
    }
}

/* One head: pair m lies at a[m·STEP] and b[m·STEP]. */
static void turn(float *a, float *b, size_t step, size_t n_pairs, const float *table)
{
    for (size_t m = 0; m < n_pairs; m++) {
        float c = table[m], s = table[n_pairs + m];
        float x = a[m * step], y = b[m * step];
        a[m * step] = x * c - y * s;
        b[m * step] = x * s + y * c;
    }
}

void attn_rope_apply(const attn_rope *rope, const float *table, float *x, size_t n_rows, size_t row_stride,
                     size_t n_heads, size_t head_stride)
{
    size_t n_pairs = rope->dims / 2;
    bool half = rope->layout == ATTN_ROPE_HALF;
    for (size_t row = 0; row < n_rows; row++, table += rope->dims) {
        for (size_t h = 0; h < n_heads; h++) {
            float *head = x + row * row_stride + h * head_stride; /* [head_dim] */
            turn(head, head + (half ? n_pairs : 1), half ? 1 : 2, n_pairs, table);
        }
    }
}

/* Slope I of N heads, N a power of two: 2^(−8(i+1)/n). */
static float power_slope(size_t i, size_t n)
{
    return (float)exp2(-8.0 * (double)(i + 1) / (double)n);
}

void attn_alibi_slopes(size_t n_heads, float *slopes)
{
    size_t power = 1;
    while (power * 2 <= n_heads)
        power *= 2;
    for (size_t i = 0; i < n_heads; i++)
        slopes[i] = i < power ? power_slope(i, power) : power_slope(2 * (i - power), 2 * power);
}

size_t attn_t5_bucket(ptrdiff_t relative, bool bidirectional, size_t n_buckets, size_t max_distance)
{
    size_t bucket = 0, distance;
    if (bidirectional) {
        n_buckets /= 2;
        bucket = relative > 0 ? n_buckets : 0;
        distance = (size_t)(relative < 0 ? -relative : relative);
    } else {
        distance = relative < 0 ? (size_t)-relative : 0;
    }
    size_t exact = n_buckets / 2;
    if (distance < exact)
        return bucket + distance;
    double log_part =
        log((double)distance / (double)exact) / log((double)max_distance / (double)exact) * (double)(n_buckets - exact);
    /* a distance on a bucket's edge must not fall below it by rounding */
    distance = exact + (size_t)floor(log_part + 1e-9);
    return bucket + (distance < n_buckets ? distance : n_buckets - 1);
}

void attn_sinusoidal(double position, size_t d_model, float *out)
{
    for (size_t i = 0; i < d_model; i++) {
        double angle = position / pow(10000, (double)(i - i % 2) / (double)d_model);
        out[i] = (float)(i % 2 == 0 ? sin(angle) : cos(angle));
    }
}
