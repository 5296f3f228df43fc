/* nearest_list.c: see nearest_list.h. */
#include "config.h"

#include "kernels/nearest_list.h"

#include "base/memory.h"

#include <stdlib.h>

/* Among so many near-equals the lower rows are as good an answer as any. */
enum { SPARE = 32, MOST_EQUALS = 16384 };

static int better_first(const void *left, const void *right)
{
    const attn_near_candidate *a = left, *b = right;
    if (a->similarity != b->similarity)
        return a->similarity > b->similarity ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

void attn_near_list_sort(attn_near_list *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, better_first);
}

void attn_near_list_prune(attn_near_list *list, const attn_near_rule *rule)
{
    if (list->count < rule->top)
        return;
    attn_near_list_sort(list);
    list->bar = list->items[rule->top - 1].similarity - rule->margin;
    while (list->count > rule->top && list->items[list->count - 1].similarity < list->bar)
        list->count--;
    if (list->count - rule->top > MOST_EQUALS)
        list->count = rule->top + MOST_EQUALS;
}

static bool grow(attn_near_list *list)
{
    size_t wanted;
    if (!attn_add(list->capacity, list->capacity / 2 + SPARE, &wanted))
        return false;
    attn_near_candidate *grown = attn_realloc_array(list->items, wanted, sizeof *grown);
    if (grown == NULL)
        return false;
    list->items = grown;
    list->capacity = wanted;
    return true;
}

bool attn_near_list_append(attn_near_list *list, attn_near_candidate candidate)
{
    if (list->count == list->capacity && !grow(list))
        return false;
    list->items[list->count++] = candidate;
    return true;
}

bool attn_near_list_add(attn_near_list *list, attn_near_candidate candidate, const attn_near_rule *rule)
{
    if (list->count == list->capacity) {
        attn_near_list_prune(list, rule);
        if (list->count >= list->capacity - list->capacity / 4 && !grow(list))
            return false;
    }
    return candidate.similarity < list->bar || attn_near_list_append(list, candidate);
}

void attn_near_list_free(attn_near_list *list)
{
    attn_free(list->items);
    *list = (attn_near_list){0};
}
