/* align.c: see align.h. */
#include "config.h"

#include "output/align.h"
#include "base/memory.h"
#include "base/utf8.h"

enum { HELD_MAX = 1 << 20 };

attn_status attn_align_open(attn_align *align, size_t n_columns, attn_error *error)
{
    align->columns = attn_calloc_array(n_columns + 1, sizeof *align->columns);
    align->n_columns = n_columns;
    return align->columns != NULL ? ATTN_OK : attn_fail_memory(error);
}

static attn_bytes cell_at(const attn_align *align, size_t cell)
{
    size_t start = cell > 0 ? align->ends[cell - 1] : 0;
    return (attn_bytes){(const uint8_t *)align->bytes.data + start, align->ends[cell] - start};
}

attn_status attn_align_cell(attn_align *align, bool left, attn_error *error)
{
    attn_align_column *column = &align->columns[align->n_cells % align->n_columns];
    size_t width;
    void *ends = align->ends;
    if (align->bytes.failed || !attn_grow(&ends, &align->capacity, align->n_cells, sizeof *align->ends))
        return attn_fail_memory(error);
    align->ends = ends;
    align->ends[align->n_cells++] = align->bytes.size;
    width = attn_utf8_width(cell_at(align, align->n_cells - 1));
    if (width > column->width)
        column->width = width;
    column->left = column->left || left;
    return ATTN_OK;
}

void attn_align_pad(attn_sink *sink, size_t count)
{
    static const char spaces[] = "                                ";
    while (count > 0) {
        size_t part = count < sizeof spaces - 1 ? count : sizeof spaces - 1;
        attn_sink_put(sink, spaces, part);
        count -= part;
    }
}

/* The row that begins with cell FIRST, up to its last cell that holds something: no spaces at the
 * line's end. */
static void put_row(const attn_align *align, size_t first, attn_sink *sink)
{
    size_t n = align->n_columns, held = 0; /* spaces before the next text */
    for (size_t i = 0; i < n; i++) {
        attn_bytes cell = cell_at(align, first + i);
        size_t pad = align->columns[i].width - attn_utf8_width(cell);
        held += align->columns[i].left ? 0 : pad;
        if (cell.size > 0) {
            attn_align_pad(sink, held);
            attn_sink_put(sink, cell.data, cell.size);
            held = 0;
        }
        held += (align->columns[i].left ? pad : 0) + 2;
    }
    attn_sink_put(sink, "\n", 1);
}

void attn_align_flush(attn_align *align, attn_sink *sink)
{
    for (size_t i = 0; i + align->n_columns <= align->n_cells; i += align->n_columns)
        put_row(align, i, sink);
    align->n_cells = 0;
    align->bytes.size = 0;
}

void attn_align_restart(attn_align *align, attn_sink *sink)
{
    attn_align_flush(align, sink);
    for (size_t i = 0; i < align->n_columns; i++)
        align->columns[i] = (attn_align_column){0};
}

bool attn_align_is_full(const attn_align *align)
{
    return align->bytes.size > HELD_MAX && align->n_cells % align->n_columns == 0;
}

void attn_align_close(attn_align *align)
{
    attn_free(align->columns);
    attn_free(align->ends);
    attn_buffer_free(&align->bytes);
    *align = (attn_align){0};
}
