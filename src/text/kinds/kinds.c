/* kinds.c: the one table of tokenizer kinds, and the defaults of a spec. */
#include "config.h"

#include "text/kinds/kinds.h"

#include <string.h>

static bool is_byte_level(const attn_tokenizer_spec *spec)
{
    return spec->byte_level;
}

/* clang-format off */
const attn_kind attn_kinds[] = {
    {.kind = ATTN_TOKENIZER_WORDS, .name = "words", .hints = true,
     .in_blocks = true, .normalize = attn_compose_normalize, .encode = attn_words_encode},
    {.kind = ATTN_TOKENIZER_WHITESPACE, .name = "whitespace", .hints = true,
     .in_blocks = true, .normalize = attn_compose_normalize, .encode = attn_whitespace_encode},
    {.kind = ATTN_TOKENIZER_LONGEST, .name = "longest", .hints = true,
     .in_blocks = true, .open = attn_longest_open, .close = attn_longest_close,
     .normalize = attn_compose_normalize, .encode = attn_longest_encode},
    {.kind = ATTN_TOKENIZER_CHARS, .name = "chars", .hints = true,
     .in_blocks = true, .normalize = attn_compose_normalize, .encode = attn_chars_encode},
    {.kind = ATTN_TOKENIZER_BYTES, .name = "bytes", .label = ATTN_LABEL_BYTE,
     .vocabulary = attn_bytes_vocabulary, .open = attn_bytes_open, .close = attn_bytes_close,
     .encode = attn_bytes_encode},
    {.kind = ATTN_TOKENIZER_IDS, .name = "ids", .encode = attn_ids_encode},
    {.kind = ATTN_TOKENIZER_WORDPIECE, .name = "wordpiece",
     .always_special = true, .open = attn_wordpiece_open, .close = attn_wordpiece_close,
     .lazy = true, .normalize = attn_wordpiece_normalize, .encode = attn_wordpiece_encode},
    {.kind = ATTN_TOKENIZER_BPE, .name = "bpe", .takes = is_byte_level,
     .label = ATTN_LABEL_BYTE_LEVEL, .open = attn_bpe_open, .close = attn_bpe_close,
     .normalize = attn_coder_normalize, .encode = attn_coder_encode,
     .free_scratch = attn_coder_free_scratch},
    {.kind = ATTN_TOKENIZER_BPE, .name = "bpe",
     .label = ATTN_LABEL_SENTENCEPIECE, .open = attn_sentencepiece_open,
     .close = attn_sentencepiece_close, .normalize = attn_coder_normalize,
     .encode = attn_coder_encode, .free_scratch = attn_coder_free_scratch},
    {.kind = ATTN_TOKENIZER_UNIGRAM, .name = "unigram",
     .label = ATTN_LABEL_SENTENCEPIECE, .open = attn_unigram_open, .close = attn_unigram_close,
     .normalize = attn_coder_normalize, .encode = attn_coder_encode,
     .free_scratch = attn_coder_free_scratch},
    {.name = NULL}};
/* clang-format on */

const attn_kind *attn_kind_for(const attn_tokenizer_spec *spec)
{
    for (const attn_kind *row = attn_kinds; row->name != NULL; row++)
        if (row->kind == spec->kind && (row->takes == NULL || row->takes(spec)))
            return row;
    return NULL;
}

const char *attn_tokenizer_kind_name(attn_tokenizer_kind kind)
{
    if (kind == ATTN_TOKENIZER_AUTO)
        return "auto";
    for (const attn_kind *row = attn_kinds; row->name != NULL; row++)
        if (row->kind == kind)
            return row->name;
    return NULL;
}

bool attn_tokenizer_kind_find(const char *name, attn_tokenizer_kind *kind)
{
    for (int i = 0; i < ATTN_N_TOKENIZERS; i++) {
        const char *known = attn_tokenizer_kind_name((attn_tokenizer_kind)i);
        if (known != NULL && strcmp(known, name) == 0) {
            *kind = (attn_tokenizer_kind)i;
            return true;
        }
    }
    return false;
}

attn_tokenizer_spec attn_tokenizer_spec_default(void)
{
    return (attn_tokenizer_spec){.kind = ATTN_TOKENIZER_AUTO,
                                 .unknown = ATTN_NO_TOKEN,
                                 .pad = ATTN_NO_TOKEN,
                                 .continuation = "##",
                                 .max_word_chars = 100};
}
