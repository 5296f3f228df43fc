/* align.c: see align.h. */
#include "config.h"

#include "output/align.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "output/color.h"
#include "output/fit.h"

#include <math.h>

enum { HELD_MAX = 1 << 20, GAP = 2, LABEL_FINE = 16, LABEL_LEAST = 8, DECIMALS_FINE = 2, NAMES_LISTED = 4 };

attn_status attn_align_open(attn_align *align, size_t n_columns, const attn_screen *screen, int precision,
                            attn_error *error)
{
    align->columns = attn_calloc_array(n_columns + 1, sizeof *align->columns);
    align->n_columns = align->n_shown = n_columns;
    align->screen = *screen;
    align->precision = precision;
    return align->columns != NULL ? ATTN_OK : attn_fail_memory(error);
}

size_t attn_align_put_number(float number, int decimals, char text[ATTN_NUMBER_ROOM])
{
    return decimals == ATTN_BRIEFLY ? attn_fit_number((double)number, text) : attn_number_f32(number, decimals, text);
}

static attn_bytes text_at(const attn_align *align, size_t cell)
{
    size_t start = cell > 0 ? align->cells[cell - 1].end : 0;
    return (attn_bytes){(const uint8_t *)align->bytes.data + start, align->cells[cell].end - start};
}

static attn_status add_cell(attn_align *align, const attn_align_cell *cell, attn_error *error)
{
    void *cells = align->cells;
    if (align->bytes.failed || !attn_grow(&cells, &align->capacity, align->n_cells, sizeof *align->cells))
        return attn_fail_memory(error);
    align->cells = cells;
    align->cells[align->n_cells++] = *cell;
    align->cells[align->n_cells - 1].end = align->bytes.size;
    return ATTN_OK;
}

attn_status attn_align_text(attn_align *align, bool left, attn_error *error)
{
    attn_align_column *column = &align->columns[align->n_cells % align->n_columns];
    const attn_status status = add_cell(align, &(attn_align_cell){.left = left}, error);
    if (status != ATTN_OK)
        return status;
    attn_align_cell *cell = &align->cells[align->n_cells - 1];
    cell->columns = attn_utf8_width(text_at(align, align->n_cells - 1));
    if (cell->columns > column->width)
        column->width = cell->columns;
    return ATTN_OK;
}

attn_status attn_align_number(attn_align *align, float number, attn_range range, attn_error *error)
{
    attn_align_column *column = &align->columns[align->n_cells % align->n_columns];
    column->range = range;
    if (isfinite(number) && fabs((double)number) > column->largest)
        column->largest = fabs((double)number);
    return add_cell(align, &(attn_align_cell){.number = number, .is_number = true}, error);
}

