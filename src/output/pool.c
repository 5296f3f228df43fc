/* pool.c: see pool.h. */
#include "config.h"

#include "output/pool.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static size_t blocks_of(size_t n, size_t block)
{
    return n / block + (n % block != 0);
}

attn_status attn_pooled_make(attn_pooled *pooled, size_t n_rows, size_t n_columns, size_t most_rows,
                             size_t most_columns, attn_error *error)
{
    size_t block = blocks_of(n_rows, most_rows), other = blocks_of(n_columns, most_columns), n;
    if (other > block)
        block = other;
    if (block == 0)
        block = 1;
    *pooled = (attn_pooled){.n_rows = n_rows,
                            .n_columns = n_columns,
                            .block = block,
                            .rows = blocks_of(n_rows, block),
                            .columns = blocks_of(n_columns, block)};
    n = pooled->rows * pooled->columns; /* at most MOST_ROWS x MOST_COLUMNS, which a caller can hold */
    pooled->values = attn_calloc_array(n > 0 ? n : 1, sizeof *pooled->values);
    pooled->visible = attn_calloc_array(n > 0 ? n : 1, 1);
    return pooled->values != NULL && pooled->visible != NULL ? ATTN_OK : attn_fail_memory(error);
}

void attn_pooled_clear(attn_pooled *pooled)
{
    memset(pooled->visible, 0, pooled->rows * pooled->columns);
}

static bool is_larger(float a, float b)
{
    return isnan(b) ? false : isnan(a) || fabsf(a) > fabsf(b);
}

void attn_pooled_add(attn_pooled *pooled, size_t row, const float *values, const uint8_t *visible)
{
    float *out = pooled->values + row / pooled->block * pooled->columns;
    uint8_t *seen = pooled->visible + row / pooled->block * pooled->columns;
    for (size_t i = 0, column = 0; column < pooled->columns; column++)
        for (size_t end = i + pooled->block; i < end && i < pooled->n_columns; i++) {
            if (visible != NULL && visible[i] == 0)
                continue;
            if (seen[column] == 0 || is_larger(values[i], out[column]))
                out[column] = values[i];
            seen[column] = 1;
        }
}

double attn_pooled_largest_of_row(const attn_pooled *pooled, size_t row)
{
    const float *values = pooled->values + row * pooled->columns;
    const uint8_t *visible = pooled->visible + row * pooled->columns;
    double largest = 0;
    for (size_t i = 0; i < pooled->columns; i++)
        if (visible[i] != 0 && isfinite(values[i]) && fabs((double)values[i]) > largest)
            largest = fabs((double)values[i]);
    return largest;
}

double attn_pooled_largest(const attn_pooled *pooled)
{
    double largest = 0;
    for (size_t row = 0; row < pooled->rows; row++) {
        const double of_row = attn_pooled_largest_of_row(pooled, row);
        if (of_row > largest)
            largest = of_row;
    }
    return largest;
}

void attn_pooled_free(attn_pooled *pooled)
{
    attn_free(pooled->values);
    attn_free(pooled->visible);
    *pooled = (attn_pooled){0};
}
