/* wordpiece.c: BERT's tokens: words and punctuation marks of the text in BERT's normal form
 * (bert_normal.c), each cut into the longest pieces of the vocabulary from left to right; all
 * pieces but a word's first are spelled with "##" before them. A word with a part that is no piece,
 * or of more than 100 characters, is [UNK] as a whole. After Devlin et al., "BERT", 2018, and its
 * published tokenizer.
 *
 * The text is taken in stretches without white space: one of plain ASCII is lower-cased in place,
 * any other goes through the normal form. */
#include "config.h"

#include "base/utf8.h"
#include "text/kinds/wordpieces.h"
#include "text/unicode/bert_normal.h"
#include "text/unicode/unicode.h"

#include <string.h>

typedef enum byte_class { BYTE_WORD, BYTE_PUNCTUATION, BYTE_SPACE, BYTE_SLOW } byte_class;

typedef struct wordpiece {
    uint8_t classes[256]; /* byte_class of each byte of raw text */
    attn_wordpieces pieces;
} wordpiece;

/* SLOW: what needs the normal form. */
static byte_class class_of(uint8_t byte)
{
    switch (byte) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
        return BYTE_SPACE;
    default:
        if (byte < 0x20 || byte >= 0x7F)
            return BYTE_SLOW;
        return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ? BYTE_WORD
                                                                                              : BYTE_PUNCTUATION;
    }
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    wordpiece *state = attn_calloc_array(1, sizeof *state);
    (void)spec;
    if (state == NULL)
        return attn_fail_memory(error);
    tokenizer->state = state;
    for (unsigned byte = 0; byte < sizeof state->classes; byte++)
        state->classes[byte] = (uint8_t)class_of((uint8_t)byte);
    return attn_wordpieces_open(&state->pieces, tokenizer, error);
}

static void close_kind(void *state)
{
    wordpiece *own = state;
    if (own == NULL)
        return;
    attn_wordpieces_free(&own->pieces);
    attn_free(own);
}

/* ---- one word ---- */

/* Cuts the word START … END of RUN. */
static attn_status encode_word(attn_encoder *encoder, const attn_run *run, size_t start, size_t end)
{
    const wordpiece *state = encoder->tokenizer->state;
    const attn_bytes word = {run->text.data + start, end - start};
    attn_status status = ATTN_OK;
    size_t n_before = encoder->tokens->count;
    size_t n_known = encoder->n_known;
    size_t at = 0;
    uint32_t id;
    if (attn_wordpieces_too_long(&state->pieces, word))
        return attn_encoder_unknown(encoder, run, start, end);
    while (at < word.size && status == ATTN_OK) {
        size_t length = attn_wordpieces_next(&state->pieces, word, at, &id);
        if (length == 0) { /* the whole word is unknown: take its pieces back */
            encoder->tokens->count = n_before;
            encoder->n_known = n_known;
            return attn_encoder_unknown(encoder, run, start, end);
        }
        status = attn_encoder_emit(encoder, run, id, start + at, start + at + length);
        at += length;
    }
    return status;
}

/* ---- the text ---- */

/* Encodes the word START … END unless it is empty, and counts it. */
static attn_status flush(attn_encoder *encoder, const attn_run *run, size_t start, size_t end)
{
    attn_status status = ATTN_OK;
    if (end > start) {
        status = encode_word(encoder, run, start, end);
        encoder->word++;
    }
    return status;
}

/* The words and punctuation marks of RUN, which is in normal form. */
static attn_status encode_words(attn_encoder *encoder, const attn_run *run)
{
    attn_status status = ATTN_OK;
    size_t start = 0;
    size_t length;
    for (size_t at = 0; at < run->text.size && status == ATTN_OK; at += length) {
        int32_t code = attn_utf8_decode(run->text, at, &length);
        bool mark = attn_char_is_punctuation(code);
        if (!mark && !attn_char_is_space(code))
            continue;
        status = flush(encoder, run, start, at);
        if (status == ATTN_OK && mark)
            status = flush(encoder, run, at, at + length);
        start = at + length;
    }
    return status == ATTN_OK ? flush(encoder, run, start, run->text.size) : status;
}

