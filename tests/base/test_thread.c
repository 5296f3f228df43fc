/* test_thread.c: every task runs once, on a worker that exists, and all are done when a run
 * returns. */
#include "config.h"

#include "testing.h"

#include "base/thread.h"
#include "testing/memory.h"

#include <stdatomic.h>
#include <string.h>

enum { MOST = 5000 };

typedef struct tally {
    atomic_int calls[MOST];
    int plain[MOST]; /* written without a lock: a run's end orders it */
    atomic_int busy[8], wrong;
    size_t n_workers;
} tally;

static tally counts;

static void one_task(void *context, size_t index, size_t worker)
{
    tally *t = context;
    if (worker >= t->n_workers || atomic_fetch_add(&t->busy[worker], 1) != 0)
        atomic_fetch_add(&t->wrong, 1); /* two tasks at once with one workspace */
    atomic_fetch_add(&t->calls[index], 1);
    t->plain[index] = (int)index + 1;
    atomic_fetch_sub(&t->busy[worker], 1);
}

static void check_run(attn_pool *pool, size_t n_tasks)
{
    memset(&counts, 0, sizeof counts);
    counts.n_workers = attn_pool_size(pool);
    attn_pool_run(pool, one_task, &counts, n_tasks);
    ck_assert_int_eq(counts.wrong, 0);
    for (size_t i = 0; i < MOST; i++) {
        ck_assert_int_eq(counts.calls[i], i < n_tasks);
        ck_assert_int_eq(counts.plain[i], i < n_tasks ? (int)i + 1 : 0);
    }
}

START_TEST(every_task_once)
{
    static const size_t sizes[] = {1, 2, 3, 7};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        attn_pool *pool;
        ck_assert_int_eq(attn_pool_open(sizes[s], &pool, NULL), ATTN_OK);
        ck_assert_uint_eq(attn_pool_size(pool), sizes[s]);
        for (size_t n = 0; n <= 40; n += 3)
            check_run(pool, n);
        check_run(pool, MOST);
        for (size_t repeat = 0; repeat < 100; repeat++) /* runs that follow at once */
            check_run(pool, 1 + repeat % 5);
        attn_pool_close(pool);
    }
}
END_TEST

START_TEST(without_a_pool)
{
    ck_assert_uint_eq(attn_pool_size(NULL), 1);
    check_run(NULL, 17);
    attn_pool_close(NULL);
}
END_TEST

START_TEST(opening)
{
    attn_pool *pool;
    ck_assert_int_eq(attn_pool_open(0, &pool, NULL), ATTN_OK); /* as many as there are processors */
    ck_assert_uint_ge(attn_pool_size(pool), 1);
    ck_assert_uint_le(attn_pool_size(pool), (size_t)sysconf(_SC_NPROCESSORS_CONF));
    attn_pool_close(pool); /* its threads never started */
}
END_TEST

static attn_status open_three(void *context, attn_error *error)
{
    attn_pool *pool;
    attn_status status = attn_pool_open(3, &pool, error);
    (void)context;
    ck_assert((pool == NULL) == (status != ATTN_OK));
    attn_pool_close(pool);
    return status;
}

START_TEST(want_of_memory)
{
    ck_assert_uint_ge(memory_every_failure(open_three, NULL), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("thread");
    TCase *group = tcase_create("thread");
    tcase_set_timeout(group, 120);
    tcase_add_test(group, every_task_once);
    tcase_add_test(group, without_a_pool);
    tcase_add_test(group, opening);
    tcase_add_test(group, want_of_memory);
    suite_add_tcase(suite, group);
    return testing_run(suite);
}
