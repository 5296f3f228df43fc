/* normalize_unicode.c: the steps that come from Unicode: normal forms, lower case, accents, BERT's
 * cleaning. Each walks its source once and writes the changed text with where it came from. Used by
 * normalize.c. */
#include "config.h"

#include "base/utf8.h"
#include "text/unicode/normalize.h"
#include "text/unicode/unicode.h"

#include <utf8proc.h>

/* ---- normal forms ---- */

/* Whether CODE may join what stands before it, or be reordered with it. Marks do; the vowels and
 * finals of Hangul do, and so do (in the compatibility forms) the letters that decompose into
 * either. */
static bool joins_before(int32_t code, bool compatible)
{
    if (code < 0x300)
        return false;
    if (code >= 0x1160 && code <= 0x11ff)
        return true;
    if (compatible && ((code >= 0x3131 && code <= 0x318e) || (code >= 0xff9e && code <= 0xffdc)))
        return true;
    return attn_char_is_mark(code);
}

static utf8proc_option_t form_options(attn_normalize_op form)
{
    switch (form) {
    case ATTN_NORMALIZE_NFC:
        return UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    case ATTN_NORMALIZE_NFD:
        return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
    case ATTN_NORMALIZE_NFKC:
        return UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
    default:
        return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
    }
}

typedef struct codes { /* owned; reused from cluster to cluster */
    utf8proc_int32_t *items;
    size_t capacity;
    attn_buffer bytes;
} codes;

/* SOURCE's bytes FROM … TO, well-formed and apart from their neighbours, in the form OPTIONS ask
 * for. */
static bool form_cluster(const attn_source *source, size_t from, size_t to, utf8proc_option_t options, codes *buffer,
                         attn_normal *out)
{
    const utf8proc_uint8_t *data = source->text.data + from;
    utf8proc_ssize_t size = (utf8proc_ssize_t)(to - from), n;
    n = utf8proc_decompose(data, size, buffer->items, (utf8proc_ssize_t)buffer->capacity, options);
    if (n > 0 && (size_t)n > buffer->capacity) {
        utf8proc_int32_t *grown = attn_realloc_array(buffer->items, (size_t)n + 1, sizeof *grown);
        if (grown == NULL)
            return false;
        buffer->items = grown;
        buffer->capacity = (size_t)n;
        n = utf8proc_decompose(data, size, buffer->items, n, options);
    }
    if (n >= 0)
        n = utf8proc_normalize_utf32(buffer->items, n, options);
    if (n < 0)
        return attn_normal_copy(out, source, from, to);
    buffer->bytes.size = 0;
    for (utf8proc_ssize_t i = 0; i < n; i++) {
        uint8_t encoded[4];
        attn_buffer_put(&buffer->bytes, encoded, attn_utf8_encode((uint32_t)buffer->items[i], encoded));
    }
    return !buffer->bytes.failed && attn_normal_replace(out, source, from, to, buffer->bytes.data, buffer->bytes.size);
}

/* The end of the cluster at AT: a character and those behind it that may join it. PLAIN: one that
 * every form leaves alone (ASCII, or an ill-formed byte) and that nothing joins. */
static size_t cluster_end(attn_bytes text, size_t at, bool compatible, bool *plain)
{
    size_t length;
    int32_t code = attn_utf8_decode(text, at, &length);
    *plain = code < 0x80;
    at += length;
    while (code >= 0 && at < text.size) {
        if (!joins_before(attn_utf8_decode(text, at, &length), compatible))
            break;
        *plain = false;
        at += length;
    }
    return at;
}

bool attn_step_normal_form(attn_normalize_op form, const attn_source *source, attn_normal *out)
{
    const utf8proc_option_t options = form_options(form);
    const bool compatible = (options & UTF8PROC_COMPAT) != 0;
    codes buffer = {0};
    bool done = true, plain;
    size_t kept = 0; /* up to here all is written */
    for (size_t at = 0, end; at < source->text.size && done; at = end) {
        end = cluster_end(source->text, at, compatible, &plain);
        if (plain)
            continue;
        done = attn_normal_copy(out, source, kept, at) && form_cluster(source, at, end, options, &buffer, out);
        kept = end;
    }
    attn_free(buffer.items);
    attn_buffer_free(&buffer.bytes);
    return done && attn_normal_copy(out, source, kept, source->text.size);
}

/* Ranges whose characters are composed, and not joined by others of these: Latin, Cyrillic, kana,
 * Chinese, Hangul, but no mark in them. */
