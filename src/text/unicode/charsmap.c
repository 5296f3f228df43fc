/* charsmap.c: SentencePiece's precompiled normaliser, as .model files, tokenizer.json and GGUF carry it:
 *
 *   u32 size of the trie in bytes │ trie: u32 units (a double array in darts-clone's form) │ strings, NUL-ended
 *
 * A trie's value is where the replacement begins among the strings. Used by normalize.c. */
#include "config.h"

#include "base/utf8.h"
#include "text/unicode/charsmap.h"

#include <string.h>
#include <utf8proc.h>

/* The trie's units. A node's unit says where its children are and which byte leads to it. */
static uint32_t unit_at(const attn_charsmap *map, size_t index)
{
    return attn_load_u32(map->units + 4 * index);
}

static size_t unit_offset(uint32_t unit)
{
    return (size_t)(unit >> 10) << ((unit & (1U << 9)) >> 6);
}

static bool unit_has_leaf(uint32_t unit)
{
    return unit >> 8 & 1;
}

static uint32_t unit_label(uint32_t unit)
{
    return unit & (1U << 31 | 0xff);
}

attn_status attn_charsmap_open(attn_bytes blob, attn_charsmap *map, attn_error *error)
{
    attn_cursor cursor = attn_cursor_at(blob);
    uint32_t size = 0;
    attn_bytes trie = {0};
    if (!attn_cursor_u32(&cursor, &size) || size % 4 != 0 || size < 4 || !attn_cursor_take(&cursor, size, &trie) ||
        attn_cursor_left(&cursor) == 0 || blob.data[blob.size - 1] != '\0')
        return attn_fail(error, ATTN_EDATA, "the precompiled character map is damaged");
    *map = (attn_charsmap){.units = trie.data,
                           .n_units = size / 4,
                           .replacements = {blob.data + cursor.position, attn_cursor_left(&cursor)}};
    return ATTN_OK;
}

/* The replacement at VALUE among the strings; false: out of range. */
static bool replacement_at(const attn_charsmap *map, uint32_t value, attn_bytes *replacement)
{
    const uint8_t *end;
    if (value >= map->replacements.size)
        return false;
    replacement->data = map->replacements.data + value;
    end = memchr(replacement->data, '\0', map->replacements.size - value);
    replacement->size = end != NULL ? (size_t)(end - replacement->data) : 0;
    return end != NULL;
}

enum { LONGEST_KEY = 256 }; /* bytes; bounds the walk in a damaged trie that runs in a circle */

/* The entry that TEXT begins with: the longest, or with SHORTEST the first found; its length, 0: none. */
static size_t look_up(const attn_charsmap *map, attn_bytes text, bool shortest, attn_bytes *replacement)
{
    size_t node = unit_offset(unit_at(map, 0)), found = 0;
    for (size_t i = 0; i < text.size && i < LONGEST_KEY; i++) {
        uint32_t unit;
        node ^= text.data[i];
        if (node >= map->n_units)
            break;
        unit = unit_at(map, node);
        if (unit_label(unit) != text.data[i])
            break;
        node ^= unit_offset(unit);
        if (unit_has_leaf(unit) && node < map->n_units &&
            replacement_at(map, unit_at(map, node) & ~(1U << 31), replacement)) {
            found = i + 1;
            if (shortest)
                break;
        }
    }
    return found;
}

size_t attn_charsmap_find(const attn_charsmap *map, attn_bytes text, attn_bytes *replacement)
{
    return look_up(map, text, false, replacement);
}

/* The end of the grapheme cluster at AT. */
static size_t grapheme_end(attn_bytes text, size_t at)
{
    size_t length;
    utf8proc_int32_t state = 0, before = attn_utf8_decode(text, at, &length);
    for (at += length; at < text.size; at += length) {
        utf8proc_int32_t code = attn_utf8_decode(text, at, &length);
        if (before < 0 || code < 0 || utf8proc_grapheme_break_stateful(before, code, &state))
            break;
        before = code;
    }
    return at;
}

/* What the map makes of FROM … TO; they stay where it has no entry. */
static attn_status replace(const attn_charsmap *map, size_t from, size_t to, attn_rewrite *rewrite)
{
    attn_bytes replacement;
    const attn_bytes part = {rewrite->text.data + from, to - from};
    return look_up(map, part, true, &replacement) > 0
               ? attn_rewrite_replace(rewrite, from, to, replacement.data, replacement.size)
               : ATTN_OK;
}

enum { SHORT_GRAPHEME = 6 }; /* bytes: longer clusters are looked up character by character */

static attn_status by_graphemes(const attn_charsmap *map, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    attn_bytes replacement;
    attn_status status = ATTN_OK;
    size_t length;
    for (size_t at = 0, end; at < text.size && status == ATTN_OK; at = end) {
        end = grapheme_end(text, at);
        if (end - at < SHORT_GRAPHEME && look_up(map, (attn_bytes){text.data + at, end - at}, true, &replacement) > 0) {
            status = attn_rewrite_replace(rewrite, at, end, replacement.data, replacement.size);
            continue;
        }
        for (; at < end && status == ATTN_OK; at += length) {
            attn_utf8_decode(text, at, &length);
            status = replace(map, at, at + length, rewrite);
        }
    }
    return status;
}

static attn_status by_longest(const attn_charsmap *map, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    attn_bytes replacement;
    attn_status status = ATTN_OK;
    size_t length;
    for (size_t at = 0; at < text.size && status == ATTN_OK; at += length) {
        length = look_up(map, (attn_bytes){text.data + at, text.size - at}, false, &replacement);
        if (length > 0)
            status = attn_rewrite_replace(rewrite, at, at + length, replacement.data, replacement.size);
        else
            attn_utf8_decode(text, at, &length);
    }
    return status;
}

attn_status attn_charsmap_rewrite(const attn_charsmap *map, bool graphemes, attn_rewrite *rewrite)
{
    attn_status status = graphemes ? by_graphemes(map, rewrite) : by_longest(map, rewrite);
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}
