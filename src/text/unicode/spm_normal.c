/* spm_normal.c: see spm_normal.h. Follows the rules of SentencePiece's Normalizer::Normalize. Used by normalize.c; knows
 * no file. */
#include "config.h"

#include "text/unicode/spm_normal.h"

#include "base/utf8.h"
#include "text/byte_alphabet.h"

#include <stdlib.h>
#include <string.h>

static int compare_symbols(const void *a, const void *b)
{
    const attn_bytes *x = a, *y = b;
    if (x->data[0] != y->data[0])
        return x->data[0] < y->data[0] ? -1 : 1;
    return x->size == y->size ? 0 : x->size > y->size ? -1 : 1;
}

bool attn_spm_normal_open(attn_spm_normal *normal, attn_arena *arena, const attn_bytes *symbols, size_t n)
{
    size_t kept = 0, at = 0;
    normal->symbols = attn_arena_alloc(arena, n, sizeof *normal->symbols);
    if (normal->symbols == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        char *copy = attn_arena_text(arena, (const char *)symbols[i].data, symbols[i].size);
        if (copy == NULL)
            return false;
        if (symbols[i].size > 0)
            normal->symbols[kept++] = (attn_bytes){(const uint8_t *)copy, symbols[i].size};
    }
    if (kept > 0)
        qsort(normal->symbols, kept, sizeof *normal->symbols, compare_symbols);
    for (size_t byte = 0; byte <= 256; byte++) {
        while (at < kept && normal->symbols[at].data[0] < byte)
            at++;
        normal->first[byte] = at;
    }
    return true;
}

/* What stands at AT of the text: how many of its bytes, and in *BECOMES what they become. */
static size_t prefix_at(const attn_spm_normal *normal, attn_bytes text, size_t at, attn_bytes *becomes)
{
    const attn_bytes rest = {text.data + at, text.size - at};
    size_t length;
    for (size_t i = normal->first[rest.data[0]]; i < normal->first[rest.data[0] + 1]; i++) {
        const attn_bytes symbol = normal->symbols[i];
        if (symbol.size <= rest.size && memcmp(symbol.data, rest.data, symbol.size) == 0) {
            *becomes = symbol;
            return symbol.size;
        }
    }
    if (normal->has_map && (length = attn_charsmap_find(&normal->map, rest, becomes)) > 0)
        return length;
    *becomes = attn_bytes_of("\xEF\xBF\xBD"); /* a byte that is no UTF-8 */
    if (attn_utf8_decode(rest, 0, &length) >= 0)
        *becomes = (attn_bytes){rest.data, length};
    return length;
}

static attn_bytes blank(const attn_spm_rules *rules)
{
    return attn_bytes_of(rules->escape ? ATTN_WORD_MARK : " ");
}

/* BECOMES in the place of AT … END, its blanks as they are written. */
static attn_status put(const attn_spm_normal *normal, size_t at, size_t end, attn_bytes becomes, attn_rewrite *rewrite)
{
    const attn_bytes mark = blank(&normal->rules);
    attn_status status;
    if (becomes.size == end - at && memcmp(becomes.data, rewrite->text.data + at, becomes.size) == 0 &&
        (!normal->rules.escape || memchr(becomes.data, ' ', becomes.size) == NULL))
        return ATTN_OK; /* stays */
    status = attn_rewrite_skip(rewrite, at, end);
    for (size_t i = 0; i < becomes.size && status == ATTN_OK; i++) {
        const bool is_blank = becomes.data[i] == ' ';
        status = attn_rewrite_put(rewrite, at, end, is_blank ? mark.data : &becomes.data[i], is_blank ? mark.size : 1);
    }
    return status;
}

static bool ends_with(attn_bytes text, attn_bytes end)
{
    return text.size >= end.size && memcmp(text.data + text.size - end.size, end.data, end.size) == 0;
}

/* Takes the blanks off the end of what was written. */
static attn_status strip_end(const attn_spm_normal *normal, attn_rewrite *rewrite)
{
    const attn_bytes mark = blank(&normal->rules);
    attn_bytes text = rewrite->text;
    attn_status status = ATTN_OK;
    if (rewrite->done == 0 && rewrite->out->text.size == 0) { /* nothing was changed yet */
        while (ends_with(text, mark))
            text.size -= mark.size;
        return text.size < rewrite->text.size ? attn_rewrite_skip(rewrite, text.size, rewrite->text.size) : ATTN_OK;
    }
    status = attn_rewrite_skip(rewrite, rewrite->text.size, rewrite->text.size);
    while (status == ATTN_OK && ends_with(attn_buffer_bytes(&rewrite->out->text), mark))
        rewrite->out->text.size -= mark.size;
    return status;
}

/* Where the text begins: behind the blanks before it. */
static size_t skip_blanks(const attn_spm_normal *normal, attn_bytes text)
{
    attn_bytes becomes;
    size_t at = 0, length;
    for (; normal->rules.collapse && at < text.size; at += length) {
        length = prefix_at(normal, text, at, &becomes);
        if (!attn_bytes_are(becomes, " "))
            break;
    }
    return at;
}

static attn_status rewrite_rest(const attn_spm_normal *normal, size_t at, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    bool after_blank = normal->rules.collapse;
    attn_status status = ATTN_OK;
    for (size_t length; at < text.size && status == ATTN_OK; at += length) {
        attn_bytes becomes;
        length = prefix_at(normal, text, at, &becomes);
        while (after_blank && becomes.size > 0 && becomes.data[0] == ' ') {
            becomes.data++;
            becomes.size--;
        }
        status = put(normal, at, at + length, becomes, rewrite);
        if (becomes.size > 0)
            after_blank = normal->rules.collapse && becomes.data[becomes.size - 1] == ' ';
    }
    return status;
}

attn_status attn_spm_normal_rewrite(const attn_spm_normal *normal, attn_rewrite *rewrite)
{
    const attn_spm_rules *rules = &normal->rules;
    const attn_bytes mark = blank(rules);
    const size_t size = rewrite->text.size, start = skip_blanks(normal, rewrite->text);
    attn_status status = start > 0 ? attn_rewrite_skip(rewrite, 0, start) : ATTN_OK;
    if (status != ATTN_OK || start == size)
        return status;
    if (rules->prefix && !rules->suffix)
        status = attn_rewrite_replace(rewrite, start, start, mark.data, mark.size);
    if (status == ATTN_OK)
        status = rewrite_rest(normal, start, rewrite);
    if (status == ATTN_OK && rules->collapse)
        status = strip_end(normal, rewrite);
    if (status == ATTN_OK && rules->prefix && rules->suffix)
        status = attn_rewrite_replace(rewrite, size, size, mark.data, mark.size);
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}
