/* map.c: see map.h. Linear probing, at most three quarters full; the slots hold tags and indices only. */
#include "config.h"

#include "base/map.h"
#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

enum { FIRST_ROOM = 12 };

static const uint8_t empty_key[1];

static uint32_t tag_of(attn_bytes key)
{
    return (uint32_t)(attn_hash_bytes(key) >> 32);
}

static attn_bytes key_at(const attn_map *map, size_t entry)
{
    return map->keys != NULL ? map->keys[entry] : attn_map_key(&map->entries[entry]);
}

/* How many keys N_SLOTS take, and how many slots COUNT keys need. */
static size_t room_of(size_t n_slots)
{
    return n_slots - (n_slots + 3) / 4;
}

static size_t slots_for(size_t count)
{
    return count + count / 3 + 4;
}

/* The slot where the search for TAG begins: the tag as a part of all tags there can be. */
static size_t place_of(uint32_t tag, size_t n_slots)
{
    return (size_t)((uint64_t)tag * n_slots >> 32);
}

static size_t next_place(size_t place, size_t n_slots)
{
    return place + 1 < n_slots ? place + 1 : 0;
}

/* The slot of KEY, or the empty one where it would go. */
static attn_map_slot *find_slot(const attn_map *map, attn_bytes key, uint32_t tag)
{
    size_t i = place_of(tag, map->n_slots);
    while (map->slots[i].entry != 0 &&
           (map->slots[i].tag != tag || !attn_bytes_equal(key_at(map, map->slots[i].entry - 1), key)))
        i = next_place(i, map->n_slots);
    return &map->slots[i];
}

/* The same entries under N_SLOTS slots. */
static bool rehash(attn_map *map, size_t n_slots)
{
    if (map->keys == NULL) {
        attn_map_entry *entries = attn_realloc_array(map->entries, room_of(n_slots), sizeof *entries);
        if (entries == NULL)
            return false;
        map->entries = entries;
    }
    attn_map_slot *slots = attn_calloc_array(n_slots, sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t old = 0; old < map->n_slots; old++) {
        if (map->slots[old].entry == 0)
            continue;
        size_t i = place_of(map->slots[old].tag, n_slots);
        while (slots[i].entry != 0)
            i = next_place(i, n_slots);
        slots[i] = map->slots[old];
    }
    attn_free(map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    return true;
}

bool attn_map_reserve(attn_map *map, size_t count)
{
    if (count >= UINT32_MAX - UINT32_MAX / 4)
        return false;
    return count <= room_of(map->n_slots) || rehash(map, slots_for(count));
}

/* Room for one more, and the empty slot where KEY goes; PRESENT: it is there. */
static attn_map_result take_slot(attn_map *map, attn_bytes key, attn_map_slot **slot)
{
    const uint32_t tag = tag_of(key);
    if (map->count == room_of(map->n_slots) && !attn_map_reserve(map, map->count + map->count / 2 + FIRST_ROOM))
        return ATTN_MAP_NOMEM;
    *slot = find_slot(map, key, tag);
    if ((*slot)->entry != 0)
        return ATTN_MAP_PRESENT;
    (*slot)->tag = tag;
    return ATTN_MAP_ADDED;
}

attn_map_result attn_map_add(attn_map *map, attn_bytes key, size_t value)
{
    attn_map_slot *slot;
    if (key.size > UINT32_MAX || value > UINT32_MAX)
        return ATTN_MAP_NOMEM;
    if (key.data == NULL)
        key.data = empty_key;
    attn_map_result result = take_slot(map, key, &slot);
    if (result != ATTN_MAP_ADDED)
        return result;
    map->entries[map->count++] =
        (attn_map_entry){.data = key.data, .size = (uint32_t)key.size, .value = (uint32_t)value};
    slot->entry = (uint32_t)map->count;
    return ATTN_MAP_ADDED;
}

attn_map_result attn_map_add_index(attn_map *map, const attn_bytes *keys, size_t index)
{
    attn_map_slot *slot;
    if (index >= UINT32_MAX)
        return ATTN_MAP_NOMEM;
    map->keys = keys;
    attn_map_result result = take_slot(map, keys[index], &slot);
    if (result != ATTN_MAP_ADDED)
        return result;
    map->count++;
    slot->entry = (uint32_t)index + 1;
    return ATTN_MAP_ADDED;
}

bool attn_map_find(const attn_map *map, attn_bytes key, size_t *value)
{
    if (map->count == 0)
        return false;
    const attn_map_slot *slot = find_slot(map, key, tag_of(key));
    if (slot->entry == 0)
        return false;
    *value = map->keys != NULL ? slot->entry - 1 : map->entries[slot->entry - 1].value;
    return true;
}

void attn_map_free(attn_map *map)
{
    attn_free(map->slots);
    attn_free(map->entries);
    *map = (attn_map){0};
}
