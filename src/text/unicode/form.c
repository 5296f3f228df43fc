/* form.c: see form.h. Used by the normalizer's steps (normalize.c), by the kinds that compare composed words
 * (compose.c) and by BERT's folding (bert_normal.c). */
#include "config.h"

#include "text/unicode/form.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode/unicode.h"

#include <string.h>
#include <utf8proc.h>

enum {
    N_CLASSES = 256,     /* of combining marks; 0 are the starters */
    MAX_DECOMPOSED = 32, /* characters one can become; Unicode's longest is 18 */
    SHORT_RUN = 32,      /* marks that are ordered in place: counting has to clear its table first */
    NOTHING = -1         /* no composite */
};

void attn_codes_free(attn_codes *codes)
{
    attn_free(codes->items);
    attn_free(codes->spare);
    *codes = (attn_codes){0};
}

/* ---- blocks that need no look-up ---- */

/* Hangul is computed (Unicode 3.12): a syllable is a consonant and a vowel, or these and a final. utf8proc could do it,
 * but in 2.8 it takes U+11A7, the place before the first final, for one and swallows it. */
enum { CONSONANT = 0x1100, VOWEL = 0x1161, FINAL = 0x11A7, SYLLABLE = 0xAC00 };
enum { N_CONSONANTS = 19, N_VOWELS = 21, N_FINALS = 28, N_SYLLABLES = N_CONSONANTS * N_VOWELS * N_FINALS };

static bool is_syllable(int32_t code)
{
    return code >= SYLLABLE && code < SYLLABLE + N_SYLLABLES;
}

static bool is_jamo(int32_t code)
{
    return code >= 0x1100 && code <= 0x11FF;
}

/* Nothing but starters that no form changes and nothing joins. */
static bool is_ideograph(int32_t code)
{
    return code >= 0x3400 && code <= 0x9FFF;
}

static uint32_t class_of(int32_t code)
{
    if (code < 0x300 || attn_char_is_east_asian(code))
        return 0;
    return (uint32_t)utf8proc_get_property(code)->combining_class;
}

/* ---- decompose ---- */

bool attn_codes_add(attn_codes *codes, int32_t code, size_t start, size_t end)
{
    void *items = codes->items;
    if (codes->count >= codes->capacity) {
        if (!attn_grow(&items, &codes->capacity, codes->count, sizeof *codes->items))
            return false;
        codes->items = items;
    }
    codes->items[codes->count++] = (attn_code){.code = code, .class = class_of(code), .start = start, .end = end};
    codes->steps++;
    return true;
}

static size_t decompose_syllable(int32_t code, int32_t parts[MAX_DECOMPOSED])
{
    const int32_t index = code - SYLLABLE, final = index % N_FINALS;
    parts[0] = CONSONANT + index / (N_VOWELS * N_FINALS);
    parts[1] = VOWEL + index / N_FINALS % N_VOWELS;
    parts[2] = FINAL + final;
    return final > 0 ? 3 : 2;
}

/* The full decomposition of CODE in PARTS; returns how many. */
static size_t decompose(int32_t code, bool compatible, int32_t parts[MAX_DECOMPOSED])
{
    const utf8proc_option_t options = compatible ? UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT : UTF8PROC_DECOMPOSE;
    utf8proc_ssize_t count = 0;
    int boundary = 0; /* of grapheme clusters: not asked for */
    if (is_syllable(code))
        return decompose_syllable(code, parts);
    if (code >= (compatible ? 0xA0 : 0xC0) && !is_ideograph(code) && !is_jamo(code))
        count = utf8proc_decompose_char(code, parts, MAX_DECOMPOSED, options, &boundary);
    if (count > 0 && count <= MAX_DECOMPOSED)
        return (size_t)count;
    parts[0] = code;
    return 1;
}

bool attn_codes_decompose(attn_codes *codes, int32_t code, bool compatible, size_t start, size_t end)
{
    int32_t parts[MAX_DECOMPOSED];
    const size_t count = decompose(code, compatible, parts);
    for (size_t i = 0; i < count; i++)
        if (!attn_codes_add(codes, parts[i], start, end))
            return false;
    return true;
}

/* ---- order ---- */

static void insert_in_order(attn_codes *codes, attn_code *marks, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const attn_code mark = marks[i];
        size_t at = i;
        for (; at > 0 && marks[at - 1].class > mark.class; at--, codes->steps++)
            marks[at] = marks[at - 1];
        marks[at] = mark;
    }
}

