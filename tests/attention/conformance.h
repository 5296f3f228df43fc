/* conformance.h: what the two suites of outside attention cases share: how near an output comes. */
#ifndef ATTN_TESTS_CONFORMANCE_H
#define ATTN_TESTS_CONFORMANCE_H

#include "testing.h"

#include <math.h>

/* Found[n] must come within BOUND of expected[n], relative above 1; a masked score may be −infinity on one side and a
 * very large negative number on the other. */
static inline void conformance_near(const float *found, const float *expected, size_t n, double bound, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        double a = (double)found[i], b = (double)expected[i];
        bool good = a == b || (a < -1e4 && b < -1e4) || fabs(a - b) <= bound * fmax(1, fabs(b)); /* NaN is not */
        ck_assert_msg(good, "%s: number %zu of %zu is %.9g, expected %.9g", what, i, n, a, b);
    }
}

#endif
