/* ffn.c: the feed-forward of a layer, and element-wise work over the stream. Rows go through in
 * chunks, so that the wide middle never exists for a whole long text. */
#include "config.h"

#include "pass/pass.h"

enum {
    FFN_BYTES = 32 << 20, /* of the middle at once */
    ELEMENTS = 1 << 14    /* numbers a task */
};

typedef struct element_job { /* a = f(a), or a = f(a)·b, or a += b */
    float *a;
    const float *b; /* NULL: alone */
    size_t count;
    bool add;
    attn_activation activation;
} element_job;

static void element_task(void *context, size_t index, size_t worker)
{
    const element_job *job = context;
    size_t i = index * ELEMENTS, end = i + ELEMENTS < job->count ? i + ELEMENTS : job->count;
    (void)worker;
    if (job->add) {
        for (; i < end; i++)
            job->a[i] += job->b[i];
        return;
    }
    attn_activation_run(job->activation, job->a + i, end - i);
    if (job->b != NULL)
        for (; i < end; i++)
            job->a[i] *= job->b[i];
}

static void run_elements(element_job *job, attn_pool *pool)
{
    attn_pool_run(pool, element_task, job, (job->count + ELEMENTS - 1) / ELEMENTS);
}

void attn_rows_add(float *a, const float *b, size_t count, attn_pool *pool)
{
    element_job job = {.a = a, .b = b, .count = count, .add = true};
    run_elements(&job, pool);
}

/* One chunk of rows; MIDDLE has room for two middles when gated. */
static attn_status run_chunk(const attn_feed_forward *ffn, attn_rows_in x, float *y, float *middle, attn_pool *pool,
                             attn_error *error)
{
    size_t width = ffn->up.w.shape[1], out = ffn->down.w.shape[1];
    bool gated = ffn->gate.w.data != NULL;
    float *up = gated ? middle + x.n * width : middle;
    attn_status status = attn_linear_run(&ffn->up, x, up, width, pool, error);
    if (status == ATTN_OK && gated)
        status = attn_linear_run(&ffn->gate, x, middle, width, pool, error);
    if (status != ATTN_OK)
        return status;
    element_job job = {.a = middle, .b = gated ? up : NULL, .count = x.n * width, .activation = ffn->activation};
    run_elements(&job, pool);
    return attn_linear_run(&ffn->down, attn_rows_of(middle, x.n, width), y, out, pool, error);
}

attn_status attn_feed_forward_run(attn_pass *pass, const attn_feed_forward *ffn, attn_rows_in x, float *y,
                                  attn_error *error)
{
    size_t width = ffn->up.w.shape[1] * (ffn->gate.w.data != NULL ? 2 : 1);
    size_t chunk = FFN_BYTES / sizeof(float) / width + 1;
    attn_status status = ATTN_OK;
    if (chunk > x.n)
        chunk = x.n;
    float *middle = attn_pass_room_for(pass, ATTN_ROOM_MIDDLE, chunk, width, error);
    if (middle == NULL)
        return ATTN_ENOMEM;
    for (size_t row = 0; row < x.n && status == ATTN_OK; row += chunk) {
        attn_rows_in part = x;
        part.data = x.data + row * x.stride;
        part.n = x.n - row < chunk ? x.n - row : chunk;
        status = run_chunk(ffn, part, y + row * ffn->down.w.shape[1], middle, pass->pool, error);
    }
    return status;
}
