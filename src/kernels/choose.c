/* choose.c: which kernels this process uses. The choice is made once and is the only mutable global here. */
#include "config.h"

#include "kernels/kernels.h"
#include "kernels/sets.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct kernel_set {
    const attn_kernel_table *table;
    bool (*usable)(void);
} kernel_set;

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

/* best first */
static const kernel_set sets[] = {
#if defined(__x86_64__)
    {&attn_kernels_avx512, has_avx512},
    {&attn_kernels_avx2, has_avx2},
#elif defined(__aarch64__)
    {&attn_kernels_neon, always},
#endif
    {&attn_kernels_scalar, always},
};

enum { N_SETS = sizeof sets / sizeof sets[0] };

const attn_kernel_table *attn_kernels_list(size_t index, bool *usable)
{
    if (index >= N_SETS)
        return NULL;
    if (usable != NULL)
        *usable = sets[index].usable();
    return sets[index].table;
}

const attn_kernel_table *attn_kernels_named(const char *name)
{
    for (size_t i = 0; i < N_SETS; i++)
        if (strcmp(sets[i].table->name, name) == 0)
            return sets[i].usable() ? sets[i].table : NULL;
    return NULL;
}

static const attn_kernel_table *choose(void)
{
    const char *name = getenv("ATTN_KERNEL");
    const attn_kernel_table *chosen = name != NULL ? attn_kernels_named(name) : NULL;
    for (size_t i = 0; chosen == NULL && i < N_SETS; i++)
        if (sets[i].usable())
            chosen = sets[i].table;
    return chosen;
}

const attn_kernel_table *attn_kernels(void)
{
    static _Atomic(const attn_kernel_table *) chosen;
    const attn_kernel_table *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (table == NULL) {
        table = choose();
        atomic_store_explicit(&chosen, table, memory_order_release);
    }
    return table;
}
