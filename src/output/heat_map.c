/* heat_map.c: see heat_map.h. What a cell is: on its color, the percent or spaces; without colors, the percent or a
 * digit of tenths, with nothing where it is masked. Spaces with a background, and `▀` only where nothing else fits: the
 * blocks of Unicode are of ambiguous width, or have gaps between them, in some terminals. */
#include "config.h"

#include "output/heat_map.h"
#include "base/utf8.h"
#include "output/align.h"
#include "output/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_MOST = 16, LABEL_LEAST = 8, GUTTER_LEAST = 4, NUMBERS_EVERY = 10, GAP = 2, SMALL_MOST = 24 };

static size_t digits_of(size_t number)
{
    size_t digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static size_t most_digits(const attn_heat_axis *axis)
{
    return axis->n > 0 ? digits_of(axis->numbers[axis->n - 1]) : 1;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The widest label, but at most LABEL_MOST columns of it. */
static size_t widest_label(const attn_heat_axis *rows)
{
    size_t widest = 0;
    for (size_t i = 0; rows->labels != NULL && i < rows->n && widest < LABEL_MOST; i++) {
        const size_t width = attn_utf8_width(rows->labels[i]);
        if (width > widest)
            widest = least(width, LABEL_MOST);
    }
    return widest;
}

void attn_heat_lay_out(attn_heat_look *look, const attn_heat_axis *rows, const attn_heat_axis *columns)
{
    const size_t width = look->screen.width, label = widest_label(rows),
                 number = strlen(rows->before) + most_digits(rows) + (label > 0) + 1; /* with the spaces behind both */
    look->numbered = look->halves = false;
    look->most_rows = SIZE_MAX;
    look->most_columns = columns->n > 0 ? columns->n : 1;
    for (look->cell = 4; look->cell > 0; look->cell /= 2)
        if (columns->n <= width / look->cell && number + least(label, LABEL_LEAST) <= width - columns->n * look->cell) {
            look->label = least(number + label, width - columns->n * look->cell);
            return;
        }
    look->cell = 1;
    look->numbered = true;
    look->halves = look->screen.palette != ATTN_PALETTE_NONE && !look->screen.ascii;
    look->label = most_digits(rows) + 1 > GUTTER_LEAST ? most_digits(rows) + 1 : GUTTER_LEAST;
    look->most_columns = width - look->label;
}

void attn_heat_lay_out_small(attn_heat_look *look)
{
    look->numbered = look->halves = false;
    look->cell = 1;
    look->label = 0;
    look->most_rows = look->most_columns = least(SMALL_MOST, look->screen.width);
}

/* Cells of one color are joined, and a line ends behind its last cell that shows anything. */
typedef struct pen {
    attn_sink *sink;
    size_t held; /* spaces of no color that nothing has followed yet */
    char color[ATTN_PAINT_ROOM];
    size_t n_color; /* 0: none is on */
} pen;

static void take_color(pen *p, const char *color, size_t n)
{
    if (n == p->n_color && memcmp(color, p->color, n) == 0)
        return;
    if (p->n_color > 0 && n == 0)
        attn_sink_text(p->sink, ATTN_PAINT_END);
    attn_sink_put(p->sink, color, n);
    memcpy(p->color, color, n);
    p->n_color = n;
}

static void skip(pen *p, size_t columns)
{
    p->held += columns;
}

static void put(pen *p, const char *color, size_t n_color, attn_bytes text)
{
    if (p->held > 0) {
        take_color(p, "", 0);
        attn_align_pad(p->sink, p->held);
        p->held = 0;
    }
    take_color(p, color, n_color);
    attn_sink_put(p->sink, text.data, text.size);
}

/* Text of no color whose last spaces count as held. */
static void put_plain(pen *p, const char *text, size_t columns)
{
    attn_bytes bytes = attn_bytes_of(text);
    while (bytes.size > 0 && bytes.data[bytes.size - 1] == ' ')
        bytes.size--;
    if (bytes.size == 0) {
        skip(p, columns);
        return;
    }
    put(p, "", 0, bytes);
    skip(p, columns - attn_utf8_width(bytes));
}

static void end_line(pen *p)
{
    take_color(p, "", 0);
    attn_sink_put(p->sink, "\n", 1);
    p->held = 0;
}

const char *attn_heat_dot(const attn_screen *screen)
{
    return screen->ascii ? "." : "\xc2\xb7"; /* · */
}

/* Without color: `·`, the digit of tenths, `#`; below 0 a to i, and j. SIGNS: a sign stands before it instead. */
static const char *glyph_of(const attn_heat_look *look, double share, bool signs, char glyph[4])
{
    const double size = fabs(share);
    const int tenths = (int)(size * 10 + 0.5);
    if (size < 0.05) {
        snprintf(glyph, 4, "%s%s", signs ? " " : "", attn_heat_dot(&look->screen));
    } else if (share < 0 && !signs) {
        snprintf(glyph, 4, "%c", "abcdefghij"[tenths < 10 ? tenths - 1 : 9]);
    } else {
        snprintf(glyph, 4, "%s%c", !signs ? "" : share < 0 ? "-" : "+", tenths < 10 ? (char)('0' + tenths) : '#');
    }
    return glyph;
}

static void put_percent(pen *p, const char *color, size_t n_color, double share)
{
    char text[16];
    snprintf(text, sizeof text, "%4ld", lround(share * 100));
    if (n_color > 0)
        put(p, color, n_color, attn_bytes_of(text));
    else {
        const size_t spaces = strspn(text, " ");
        skip(p, spaces);
        put(p, "", 0, attn_bytes_of(text + spaces));
    }
}

/* A cell that is seen. */
static void put_cell(pen *p, const attn_heat_look *look, attn_range range, double value, attn_bounds bounds)
{
    char color[ATTN_PAINT_ROOM], glyph[4];
    const double share = attn_color_share(range, look->shade, value, bounds);
    const bool colored = look->screen.palette != ATTN_PALETTE_NONE, is_signed = range == ATTN_RANGE_SIGNED;
    if (isnan(value)) {
        put_plain(p, look->cell == 4 ? " nan" : look->cell == 2 ? "? " : "?", look->cell);
        return;
    }
    const size_t n_color = attn_paint(look->screen.palette, range, share, color);
    if (look->cell == 4)
        put_percent(p, color, n_color, colored ? attn_color_share(range, ATTN_SHADE_LINEAR, value, bounds) : share);
    else if (colored)
        put(p, color, n_color, attn_bytes_of(look->cell == 2 ? "  " : " "));
    else if (look->cell == 2 && is_signed)
        put_plain(p, glyph_of(look, share, true, glyph), 2);
    else
        put_plain(p, glyph_of(look, share, false, glyph), look->cell);
}

static void put_row(pen *p, const attn_heat_look *look, const attn_heat_map *map, size_t row, double largest)
{
    const attn_pooled *cells = &map->cells;
    const attn_bounds bounds = {.row = attn_pooled_largest_of_row(cells, row), .map = largest};
    for (size_t i = row * cells->columns; i < (row + 1) * cells->columns; i++)
        if (cells->visible[i] != 0)
            put_cell(p, look, map->range, (double)cells->values[i], bounds);
        else
            skip(p, look->cell);
}

/* Two cells, one above the other: the upper half block in the color of the one on that of the other. */
static void put_half_cells(pen *p, const attn_heat_look *look, attn_range range, const double *upper,
                           const double *lower)
{
    char color[ATTN_PAINT_ROOM];
    const attn_palette palette = look->screen.palette;
    size_t n;
    if (upper == NULL && lower == NULL) {
        skip(p, 1);
    } else if (upper == NULL) { /* ▄ */
        n = attn_paint_letter(palette, range, *lower, NULL, color);
        put(p, color, n, attn_bytes_of("\xe2\x96\x84"));
    } else { /* ▀ */
        n = attn_paint_letter(palette, range, *upper, lower, color);
        put(p, color, n, attn_bytes_of("\xe2\x96\x80"));
    }
}

/* Where cell COLUMN of ROW is seen: its share, in *SHARE, which comes back; else NULL. */
static const double *share_at(const attn_heat_look *look, const attn_heat_map *map, size_t row, size_t column,
                              attn_bounds bounds, double *share)
{
    const size_t at = row * map->cells.columns + column;
    if (row >= map->cells.rows || map->cells.visible[at] == 0)
        return NULL;
    *share = attn_color_share(map->range, look->shade, (double)map->cells.values[at], bounds);
    return share;
}

static bool is_no_number(const attn_heat_map *map, size_t row, size_t column)
{
    const size_t at = row * map->cells.columns + column;
    return row < map->cells.rows && map->cells.visible[at] != 0 && isnan(map->cells.values[at]);
}

static void put_half_rows(pen *p, const attn_heat_look *look, const attn_heat_map *map, size_t row, double largest)
{
    attn_bounds upper = {.row = attn_pooled_largest_of_row(&map->cells, row), .map = largest}, lower = {.map = largest};
    double shares[2];
    if (row + 1 < map->cells.rows)
        lower.row = attn_pooled_largest_of_row(&map->cells, row + 1);
    for (size_t i = 0; i < map->cells.columns; i++)
        if (is_no_number(map, row, i) || is_no_number(map, row + 1, i))
            put(p, "", 0, attn_bytes_of("?"));
        else
            put_half_cells(p, look, map->range, share_at(look, map, row, i, upper, &shares[0]),
                           share_at(look, map, row + 1, i, lower, &shares[1]));
}

/* The numbers of the columns */

/* N columns' numbers without their last digit, each where it begins to hold; where the next one leaves it no room, its
 * last digit. */
static void put_tens(pen *p, const attn_heat_look *look, const attn_heat_axis *columns)
{
    size_t before = 0;
    for (size_t i = 0, next; i < columns->n; i = next) {
        const size_t tens = columns->numbers[i] / 10;
        char text[24] = "";
        for (next = i + 1; next < columns->n && columns->numbers[next] / 10 == tens; next++)
            ;
        const size_t room = (next - i) * look->cell, own = digits_of(tens);
        if (tens != before)
            snprintf(text, sizeof text, "%*zu", look->cell == 4 ? 4 : 1, own < room ? tens : tens % 10);
        put_plain(p, text, room);
        before = tens;
    }
    end_line(p);
}

static void put_units(pen *p, const attn_heat_look *look, const attn_heat_axis *columns, size_t least_number)
{
    char text[24];
    for (size_t i = 0; i < columns->n; i++) {
        const size_t number = columns->numbers[i];
        snprintf(text, sizeof text, look->cell == 4 ? "%4zu" : "%zu", number < least_number ? number : number % 10);
        put_plain(p, text, look->cell);
    }
    end_line(p);
}

/* A number at every tenth cell. */
static void put_ruler(pen *p, const attn_heat_map *map, const attn_heat_axis *columns)
{
    char text[24];
    for (size_t i = 0; i < map->cells.columns; i += NUMBERS_EVERY) {
        snprintf(text, sizeof text, "%zu", columns->numbers[i * map->cells.across]);
        put_plain(p, text, NUMBERS_EVERY);
    }
    end_line(p);
}

static void put_head_lines(pen *p, const attn_heat_look *look, const attn_heat_map *map, const attn_heat_axis *columns)
{
    const size_t digits = most_digits(columns);
    skip(p, look->label);
    if (look->numbered) {
        put_ruler(p, map, columns);
    } else if (look->cell == 4 && digits < 4) {
        put_units(p, look, columns, 1000);
    } else {
        if (digits > 1) {
            put_tens(p, look, columns);
            skip(p, look->label);
        }
        put_units(p, look, columns, 10);
    }
}

/* The rows */

/* "  7 ␣people ", "layer 3 ", or " 70 " every ten rows, in the columns that are for it. */
static attn_status put_label(pen *p, const attn_heat_look *look, const attn_heat_map *map, const attn_heat_axis *rows,
                             size_t row, attn_buffer *scratch, attn_error *error)
{
    const size_t number = rows->numbers[row * map->cells.down];
    scratch->size = 0;
    if (!look->numbered) {
        const size_t most = most_digits(rows), used = strlen(rows->before) + most + 2;
        attn_buffer_text(scratch, rows->before);
        attn_buffer_format(scratch, "%*zu", (int)most, number);
        if (rows->labels != NULL && rows->labels[row].size > 0) {
            attn_buffer_text(scratch, " ");
            attn_fit_label(rows->labels[row], look->label - used, look->screen.ascii, scratch);
        }
    } else if (row % NUMBERS_EVERY == 0) {
        attn_buffer_format(scratch, "%*zu", (int)(look->label - 1), number);
    }
    if (scratch->failed)
        return attn_fail_memory(error);
    const attn_bytes label = attn_buffer_bytes(scratch);
    if (label.size > 0)
        put(p, "", 0, label);
    skip(p, look->label - attn_utf8_width(label));
    return ATTN_OK;
}

attn_status attn_heat_put(attn_sink *sink, const attn_heat_look *look, const attn_heat_map *map,
                          const attn_heat_axis *rows, const attn_heat_axis *columns, attn_error *error)
{
    const double largest = attn_pooled_largest(&map->cells);
    attn_buffer scratch = {0};
    attn_status status = ATTN_OK;
    pen p = {.sink = sink};
    put_head_lines(&p, look, map, columns);
    for (size_t row = 0; row < map->cells.rows && status == ATTN_OK; row += look->halves ? 2 : 1) {
        status = put_label(&p, look, map, rows, row, &scratch, error);
        if (look->halves)
            put_half_rows(&p, look, map, row, largest);
        else
            put_row(&p, look, map, row, largest);
        end_line(&p);
    }
    attn_buffer_free(&scratch);
    return status;
}

void attn_heat_put_several(attn_sink *sink, const attn_heat_look *look, const attn_heat_map *maps, const size_t *widths,
                           size_t n)
{
    pen p = {.sink = sink};
    size_t rows = 0;
    for (size_t i = 0; i < n; i++)
        if (maps[i].cells.rows > rows)
            rows = maps[i].cells.rows;
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < n; i++) {
            const bool any = row < maps[i].cells.rows;
            if (any)
                put_row(&p, look, &maps[i], row, attn_pooled_largest(&maps[i].cells));
            skip(&p, widths[i] + GAP - (any ? maps[i].cells.columns : 0));
        }
        end_line(&p);
    }
}
