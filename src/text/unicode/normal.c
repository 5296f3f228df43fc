/* normal.c: see normal.h. */
#include "config.h"

#include "text/unicode/normal.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

void attn_normal_free(attn_normal *normal)
{
    attn_buffer_free(&normal->text);
    attn_free(normal->starts);
    attn_free(normal->ends);
    *normal = (attn_normal){0};
}

/* Room for NEEDED bytes and their origins. */
static bool grow(attn_normal *normal, size_t needed)
{
    size_t capacity;
    size_t *starts, *ends;
    if (!attn_add(needed, needed / 2 + 64, &capacity) ||
        attn_buffer_room(&normal->text, capacity - normal->text.size) == NULL)
        return false;
    starts = attn_realloc_array(normal->starts, capacity, sizeof *starts);
    if (starts == NULL)
        return false;
    normal->starts = starts;
    ends = attn_realloc_array(normal->ends, capacity, sizeof *ends);
    if (ends == NULL)
        return false;
    normal->ends = ends;
    normal->capacity = capacity;
    return true;
}

static attn_status fail_limit(const attn_rewrite *rewrite)
{
    return attn_fail(rewrite->error, ATTN_EDATA,
                     "it makes more of this text than %zu bytes, which is the limit for one of its length",
                     rewrite->limit);
}

/* Room for SIZE more bytes. */
static inline attn_status reserve(const attn_rewrite *rewrite, size_t size)
{
    attn_normal *out = rewrite->out;
    const size_t needed = out->text.size + size;
    if (needed >= size && (needed <= out->capacity || grow(out, needed)))
        return ATTN_OK;
    return attn_fail_memory(rewrite->error);
}

/* Makes the SIZE bytes behind the text part of it. */
static inline attn_status append(const attn_rewrite *rewrite, size_t size)
{
    rewrite->out->text.size += size;
    return rewrite->limit > 0 && rewrite->out->text.size > rewrite->limit ? fail_limit(rewrite) : ATTN_OK;
}

static attn_status copy(const attn_rewrite *rewrite, size_t from, size_t to)
{
    attn_normal *out = rewrite->out;
    const size_t size = to - from, at = out->text.size;
    attn_status status = size > 0 ? reserve(rewrite, size) : ATTN_OK;
    if (size == 0 || status != ATTN_OK)
        return status;
    memcpy(out->text.data + at, rewrite->text.data + from, size);
    for (size_t i = 0; i < size; i++) {
        out->starts[at + i] = rewrite->starts != NULL ? rewrite->starts[from + i] : from + i;
        out->ends[at + i] = rewrite->ends != NULL ? rewrite->ends[from + i] : from + i + 1;
    }
    return append(rewrite, size);
}

size_t attn_rewrite_origin(const attn_rewrite *rewrite, size_t at)
{
    if (rewrite->starts == NULL)
        return at;
    if (at < rewrite->text.size)
        return rewrite->starts[at];
    return at > 0 ? rewrite->ends[at - 1] : 0;
}

attn_status attn_rewrite_skip(attn_rewrite *rewrite, size_t from, size_t to)
{
    attn_status status = from > rewrite->done ? copy(rewrite, rewrite->done, from) : ATTN_OK;
    if (to > rewrite->done)
        rewrite->done = to;
    return status;
}

attn_status attn_rewrite_put(attn_rewrite *rewrite, size_t from, size_t to, const void *data, size_t size)
{
    attn_normal *out = rewrite->out;
    const size_t start = attn_rewrite_origin(rewrite, from), at = out->text.size;
    size_t end = start;
    attn_status status = size > 0 ? reserve(rewrite, size) : ATTN_OK;
    if (size == 0 || status != ATTN_OK)
        return status;
    if (to > from)
        end = rewrite->ends != NULL ? rewrite->ends[to - 1] : to;
    memcpy(out->text.data + at, data, size);
    for (size_t i = 0; i < size; i++) {
        out->starts[at + i] = start;
        out->ends[at + i] = end;
    }
    return append(rewrite, size);
}

attn_status attn_rewrite_replace(attn_rewrite *rewrite, size_t from, size_t to, const void *data, size_t size)
{
    attn_status status = attn_rewrite_skip(rewrite, from, to);
    return status == ATTN_OK ? attn_rewrite_put(rewrite, from, to, data, size) : status;
}

attn_status attn_rewrite_code(attn_rewrite *rewrite, size_t from, size_t to, int32_t code)
{
    uint8_t encoded[4];
    return attn_rewrite_replace(rewrite, from, to, encoded, attn_utf8_encode((uint32_t)code, encoded));
}

attn_status attn_rewrite_codes(attn_rewrite *rewrite, const attn_code *items, size_t n)
{
    enum { LONGEST = 4 }; /* bytes of a character */
    attn_normal *out = rewrite->out;
    const size_t from = n > 0 ? items[0].start : rewrite->done;
    size_t at;
    attn_status status = attn_rewrite_skip(rewrite, from, n > 0 ? items[n - 1].end : from);
    if (status == ATTN_OK)
        status = n <= SIZE_MAX / LONGEST ? reserve(rewrite, LONGEST * n) : attn_fail_memory(rewrite->error);
    if (status != ATTN_OK)
        return status;
    at = out->text.size;
    for (size_t i = 0; i < n; i++) {
        const attn_code *item = &items[i];
        const size_t start = attn_rewrite_origin(rewrite, item->start);
        const size_t end = rewrite->ends != NULL ? rewrite->ends[item->end - 1] : item->end;
        uint8_t *place = (uint8_t *)out->text.data + at;
        size_t size = 1;
        if (item->code < 0)
            *place = rewrite->text.data[item->start];
        else
            size = attn_utf8_encode((uint32_t)item->code, place);
        for (; size > 0; size--, at++) {
            out->starts[at] = start;
            out->ends[at] = end;
        }
    }
    return append(rewrite, at - out->text.size);
}

attn_status attn_rewrite_take_off(attn_rewrite *rewrite, size_t from, size_t to)
{
    attn_normal *out = rewrite->out;
    attn_status status = attn_rewrite_skip(rewrite, from, to);
    const size_t end = to > from && rewrite->ends != NULL ? rewrite->ends[to - 1] : to;
    if (status != ATTN_OK || out->text.size == 0 || out->text.data[out->text.size - 1] == ' ')
        return status;
    for (size_t at = out->text.size; at-- > 0;) {
        if (end > out->ends[at])
            out->ends[at] = end;
        if (((uint8_t)out->text.data[at] & 0xC0) != 0x80)
            break;
    }
    return ATTN_OK;
}

attn_status attn_rewrite_end(attn_rewrite *rewrite)
{
    if (rewrite->done == 0 && rewrite->out->text.size == 0)
        return ATTN_OK;
    return attn_rewrite_skip(rewrite, rewrite->text.size, rewrite->text.size);
}
