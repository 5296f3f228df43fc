/* vocab_list.h: parts that the readers of vocabulary files share: tokens with their ids as they
 * come, merges as text. Everything lies in the caller's arena. Only files of text/ include it. */
#ifndef ATTN_TEXT_VOCAB_VOCAB_LIST_H
#define ATTN_TEXT_VOCAB_VOCAB_LIST_H

#include "base/json.h"
#include "text/spec.h"

/* The tokens of an object {"token": id, …}, by id, at the reader. Holes stay empty; two tokens of
 * one id and ids far beyond the number of tokens are refused. ERROR is the reader's. */
attn_status attn_read_vocab_object(attn_json *json, attn_arena *arena, attn_tokenizer_spec *spec, attn_error *error);

/* A merge "left right" in its two tokens (borrowed from LINE); false: not exactly one space between two. */
bool attn_merge_parse(attn_bytes line, attn_bytes parts[2]);

/* TEXT's lines "left right", best first; a first line that begins with "#version" is a header. FILE
 * names it in messages. TEXT must live as long as the spec. */
attn_status attn_read_merges_text(attn_bytes text, const char *file, attn_arena *arena, attn_tokenizer_spec *spec,
                                  attn_error *error);

/* The line at *AT of TEXT without its line end, but with a CR before it; *AT moves behind the line end, which the last
 * line need not have. False: no line is left. */
bool attn_vocab_line(attn_bytes text, size_t *at, attn_bytes *line);

#endif
