/* vocab_txt.c: one token a line, the line's number (from 0) is its id: BERT's vocab.txt, and plain
 * lists. Lines end in LF or CRLF; an empty line keeps its id; of equal lines the first has the
 * look-up. A list with [UNK], [CLS] and [SEP] is BERT's; whether its text is lower-cased says
 * tokenizer_config.json beside it, or else whether any of its tokens has a capital letter. Called
 * by load.c. */
#include "config.h"

#include "base/decimal.h"
#include "base/utf8.h"
#include "text/vocab/reader.h"
#include "text/vocab/vocab_list.h"

#include <string.h>

#include <utf8proc.h>

/* Tokens with a meaning, by name. */
enum { UNK, CLS, SEP, PAD, MASK, N_SPECIALS };
static const char *const special_names[N_SPECIALS] = {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"};

/* A file whose every line ends in CRLF is a Windows file; else a CR is part of its token (some
 * vocabularies hold a CR of their own). */
static bool has_crlf(attn_bytes bytes)
{
    attn_bytes line;
    size_t at = 0;
    bool any = false;
    while (attn_vocab_line(bytes, &at, &line) && at <= bytes.size) { /* not the last without a line end */
        if (line.size == 0 || line.data[line.size - 1] != '\r')
            return false;
        any = true;
    }
    return any;
}

/* The lines as tokens; their number in *COUNT. */
static attn_bytes *split_lines(const attn_vocab_source *source, size_t *count)
{
    const bool crlf = has_crlf(source->bytes);
    attn_bytes line, *tokens;
    size_t n_lines = 0;
    for (size_t at = 0; attn_vocab_line(source->bytes, &at, &line);)
        n_lines++;
    tokens = attn_arena_alloc(source->arena, n_lines, sizeof *tokens);
    *count = 0;
    for (size_t at = 0; tokens != NULL && attn_vocab_line(source->bytes, &at, &line); (*count)++) {
        if (crlf && line.size > 0 && line.data[line.size - 1] == '\r')
            line.size--;
        tokens[*count] = line;
    }
    return tokens;
}

static bool has_capital(attn_bytes token)
{
    size_t length;
    for (size_t at = 0; at < token.size; at += length) {
        int32_t code = attn_utf8_decode(token, at, &length);
        if (code < 0x80 ? code >= 'A' && code <= 'Z' : utf8proc_tolower(code) != code)
            return true; /* not 'ℝ': a capital that has no small form stays in lower-cased text */
    }
    return false;
}

/* "[MASK]", "[unused12]": not made from text. */
static bool is_bracketed(attn_bytes token)
{
    return token.size > 2 && token.data[0] == '[' && token.data[token.size - 1] == ']';
}

static bool guess_lowercase(const attn_tokenizer_spec *spec)
{
    for (size_t i = 0; i < spec->n_tokens; i++)
        if (!is_bracketed(spec->tokens[i]) && has_capital(spec->tokens[i]))
            return false;
    return true;
}

/* The switches that tokenizer_config.json beside the vocabulary sets. */
static attn_status read_config(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    static const char name[] = "tokenizer_config.json";
    attn_json_node *root;
    attn_status status = attn_vocab_config(source, name, &root, error);
    if (status != ATTN_OK || root == NULL)
        return status;
    status = attn_vocab_switch(source, name, root, "do_lower_case", &spec->lowercase, error);
    spec->strip_accents = spec->lowercase;
    if (status == ATTN_OK)
        status = attn_vocab_switch(source, name, root, "strip_accents", &spec->strip_accents, error);
    if (status == ATTN_OK)
        status = attn_vocab_switch(source, name, root, "tokenize_chinese_chars", &spec->split_cjk, error);
    attn_json_tree_free(root);
    return status;
}

/* BERT's own: special tokens recognised in a text, [CLS] and [SEP] around it. */
static attn_status set_bert(const attn_vocab_source *source, const uint32_t *ids /* [N_SPECIALS] */,
                            attn_tokenizer_spec *spec, attn_error *error)
{
    uint32_t *around = attn_arena_alloc(source->arena, 2, sizeof *around);
    attn_added_token *added = attn_arena_alloc(source->arena, N_SPECIALS, sizeof *added);
    if (around == NULL || added == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < N_SPECIALS; i++)
        if (ids[i] != ATTN_NO_TOKEN)
            added[spec->n_added++] =
                (attn_added_token){.content = attn_bytes_of(special_names[i]), .id = ids[i], .special = true};
    around[0] = ids[CLS];
    around[1] = ids[SEP];
    spec->added = added;
    spec->prefix = around;
    spec->suffix = around + 1;
    spec->n_prefix = 1;
    spec->n_suffix = 1;
    spec->kind = &attn_kind_wordpiece;
    spec->lowercase = guess_lowercase(spec);
    spec->strip_accents = spec->lowercase;
    return read_config(source, spec, error);
}

/* ---- what is no list ---- */

enum { LOOKED_AT = 4096, LINES_LOOKED_AT = 32, LEAST_LINES = 3 };

/* "aGVsbG8= 17": base64 and a number. */
static bool is_rank(attn_bytes line, uint64_t *rank)
{
    const uint8_t *space = line.size > 0 ? memchr(line.data, ' ', line.size) : NULL;
    if (space == NULL)
        return false;
    const size_t size = (size_t)(space - line.data);
    for (size_t i = 0; i < size; i++)
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", line.data[i]) == NULL)
            return false;
    return size > 0 && size % 4 == 0 &&
           attn_decimal_u64((attn_bytes){space + 1, line.size - size - 1}, UINT32_MAX, rank);
}

/* Nearly all of the first lines are a rank, each the next of the one before. */
static bool is_ranks(attn_bytes bytes)
{
    size_t n = 0, follow = 0;
    uint64_t rank, last = UINT64_MAX;
    attn_bytes line;
    for (size_t at = 0; n < LINES_LOOKED_AT && attn_vocab_line(bytes, &at, &line); n++) {
        if (line.size > 0 && line.data[line.size - 1] == '\r')
            line.size--;
        const bool is = is_rank(line, &rank);
        follow += is && rank == last + 1;
        last = is ? rank : UINT64_MAX - 1;
    }
    return follow >= LEAST_LINES - 1 && 4 * (follow + 1) >= 3 * n;
}

/* Keys with a colon behind them, on a third of the first lines. */
static bool is_json(attn_bytes bytes)
{
    size_t keys = 0, lines = 1;
    for (size_t i = 0; i + 1 < bytes.size && i < LOOKED_AT; i++) {
        keys += bytes.data[i] == '"' && bytes.data[i + 1] == ':';
        lines += bytes.data[i] == '\n';
    }
    return keys >= LEAST_LINES && 3 * keys >= lines;
}

/* The offset of two zero bytes in a row, which no text has (one may be of a token); BYTES.size: there are none. */
static size_t find_zeros(attn_bytes bytes)
{
    const uint8_t *at = bytes.data, *last = bytes.size > 0 ? bytes.data + bytes.size - 1 : at;
    while (at < last && (at = memchr(at, '\0', (size_t)(last - at))) != NULL) {
        if (at[1] == '\0')
            return (size_t)(at - bytes.data);
        at += 2;
    }
    return bytes.size;
}

/* Any content is a list of tokens, but that of a file of another kind whose beginning was lost is hardly meant as one. */
static attn_status refuse_damaged(attn_bytes bytes, attn_error *error)
{
    const size_t zeros = find_zeros(bytes);
    if (zeros < bytes.size) {
        attn_fail(error, ATTN_EDATA,
                  "binary data, and no vocabulary that attn knows: expected a list of tokens, found "
                  "zero bytes");
        return attn_error_offset(error, zeros);
    }
    if (is_ranks(bytes))
        return attn_fail(error, ATTN_EDATA,
                         "expected a list of tokens, found tiktoken's ranks without their beginning: "
                         "the file is damaged");
    if (is_json(bytes))
        return attn_fail(error, ATTN_EDATA, "expected a list of tokens, found JSON whose beginning is damaged");
    return ATTN_OK;
}

static attn_status read_vocab_txt(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    uint32_t ids[N_SPECIALS];
    const attn_status status = refuse_damaged(source->bytes, error);
    if (status != ATTN_OK)
        return status;
    spec->tokens = split_lines(source, &spec->n_tokens);
    if (spec->tokens == NULL)
        return attn_fail_memory(error);
    if (spec->n_tokens >= ATTN_NO_TOKEN)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a list of %zu tokens is too long", spec->n_tokens);
    spec->unknown = attn_spec_find_unknown(spec);
    spec->clean_text = true; /* for --tokenizer=wordpiece over a plain list, too */
    spec->split_cjk = true;
    for (size_t i = 0; i < N_SPECIALS; i++)
        ids[i] = attn_spec_find(spec, special_names[i]);
    if (ids[UNK] == ATTN_NO_TOKEN || ids[CLS] == ATTN_NO_TOKEN || ids[SEP] == ATTN_NO_TOKEN)
        return ATTN_OK;
    return set_bert(source, ids, spec, error);
}

static const char *const files[] = {"vocab.txt", NULL};

const attn_vocab_reader attn_vocab_reader_vocab_txt = {.files = files, .read = read_vocab_txt};
