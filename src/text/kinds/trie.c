/* trie.c: see trie.h. All edges lie in one hash table of a word each; it grows with the nodes. */
#include "config.h"

#include "text/kinds/trie.h"
#include "base/hash.h"

enum { NODE_BITS = 28, FIRST_SLOTS = 1024 };
static const size_t max_nodes = (size_t)1 << NODE_BITS;

/* The slot of the edge NODE, BYTE, or the empty one where it would go. */
static size_t find_slot(const uint64_t *slots, size_t mask, uint64_t edge)
{
    size_t i = (size_t)attn_hash_u64(edge) & mask;
    while (slots[i] != 0 && slots[i] >> NODE_BITS != edge)
        i = (i + 1) & mask;
    return i;
}

static uint64_t edge_of(uint32_t node, uint8_t byte)
{
    return (uint64_t)node << 8 | byte;
}

uint32_t attn_trie_step(const attn_trie *trie, uint32_t node, uint8_t byte)
{
    const uint64_t slot = trie->slots[find_slot(trie->slots, trie->mask, edge_of(node, byte))];
    return slot != 0 ? (uint32_t)(slot & (max_nodes - 1)) : ATTN_TRIE_NONE;
}

/* Twice the slots. */
static bool grow(attn_trie *trie)
{
    const size_t n_slots = trie->slots != NULL ? 2 * (trie->mask + 1) : FIRST_SLOTS;
    uint64_t *slots = attn_calloc_array(n_slots, sizeof *slots);
    uint32_t *ids = attn_realloc_array(trie->ids, n_slots / 2 + 1, sizeof *ids);
    if (ids != NULL)
        trie->ids = ids;
    if (slots == NULL || ids == NULL) {
        attn_free(slots);
        return false;
    }
    for (size_t i = 0; trie->slots != NULL && i <= trie->mask; i++)
        if (trie->slots[i] != 0)
            slots[find_slot(slots, n_slots - 1, trie->slots[i] >> NODE_BITS)] = trie->slots[i];
    attn_free(trie->slots);
    trie->slots = slots;
    trie->mask = n_slots - 1;
    return true;
}

static attn_status add(attn_trie *trie, attn_bytes token, uint32_t id, attn_error *error)
{
    uint32_t node = ATTN_TRIE_ROOT;
    for (size_t i = 0; i < token.size; i++) {
        const uint64_t edge = edge_of(node, token.data[i]);
        size_t at = find_slot(trie->slots, trie->mask, edge);
        if (trie->slots[at] == 0) {
            if (trie->n_nodes >= max_nodes)
                return attn_fail(error, ATTN_EUNSUPPORTED, "the vocabulary is too large");
            if (trie->n_nodes > trie->mask / 2) {
                if (!grow(trie))
                    return attn_fail_memory(error);
                at = find_slot(trie->slots, trie->mask, edge);
            }
            trie->ids[trie->n_nodes] = ATTN_NO_TOKEN;
            trie->slots[at] = edge << NODE_BITS | trie->n_nodes++;
        }
        node = (uint32_t)(trie->slots[at] & (max_nodes - 1));
    }
    if (token.size > 0 && trie->ids[node] == ATTN_NO_TOKEN)
        trie->ids[node] = id;
    return ATTN_OK;
}

attn_status attn_trie_open(const attn_vocabulary *vocabulary, attn_trie_takes *takes, const void *context,
                           attn_trie *trie, attn_error *error)
{
    attn_status status = ATTN_OK;
    *trie = (attn_trie){.n_nodes = 1};
    if (!grow(trie))
        return attn_fail_memory(error);
    trie->ids[ATTN_TRIE_ROOT] = ATTN_NO_TOKEN;
    for (size_t i = 0; i < vocabulary->n_tokens && status == ATTN_OK; i++)
        if (takes(context, i))
            status = add(trie, vocabulary->tokens[i], (uint32_t)i, error);
    return status;
}

void attn_trie_free(attn_trie *trie)
{
    attn_free(trie->slots);
    attn_free(trie->ids);
    *trie = (attn_trie){0};
}
