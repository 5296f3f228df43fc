/* squares.h: what W_Q, W_K and W_V make of the plane: the unit square, its images, the words in each. Private to
 * report/. */
#ifndef ATTN_REPORT_SQUARES_H
#define ATTN_REPORT_SQUARES_H

#include "report/plane.h"

enum { ATTN_SQUARES_MOST_HEADS = 4 };

/* Whether --draw=squares asks for them; then ATTN_EUSAGE where the selected layer's maps are not linear (a norm before
 * or behind them), or more than one text, layer or few heads are chosen. Called when the report opens. */
attn_status attn_squares_check(const attn_report *report, const attn_planes *planes, bool *wanted, attn_error *error);
/* The four panels of each selected head of the layer of BEFORE, handed to the writer. */
attn_status attn_squares_write(const attn_planes *planes, const attn_hidden *before, attn_error *error);

#endif
