/* map.h: from byte strings to numbers: vocabularies, tensor names, object keys. Keys are borrowed: the
 * caller keeps them alive. Open addressing; initialise with {0}. */
#ifndef ATTN_BASE_MAP_H
#define ATTN_BASE_MAP_H

#include "base/bytes.h"

typedef struct attn_map_slot {
    uint32_t tag;   /* of the key's hash */
    uint32_t entry; /* its index and one; 0: an empty slot */
} attn_map_slot;

typedef struct attn_map_entry {
    attn_bytes key; /* borrowed */
    size_t value;
} attn_map_entry;

typedef struct attn_map {
    attn_map_slot *slots;    /* owned; [n_slots], a power of two: small, so that a search stays in the cache */
    attn_map_entry *entries; /* owned; [count], in the order they came; room for n_slots / 2 */
    size_t n_slots, count;
} attn_map;

typedef enum attn_map_result { ATTN_MAP_ADDED, ATTN_MAP_PRESENT, ATTN_MAP_NOMEM } attn_map_result;

/* Room for COUNT keys without growing. False: out of memory. */
bool attn_map_reserve(attn_map *map, size_t count);
/* Add KEY with VALUE unless it is there; the first value stays. */
attn_map_result attn_map_add(attn_map *map, attn_bytes key, size_t value);
/* True and *VALUE when KEY is there. */
bool attn_map_find(const attn_map *map, attn_bytes key, size_t *value);
void attn_map_free(attn_map *map); /* leaves {0} */

#endif
