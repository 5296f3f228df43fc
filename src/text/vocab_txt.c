/* vocab_txt.c: one token a line, the line's number (from 0) is its id: BERT's vocab.txt, and plain lists.
 * Lines end in LF or CRLF; an empty line keeps its id; of equal lines the first has the look-up. Called by
 * load.c. */
#include "config.h"

#include "base/map.h"
#include "text/formats.h"

#include <string.h>

bool attn_is_vocab_txt(const attn_vocab_source *source)
{
    (void)source;
    return true; /* the last row of the table: any lines are a list */
}

static size_t count_lines(attn_bytes bytes)
{
    size_t count = 0;
    const uint8_t *at = bytes.data;
    const uint8_t *end = bytes.data + bytes.size;
    while (at < end) {
        const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
        count++;
        at = line_end != NULL ? line_end + 1 : end;
    }
    return count;
}

/* A file whose every line ends in CRLF is a Windows file; else a CR is part of its token (some
 * vocabularies hold a CR of their own). */
static bool has_crlf(attn_bytes bytes)
{
    const uint8_t *at = bytes.data;
    const uint8_t *end = bytes.data + bytes.size;
    bool any = false;
    while (at < end) {
        const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL)
            break;
        if (line_end == bytes.data || line_end[-1] != '\r')
            return false;
        any = true;
        at = line_end + 1;
    }
    return any;
}

static void split_lines(attn_bytes bytes, attn_bytes *tokens)
{
    const uint8_t *at = bytes.data;
    const uint8_t *end = bytes.data + bytes.size;
    const bool crlf = has_crlf(bytes);
    for (size_t i = 0; at < end; i++) {
        const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((line_end != NULL ? line_end : end) - at);
        if (crlf && size > 0 && at[size - 1] == '\r')
            size--;
        tokens[i] = (attn_bytes){at, size};
        at = line_end != NULL ? line_end + 1 : end;
    }
}

attn_status attn_spec_read_vocab_txt(const attn_vocab_source *source, attn_tokenizer_spec *spec,
                                     attn_error *error)
{
    size_t count = count_lines(source->bytes);
    attn_bytes *tokens = attn_arena_alloc(source->arena, count, sizeof *tokens);
    if (tokens == NULL)
        return attn_fail_memory(error);
    split_lines(source->bytes, tokens);
    spec->tokens = tokens;
    spec->n_tokens = count;
    return ATTN_OK;
}
