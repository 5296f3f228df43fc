/* trie.c: see trie.h. All edges lie in one hash table. */
#include "config.h"

#include "text/trie.h"

#include <string.h>

#define NO_EDGE UINT64_MAX

static attn_trie_slot *find_edge(const attn_trie *trie, uint64_t edge)
{
    size_t i = (size_t)(edge * UINT64_C(0x9E3779B97F4A7C15) >> 32) & trie->mask;
    while (trie->slots[i].edge != edge && trie->slots[i].edge != NO_EDGE)
        i = (i + 1) & trie->mask;
    return &trie->slots[i];
}

uint32_t attn_trie_step(const attn_trie *trie, uint32_t node, uint8_t byte)
{
    const uint64_t edge = (uint64_t)node << 8 | byte;
    const attn_trie_slot *slot = find_edge(trie, edge);
    return slot->edge == edge ? slot->child : ATTN_TRIE_NONE;
}

static void add(attn_trie *trie, attn_bytes token, uint32_t id)
{
    uint32_t node = ATTN_TRIE_ROOT;
    for (size_t i = 0; i < token.size; i++) {
        const uint64_t edge = (uint64_t)node << 8 | token.data[i];
        attn_trie_slot *slot = find_edge(trie, edge);
        if (slot->edge == NO_EDGE) {
            trie->ids[trie->n_nodes] = ATTN_NO_TOKEN;
            *slot = (attn_trie_slot){edge, (uint32_t)trie->n_nodes++};
        }
        node = slot->child;
    }
    if (token.size > 0 && trie->ids[node] == ATTN_NO_TOKEN)
        trie->ids[node] = id;
}

attn_status attn_trie_open(const attn_vocabulary *vocabulary, attn_trie_takes *takes,
                           const void *context, attn_trie *trie, attn_error *error)
{
    size_t n_bytes = 0, capacity = 16;
    uint32_t *ids;
    for (size_t i = 0; i < vocabulary->n_tokens; i++)
        n_bytes += vocabulary->tokens[i].size;
    while (capacity / 2 < n_bytes)
        capacity *= 2;
    if (n_bytes >= UINT32_MAX)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a vocabulary of %zu bytes is too large",
                         n_bytes);
    *trie = (attn_trie){attn_alloc_array(capacity, sizeof *trie->slots), capacity - 1,
                        attn_alloc_array(n_bytes + 1, sizeof *trie->ids), 1};
    if (trie->slots == NULL || trie->ids == NULL)
        return attn_fail_memory(error);
    memset(trie->slots, 0xff, capacity * sizeof *trie->slots);
    trie->ids[ATTN_TRIE_ROOT] = ATTN_NO_TOKEN;
    for (size_t i = 0; i < vocabulary->n_tokens; i++)
        if (takes(context, i))
            add(trie, vocabulary->tokens[i], (uint32_t)i);
    ids = attn_realloc_array(trie->ids, trie->n_nodes, sizeof *ids);
    if (ids != NULL)
        trie->ids = ids;
    return ATTN_OK;
}

void attn_trie_free(attn_trie *trie)
{
    attn_free(trie->slots);
    attn_free(trie->ids);
    *trie = (attn_trie){0};
}
