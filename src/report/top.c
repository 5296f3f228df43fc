/* top.c: see top.h. A heap whose root is the worst of those kept. */
#include "config.h"

#include "report/top.h"
#include "base/memory.h"

#include <math.h>

bool attn_top_open(attn_top *top, size_t capacity)
{
    *top = (attn_top){attn_alloc_array(capacity, sizeof *top->indices), attn_alloc_array(capacity, sizeof *top->values),
                      capacity, 0};
    return top->indices != NULL && top->values != NULL;
}

void attn_top_clear(attn_top *top)
{
    top->n = 0;
}

static bool worse(float value, size_t index, float other_value, size_t other_index)
{
    bool none = isnan(value), other_none = isnan(other_value);
    if (none != other_none)
        return none;
    if (!none && value != other_value)
        return value < other_value;
    return index > other_index;
}

static void swap(attn_top *top, size_t a, size_t b)
{
    size_t index = top->indices[a];
    float value = top->values[a];
    top->indices[a] = top->indices[b];
    top->values[a] = top->values[b];
    top->indices[b] = index;
    top->values[b] = value;
}

static bool worse_at(const attn_top *top, size_t a, size_t b)
{
    return worse(top->values[a], top->indices[a], top->values[b], top->indices[b]);
}

static void sift_down(attn_top *top, size_t at, size_t n)
{
    for (;;) {
        size_t worst = at, left = 2 * at + 1;
        if (left < n && worse_at(top, left, worst))
            worst = left;
        if (left + 1 < n && worse_at(top, left + 1, worst))
            worst = left + 1;
        if (worst == at)
            return;
        swap(top, at, worst);
        at = worst;
    }
}

void attn_top_offer(attn_top *top, size_t index, float value)
{
    size_t at = top->n;
    if (at == top->capacity) {
        if (at == 0 || worse(value, index, top->values[0], top->indices[0]))
            return;
        top->indices[0] = index;
        top->values[0] = value;
        sift_down(top, 0, top->n);
        return;
    }
    top->indices[at] = index;
    top->values[at] = value;
    top->n++;
    for (; at > 0 && worse_at(top, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(top, at, (at - 1) / 2);
}

void attn_top_sort(attn_top *top)
{
    for (size_t n = top->n; n > 1; n--) { /* the worst goes last */
        swap(top, 0, n - 1);
        sift_down(top, 0, n - 1);
    }
}

void attn_top_close(attn_top *top)
{
    attn_free(top->indices);
    attn_free(top->values);
    *top = (attn_top){0};
}