static bool count_in_order(attn_codes *codes, attn_code *marks, size_t count)
{
    size_t starts[N_CLASSES + 1] = {0};
    if (count > codes->spare_capacity) {
        attn_free(codes->spare);
        codes->spare = attn_alloc_array(count, sizeof *codes->spare);
        codes->spare_capacity = codes->spare != NULL ? count : 0;
        if (codes->spare == NULL)
            return false;
    }
    for (size_t i = 0; i < count; i++)
        starts[marks[i].class + 1]++;
    for (size_t class = 0; class < N_CLASSES; class ++)
        starts[class + 1] += starts[class];
    for (size_t i = 0; i < count; i++)
        codes->spare[starts[marks[i].class]++] = marks[i];
    memcpy(marks, codes->spare, count * sizeof *marks);
    codes->steps += 2 * count;
    return true;
}

/* One run of marks that is out of order. */
static bool order_run(attn_codes *codes, attn_code *marks, size_t count)
{
    const size_t start = marks[0].start, end = marks[count - 1].end;
    if (count <= SHORT_RUN)
        insert_in_order(codes, marks, count);
    else if (!count_in_order(codes, marks, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        marks[i].start = start;
        marks[i].end = end;
    }
    return true;
}

bool attn_codes_order(attn_codes *codes)
{
    attn_code *items = codes->items;
    for (size_t start = 0; start < codes->count;) {
        size_t end = start;
        bool ordered = true;
        for (; end < codes->count && items[end].class != 0; end++)
            ordered = ordered && (end == start || items[end].class >= items[end - 1].class);
        if (!ordered && !order_run(codes, items + start, end - start))
            return false;
        codes->steps += end - start + 1;
        start = end + 1;
    }
    return true;
}

/* ---- compose ---- */

static int32_t hangul_composite(int32_t first, int32_t second)
{
    const int32_t consonant = first - CONSONANT, vowel = second - VOWEL, final = second - FINAL;
    if (consonant >= 0 && consonant < N_CONSONANTS && vowel >= 0 && vowel < N_VOWELS)
        return SYLLABLE + (consonant * N_VOWELS + vowel) * N_FINALS;
    if (is_syllable(first) && (first - SYLLABLE) % N_FINALS == 0 && final > 0 && final < N_FINALS)
        return first + final;
    return NOTHING;
}

/* The primary composite of two characters, or NOTHING. */
static int32_t composite(int32_t first, int32_t second)
{
    utf8proc_int32_t pair[] = {first, second};
    if (is_jamo(second))
        return hangul_composite(first, second);
    if (first < 0 || second < 0x300 || is_ideograph(second) || is_syllable(second) ||
        utf8proc_normalize_utf32(pair, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE) != 1)
        return NOTHING;
    return pair[0];
}

/* The starter takes MARK in and becomes CODE; so far COUNT characters are kept behind it. There are never more than
 * three marks in a composite, so this is linear. */
static void take_in(attn_codes *codes, attn_code *starter, size_t count, const attn_code *mark, int32_t code)
{
    starter->code = code;
    if (mark->end > starter->end)
        starter->end = mark->end;
    for (size_t i = 1; i <= count; i++) {
        starter[i].start = starter->start;
        starter[i].end = starter->end;
    }
    codes->steps += count + 1;
}

/* Joins ordered characters to their canonical composites. A composite stands for all it was made of, and so do the
 * marks between its parts. */
static void compose_codes(attn_codes *codes)
{
    attn_code *items = codes->items, *starter = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < codes->count; i++) {
        const attn_code item = items[i];
        const size_t between = starter != NULL ? kept - 1 - (size_t)(starter - items) : 0;
        /* a character of the same class, or a starter, between the two blocks the way */
        const bool is_free = starter != NULL && (between == 0 || items[kept - 1].class < item.class);
        const int32_t code = is_free ? composite(starter->code, item.code) : NOTHING;
        codes->steps++;
        if (code != NOTHING) {
            take_in(codes, starter, between, &item, code);
            continue;
        }
        items[kept] = item;
        if (item.class == 0)
            starter = &items[kept];
        kept++;
    }
    codes->count = kept;
}

/* ---- the pass over a text ---- */

typedef struct pass {
    attn_rewrite *rewrite;
    attn_codes *codes; /* what is not written yet: a starter and its marks */
    bool compatible, composes;
} pass;

/* Characters that every form leaves alone and that nothing before them is joined with: ASCII, ill-formed bytes,
 * ideographs; in the composed forms Hangul syllables and kana; in NFC Latin and Cyrillic letters, too. */
