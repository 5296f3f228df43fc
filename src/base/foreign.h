/* foreign.h: what is no UTF-8 text, recognised, so that whoever expects text can name what was given. */
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

/* Whether BYTES look like text in an East Asian code page (CP949, EUC-KR, Shift-JIS, GBK): no UTF-8, and what is beyond
 * ASCII stands in pairs of such bytes, several of them. *BAD is the offset of the first byte that is no UTF-8. */
bool attn_foreign_is_code_page(attn_bytes bytes, size_t *bad);

#endif
