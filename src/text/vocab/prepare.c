/* prepare.c: what the tokenizers of some classes do to a text before SentencePiece sees it, after transformers'
 * tokenization_albert.py, tokenization_xlnet.py and tokenization_deberta_v2.py: blanks squeezed, quotes of TeX made plain,
 * accents taken off, lower case. Called by beside.c; knows no file but tokenizer_config.json, which switches it. */
#include "config.h"

#include "text/unicode/normalize.h"
#include "text/vocab/reader.h"

enum { MAX_STEPS = 8 };

/* What tokenizer_config.json switches. */
typedef struct switches {
    bool squeezes, keeps_accents, lowercase;
} switches;

static attn_status read_switches(const attn_vocab_source *source, const attn_json_node *config, switches *on,
                                 attn_error *error)
{
    const struct {
        const char *key;
        bool *value;
    } keys[] = {
        {"remove_space", &on->squeezes}, {"keep_accents", &on->keeps_accents}, {"do_lower_case", &on->lowercase}};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && status == ATTN_OK; i++)
        status = attn_vocab_switch(source, "tokenizer_config.json", config, keys[i].key, keys[i].value, error);
    return status;
}

static attn_normalize_step replace(const char *from, bool regex, const char *to)
{
    return (attn_normalize_step){.op = ATTN_NORMALIZE_REPLACE,
                                 .pattern = attn_bytes_of(from),
                                 .regex = regex,
                                 .content = attn_bytes_of(to),
                                 .dummy = true};
}

/* Those of ALBERT and XLNet: their number. Python's white space is Unicode's and four separators more. */
static size_t put_preparation(const switches *on, attn_normalize_step *steps)
{
    size_t n = 0;
    if (on->squeezes) {
        steps[n++] = replace("[\\s\\x1c-\\x1f]+", true, " ");
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_STRIP, .left = true, .right = true, .dummy = true};
    }
    steps[n++] = replace("``", false, "\"");
    steps[n++] = replace("''", false, "\"");
    if (!on->keeps_accents) {
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_NFKD, .dummy = true};
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_STRIP_ACCENTS, .combining = true, .dummy = true};
    }
    return n;
}

attn_status attn_vocab_prepare(const attn_vocab_source *source, const attn_json_node *config, bool prepares,
                               bool lowercase, attn_tokenizer_spec *spec, attn_error *error)
{
    const size_t n_before = spec->normalizer != NULL ? spec->normalizer->n_steps : 0;
    attn_normalize_step *steps = attn_arena_alloc(source->arena, MAX_STEPS + n_before, sizeof *steps);
    struct attn_normalizer *normalizer = attn_arena_alloc(source->arena, 1, sizeof *normalizer);
    switches on = {.squeezes = true, .lowercase = lowercase};
    const attn_status status = read_switches(source, config, &on, error);
    size_t n;
    if (status != ATTN_OK)
        return status;
    if (steps == NULL || normalizer == NULL)
        return attn_fail_memory(error);
    n = prepares ? put_preparation(&on, steps) : 0;
    if (on.lowercase)
        steps[n++] = (attn_normalize_step){.op = ATTN_NORMALIZE_BERT, .lowercase = true, .python = true, .dummy = true};
    for (size_t i = 0; i < n_before; i++)
        steps[n++] = spec->normalizer->steps[i];
    *normalizer = (struct attn_normalizer){steps, n};
    spec->normalizer = normalizer;
    return ATTN_OK;
}
