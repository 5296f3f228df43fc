/* compose.h: text as words, whitespace, longest and chars compare it, and --query-token. */
#ifndef ATTN_TEXT_UNICODE_COMPOSE_H
#define ATTN_TEXT_UNICODE_COMPOSE_H

#include "text/unicode/normal.h"

bool attn_is_ascii(attn_bytes bytes);

/* The canonical composition (NFC) of RAW, lower-cased where asked, in NORMAL (empty on entry), or NORMAL->same.
 * Ill-formed bytes stay. ATTN_OK or ATTN_ENOMEM. */
attn_status attn_compose(attn_bytes raw, bool lowercase, attn_normal *normal, attn_error *error);

#endif
