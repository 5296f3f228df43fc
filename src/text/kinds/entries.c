/* entries.c: see entries.h. Used by wordpiece.c and longest.c. */
#include "config.h"

#include "text/kinds/entries.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

#define NO_ID UINT32_MAX

/* A polynomial of the bytes in a secret number. Strings of which half the bits fall together whatever that is, which
 * there are, are longer than ATTN_MAX_ENTRY. */
static uint64_t hash_step(uint64_t hash, uint8_t byte)
{
    return (hash + byte + 1) * attn_hash_secret.factor;
}

attn_status attn_entries_open(attn_entries *entries, const attn_bytes *keys, size_t skip, size_t count,
                              attn_error *error)
{
    size_t capacity = count + count / 3 + 4; /* COUNT is below 2^32 */
    *entries = (attn_entries){.keys = keys, .skip = skip, .n_slots = capacity};
    entries->slots = attn_alloc_array(capacity, sizeof *entries->slots);
    if (entries->slots == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < capacity; i++)
        entries->slots[i].id = NO_ID;
    return ATTN_OK;
}

void attn_entries_free(attn_entries *entries)
{
    attn_free(entries->slots);
    *entries = (attn_entries){0};
}

/* The slot of the SIZE bytes at DATA whose hash is HASH, or the empty one where they would be. */
static attn_entry_slot *find_slot(const attn_entries *entries, const uint8_t *data, size_t size, uint64_t hash)
{
    size_t at = (size_t)((hash >> 32) * entries->n_slots >> 32);
    for (;; at = at + 1 < entries->n_slots ? at + 1 : 0) {
        attn_entry_slot *slot = &entries->slots[at];
        attn_bytes key;
        if (slot->id == NO_ID)
            return slot;
        if (slot->check != (uint32_t)hash)
            continue;
        key = entries->keys[slot->id];
        if (key.size == size + entries->skip && memcmp(key.data + entries->skip, data, size) == 0)
            return slot;
    }
}

void attn_entries_add(attn_entries *entries, size_t id)
{
    const uint8_t *data = entries->keys[id].data + entries->skip;
    const size_t size = entries->keys[id].size - entries->skip;
    attn_entry_slot *slot;
    uint64_t hash = 1;
    if (size == 0 || size > ATTN_MAX_ENTRY)
        return;
    for (size_t i = 0; i < size; i++)
        hash = hash_step(hash, data[i]);
    slot = find_slot(entries, data, size, hash);
    if (slot->id != NO_ID)
        return;
    *slot = (attn_entry_slot){(uint32_t)hash, (uint32_t)id};
    entries->has_length[size] = true;
    if (size > entries->longest[data[0]])
        entries->longest[data[0]] = (uint16_t)size;
}

size_t attn_entries_longest(const attn_entries *entries, const uint8_t *data, size_t size, uint32_t *id)
{
    uint64_t hashes[ATTN_MAX_ENTRY + 1];
    const size_t whole = size;
    if (size > 0 && size > entries->longest[data[0]])
        size = entries->longest[data[0]];
    hashes[0] = 1;
    for (size_t i = 0; i < size; i++)
        hashes[i + 1] = hash_step(hashes[i], data[i]);
    for (; size > 0; size--) {
        if (!entries->has_length[size] || (size < whole && (data[size] & 0xC0) == 0x80))
            continue; /* no such entry, or the middle of a character */
        *id = find_slot(entries, data, size, hashes[size])->id;
        if (*id != NO_ID)
            return size;
    }
    return 0;
}
