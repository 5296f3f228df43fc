/* escape.h: texts as each format prints them. All append to OUT. */
#ifndef ATTN_OUTPUT_ESCAPE_H
#define ATTN_OUTPUT_ESCAPE_H

#include "base/buffer.h"

void attn_escape_tsv(attn_bytes text, attn_buffer *out);  /* \t \n \r \\ */
void attn_escape_json(attn_bytes text, attn_buffer *out); /* with the quotes; ill-formed bytes as \\xNN */
/* As json, and fit to stand in a script element of HTML: < > & and the line ends U+2028, U+2029 as \uXXXX. */
void attn_escape_script(attn_bytes text, attn_buffer *out);
void attn_escape_table(attn_bytes text, attn_buffer *out); /* nothing steers a terminal; leading spaces ␣ */
/* In XML and HTML, in text and in attributes with double quotes: & < > " as entities; controls as their pictures (␀ … ␟,
 * ␡); marks of writing direction, other controls, what no XML may hold and bytes that are ill-formed as \xNN. */
void attn_escape_xml(attn_bytes text, attn_buffer *out);

#endif
