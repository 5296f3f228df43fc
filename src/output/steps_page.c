/* steps_page.c: see steps_page.h. Knows no attention: what a step is made of is said in the step. */
#include "config.h"

#include "output/steps_page.h"

#include "base/utf8.h"
#include "output/fit.h"
#include "output/sheet.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 12, /* of a table that says each token's vectors; a longer one is left out */
    NARROW = 40,    /* a page whose sentences have few decimals */
    DECIMALS_OF_NARROW = 2
};

static float distance_of(const float *a, const float *b, size_t n)
{
    double square = 0;
    for (size_t k = 0; k < n; k++)
        square += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return (float)sqrt(square);
}

/* A number, or a vector's length. */
static float number_of(const attn_step *step)
{
    return step->vector ? attn_sheet_length(step->values, step->width) : step->values[0];
}

typedef struct paragraph { /* pieces of text, folded at the page's width */
    attn_buffer text;
    size_t width, column, indent;
    bool ends; /* with the next piece: no comma behind it */
} paragraph;

/* TEXT behind GLUE, or on a line of its own: a sum goes on with its sign there, a list ends with its comma, for which
 * there is room in every line. */
static void put_text(paragraph *p, const char *glue, attn_bytes text)
{
    const char *sign = glue + strspn(glue, " ");
    const bool leads = *sign == '+' || *sign == '=';
    size_t width = attn_utf8_width(text), between = p->column > 0 ? strlen(glue) : 0;
    if (p->column > 0 && p->column + between + width + (p->ends ? 0 : 1) > p->width) {
        if (!leads)
            attn_buffer_put(&p->text, sign, strcspn(sign, " "));
        attn_buffer_byte(&p->text, '\n');
        for (size_t i = 0; i < p->indent; i++)
            attn_buffer_byte(&p->text, ' ');
        p->column = p->indent;
        glue = leads ? sign : "";
        between = strlen(glue);
    }
    attn_buffer_text(&p->text, p->column > 0 ? glue : "");
    p->column += between + width;
    if (text.size > 0)
        attn_buffer_put(&p->text, text.data, text.size);
}

/* The same; a piece that is wider than a line goes word by word. */
static void put_piece(paragraph *p, const char *glue, const attn_buffer *piece)
{
    attn_bytes text = attn_buffer_bytes(piece);
    const bool ends = p->ends;
    p->text.failed = p->text.failed || piece->failed;
    while (p->indent + strlen("+ ") + attn_utf8_width(text) + 1 > p->width) {
        const uint8_t *space = memchr(text.data, ' ', text.size);
        if (space == NULL)
            break;
        p->ends = false;
        put_text(p, glue, (attn_bytes){text.data, (size_t)(space - text.data)});
        text = (attn_bytes){space + 1, text.size - (size_t)(space - text.data) - 1};
        glue = " ";
        p->ends = ends;
    }
    put_text(p, glue, text);
}

/* A piece may be wider than a narrow page: it goes on where its words end. */
static void put_line(attn_bytes line, size_t width, attn_sink *sink)
{
    attn_paragraph folded = {.sink = sink, .limit = width};
    if (attn_utf8_width(line) > width) {
        attn_fit_text(&folded, line);
        attn_fit_end(&folded);
    } else {
        attn_sink_put(sink, line.data, line.size);
        attn_sink_text(sink, "\n");
    }
}

static attn_status end_paragraph(paragraph *p, attn_sink *sink, attn_error *error)
{
    bool failed = p->text.failed;
    const attn_bytes text = attn_buffer_bytes(&p->text);
    for (size_t at = 0, end; !failed && at < text.size; at = end + 1) {
        for (end = at; end < text.size && text.data[end] != '\n'; end++)
            ;
        put_line((attn_bytes){text.data + at, end - at}, p->width, sink);
    }
    attn_buffer_free(&p->text);
    return failed ? attn_fail_memory(error) : ATTN_OK;
}

attn_status attn_steps_page_section(attn_steps_page *page, const attn_section *section, attn_error *error)
{
    paragraph p = {.width = page->width, .indent = 4};
    attn_buffer piece = {0};
    attn_sink_text(page->writer->sink, page->begun ? "\n" : "");
    page->begun = true;
    page->rows_shown = false;
    attn_put_text_title(page->writer, &piece);
    attn_buffer_format(&piece, ", layer %zu", section->layer);
    if (section->head != ATTN_HEAD_NONE)
        attn_buffer_format(&piece, ", head %zu", section->head);
    attn_buffer_byte(&piece, ':');
    put_piece(&p, "", &piece);
    for (const char *at = section->facts; *at != '\0';) {
        size_t size = strcspn(at, ",");
        bool first = at == section->facts;
        piece.size = 0;
        attn_buffer_put(&piece, at, size);
        p.ends = at[size] == '\0';
        put_piece(&p, first ? " " : ", ", &piece);
        at += size;
        at += strspn(at, ", ");
    }
    attn_buffer_free(&piece);
    return end_paragraph(&p, page->writer->sink, error);
}

