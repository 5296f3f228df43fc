/* bert_normal.c: see wordpiece.h. The rules are those of the published BERT tokenizer (class
 * BasicTokenizer); Unicode's tables are utf8proc's. Used by wordpiece.c. */
#include "config.h"

#include "text/kinds/wordpiece.h"

#include "base/utf8.h"
#include "text/unicode/unicode.h"

#include <string.h>
#include <utf8proc.h>

enum {
    CAPITAL_SIGMA = 0x3A3,
    SMALL_SIGMA = 0x3C3,
    FINAL_SIGMA = 0x3C2,
    DOTTED_I = 0x130,
    DOT_ABOVE = 0x307,
    REPLACEMENT = 0xFFFD,
    MAX_DECOMPOSED = 32
};

typedef struct unit { /* a character of the normal form on its way */
    int32_t code;
    attn_span span; /* in the raw text */
} unit;

typedef struct units {
    unit *items; /* owned */
    size_t count, capacity;
} units;

static bool add_unit(units *list, int32_t code, size_t start, size_t end)
{
    void *items = list->items;
    if (list->count >= list->capacity) {
        if (!attn_grow(&items, &list->capacity, list->count, sizeof *list->items))
            return false;
        list->items = items;
    }
    list->items[list->count++] = (unit){code, {start, end}};
    return true;
}

/* What the text is mostly made of: no marks, not cased, not to be dropped. Saves looking up
 * properties. */
static bool is_plain(int32_t code)
{
    return (code >= 0x1100 && code <= 0x11FF) || (code >= 0x3400 && code <= 0x9FFF) ||
           (code >= 0xAC00 && code <= 0xD7A3);
}

static bool is_dropped(int32_t code)
{
    utf8proc_category_t category;
    if (code == '\t' || code == '\n' || code == '\r')
        return false;
    if (code < 0x7F || is_plain(code))
        return code < 0x20;
    category = utf8proc_category(code);
    return code == REPLACEMENT || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CO;
}

