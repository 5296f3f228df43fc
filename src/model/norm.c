/* norm.c: LayerNorm and RMSNorm of rows. Sums are taken in double, so that a row of thousands of
 * numbers keeps float32's accuracy; each row is one task's alone, so threads change nothing.
 *
 * LayerNorm (Ba et al. 2016): (x − mean) / √(variance + ε) · w + b, variance over n.
 * RMSNorm (Zhang and Sennrich 2019): x / √(mean of x² + ε) · w. */
#include "config.h"

#include "model/norm.h"

#include <math.h>
#include <string.h>

enum { NORM_NUMBERS = 1 << 14 }; /* numbers a task, about */

typedef struct norm_job {
    const attn_norm *norm;
    attn_rows_in x;
    float *out;
    size_t out_stride;
    size_t rows_per_task;
} norm_job;

/* Four sums side by side: the compiler may not reorder one. */
static double sum_of(const float *x, size_t n)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i, whole = n - n % 4;
    for (i = 0; i < whole; i += 4) {
        s[0] += x[i];
        s[1] += x[i + 1];
        s[2] += x[i + 2];
        s[3] += x[i + 3];
    }
    for (; i < n; i++)
        s[0] += x[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static double sum_of_squares(const float *x, size_t n, double mean)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i, whole = n - n % 4;
    for (i = 0; i < whole; i += 4) {
        double a = x[i] - mean, b = x[i + 1] - mean, c = x[i + 2] - mean, d = x[i + 3] - mean;
        s[0] += a * a;
        s[1] += b * b;
        s[2] += c * c;
        s[3] += d * d;
    }
    for (; i < n; i++)
        s[0] += (x[i] - mean) * (x[i] - mean);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static double mean_of(const attn_norm *norm, const float *x, size_t n)
{
    return norm->kind == ATTN_NORM_LAYER ? sum_of(x, n) / (double)n : 0.0;
}

static double sigma_of(const attn_norm *norm, const float *x, size_t n, double mean)
{
    return sqrt(sum_of_squares(x, n, mean) / (double)n + (double)norm->epsilon);
}

static void norm_row(const attn_norm *norm, const float *x, size_t n, float *out)
{
    double mean = mean_of(norm, x, n);
    float factor = (float)(1.0 / sigma_of(norm, x, n, mean));
    float centre = (float)mean;
    for (size_t i = 0; i < n; i++)
        out[i] = (x[i] - centre) * factor;
    if (norm->weight != NULL)
        for (size_t i = 0; i < n; i++)
            out[i] *= norm->weight[i];
    if (norm->bias != NULL)
        for (size_t i = 0; i < n; i++)
            out[i] += norm->bias[i];
}

static void norm_task(void *context, size_t index, size_t worker)
{
    const norm_job *job = context;
    size_t row = index * job->rows_per_task, end = row + job->rows_per_task;
    (void)worker;
    if (end > job->x.n)
        end = job->x.n;
    for (; row < end; row++) {
        const float *x = job->x.data + row * job->x.stride;
        float *out = job->out + row * job->out_stride;
        if (job->norm->kind == ATTN_NORM_NONE)
            memmove(out, x, job->x.width * sizeof *out);
        else
            norm_row(job->norm, x, job->x.width, out);
    }
}

void attn_norm_run(const attn_norm *norm, attn_rows_in x, float *out, size_t out_stride, attn_pool *pool)
{
    if (x.n == 0 || x.width == 0)
        return;
    size_t rows = NORM_NUMBERS / x.width + 1;
    norm_job job = {.norm = norm, .x = x, .out = out, .out_stride = out_stride, .rows_per_task = rows};
    attn_pool_run(pool, norm_task, &job, (x.n + rows - 1) / rows);
}

void attn_final_norm_run(const attn_model *model, const float *x, size_t n, float *out, attn_pool *pool)
{
    attn_norm_run(&model->final_norm, attn_rows_of(x, n, model->d_model), out, model->d_model, pool);
}

void attn_norm_sigma(const attn_norm *norm, attn_rows_in x, double *sigma)
{
    for (size_t i = 0; i < x.n; i++) {
        const float *row = x.data + i * x.stride;
        sigma[i] = sigma_of(norm, row, x.width, mean_of(norm, row, x.width));
    }
}

void attn_norm_map(const attn_norm *norm, attn_rows_in x, float *out, size_t out_stride)
{
    for (size_t i = 0; i < x.n; i++) {
        const float *row = x.data + i * x.stride;
        float *to = out + i * out_stride;
        double mean = mean_of(norm, row, x.width);
        for (size_t k = 0; k < x.width; k++)
            to[k] = (float)(((double)row[k] - mean) * (norm->weight != NULL ? (double)norm->weight[k] : 1.0));
    }
}
