/* unigram.c: the Unigram model (T5, XLM-R): of all ways to cut a word into tokens the one with the
 * greatest sum of scores (Kudo 2018), found left to right (Viterbi). A character that no token of
 * one character covers may be unknown, at 10 below the least score. Knows no file. */
#include "config.h"

#include "base/utf8.h"
#include "text/kinds/coder.h"
#include "text/kinds/trie.h"

#include <float.h>
#include <math.h>

static const double unknown_penalty = 10;

typedef struct unigram {
    attn_coder coder;
    attn_trie trie; /* owned */
    double *scores; /* owned; [n_tokens of the spec] */
    double unknown_score;
    uint32_t byte_ids[256]; /* of <0xNN>, or ATTN_NO_TOKEN */
    bool byte_fallback;
    bool float_sums;
} unigram;

/* The best way to an offset. */
typedef struct node {
    double score;
    uint32_t id;    /* of its last token; ATTN_NO_TOKEN: unknown */
    uint32_t start; /* where that begins; NOT_REACHED */
} node;
#define NOT_REACHED UINT32_MAX

/* SentencePiece keeps sums in float32, and compares them before they are rounded. */
static void reach(const unigram *model, node *at, double score, uint32_t id, size_t start, float *margin)
{
    if (at->start != NOT_REACHED && fabs(score - at->score) < (double)*margin)
        *margin = (float)fabs(score - at->score);
    if (at->start == NOT_REACHED || score > at->score)
        *at = (node){model->float_sums ? (double)(float)score : score, id, (uint32_t)start};
}

/* The sum of SCORE and an unknown character's. */
static double with_unknown(const unigram *model, double score)
{
    score += model->unknown_score;
    return model->float_sums ? (double)(float)score : score;
}

/* Tokens may have any length. Bytes beyond the first LONG_TOKEN of one that may begin somewhere are steps that are
 * counted: a word may take STEPS_A_BYTE for each of its bytes, so that time is linear in the text. */
enum { LONG_TOKEN = 512, STEPS_A_BYTE = 100, FREE_STEPS = 1 << 20 };

/* All tokens that begin at START of WORD. */
static void extend(const unigram *model, node *nodes /* [word.size + 1] */, attn_bytes word, size_t start,
                   size_t character, float *margin, uint64_t *steps)
{
    uint32_t at = ATTN_TRIE_ROOT;
    bool single = false;
    for (size_t end = start; end < word.size;) {
        *steps += end - start >= LONG_TOKEN;
        at = attn_trie_step(&model->trie, at, word.data[end++]);
        if (at == ATTN_TRIE_NONE)
            break;
        if (model->trie.ids[at] == ATTN_NO_TOKEN)
            continue;
        reach(model, &nodes[end], nodes[start].score + model->scores[model->trie.ids[at]], model->trie.ids[at], start,
              margin);
        single = single || end - start == character;
    }
    if (!single)
        reach(model, &nodes[start + character], with_unknown(model, nodes[start].score), ATTN_NO_TOKEN, start, margin);
}

/* Where the unknown characters that end at END, which is one's end, begin: together they become bytes, or none does. */
static size_t unknown_start(const node *nodes, size_t end)
{
    size_t start = nodes[end].start;
    while (start > 0 && nodes[start].id == ATTN_NO_TOKEN)
        start = nodes[start].start;
    return start;
}

/* The best way back from the end, as pieces in order. */
static void trace(const unigram *model, const node *nodes, attn_bytes word, attn_coder_space *space)
{
    size_t n = 0;
    for (size_t end = word.size, start; end > 0; end = start) {
        const node *last = &nodes[end];
        if (last->id == ATTN_NO_TOKEN) /* no score of a piece's: a walk along the pieces would miss it */
            space->margin = 0;
        bool split = last->id == ATTN_NO_TOKEN && model->byte_fallback;
        start = split ? unknown_start(nodes, end) : last->start;
        for (size_t i = start; i < end && split; i++)
            split = model->byte_ids[word.data[i]] != ATTN_NO_TOKEN;
        for (size_t i = end; i-- > start && split;)
            space->pieces[n++] = (attn_piece){model->byte_ids[word.data[i]], 1, i};
        if (!split)
            space->pieces[n++] = (attn_piece){last->id, (uint32_t)(end - start), start};
    }
    for (size_t i = 0; i < n / 2; i++) {
        attn_piece piece = space->pieces[i];
        space->pieces[i] = space->pieces[n - 1 - i];
        space->pieces[n - 1 - i] = piece;
    }
    space->n_pieces = n;
}

