/* suggest.h: "did you mean": the nearest of a list of names to a mistyped one. */
#ifndef ATTN_BASE_SUGGEST_H
#define ATTN_BASE_SUGGEST_H

#include "base/error.h"

#include <stddef.h>

/* The name nearest to TYPED by edit distance (insert, delete, replace, swap neighbours: 1 each), or NULL
 * when none is near enough (a third of its length, at least 1). NAME_AT gives the list, NULL past its end. */
const char *attn_suggest(const char *typed, const char *(*name_at)(size_t index));

/* The same as the end of a message, in TEXT: "; did you mean 'NAME'?", or "". Returns TEXT. */
enum { ATTN_SUGGESTION = 96 };
const char *attn_suggestion(const char *typed, const char *(*name_at)(size_t index), char text[]);
/* The same as ERROR's hint; none is left alone. */
void attn_suggest_hint(const char *typed, const char *(*name_at)(size_t index), attn_error *error);

/* The edit distance itself, case ignored (ASCII); texts beyond 63 bytes count as far apart. */
size_t attn_edit_distance(const char *a, const char *b);

#endif
