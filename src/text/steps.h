/* steps.h: a list of compiled steps and what it owns: what the normalizers (unicode/normalize.c) and the pre-tokenizers
 * (split/presplit.c) of tokenizer.json have in common. Read-only once open. Only files of text/ include it. */
#ifndef ATTN_TEXT_STEPS_H
#define ATTN_TEXT_STEPS_H

#include "base/memory.h"
#include "text/split/pattern.h"

typedef struct attn_steps {
    attn_arena arena;        /* owns the steps and their bytes */
    void *items;             /* in the arena; [n], of the user's type */
    attn_pattern **patterns; /* in the arena; [n]; each owned, or NULL */
    size_t n;
} attn_steps;

/* Compiles step INDEX of what LIST holds into its place, which is cleared. */
typedef attn_status attn_compile_step(attn_steps *steps, size_t index, const void *list, attn_error *error);

/* N steps of SIZE bytes, compiled one by one. None: *STEPS is NULL. */
attn_status attn_steps_open(size_t n, size_t size, attn_compile_step *compile, const void *list, attn_steps **steps,
                            attn_error *error);
void attn_steps_close(attn_steps *steps);

/* BYTES become a copy that lives as long as STEPS. False: out of memory. */
bool attn_steps_keep(attn_steps *steps, attn_bytes *bytes);

#endif
