/* memory.h: allocations that fail, each in turn. */
#ifndef ATTN_TESTING_MEMORY_H
#define ATTN_TESTING_MEMORY_H

#include "base/error.h"

#include <stddef.h>

/* What is tried: everything it made is freed again when it returns; its status is that of the whole. */
typedef attn_status memory_attempt(void *context, attn_error *error);

typedef enum memory_shortage {
    MEMORY_ONE,  /* one allocation fails, those behind it do not */
    MEMORY_FROM, /* it and all behind it */
} memory_shortage;

typedef struct memory_failures {
    size_t allocations; /* of the run that lacked nothing */
    size_t failures;    /* runs that ended in ATTN_ENOMEM: fewer than allocations where one may fail without harm */
} memory_failures;

/* Runs ATTEMPT with its first allocation failing, with its second …, to the first run that needs no more. That must be
 * fine, the others ATTN_ENOMEM with a message, or fine. */
memory_failures memory_fail_each(memory_attempt *attempt, void *context, memory_shortage shortage);

/* The same where no failure is without harm: the number of allocations. */
size_t memory_every_failure(memory_attempt *attempt, void *context);

/* Bytes that ATTEMPT asks for, whether it succeeds or not. */
size_t memory_cost(memory_attempt *attempt, void *context);

#endif
