/* sentencepiece.c: byte-pair encoding over characters: SentencePiece's own (by score, Llama 2) and
 * tokenizer.json's BPE without a byte alphabet (by merges). What no token covers becomes bytes or
 * is unknown. Its row is bpe's for a spec that is not byte-level. Knows no file. */
#include "config.h"

#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/kinds/coder.h"

typedef struct sentencepiece {
    attn_coder coder;
    attn_merge_rule rule;              /* owned */
    const attn_vocabulary *vocabulary; /* borrowed */
    uint32_t byte_ids[256];            /* of <0xNN>, or ATTN_NO_TOKEN */
    bool byte_fallback;
    bool whole_words;          /* a word that is a token is taken whole (ignore_merges) */
    attn_bytes prefix, suffix; /* borrowed; of each piece of a word but the first, of its last; or empty */
} sentencepiece;

/* True when each of the SIZE bytes at DATA has a token. */
static bool has_bytes(const sentencepiece *sp, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (sp->byte_ids[data[i]] == ATTN_NO_TOKEN)
            return false;
    return true;
}

/* One piece a character of WORD; unknown ones as bytes when SPLIT_UNKNOWN. */
static void first_pieces(const sentencepiece *sp, attn_coder_space *space, attn_bytes word, bool split_unknown)
{
    size_t n = 0, length;
    for (size_t at = 0; at < word.size; at += length) {
        size_t id = ATTN_NO_TOKEN;
        attn_utf8_decode(word, at, &length);
        attn_vocabulary_find(sp->vocabulary, (attn_bytes){word.data + at, length}, &id);
        if (id == ATTN_NO_TOKEN && split_unknown && has_bytes(sp, word.data + at, length)) {
            for (size_t i = 0; i < length; i++)
                space->pieces[n++] = (attn_piece){sp->byte_ids[word.data[at + i]], 1, at + i};
            continue;
        }
        space->pieces[n++] = (attn_piece){(uint32_t)id, (uint32_t)length, at};
    }
    space->n_pieces = n;
}

/* Unknown pieces as bytes, in place from the end on: there are never more pieces than bytes. */
static void split_unknown_pieces(const sentencepiece *sp, attn_coder_space *space, attn_bytes word)
{
    size_t n = 0, to;
    for (size_t i = 0; i < space->n_pieces; i++) {
        const attn_piece *piece = &space->pieces[i];
        bool split = piece->id == ATTN_NO_TOKEN && has_bytes(sp, word.data + piece->start, piece->size);
        n += split ? piece->size : 1;
    }
    to = n;
    for (size_t i = space->n_pieces; i-- > 0;) {
        const attn_piece piece = space->pieces[i];
        if (piece.id == ATTN_NO_TOKEN && has_bytes(sp, word.data + piece.start, piece.size))
            for (size_t j = piece.size; j-- > 0;)
                space->pieces[--to] = (attn_piece){sp->byte_ids[word.data[piece.start + j]], 1, piece.start + j};
        else
            space->pieces[--to] = piece;
    }
    space->n_pieces = n;
}

/* The spelling of the character AT … END of WORD with the prefix and the suffix that it has there, in SPACE->spelling. */
static attn_bytes spell(const sentencepiece *sp, attn_coder_space *space, attn_bytes word, size_t at, size_t end)
{
    attn_buffer *spelling = &space->spelling;
    spelling->size = 0;
    if (at > 0)
        attn_buffer_put(spelling, sp->prefix.data, sp->prefix.size);
    attn_buffer_put(spelling, word.data + at, end - at);
    if (end == word.size)
        attn_buffer_put(spelling, sp->suffix.data, sp->suffix.size);
    return attn_buffer_bytes(spelling);
}

/* As first_pieces, where the first and the last character of a word are spelled in a way of their own: the pieces' places
 * are those in the whole word spelled so, whose prefixes and suffix may become bytes, too. */
static attn_status first_marked_pieces(const sentencepiece *sp, attn_coder_space *space, attn_bytes word,
                                       attn_error *error)
{
    size_t n = 0, length, room, start = 0;
    attn_status status;
    if (!attn_add(sp->prefix.size, sp->suffix.size, &room) || !attn_add(room, 1, &room) ||
        !attn_multiply(room, word.size, &room))
        return attn_fail_memory(error);
    status = attn_coder_reserve(space, room, error);
    for (size_t at = 0; at < word.size && status == ATTN_OK; at += length) {
        size_t id = ATTN_NO_TOKEN;
        attn_utf8_decode(word, at, &length);
        const attn_bytes spelled = spell(sp, space, word, at, at + length);
        if (space->spelling.failed)
            return attn_fail_memory(error);
        if (!attn_vocabulary_find(sp->vocabulary, spelled, &id) && sp->byte_fallback &&
            has_bytes(sp, spelled.data, spelled.size))
            for (size_t i = 0; i < spelled.size; i++)
                space->pieces[n++] = (attn_piece){sp->byte_ids[spelled.data[i]], 1, start + i};
        else
            space->pieces[n++] = (attn_piece){(uint32_t)id, (uint32_t)spelled.size, start};
        start += spelled.size;
    }
    space->n_pieces = n;
    return status;
}

