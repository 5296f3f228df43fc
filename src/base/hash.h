/* hash.h: numbers for the hash tables, mixed with secrets of this run, so that nobody can write a file whose words all
 * fall into one place. What is printed never depends on them: no table is walked in the order of its hashes. */
#ifndef ATTN_BASE_HASH_H
#define ATTN_BASE_HASH_H

#include "base/bytes.h"

/* The secrets: fixed until main draws them from the system, once, before anything is read and any thread begins. */
typedef struct attn_hash_secrets {
    uint64_t start;
    uint64_t factor; /* odd */
} attn_hash_secrets;
extern attn_hash_secrets attn_hash_secret;
void attn_hash_draw(void);

/* Both halves of a × b, folded: each bit depends on all. */
static inline uint64_t attn_hash_fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    const u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t attn_hash_u64(uint64_t number)
{
    return attn_hash_fold(number ^ attn_hash_secret.start, attn_hash_secret.factor);
}

uint64_t attn_hash_bytes(attn_bytes bytes);

#endif
