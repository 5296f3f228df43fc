/* given.h: what may be given or left out: {0} is nothing given, so that a request for which nobody says more is {0}
 * as a whole. */
#ifndef ATTN_BASE_GIVEN_H
#define ATTN_BASE_GIVEN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct attn_given_number {
    bool given;
    float value;
} attn_given_number;

typedef struct attn_given_count { /* for a count that may be 0 */
    bool given;
    size_t value;
} attn_given_count;

typedef struct attn_strings {
    const char **items; /* borrowed strings; [count], then NULL; NULL: there is none */
    size_t count;
} attn_strings;

#endif
