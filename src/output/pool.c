/* pool.c: see pool.h. */
#include "config.h"

#include "output/pool.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { FEW = 8 }; /* rows of a strip that are kept apart */

static size_t blocks_of(size_t n, size_t block)
{
    return n / block + (n % block != 0);
}

void attn_pooled_blocks(size_t n_rows, size_t n_columns, size_t most_rows, size_t most_columns, size_t *down,
                        size_t *across)
{
    const size_t rows = blocks_of(n_rows, most_rows), columns = blocks_of(n_columns, most_columns),
                 most = rows > columns ? rows : columns, block = most > 0 ? most : 1;
    *down = n_rows / FEW < block && rows > 0 ? rows : block;
    *across = n_columns / FEW < block && columns > 0 ? columns : block;
}

attn_status attn_pooled_make(attn_pooled *pooled, size_t n_rows, size_t n_columns, size_t most_rows,
                             size_t most_columns, attn_error *error)
{
    size_t down, across, n;
    attn_pooled_blocks(n_rows, n_columns, most_rows, most_columns, &down, &across);
    *pooled = (attn_pooled){.n_rows = n_rows,
                            .n_columns = n_columns,
                            .down = down,
                            .across = across,
                            .rows = blocks_of(n_rows, down),
                            .columns = blocks_of(n_columns, across)};
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
    float *out = pooled->values + row / pooled->down * pooled->columns;
    uint8_t *seen = pooled->visible + row / pooled->down * pooled->columns;
    for (size_t i = 0, column = 0; column < pooled->columns; column++)
        for (size_t end = i + pooled->across; i < end && i < pooled->n_columns; i++) {
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
