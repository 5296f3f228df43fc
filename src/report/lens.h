/* lens.h: --final-norm: vectors seen through the model's final norm on their way to a report, as the output
 * head sees the last layer's. What is compared are cosines with the token embeddings, so no logits: it is no logit
 * lens. */
#ifndef ATTN_REPORT_LENS_H
#define ATTN_REPORT_LENS_H

#include "report/kind.h"

typedef struct attn_lens {
    attn_report *report;
    const attn_observer *inner; /* borrowed; whom the vectors are for */
    float *normed;              /* owned; [n_tokens][d_model] */
} attn_lens;

/* Makes OBSERVER (a copy of INNER) look through LENS. ATTN_ENOMEM or ATTN_OK. */
attn_status attn_lens_open(attn_lens *lens, attn_report *report, const attn_observer *inner, attn_observer *observer,
                           attn_error *error);
void attn_lens_close(attn_lens *lens); /* {0} is fine */
/* Refuse a model without a final norm, or layers of another width. */
attn_status attn_lens_check(const attn_report *report, attn_error *error);

#endif
