/* map.c: see map.h. Linear probing, at most half full. */
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

uint64_t attn_hash(attn_bytes bytes)
{
    uint64_t hash = fold(UINT64_C(0xC2B2AE3D27D4EB4F), bytes.size);
    const uint8_t *data = bytes.data;
    size_t left = bytes.size;
    uint64_t word = 0;
    for (; left >= 8; left -= 8, data += 8) {
        memcpy(&word, data, 8);
        hash = fold(hash, word);
    }
    if (left > 0) {
        word = 0;
        memcpy(&word, data, left);
        hash = fold(hash, word);
    }
    return fold(hash, 0);
}

static attn_map_slot *find_slot(const attn_map *map, attn_bytes key, uint64_t hash)
{
    size_t mask = map->capacity - 1;
    size_t i = (size_t)(hash >> 8) & mask;
    while (map->slots[i].key.data != NULL &&
           (map->slots[i].hash != hash || !attn_bytes_equal(map->slots[i].key, key)))
        i = (i + 1) & mask;
    return &map->slots[i];
}

static bool rehash(attn_map *map, size_t capacity)
{
    attn_map grown = {attn_calloc_array(capacity, sizeof *grown.slots), capacity, map->count};
    if (grown.slots == NULL)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key.data != NULL)
            *find_slot(&grown, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    attn_free(map->slots);
    *map = grown;
    return true;
}

bool attn_map_reserve(attn_map *map, size_t count)
{
    size_t capacity = map->capacity > 0 ? map->capacity : 16;
    while (capacity / 2 < count) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    return capacity == map->capacity || rehash(map, capacity);
}

attn_map_result attn_map_add(attn_map *map, attn_bytes key, size_t value)
{
    uint64_t hash = attn_hash(key);
    attn_map_slot *slot;
    if (!attn_map_reserve(map, map->count + 1))
        return ATTN_MAP_NOMEM;
    if (key.data == NULL)
        key.data = empty_key;
    slot = find_slot(map, key, hash);
    if (slot->key.data != NULL)
        return ATTN_MAP_PRESENT;
    *slot = (attn_map_slot){key, hash, value};
    map->count++;
    return ATTN_MAP_ADDED;
}

bool attn_map_find(const attn_map *map, attn_bytes key, size_t *value)
{
    const attn_map_slot *slot;
    if (map->count == 0)
        return false;
    slot = find_slot(map, key, attn_hash(key));
    if (slot->key.data == NULL)
        return false;
    *value = slot->value;
    return true;
}

void attn_map_free(attn_map *map)
{
    attn_free(map->slots);
    *map = (attn_map){0};
}
