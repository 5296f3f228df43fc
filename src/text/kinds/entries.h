/* entries.h: finds the longest entry of a vocabulary at a place in a text. Only files of text/
 * include it. */
#ifndef ATTN_TEXT_KINDS_ENTRIES_H
#define ATTN_TEXT_KINDS_ENTRIES_H

#include "base/bytes.h"
#include "base/error.h"

enum { ATTN_MAX_ENTRY = 512 }; /* bytes; longer entries are left out, so that a look-up is bounded */

typedef struct attn_entry_slot {
    uint32_t check; /* the hash's lower half */
    uint32_t id;    /* UINT32_MAX: empty */
} attn_entry_slot;

typedef struct attn_entries {
    const attn_bytes *keys; /* borrowed; by id */
    size_t skip;            /* bytes of each key that are not matched ("##") */
    attn_entry_slot *slots; /* owned; [n_slots], open addressing, at most three quarters full */
    size_t n_slots;
    uint16_t longest[256];               /* bytes of the longest entry with this first byte */
    bool has_length[ATTN_MAX_ENTRY + 1]; /* some entry has this many bytes */
} attn_entries;

/* Room for COUNT entries among KEYS, which must outlive ENTRIES. */
attn_status attn_entries_open(attn_entries *entries, const attn_bytes *keys, size_t skip, size_t count,
                              attn_error *error);
void attn_entries_free(attn_entries *entries);

/* Adds the entry KEYS[ID], unless it is longer than ATTN_MAX_ENTRY or an equal one is there. */
void attn_entries_add(attn_entries *entries, size_t id);

/* The longest entry that the SIZE bytes at DATA begin with and that ends where a character does:
 * its bytes and *ID; 0 when there is none. One pass computes the hashes of all prefixes. */
size_t attn_entries_longest(const attn_entries *entries, const uint8_t *data, size_t size, uint32_t *id);

#endif
