/* sheet.c: see sheet.h. */
#include "config.h"

#include "output/sheet.h"

#include "base/utf8.h"
#include "output/align.h"
#include "output/fit.h"

#include <math.h>
#include <string.h>

enum {
    WRITTEN_OUT = 4,  /* numbers of a vector, and products of a sum */
    MOST_PRODUCTS = 3 /* the largest, of a sum that is not written out */
};

typedef struct sheet { /* one table at one level of attn_detail */
    const attn_writer *writer;
    const attn_step_table *steps;
    attn_detail how;
    attn_align align;
    size_t n_columns;
} sheet;

/* ---- numbers ---- */

static bool is_whole(float number)
{
    return isfinite(number) && truncf(number) == number;
}

/* BARE: with no more decimals than it has, for it does not stand in a column. */
void attn_sheet_number(attn_buffer *out, float number, int decimals, bool bare)
{
    enum { LONGEST = 8 }; /* and the decimals; what is longer says little to eyes */
    char text[ATTN_NUMBER_ROOM];
    size_t size = attn_number_f32(number, ATTN_SHORTEST, text);
    const char *point = memchr(text, '.', size);
    bool shorter = point == NULL || (size_t)(text + size - point) <= (size_t)decimals + 1;
    if (!bare || !shorter)
        size = attn_number_f32(number, decimals, text);
    if (size > (size_t)(LONGEST + decimals))
        size = attn_fit_number((double)number, text);
    attn_buffer_put(out, text, size);
}

void attn_sheet_vector(attn_buffer *out, const float *values, size_t n, int decimals)
{
    for (size_t k = 0; k < n; k++) {
        attn_buffer_text(out, k > 0 ? ", " : "(");
        attn_sheet_number(out, values[k], decimals, true);
    }
    attn_buffer_byte(out, ')');
}

float attn_sheet_length(const float *values, size_t n)
{
    double square = 0;
    for (size_t k = 0; k < n; k++)
        square += (double)values[k] * (double)values[k];
    return (float)sqrt(square);
}

bool attn_step_is_there(const attn_step *step, size_t row)
{
    return step->present == NULL || step->present[row] != 0;
}

/* ---- rows ---- */

size_t attn_rows_shown(const attn_step_rows *rows)
{
    return rows->shown != NULL ? rows->n_shown : rows->n;
}

size_t attn_row_at(const attn_step_rows *rows, size_t i)
{
    return rows->shown != NULL ? rows->shown[i] : i;
}

void attn_sheet_label(attn_buffer *out, attn_bytes label, size_t room)
{
    attn_buffer text = {0};
    attn_escape_table(label, &text);
    attn_fit_label(attn_buffer_bytes(&text), room, false, out);
    out->failed = out->failed || text.failed;
    attn_buffer_free(&text);
}

/* ---- columns ---- */

/* Vectors that have a title are too long to be written out, or are not to be. */
static bool is_short_form(const attn_step_table *steps, const attn_detail *how)
{
    for (size_t i = 0; i < steps->n_columns; i++)
        if (steps->columns[i].vector && steps->columns[i].title != NULL &&
            (!how->written || steps->columns[i].width > WRITTEN_OUT))
            return true;
    return !how->written;
}

bool attn_sheet_writes(const attn_step *step, const attn_detail *how)
{
    return step->vector && how->written && step->width <= WRITTEN_OUT;
}

static const char *full_title_of(const attn_step_table *steps, const attn_step *step, const attn_detail *how)
{
    /* a table of tokens has vectors side by side, each as long as it is */
    if (steps->query == ATTN_NO_POSITION)
        return attn_sheet_writes(step, how) ? step->title : step->short_title;
    return is_short_form(steps, how) ? step->short_title : step->title;
}

/* How many columns could be dropped, from number FIRST on. */
static size_t count_droppable(const attn_step_table *steps, const attn_detail *how, size_t first)
{
    size_t n = 0;
    for (size_t i = first > 0 ? first : 1; i < steps->n_columns; i++)
        n += !steps->columns[i].shares && full_title_of(steps, &steps->columns[i], how) != NULL;
    return n;
}

