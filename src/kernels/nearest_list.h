/* nearest_list.h: the rows that can still be among a query's nearest, by their approximate
 * similarity. Only nearest.c uses it. */
#ifndef ATTN_KERNELS_NEAREST_LIST_H
#define ATTN_KERNELS_NEAREST_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct attn_near_candidate {
    size_t row;
    float similarity; /* within the error of the product; exact at the end */
} attn_near_candidate;

typedef struct attn_near_list {
    attn_near_candidate *items; /* owned; [count] */
    size_t count, capacity;
    float bar; /* a row below it can not be among the nearest; −INFINITY at first */
} attn_near_list;

typedef struct attn_near_rule {
    size_t top;   /* at least 1 */
    float margin; /* twice the error of the product */
} attn_near_rule;

/* Adds a candidate; a full list first drops what can not be among the nearest. False: out of memory. */
bool attn_near_list_add(attn_near_list *list, attn_near_candidate candidate, const attn_near_rule *rule);
/* Adds it whatever its similarity. */
bool attn_near_list_append(attn_near_list *list, attn_near_candidate candidate);
/* Keeps those that are not below the TOPth by more than the margin, and raises the bar to there.
 * Where very many are that near to each other, those of the lowest rows. */
void attn_near_list_prune(attn_near_list *list, const attn_near_rule *rule);
/* Descending similarity, then ascending row. */
void attn_near_list_sort(attn_near_list *list);
void attn_near_list_free(attn_near_list *list);

#endif
