/* label.h: bytes made readable. Only files of text/ include it. */
#ifndef ATTN_TEXT_LABEL_H
#define ATTN_TEXT_LABEL_H

#include "base/buffer.h"

/* Appends BYTES as valid UTF-8: ill-formed bytes as \xNN; everything else, tabs and NULs too, as it
 * is (the writers escape those). */
void attn_label_escape(attn_bytes bytes, attn_buffer *out);

#endif