/* NULL: not shown. */
static const char *title_of(const attn_step_table *steps, const attn_step *step, const attn_detail *how)
{
    size_t column = (size_t)(step - steps->columns);
    bool dropped =
        column > 0 && !step->shares && how->dropped > 0 && count_droppable(steps, how, column) <= how->dropped;
    return dropped ? NULL : full_title_of(steps, step, how);
}

static bool shows_products(const attn_step *step, const attn_detail *how)
{
    return how->products && step->n_products > 0 && step->n_products <= WRITTEN_OUT;
}

static bool shows_largest(const attn_step *step, const attn_detail *how)
{
    return how->largest && step->n_products > WRITTEN_OUT;
}

static float number_at(const attn_step *step, size_t row)
{
    return step->vector ? attn_sheet_length(step->values + row * step->width, step->width) : step->values[row];
}

/* All that the column shows of it is whole. */
static bool all_whole(const sheet *s, const attn_step *step)
{
    const attn_step_rows *rows = &s->steps->rows;
    for (size_t i = 0; i < attn_rows_shown(rows); i++)
        if (attn_step_is_there(step, attn_row_at(rows, i)) && !is_whole(number_at(step, attn_row_at(rows, i))))
            return false;
    return isnan(step->total) || is_whole((float)step->total);
}

/* ---- cells ---- */

static attn_buffer *cell(sheet *s)
{
    return &s->align.bytes;
}

static attn_status end_cell(sheet *s, bool left, attn_error *error)
{
    return attn_align_text(&s->align, left, error);
}

/* "3×1 + 1×0 = 3" */
static void put_products(attn_buffer *out, const attn_step *step, size_t row, int decimals)
{
    const float *right = step->right + row * step->right_stride;
    for (size_t k = 0; k < step->n_products; k++) {
        attn_buffer_text(out, k > 0 ? " + " : "");
        attn_sheet_number(out, step->left[k], decimals, true);
        attn_buffer_text(out, "×");
        attn_sheet_number(out, right[k], decimals, true);
    }
    attn_buffer_text(out, " = ");
    attn_sheet_number(out, step->values[row], decimals, true);
}

/* "23:+6.34 22:+5.17": the dimensions whose products are the largest by size. */
static void put_largest(attn_buffer *out, const attn_step *step, size_t row)
{
    const float *right = step->right + row * step->right_stride;
    size_t chosen[MOST_PRODUCTS];
    for (size_t i = 0; i < MOST_PRODUCTS; i++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < step->n_products; k++) {
            bool taken = false;
            for (size_t j = 0; j < i; j++)
                taken = taken || chosen[j] == k;
            if (!taken && (best == SIZE_MAX || fabsf(step->left[k] * right[k]) > fabsf(step->left[best] * right[best])))
                best = k;
        }
        chosen[i] = best;
        float product = step->left[best] * right[best];
        attn_buffer_format(out, "%s%zu:%s", i > 0 ? " " : "", best, product >= 0 ? "+" : "");
        attn_sheet_number(out, product, 2, false);
    }
}

static attn_status put_header(sheet *s, attn_error *error)
{
    attn_status status = end_cell(s, true, error);
    for (size_t i = 0; i < s->steps->n_columns && status == ATTN_OK; i++) {
        const attn_step *step = &s->steps->columns[i];
        const char *title = title_of(s->steps, step, &s->how);
        if (title == NULL)
            continue;
        attn_buffer_text(cell(s), title);
        status = end_cell(s, attn_sheet_writes(step, &s->how) || shows_products(step, &s->how), error);
        if (status == ATTN_OK && shows_largest(step, &s->how)) {
            attn_buffer_format(cell(s), "most of %s", title);
            status = end_cell(s, true, error);
        }
    }
    return status == ATTN_OK ? end_cell(s, true, error) : status; /* the note's column */
}