static bool is_ideograph(int32_t code)
{
    static const int32_t ranges[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                        {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    for (size_t i = 0; code >= 0x3400 && i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

static bool add_decomposed(units *list, int32_t code, size_t start, size_t end)
{
    int32_t parts[MAX_DECOMPOSED];
    int last = 0;
    utf8proc_ssize_t count = 0;
    if (code >= 0xC0)
        count = utf8proc_decompose_char(code, parts, MAX_DECOMPOSED, UTF8PROC_DECOMPOSE, &last);
    if (count <= 0 || count > MAX_DECOMPOSED)
        return add_unit(list, code, start, end);
    for (utf8proc_ssize_t i = 0; i < count; i++)
        if (!add_unit(list, parts[i], start, end))
            return false;
    return true;
}

/* The text's characters, cleaned, ideographs set apart, decomposed where STRIP. */
static bool collect(const attn_tokenizer_spec *spec, bool strip, attn_bytes raw, units *list)
{
    size_t length;
    for (size_t at = 0; at < raw.size; at += length) {
        int32_t code = attn_utf8_decode(raw, at, &length);
        const size_t end = at + length;
        bool fine = true;
        if (code < 0)
            code = REPLACEMENT;
        if (spec->clean_text && is_dropped(code))
            continue;
        if (spec->clean_text && attn_char_is_space(code))
            fine = add_unit(list, ' ', at, end);
        else if (spec->split_cjk && is_ideograph(code))
            fine = add_unit(list, ' ', at, at) &&
                   (strip ? add_decomposed(list, code, at, end) : add_unit(list, code, at, end)) &&
                   add_unit(list, ' ', end, end);
        else
            fine = strip ? add_decomposed(list, code, at, end) : add_unit(list, code, at, end);
        if (!fine)
            return false;
    }
    return true;
}

static unsigned combining_class(int32_t code)
{
    return code < 0x300 || is_plain(code) ? 0U : (unsigned)utf8proc_get_property(code)->combining_class;
}

/* One run of marks into canonical order, by a stable counting sort: a run may be a megabyte long.
 * Each mark then stands for the whole run of the raw text. False: out of memory. */
static bool sort_marks(unit *marks, size_t count)
{
    enum { N_CLASSES = 256 };
    size_t starts[N_CLASSES + 1] = {0};
    const attn_span hull = {marks[0].span.start, marks[count - 1].span.end};
    unit *sorted = attn_alloc_array(count, sizeof *sorted);
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        starts[combining_class(marks[i].code) + 1]++;
    for (size_t c = 0; c < N_CLASSES; c++)
        starts[c + 1] += starts[c];
    for (size_t i = 0; i < count; i++)
        sorted[starts[combining_class(marks[i].code)]++] = (unit){marks[i].code, hull};
    memcpy(marks, sorted, count * sizeof *marks);
    attn_free(sorted);
    return true;
}

static bool order_marks(units *list)
{
    for (size_t start = 0; start < list->count;) {
        size_t end = start;
        unsigned last = 0;
        bool ordered = true;
        unsigned class;
        while (end < list->count && (class = combining_class(list->items[end].code)) != 0) {
            ordered = ordered && class >= last;
            last = class;
            end++;
        }
        if (!ordered && !sort_marks(list->items + start, end - start))
            return false;
        start = end + 1;
    }
    return true;
}

/* Takes nonspacing marks out; the character before one then covers its bytes too. */
static void strip_marks(units *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const unit *from = &list->items[i];
        if (from->code >= 0x300 && !is_plain(from->code) && utf8proc_category(from->code) == UTF8PROC_CATEGORY_MN) {
            if (kept > 0 && list->items[kept - 1].code != ' ' && from->span.end > list->items[kept - 1].span.end)
                list->items[kept - 1].span.end = from->span.end;
            continue;
        }
        list->items[kept++] = *from;
    }
    list->count = kept;
}

/* Unicode's Cased and Case_Ignorable, for the final sigma (Unicode 3.13, table 3-17). */
static bool is_cased(int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT ||
           utf8proc_tolower(code) != code || utf8proc_toupper(code) != code;
}

static bool is_case_ignorable(int32_t code)
{
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return true;
    default:
        return code == '\'' || code == '.' || code == ':' || code == 0xB7 || code == 0x387 || code == 0x55F ||
               code == 0x5F4 || code == 0x2018 || code == 0x2019 || code == 0x2024 || code == 0x2027 ||
               code == 0xFE13 || code == 0xFE52 || code == 0xFE55 || code == 0xFF07 || code == 0xFF0E || code == 0xFF1A;
    }
}

/* A sigma after a cased letter and not before one is final. */
static bool is_final(const units *list, size_t at)
{
    size_t before = at;
    size_t after = at + 1;
    while (before > 0 && is_case_ignorable(list->items[before - 1].code))
        before--;
    if (before == 0 || !is_cased(list->items[before - 1].code))
        return false;
    while (after < list->count && is_case_ignorable(list->items[after].code))
        after++;
    return after == list->count || !is_cased(list->items[after].code);
}

static bool put(attn_normal *normal, int32_t code, attn_span span)
{
    uint8_t encoded[4];
    return attn_normal_put(normal, encoded, attn_utf8_encode((uint32_t)code, encoded), span.start, span.end);
}

static bool put_lower(attn_normal *normal, const units *list, size_t at)
{
    const unit *from = &list->items[at];
    if (is_plain(from->code))
        return put(normal, from->code, from->span);
    if (from->code == DOTTED_I)
        return put(normal, 'i', from->span) && put(normal, DOT_ABOVE, from->span);
    if (from->code == CAPITAL_SIGMA)
        return put(normal, is_final(list, at) ? FINAL_SIGMA : SMALL_SIGMA, from->span);
    return put(normal, utf8proc_tolower(from->code), from->span);
}

attn_status attn_wordpiece_fold(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, attn_normal *normal,
                                attn_error *error)
{
    const attn_tokenizer_spec *spec = &tokenizer->spec;
    /* --lowercase over a cased model strips accents as an uncased one does. */
    const bool strip = lowercase == spec->lowercase ? spec->strip_accents : lowercase;
    units list = {0};
    bool fine = collect(spec, strip, raw, &list);
    if (fine && strip) {
        fine = order_marks(&list);
        strip_marks(&list);
    }
    for (size_t i = 0; fine && i < list.count; i++)
        fine = lowercase ? put_lower(normal, &list, i) : put(normal, list.items[i].code, list.items[i].span);
    attn_free(list.items);
    return fine ? ATTN_OK : attn_fail_memory(error);
}
