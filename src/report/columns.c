/* columns.c: see columns.h. */
#include "config.h"

#include "report/columns.h"
#include "base/decimal.h"
#include "base/suggest.h"

#include <string.h>

enum { COLUMNS_MAX = 64, NAME_MAX_SIZE = 32 };

typedef struct known { /* what a report has */
    attn_column columns[COLUMNS_MAX];
    size_t n;
} known;

static const struct {
    const char *name;
    attn_column_kind kind;
} text_kinds[] = {{"text", ATTN_COLUMN_TEXT}, {"file", ATTN_COLUMN_FILE}, {"line", ATTN_COLUMN_LINE}},
  place_kinds[] = {{"layer", ATTN_COLUMN_LAYER},
                   {"head", ATTN_COLUMN_HEAD},
                   {"at", ATTN_COLUMN_AT},
                   {"query", ATTN_COLUMN_QUERY},
                   {"query_token", ATTN_COLUMN_QUERY_LABEL},
                   {"position", ATTN_COLUMN_QUERY},
                   {"token", ATTN_COLUMN_QUERY_LABEL},
                   {"key", ATTN_COLUMN_KEY},
                   {"key_token", ATTN_COLUMN_KEY_LABEL},
                   {"step", ATTN_COLUMN_STEP},
                   {"dimension", ATTN_COLUMN_DIMENSION},
                   {"v0", ATTN_COLUMN_NUMBERS}};

static attn_column_kind kind_of(const char *name, attn_shape shape)
{
    for (size_t i = 0; i < sizeof text_kinds / sizeof *text_kinds; i++)
        if (strcmp(text_kinds[i].name, name) == 0)
            return text_kinds[i].kind;
    for (size_t i = 0; i < sizeof place_kinds / sizeof *place_kinds && shape != ATTN_SHAPE_RECORDS; i++)
        if (strcmp(place_kinds[i].name, name) == 0)
            return place_kinds[i].kind;
    return shape == ATTN_SHAPE_RECORDS ? ATTN_COLUMN_CELL : ATTN_COLUMN_VALUE;
}

static attn_status add(known *all, const char *name, size_t length, attn_shape shape, size_t cell, attn_arena *arena,
                       attn_error *error)
{
    attn_column *column = &all->columns[all->n];
    char *copy = attn_arena_text(arena, name, length);
    if (copy == NULL)
        return attn_fail_memory(error);
    *column = (attn_column){.name = copy, .kind = kind_of(copy, shape), .cell = cell};
    if (column->kind == ATTN_COLUMN_NUMBERS)
        column->name = "v";
    all->n++;
    return ATTN_OK;
}

/* The report's own columns; "v0 v1 …" is one. *N_OWN: how many. */
static attn_status read_own(const char *names, attn_shape shape, attn_arena *arena, known *all, attn_error *error)
{
    size_t cell = 0;
    for (const char *at = names; *at != '\0';) {
        size_t length = strcspn(at, " ");
        attn_status status = add(all, at, length, shape, cell, arena, error);
        attn_column *column;
        if (status != ATTN_OK)
            return status;
        column = &all->columns[all->n - 1];
        if (column->kind == ATTN_COLUMN_FILE) /* a report's own: of a tensor, not of the text */
            column->kind = ATTN_COLUMN_CELL;
        cell += column->kind == ATTN_COLUMN_CELL;
        if (column->kind == ATTN_COLUMN_NUMBERS)
            break;
        at += length + (at[length] == ' ');
    }
    return ATTN_OK;
}

static const attn_column *find(const known *all, const char *name, size_t length)
{
    for (size_t i = 0; i < all->n; i++)
        if (strlen(all->columns[i].name) == length && memcmp(all->columns[i].name, name, length) == 0)
            return &all->columns[i];
    return NULL;
}

static attn_status no_such_column(const known *all, const char *name, size_t length, attn_error *error)
{
    char typed[NAME_MAX_SIZE];
    char list[COLUMNS_MAX * NAME_MAX_SIZE] = "";
    const char *near = NULL;
    size_t best = 3, used = 0;
    if (length >= sizeof typed)
        length = sizeof typed - 1;
    memcpy(typed, name, length);
    typed[length] = '\0';
    for (size_t i = 0; i < all->n; i++) {
        size_t distance = attn_edit_distance(typed, all->columns[i].name), size = strlen(all->columns[i].name);
        if (distance < best) {
            best = distance;
            near = all->columns[i].name;
        }
        if (used + size + 2 < sizeof list) {
            if (used > 0)
                list[used++] = ' ';
            memcpy(list + used, all->columns[i].name, size + 1);
            used += size;
        }
    }
    attn_fail(error, ATTN_EUSAGE, "--columns: this report has no column '%s'; it has: %s", typed, list);
    if (near != NULL)
        attn_error_hint(error, "did you mean '%s'?", near);
    return ATTN_EUSAGE;
}