static attn_status put_value(sheet *s, const attn_step *step, size_t row, attn_error *error)
{
    bool written = attn_sheet_writes(step, &s->how), products = shows_products(step, &s->how);
    if (!attn_step_is_there(step, row))
        attn_buffer_text(cell(s), "·");
    else if (written)
        attn_sheet_vector(cell(s), step->values + row * step->width, step->width, s->how.decimals);
    else if (products)
        put_products(cell(s), step, row, s->how.decimals);
    else
        attn_sheet_number(cell(s), number_at(step, row), all_whole(s, step) ? 0 : s->how.decimals, false);
    attn_status status = end_cell(s, written || products, error);
    if (status != ATTN_OK || !shows_largest(step, &s->how))
        return status;
    if (attn_step_is_there(step, row))
        put_largest(cell(s), step, row);
    return end_cell(s, true, error);
}

static attn_status put_row(sheet *s, size_t i, attn_error *error)
{
    const attn_step_rows *rows = &s->steps->rows;
    size_t row = attn_row_at(rows, i);
    if (rows->positions[row] != ATTN_NO_POSITION)
        attn_buffer_format(cell(s), "%zu ", rows->positions[row]);
    attn_sheet_label(cell(s), rows->labels[row], s->how.label);
    attn_status status = end_cell(s, true, error);
    for (size_t k = 0; k < s->steps->n_columns && status == ATTN_OK; k++)
        if (title_of(s->steps, &s->steps->columns[k], &s->how) != NULL)
            status = put_value(s, &s->steps->columns[k], row, error);
    if (status == ATTN_OK && s->how.beside && s->steps->note != NULL && i + 1 == attn_rows_shown(rows))
        attn_buffer_text(cell(s), s->steps->note);
    return status == ATTN_OK ? end_cell(s, true, error) : status;
}

/* What the rows that are not shown have of the total. */
static float rest_of(const sheet *s, const attn_step *step)
{
    const attn_step_rows *rows = &s->steps->rows;
    double rest = step->total;
    for (size_t i = 0; i < attn_rows_shown(rows); i++)
        if (attn_step_is_there(step, attn_row_at(rows, i)))
            rest -= (double)step->values[attn_row_at(rows, i)];
    return rest > 0 ? (float)rest : 0;
}

static bool has_total(const sheet *s, size_t column, bool rest)
{
    const attn_step *step = &s->steps->columns[column];
    return !isnan(step->total) && (!rest || step->shares);
}

/* The column before the first total, for the word; 0: the tokens' own. */
static size_t word_column(const sheet *s)
{
    size_t before = 0;
    for (size_t i = 0, at = 1; i < s->steps->n_columns; i++) {
        if (title_of(s->steps, &s->steps->columns[i], &s->how) == NULL)
            continue;
        if (has_total(s, i, false))
            return before;
        before = at;
        at += shows_largest(&s->steps->columns[i], &s->how) ? 2 : 1;
    }
    return 0;
}

/* A row of totals, or of what REST of them is not shown. */
static attn_status put_totals(sheet *s, bool rest, attn_error *error)
{
    size_t word = rest ? SIZE_MAX : word_column(s), at = 1;
    attn_buffer_text(cell(s), word == 0 ? "sum" : "");
    if (rest)
        attn_buffer_format(cell(s), "+ %zu more", s->steps->rows.n_more);
    attn_status status = end_cell(s, true, error);
    for (size_t i = 0; i < s->steps->n_columns && status == ATTN_OK; i++) {
        const attn_step *step = &s->steps->columns[i];
        if (title_of(s->steps, step, &s->how) == NULL)
            continue;
        if (at == word)
            attn_buffer_text(cell(s), "sum");
        else if (has_total(s, i, rest))
            attn_sheet_number(cell(s), rest ? rest_of(s, step) : (float)step->total,
                              all_whole(s, step) ? 0 : s->how.decimals, false);
        status = end_cell(s, false, error);
        at++;
        if (status == ATTN_OK && shows_largest(step, &s->how)) {
            status = end_cell(s, true, error);
            at++;
        }
    }
    return status == ATTN_OK ? end_cell(s, true, error) : status;
}

