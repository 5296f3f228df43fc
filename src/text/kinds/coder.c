/* coder.c: see coder.h. Used by bpe.c, sentencepiece.c, unigram.c; knows no way to cut a word. */
#include "config.h"

#include "text/byte_alphabet.h"
#include "text/kinds/coder.h"
#include "text/split/split.h"
#include "text/kinds/word_cache.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- opening ---- */

enum { MAX_PLAIN_STEPS = 4 };

/* The normalizing steps that the spec's plain fields ask for: SentencePiece's, in its order. */
static size_t plain_normal_steps(const attn_tokenizer_spec *spec, attn_normalize_step steps[MAX_PLAIN_STEPS])
{
    const attn_bytes space = {(const uint8_t *)" ", 1}, escaped = attn_bytes_of(ATTN_WORD_MARK);
    size_t n = 0;
    if (spec->charsmap.size > 0)
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_PRECOMPILED, .pattern = spec->charsmap};
    if (spec->collapse_spaces)
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_COLLAPSE_SPACES};
    if (spec->dummy_prefix)
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_PREPEND, .content = space, .dummy = true};
    if (spec->escape_spaces)
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_REPLACE, .pattern = space, .content = escaped};
    return n;
}

/* The presplit steps that they ask for. */
static size_t plain_steps(const attn_tokenizer_spec *spec, attn_presplit_step steps[MAX_PLAIN_STEPS])
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
        steps[n++] =
            (attn_presplit_step){.op = ATTN_PRESPLIT_RULE, .rule = spec->split, .behavior = ATTN_SPLIT_ISOLATED};
    return n;
}

attn_status attn_coder_open(attn_coder *coder, const attn_tokenizer_spec *spec, attn_cutter *cut, const void *model,
                            attn_error *error)
{
    attn_normalize_step normal_steps[MAX_PLAIN_STEPS];
    attn_presplit_step steps[MAX_PLAIN_STEPS];
    const struct attn_normalizer normal = {normal_steps, plain_normal_steps(spec, normal_steps)};
    const struct attn_presplitter plain = {steps, plain_steps(spec, steps)};
    attn_status status;
    *coder = (attn_coder){
        .cut = cut, .model = model, .fuse_unknown = spec->fuse_unknown, .drop_unknown = spec->drop_unknown};
    status = attn_normalize_open(spec->normalizer != NULL ? spec->normalizer : &normal, &coder->normalizer, error);
    if (status != ATTN_OK)
        return status;
    return attn_presplit_open(spec->presplitter != NULL ? spec->presplitter : &plain, &coder->presplit, error);
}

void attn_coder_close(attn_coder *coder)
{
    attn_steps_close(coder->normalizer);
    attn_steps_close(coder->presplit);
    *coder = (attn_coder){0};
}

void attn_byte_token_ids(const attn_vocabulary *vocabulary, uint32_t ids[256])
{
    for (unsigned i = 0; i < 256; i++) {
        char spelled[8];
        size_t id = ATTN_NO_TOKEN;
        snprintf(spelled, sizeof spelled, "<0x%02X>", i);
        attn_vocabulary_find(vocabulary, attn_bytes_of(spelled), &id);
        ids[i] = (uint32_t)id;
    }
}

