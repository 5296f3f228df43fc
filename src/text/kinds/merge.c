/* merge.c: see merge.h. Short words are searched again after each merge, which beats any structure;
 * long ones keep their candidates in a heap over a linked list, so a megabyte of one letter stays
 * near linear. */
#include "config.h"

#include "text/kinds/merge.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_WORD = 48 }; /* pieces; about where the heap begins to win */

#define NO_RANK UINT32_MAX
#define EMPTY_PAIR UINT64_MAX

/* What becomes of a piece and its right neighbour. */
typedef struct joint {
    uint32_t rank; /* NO_RANK: they can not be joined */
    uint32_t id;
} joint;

static size_t pair_slot(uint64_t pair, size_t mask)
{
    return (size_t)attn_hash_u64(pair) & mask;
}

/* The slot of PAIR, or the empty one where it would go. */
static attn_merge_slot *find_pair(const attn_merge_rule *rule, uint64_t pair)
{
    size_t i = pair_slot(pair, rule->mask);
    while (rule->slots[i].pair != pair && rule->slots[i].pair != EMPTY_PAIR)
        i = (i + 1) & rule->mask;
    return &rule->slots[i];
}

static joint joint_of(const attn_merge_rule *rule, const uint8_t *word, const attn_piece *left, const attn_piece *right)
{
    joint none = {NO_RANK, ATTN_NO_TOKEN};
    if (rule->slots != NULL) {
        const attn_merge_slot *slot;
        if (left->id == ATTN_NO_TOKEN || right->id == ATTN_NO_TOKEN)
            return none;
        slot = find_pair(rule, (uint64_t)left->id << 32 | right->id);
        return slot->pair != EMPTY_PAIR ? (joint){slot->rank, slot->id} : none;
    }
    size_t id, size = (size_t)left->size + right->size;
    if (size > rule->vocabulary->longest ||
        !attn_vocabulary_find(rule->vocabulary, (attn_bytes){word + left->start, size}, &id) ||
        rule->ranks[id] == NO_RANK)
        return none;
    return (joint){rule->ranks[id], (uint32_t)id};
}

/* ---- rules ---- */

static int shown(attn_bytes token)
{
    return token.size < 64 ? (int)token.size : 64;
}

static attn_status merge_fault(attn_error *error, size_t number, const attn_bytes *parts)
{
    return attn_fail(error, ATTN_EDATA,
                     "expected merge %zu, '%.*s' '%.*s', to join tokens of the vocabulary into one of them", number + 1,
                     shown(parts[0]), (const char *)parts[0].data, shown(parts[1]), (const char *)parts[1].data);
}

/* Most vocabularies hold what merges make in the merges' order, so the token behind the last result
 * is tried before the map. ALL_DIFFER: no two tokens are spelled alike. */
static bool find_result(const attn_vocabulary *vocabulary, bool all_differ, attn_bytes whole, size_t *id)
{
    const size_t next = *id + 1;
    if (all_differ && next < vocabulary->n_tokens && attn_bytes_equal(vocabulary->tokens[next], whole)) {
        *id = next;
        return true;
    }
    return attn_vocabulary_find(vocabulary, whole, id);
}

typedef struct merge_reader {
    const attn_vocabulary *vocabulary;
    bool all_differ;
    uint8_t *joined; /* owned; room for the longest token */
    size_t prefix;   /* bytes of the second part that the result has not: the spec's piece_prefix */
} merge_reader;

/* The ids of merge NUMBER's parts, and in IDS[2], the last merge's result at first, of what they
 * make. */
static attn_status look_up_merge(const merge_reader *r, const attn_bytes *parts, size_t number, size_t ids[3],
                                 attn_error *error)
{
    const attn_vocabulary *vocabulary = r->vocabulary;
    const size_t prefix = parts[1].size < r->prefix ? parts[1].size : r->prefix;
    const attn_bytes whole = {r->joined, parts[0].size + parts[1].size - prefix};
    if (!attn_vocabulary_find(vocabulary, parts[0], &ids[0]) || !attn_vocabulary_find(vocabulary, parts[1], &ids[1]) ||
        whole.size > vocabulary->longest)
        return merge_fault(error, number, parts);
    memcpy(r->joined, parts[0].data, parts[0].size);
    memcpy(r->joined + parts[0].size, parts[1].data + prefix, parts[1].size - prefix);
    return find_result(vocabulary, r->all_differ, whole, &ids[2]) ? ATTN_OK : merge_fault(error, number, parts);
}

