/* pieces.c: see pieces.h. Used by wordpiece.c and longest.c. */
#include "config.h"

#include "text/kinds/pieces.h"

#include "base/memory.h"

#include <string.h>

#define NO_ID UINT32_MAX

static uint64_t hash_step(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * UINT64_C(0x9E3779B97F4A7C15);
}

attn_status attn_entries_open(attn_entries *pieces, const attn_bytes *keys, size_t skip, size_t count,
                              attn_error *error)
{
    size_t capacity = 16;
    *pieces = (attn_entries){.keys = keys, .skip = skip, .shift = 60};
    while (capacity / 2 < count) {
        capacity *= 2;
        pieces->shift--;
    }
    pieces->slots = attn_alloc_array(capacity, sizeof *pieces->slots);
    if (pieces->slots == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < capacity; i++)
        pieces->slots[i].id = NO_ID;
    return ATTN_OK;
}

void attn_entries_free(attn_entries *pieces)
{
    attn_free(pieces->slots);
    *pieces = (attn_entries){0};
}

/* The slot of the SIZE bytes at DATA whose hash is HASH, or the empty one where they would be. */
static attn_piece_slot *find_slot(const attn_entries *pieces, const uint8_t *data, size_t size, uint64_t hash)
{
    const size_t mask = ((size_t)1 << (64 - pieces->shift)) - 1;
    size_t at = (size_t)(hash >> pieces->shift);
    for (;; at = (at + 1) & mask) {
        attn_piece_slot *slot = &pieces->slots[at];
        attn_bytes key;
        if (slot->id == NO_ID)
            return slot;
        if (slot->check != (uint32_t)hash)
            continue;
        key = pieces->keys[slot->id];
        if (key.size == size + pieces->skip && memcmp(key.data + pieces->skip, data, size) == 0)
            return slot;
    }
}

void attn_entries_add(attn_entries *pieces, size_t id)
{
    const uint8_t *data = pieces->keys[id].data + pieces->skip;
    const size_t size = pieces->keys[id].size - pieces->skip;
    attn_piece_slot *slot;
    uint64_t hash = 1;
    if (size == 0 || size > ATTN_MAX_PIECE)
        return;
    for (size_t i = 0; i < size; i++)
        hash = hash_step(hash, data[i]);
    slot = find_slot(pieces, data, size, hash);
    if (slot->id != NO_ID)
        return;
    *slot = (attn_piece_slot){(uint32_t)hash, (uint32_t)id};
    pieces->has_length[size] = true;
    if (size > pieces->longest[data[0]])
        pieces->longest[data[0]] = (uint16_t)size;
}

size_t attn_entries_longest(const attn_entries *pieces, const uint8_t *data, size_t size, uint32_t *id)
{
    uint64_t hashes[ATTN_MAX_PIECE + 1];
    const size_t whole = size;
    if (size > 0 && size > pieces->longest[data[0]])
        size = pieces->longest[data[0]];
    hashes[0] = 1;
    for (size_t i = 0; i < size; i++)
        hashes[i + 1] = hash_step(hashes[i], data[i]);
    for (; size > 0; size--) {
        if (!pieces->has_length[size] || (size < whole && (data[size] & 0xC0) == 0x80))
            continue; /* no such entry, or the middle of a character */
        *id = find_slot(pieces, data, size, hashes[size])->id;
        if (*id != NO_ID)
            return size;
    }
    return 0;
}