bool attn_marks_begin_words(const attn_vocabulary *vocabulary)
{
    for (size_t i = 0; i < vocabulary->n_tokens; i++) {
        attn_bytes token = vocabulary->tokens[i];
        bool inside = false;
        for (size_t at = 0; at < token.size; at++) {
            bool marked = attn_is_word_mark(token, at);
            if (marked && inside)
                return false;
            if (marked)
                at += ATTN_WORD_MARK_SIZE - 1;
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
    attn_free(space->holes);
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
/* Takes the unknown pieces out of SPACE. */
static attn_status drop_pieces(attn_coder_space *space, attn_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < space->n_pieces; i++) {
        void *holes = space->holes;
        if (space->pieces[i].id != ATTN_NO_TOKEN) {
            space->pieces[kept++] = space->pieces[i];
            continue;
        }
        if (!attn_grow(&holes, &space->hole_capacity, space->n_holes, sizeof *space->holes))
            return attn_fail_memory(error);
        space->holes = holes;
        space->holes[space->n_holes++] = space->pieces[i];
    }
    space->n_pieces = kept;
    return ATTN_OK;
}

/* Merged pieces reach over the holes in them. */
static void span_holes(attn_coder_space *space)
{
    size_t hole = 0;
    for (size_t i = 0; i < space->n_pieces; i++) {
        attn_piece *piece = &space->pieces[i];
        while (hole < space->n_holes && space->holes[hole].start < piece->start)
            hole++;
        while (hole < space->n_holes && space->holes[hole].start < piece->start + piece->size)
            piece->size += space->holes[hole++].size;
    }
}

attn_status attn_coder_merge(const attn_merge_rule *rule, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    attn_status status = space->drops ? drop_pieces(space, error) : ATTN_OK;
    if (status == ATTN_OK)
        status = attn_merge(rule, &space->memory, word.data, space->pieces, &space->n_pieces, error);
    if (status == ATTN_OK)
        span_holes(space);
    return status;
}

/* What the functions below work on. */
typedef struct pass {
    const attn_coder *coder;
    attn_encoder *encoder;
    attn_coder_space *space;
    const attn_run *run;
} pass;

/* ---- emission ---- */

/* Room for one more token without asking again. */
static inline bool has_room(const attn_tokens *tokens)
{
    return tokens->count < tokens->capacity;
}

static attn_status flush_unknown(const pass *p)
{
    attn_coder_space *space = p->space;
    const uint32_t word = p->encoder->word;
    attn_status status;
    if (!space->unknown)
        return ATTN_OK;
    space->unknown = false;
    p->encoder->word = space->unknown_word;
    status = attn_encoder_unknown(p->encoder, p->run, space->unknown_start, space->unknown_end);
    p->encoder->word = word;
    return status;
}

static attn_status emit_slowly(const pass *p, uint32_t id, size_t start, size_t end)
{
    attn_coder_space *space = p->space;
    attn_status status;
    if (id == ATTN_NO_TOKEN && p->coder->fuse_unknown) {
        if (!space->unknown) {
            space->unknown_start = start;
            space->unknown_word = p->encoder->word;
        }
        space->unknown = true;
        space->unknown_end = end;
        return ATTN_OK;
    }
    status = flush_unknown(p);
    if (status != ATTN_OK)
        return status;
    return id == ATTN_NO_TOKEN ? attn_encoder_unknown(p->encoder, p->run, start, end)
                               : attn_encoder_emit(p->encoder, p->run, id, start, end);
}

/* A piece of the run: straight to the list where offsets need no mapping. */
static inline attn_status emit(const pass *p, uint32_t id, size_t start, size_t end)
{
    const attn_run *run = p->run;
    attn_tokens *tokens = p->encoder->tokens;
    if (run->starts != NULL || id == ATTN_NO_TOKEN || p->space->unknown || !has_room(tokens))
        return emit_slowly(p, id, start, end);
    tokens->items[tokens->count++] = (attn_token){
        .id = id, .word = p->encoder->word & ATTN_WORD_NUMBERS, .start = run->base + start, .end = run->base + end};
    p->encoder->n_known++;
    return ATTN_OK;
}

/* ---- the cache ---- */

/* WORD's bytes as numbers, zeros behind them; IN_TEXT: 24 bytes may be read there. */
static inline void load_key(attn_bytes word, bool in_text, uint64_t key[3])
{
    static const uint64_t kept[9] = {
        0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX};
    const uint8_t *data = word.data;
    uint8_t copy[3 * sizeof *key] = {0};
    if (!in_text) {
        memcpy(copy, word.data, word.size);
        data = copy;
    }
    key[0] = attn_load_u64(data);
    key[1] = key[2] = 0;
    if (word.size <= 8) { /* most */
        key[0] &= kept[word.size];
    } else {
        key[1] = attn_load_u64(data + 8) & kept[word.size < 16 ? word.size - 8 : 8];
        key[2] = attn_load_u64(data + 16) & kept[word.size < 16 ? 0 : word.size - 16];
    }
    key[2] |= (uint64_t)word.size << 56;
}

static inline attn_cached *cache_slot(const attn_word_cache *cache, const uint64_t key[3])
{
    uint64_t hash = (key[0] ^ key[1] * UINT64_C(0x9E3779B97F4A7C15) ^ key[2] * UINT64_C(0xC2B2AE3D27D4EB4F)) *
                    UINT64_C(0xBF58476D1CE4E5B9);
    return &cache->slots[(hash >> 32 ^ hash >> 49) & cache->mask];
}

/* By how much the sums of two paths through a cached word may be wrong where what stands before it has this SUM. */
static double tolerance(const attn_coder *coder, double sum)
{
    enum { ROUNDINGS = 4 * ATTN_CODER_LONGEST };
    _Static_assert((int)ATTN_CACHED_BYTES < (int)ATTN_CODER_LONGEST, "the bound holds for what is cached");
    return ROUNDINGS * (coder->float_sums ? (double)FLT_EPSILON : DBL_EPSILON) * (fabs(sum) + coder->word_bound);
}

/* Whether a word whose path was the best by MARGIN has the same one behind any path of this SUM. */
static bool is_settled(const attn_coder *coder, float margin, double sum)
{
    return coder->scores == NULL || (double)margin > 2 * tolerance(coder, sum);
}

/* Goes on along the pieces of SLOT. */
static void follow(const pass *p, const attn_cached *slot, size_t size)
{
    attn_coder_space *space = p->space;
    for (size_t i = 0, at = 0; at < size; at += slot->sizes[i++]) {
        const double sum = space->sum + p->coder->scores[slot->ids[i]];
        space->sum = p->coder->float_sums ? (double)(float)sum : sum;
    }
}

static void store(const pass *p, attn_cached *slot, const uint64_t key[3], double sum)
{
    const attn_coder_space *space = p->space;
    if (space->n_pieces > ATTN_CACHED_PIECES || space->n_holes > 0 || !is_settled(p->coder, space->margin, sum))
        return;
    slot->margin = space->margin;
    memcpy(slot->key, key, sizeof slot->key);
    slot->all_known = true;
    for (size_t i = 0; i < space->n_pieces; i++) {
        if (space->pieces[i].size == 0) { /* a walk over sizes would not end behind it */
            memset(slot->key, 0, sizeof slot->key);
            return;
        }
        slot->all_known = slot->all_known && space->pieces[i].id != ATTN_NO_TOKEN;
        slot->ids[i] = space->pieces[i].id;
        slot->sizes[i] = (uint8_t)space->pieces[i].size;
    }
}

/* ---- words ---- */

static attn_status emit_pieces(const pass *p, size_t start)
{
    const attn_coder_space *space = p->space;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < space->n_pieces && status == ATTN_OK; i++) {
        const attn_piece *piece = &space->pieces[i];
        status = emit(p, piece->id, start + piece->start, start + piece->start + piece->size);
    }
    for (size_t i = 0; i < space->n_holes && status == ATTN_OK; i++) {
        const attn_piece *hole = &space->holes[i];
        if (space->unknown && space->unknown_end != start + hole->start)
            status = flush_unknown(p);
        if (status == ATTN_OK)
            status = emit(p, ATTN_NO_TOKEN, start + hole->start, start + hole->start + hole->size);
    }
    return status;
}

static attn_status cut_word(const pass *p, size_t start, size_t end)
{
    const attn_bytes word = {p->run->text.data + start, end - start};
    p->space->n_holes = 0;
    attn_status status = p->coder->cut(p->coder->model, p->space, word, p->encoder->error);
    return status == ATTN_OK ? emit_pieces(p, start) : status;
}

/* The pieces of SLOT, which are the word START … END. */
static inline attn_status emit_cached(const pass *p, const attn_cached *slot, size_t start, size_t end)
{
    attn_tokens *tokens = p->encoder->tokens;
    const uint32_t number = p->encoder->word;
    attn_status status = ATTN_OK;
    size_t n = 0;
    if (p->run->starts == NULL && slot->all_known && !p->space->unknown &&
        tokens->capacity - tokens->count >= ATTN_CACHED_PIECES) {
        attn_token *out = &tokens->items[tokens->count];
        const size_t base = p->run->base;
        for (size_t at = base + start; at < base + end; at += slot->sizes[n++])
            out[n] = (attn_token){
                .id = slot->ids[n], .word = number & ATTN_WORD_NUMBERS, .start = at, .end = at + slot->sizes[n]};
        tokens->count += n;
        p->encoder->n_known += n;
        return ATTN_OK;
    }
    for (size_t at = start; at < end && status == ATTN_OK; at += slot->sizes[n++])
        status = emit(p, slot->ids[n], at, at + slot->sizes[n]);
    return status;
}

/* A word and where the cache would hold it. */
typedef struct looked_up {
    size_t start, end;
    uint64_t key[3];
    attn_cached *slot; /* NULL: too long for the cache */
} looked_up;

static inline void look_up(const pass *p, size_t start, size_t end, looked_up *word)
{
    const attn_bytes text = p->run->text;
    word->start = start;
    word->end = end;
    word->slot = NULL;
    if (end - start > ATTN_CACHED_BYTES)
        return;
    load_key((attn_bytes){text.data + start, end - start}, text.size - start >= sizeof word->key, word->key);
    word->slot = cache_slot(p->space->cache, word->key);
#if defined(__GNUC__)
    __builtin_prefetch(word->slot);
#endif
}

static inline attn_status encode_looked_up(const pass *p, const looked_up *word)
{
    attn_cached *slot = word->slot;
    const double sum = p->space->sum;
    attn_status status;
    if (slot != NULL && slot->key[0] == word->key[0] && slot->key[1] == word->key[1] && slot->key[2] == word->key[2] &&
        is_settled(p->coder, slot->margin, sum)) {
        if (p->coder->scores != NULL)
            follow(p, slot, word->end - word->start);
        return emit_cached(p, slot, word->start, word->end);
    }
    status = cut_word(p, word->start, word->end);
    if (slot != NULL && status == ATTN_OK)
        store(p, slot, word->key, sum);
    return status;
}

static attn_status encode_word(const pass *p, size_t start, size_t end)
{
    looked_up word;
    look_up(p, start, end, &word);
    return encode_looked_up(p, &word);
}

/* The start of the first '▁' after AT that follows another character, or the end. */
static size_t next_mark(attn_bytes text, size_t at)
{
    while (attn_is_word_mark(text, at))
        at += ATTN_WORD_MARK_SIZE;
    while (at < text.size) {
        const uint8_t *found = memchr(text.data + at, ATTN_WORD_MARK[0] & 0xff, text.size - at);
        if (found == NULL)
            return text.size;
        at = (size_t)(found - text.data);
        if (attn_is_word_mark(text, at))
            return at;
        at++;
    }
    return text.size;
}

/* A word of the pre-tokenizer, in parts where a '▁' begins a new one. */
static attn_status encode_marked(const pass *p, attn_word word)
{
    const attn_bytes text = {p->run->text.data, word.end};
    attn_status status = ATTN_OK;
    p->space->sum = 0;
    for (size_t at = word.start, end; at < word.end && status == ATTN_OK; at = end) {
        end = next_mark(text, at);
        status = encode_word(p, at, end);
        p->encoder->word++;
    }
    return status;
}

/* The words lie in a run of their own: steps may change the text. */
static attn_status encode_words(const pass *p)
{
    attn_words *words = &p->space->words;
    attn_status status = attn_presplit_run(p->coder->presplit, p->run, words, p->encoder->error);
    const pass inner = {.coder = p->coder, .encoder = p->encoder, .space = p->space, .run = &words->run};
    for (size_t i = 0; i < words->count && status == ATTN_OK; i++) {
        if (p->coder->at_marks) {
            status = encode_marked(&inner, words->items[i]);
        } else {
            p->space->sum = 0;
            status = encode_word(&inner, words->items[i].start, words->items[i].end);
            p->encoder->word++;
        }
        if (status == ATTN_OK)
            status = flush_unknown(&inner);
    }
    return status;
}

attn_status attn_coder_normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool is_text,
                                 attn_normal *normal, attn_error *error)
{
    const attn_coder *coder = tokenizer->state;
    return attn_normalize_run(coder->normalizer, lowercase, is_text, raw, normal, error);
}

