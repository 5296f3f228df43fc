/* tokenizer.c: drives one encode: prefix, added tokens, normal form, the kind, suffix. It knows no
 * kind but through its row. */
#include "config.h"

#include "text/added.h"
#include "text/hints.h"
#include "text/kinds/kinds.h"
#include "text/split/segment.h"

#include <string.h>

void attn_tokens_clear(attn_tokens *tokens)
{
    tokens->count = 0;
    attn_map_free(&tokens->made);
    attn_arena_free(&tokens->made_texts);
}

void attn_tokens_free(attn_tokens *tokens)
{
    attn_tokens_clear(tokens);
    attn_free(tokens->items);
    *tokens = (attn_tokens){0};
}

attn_encode_options attn_encode_options_default(void)
{
    return (attn_encode_options){.add_special = true, .lowercase = -1, .unknown_token = ATTN_NO_TOKEN};
}

/* ---- what kinds call ---- */

/* The original's bytes behind RUN's bytes START … END. */
static attn_span original_span(const attn_run *run, size_t start, size_t end)
{
    attn_span span = {start, end};
    if (run->starts != NULL && run->text.size > 0) {
        span.start = start < run->text.size ? run->starts[start] : run->ends[run->text.size - 1];
        span.end = end > start ? run->ends[end - 1] : span.start;
    }
    span.start += run->base;
    span.end += run->base;
    return span;
}

static attn_status append(attn_encoder *encoder, uint32_t id, attn_span span, bool special)
{
    attn_tokens *tokens = encoder->tokens;
    if (tokens->count >= tokens->capacity) {
        void *items = tokens->items;
        if (!attn_grow(&items, &tokens->capacity, tokens->count, sizeof *tokens->items))
            return attn_fail_memory(encoder->error);
        tokens->items = items;
    }
    tokens->items[tokens->count++] = (attn_token){
        .id = id, .word = encoder->word & ATTN_WORD_NUMBERS, .special = special, .start = span.start, .end = span.end};
    return ATTN_OK;
}

attn_status attn_encoder_emit(attn_encoder *encoder, const attn_run *run, uint32_t id, size_t start, size_t end)
{
    encoder->n_known++;
    return append(encoder, id, original_span(run, start, end), false);
}

attn_status attn_encoder_unknown(attn_encoder *encoder, const attn_run *run, size_t start, size_t end)
{
    attn_span span = original_span(run, start, end);
    encoder->n_unknown++;
    if (encoder->n_missing < ATTN_MISSING_KEPT)
        encoder->missing[encoder->n_missing++] = span;
    if (encoder->unknown_is_error)
        return attn_fail_unknown(encoder, span);
    if (encoder->unknown != ATTN_NO_TOKEN)
        return append(encoder, encoder->unknown, span, false);
    if (encoder->options->unknown == ATTN_UNKNOWN_DEFAULT && encoder->tokenizer->spec.unknown_name != NULL)
        return attn_fail_needs_unknown(encoder, span);
    return attn_unknowns_add(encoder, span);
}

/* The id of WORD, which the tokenizer knows beyond its vocabulary. */
static attn_status make_word(attn_encoder *encoder, attn_bytes word, size_t *id)
{
    attn_tokens *tokens = encoder->tokens;
    const size_t first = encoder->tokenizer->vocabulary.n_tokens;
    if (!attn_map_find(&tokens->made, word, id)) {
        const char *copy = attn_arena_text(&tokens->made_texts, (const char *)word.data, word.size);
        *id = tokens->made.count;
        if (copy == NULL ||
            attn_map_add(&tokens->made, (attn_bytes){(const uint8_t *)copy, word.size}, *id) == ATTN_MAP_NOMEM)
            return attn_fail_memory(encoder->error);
    }
    *id += first;
    return *id < ATTN_NO_TOKEN ? ATTN_OK : attn_fail(encoder->error, ATTN_EDATA, "too many different words in a text");
}

void attn_tokenizer_knows_more(attn_tokenizer *tokenizer, attn_knows_word *knows, const void *context)
{
    tokenizer->knows = knows;
    tokenizer->knows_context = context;
}

attn_bytes attn_tokens_made(const attn_tokens *tokens, const attn_tokenizer *tokenizer, uint32_t id)
{
    const size_t first = tokenizer->vocabulary.n_tokens;
    return id < first || id - first >= tokens->made.count ? (attn_bytes){NULL, 0}
                                                          : attn_map_key(&tokens->made.entries[id - first]);
}

