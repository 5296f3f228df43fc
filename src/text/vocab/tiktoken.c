/* tiktoken.c: rank files: a line a token, its bytes in base64, a space, its rank, which is its id.
 * The file does not say how text is split before merging; the number of ranks tells the published
 * ones apart. Called by load.c. */
#include "config.h"

#include "base/buffer.h"
#include "base/decimal.h"
#include "text/vocab/base64.h"
#include "text/byte_alphabet.h"
#include "text/vocab/reader.h"
#include "text/vocab/vocab_list.h"

#include <string.h>

/* The published rank files. */
typedef struct published {
    size_t n_ranks;
    attn_pretokenizer split;
    const char *pattern; /* ATTN_SPLIT_PATTERN */
    const char *end;     /* the token between texts */
    uint32_t end_id;
} published;

static const published known[] = {
    /* r50k_base (GPT-2), p50k_base */
    {.n_ranks = 50256, .split = ATTN_SPLIT_GPT2, .end = "<|endoftext|>", .end_id = 50256},
    {.n_ranks = 50280, .split = ATTN_SPLIT_GPT2, .end = "<|endoftext|>", .end_id = 50256},
    /* cl100k_base, Llama 3 */
    {.n_ranks = 100256, .split = ATTN_SPLIT_LLAMA3, .end = "<|endoftext|>", .end_id = 100257},
    {.n_ranks = 128000, .split = ATTN_SPLIT_LLAMA3, .end = "<|end_of_text|>", .end_id = 128001},
    /* Qwen */
    {.n_ranks = 151643, .split = ATTN_SPLIT_QWEN2, .end = "<|endoftext|>", .end_id = 151643},
    /* o200k_base */
    {.n_ranks = 199998,
     .split = ATTN_SPLIT_PATTERN,
     .pattern = attn_pattern_o200k,
     .end = "<|endoftext|>",
     .end_id = 199999},
};

/* The line at *AT in its two parts; *AT moves on. */
static bool next_line(attn_bytes text, size_t *at, attn_bytes *token, attn_bytes *rank)
{
    const uint8_t *space;
    attn_bytes line;
    if (!attn_vocab_line(text, at, &line))
        return false;
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    space = line.size > 0 ? memchr(line.data, ' ', line.size) : NULL;
    *token = (attn_bytes){line.data, space != NULL ? (size_t)(space - line.data) : line.size};
    *rank =
        space != NULL ? (attn_bytes){space + 1, line.size - token->size - 1} : (attn_bytes){line.data + line.size, 0};
    return true;
}

/* The first line is base64 and 0: every published file begins with rank 0. */
static attn_status is_tiktoken(const attn_vocab_source *source, bool *is, attn_error *error)
{
    attn_bytes token, rank;
    attn_buffer bytes = {0};
    size_t at = 0;
    uint64_t number;
    *is = next_line(source->bytes, &at, &token, &rank) && token.size >= 4 && token.size % 4 == 0 &&
          attn_decimal_u64(rank, 0, &number) && attn_base64_decode(token, &bytes);
    const bool failed = bytes.failed;
    attn_buffer_free(&bytes);
    return failed ? attn_fail_memory(error) : ATTN_OK;
}

static size_t count_lines(attn_bytes text)
{
    attn_bytes token, rank;
    size_t n = 0;
    for (size_t at = 0; next_line(text, &at, &token, &rank);)
        n += token.size > 0;
    return n;
}

enum { MAX_HOLES = 1024 }; /* ids that a rank file may leave out */

static attn_status read_line(attn_bytes line_token, attn_bytes line_rank, attn_arena *arena, attn_bytes *tokens,
                             size_t limit, attn_buffer *bytes, attn_error *error)
{
    uint64_t rank;
    attn_buffer spelled = {0};
    char *copy;
    bytes->size = 0;
    if (!attn_base64_decode(line_token, bytes) || bytes->size == 0)
        return attn_fail_found(error, "a token in base64", "'%.*s'", (int)(line_token.size < 64 ? line_token.size : 64),
                               (const char *)line_token.data);
    if (!attn_decimal_u64(line_rank, limit - 1, &rank) || tokens[rank].data != NULL)
        return attn_fail_found(error, "a rank that no other token has", "'%.*s'",
                               (int)(line_rank.size < 64 ? line_rank.size : 64), (const char *)line_rank.data);
    attn_byte_alphabet_encode(attn_buffer_bytes(bytes), &spelled);
    copy = attn_arena_text(arena, spelled.data, spelled.size);
    tokens[rank] = (attn_bytes){(const uint8_t *)copy, spelled.size};
    attn_buffer_free(&spelled);
    return copy == NULL || spelled.failed || bytes->failed ? attn_fail_memory(error) : ATTN_OK;
}

static attn_status read_ranks(const attn_vocab_source *source, size_t n_ranks, attn_tokenizer_spec *spec,
                              attn_error *error)
{
    attn_bytes token, rank, *tokens;
    attn_buffer bytes = {0};
    attn_status status = ATTN_OK;
    uint64_t number = 1;
    const size_t limit = n_ranks + MAX_HOLES;
    tokens = attn_arena_alloc(source->arena, limit, sizeof *tokens);
    if (tokens == NULL)
        return attn_fail_memory(error);
    memset(tokens, 0, limit * sizeof *tokens);
    for (size_t at = 0; status == ATTN_OK && next_line(source->bytes, &at, &token, &rank); number++)
        if (token.size > 0) {
            status = read_line(token, rank, source->arena, tokens, limit, &bytes, error);
            if (status == ATTN_EDATA)
                attn_error_line(error, number, 1);
        }
    attn_buffer_free(&bytes);
    spec->tokens = tokens;
    spec->n_tokens = limit;
    while (spec->n_tokens > 0 && tokens[spec->n_tokens - 1].data == NULL)
        spec->n_tokens--;
    return status;
}

static attn_status choose_published(size_t n_ranks, const published **found, attn_error *error)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].n_ranks == n_ranks) {
            *found = &known[i];
            return ATTN_OK;
        }
    attn_fail(error, ATTN_EUNSUPPORTED,
              "a tiktoken file of %zu ranks is none of the published ones, and it does not say how "
              "text is split",
              n_ranks);
    return attn_error_hint(error, "a tokenizer.json of the same model says it");
}

static attn_status read_tiktoken(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    const size_t n_ranks = count_lines(source->bytes);
    const published *found = NULL;
    attn_added_token *end = attn_arena_alloc(source->arena, 1, sizeof *end);
    attn_status status = end != NULL ? read_ranks(source, n_ranks, spec, error) : attn_fail_memory(error);
    if (status == ATTN_OK)
        status = choose_published(n_ranks, &found, error);
    if (status != ATTN_OK)
        return status;
    *end = (attn_added_token){.content = attn_bytes_of(found->end), .id = found->end_id, .special = true};
    spec->added = end;
    spec->n_added = 1;
    spec->kind = &attn_kind_bpe;
    spec->byte_level = true;
    spec->split = found->split;
    spec->pattern = found->pattern;
    return ATTN_OK;
}

static const char *const files[] = {"tokenizer.tiktoken", "*.tiktoken", NULL};

const attn_vocab_reader attn_vocab_reader_tiktoken = {.files = files, .is = is_tiktoken, .read = read_tiktoken};