/* "query 1 net: q = (3, 1)", or by lengths; what the tokens' own table has said is not said again. */
static attn_status put_query(attn_steps_page *page, const attn_step_table *steps, const attn_detail *how,
                             attn_error *error)
{
    paragraph p = {.width = page->width, .indent = 4};
    attn_buffer piece = {0};
    size_t first = page->rows_shown && steps->n_heading > 0 ? steps->n_heading - 1 : 0;
    attn_buffer_format(&piece, "query %zu ", steps->query);
    attn_sheet_label(&piece, steps->query_label, how->label);
    attn_buffer_byte(&piece, ':');
    put_piece(&p, "", &piece);
    for (size_t i = first; i < steps->n_heading; i++) {
        const attn_step *step = &steps->heading[i];
        piece.size = 0;
        if (attn_sheet_writes(step, how)) {
            attn_buffer_format(&piece, "%s = ", step->title);
            attn_sheet_vector(&piece, step->values, step->width, how->decimals);
        } else {
            attn_buffer_format(&piece, "%s ", step->short_title);
            attn_sheet_number(&piece, number_of(step), how->decimals, true);
        }
        put_piece(&p, i == first ? " " : ", ", &piece);
    }
    attn_buffer_free(&piece);
    return end_paragraph(&p, page->writer->sink, error);
}

/* "Σ weight·v = 0.8044×(1, 0) + 0.1956×(0, 1) = (0.8044, 0.1956)"; without what lies between where that is long. */
static void put_sum(paragraph *p, const attn_step_table *steps, const attn_step *step, const attn_detail *how)
{
    const attn_step_rows *rows = &steps->rows;
    size_t n = attn_rows_shown(rows), terms = 0;
    attn_buffer piece = {0};
    attn_buffer_text(&piece, step->title);
    put_piece(p, "", &piece);
    for (size_t i = 0; i < n && n <= MOST_ROWS / 2 && rows->n_more == 0; i++) {
        size_t row = attn_row_at(rows, i);
        if (!attn_step_is_there(step->factor, row) || !attn_step_is_there(step->summed, row))
            continue;
        piece.size = 0;
        attn_sheet_number(&piece, step->factor->values[row], how->decimals, true);
        attn_buffer_text(&piece, "×");
        attn_sheet_vector(&piece, step->summed->values + row * step->summed->width, step->summed->width, how->decimals);
        put_piece(p, terms++ > 0 ? " + " : " = ", &piece);
    }
    piece.size = 0;
    attn_sheet_vector(&piece, step->values, step->width, how->decimals);
    put_piece(p, " = ", &piece);
    attn_buffer_free(&piece);
}

static void put_words(paragraph *p, const char *glue, attn_buffer *words)
{
    put_piece(p, glue, words);
    attn_buffer_free(words);
}

/* "net moves from (0, 1) to (0.8044, 0.1956), by 1.1376", or "|x| 52.9695 → 71.5821, moved by 20.1". */
static void put_move(paragraph *p, const attn_step_table *steps, const attn_step *step, const attn_detail *how)
{
    bool written = attn_sheet_writes(step, how);
    attn_buffer words = {0};
    if (written) {
        attn_sheet_label(&words, steps->query_label, how->label);
        attn_buffer_format(&words, " %s", step->title);
        put_words(p, "", &words);
        attn_buffer_text(&words, "from ");
        attn_sheet_vector(&words, step->from, step->width, how->decimals);
        put_words(p, " ", &words);
        attn_buffer_text(&words, "to ");
        attn_sheet_vector(&words, step->values, step->width, how->decimals);
    } else {
        attn_buffer_format(&words, "%s ", step->short_title);
        attn_sheet_number(&words, attn_sheet_length(step->from, step->width), how->decimals, true);
        put_words(p, "", &words);
        attn_buffer_text(&words, "→ ");
        attn_sheet_number(&words, attn_sheet_length(step->values, step->width), how->decimals, true);
    }
    attn_buffer_byte(&words, ',');
    put_words(p, " ", &words);
    attn_buffer_text(&words, written ? "by " : "moved by ");
    attn_sheet_number(&words, distance_of(step->from, step->values, step->width), how->decimals, true);
    put_words(p, " ", &words);
}

