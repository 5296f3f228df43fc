/* conformance.h: what the two runners of outside attention suites share: comparing and counting. */
#ifndef ATTN_TESTS_CONFORMANCE_H
#define ATTN_TESTS_CONFORMANCE_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef struct conformance_totals {
    size_t passed, failed, listed;
} conformance_totals;

/* The largest difference of found[n] from expected[n], relative above 1; a masked score may be −infinity on
 * one side and a very large negative number on the other. */
static inline double conformance_difference(const float *found, const float *expected, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double a = found[i], b = expected[i], difference;
        if (a == b || (a < -1e4 && b < -1e4))
            continue;
        difference = fabs(a - b) / fmax(1, fabs(b));
        if (!(difference <= worst)) /* NaN too */
            worst = isnan(difference) ? INFINITY : difference;
    }
    return worst;
}

static inline void conformance_verdict(conformance_totals *totals, const char *name, double difference, double bound)
{
    int good = difference <= bound;
    totals->passed += (size_t)good;
    totals->failed += (size_t)!good;
    printf("%s %s: largest difference %.1e\n", good ? "pass" : "FAIL", name, difference);
}

static inline int conformance_end(const conformance_totals *totals)
{
    printf("%zu passed, %zu failed, %zu skipped\n", totals->passed, totals->failed, totals->listed);
    return totals->failed == 0 && totals->passed > 0 ? 0 : 1;
}

#endif