attn_status attn_encoder_look_up(attn_encoder *encoder, const attn_run *run, size_t start, size_t end)
{
    attn_bytes unit = {run->text.data + start, end - start};
    size_t id;
    if (attn_map_find(&encoder->tokenizer->vocabulary.ids, unit, &id))
        return attn_encoder_emit(encoder, run, (uint32_t)id, start, end);
    const attn_tokenizer *tokenizer = encoder->tokenizer;
    if (tokenizer->knows == NULL || !tokenizer->knows(tokenizer->knows_context, unit))
        return attn_encoder_unknown(encoder, run, start, end);
    attn_status status = make_word(encoder, unit, &id);
    return status == ATTN_OK ? attn_encoder_emit(encoder, run, (uint32_t)id, start, end) : status;
}

/* ---- the drive ---- */

/* A special of the model's or an added token: a word of its own. */
static attn_status emit_apart(attn_encoder *encoder, uint32_t id, attn_span span, bool special)
{
    attn_status status;
    if (encoder->tokens->count > 0 && encoder->word == encoder->tokens->items[encoder->tokens->count - 1].word)
        encoder->word++;
    status = append(encoder, id, span, special);
    encoder->word++;
    return status;
}

static attn_status emit_match(attn_encoder *encoder, const attn_run *run, const attn_added_match *match)
{
    const attn_added_token *token = match->token;
    encoder->n_known++;
    return emit_apart(encoder, token->id, original_span(run, match->start, match->end), token->special);
}

static attn_run slice(const attn_run *run, size_t start, size_t end)
{
    attn_run part = *run;
    part.text = (attn_bytes){run->text.data + start, end - start};
    part.first = run->first && start == 0;
    if (run->starts != NULL) {
        part.starts = run->starts + start;
        part.ends = run->ends + start;
    } else {
        part.base = run->base + start;
    }
    return part;
}

static attn_status encode_part(attn_encoder *encoder, const attn_run *run, size_t start, size_t end)
{
    attn_run part = slice(run, start, end);
    return part.text.size > 0 ? encoder->tokenizer->kind->encode(encoder, &part) : ATTN_OK;
}

/* A normalised run: its normalised added tokens, and the kind between them. */
static attn_status encode_normal(attn_encoder *encoder, const attn_run *run)
{
    const attn_tokenizer *tokenizer = encoder->tokenizer;
    const bool parse_special = encoder->options->parse_special || tokenizer->kind->always_special;
    attn_added_match match;
    attn_status status;
    size_t at = 0;
    while (attn_added_find(tokenizer->added_normalized, run->text, at, parse_special, &match)) {
        if ((status = encode_part(encoder, run, at, match.start)) != ATTN_OK ||
            (status = emit_match(encoder, run, &match)) != ATTN_OK)
            return status;
        at = match.end;
    }
    return encode_part(encoder, run, at, run->text.size);
}

/* A block of raw text: normal form first. */
static attn_status encode_block(attn_encoder *encoder, size_t start, size_t end)
{
    const attn_kind *kind = encoder->tokenizer->kind;
    attn_run run = {.text = {encoder->original.data + start, end - start}, .base = start, .first = start == 0};
    attn_normal normal = {0};
    attn_status status = ATTN_OK;
    normal.same = kind->normalize == NULL || (kind->lazy && encoder->tokenizer->added_normalized == NULL);
    if (!normal.same)
        status = kind->normalize(encoder->tokenizer, encoder->lowercase, run.text, true, &normal, encoder->error);
    if (status != ATTN_OK && encoder->error != NULL && encoder->error->has_offset)
        encoder->error->offset += start;
    if (status == ATTN_OK && !normal.same) {
        run.text = attn_buffer_bytes(&normal.text);
        run.starts = normal.starts;
        run.ends = normal.ends;
    }
    if (status == ATTN_OK && run.text.size > 0) /* nothing may be left of it */
        status = encode_normal(encoder, &run);
    attn_normal_free(&normal);
    return status;
}

/* A stretch of raw text between added tokens. */
static attn_status encode_raw(attn_encoder *encoder, size_t start, size_t end)
{
    const attn_tokenizer *tokenizer = encoder->tokenizer;
    const bool in_blocks = tokenizer->kind->in_blocks && tokenizer->added_normalized == NULL;
    const attn_bytes before_end = {encoder->original.data, end};
    attn_status status = ATTN_OK;
    while (start < end && status == ATTN_OK) {
        size_t block_end = in_blocks ? attn_segment_block(before_end, start) : end;
        status = encode_block(encoder, start, block_end);
        start = block_end;
    }
    return status;
}

