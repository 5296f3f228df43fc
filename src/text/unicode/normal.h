/* normal.h: a text in the form that a tokenizer kind reads, with the place in the raw text that each of its bytes came
 * from, and one step of the way there: a text is rewritten from left to right, what the step does not touch is copied.
 * Files of text/ include it, and who calls attn_compose (compose.h).
 *
 *   raw text ─▶ step ─▶ text and origins ─▶ step ─▶ … ─▶ attn_normal */
#ifndef ATTN_TEXT_UNICODE_NORMAL_H
#define ATTN_TEXT_UNICODE_NORMAL_H

#include "base/buffer.h"
#include "base/error.h"

/* Origins never step back: bytes i … j came from the raw text's starts[i] … ends[j], and nothing else made them. Only
 * what a step put before a character, a prefix, has no length of its own. */
typedef struct attn_normal {
    attn_buffer text;      /* owned */
    size_t *starts, *ends; /* owned; [text.size] each: offsets into the raw text of what the byte came from (a code
                            * point, the characters that were composed or put in order together, a match) */
    size_t capacity;       /* of all three */
    bool same;             /* the raw text is its own normal form: the fields above are empty */
} attn_normal;
void attn_normal_free(attn_normal *normal); /* leaves it empty, reusable */

/* A character on its way. */
typedef struct attn_code {
    int32_t code;      /* -1: an ill-formed byte, which stays */
    uint32_t class;    /* canonical combining class; 0: a starter */
    size_t start, end; /* what it came from, in the text that is read */
} attn_code;

/* One step. All places below are offsets into TEXT, and never step back. */
typedef struct attn_rewrite {
    attn_bytes text;             /* borrowed: what is read */
    const size_t *starts, *ends; /* borrowed; [text.size]: where in the raw text its bytes came from; both NULL: it is
                                  * the raw text */
    attn_normal *out;            /* borrowed: what is written; empty as long as nothing was changed */
    size_t limit;                /* bytes of OUT beyond which the step fails; 0: none */
    attn_error *error;           /* borrowed, or NULL */
    size_t done;                 /* TEXT up to here is written, or left out */
} attn_rewrite;

/* All return ATTN_OK, or fill the error: ATTN_ENOMEM, or ATTN_EDATA where OUT grows beyond the limit. */

/* TEXT up to FROM stays as it is; FROM … TO is left out. */
attn_status attn_rewrite_skip(attn_rewrite *rewrite, size_t from, size_t to);
/* DATA is what FROM … TO became, or part of it: writes only that. */
attn_status attn_rewrite_put(attn_rewrite *rewrite, size_t from, size_t to, const void *data, size_t size);
/* Both: DATA in the place of FROM … TO. */
attn_status attn_rewrite_replace(attn_rewrite *rewrite, size_t from, size_t to, const void *data, size_t size);
/* CODE in their place. */
attn_status attn_rewrite_code(attn_rewrite *rewrite, size_t from, size_t to, int32_t code);
/* The N characters ITEMS, in their order, in the place of what they came from. */
attn_status attn_rewrite_codes(attn_rewrite *rewrite, const attn_code *items, size_t n);
/* FROM … TO is left out, and counts as part of the character written last, unless that is a space: a mark that is taken
 * off leaves its letter with both places. */
attn_status attn_rewrite_take_off(attn_rewrite *rewrite, size_t from, size_t to);
/* The rest of TEXT stays as it is. A step that changed nothing leaves OUT empty and DONE 0. */
attn_status attn_rewrite_end(attn_rewrite *rewrite);
/* Where TEXT's byte AT came from in the raw text; at the end, where the last byte's origin ends. */
size_t attn_rewrite_origin(const attn_rewrite *rewrite, size_t at);

#endif
