/* principal.h: the plane in which points of many dimensions spread most (principal component analysis). Knows no text
 * and no picture. Private to report/. */
#ifndef ATTN_REPORT_PRINCIPAL_H
#define ATTN_REPORT_PRINCIPAL_H

#include "base/error.h"

#include <stddef.h>

typedef struct attn_principal {
    size_t width;
    double *mean;          /* owned; [width] */
    double *directions[2]; /* owned; [width] each: of length 1, at right angles, the one of most spread first; the
                              number of the largest size of each is positive. All 0 where nothing spreads that way */
    double shares[2];      /* of the points' variance */
} attn_principal;

/* Of ROWS[n][width]. Memory grows with the width alone, work with n·width. Only ATTN_ENOMEM fails; close whatever comes
 * back. */
attn_status attn_principal_open(attn_principal *principal, const float *rows, size_t n, size_t width,
                                attn_error *error);
/* Where X[width] lies: its coordinates along the two directions, from the points' mean. */
void attn_principal_place(const attn_principal *principal, const float *x, double place[2]);
void attn_principal_close(attn_principal *principal);

#endif