static bool is_plain(const pass *p, int32_t code)
{
    if (code < 0x80 || is_ideograph(code))
        return true;
    if (!p->composes)
        return false;
    if (is_syllable(code) || (code >= 0x3041 && code <= 0x3096))
        return true;
    return !p->compatible && (code < 0x300 || (code >= 0x400 && code < 0x483) || (code >= 0x3000 && code < 0x302A) ||
                              (code >= 0x309B && code < 0x3400));
}

/* Where from AT on the pass has to begin: at the last plain character before one that is not, for that may join it. The
 * end where all are plain. */
static size_t first_not_plain(const pass *p, attn_bytes text, size_t at)
{
    size_t last = at, length;
    while (at < text.size) {
        const size_t end = attn_utf8_ascii_end(text, at);
        if (end > at) {
            last = end - 1;
            at = end;
            continue;
        }
        if (!is_plain(p, attn_utf8_decode(text, at, &length)))
            return last;
        last = at;
        at += length;
    }
    return text.size;
}

/* What is in the codes is what the text has. */
static bool is_unchanged(const attn_codes *codes, attn_bytes text)
{
    size_t length;
    for (size_t i = 0; i < codes->count; i++) {
        const attn_code *item = &codes->items[i];
        if (attn_utf8_decode(text, item->start, &length) != item->code || item->end != item->start + length)
            return false;
    }
    return true;
}

/* What can not be joined with anything that follows is written. */
static attn_status write_codes(const pass *p)
{
    attn_codes *codes = p->codes;
    attn_status status = ATTN_OK;
    if (!is_unchanged(codes, p->rewrite->text))
        status = attn_rewrite_codes(p->rewrite, codes->items, codes->count);
    codes->count = 0;
    return status;
}

/* Orders and composes what is in the codes. */
static attn_status finish_codes(const pass *p)
{
    if (!attn_codes_order(p->codes))
        return attn_fail_memory(p->rewrite->error);
    if (p->composes)
        compose_codes(p->codes);
    return ATTN_OK;
}

static attn_status flush(const pass *p)
{
    const attn_status status = finish_codes(p);
    return status == ATTN_OK ? write_codes(p) : status;
}

/* CODE, fully decomposed, behind what is in the codes. */
static attn_status add(const pass *p, int32_t code, size_t start, size_t end)
{
    attn_codes *codes = p->codes;
    attn_status status = ATTN_OK;
    if (class_of(code) == 0 && codes->count > 0) {
        int32_t joined = NOTHING; /* a starter may join the one before it: Hangul vowels do */
        if (codes->count > 1)
            status = finish_codes(p);
        if (status == ATTN_OK && p->composes && codes->count == 1)
            joined = composite(codes->items[0].code, code);
        if (joined != NOTHING) {
            take_in(codes, codes->items, 0, &(attn_code){.code = code, .start = start, .end = end}, joined);
            return ATTN_OK;
        }
        if (status == ATTN_OK)
            status = write_codes(p);
    }
    if (status == ATTN_OK && !attn_codes_add(codes, code, start, end))
        status = attn_fail_memory(p->rewrite->error);
    return status;
}

attn_status attn_form_rewrite(attn_form form, attn_codes *codes, attn_rewrite *rewrite)
{
    const pass p = {.rewrite = rewrite,
                    .codes = codes,
                    .compatible = form == ATTN_FORM_NFKC || form == ATTN_FORM_NFKD,
                    .composes = form == ATTN_FORM_NFC || form == ATTN_FORM_NFKC};
    const attn_bytes text = rewrite->text;
    attn_status status = ATTN_OK;
    size_t length;
    codes->count = 0;
    for (size_t at = 0; at < text.size && status == ATTN_OK; at += length) {
        int32_t parts[MAX_DECOMPOSED], code;
        size_t n_parts = 0;
        length = 0;
        if (codes->count == 0 && (at = first_not_plain(&p, text, at)) == text.size)
            break;
        code = attn_utf8_decode(text, at, &length);
        if (code < 0 || (is_plain(&p, code) && codes->count > 0)) {
            status = flush(&p);
            length = code < 0 ? length : 0; /* a plain one begins the next stretch */
            continue;
        }
        n_parts = decompose(code, p.compatible, parts);
        for (size_t i = 0; i < n_parts && status == ATTN_OK; i++)
            status = add(&p, parts[i], at, at + length);
    }
    if (status == ATTN_OK)
        status = flush(&p);
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}
