/* coder.c: see coder.h. Used by bpe.c, sentencepiece.c, unigram.c; knows no way to cut a word. */
#include "config.h"

#include "text/coder.h"
#include "text/split.h"
#include "text/word_cache.h"

#include <stdio.h>
#include <string.h>

static const uint8_t mark[] = {0xe2, 0x96, 0x81}; /* '▁' U+2581 */

/* ---- opening ---- */

enum { MAX_PLAIN_STEPS = 4 };

/* The normalizing steps that they ask for: SentencePiece's, in its order. */
static size_t plain_normal_steps(const attn_tokenizer_spec *spec,
                                 attn_normalize_step steps[MAX_PLAIN_STEPS])
{
    const attn_bytes space = {(const uint8_t *)" ", 1}, escaped = {mark, sizeof mark};
    size_t n = 0;
    if (spec->charsmap.size > 0)
        steps[n++] =
            (attn_normalize_step){.op = ATTN_NORMALIZE_PRECOMPILED, .pattern = spec->charsmap};
    if (spec->collapse_spaces)
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_COLLAPSE_SPACES};
    if (spec->dummy_prefix)
        steps[n++] =
            (attn_normalize_step){.op = ATTN_NORMALIZE_PREPEND, .content = space, .dummy = true};
    if (spec->escape_spaces)
        steps[n++] = (attn_normalize_step){
            .op = ATTN_NORMALIZE_REPLACE, .pattern = space, .content = escaped};
    return n;
}

/* The presplit steps that the spec's plain fields ask for. */
static size_t plain_steps(const attn_tokenizer_spec *spec,
                          attn_presplit_step steps[MAX_PLAIN_STEPS])
{
    size_t n = 0;
    if (spec->add_prefix_space)
        steps[n++] = (attn_presplit_step){.op = ATTN_PRESPLIT_PREFIX};
    if (spec->split == ATTN_SPLIT_PATTERN && spec->pattern != NULL)
        steps[n++] = (attn_presplit_step){.op = ATTN_PRESPLIT_PATTERN,
                                          .regex = true,
                                          .pattern = attn_bytes_of(spec->pattern),
                                          .behavior = ATTN_SPLIT_ISOLATED};
    else if (spec->split != ATTN_SPLIT_NONE)
        steps[n++] = (attn_presplit_step){
            .op = ATTN_PRESPLIT_RULE, .rule = spec->split, .behavior = ATTN_SPLIT_ISOLATED};
    return n;
}

attn_status attn_coder_open(attn_coder *coder, const attn_tokenizer_spec *spec, attn_error *error)
{
    attn_normalize_step normal_steps[MAX_PLAIN_STEPS];
    attn_presplit_step steps[MAX_PLAIN_STEPS];
    const struct attn_normalizer normal = {normal_steps, plain_normal_steps(spec, normal_steps)};
    const struct attn_presplitter plain = {steps, plain_steps(spec, steps)};
    attn_status status;
    *coder = (attn_coder){.fuse_unknown = spec->fuse_unknown};
    status = attn_normalize_open(spec->normalizer != NULL ? spec->normalizer : &normal,
                                 &coder->normalizer, error);
    if (status != ATTN_OK)
        return status;
    return attn_presplit_open(spec->presplitter != NULL ? spec->presplitter : &plain,
                              &coder->presplit, error);
}

void attn_coder_close(attn_coder *coder)
{
    attn_normalize_close(coder->normalizer);
    attn_presplit_close(coder->presplit);
    *coder = (attn_coder){0};
}

void attn_byte_token_ids(const attn_vocabulary *vocabulary, uint32_t ids[256])
{
    for (unsigned i = 0; i < 256; i++) {
        char spelled[8];
        size_t id = ATTN_NO_TOKEN;
        snprintf(spelled, sizeof spelled, "<0x%02X>", i);
        attn_map_find(&vocabulary->ids, attn_bytes_of(spelled), &id);
        ids[i] = (uint32_t)id;
    }
}

bool attn_marks_begin_words(const attn_vocabulary *vocabulary)
{
    for (size_t i = 0; i < vocabulary->n_tokens; i++) {
        attn_bytes token = vocabulary->tokens[i];
        bool inside = false;
        for (size_t at = 0; at < token.size; at++) {
            bool marked =
                token.size - at >= sizeof mark && memcmp(token.data + at, mark, sizeof mark) == 0;
            if (marked && inside)
                return false;
            if (marked)
                at += sizeof mark - 1;
            else
                inside = true;
        }
    }
    return true;
}