/* A walk from places in the spelled word to those in the word. */
typedef struct place {
    size_t at, start; /* of the current character: in the word, spelled */
} place;

/* Where SPELLED lies in WORD; it never steps back. */
static size_t place_of(const sentencepiece *sp, attn_bytes word, place *p, size_t spelled)
{
    while (p->at < word.size) {
        const size_t before = p->at > 0 ? sp->prefix.size : 0;
        size_t length, inside;
        attn_utf8_decode(word, p->at, &length);
        const size_t size = before + length + (p->at + length == word.size ? sp->suffix.size : 0);
        if (spelled < p->start + size) {
            inside = spelled - p->start > before ? spelled - p->start - before : 0;
            return p->at + (inside < length ? inside : length);
        }
        p->at += length;
        p->start += size;
    }
    return word.size;
}

/* N pieces of the spelled word with their places in WORD; one that is but a prefix or suffix has size 0. */
static void put_back(const sentencepiece *sp, attn_bytes word, attn_piece *pieces, size_t n)
{
    place p = {0};
    for (size_t i = 0; i < n; i++) {
        const size_t end = pieces[i].start + pieces[i].size, start = place_of(sp, word, &p, pieces[i].start);
        pieces[i].start = start;
        pieces[i].size = (uint32_t)(place_of(sp, word, &p, end) - start);
    }
}

/* WORD as one piece where it is a token. */
static bool take_whole(const sentencepiece *sp, attn_coder_space *space, attn_bytes word)
{
    size_t id;
    if (!sp->whole_words || word.size > sp->vocabulary->longest || !attn_vocabulary_find(sp->vocabulary, word, &id))
        return false;
    space->pieces[0] = (attn_piece){(uint32_t)id, (uint32_t)word.size, 0};
    space->n_pieces = 1;
    return true;
}

static bool is_marked(const sentencepiece *sp)
{
    return sp->prefix.size > 0 || sp->suffix.size > 0;
}

/* By pairs, as prefix and suffix are. */
static attn_status cut_marked(const sentencepiece *sp, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    attn_status status = first_marked_pieces(sp, space, word, error);
    if (status == ATTN_OK)
        status = attn_coder_merge(&sp->rule, space, word, error);
    if (status != ATTN_OK)
        return status;
    put_back(sp, word, space->pieces, space->n_pieces);
    put_back(sp, word, space->holes, space->n_holes);
    return ATTN_OK;
}

static attn_status cut(const void *model, attn_coder_space *space, attn_bytes word, attn_error *error)
{
    const sentencepiece *sp = model;
    const bool by_pairs = sp->rule.slots != NULL;
    attn_status status = attn_coder_reserve(space, word.size, error);
    if (status != ATTN_OK || take_whole(sp, space, word))
        return status;
    if (is_marked(sp))
        return cut_marked(sp, space, word, error);
    first_pieces(sp, space, word, by_pairs && sp->byte_fallback);
    status = attn_coder_merge(&sp->rule, space, word, error);
    if (status == ATTN_OK && !by_pairs && sp->byte_fallback)
        split_unknown_pieces(sp, space, word);
    return status;
}

static attn_status open_kind(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error)
{
    sentencepiece *sp = attn_calloc_array(1, sizeof *sp);
    attn_status status;
    tokenizer->state = sp;
    if (sp == NULL)
        return attn_fail_memory(error);
    sp->vocabulary = &tokenizer->vocabulary;
    sp->byte_fallback = spec->byte_fallback;
    sp->whole_words = spec->merges != NULL && spec->ignore_merges;
    sp->prefix = attn_bytes_of(tokenizer->spec.piece_prefix != NULL ? tokenizer->spec.piece_prefix : "");
    sp->suffix = attn_bytes_of(tokenizer->spec.word_suffix != NULL ? tokenizer->spec.word_suffix : "");
    attn_byte_token_ids(&tokenizer->vocabulary, sp->byte_ids);
    status = attn_coder_open(&sp->coder, spec, cut, sp, error);
    /* what begins, ends or is a word is asked of whole words only */
    sp->coder.at_marks = !sp->whole_words && !is_marked(sp) && attn_marks_begin_words(&tokenizer->vocabulary);
    return status == ATTN_OK ? attn_merge_rule_open(&sp->rule, &tokenizer->vocabulary, spec, error) : status;
}

static void close_kind(void *state)
{
    sentencepiece *sp = state;
    if (sp == NULL)
        return;
    attn_coder_close(&sp->coder);
    attn_merge_rule_free(&sp->rule);
    attn_free(sp);
}

const attn_kind attn_kind_sentencepiece = {
    .name = "bpe",
    .label = ATTN_LABEL_SENTENCEPIECE,
    .open = open_kind,
    .close = close_kind,
    .normalize = attn_coder_normalize,
    .encode = attn_coder_encode,
    .free_scratch = attn_coder_free_scratch,
};
