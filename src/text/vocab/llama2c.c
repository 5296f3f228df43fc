/* llama2c.c: llama2.c's tokenizer.bin: SentencePiece BPE as | longest u32 | then a piece at a time:
 * | score f32 | length u32 | bytes |. Spaces stand for U+2581, and begin and end of text are "\n<s>\n" and
 * "\n</s>\n", ids 1 and 2. Nothing says how many pieces there are: they fill the file. */
#include "config.h"

#include "text/byte_alphabet.h"
#include "text/vocab/reader.h"

#include <string.h>

enum { FIRST_BYTE = 3, N_BYTES = 256, MAX_PIECE = 4096 };

/* The next piece; false at the end, or where none can be. */
static bool next_piece(attn_cursor *cursor, uint32_t longest, float *score, attn_bytes *piece)
{
    uint32_t length;
    return attn_cursor_f32(cursor, score) && attn_cursor_u32(cursor, &length) && length <= longest + 8 &&
           attn_cursor_take(cursor, length, piece);
}

/* Pieces of a file that is nothing but pieces, the byte tokens among them; 0: it is something else. */
static size_t count_pieces(attn_bytes bytes)
{
    attn_cursor cursor = attn_cursor_at(bytes);
    attn_bytes piece;
    uint32_t longest;
    float score;
    size_t n = 0;
    if (!attn_cursor_u32(&cursor, &longest) || longest == 0 || longest > MAX_PIECE)
        return 0;
    while (attn_cursor_left(&cursor) > 0) {
        if (!next_piece(&cursor, longest, &score, &piece) || (n == FIRST_BYTE && !attn_bytes_are(piece, "<0x00>")))
            return 0;
        n++;
    }
    return n >= FIRST_BYTE + N_BYTES ? n : 0;
}

static attn_status is_llama2c(const attn_vocab_source *source, bool *is, attn_error *error)
{
    (void)error;
    *is = count_pieces(source->bytes) > 0;
    return ATTN_OK;
}

/* PIECE with U+2581 for its spaces and without the line ends around a mark. */
static bool respell(attn_arena *arena, attn_bytes piece, attn_bytes *token)
{
    size_t spaces = 0, n = 0;
    uint8_t *text;
    if (piece.size > 2 && piece.data[0] == '\n' && piece.data[1] == '<') {
        piece.data++;
        piece.size -= 2;
    }
    for (size_t i = 0; i < piece.size; i++)
        spaces += piece.data[i] == ' ' ? 1 : 0;
    text = attn_arena_alloc(arena, piece.size + (ATTN_WORD_MARK_SIZE - 1) * spaces + 1, 1);
    if (text == NULL)
        return false;
    for (size_t i = 0; i < piece.size; i++) {
        if (piece.data[i] == ' ') {
            memcpy(text + n, ATTN_WORD_MARK, ATTN_WORD_MARK_SIZE);
            n += ATTN_WORD_MARK_SIZE;
        } else {
            text[n++] = piece.data[i];
        }
    }
    *token = (attn_bytes){text, n};
    return true;
}

static uint8_t type_of(size_t id)
{
    if (id == 0)
        return ATTN_TOKEN_UNKNOWN;
    if (id < FIRST_BYTE)
        return ATTN_TOKEN_CONTROL;
    return id < FIRST_BYTE + N_BYTES ? ATTN_TOKEN_BYTE : ATTN_TOKEN_NORMAL;
}

static attn_status mark_controls(const attn_vocab_source *source, const attn_bytes *tokens, attn_tokenizer_spec *spec,
                                 attn_error *error)
{
    attn_added_token *added = attn_arena_alloc(source->arena, 2, sizeof *added);
    uint32_t *begin = attn_arena_alloc(source->arena, 1, sizeof *begin);
    if (added == NULL || begin == NULL)
        return attn_fail_memory(error);
    for (uint32_t i = 0; i < 2; i++)
        added[i] = (attn_added_token){.content = tokens[i + 1], .id = i + 1, .special = true};
    spec->added = added;
    spec->n_added = tokens[1].size > 0 && tokens[2].size > 0 ? 2 : 0;
    *begin = 1;
    spec->prefix = begin;
    spec->n_prefix = 1;
    return ATTN_OK;
}

static attn_status read_llama2c(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    const size_t n = count_pieces(source->bytes);
    attn_cursor cursor = attn_cursor_at(source->bytes);
    attn_bytes *tokens = attn_arena_alloc(source->arena, n, sizeof *tokens), piece;
    float *scores = attn_arena_alloc(source->arena, n, sizeof *scores);
    uint8_t *types = attn_arena_alloc(source->arena, n, 1);
    uint32_t longest;
    if (tokens == NULL || scores == NULL || types == NULL)
        return attn_fail_memory(error);
    if (!attn_cursor_u32(&cursor, &longest))
        return attn_fail_found(error, "a tokenizer of llama2.c", "%zu bytes", source->bytes.size);
    for (size_t i = 0; i < n && next_piece(&cursor, longest, &scores[i], &piece); i++) {
        types[i] = type_of(i);
        if (!respell(source->arena, piece, &tokens[i]))
            return attn_fail_memory(error);
    }
    spec->kind = &attn_kind_bpe;
    spec->tokens = tokens;
    spec->scores = scores;
    spec->types = types;
    spec->n_tokens = n;
    spec->unknown = 0;
    spec->byte_fallback = true;
    spec->dummy_prefix = true;
    spec->escape_spaces = true;
    return mark_controls(source, tokens, spec, error);
}

static const char *const files[] = {"tokenizer.bin", NULL};

const attn_vocab_reader attn_vocab_reader_llama2c = {.files = files, .is = is_llama2c, .read = read_llama2c};
