/* thread.h: a pool that runs numbered tasks. Threads start with the first run that has more than one task,
 * so a tiny program never pays for them. What tasks compute must not depend on which worker runs them. */
#ifndef ATTN_BASE_THREAD_H
#define ATTN_BASE_THREAD_H

#include "base/error.h"

typedef struct attn_pool attn_pool;

/* TASK is called once for each INDEX in 0…n_tasks−1; WORKER in 0…size−1 names the workspace it may use. */
typedef void attn_task(void *context, size_t index, size_t worker);

/* N_THREADS 0: as many as the processors this process may use (its affinity mask). */
attn_status attn_pool_open(size_t n_threads, attn_pool **pool, attn_error *error);
size_t attn_pool_size(const attn_pool *pool); /* NULL pool: 1 */
/* Runs all tasks and returns when they are done; the caller's thread works too. NULL pool: in a loop. */
void attn_pool_run(attn_pool *pool, attn_task *task, void *context, size_t n_tasks);
void attn_pool_close(attn_pool *pool);

#endif