/* RAW in BERT's normal form, in NORMAL. */
static attn_status fold(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, attn_normal *normal,
                        attn_error *error)
{
    const attn_tokenizer_spec *spec = &tokenizer->spec;
    const attn_bert_fold how = {.rules = spec->bert_rules,
                                .clean_text = spec->clean_text,
                                .split_cjk = spec->split_cjk,
                                /* --lowercase over a cased model strips accents as an uncased one does */
                                .strip_accents = lowercase == spec->lowercase ? spec->strip_accents : lowercase,
                                .lowercase = lowercase,
                                .replace = true};
    attn_rewrite rewrite = {.text = raw, .out = normal, .error = error};
    return attn_bert_rewrite(&how, &rewrite);
}

/* A stretch without white space that is not plain ASCII. */
static attn_status encode_folded(attn_encoder *encoder, const attn_run *run)
{
    attn_normal normal = {0};
    attn_run folded = {.base = run->base};
    attn_status status = fold(encoder->tokenizer, encoder->lowercase, run->text, &normal, encoder->error);
    if (status == ATTN_OK) {
        folded.text = attn_buffer_bytes(&normal.text);
        folded.starts = normal.starts;
        folded.ends = normal.ends;
        status = encode_words(encoder, &folded);
    }
    attn_normal_free(&normal);
    return status;
}

/* One ASCII word, lower-cased in a buffer. */
static attn_status encode_ascii(attn_encoder *encoder, const attn_run *run)
{
    uint8_t lower[ATTN_MAX_ENTRY];
    attn_run word = *run;
    if (encoder->lowercase && word.text.size <= sizeof lower) {
        for (size_t i = 0; i < word.text.size; i++) {
            uint8_t byte = run->text.data[i];
            lower[i] = (uint8_t)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
        }
        word.text.data = lower;
    } else if (encoder->lowercase) {
        return encode_folded(encoder, run);
    }
    return flush(encoder, &word, 0, word.text.size);
}

/* The words at START of RUN up to white space: *END. */
static attn_status encode_stretch(attn_encoder *encoder, const attn_run *run, size_t start, size_t *end)
{
    const uint8_t *classes = ((const wordpiece *)encoder->tokenizer->state)->classes;
    const uint8_t *data = run->text.data;
    attn_run part = {.base = 0};
    attn_status status = ATTN_OK;
    size_t stop = start;
    bool slow = false;
    for (; stop < run->text.size && classes[data[stop]] != BYTE_SPACE; stop++)
        slow = slow || classes[data[stop]] == BYTE_SLOW;
    *end = stop;
    for (size_t at = start; at < stop && status == ATTN_OK; at += part.text.size) {
        size_t word_end = slow ? stop : at + 1;
        if (classes[data[at]] == BYTE_WORD)
            while (word_end < stop && classes[data[word_end]] == BYTE_WORD)
                word_end++;
        part.text = (attn_bytes){data + at, word_end - at};
        part.base = run->base + at;
        status = slow ? encode_folded(encoder, &part) : encode_ascii(encoder, &part);
    }
    return status;
}

static attn_status encode(attn_encoder *encoder, const attn_run *run)
{
    const uint8_t *classes = ((const wordpiece *)encoder->tokenizer->state)->classes;
    attn_status status = ATTN_OK;
    size_t at = 0;
    if (run->starts != NULL) /* folded already, for normalized added tokens */
        return encode_words(encoder, run);
    while (at < run->text.size && status == ATTN_OK) {
        if (classes[run->text.data[at]] == BYTE_SPACE)
            at++;
        else
            status = encode_stretch(encoder, run, at, &at);
    }
    return status;
}

static attn_status normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool is_text,
                             attn_normal *normal, attn_error *error)
{
    (void)is_text;
    return fold(tokenizer, lowercase, raw, normal, error);
}

static const attn_kind *variant(const attn_tokenizer_spec *spec)
{
    return spec->presplitter != NULL ? &attn_kind_wordpiece_steps : &attn_kind_wordpiece;
}

const attn_kind attn_kind_wordpiece = {
    .name = "wordpiece",
    .variant = variant,
    .always_special = true,
    .open = open_kind,
    .close = close_kind,
    .lazy = true,
    .normalize = normalize,
    .encode = encode,
};
