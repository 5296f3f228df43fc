/* rotate.c: rotary positions in the pass: one table of cosines and sines for all layers that turn
 * the same way. The formulas are attention/position.c's. */
#include "config.h"

#include "pass/pass.h"

#include <string.h>

enum { ROTATE_ROWS = 64 }; /* rows a task */

typedef struct rotate_job {
    const attn_rope *rope;
    const float *table; /* [n][dims] */
    attn_rotating rows;
} rotate_job;

static void rotate_task(void *context, size_t index, size_t worker)
{
    const rotate_job *job = context;
    size_t row = index * ROTATE_ROWS, width = job->rows.n_heads * job->rows.dim;
    size_t count = job->rows.n - row < ROTATE_ROWS ? job->rows.n - row : ROTATE_ROWS;
    (void)worker;
    attn_rope_apply(job->rope, job->table + row * job->rope->dims, job->rows.x + row * width, count, width,
                    job->rows.n_heads, job->rows.dim);
}

static const float *cached(const attn_pass *pass, const attn_rope_settings *settings, const float *positions)
{
    for (size_t i = 0; i < ATTN_ROPE_TABLES; i++) {
        const attn_rope_cache *c = &pass->ropes[i];
        if (c->used && c->positions == positions && memcmp(&c->settings, settings, sizeof *settings) == 0)
            return c->table;
    }
    return NULL;
}

static const float *make_table(attn_pass *pass, const attn_rope_settings *settings, const attn_rope *rope,
                               const attn_rotating *rows)
{
    attn_rope_cache *c = &pass->ropes[pass->next_rope];
    attn_free(c->table);
    c->used = false;
    size_t count;
    c->table = attn_multiply(rows->n, rope->dims, &count) ? attn_alloc_aligned(count, sizeof(float)) : NULL;
    if (c->table == NULL)
        return NULL;
    attn_rope_table(rope, rows->positions, rows->n, c->table);
    memcpy(&c->settings, settings, sizeof *settings);
    c->positions = rows->positions;
    c->used = true;
    pass->next_rope = (pass->next_rope + 1) % ATTN_ROPE_TABLES;
    return c->table;
}

attn_status attn_pass_rotate(attn_pass *pass, const attn_rope_settings *settings, attn_rotating rows, attn_error *error)
{
    attn_arena arena = {0};
    attn_rope rope;
    attn_status status = attn_rope_make(settings, pass->n_keys, &arena, &rope, error);
    if (status == ATTN_OK) {
        rotate_job job = {.rope = &rope, .rows = rows, .table = cached(pass, settings, rows.positions)};
        if (job.table == NULL)
            job.table = make_table(pass, settings, &rope, &rows);
        if (job.table == NULL)
            status = attn_fail_memory(error);
        else
            attn_pool_run(pass->pool, rotate_task, &job, (rows.n + ROTATE_ROWS - 1) / ROTATE_ROWS);
    }
    attn_arena_free(&arena);
    return status;
}

void attn_pass_free_ropes(attn_pass *pass)
{
    for (size_t i = 0; i < ATTN_ROPE_TABLES; i++)
        attn_free(pass->ropes[i].table);
}
