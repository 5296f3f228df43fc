/* vocab_list.c: see vocab_list.h. Used by vocab_json.c and tokenizer_json*.c. */
#include "config.h"

#include "text/vocab/vocab_list.h"

#include <string.h>

/* An id may lie beyond the number of tokens, but no wrong file may make a huge table. */
enum { MAX_GAP = 1 << 12 };

typedef struct entry {
    attn_bytes token; /* in the arena */
    uint32_t id;
} entry;

typedef struct entries {
    entry *items; /* owned; [count] */
    size_t count, capacity;
    uint64_t n_ids; /* the highest id and one */
} entries;

static bool read_entries(attn_json *json, attn_arena *arena, entries *list, attn_error *error)
{
    attn_bytes key;
    uint64_t id;
    if (!attn_json_object(json))
        return false;
    while (attn_json_key(json, &key)) {
        void *items = list->items;
        char *copy = attn_arena_text(arena, (const char *)key.data, key.size);
        entry made = {{(const uint8_t *)copy, key.size}, 0};
        if (copy == NULL || !attn_grow(&items, &list->capacity, list->count, sizeof *list->items)) {
            attn_fail_memory(error);
            return false;
        }
        list->items = items;
        if (!attn_json_u64(json, ATTN_NO_TOKEN - 1, &id))
            return false;
        made.id = (uint32_t)id;
        list->items[list->count++] = made;
        if (id >= list->n_ids)
            list->n_ids = id + 1;
    }
    return attn_json_status(json) == ATTN_OK;
}

/* The entries as a table by id. */
static attn_status make_table(attn_json *json, attn_arena *arena, const entries *list, attn_tokenizer_spec *spec,
                              attn_error *error)
{
    attn_bytes *tokens;
    if (list->n_ids > list->count + MAX_GAP)
        return attn_json_fail(json, "expected token ids up to about %zu (the number of tokens), found %llu",
                              list->count, (unsigned long long)(list->n_ids - 1));
    tokens = attn_arena_alloc(arena, (size_t)list->n_ids, sizeof *tokens);
    if (tokens == NULL)
        return attn_fail_memory(error);
    memset(tokens, 0, (size_t)list->n_ids * sizeof *tokens);
    for (size_t i = 0; i < list->count; i++) {
        const entry *item = &list->items[i];
        attn_bytes *token = &tokens[item->id];
        if (token->data != NULL)
            return attn_json_fail(json, "the tokens '%.*s' and '%.*s' have the same id %lu",
                                  (int)(token->size < 64 ? token->size : 64), (const char *)token->data,
                                  (int)(item->token.size < 64 ? item->token.size : 64), (const char *)item->token.data,
                                  (unsigned long)item->id);
        *token = item->token;
    }
    spec->tokens = tokens;
    spec->n_tokens = (size_t)list->n_ids;
    return ATTN_OK;
}

attn_status attn_read_vocab_object(attn_json *json, attn_arena *arena, attn_tokenizer_spec *spec, attn_error *error)
{
    entries list = {0};
    attn_status status =
        read_entries(json, arena, &list, error) ? make_table(json, arena, &list, spec, error) : error->status;
    attn_free(list.items);
    return status;
}

bool attn_merge_parse(attn_bytes line, attn_bytes parts[2])
{
    const uint8_t *space = line.size > 0 ? memchr(line.data, ' ', line.size) : NULL;
    size_t left = space != NULL ? (size_t)(space - line.data) : 0;
    if (space == NULL || left == 0 || left + 1 == line.size || memchr(space + 1, ' ', line.size - left - 1) != NULL)
        return false;
    parts[0] = (attn_bytes){line.data, left};
    parts[1] = (attn_bytes){space + 1, line.size - left - 1};
    return true;
}

bool attn_vocab_line(attn_bytes text, size_t *at, attn_bytes *line)
{
    const uint8_t *start = text.data + *at, *end;
    if (*at >= text.size)
        return false;
    end = memchr(start, '\n', text.size - *at);
    *line = (attn_bytes){start, end != NULL ? (size_t)(end - start) : text.size - *at};
    *at += line->size + 1;
    return true;
}

static size_t count_lines(attn_bytes text)
{
    attn_bytes line;
    size_t count = 0;
    for (size_t at = 0; attn_vocab_line(text, &at, &line);)
        count++;
    return count;
}

attn_status attn_read_merges_text(attn_bytes text, const char *file, attn_arena *arena, attn_tokenizer_spec *spec,
                                  attn_error *error)
{
    static const char header[] = "#version";
    attn_bytes(*merges)[2] = attn_arena_alloc(arena, count_lines(text), sizeof *merges);
    attn_bytes line;
    size_t n = 0, at = 0;
    if (merges == NULL)
        return attn_fail_memory(error);
    for (uint64_t number = 1; attn_vocab_line(text, &at, &line); number++) {
        if (line.size > 0 && line.data[line.size - 1] == '\r')
            line.size--;
        if (line.size == 0 ||
            (number == 1 && line.size >= sizeof header - 1 && memcmp(line.data, header, sizeof header - 1) == 0))
            continue;
        if (!attn_merge_parse(line, merges[n])) {
            attn_fail_found(error, "two tokens with one space between them", "'%.*s'",
                            (int)(line.size < 64 ? line.size : 64), (const char *)line.data);
            attn_error_line(error, number, 1);
            return attn_error_file(error, file);
        }
        n++;
    }
    spec->merges = (const attn_bytes(*)[2])merges;
    spec->n_merges = n;
    return ATTN_OK;
}
