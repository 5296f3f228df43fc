/* map.h: from byte strings to numbers: vocabularies, tensor names, object keys. Keys are borrowed: the
 * caller keeps them alive. Open addressing; initialise with {0}. */
#ifndef ATTN_BASE_MAP_H
#define ATTN_BASE_MAP_H

#include "base/bytes.h"

typedef struct attn_map_slot {
    attn_bytes key; /* borrowed; data NULL: an empty slot */
    uint64_t hash;
    size_t value;
} attn_map_slot;

typedef struct attn_map {
    attn_map_slot *slots; /* owned; [capacity], a power of two */
    size_t capacity, count;
} attn_map;

typedef enum attn_map_result { ATTN_MAP_ADDED, ATTN_MAP_PRESENT, ATTN_MAP_NOMEM } attn_map_result;

/* Room for COUNT keys without growing. False: out of memory. */
bool attn_map_reserve(attn_map *map, size_t count);
/* Add KEY with VALUE unless it is there; the first value stays. */
attn_map_result attn_map_add(attn_map *map, attn_bytes key, size_t value);
/* True and *VALUE when KEY is there. */
bool attn_map_find(const attn_map *map, attn_bytes key, size_t *value);
void attn_map_free(attn_map *map); /* leaves {0} */

uint64_t attn_hash(attn_bytes bytes);

#endif
