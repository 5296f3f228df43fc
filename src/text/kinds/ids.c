/* ids.c: the text is token ids in decimal, separated by white space or commas. */
#include "config.h"

#include "base/decimal.h"
#include "text/hints.h"
#include "text/unicode/unicode.h"

#include <stdio.h>
#include <string.h>

static bool separates(uint8_t byte)
{
    return byte == ',' || (byte < 0x80 && attn_char_is_space(byte));
}

static attn_status encode_id(attn_encoder *encoder, const attn_run *run, size_t start, size_t end)
{
    const size_t n_tokens = encoder->tokenizer->vocabulary.n_tokens;
    attn_bytes digits = {run->text.data + start, end - start};
    uint64_t id;
    if (!attn_decimal_u64(digits, n_tokens - 1, &id))
        return attn_fail_not_id(encoder, (attn_span){run->base + start, run->base + end});
    return attn_encoder_emit(encoder, run, (uint32_t)id, start, end);
}

/* Any rows, called by their numbers. */
static attn_status numbers(attn_arena *arena, attn_bytes **made, size_t *n_tokens, attn_error *error)
{
    attn_bytes *tokens = attn_arena_alloc(arena, *n_tokens, sizeof *tokens);
    size_t n_digits = 1, total = 0;
    for (size_t i = 0, next = 10; i < *n_tokens; i++) {
        if (i == next) {
            n_digits++;
            next = next <= SIZE_MAX / 10 ? next * 10 : SIZE_MAX;
        }
        total += n_digits;
    }
    uint8_t *digits = attn_arena_alloc(arena, total, 1);
    if (tokens == NULL || digits == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < *n_tokens; i++) {
        char number[24];
        const size_t length = (size_t)snprintf(number, sizeof number, "%zu", i);
        memcpy(digits, number, length);
        tokens[i] = (attn_bytes){digits, length};
        digits += length;
    }
    *made = tokens;
    return ATTN_OK;
}

static attn_status encode(attn_encoder *encoder, const attn_run *run)
{
    attn_status status = ATTN_OK;
    size_t start = 0;
    for (size_t at = 0; at <= run->text.size && status == ATTN_OK; at++) {
        if (at < run->text.size && !separates(run->text.data[at]))
            continue;
        if (at > start) {
            status = encode_id(encoder, run, start, at);
            encoder->word++;
        }
        start = at + 1;
    }
    return status;
}

const attn_kind attn_kind_ids = {
    .name = "ids",
    .wordless = ATTN_WORDLESS_NUMBERED,
    .vocabulary = numbers,
    .encode = encode,
};
