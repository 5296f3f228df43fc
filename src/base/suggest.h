/* suggest.h: "did you mean": the nearest of a list of names to a mistyped one. */
#ifndef ATTN_BASE_SUGGEST_H
#define ATTN_BASE_SUGGEST_H

#include <stddef.h>

/* The name nearest to TYPED by edit distance (insert, delete, replace, swap neighbours: 1 each), or NULL
 * when none is near enough (a third of its length, at least 1). NAME_AT gives the list, NULL past its end. */
const char *attn_suggest(const char *typed, const char *(*name_at)(size_t index));

/* The edit distance itself, case ignored (ASCII); texts beyond 63 bytes count as far apart. */
size_t attn_edit_distance(const char *a, const char *b);

#endif
