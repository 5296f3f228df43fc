/* hash.c: see hash.h. Changes a global, once; the other that changes is the choice of kernels. */
#include "config.h"

#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Digits of pi until they are drawn: what runs within a test is the same each time. */
attn_hash_secrets attn_hash_secret = {UINT64_C(0x243F6A8885A308D3), UINT64_C(0x13198A2E03707345)};

void attn_hash_draw(void)
{
    attn_hash_secrets drawn = {0, 0};
    if (getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) != (ssize_t)sizeof drawn) { /* an old system, or too early */
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        drawn.start = attn_hash_u64((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30);
        drawn.factor = attn_hash_u64(drawn.start ^ (uint64_t)getpid() ^ (uint64_t)(uintptr_t)&drawn);
    }
    attn_hash_secret = (attn_hash_secrets){drawn.start, drawn.factor | 1};
}

/* Up to eight bytes as a number: by two reads that may overlap, not byte by byte. */
static uint64_t load_few(const uint8_t *data, size_t size)
{
    if (size < 4)
        return size == 0 ? 0 : data[0] | (uint64_t)data[size / 2] << 8 | (uint64_t)data[size - 1] << 16;
    uint32_t first, last;
    memcpy(&first, data, sizeof first);
    memcpy(&last, data + size - sizeof last, sizeof last);
    return first | (uint64_t)last << 32;
}

uint64_t attn_hash_bytes(attn_bytes bytes)
{
    const uint64_t factor = attn_hash_secret.factor;
    uint64_t hash = attn_hash_secret.start ^ bytes.size;
    const uint8_t *data = bytes.data;
    size_t left = bytes.size;
    for (; left > 8; left -= 8, data += 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        hash = attn_hash_fold(hash ^ word, factor) ^ word;
    }
    return attn_hash_fold(attn_hash_fold(hash ^ load_few(data, left), factor), factor);
}
