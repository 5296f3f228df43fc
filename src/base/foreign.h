/* foreign.h: what is not what it was given as, recognised, so that every door names it in the same words: text that is
 * no UTF-8, compressed files and containers, pages that lie under the name of a file. */
#ifndef ATTN_BASE_FOREIGN_H
#define ATTN_BASE_FOREIGN_H

#include "base/bytes.h"
#include "base/error.h"

/* The name of the encoding that BYTES begin in, as iconv knows it: UTF-16LE, UTF-16BE, UTF-32LE or UTF-32BE, by its mark
 * or, without one, by the zeros that it makes of ASCII; NULL: neither. */
const char *attn_foreign_utf(attn_bytes bytes);
/* Refuses BYTES that are in one of these, or compressed, or a container of matrices: ATTN_EDATA, with what to do as the
 * hint. */
attn_status attn_foreign_refuse(attn_bytes bytes, attn_error *error);

/* The same for a file of numbers, a model or its parts whose content is of no format: compressed, or a page that lies
 * under its name (attn_foreign_refuse_page). */
attn_status attn_foreign_refuse_data(attn_bytes bytes, attn_error *error);
/* Refuses a Git LFS pointer and an HTML page: text, but not the file whose name it has. A text may be such a page. */
attn_status attn_foreign_refuse_page(attn_bytes bytes, attn_error *error);
/* Whether BYTES look like a toy model: an object with a toy's keys near its beginning. */
bool attn_foreign_is_toy(attn_bytes bytes);

/* Whether BYTES look like text in an East Asian code page (CP949, EUC-KR, Shift-JIS, GBK): no UTF-8, and what is beyond
 * ASCII stands in pairs of such bytes, several of them. *BAD is the offset of the first byte that is no UTF-8. */
bool attn_foreign_is_code_page(attn_bytes bytes, size_t *bad);

#endif
