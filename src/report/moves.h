/* moves.h: what the reports of attention's move share. Private to report/. */
#ifndef ATTN_REPORT_MOVES_H
#define ATTN_REPORT_MOVES_H

#include "report/kind.h"

/* Refuse a selected layer that gives vectors of another width than it takes: nothing moves there. */
attn_status attn_moves_check(attn_report *report, attn_error *error);

#endif
