/* utf8.c: see utf8.h. Widths and normalisation use utf8proc's tables; nothing here allocates but
 * through the caller's buffer and base/memory. */
#include "config.h"

#include "base/utf8.h"
#include "base/memory.h"

#include <string.h>
#include <utf8proc.h>

enum { MAX_EXPANSION = 32 }; /* code points one code point can decompose into, with room to spare */

/* How a lead byte goes on: its length, and the range its second byte must lie in (Unicode table 3-7). */
static size_t lead_length(uint8_t lead, uint8_t *low, uint8_t *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef) {
        if (lead == 0xe0)
            *low = 0xa0;
        if (lead == 0xed)
            *high = 0x9f;
        return 3;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        if (lead == 0xf0)
            *low = 0x90;
        if (lead == 0xf4)
            *high = 0x8f;
        return 4;
    }
    return 0;
}

int32_t attn_utf8_decode(attn_bytes bytes, size_t at, size_t *length)
{
    const uint8_t *data = bytes.data + at;
    size_t left = bytes.size - at;
    *length = 1;
    if (data[0] < 0x80)
        return data[0];
    uint8_t low, high;
    size_t size = lead_length(data[0], &low, &high);
    if (size == 0 || size > left || data[1] < low || data[1] > high)
        return -1;
    uint32_t code = data[0] & (0xffU >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((data[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (data[i] & 0x3fU);
    }
    *length = size;
    return (int32_t)code;
}

size_t attn_utf8_encode(uint32_t code, uint8_t *out)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (uint8_t)(0xc0 | code >> 6);
        out[1] = (uint8_t)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (uint8_t)(0xe0 | code >> 12);
        out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (code & 0x3f));
    return 4;
}

/* The first offset at or after AT whose byte is not ASCII, or the size. */
static size_t skip_ascii(attn_bytes bytes, size_t at)
{
    uint64_t word;
    for (; bytes.size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes.data + at, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (at < bytes.size && bytes.data[at] < 0x80)
        at++;
    return at;
}

bool attn_utf8_valid(attn_bytes bytes, size_t *bad)
{
    size_t at = 0;
    while ((at = skip_ascii(bytes, at)) < bytes.size) {
        size_t length;
        if (attn_utf8_decode(bytes, at, &length) < 0) {
            if (bad != NULL)
                *bad = at;
            return false;
        }
        at += length;
    }
    return true;
}

static size_t width_of(int32_t code)
{
    /* the vowels and finals of conjoining Hangul stand in the syllable their leading consonant opens */
    if ((code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff))
        return 0;
    return code < 0 ? 1 : (size_t)utf8proc_charwidth(code);
}

size_t attn_utf8_width(attn_bytes bytes)
{
    size_t width = 0, length;
    for (size_t at = 0; at < bytes.size; at += length) {
        int32_t code = attn_utf8_decode(bytes, at, &length);
        width += width_of(code);
    }
    return width;
}

typedef struct code_points {
    int32_t *items; /* owned; [count] */
    int32_t *spare; /* owned; [capacity]: sorting needs a second copy */
    size_t count, capacity;
} code_points;

static bool make_room(code_points *codes, size_t count)
{
    if (codes->capacity - codes->count >= count)
        return true;
    size_t wanted;
    if (!attn_add(codes->count, count, &wanted) || !attn_add(wanted, wanted / 2, &wanted))
        return false;
    int32_t *grown = attn_realloc_array(codes->items, wanted, sizeof *codes->items);
    if (grown == NULL)
        return false;
    codes->items = grown;
    grown = attn_realloc_array(codes->spare, wanted, sizeof *codes->spare);
    if (grown == NULL)
        return false;
    codes->spare = grown;
    codes->capacity = wanted;
    return true;
}

static size_t combining_class(int32_t code)
{
    return (size_t)utf8proc_get_property(code)->combining_class;
}

/* Stable sort of a run of combining marks by class: counting, so that a hostile run costs no square. */
static void sort_run(int32_t *run, int32_t *spare, size_t count)
{
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++)
        start[combining_class(run[i]) + 1]++;
    for (size_t c = 1; c < 257; c++)
        start[c] += start[c - 1];
    memcpy(spare, run, count * sizeof *run);
    for (size_t i = 0; i < count; i++)
        run[start[combining_class(spare[i])]++] = spare[i];
}

static void order_marks(code_points *codes)
{
    size_t i = 0;
    while (i < codes->count) {
        size_t from = i;
        while (i < codes->count && combining_class(codes->items[i]) != 0)
            i++;
        if (i - from > 1)
            sort_run(codes->items + from, codes->spare, i - from);
        if (i == from)
            i++;
    }
}

/* NFC of a well-formed stretch. */
static attn_status compose(attn_bytes bytes, code_points *codes, attn_buffer *out)
{
    codes->count = 0;
    size_t length;
    utf8proc_ssize_t n;
    for (size_t at = 0; at < bytes.size; at += length) {
        int32_t code = attn_utf8_decode(bytes, at, &length);
        int boundary = 0;
        if (!make_room(codes, MAX_EXPANSION))
            return ATTN_ENOMEM;
        n = utf8proc_decompose_char(code, codes->items + codes->count, MAX_EXPANSION, UTF8PROC_DECOMPOSE, &boundary);
        if (n < 0 || n > MAX_EXPANSION) {
            codes->items[codes->count] = code;
            n = 1;
        }
        codes->count += (size_t)n;
    }
    order_marks(codes);
    n = utf8proc_normalize_utf32(codes->items, (utf8proc_ssize_t)codes->count, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    for (utf8proc_ssize_t i = 0; i < n; i++) {
        uint8_t encoded[4];
        attn_buffer_put(out, encoded, attn_utf8_encode((uint32_t)codes->items[i], encoded));
    }
    return out->failed ? ATTN_ENOMEM : ATTN_OK;
}

/* The end of the stretch from AT that can be composed by itself: up to the next ASCII byte (a
 * starter that nothing before it composes with) or ill-formed byte. */
static size_t stretch_end(attn_bytes bytes, size_t at)
{
    if (bytes.data[at] < 0x80)
        at++;
    size_t length;
    while (at < bytes.size && bytes.data[at] >= 0x80 && attn_utf8_decode(bytes, at, &length) >= 0)
        at += length;
    return at;
}

attn_status attn_utf8_nfc(attn_bytes bytes, attn_buffer *out)
{
    code_points codes = {0};
    attn_status status = ATTN_OK;
    size_t at = 0;
    while (at < bytes.size && status == ATTN_OK) {
        size_t from = at;
        at = skip_ascii(bytes, at);
        if (at > from && at < bytes.size)
            at--; /* a mark may follow: this one belongs to the stretch */
        attn_buffer_put(out, bytes.data + from, at - from);
        if (at == bytes.size)
            break;
        size_t end = stretch_end(bytes, at);
        if (end == at)
            attn_buffer_put(out, bytes.data + end++, 1);
        else
            status = compose((attn_bytes){.data = bytes.data + at, .size = end - at}, &codes, out);
        at = end;
    }
    attn_free(codes.items);
    attn_free(codes.spare);
    return status != ATTN_OK || out->failed ? ATTN_ENOMEM : ATTN_OK;
}