/* ---- the workspace ---- */

void attn_coder_free_scratch(void *scratch)
{
    attn_coder_space *space = scratch;
    if (space == NULL)
        return;
    attn_free(space->pieces);
    attn_merge_space_free(&space->memory);
    attn_buffer_free(&space->spelling);
    attn_words_free(&space->words);
    attn_word_cache_close(space->cache);
    attn_free(space);
}

static attn_status open_space(attn_encoder *encoder, attn_coder_space **space)
{
    attn_coder_space *made = encoder->scratch;
    if (made == NULL) {
        made = attn_calloc_array(1, sizeof *made);
        encoder->scratch = made;
        if (made == NULL || (made->cache = attn_word_cache_open(encoder->original.size)) == NULL)
            return attn_fail_memory(encoder->error);
    }
    *space = made;
    return ATTN_OK;
}

attn_status attn_coder_reserve(attn_coder_space *space, size_t count, attn_error *error)
{
    size_t capacity = count + count / 2 + 64;
    if (count <= space->capacity)
        return ATTN_OK;
    if (capacity < count)
        return attn_fail_memory(error);
    attn_free(space->pieces);
    space->pieces = attn_alloc_array(capacity, sizeof *space->pieces);
    space->capacity = space->pieces != NULL ? capacity : 0;
    return space->pieces != NULL ? ATTN_OK : attn_fail_memory(error);
}

/* ---- emission ---- */

/* Room for one more token without asking again. */
static inline bool has_room(const attn_tokens *tokens)
{
    return tokens->count < tokens->capacity;
}

static attn_status flush_unknown(attn_encoder *encoder, attn_coder_space *space,
                                 const attn_run *run)
{
    if (!space->unknown)
        return ATTN_OK;
    const uint32_t word = encoder->word;
    attn_status status;
    space->unknown = false;
    encoder->word = space->unknown_word;
    status = attn_encoder_unknown(encoder, run, space->unknown_start, space->unknown_end);
    encoder->word = word;
    return status;
}

static attn_status emit_slowly(const attn_coder *coder, attn_encoder *encoder,
                               attn_coder_space *space, const attn_run *run, uint32_t id,
                               size_t start, size_t end)
{
    attn_status status;
    if (id == ATTN_NO_TOKEN && coder->fuse_unknown) {
        if (!space->unknown) {
            space->unknown_start = start;
            space->unknown_word = encoder->word;
        }
        space->unknown = true;
        space->unknown_end = end;
        return ATTN_OK;
    }
    status = flush_unknown(encoder, space, run);
    if (status != ATTN_OK)
        return status;
    return id == ATTN_NO_TOKEN ? attn_encoder_unknown(encoder, run, start, end)
                               : attn_encoder_emit(encoder, run, id, start, end);
}

/* A piece of RUN: straight to the list where offsets need no mapping. */
static inline attn_status emit(const attn_coder *coder, attn_encoder *encoder,
                               attn_coder_space *space, const attn_run *run, uint32_t id,
                               size_t start, size_t end)
{
    if (run->starts != NULL || id == ATTN_NO_TOKEN || space->unknown || !has_room(encoder->tokens))
        return emit_slowly(coder, encoder, space, run, id, start, end);
    encoder->tokens->items[encoder->tokens->count++] = (attn_token){
        .id = id, .word = encoder->word, .start = run->base + start, .end = run->base + end};
    encoder->n_known++;
    return ATTN_OK;
}

/* ---- the cache ---- */

/* WORD's bytes as numbers, zeros behind them; IN_TEXT: 24 bytes may be read there. */
static inline void load_key(attn_bytes word, bool in_text, uint64_t key[3])
{
    static const uint64_t kept[9] = {0,          0xff,         0xffff,         0xffffff,
                                     0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
                                     UINT64_MAX};
    if (!in_text) {
        uint8_t bytes[3 * sizeof *key] = {0};
        memcpy(bytes, word.data, word.size);
        memcpy(key, bytes, sizeof bytes);
    } else if (word.size <= 8) { /* most */
        memcpy(key, word.data, sizeof *key);
        key[0] &= kept[word.size];
        key[1] = key[2] = 0;
    } else {
        memcpy(key, word.data, 3 * sizeof *key);
        key[1] &= kept[word.size < 16 ? word.size - 8 : 8];
        key[2] &= kept[word.size < 16 ? 0 : word.size - 16];
    }
    key[2] |= (uint64_t)word.size << 56;
}

