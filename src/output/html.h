/* html.h: what the parts of -f html share. Private to output/: html.c writes the page that is around, and each kind of
 * rows has a file of its own, which ends in its attn_html_view; html/NAME.js shows what it wrote. */
#ifndef ATTN_OUTPUT_HTML_H
#define ATTN_OUTPUT_HTML_H

#include "output/output.h"

enum { ATTN_HTML_DECIMALS = 4 };

typedef struct attn_html attn_html;

typedef struct attn_html_view { /* what one kind of rows is in a page; each function may be NULL: nothing to do */
    const char *name;           /* by which the scripts know it */
    size_t state_size;          /* of html->state, cleared before open */
    attn_status (*open)(attn_html *html, attn_error *error);
    void (*describe)(attn_html *html); /* appends members to what holds for the page, each before a comma */
    attn_status (*text_begin)(attn_html *html, attn_error *error);
    attn_status (*grid)(attn_html *html, const attn_grid_row *row, attn_error *error);
    attn_status (*record)(attn_html *html, const attn_cell *cells, attn_error *error);
    attn_status (*section)(attn_html *html, const attn_section *section, attn_error *error);
    attn_status (*steps)(attn_html *html, const attn_step_table *steps, attn_error *error);
    attn_status (*plane)(attn_html *html, const attn_plane *plane, attn_error *error);
    /* appends members to what is known of the text, each behind a comma */
    attn_status (*text_end)(attn_html *html, attn_error *error);
    void (*close)(attn_html *html);
} attn_html_view;

extern const attn_html_view attn_html_maps;  /* grids: a map a head */
extern const attn_html_view attn_html_heads; /* records by head: numbers of heads */
extern const attn_html_view attn_html_plane; /* points in a plane, with arrows */
extern const attn_html_view attn_html_steps; /* steps: pages that open, a query each */

struct attn_html {
    attn_writer writer;
    const attn_html_view *view;
    void *state;       /* owned; the view's own */
    bool begun;        /* the head of the page is written */
    attn_buffer out;   /* owned; what is not yet in the sink */
    attn_buffer label; /* owned; a label on its way */
};

attn_status attn_html_flush(attn_html *html, attn_error *error);
int attn_html_decimals(const attn_html *html);
const char *attn_html_range(attn_range range);
/* Append to OUT: a string for the page's scripts, in which what would steer a reader is shown as its bytes, as in
 * tables; the name of a head; a number as tables print it. */
void attn_html_label(attn_html *html, attn_bytes label, attn_buffer *out);
void attn_html_head(attn_buffer *out, size_t head);
void attn_html_number(const attn_html *html, float number, attn_buffer *out);

#endif