void attn_align_names(attn_align *align)
{
    align->has_names = true;
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

/* The layout */

static size_t first_row(const attn_align *align)
{
    return align->has_names ? align->n_columns : 0;
}

static size_t width_of(const attn_align *align, size_t cell)
{
    const attn_align_cell *c = &align->cells[cell];
    char text[ATTN_NUMBER_ROOM];
    if (c->is_number)
        return attn_align_put_number(c->number, align->decimals, text);
    return c->left && c->columns > align->label_most ? align->label_most : c->columns;
}

static size_t measure_column(const attn_align *align, size_t column)
{
    size_t width = 0;
    for (size_t i = column; i < align->n_cells; i += align->n_columns) {
        const size_t own = width_of(align, i);
        if (own > width)
            width = own;
    }
    return width;
}

/* Lays the columns out with labels of so many columns and numbers of so many decimals; whether that fits. */
static bool fits(attn_align *align, size_t label_most, int decimals)
{
    const size_t gap = GAP;
    size_t total = 0;
    align->label_most = label_most;
    align->decimals = decimals;
    align->n_shown = align->n_columns;
    for (size_t i = 0; i < align->n_columns; i++) {
        attn_align_column *column = &align->columns[i];
        const size_t width = measure_column(align, i);
        /* without a limit, what was printed already is what the columns begin with */
        column->width = align->screen.limit == SIZE_MAX && column->width > width ? column->width : width;
        if (!column->titled)
            total += (total > 0 ? gap : 0) + column->width;
        if (align->screen.limit != SIZE_MAX && total > align->screen.limit)
            return false;
    }
    return true;
}

/* Is there the same text in all rows? */
static bool is_constant(const attn_align *align, size_t column)
{
    const size_t first = first_row(align) + column;
    for (size_t i = first; i < align->n_cells; i += align->n_columns)
        if (align->cells[i].is_number || text_at(align, i).size == 0 ||
            !attn_bytes_equal(text_at(align, i), text_at(align, first)))
            return false;
    return first < align->n_cells;
}

/* Those that stand before the first number and say the same in each row go into the title; one column stays. */
static void title_constants(attn_align *align)
{
    const size_t first = first_row(align);
    size_t left = align->n_columns;
    for (size_t i = 0; i < align->n_columns && left > 1 && !align->cells[first + i].is_number; i++) {
        align->columns[i].titled = is_constant(align, i);
        left -= align->columns[i].titled;
    }
}

/* As many columns as stand in a line; at least one. */
static void leave_out(attn_align *align, size_t label_most, int decimals)
{
    size_t total = 0;
    fits(align, label_most, decimals);
    for (size_t i = 0; i < align->n_columns; i++) {
        attn_align_column *column = &align->columns[i];
        column->width = measure_column(align, i);
        if (column->titled)
            continue;
        if (column->width > align->screen.limit)
            column->width = align->screen.limit;
        if (total > 0 && total + GAP + column->width > align->screen.limit) {
            align->n_shown = i;
            return;
        }
        total += (total > 0 ? GAP : 0) + column->width;
    }
}

static void lay_out(attn_align *align)
{
    const int most = align->precision >= 0 ? align->precision : ATTN_USUAL_DECIMALS,
              fine = align->precision >= 0 ? most : DECIMALS_FINE, least = align->precision >= 0 ? most : 0;
    for (size_t i = 0; i < align->n_columns; i++)
        align->columns[i].titled = false;
    if (fits(align, SIZE_MAX, most))
        return;
    if (!align->keeps_all)
        title_constants(align);
    for (size_t label = align->screen.limit / 2; label >= LABEL_FINE; label -= 2)
        if (fits(align, label, most))
            return;
    for (int decimals = most; decimals >= fine; decimals--)
        if (fits(align, LABEL_FINE, decimals))
            return;
    for (size_t label = LABEL_FINE; label >= LABEL_LEAST; label--)
        if (fits(align, label, fine))
            return;
    for (int decimals = fine; decimals >= least; decimals--)
        if (fits(align, LABEL_LEAST, decimals))
            return;
    leave_out(align, align->screen.limit < 3 * LABEL_FINE ? LABEL_LEAST : LABEL_FINE, most);
}

/* The lines */

/* A line's end is no space: those before a cell that holds nothing wait for the next. */
static void put_cell(const attn_align *align, size_t cell, const attn_align_column *column, size_t *held,
                     attn_sink *sink)
{
    const attn_align_cell *c = &align->cells[cell];
    char number[ATTN_NUMBER_ROOM], color[ATTN_PAINT_ROOM];
    attn_bytes text = c->is_number ? (attn_bytes){NULL, 0} : text_at(align, cell);
    size_t columns = c->columns, painted = 0;
    if (c->is_number) {
        columns = attn_align_put_number(c->number, align->decimals, number);
        if (columns > column->width)
            columns = attn_align_put_number(c->number, ATTN_BRIEFLY, number);
        text = (attn_bytes){(const uint8_t *)number, columns};
        if (column->range != ATTN_RANGE_NONE && !isnan(c->number))
            painted = attn_paint(align->screen.palette, column->range,
                                 attn_color_share(column->range, ATTN_SHADE_LINEAR, (double)c->number,
                                                  (attn_bounds){.map = column->largest}),
                                 color);
    }
    if (columns > column->width)
        columns = column->width;
    const size_t pad = column->width - columns;
    *held += column->left ? 0 : pad;
    if (text.size > 0) {
        attn_align_pad(sink, *held);
        attn_sink_put(sink, color, painted);
        attn_fit_put(sink, text, column->width, align->screen.ascii);
        attn_sink_text(sink, painted > 0 ? ATTN_PAINT_END : "");
        *held = 0;
    }
    *held += (column->left ? pad : 0) + GAP;
}

static void put_row(const attn_align *align, size_t first, attn_sink *sink)
{
    size_t held = 0;
    for (size_t i = 0; i < align->n_shown; i++)
        if (!align->columns[i].titled)
            put_cell(align, first + i, &align->columns[i], &held, sink);
    attn_sink_put(sink, "\n", 1);
}

/* "text 0, queries 8": the columns that say the same in each row, by their names. */
static attn_status put_title(const attn_align *align, attn_sink *sink, attn_error *error)
{
    attn_paragraph paragraph = {.sink = sink, .limit = align->screen.limit, .ascii = align->screen.ascii};
    attn_buffer title = {0};
    for (size_t i = 0; i < align->n_columns; i++)
        if (align->columns[i].titled && align->has_names) {
            const attn_bytes name = text_at(align, i), value = text_at(align, first_row(align) + i);
            attn_buffer_text(&title, title.size > 0 ? ", " : "");
            attn_buffer_put(&title, name.data, name.size);
            attn_buffer_text(&title, " ");
            attn_buffer_put(&title, value.data, value.size);
        }
    const attn_status status = title.failed ? attn_fail_memory(error) : ATTN_OK;
    if (status == ATTN_OK)
        attn_fit_text(&paragraph, attn_buffer_bytes(&title));
    attn_fit_end(&paragraph);
    attn_buffer_free(&title);
    return status;
}

/* "+ 3 more columns: same, induction, distance": what there was no room for. */
static attn_status put_left_out(const attn_align *align, attn_sink *sink, attn_error *error)
{
    attn_paragraph paragraph = {.sink = sink, .limit = align->screen.limit, .ascii = align->screen.ascii};
    const size_t n = align->n_columns - align->n_shown;
    attn_buffer note = {0};
    if (n == 0)
        return ATTN_OK;
    attn_buffer_format(&note, "+ %zu more column%s", n, n == 1 ? "" : "s");
    for (size_t i = align->n_shown; i < align->n_columns && align->has_names; i++) {
        const attn_bytes name = text_at(align, i);
        if (n > NAMES_LISTED && i > align->n_shown && i + 1 < align->n_columns)
            continue;
        attn_buffer_text(&note, i == align->n_shown ? ": " : n > NAMES_LISTED ? " to " : ", ");
        attn_buffer_put(&note, name.data, name.size);
    }
    const attn_status status = note.failed ? attn_fail_memory(error) : ATTN_OK;
    if (status == ATTN_OK)
        attn_fit_text(&paragraph, attn_buffer_bytes(&note));
    attn_fit_end(&paragraph);
    attn_buffer_free(&note);
    return status;
}

/* What is printed is forgotten; on a screen the names stay, to stand above the next rows as well. */
static void forget_rows(attn_align *align)
{
    const bool stay = align->has_names && align->screen.limit != SIZE_MAX;
    align->n_cells = stay ? align->n_columns : 0;
    align->bytes.size = stay ? align->cells[align->n_columns - 1].end : 0;
    align->has_names = stay;
    align->printed = true;
}

attn_status attn_align_flush(attn_align *align, attn_sink *sink, attn_error *error)
{
    attn_status status;
    if (align->n_cells == 0 || (align->printed && align->has_names && align->n_cells == align->n_columns))
        return ATTN_OK;
    for (size_t i = 0; i < align->n_cells; i++)
        if (align->cells[i].left)
            align->columns[i % align->n_columns].left = true;
    lay_out(align);
    status = put_title(align, sink, error);
    for (size_t i = 0; i + align->n_columns <= align->n_cells; i += align->n_columns)
        put_row(align, i, sink);
    if (status == ATTN_OK)
        status = put_left_out(align, sink, error);
    forget_rows(align);
    return status;
}

attn_status attn_align_restart(attn_align *align, attn_sink *sink, attn_error *error)
{
    const attn_status status = attn_align_flush(align, sink, error);
    for (size_t i = 0; i < align->n_columns; i++)
        align->columns[i] = (attn_align_column){0};
    align->n_cells = align->bytes.size = 0;
    align->has_names = align->printed = false;
    return status;
}

bool attn_align_is_full(const attn_align *align)
{
    return align->bytes.size + align->n_cells * sizeof(attn_align_cell) > HELD_MAX &&
           align->n_cells % align->n_columns == 0;
}

void attn_align_close(attn_align *align)
{
    attn_free(align->columns);
    attn_free(align->cells);
    attn_buffer_free(&align->bytes);
    *align = (attn_align){0};
}
