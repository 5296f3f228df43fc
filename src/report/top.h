/* top.h: the N largest of many, descending, ties by index. Private to report/. */
#ifndef ATTN_REPORT_TOP_H
#define ATTN_REPORT_TOP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct attn_top {
    size_t *indices; /* owned; [capacity] */
    float *values;   /* owned; [capacity] */
    size_t capacity, n;
} attn_top;

bool attn_top_open(attn_top *top, size_t capacity); /* false: out of memory */
void attn_top_clear(attn_top *top);
/* NaN counts below every number. */
void attn_top_offer(attn_top *top, size_t index, float value);
void attn_top_sort(attn_top *top); /* best first; clear before the next offer */
void attn_top_close(attn_top *top);

#endif