static inline attn_cached *cache_slot(const attn_word_cache *cache, const uint64_t key[3])
{
    uint64_t hash =
        (key[0] ^ key[1] * UINT64_C(0x9E3779B97F4A7C15) ^ key[2] * UINT64_C(0xC2B2AE3D27D4EB4F)) *
        UINT64_C(0xBF58476D1CE4E5B9);
    return &cache->slots[(hash >> 32 ^ hash >> 49) & cache->mask];
}

static void store(attn_cached *slot, const uint64_t key[3], const attn_coder_space *space)
{
    if (space->n_pieces > ATTN_CACHED_PIECES)
        return;
    memcpy(slot->key, key, sizeof slot->key);
    slot->all_known = true;
    for (size_t i = 0; i < space->n_pieces; i++) {
        slot->all_known = slot->all_known && space->pieces[i].id != ATTN_NO_TOKEN;
        slot->ids[i] = space->pieces[i].id;
        slot->sizes[i] = (uint8_t)space->pieces[i].size;
    }
}

/* ---- words ---- */

static attn_status emit_pieces(const attn_coder *coder, attn_encoder *encoder,
                               attn_coder_space *space, const attn_run *run, size_t start)
{
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < space->n_pieces && status == ATTN_OK; i++) {
        const attn_piece *piece = &space->pieces[i];
        status = emit(coder, encoder, space, run, piece->id, start + piece->start,
                      start + piece->start + piece->size);
    }
    return status;
}

static attn_status cut_word(const attn_coder *coder, attn_encoder *encoder, attn_coder_space *space,
                            const attn_run *run, size_t start, size_t end)
{
    const attn_bytes word = {run->text.data + start, end - start};
    attn_status status = coder->cut(coder->model, space, word, encoder->error);
    return status == ATTN_OK ? emit_pieces(coder, encoder, space, run, start) : status;
}

/* The pieces of SLOT, which are the word START … END. */
static inline attn_status emit_cached(const attn_coder *coder, attn_encoder *encoder,
                                      attn_coder_space *space, const attn_run *run,
                                      const attn_cached *slot, size_t start, size_t end)
{
    attn_tokens *tokens = encoder->tokens;
    attn_status status = ATTN_OK;
    size_t n = 0;
    if (run->starts == NULL && slot->all_known && !space->unknown &&
        tokens->capacity - tokens->count >= ATTN_CACHED_PIECES) {
        attn_token *out = &tokens->items[tokens->count];
        for (size_t at = run->base + start; at < run->base + end; at += slot->sizes[n++])
            out[n] = (attn_token){
                .id = slot->ids[n], .word = encoder->word, .start = at, .end = at + slot->sizes[n]};
        tokens->count += n;
        encoder->n_known += n;
        return ATTN_OK;
    }
    for (size_t at = start; at < end && status == ATTN_OK; at += slot->sizes[n++])
        status = emit(coder, encoder, space, run, slot->ids[n], at, at + slot->sizes[n]);
    return status;
}

/* A word and where the cache would hold it. */
typedef struct looked_up {
    size_t start, end;
    uint64_t key[3];
    attn_cached *slot; /* NULL: too long for the cache */
} looked_up;

static inline void look_up(const attn_word_cache *cache, const attn_run *run, size_t start,
                           size_t end, looked_up *word)
{
    word->start = start;
    word->end = end;
    word->slot = NULL;
    if (end - start > ATTN_CACHED_BYTES)
        return;
    load_key((attn_bytes){run->text.data + start, end - start},
             run->text.size - start >= sizeof word->key, word->key);
    word->slot = cache_slot(cache, word->key);
#if defined(__GNUC__)
    __builtin_prefetch(word->slot);
#endif
}

static inline attn_status encode_looked_up(const attn_coder *coder, attn_encoder *encoder,
                                           attn_coder_space *space, const attn_run *run,
                                           const looked_up *word)
{
    attn_cached *slot = word->slot;
    attn_status status;
    if (slot != NULL && slot->key[0] == word->key[0] && slot->key[1] == word->key[1] &&
        slot->key[2] == word->key[2])
        return emit_cached(coder, encoder, space, run, slot, word->start, word->end);
    status = cut_word(coder, encoder, space, run, word->start, word->end);
    if (slot != NULL && status == ATTN_OK)
        store(slot, word->key, space);
    return status;
}

