/* thread.c: see thread.h. Used by kernels/ and whoever has independent work; knows nothing of what
 * it runs.
 *
 * A run is open between its start and the moment the caller finds no task left. Workers join an
 * open run under the lock; the caller closes it and waits for those inside, so a worker that slept
 * through a short run costs nothing. Waiting starts with a short spin: runs follow each other
 * within microseconds. */
#include "config.h"

#include "base/thread.h"

#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    MAX_THREADS = 1024,
    STACK_BYTES = 512 * 1024, /* tasks keep their numbers in workspaces; address space may be limited */
    SPINS = 4000
};

typedef struct worker {
    attn_pool *pool; /* borrowed */
    pthread_t thread;
    size_t number; /* 1…size−1; the caller's thread is 0 */
} worker;

struct attn_pool {
    size_t size;
    size_t n_started; /* workers running; they start with the first run that needs them */
    bool started;
    worker *workers; /* owned; [size − 1] */
    pthread_mutex_t lock;
    pthread_cond_t opened, emptied;
    attn_task *task;
    void *context;
    size_t n_tasks;
    bool open, quit;
    atomic_size_t generation; /* of runs; changed under the lock */
    atomic_size_t next;       /* the first task nobody took */
    atomic_size_t inside;     /* workers in the open run; changed under the lock */
};

static size_t available_processors(void)
{
#ifdef HAVE_SCHED_GETAFFINITY
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (size_t)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

attn_status attn_pool_open(size_t n_threads, attn_pool **pool, attn_error *error)
{
    attn_pool *made = attn_calloc_array(1, sizeof *made);
    *pool = NULL;
    if (made == NULL)
        return attn_fail_memory(error);
    made->size = n_threads > 0 ? n_threads : available_processors();
    if (made->size > MAX_THREADS)
        made->size = MAX_THREADS;
    made->workers = attn_calloc_array(made->size, sizeof *made->workers);
    if (made->workers == NULL) {
        attn_free(made);
        return attn_fail_memory(error);
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->opened, NULL);
    pthread_cond_init(&made->emptied, NULL);
    *pool = made;
    return ATTN_OK;
}

size_t attn_pool_size(const attn_pool *pool)
{
    return pool != NULL ? pool->size : 1;
}

static void take_tasks(attn_pool *pool, size_t number)
{
    for (;;) {
        size_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->n_tasks)
            return;
        pool->task(pool->context, index, number);
    }
}

static void spin_while(const atomic_size_t *value, size_t same)
{
    for (int i = 0; i < SPINS && atomic_load_explicit(value, memory_order_relaxed) == same; i++) {
#if defined(__x86_64__) && defined(__GNUC__)
        __builtin_ia32_pause();
#endif
    }
}

static void *worker_main(void *argument)
{
    worker *self = argument;
    attn_pool *pool = self->pool;
    size_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && !(pool->open && pool->generation != seen))
            pthread_cond_wait(&pool->opened, &pool->lock);
        if (pool->quit)
            break;
        seen = pool->generation;
        pool->inside++;
        pthread_mutex_unlock(&pool->lock);
        take_tasks(pool, self->number);
        pthread_mutex_lock(&pool->lock);
        pool->inside--;
        if (pool->inside == 0)
            pthread_cond_signal(&pool->emptied);
        pthread_mutex_unlock(&pool->lock);
        spin_while(&pool->generation, seen);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* As many workers as the system gives; with none the caller does it all. */
static void start_workers(attn_pool *pool)
{
    pool->started = true;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    /* Signals go to the caller, who knows when one may come; a fault stays with the thread that makes it. */
    static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_BLOCK, &others, &before);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (size_t i = 0; i + 1 < pool->size; i++) {
        worker *one = &pool->workers[i];
        *one = (worker){.pool = pool, .number = i + 1};
        if (pthread_create(&one->thread, &attributes, worker_main, one) != 0)
            break;
        pool->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void run_shared(attn_pool *pool, attn_task *task, void *context, size_t n_tasks)
{
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->n_tasks = n_tasks;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->open = true;
    pool->generation++;
    pthread_cond_broadcast(&pool->opened);
    pthread_mutex_unlock(&pool->lock);

    take_tasks(pool, 0);

    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->inside > 0) {
        size_t inside = pool->inside;
        pthread_mutex_unlock(&pool->lock);
        spin_while(&pool->inside, inside);
        pthread_mutex_lock(&pool->lock);
        if (pool->inside == inside)
            pthread_cond_wait(&pool->emptied, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

void attn_pool_run(attn_pool *pool, attn_task *task, void *context, size_t n_tasks)
{
    if (pool != NULL && pool->size > 1 && n_tasks > 1) {
        if (!pool->started)
            start_workers(pool);
        if (pool->n_started > 0) {
            run_shared(pool, task, context, n_tasks);
            return;
        }
    }
    for (size_t i = 0; i < n_tasks; i++)
        task(context, i, 0);
}

void attn_pool_close(attn_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->opened);
    pool->generation++; /* ends a spin */
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->n_started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->emptied);
    pthread_cond_destroy(&pool->opened);
    pthread_mutex_destroy(&pool->lock);
    attn_free(pool->workers);
    attn_free(pool);
}
