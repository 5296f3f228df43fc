/* text_file.h: a text as people have them, whatever it is wrapped in: gzip is unpacked, UTF-16 with its mark is UTF-8
 * from then on, other encodings and containers are refused by name. */
#ifndef ATTN_BASE_TEXT_FILE_H
#define ATTN_BASE_TEXT_FILE_H

#include "base/file.h"

/* FILE's bytes as text, in the place of those that it was opened with; places in it count in what it then holds. *FROM is
 * the encoding that it was converted from, NULL: none. ATTN_EDATA, with FILE's name: it is damaged, or no text
 * (attn_foreign_refuse). */
attn_status attn_file_as_text(attn_file *file, const char **from, attn_error *error);

#endif
