/* form.h: the one pass from characters to Unicode's normal forms (UAX #15): decompose, order the marks, compose; each
 * character knows where it came from. BERT's folding takes the first two parts alone. Only files of text/ include it.
 *
 *   "ả́" ─▶ a ◌̉ ◌́ ─▶ marks by combining class, equal ones in their order ─▶ "ả" "◌́"
 *
 * Time and memory are linear in the text, also where it is one run of marks: they are ordered by counting. Unicode's
 * tables are utf8proc's (utf8proc_unicode_version says which). */
#ifndef ATTN_TEXT_UNICODE_FORM_H
#define ATTN_TEXT_UNICODE_FORM_H

#include "text/unicode/normal.h"

typedef enum attn_form { ATTN_FORM_NFC, ATTN_FORM_NFD, ATTN_FORM_NFKC, ATTN_FORM_NFKD } attn_form;

typedef struct attn_codes { /* {0} at first */
    attn_code *items;       /* owned; [count] */
    size_t count, capacity;
    attn_code *spare; /* owned; [spare_capacity]: what ordering by counting needs */
    size_t spare_capacity;
    uint64_t steps; /* characters looked at so far, by every part: for tests that time is linear */
} attn_codes;
void attn_codes_free(attn_codes *codes);

/* All false: out of memory. */

/* Appends CODE (−1, an ill-formed byte, is a starter). */
bool attn_codes_add(attn_codes *codes, int32_t code, size_t start, size_t end);
/* Appends the full decomposition of CODE: canonical, or COMPATIBLE. */
bool attn_codes_decompose(attn_codes *codes, int32_t code, bool compatible, size_t start, size_t end);
/* Puts each run of marks into canonical order. The marks of a run that was out of order then all stand for the whole
 * run of the text. */
bool attn_codes_order(attn_codes *codes);

/* Rewrites the text in FORM. Ill-formed bytes stay, and nothing is ordered or composed over them. CODES: workspace. */
attn_status attn_form_rewrite(attn_form form, attn_codes *codes, attn_rewrite *rewrite);

#endif
