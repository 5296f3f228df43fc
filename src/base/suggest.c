/* suggest.c: see suggest.h. */
#include "config.h"

#include "base/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau's restricted distance, row by row: rows[i % 3] is row i of the table. */
size_t attn_edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3];
        const size_t *last = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *attn_suggest(const char *typed, const char *(*name_at)(size_t index))
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; name_at(i) != NULL; i++) {
        const char *name = name_at(i);
        size_t distance = attn_edit_distance(typed, name);
        size_t limit = strlen(name) / 3;
        if (distance <= (limit > 0 ? limit : 1) && distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    return best;
}

const char *attn_suggestion(const char *typed, const char *(*name_at)(size_t index), char text[])
{
    const char *near = attn_suggest(typed, name_at);
    text[0] = '\0';
    if (near != NULL)
        snprintf(text, ATTN_SUGGESTION, "; did you mean '%s'?", near);
    return text;
}

void attn_suggest_hint(const char *typed, const char *(*name_at)(size_t index), attn_error *error)
{
    const char *near = attn_suggest(typed, name_at);
    if (near != NULL)
        attn_error_hint(error, "did you mean '%s'?", near);
}
