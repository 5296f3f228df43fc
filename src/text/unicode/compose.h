/* compose.h: canonical forms of text. Only files of text/ include it. */
#ifndef ATTN_TEXT_UNICODE_COMPOSE_H
#define ATTN_TEXT_UNICODE_COMPOSE_H

#include "text/kinds/kinds.h"

bool attn_is_ascii(attn_bytes bytes);

#endif