static attn_status encode_word(const attn_coder *coder, attn_encoder *encoder,
                               attn_coder_space *space, const attn_run *run, size_t start,
                               size_t end)
{
    looked_up word;
    look_up(space->cache, run, start, end, &word);
    return encode_looked_up(coder, encoder, space, run, &word);
}

/* The start of the first '▁' after AT that follows another character, or the end. */
static size_t next_mark(attn_bytes text, size_t at)
{
    while (at < text.size && text.size - at >= sizeof mark &&
           memcmp(text.data + at, mark, sizeof mark) == 0)
        at += sizeof mark;
    while (at < text.size) {
        const uint8_t *found = memchr(text.data + at, mark[0], text.size - at);
        if (found == NULL)
            return text.size;
        at = (size_t)(found - text.data);
        if (text.size - at >= sizeof mark && memcmp(found, mark, sizeof mark) == 0)
            return at;
        at++;
    }
    return text.size;
}

/* A word of the pre-tokenizer, in parts where a '▁' begins a new one. */
static attn_status encode_marked(const attn_coder *coder, attn_encoder *encoder,
                                 attn_coder_space *space, const attn_run *run, attn_word word)
{
    const attn_bytes text = {run->text.data, word.end};
    attn_status status = ATTN_OK;
    for (size_t at = word.start, end; at < word.end && status == ATTN_OK; at = end) {
        end = next_mark(text, at);
        status = encode_word(coder, encoder, space, run, at, end);
        encoder->word++;
    }
    return status;
}

static attn_status encode_words(const attn_coder *coder, attn_encoder *encoder,
                                attn_coder_space *space, const attn_run *run)
{
    attn_words *words = &space->words;
    attn_status status = attn_presplit_run(coder->presplit, run, words, encoder->error);
    for (size_t i = 0; i < words->count && status == ATTN_OK; i++) {
        if (coder->at_marks) {
            status = encode_marked(coder, encoder, space, &words->run, words->items[i]);
        } else {
            status = encode_word(coder, encoder, space, &words->run, words->items[i].start,
                                 words->items[i].end);
            encoder->word++;
        }
        if (status == ATTN_OK)
            status = flush_unknown(encoder, space, &words->run);
    }
    return status;
}

attn_status attn_coder_normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw,
                                 bool is_text, attn_normal *normal)
{
    const attn_coder *coder = tokenizer->state;
    return attn_normalize_run(coder->normalizer, lowercase, is_text, raw, normal);
}

enum { AHEAD = 8 }; /* words that are looked up before the first of them is used: memory is slow */

/* A run that a hand-written rule splits: no list of words. */
static attn_status encode_by_rule(const attn_coder *coder, attn_encoder *encoder,
                                  attn_coder_space *space, const attn_run *run,
                                  attn_pretokenizer rule)
{
    attn_status status = ATTN_OK;
    for (size_t at = 0; at < run->text.size && status == ATTN_OK;) {
        looked_up words[AHEAD];
        size_t n = 0;
        for (; n < AHEAD && at < run->text.size; n++) {
            size_t end = attn_split_end(rule, run->text, at);
            look_up(space->cache, run, at, end, &words[n]);
            at = end;
        }
        for (size_t i = 0; i < n && status == ATTN_OK; i++) {
            status = encode_looked_up(coder, encoder, space, run, &words[i]);
            encoder->word++;
            if (space->unknown && status == ATTN_OK)
                status = flush_unknown(encoder, space, run);
        }
    }
    return status;
}

attn_status attn_coder_encode(attn_encoder *encoder, const attn_run *run)
{
    const attn_coder *coder = encoder->tokenizer->state;
    const attn_pretokenizer rule = attn_presplit_rule(coder->presplit);
    attn_coder_space *space = NULL;
    attn_status status = open_space(encoder, &space);
    if (status != ATTN_OK)
        return status;
    return rule != ATTN_SPLIT_NONE ? encode_by_rule(coder, encoder, space, run, rule)
                                   : encode_words(coder, encoder, space, run);
}