enum { AHEAD = 8 }; /* words that are looked up before the first of them is used: memory is slow */

/* A run that a hand-written rule splits: no list of words. */
static attn_status encode_by_rule(const pass *p, attn_pretokenizer rule)
{
    const attn_bytes text = p->run->text;
    attn_status status = ATTN_OK;
    for (size_t at = 0; at < text.size && status == ATTN_OK;) {
        looked_up words[AHEAD];
        size_t n = 0;
        for (; n < AHEAD && at < text.size; n++) {
            size_t end = attn_split_end(rule, text, at);
            look_up(p, at, end, &words[n]);
            at = end;
        }
        for (size_t i = 0; i < n && status == ATTN_OK; i++) {
            p->space->sum = 0;
            status = encode_looked_up(p, &words[i]);
            p->encoder->word++;
            if (p->space->unknown && status == ATTN_OK)
                status = flush_unknown(p);
        }
    }
    return status;
}

attn_status attn_coder_encode(attn_encoder *encoder, const attn_run *run)
{
    const attn_coder *coder = encoder->tokenizer->state;
    const attn_pretokenizer rule = attn_presplit_rule(coder->presplit);
    pass p = {.coder = coder, .encoder = encoder, .run = run};
    attn_status status = open_space(encoder, &p.space);
    if (status != ATTN_OK)
        return status;
    p.space->drops = coder->drop_unknown && encoder->unknown == ATTN_NO_TOKEN;
    return rule != ATTN_SPLIT_NONE ? encode_by_rule(&p, rule) : encode_words(&p);
}