static attn_status encode_text(attn_encoder *encoder)
{
    const attn_tokenizer *tokenizer = encoder->tokenizer;
    const bool parse_special = encoder->options->parse_special || tokenizer->kind->always_special;
    const attn_run whole = {.text = encoder->original};
    attn_added_match match;
    attn_status status;
    size_t at = 0;
    while (attn_added_find(tokenizer->added, encoder->original, at, parse_special, &match)) {
        if ((status = encode_raw(encoder, at, match.start)) != ATTN_OK ||
            (status = emit_match(encoder, &whole, &match)) != ATTN_OK)
            return status;
        at = match.end;
    }
    return encode_raw(encoder, at, encoder->original.size);
}

static attn_status emit_around(attn_encoder *encoder, const uint32_t *ids, size_t count, size_t offset)
{
    const attn_span span = {offset, offset};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < count && status == ATTN_OK && encoder->options->add_special; i++)
        status = emit_apart(encoder, ids[i], span, true);
    return status;
}

static void choose_unknown(attn_encoder *encoder)
{
    encoder->unknown = ATTN_NO_TOKEN;
    switch (encoder->options->unknown) {
    case ATTN_UNKNOWN_DEFAULT:
        encoder->unknown = encoder->tokenizer->spec.unknown;
        break;
    case ATTN_UNKNOWN_TOKEN:
        encoder->unknown = encoder->options->unknown_token;
        break;
    case ATTN_UNKNOWN_ERROR:
        encoder->unknown_is_error = true;
        break;
    case ATTN_UNKNOWN_SKIP:
        break;
    }
}

/* Leaves of UNKNOWNS, which may be NULL, what was there BEFORE. */
static void forget(attn_unknowns *unknowns, const attn_unknowns *before)
{
    if (unknowns == NULL)
        return;
    while (unknowns->n_kept > before->n_kept)
        attn_free(unknowns->kept[--unknowns->n_kept]);
    unknowns->count = before->count;
    unknowns->more = before->more;
}

attn_status attn_tokenizer_encode(const attn_tokenizer *tokenizer, attn_bytes text, const attn_encode_options *options,
                                  attn_tokens *tokens, attn_unknowns *unknowns, attn_error *error)
{
    const attn_encode_options standard = attn_encode_options_default();
    const attn_tokenizer_spec *spec = &tokenizer->spec;
    const size_t n_before = tokens->count;
    const attn_unknowns before = unknowns != NULL ? *unknowns : (attn_unknowns){0};
    attn_status status;
    attn_encoder encoder = {.tokenizer = tokenizer,
                            .options = options != NULL ? options : &standard,
                            .original = text,
                            .tokens = tokens,
                            .unknowns = unknowns,
                            .error = error};
    encoder.lowercase = encoder.options->lowercase < 0 ? spec->lowercase : encoder.options->lowercase > 0;
    encoder.word = n_before > 0 ? tokens->items[n_before - 1].word + 1 : 0;
    choose_unknown(&encoder);
    if (encoder.unknown != ATTN_NO_TOKEN && encoder.unknown >= tokenizer->vocabulary.n_tokens)
        return attn_fail(error, ATTN_EUSAGE, "the unknown token's id %lu is beyond the vocabulary's %zu",
                         (unsigned long)encoder.unknown, tokenizer->vocabulary.n_tokens);
    status = emit_around(&encoder, spec->prefix, spec->n_prefix, 0);
    if (status == ATTN_OK)
        status = encode_text(&encoder);
    if (status == ATTN_OK)
        status = emit_around(&encoder, spec->suffix, spec->n_suffix, text.size);
    if (status == ATTN_OK && encoder.n_unknown > 0 && encoder.n_known == 0 && encoder.unknown == ATTN_NO_TOKEN)
        status = attn_fail_none_known(&encoder);
    if (encoder.scratch != NULL && tokenizer->kind->free_scratch != NULL)
        tokenizer->kind->free_scratch(encoder.scratch);
    if (status != ATTN_OK) {
        attn_fail_place(&encoder);
        tokens->count = n_before;
        forget(unknowns, &before); /* the error tells of them */
    }
    return status;
}
