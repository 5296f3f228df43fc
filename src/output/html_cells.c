/* html_cells.c: see html_cells.h. */
#include "config.h"

#include "output/html_cells.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BATCH = 1 << 12 };
#define MOST_SCALED 0x1p50 /* |v|·10^decimals that is exact in a double, eighths and all */

attn_status attn_html_cells_open(attn_html_cells *cells, const attn_writer_text *text, int decimals, attn_error *error)
{
    size_t n;
    *cells = (attn_html_cells){.n_rows = text->queries.n,
                               .n_columns = text->keys.n,
                               .decimals = decimals,
                               .row_positions = text->queries.positions,
                               .column_positions = text->keys.positions};
    if (!attn_multiply(cells->n_rows, cells->n_columns, &n))
        return attn_fail_memory(error);
    cells->codes = attn_alloc_array(n > 0 ? n : 1, sizeof *cells->codes);
    cells->visible = attn_alloc_array(n > 0 ? n : 1, 1);
    return cells->codes != NULL && cells->visible != NULL ? ATTN_OK : attn_fail_memory(error);
}

void attn_html_cells_clear(attn_html_cells *cells)
{
    cells->n_done = 0;
}

void attn_html_cells_add(attn_html_cells *cells, const float *values, const uint8_t *visible)
{
    const size_t at = cells->n_done++ * cells->n_columns;
    if (cells->n_columns == 0)
        return;
    memcpy(cells->codes + at, values, cells->n_columns * sizeof *values);
    if (visible != NULL)
        memcpy(cells->visible + at, visible, cells->n_columns);
    else
        memset(cells->visible + at, 1, cells->n_columns);
}

static float value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static attn_html_mask mask_of(const attn_html_cells *cells)
{
    bool all = true, causal = true;
    for (size_t row = 0; row < cells->n_done && (all || causal); row++)
        for (size_t column = 0; column < cells->n_columns; column++) {
            const bool seen = cells->visible[row * cells->n_columns + column] != 0;
            all = all && seen;
            causal = causal && seen == (cells->column_positions[column] <= cells->row_positions[row]);
        }
    return all ? ATTN_HTML_MASK_NONE : causal ? ATTN_HTML_MASK_CAUSAL : ATTN_HTML_MASK_BITS;
}

/* 8m + r of a number whose float32 is exact in SCALED = v·10^decimals. */
static int64_t code_of(double scaled)
{
    const double decimal = rint(scaled); /* to even, as all numbers of attn */
    double part = floor((scaled - decimal + 0.5) * ATTN_HTML_PARTS);
    if (part > ATTN_HTML_PARTS - 1)
        part = ATTN_HTML_PARTS - 1;
    return (int64_t)decimal * ATTN_HTML_PARTS + (int64_t)part;
}

static double scale_of(const attn_html_cells *cells)
{
    double scale = 1;
    for (int i = 0; i < cells->decimals; i++)
        scale *= 10;
    return scale;
}

/* The least and the largest code; false: some number has none. */
static bool range_of(const attn_html_cells *cells, int64_t *least, int64_t *largest)
{
    const double scale = scale_of(cells);
    double low = INFINITY, high = -INFINITY;
    if (cells->decimals > ATTN_HTML_MOST_DECIMALS)
        return false;
    for (size_t i = 0; i < cells->n_done * cells->n_columns; i++) {
        if (cells->visible[i] == 0)
            continue;
        const double scaled = (double)value_of(cells->codes[i]) * scale;
        if (!(fabs(scaled) < MOST_SCALED))
            return false;
        if (scaled < low)
            low = scaled;
        if (scaled > high)
            high = scaled;
    }
    *least = low <= high ? code_of(low) : 0;
    *largest = low <= high ? code_of(high) : 0;
    return *largest - *least <= (int64_t)UINT32_MAX;
}

void attn_html_cells_pack(attn_html_cells *cells)
{
    const double scale = scale_of(cells);
    int64_t largest = 0;
    cells->mask = mask_of(cells);
    cells->floats = !range_of(cells, &cells->least, &largest);
    cells->n_codes = 0;
    for (size_t i = 0; i < cells->n_done * cells->n_columns; i++) {
        if (cells->visible[i] == 0)
            continue;
        const uint32_t bits = cells->codes[i];
        cells->codes[cells->n_codes++] =
            cells->floats ? bits : (uint32_t)(code_of((double)value_of(bits) * scale) - cells->least);
    }
    if (cells->floats)
        cells->least = 0;
    const uint64_t span = cells->floats ? UINT32_MAX : (uint64_t)(largest - cells->least);
    for (cells->n_bytes = 0; span >> (8 * cells->n_bytes) != 0; cells->n_bytes++)
        ;
}

static attn_status put_mask(const attn_html_cells *cells, attn_html_stream *stream, attn_error *error)
{
    uint8_t batch[BATCH] = {0};
    const size_t n = cells->n_done * cells->n_columns;
    attn_status status = ATTN_OK;
    for (size_t from = 0; from < n && status == ATTN_OK; from += 8 * BATCH) {
        const size_t count = n - from < 8 * BATCH ? n - from : 8 * BATCH;
        memset(batch, 0, sizeof batch);
        for (size_t i = 0; i < count; i++)
            if (cells->visible[from + i] != 0)
                batch[i / 8] |= (uint8_t)(1u << i % 8);
        status = attn_html_stream_put(stream, batch, (count + 7) / 8, error);
    }
    return status;
}

static attn_status put_codes(const attn_html_cells *cells, attn_html_stream *stream, attn_error *error)
{
    uint8_t batch[BATCH];
    attn_status status = ATTN_OK;
    for (unsigned byte = cells->n_bytes; byte-- > 0;)
        for (size_t from = 0; from < cells->n_codes && status == ATTN_OK; from += BATCH) {
            const size_t count = cells->n_codes - from < BATCH ? cells->n_codes - from : BATCH;
            for (size_t i = 0; i < count; i++)
                batch[i] = (uint8_t)(cells->codes[from + i] >> (8 * byte));
            status = attn_html_stream_put(stream, batch, count, error);
        }
    return status;
}

attn_status attn_html_cells_put(const attn_html_cells *cells, attn_sink *sink, attn_error *error)
{
    attn_html_stream *stream;
    attn_status status = attn_html_stream_open(sink, &stream, error);
    if (status == ATTN_OK && cells->mask == ATTN_HTML_MASK_BITS)
        status = put_mask(cells, stream, error);
    if (status == ATTN_OK)
        status = put_codes(cells, stream, error);
    if (status == ATTN_OK)
        status = attn_html_stream_end(stream, error);
    attn_html_stream_close(stream);
    return status;
}

void attn_html_cells_close(attn_html_cells *cells)
{
    attn_free(cells->codes);
    attn_free(cells->visible);
    *cells = (attn_html_cells){0};
}