static attn_status fill_slots(attn_merge_rule *rule, const attn_vocabulary *vocabulary, const attn_tokenizer_spec *spec,
                              attn_error *error)
{
    merge_reader reader = {.vocabulary = vocabulary,
                           .all_differ = vocabulary->ids.count == vocabulary->n_tokens,
                           .joined = attn_alloc(vocabulary->longest),
                           .prefix = spec->piece_prefix != NULL ? strlen(spec->piece_prefix) : 0};
    attn_status status = reader.joined != NULL ? ATTN_OK : attn_fail_memory(error);
    size_t ids[3] = {0};
    for (size_t i = 0; i < spec->n_merges && status == ATTN_OK; i++) {
        attn_merge_slot *slot;
        uint64_t pair;
        status = look_up_merge(&reader, spec->merges[i], i, ids, error);
        if (status != ATTN_OK)
            break;
        pair = (uint64_t)ids[0] << 32 | ids[1];
        slot = find_pair(rule, pair);
        *slot = (attn_merge_slot){pair, (uint32_t)i, (uint32_t)ids[2]};
    }
    attn_free(reader.joined);
    return status;
}

static attn_status open_pairs(attn_merge_rule *rule, const attn_vocabulary *vocabulary, const attn_tokenizer_spec *spec,
                              attn_error *error)
{
    size_t capacity = 16;
    while (capacity / 2 < spec->n_merges) {
        if (!attn_multiply(capacity, 2, &capacity))
            return attn_fail_memory(error);
    }
    *rule = (attn_merge_rule){.slots = attn_alloc_array(capacity, sizeof *rule->slots), .mask = capacity - 1};
    if (rule->slots == NULL)
        return attn_fail_memory(error);
    memset(rule->slots, 0xff, capacity * sizeof *rule->slots);
    return fill_slots(rule, vocabulary, spec, error);
}

typedef struct scored {
    float score;
    uint32_t id;
} scored;

static int by_score(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool mergeable(const uint8_t *types, size_t id)
{
    return types == NULL || types[id] == ATTN_TOKEN_NORMAL || types[id] == ATTN_TOKEN_USER ||
           types[id] == ATTN_TOKEN_UNUSED;
}

/* Equal scores share a rank: among them the left-most pair goes first. */
static attn_status rank_by_score(attn_merge_rule *rule, const attn_tokenizer_spec *spec, attn_error *error)
{
    const size_t n = spec->n_tokens;
    scored *order = attn_alloc_array(n, sizeof *order);
    uint32_t rank = 0;
    if (order == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < n; i++)
        order[i] = (scored){spec->scores[i], (uint32_t)i};
    qsort(order, n, sizeof *order, by_score);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && order[i].score != order[i - 1].score)
            rank++;
        if (mergeable(spec->types, order[i].id))
            rule->ranks[order[i].id] = rank;
    }
    attn_free(order);
    return ATTN_OK;
}

/* Tokens beyond the spec's own are added ones: no merge makes them. */
static attn_status open_spelling(attn_merge_rule *rule, const attn_vocabulary *vocabulary,
                                 const attn_tokenizer_spec *spec, attn_error *error)
{
    const size_t n = vocabulary->n_tokens;
    *rule = (attn_merge_rule){.vocabulary = vocabulary, .ranks = attn_alloc_array(n, sizeof(uint32_t))};
    if (rule->ranks == NULL)
        return attn_fail_memory(error);
    memset(rule->ranks, 0xff, n * sizeof *rule->ranks);
    if (spec->scores != NULL)
        return rank_by_score(rule, spec, error);
    for (size_t i = 0; i < spec->n_tokens; i++)
        if (mergeable(spec->types, i))
            rule->ranks[i] = (uint32_t)i;
    return ATTN_OK;
}

attn_status attn_merge_rule_open(attn_merge_rule *rule, const attn_vocabulary *vocabulary,
                                 const attn_tokenizer_spec *spec, attn_error *error)
{
    return spec->merges != NULL ? open_pairs(rule, vocabulary, spec, error)
                                : open_spelling(rule, vocabulary, spec, error);
}

void attn_merge_rule_free(attn_merge_rule *rule)
{
    attn_free(rule->slots);
    attn_free(rule->ranks);
    *rule = (attn_merge_rule){0};
}

/* ---- short words ---- */

static size_t merge_short(const attn_merge_rule *rule, const uint8_t *word, attn_piece *pieces, size_t n)
{
    joint joints[SHORT_WORD];
    for (size_t i = 0; i + 1 < n; i++)
        joints[i] = joint_of(rule, word, &pieces[i], &pieces[i + 1]);
    for (;;) {
        size_t best = 0;
        uint32_t rank = NO_RANK;
        for (size_t i = 0; i + 1 < n; i++)
            if (joints[i].rank < rank) {
                rank = joints[i].rank;
                best = i;
            }
        if (rank == NO_RANK)
            return n;
        pieces[best].id = joints[best].id;
        pieces[best].size += pieces[best + 1].size;
        n--;
        memmove(&pieces[best + 1], &pieces[best + 2], (n - best - 1) * sizeof *pieces);
        if (n > best + 1) {
            memmove(&joints[best + 1], &joints[best + 2], (n - best - 2) * sizeof *joints);
            joints[best] = joint_of(rule, word, &pieces[best], &pieces[best + 1]);
        }
        if (best > 0)
            joints[best - 1] = joint_of(rule, word, &pieces[best - 1], &pieces[best]);
    }
}

