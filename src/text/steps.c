/* steps.c: see steps.h. Knows no step. */
#include "config.h"

#include "text/steps.h"

#include <string.h>

attn_status attn_steps_open(size_t n, size_t size, attn_compile_step *compile, const void *list, attn_steps **steps,
                            attn_error *error)
{
    attn_status status = ATTN_OK;
    attn_steps *made;
    *steps = NULL;
    if (n == 0)
        return ATTN_OK;
    made = attn_calloc_array(1, sizeof *made);
    if (made == NULL)
        return attn_fail_memory(error);
    made->items = attn_arena_alloc(&made->arena, n, size);
    made->patterns = attn_arena_alloc(&made->arena, n, sizeof *made->patterns);
    if (made->items == NULL || made->patterns == NULL) {
        attn_steps_close(made);
        return attn_fail_memory(error);
    }
    memset(made->items, 0, n * size);
    for (; made->n < n && status == ATTN_OK; made->n++) {
        made->patterns[made->n] = NULL;
        status = compile(made, made->n, list, error);
    }
    if (status == ATTN_OK)
        *steps = made;
    else
        attn_steps_close(made);
    return status;
}

void attn_steps_close(attn_steps *steps)
{
    if (steps == NULL)
        return;
    for (size_t i = 0; i < steps->n; i++)
        attn_pattern_close(steps->patterns[i]);
    attn_arena_free(&steps->arena);
    attn_free(steps);
}

bool attn_steps_keep(attn_steps *steps, attn_bytes *bytes)
{
    char *copy = attn_arena_text(&steps->arena, (const char *)bytes->data, bytes->size);
    bytes->data = (const uint8_t *)copy;
    return copy != NULL;
}