/* "v7": a number of a vector. */
static bool find_number(const attn_schema *schema, const char *name, size_t length, attn_column *column,
                        attn_arena *arena)
{
    uint64_t index;
    const attn_bytes digits = {(const uint8_t *)name + 1, length > 0 ? length - 1 : 0};
    if (schema->shape != ATTN_SHAPE_VECTORS || schema->width == 0 || length < 2 || name[0] != 'v' ||
        !attn_decimal_u64(digits, schema->width - 1, &index))
        return false;
    *column =
        (attn_column){.name = attn_arena_text(arena, name, length), .kind = ATTN_COLUMN_NUMBER, .cell = (size_t)index};
    return true;
}

static attn_status choose(const known *all, const char *chosen, attn_schema *schema, attn_column *columns,
                          attn_arena *arena, attn_error *error)
{
    schema->n_columns = 0;
    for (const char *at = chosen;; at++) {
        size_t length = strcspn(at, ",");
        const attn_column *known_column = find(all, at, length);
        attn_column column = known_column != NULL ? *known_column : (attn_column){0};
        if (known_column == NULL && !find_number(schema, at, length, &column, arena))
            return no_such_column(all, at, length, error);
        if (column.name == NULL)
            return attn_fail_memory(error);
        for (size_t i = 0; i < schema->n_columns; i++)
            if (strcmp(columns[i].name, column.name) == 0)
                return attn_fail(error, ATTN_EUSAGE, "--columns names '%s' twice", column.name);
        if (schema->n_columns == COLUMNS_MAX)
            return attn_fail(error, ATTN_EUSAGE, "--columns takes at most %d columns", COLUMNS_MAX);
        columns[schema->n_columns++] = column;
        at += length;
        if (*at == '\0')
            return ATTN_OK;
    }
}

/* A position and the token that stands there. */
static void mark_joined(known *all)
{
    static const char *const pairs[][2] = {{"position", "token"}, {"query", "query_token"}, {"key", "key_token"}};
    for (size_t i = 0; i + 1 < all->n; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            if (strcmp(all->columns[i].name, pairs[k][0]) == 0 && strcmp(all->columns[i + 1].name, pairs[k][1]) == 0)
                all->columns[i].joined = true;
}

/* Whether NAME is one of NAMES, which may be NULL. */
static bool is_named(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; at != NULL && *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

static void mark_ranges(known *all, const attn_report_ranges *ranges)
{
    for (size_t i = 0; i < all->n; i++) {
        attn_column *column = &all->columns[i];
        if (is_named(ranges->unit, column->name))
            column->range = ATTN_RANGE_UNIT;
        else if (is_named(ranges->positive, column->name))
            column->range = ATTN_RANGE_POSITIVE;
        else if (is_named(ranges->with_sign, column->name))
            column->range = ATTN_RANGE_SIGNED;
    }
}

attn_status attn_columns_make(const attn_report_kind *kind, const char *chosen, bool with_at, attn_arena *arena,
                              attn_schema *schema, attn_error *error)
{
    known all = {0};
    attn_column *columns = attn_arena_alloc(arena, COLUMNS_MAX, sizeof *columns);
    attn_status status = read_own(kind->columns, schema->shape, arena, &all, error);
    size_t n_own = all.n;
    mark_ranges(&all, &kind->cells);
    if (columns == NULL)
        return attn_fail_memory(error);
    if (status == ATTN_OK && schema->has_at)
        status = add(&all, "at", 2, schema->shape, 0, arena, error);
    if (status == ATTN_OK && find(&all, "file", 4) == NULL)
        status = add(&all, "file", 4, schema->shape, 0, arena, error);
    if (status == ATTN_OK)
        status = add(&all, "line", 4, schema->shape, 0, arena, error);
    if (status != ATTN_OK)
        return status;
    schema->columns = columns;
    schema->chosen = chosen != NULL;
    if (chosen != NULL)
        return choose(&all, chosen, schema, columns, arena, error);
    mark_joined(&all);
    for (size_t i = 0; i < n_own; i++) {
        if (with_at && all.columns[i].kind == ATTN_COLUMN_NUMBERS)
            columns[schema->n_columns++] = all.columns[n_own];
        columns[schema->n_columns++] = all.columns[i];
    }
    return ATTN_OK;
}