static attn_status cut(const void *state, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    const unigram *model = state;
    node *nodes;
    size_t size, length;
    uint64_t steps = 0;
    attn_status status = attn_coder_reserve(space, word.size, error);
    if (status != ATTN_OK)
        return status;
    if (word.size >= UINT32_MAX)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a single word of %zu bytes is too long", word.size);
    if (!attn_multiply(word.size + 1, sizeof *nodes, &size) || !attn_merge_space_reserve(&space->memory, size))
        return attn_fail_memory(error);
    nodes = space->memory.memory;
    nodes[0] = (node){space->sum, ATTN_NO_TOKEN, 0};
    space->margin = FLT_MAX;
    for (size_t i = 1; i <= word.size; i++)
        nodes[i] = (node){0, ATTN_NO_TOKEN, NOT_REACHED};
    for (size_t at = 0; at < word.size; at += length) {
        attn_utf8_decode(word, at, &length);
        if (nodes[at].start != NOT_REACHED)
            extend(model, nodes, word, at, length, &space->margin, &steps);
        if (steps > FREE_STEPS + STEPS_A_BYTE * (uint64_t)word.size)
            return attn_fail(error, ATTN_EUNSUPPORTED,
                             "tokens of more than %d bytes begin at too many places of a word of %zu", (int)LONG_TOKEN,
                             word.size);
    }
    trace(model, nodes, word, space);
    space->sum = nodes[word.size].score;
    return ATTN_OK;
}

/* Control, unknown and byte tokens are never found in a text. */
static bool is_text(const void *context, size_t id)
{
    const attn_tokenizer_spec *spec = context;
    if (id >= spec->n_tokens)
        return false;
    return spec->types == NULL || spec->types[id] == ATTN_TOKEN_NORMAL || spec->types[id] == ATTN_TOKEN_USER;
}

/* Types are SentencePiece's, for which normal tokens count; without types, in tokenizer.json, all do. */
static bool counts_as_least(const attn_tokenizer_spec *spec, size_t id)
{
    return spec->types == NULL || spec->types[id] == ATTN_TOKEN_NORMAL;
}

static attn_status copy_scores(unigram *model, const attn_tokenizer_spec *spec, attn_error *error)
{
    if (spec->scores == NULL && spec->double_scores == NULL)
        return attn_fail(error, ATTN_EDATA, "the tokenizer 'unigram' needs a score for each token");
    model->scores = attn_alloc_array(spec->n_tokens, sizeof *model->scores);
    if (model->scores == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < spec->n_tokens; i++)
        model->scores[i] = spec->double_scores != NULL ? spec->double_scores[i] : (double)spec->scores[i];
    return ATTN_OK;
}

static void set_unknown_score(unigram *model, const attn_tokenizer_spec *spec)
{
    double least = 0;
    bool any = false;
    for (size_t i = 0; i < spec->n_tokens; i++)
        if (counts_as_least(spec, i) && (!any || model->scores[i] < least)) {
            least = model->scores[i];
            any = true;
        }
    model->unknown_score = spec->float_sums ? (double)(float)(least - unknown_penalty) : least - unknown_penalty;
}

/* By its size. */
static double greatest_score(const unigram *model, const attn_tokenizer_spec *spec)
{
    double most = fabs(model->unknown_score);
    for (size_t i = 0; i < spec->n_tokens; i++)
        most = fabs(model->scores[i]) > most ? fabs(model->scores[i]) : most;
    return most;
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    unigram *model = attn_calloc_array(1, sizeof *model);
    attn_status status;
    tokenizer->state = model;
    if (model == NULL)
        return attn_fail_memory(error);
    status = copy_scores(model, spec, error);
    if (status != ATTN_OK)
        return status;
    model->byte_fallback = spec->byte_fallback;
    model->float_sums = spec->float_sums;
    attn_byte_token_ids(&tokenizer->vocabulary, model->byte_ids);
    set_unknown_score(model, spec);
    status = attn_coder_open(&model->coder, spec, cut, model, error);
    model->coder.fuse_unknown = true;
    model->coder.scores = model->scores;
    model->coder.float_sums = spec->float_sums;
    model->coder.word_bound = ATTN_CODER_LONGEST * greatest_score(model, spec);
    model->coder.at_marks = attn_marks_begin_words(&tokenizer->vocabulary);
    return status == ATTN_OK ? attn_trie_open(&tokenizer->vocabulary, is_text, spec, &model->trie, error) : status;
}

static void close_kind(void *state)
{
    unigram *model = state;
    if (model == NULL)
        return;
    attn_coder_close(&model->coder);
    attn_trie_free(&model->trie);
    attn_free(model->scores);
    attn_free(model);
}

const attn_kind attn_kind_unigram = {
    .name = "unigram",
    .label = ATTN_LABEL_SENTENCEPIECE,
    .open = open_kind,
    .close = close_kind,
    .normalize = attn_coder_normalize,
    .encode = attn_coder_encode,
    .free_scratch = attn_coder_free_scratch,
};