/* ---- long words ---- */

typedef struct candidate {
    uint64_t order; /* rank << 32 | index of the left piece */
    uint32_t id;    /* what the two become */
    uint32_t size;  /* of both: differs once one of them has been merged otherwise */
} candidate;

typedef struct link {
    uint32_t previous, next; /* NO_LINK at the ends */
} link;
#define NO_LINK UINT32_MAX

typedef struct long_word {
    const attn_merge_rule *rule;
    const uint8_t *word;
    attn_piece *pieces; /* size 0: merged into the piece before */
    link *links;
    candidate *heap; /* [n_heap], the least first; never more than 2 × pieces: see merge_long */
    size_t n_heap;
} long_word;

static void sift_down(candidate *heap, size_t n, size_t at)
{
    candidate moving = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n)
            break;
        if (child + 1 < n && heap[child + 1].order < heap[child].order)
            child++;
        if (heap[child].order >= moving.order)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static void sift_up(candidate *heap, size_t at)
{
    candidate moving = heap[at];
    while (at > 0 && heap[(at - 1) / 2].order > moving.order) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moving;
}

/* Puts the piece LEFT and its right neighbour behind the heap's end where they can be joined. */
static bool add_candidate(long_word *w, uint32_t left)
{
    uint32_t right = w->links[left].next;
    joint found;
    if (right == NO_LINK)
        return false;
    found = joint_of(w->rule, w->word, &w->pieces[left], &w->pieces[right]);
    if (found.rank == NO_RANK)
        return false;
    w->heap[w->n_heap++] =
        (candidate){(uint64_t)found.rank << 32 | left, found.id, w->pieces[left].size + w->pieces[right].size};
    return true;
}

/* Joins the candidate's pieces unless one of them has changed since. */
static void take_candidate(long_word *w, candidate taken)
{
    uint32_t left = (uint32_t)taken.order, right = w->links[left].next, after;
    if (w->pieces[left].size == 0 || right == NO_LINK || w->pieces[left].size + w->pieces[right].size != taken.size)
        return;
    w->pieces[left].id = taken.id;
    w->pieces[left].size = taken.size;
    w->pieces[right].size = 0;
    after = w->links[right].next;
    w->links[left].next = after;
    if (after != NO_LINK)
        w->links[after].previous = left;
    if (add_candidate(w, left))
        sift_up(w->heap, w->n_heap - 1);
    if (w->links[left].previous != NO_LINK && add_candidate(w, w->links[left].previous))
        sift_up(w->heap, w->n_heap - 1);
}

/* n − 1 candidates at first; each merge takes one and adds at most two: never more than 2n. */
static size_t merge_long(long_word *w, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        w->links[i] = (link){i > 0 ? (uint32_t)(i - 1) : NO_LINK, i + 1 < n ? (uint32_t)(i + 1) : NO_LINK};
    for (size_t i = 0; i + 1 < n; i++)
        add_candidate(w, (uint32_t)i);
    for (size_t i = w->n_heap / 2; i-- > 0;)
        sift_down(w->heap, w->n_heap, i);
    while (w->n_heap > 0) {
        candidate taken = w->heap[0];
        w->heap[0] = w->heap[--w->n_heap];
        if (w->n_heap > 0)
            sift_down(w->heap, w->n_heap, 0);
        take_candidate(w, taken);
    }
    for (size_t i = 0; i < n; i++)
        if (w->pieces[i].size > 0)
            w->pieces[kept++] = w->pieces[i];
    return kept;
}

bool attn_merge_space_reserve(attn_merge_space *space, size_t size)
{
    if (space->size >= size)
        return true;
    attn_merge_space_free(space);
    space->memory = attn_alloc(size);
    space->size = space->memory != NULL ? size : 0;
    return space->memory != NULL;
}

void attn_merge_space_free(attn_merge_space *space)
{
    attn_free(space->memory);
    *space = (attn_merge_space){0};
}

attn_status attn_merge(const attn_merge_rule *rule, attn_merge_space *space, const uint8_t *word, attn_piece *pieces,
                       size_t *count, attn_error *error)
{
    size_t n = *count, heap_size, links_size, size;
    long_word w = {.rule = rule, .word = word, .pieces = pieces};
    if (n <= SHORT_WORD) {
        *count = merge_short(rule, word, pieces, n);
        return ATTN_OK;
    }
    if (n > INT32_MAX)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a single word of %zu bytes is too long to merge", n);
    if (!attn_multiply(n, 2 * sizeof *w.heap, &heap_size) || !attn_multiply(n, sizeof *w.links, &links_size) ||
        !attn_add(heap_size, links_size, &size) || !attn_merge_space_reserve(space, size))
        return attn_fail_memory(error);
    w.heap = space->memory;
    w.links = (link *)(void *)((char *)space->memory + heap_size);
    *count = merge_long(&w, n);
    return ATTN_OK;
}
