/* steps_page.h: steps for eyes: how numbers came about, as tables that fit a page. Private to output/; table.c and
 * html_steps.c use it. */
#ifndef ATTN_OUTPUT_STEPS_PAGE_H
#define ATTN_OUTPUT_STEPS_PAGE_H

#include "output/output.h"

typedef struct attn_steps_page {
    const attn_writer *writer; /* borrowed */
    size_t width;              /* columns of text a line */
    bool begun;                /* there is a section before */
    bool rows_shown;           /* this section has said each token's vectors */
} attn_steps_page;

/* The title of a section, its facts folded. */
attn_status attn_steps_page_section(attn_steps_page *page, const attn_section *section, attn_error *error);
/* A table, aligned, with what comes of it. Vectors of up to 4 numbers are written out, and so are the products that a
 * number is the sum of; what does not fit the width is said shorter, step by step: products as their sum, vectors by
 * their lengths, fewer decimals (not where they were asked for), shorter tokens. */
attn_status attn_steps_page_table(attn_steps_page *page, const attn_step_table *steps, attn_error *error);

#endif
