/* compose.c: the canonical composition (NFC) of a text, lower-cased where asked, with the place in
 * the original of every byte. The normal form of words, whitespace, longest and chars, whose
 * vocabularies are composed too. utf8proc decomposes and composes; the ordering of marks is ours,
 * because utf8proc's takes quadratic time on a long run of them. */
#include "config.h"

#include "base/utf8.h"
#include "text/unicode/compose.h"

#include <string.h>
#include <utf8proc.h>

bool attn_is_ascii(attn_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.data[i] >= 0x80)
            return false;
    return true;
}

/* A code point that may join what stands before it: a mark, or a Hangul vowel or final. */
static bool joins(int32_t code)
{
    utf8proc_category_t category;
    if (code < 0x300)
        return false;
    if (code >= 0x1160 && code <= 0x11FF)
        return true;
    category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME ||
           utf8proc_get_property(code)->combining_class != 0;
}

typedef struct codes { /* a cluster, decomposed */
    int32_t *items;    /* owned */
    size_t count, capacity;
} codes;

static bool add_codes(codes *list, int32_t code)
{
    enum { MAX_DECOMPOSED = 32 };
    utf8proc_ssize_t added;
    int last = 0;
    while (list->capacity < list->count + MAX_DECOMPOSED) {
        size_t capacity = list->capacity * 2 + 2 * MAX_DECOMPOSED;
        int32_t *items = attn_realloc_array(list->items, capacity, sizeof *items);
        if (items == NULL)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    added = utf8proc_decompose_char(code, list->items + list->count, MAX_DECOMPOSED, UTF8PROC_DECOMPOSE, &last);
    if (added > 0 && added <= MAX_DECOMPOSED)
        list->count += (size_t)added;
    else
        list->items[list->count++] = code;
    return true;
}

static unsigned combining_class(int32_t code)
{
    return code < 0x300 ? 0U : (unsigned)utf8proc_get_property(code)->combining_class;
}

/* Stable counting sort of one run of marks by combining class. False: out of memory. */
static bool sort_marks(int32_t *marks, size_t count)
{
    enum { N_CLASSES = 256 };
    size_t starts[N_CLASSES + 1] = {0};
    int32_t *sorted = attn_alloc_array(count, sizeof *sorted);
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        starts[combining_class(marks[i]) + 1]++;
    for (size_t c = 0; c < N_CLASSES; c++)
        starts[c + 1] += starts[c];
    for (size_t i = 0; i < count; i++)
        sorted[starts[combining_class(marks[i])]++] = marks[i];
    memcpy(marks, sorted, count * sizeof *marks);
    attn_free(sorted);
    return true;
}

static bool order_marks(int32_t *items, size_t count)
{
    for (size_t start = 0; start < count;) {
        size_t end = start;
        bool ordered = true;
        while (end < count && combining_class(items[end]) != 0) {
            if (end > start && combining_class(items[end]) < combining_class(items[end - 1]))
                ordered = false;
            end++;
        }
        if (!ordered && !sort_marks(items + start, end - start))
            return false;
        start = end + 1;
    }
    return true;
}

/* The characters START … END of RAW are COUNT ITEMS already. */
static bool are_there(attn_bytes raw, size_t start, size_t end, const int32_t *items, size_t count)
{
    size_t length;
    size_t i = 0;
    for (; start < end; start += length, i++)
        if (i == count || attn_utf8_decode(raw, start, &length) != items[i])
            return false;
    return i == count;
}

/* The cluster START … END of RAW, composed, into NORMAL. Where nothing changes each character keeps
 * its own place; else all stand for the whole cluster. */
static bool put_cluster(codes *list, bool lowercase, attn_bytes raw, size_t start, size_t end, attn_normal *normal)
{
    size_t length;
    size_t at;
    utf8proc_ssize_t composed;
    uint8_t encoded[4];
    bool same;
    list->count = 0;
    for (at = start; at < end; at += length) {
        int32_t code = attn_utf8_decode(raw, at, &length);
        if (code < 0)
            return attn_normal_put(normal, raw.data + at, length, start, end);
        if (!add_codes(list, code))
            return false;
    }
    if (!order_marks(list->items, list->count))
        return false;
    composed = utf8proc_normalize_utf32(list->items, (utf8proc_ssize_t)list->count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    if (composed < 0)
        return false;
    same = are_there(raw, start, end, list->items, (size_t)composed);
    at = start;
    for (utf8proc_ssize_t i = 0; i < composed; i++) {
        int32_t code = lowercase ? utf8proc_tolower(list->items[i]) : list->items[i];
        if (same)
            attn_utf8_decode(raw, at, &length);
        if (!attn_normal_put(normal, encoded, attn_utf8_encode((uint32_t)code, encoded), same ? at : start,
                             same ? at + length : end))
            return false;
        at += same ? length : 0;
    }
    return true;
}

attn_status attn_compose_normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool is_text,
                                   attn_normal *normal, attn_error *error)
{
    codes list = {0};
    attn_status status = ATTN_OK;
    size_t length;
    (void)tokenizer;
    (void)is_text;
    if (!lowercase && attn_is_ascii(raw)) {
        normal->same = true;
        return ATTN_OK;
    }
    for (size_t at = 0; at < raw.size && status == ATTN_OK;) {
        size_t end = at;
        int32_t code = attn_utf8_decode(raw, end, &length);
        end += length;
        while (code >= 0 && end < raw.size && raw.data[end] >= 0x80 && joins(attn_utf8_decode(raw, end, &length)))
            end += length;
        if (end == at + 1 && code >= 0) {
            uint8_t byte = raw.data[at];
            if (lowercase && byte >= 'A' && byte <= 'Z')
                byte = (uint8_t)(byte - 'A' + 'a');
            if (!attn_normal_put(normal, &byte, 1, at, end))
                status = ATTN_ENOMEM;
        } else if (!put_cluster(&list, lowercase, raw, at, end, normal)) {
            status = ATTN_ENOMEM;
        }
        at = end;
    }
    attn_free(list.items);
    return status == ATTN_OK ? ATTN_OK : attn_fail_memory(error);
}
