/* columns.h: a report's columns, from the one string in the table of reports, and --columns. Private to
 * report/. */
#ifndef ATTN_REPORT_COLUMNS_H
#define ATTN_REPORT_COLUMNS_H

#include "base/memory.h"
#include "report/report.h"

/* Fills schema->columns (in the arena). KIND's own ("text layer …") are also the default;
 * file and line can be chosen too, `at` where schema->has_at, which WITH_AT adds to the default, and of vectors each
 * number below schema->width alone (v7). CHOSEN: the user's list, or NULL. In records the cells stand in the order of
 * its own without text. */
attn_status attn_columns_make(const attn_report_kind *kind, const char *chosen, bool with_at, attn_arena *arena,
                              attn_schema *schema, attn_error *error);

#endif
