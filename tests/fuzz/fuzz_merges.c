/* fuzz_merges.c: merges.txt, a NUL and a text. The vocabulary is what the merges use and make. */
#include "config.h"

#include "fuzz_reader.h"

#include "text/vocab/vocab_list.h"

static attn_status read_merges(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    attn_status status = attn_read_merges_text(source->bytes, source->path, source->arena, spec, error);
    if (status != ATTN_OK)
        return status;
    attn_bytes *tokens = attn_arena_alloc(source->arena, 3 * spec->n_merges + 1, sizeof *tokens);
    tokens[spec->n_tokens++] = attn_bytes_of("a");
    for (size_t i = 0; i < spec->n_merges; i++) {
        const attn_bytes *parts = spec->merges[i];
        uint8_t *joined = attn_arena_alloc(source->arena, parts[0].size + parts[1].size, 1);
        memcpy(joined, parts[0].data, parts[0].size);
        memcpy(joined + parts[0].size, parts[1].data, parts[1].size);
        tokens[spec->n_tokens++] = parts[0];
        tokens[spec->n_tokens++] = parts[1];
        tokens[spec->n_tokens++] = (attn_bytes){joined, parts[0].size + parts[1].size};
    }
    spec->tokens = tokens;
    spec->kind = &attn_kind_bpe;
    spec->byte_level = true;
    spec->split = ATTN_SPLIT_LLAMA3;
    return ATTN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(read_merges, data, size, true);
    return 0;
}
