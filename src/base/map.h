/* map.h: from byte strings to numbers: vocabularies, tensor names, object keys. Keys are borrowed: the
 * caller keeps them alive. Open addressing; initialise with {0}. */
#ifndef ATTN_BASE_MAP_H
#define ATTN_BASE_MAP_H

#include "base/bytes.h"

typedef struct attn_map_slot {
    uint32_t tag;   /* of the key's hash */
    uint32_t entry; /* its index (of entries or keys) and one; 0: an empty slot */
} attn_map_slot;

typedef struct attn_map_entry {
    const uint8_t *data;  /* borrowed: the key's bytes; [size] */
    uint32_t size, value; /* small: most of what a vocabulary costs is its map */
} attn_map_entry;

typedef struct attn_map {
    attn_map_slot *slots;    /* owned; [n_slots]: small, so that a search stays in the cache */
    attn_map_entry *entries; /* owned; [count], in the order they came */
    const attn_bytes *keys;  /* borrowed: the map is an index of this array; then it has no entries */
    size_t n_slots, count;
} attn_map;

typedef enum attn_map_result { ATTN_MAP_ADDED, ATTN_MAP_PRESENT, ATTN_MAP_NOMEM } attn_map_result;

/* Room for COUNT keys without growing. False: out of memory. */
bool attn_map_reserve(attn_map *map, size_t count);
/* Add KEY with VALUE unless it is there; the first value stays. A key or a value beyond 32 bits is ATTN_MAP_NOMEM. */
attn_map_result attn_map_add(attn_map *map, attn_bytes key, size_t value);
/* The same of KEYS[INDEX] with INDEX as its value, where all keys of the map lie in the array KEYS, which stays where
 * it is: that costs half as much. */
attn_map_result attn_map_add_index(attn_map *map, const attn_bytes *keys, size_t index);
/* True and *VALUE when KEY is there. */
bool attn_map_find(const attn_map *map, attn_bytes key, size_t *value);
void attn_map_free(attn_map *map); /* leaves {0} */

static inline attn_bytes attn_map_key(const attn_map_entry *entry)
{
    return (attn_bytes){entry->data, entry->size};
}

#endif