static void put_result(attn_buffer *out, const attn_step *step, const attn_detail *how)
{
    if (attn_sheet_writes(step, how)) {
        attn_buffer_format(out, "%s ", step->title);
        attn_sheet_vector(out, step->values, step->width, how->decimals);
    } else {
        attn_buffer_format(out, "%s ", step->short_title);
        attn_sheet_number(out, number_of(step), how->decimals, true);
    }
}

static attn_status start_line(attn_steps_page *page, paragraph *p, attn_error *error)
{
    attn_status status = end_paragraph(p, page->writer->sink, error);
    *p = (paragraph){.width = page->width, .indent = 4};
    return status;
}

/* A sum and a move have a line of their own; what lies between stands in one, as far as it goes. */
static attn_status put_results(attn_steps_page *page, const attn_step_table *steps, const attn_detail *how,
                               attn_error *error)
{
    paragraph p = {.width = page->width, .indent = 4};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < steps->n_results && status == ATTN_OK; i++) {
        const attn_step *step = &steps->results[i];
        attn_buffer words = {0};
        if ((attn_sheet_writes(step, how) ? step->title : step->short_title) == NULL)
            continue;
        bool alone = step->from != NULL || step->factor != NULL;
        if (alone)
            status = start_line(page, &p, error);
        if (step->factor != NULL) {
            put_sum(&p, steps, step, how);
        } else if (step->from != NULL) {
            put_move(&p, steps, step, how);
        } else {
            put_result(&words, step, how);
            put_words(&p, "; ", &words);
        }
        if (alone && status == ATTN_OK)
            status = start_line(page, &p, error);
    }
    attn_status last = end_paragraph(&p, page->writer->sink, status == ATTN_OK ? error : NULL);
    return status == ATTN_OK ? last : status;
}

/* The note, where there was no room for it beside the table. */
static attn_status put_note(attn_steps_page *page, const attn_step_table *steps, const attn_detail *how,
                            attn_error *error)
{
    paragraph p = {.width = page->width, .indent = 4, .ends = true};
    attn_buffer words = {0};
    if (steps->note == NULL || how->beside)
        return ATTN_OK;
    attn_buffer_text(&words, steps->note);
    put_words(&p, "", &words);
    return end_paragraph(&p, page->writer->sink, error);
}

/* Whether a table of tokens says more than lengths, of so few that it is soon read. */
static bool is_worth_it(const attn_writer *writer, const attn_step_table *steps)
{
    const attn_detail how = attn_sheet_all(writer);
    bool any = false;
    for (size_t i = 0; i < steps->n_columns; i++)
        any = any || (attn_sheet_writes(&steps->columns[i], &how) && steps->columns[i].title != NULL);
    return any && attn_rows_shown(&steps->rows) <= MOST_ROWS;
}

attn_status attn_steps_page_table(attn_steps_page *page, const attn_step_table *steps, attn_error *error)
{
    attn_detail how = attn_sheet_all(page->writer);
    attn_status status = ATTN_OK;
    if (steps->query == ATTN_NO_POSITION) {
        if (!is_worth_it(page->writer, steps))
            return ATTN_OK;
        page->rows_shown = true;
        attn_sink_text(page->writer->sink, "\n");
        status = attn_sheet_put(page->writer, page->width, steps, &how, error);
        return status == ATTN_OK ? put_note(page, steps, &how, error) : status;
    }
    if (steps->rows.n > 0 || steps->n_heading > 0) {
        attn_sink_text(page->writer->sink, "\n");
        status = put_query(page, steps, &how, error);
    }
    if (status == ATTN_OK && steps->rows.n > 0)
        status = attn_sheet_put(page->writer, page->width, steps, &how, error);
    if (status == ATTN_OK && steps->rows.n_masked > 0) {
        attn_buffer line = {0};
        attn_buffer_format(&line, "+ %zu masked\n", steps->rows.n_masked);
        attn_sink_put(page->writer->sink, line.data, line.size);
        attn_buffer_free(&line);
    }
    attn_detail lines = attn_sheet_all(page->writer); /* they fold */
    if (page->width < NARROW && page->writer->options.precision < 0)
        lines.decimals = DECIMALS_OF_NARROW;
    return status == ATTN_OK ? put_results(page, steps, &lines, error) : status;
}
