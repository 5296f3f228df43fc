/* memory.c: see memory.h. */
#include "config.h"

#include "testing/memory.h"

#include "testing.h"

#include "base/memory.h"

enum { MOST = 1000000 }; /* allocations of one attempt: more is a loop without end */

typedef struct shortage {
    memory_shortage kind;
    size_t fail_at; /* from 1; 0: none */
    size_t allocations, bytes;
} shortage;

static bool allow(void *context, size_t size)
{
    shortage *s = context;
    s->allocations++;
    s->bytes += size;
    return s->kind == MEMORY_ONE ? s->allocations != s->fail_at : s->allocations < s->fail_at;
}

static attn_status run(memory_attempt *attempt, void *context, shortage *s, attn_error *error)
{
    attn_set_alloc_hook(allow, s);
    attn_status status = attempt(context, error);
    attn_set_alloc_hook(NULL, NULL);
    return status;
}

memory_failures memory_fail_each(memory_attempt *attempt, void *context, memory_shortage kind)
{
    size_t failures = 0;
    for (size_t nth = 1; nth < MOST; nth++) {
        shortage s = {.kind = kind, .fail_at = nth};
        attn_error error = {0};
        attn_status status = run(attempt, context, &s, &error);
        if (s.allocations < nth) {
            ck_assert_msg(status == ATTN_OK, "with all the memory it wants: %s", error.message);
            return (memory_failures){.allocations = s.allocations, .failures = failures};
        }
        failures += status == ATTN_ENOMEM;
        ck_assert_msg(status == ATTN_OK || status == ATTN_ENOMEM, "allocation %zu fails: status %d: %s", nth,
                      (int)status, error.message);
        ck_assert_msg(status == ATTN_OK || error.status == ATTN_ENOMEM, "allocation %zu fails: no error is filled",
                      nth);
    }
    ck_abort_msg("%d allocations are not enough", MOST);
    return (memory_failures){.allocations = MOST};
}

size_t memory_every_failure(memory_attempt *attempt, void *context)
{
    memory_failures found = memory_fail_each(attempt, context, MEMORY_ONE);
    ck_assert_uint_eq(found.failures, found.allocations);
    return found.allocations;
}

size_t memory_cost(memory_attempt *attempt, void *context)
{
    shortage s = {.kind = MEMORY_ONE};
    run(attempt, context, &s, NULL);
    return s.bytes;
}