static bool any_total(const sheet *s)
{
    for (size_t i = 0; i < s->steps->n_columns; i++)
        if (has_total(s, i, false) && title_of(s->steps, &s->steps->columns[i], &s->how) != NULL)
            return true;
    return false;
}

static attn_status fill(sheet *s, attn_error *error)
{
    const attn_step_rows *rows = &s->steps->rows;
    attn_status status = put_header(s, error);
    for (size_t i = 0; i < attn_rows_shown(rows) && status == ATTN_OK; i++)
        status = put_row(s, i, error);
    if (status == ATTN_OK && rows->n_more > 0)
        status = put_totals(s, true, error);
    else if (status == ATTN_OK && any_total(s))
        status = put_totals(s, false, error);
    return status;
}

static size_t width_of(const sheet *s)
{
    size_t width = 0;
    for (size_t i = 0; i < s->n_columns; i++)
        width += s->align.columns[i].width + (i > 0 ? 2 : 0);
    return s->align.columns[s->n_columns - 1].width == 0 ? width - 2 : width;
}

/* ---- as much as fits ---- */

/* What is said less and less of; false: nothing is left to be left out. */
static bool say_less(const attn_writer *writer, const attn_step_table *steps, attn_detail *how)
{
    enum { DECIMALS_FEW = 2, LENGTHS = 2, LABEL_LEAST = 2 };
    const bool choosing = writer->options.precision < 0;
    const size_t droppable = count_droppable(steps, how, 0);
    if (how->largest)
        how->largest = false;
    else if (how->beside)
        how->beside = false;
    else if (how->products)
        how->products = false;
    else if (how->decimals > DECIMALS_FEW && choosing)
        how->decimals--;
    else if (how->written && !is_short_form(steps, how))
        how->written = false;
    else if (how->dropped < LENGTHS && how->dropped < droppable)
        how->dropped++;
    else if (how->label > LABEL_LEAST)
        how->label /= 2;
    else if (how->decimals > 1 && choosing)
        how->decimals--;
    else if (how->dropped < droppable)
        how->dropped++;
    else
        return false;
    return true;
}

attn_detail attn_sheet_all(const attn_writer *writer)
{
    enum { LABEL = 16 };
    return (attn_detail){.products = true,
                         .largest = true,
                         .written = true,
                         .beside = true,
                         .decimals = attn_table_decimals(writer),
                         .label = LABEL};
}

static size_t count_columns(const attn_step_table *steps, const attn_detail *how)
{
    size_t n = 2; /* the tokens and the note */
    for (size_t i = 0; i < steps->n_columns; i++)
        if (title_of(steps, &steps->columns[i], how) != NULL)
            n += shows_largest(&steps->columns[i], how) ? 2 : 1;
    return n;
}

/* *HOW: what was said of it. */
attn_status attn_sheet_put(const attn_writer *writer, size_t width, const attn_step_table *steps, attn_detail *how,
                           attn_error *error)
{
    bool last = false;
    for (*how = attn_sheet_all(writer);; last = !say_less(writer, steps, how)) {
        sheet s = {.writer = writer, .steps = steps, .how = *how, .n_columns = count_columns(steps, how)};
        const attn_screen endless = {.limit = SIZE_MAX, .ascii = writer->options.screen.ascii};
        attn_status status = attn_align_open(&s.align, s.n_columns, &endless, writer->options.precision, error);
        if (status == ATTN_OK)
            status = fill(&s, error);
        bool done = status != ATTN_OK || last || width_of(&s) <= width;
        if (status == ATTN_OK && done) {
            s.align.keeps_all = true;
            s.align.screen.limit = width_of(&s) > width ? width : SIZE_MAX;
            status = attn_align_flush(&s.align, writer->sink, error);
        }
        attn_align_close(&s.align);
        if (done)
            return status;
    }
}