static bool is_composed(int32_t code)
{
    return (code >= 0 && code < 0x300) || (code >= 0x400 && code < 0x483) ||
           (code >= 0x3041 && code <= 0x9fff && code != 0x3099 && code != 0x309a) ||
           (code >= 0x3000 && code < 0x302a) || (code >= 0xac00 && code <= 0xd7a3);
}

bool attn_is_in_form(attn_normalize_op form, attn_bytes text)
{
    size_t at = 0, length;
    for (; at < text.size; at += length) {
        length = 1;
        if (text.data[at] >= 0x80 && (form != ATTN_NORMALIZE_NFC || !is_composed(attn_utf8_decode(text, at, &length))))
            return false;
    }
    return true;
}

/* ---- character by character ---- */

/* What a rule makes of a character: up to 8 bytes in PLACE; returns how many. KEEP: it stays as it
 * is. */
#define KEEP SIZE_MAX
typedef size_t character_rule(int32_t code, uint8_t *place);

static bool each_character(const attn_source *source, character_rule *rule, attn_normal *out)
{
    attn_bytes text = source->text;
    size_t kept = 0, length;
    for (size_t at = 0; at < text.size; at += length) {
        uint8_t place[8];
        size_t size = rule(attn_utf8_decode(text, at, &length), place);
        if (size == KEEP)
            continue;
        if (!attn_normal_copy(out, source, kept, at) || !attn_normal_replace(out, source, at, at + length, place, size))
            return false;
        kept = at + length;
    }
    return attn_normal_copy(out, source, kept, text.size);
}

static size_t lowercase_rule(int32_t code, uint8_t *place)
{
    int32_t lower;
    if (code < 0)
        return KEEP;
    if (code == 0x130) { /* İ: the only one whose lower case is two characters */
        place[0] = 'i';
        return 1 + attn_utf8_encode(0x307, place + 1);
    }
    lower = utf8proc_tolower(code);
    return lower == code ? KEEP : attn_utf8_encode((uint32_t)lower, place);
}

static size_t accents_rule(int32_t code, uint8_t *place)
{
    (void)place;
    return attn_char_is_mark(code) ? 0 : KEEP;
}

static size_t nonspacing_rule(int32_t code, uint8_t *place)
{
    (void)place;
    return code >= 0x300 && utf8proc_category(code) == UTF8PROC_CATEGORY_MN ? 0 : KEEP;
}

static size_t clean_rule(int32_t code, uint8_t *place)
{
    if (code == ' ' || code < 0)
        return KEEP;
    place[0] = ' ';
    if (code == '\t' || code == '\n' || code == '\r')
        return 1;
    if (code == 0 || code == 0xfffd)
        return 0;
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
        return 0;
    default:
        return attn_char_is_space(code) ? 1 : KEEP;
    }
}

/* The ranges that BERT takes for Chinese characters. */
static size_t cjk_rule(int32_t code, uint8_t *place)
{
    static const int32_t ranges[][2] = {{0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
                                        {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            size_t size = attn_utf8_encode((uint32_t)code, place + 1);
            place[0] = place[size + 1] = ' ';
            return size + 2;
        }
    return KEEP;
}

static size_t nmt_rule(int32_t code, uint8_t *place)
{
    place[0] = ' ';
    if ((code >= 1 && code <= 8) || code == 0xb || (code >= 0xe && code <= 0x1f) || code == 0x7f || code == 0x8f ||
        code == 0x9f)
        return 0;
    if (code == 9 || code == 0xa || code == 0xc || code == 0xd || code == 0x1680 ||
        (code >= 0x200b && code <= 0x200f) || code == 0x2028 || code == 0x2029 || code == 0x2581 || code == 0xfeff ||
        code == 0xfffd)
        return 1;
    return KEEP;
}

bool attn_step_lowercase(const attn_source *source, attn_normal *out)
{
    return each_character(source, lowercase_rule, out);
}

bool attn_step_strip_accents(const attn_source *source, attn_normal *out)
{
    return each_character(source, accents_rule, out);
}

bool attn_step_strip_nonspacing(const attn_source *source, attn_normal *out)
{
    return each_character(source, nonspacing_rule, out);
}

bool attn_step_clean(const attn_source *source, attn_normal *out)
{
    return each_character(source, clean_rule, out);
}

bool attn_step_split_cjk(const attn_source *source, attn_normal *out)
{
    return each_character(source, cjk_rule, out);
}

bool attn_step_nmt(const attn_source *source, attn_normal *out)
{
    return each_character(source, nmt_rule, out);
}
