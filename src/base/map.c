/* map.c: see map.h. Linear probing, at most half full; the slots hold tags and indices only. */
#include "config.h"

#include "base/map.h"
#include "base/memory.h"

#include <string.h>

static const uint8_t empty_key[1];

/* A multiply-and-fold hash over eight bytes at a time. */
static uint64_t fold(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
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

static uint64_t hash_of(attn_bytes bytes)
{
    uint64_t hash = fold(UINT64_C(0xC2B2AE3D27D4EB4F), bytes.size);
    const uint8_t *data = bytes.data;
    size_t left = bytes.size;
    for (; left > 8; left -= 8, data += 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        hash = fold(hash, word);
    }
    return fold(fold(hash, load_few(data, left)), 0);
}

static uint32_t tag_of(attn_bytes key)
{
    return (uint32_t)(hash_of(key) >> 32);
}

/* The slot of KEY, or the empty one where it would go. */
static attn_map_slot *find_slot(const attn_map *map, attn_bytes key, uint32_t tag)
{
    const size_t mask = map->n_slots - 1;
    size_t i = tag & mask;
    while (map->slots[i].entry != 0 &&
           (map->slots[i].tag != tag || !attn_bytes_equal(map->entries[map->slots[i].entry - 1].key, key)))
        i = (i + 1) & mask;
    return &map->slots[i];
}

/* The same entries under N_SLOTS slots. */
static bool rehash(attn_map *map, size_t n_slots)
{
    attn_map_entry *entries = attn_realloc_array(map->entries, n_slots / 2, sizeof *entries);
    if (entries == NULL)
        return false;
    map->entries = entries;
    attn_map_slot *slots = attn_calloc_array(n_slots, sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t old = 0; old < map->n_slots; old++) {
        size_t i = map->slots[old].tag & (n_slots - 1);
        if (map->slots[old].entry == 0)
            continue;
        while (slots[i].entry != 0)
            i = (i + 1) & (n_slots - 1);
        slots[i] = map->slots[old];
    }
    attn_free(map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    return true;
}

bool attn_map_reserve(attn_map *map, size_t count)
{
    size_t n_slots = map->n_slots > 0 ? map->n_slots : 16;
    if (count >= UINT32_MAX)
        return false;
    while (n_slots / 2 < count)
        n_slots *= 2;
    return n_slots == map->n_slots || rehash(map, n_slots);
}

attn_map_result attn_map_add(attn_map *map, attn_bytes key, size_t value)
{
    const uint32_t tag = tag_of(key);
    if (!attn_map_reserve(map, map->count + 1))
        return ATTN_MAP_NOMEM;
    if (key.data == NULL)
        key.data = empty_key;
    attn_map_slot *slot = find_slot(map, key, tag);
    if (slot->entry != 0)
        return ATTN_MAP_PRESENT;
    map->entries[map->count++] = (attn_map_entry){.key = key, .value = value};
    *slot = (attn_map_slot){.tag = tag, .entry = (uint32_t)map->count};
    return ATTN_MAP_ADDED;
}

bool attn_map_find(const attn_map *map, attn_bytes key, size_t *value)
{
    if (map->count == 0)
        return false;
    const attn_map_slot *slot = find_slot(map, key, tag_of(key));
    if (slot->entry == 0)
        return false;
    *value = map->entries[slot->entry - 1].value;
    return true;
}

void attn_map_free(attn_map *map)
{
    attn_free(map->slots);
    attn_free(map->entries);
    *map = (attn_map){0};
}
