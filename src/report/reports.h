/* reports.h: the reports of -p, in --help's order; the first is the one that is printed when none is named. Each line
 * stands for the row attn_report_NAME, with which the report's file ends. */
#ifndef ATTN_REPORT_REPORTS_H
#define ATTN_REPORT_REPORTS_H

/* clang-format off */
#define ATTN_REPORTS(REPORT) \
    REPORT(weights)          \
    REPORT(scores)           \
    REPORT(explain)          \
    REPORT(pull)             \
    REPORT(moves)            \
    REPORT(embeddings)       \
    REPORT(queries)          \
    REPORT(keys)             \
    REPORT(values)           \
    REPORT(nearest)          \
    REPORT(similar)          \
    REPORT(tokens)           \
    REPORT(heads)            \
    REPORT(next)             \
    REPORT(model)
/* clang-format on */

#endif
