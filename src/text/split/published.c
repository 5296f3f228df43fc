/* published.c: how published byte-level tokenizers split text, by the names that GGUF files give in
 * tokenizer.ggml.pre. One table; a name that is not there is refused. Used by load/ through
 * spec.h. */
#include "config.h"

#include "text/split/presplit.h"
#include "text/spec.h"

#include <string.h>

static const attn_presplit_step digits_then_gpt2[] = {
    {.op = ATTN_PRESPLIT_DIGITS, .individual = true},
    {.op = ATTN_PRESPLIT_RULE, .rule = ATTN_SPLIT_GPT2, .behavior = ATTN_SPLIT_ISOLATED}};
static const struct attn_presplitter single_digits = {digits_then_gpt2, 2};

const char attn_pattern_o200k[] =
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

typedef struct way {
    const char *name;
    attn_pretokenizer split;
    const char *pattern;
    const struct attn_presplitter *presplitter;
    bool ignore_merges;
} way;

static const way ways[] = {{.name = "gpt-2", .split = ATTN_SPLIT_GPT2},
                           {.name = "gpt2", .split = ATTN_SPLIT_GPT2},
                           {.name = "mpt", .split = ATTN_SPLIT_GPT2},
                           {.name = "olmo", .split = ATTN_SPLIT_GPT2},
                           {.name = "phi-2", .split = ATTN_SPLIT_GPT2},
                           {.name = "roberta-bpe", .split = ATTN_SPLIT_GPT2},
                           {.name = "llama3", .split = ATTN_SPLIT_LLAMA3, .ignore_merges = true},
                           {.name = "llama-v3", .split = ATTN_SPLIT_LLAMA3, .ignore_merges = true},
                           {.name = "llama-bpe", .split = ATTN_SPLIT_LLAMA3, .ignore_merges = true},
                           {.name = "dbrx", .split = ATTN_SPLIT_LLAMA3},
                           {.name = "smaug-bpe", .split = ATTN_SPLIT_LLAMA3},
                           {.name = "qwen2", .split = ATTN_SPLIT_QWEN2},
                           {.name = "deepseek-r1-qwen", .split = ATTN_SPLIT_QWEN2},
                           {.name = "stablelm2", .split = ATTN_SPLIT_QWEN2},
                           {.name = "starcoder", .presplitter = &single_digits},
                           {.name = "refact", .presplitter = &single_digits},
                           {.name = "command-r", .presplitter = &single_digits},
                           {.name = "smollm", .presplitter = &single_digits},
                           {.name = "codeshell", .presplitter = &single_digits},
                           {.name = "exaone", .presplitter = &single_digits},
                           {.name = "gpt-4o", .split = ATTN_SPLIT_PATTERN, .pattern = attn_pattern_o200k}};

attn_status attn_spec_split_as(attn_tokenizer_spec *spec, const char *name, attn_error *error)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, name) == 0) {
            spec->split = ways[i].split;
            spec->pattern = ways[i].pattern;
            spec->presplitter = ways[i].presplitter;
            spec->ignore_merges = ways[i].ignore_merges;
            return ATTN_OK;
        }
    return attn_fail(error, ATTN_EUNSUPPORTED, "the pre-tokenizer '%s' is not supported", name);
}
