/* trie.h: the tokens of a vocabulary by their bytes, to find all that a text begins with. Used by
 * unigram.c. */
#ifndef ATTN_TEXT_KINDS_TRIE_H
#define ATTN_TEXT_KINDS_TRIE_H

#include "text/kinds/kinds.h"

typedef struct attn_trie {
    uint64_t *slots; /* owned; [mask + 1]: node << 36 | byte << 28 | child; 0: empty */
    size_t mask;
    uint32_t *ids; /* owned; [n_nodes]: the token that ends at a node, or ATTN_NO_TOKEN */
    size_t n_nodes;
} attn_trie;

enum { ATTN_TRIE_ROOT = 0 };
#define ATTN_TRIE_NONE UINT32_MAX

/* The tokens of VOCABULARY of which TAKES (with CONTEXT) says so; of equal spellings the first. On
 * failure free it all the same. */
typedef bool attn_trie_takes(const void *context, size_t id);
attn_status attn_trie_open(const attn_vocabulary *vocabulary, attn_trie_takes *takes, const void *context,
                           attn_trie *trie, attn_error *error);
void attn_trie_free(attn_trie *trie);

/* The node that BYTE leads to from NODE, or ATTN_TRIE_NONE. */
uint32_t attn_trie_step(const attn_trie *trie, uint32_t node, uint8_t byte);

#endif
