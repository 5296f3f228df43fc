/* published.c: how published byte-pair tokenizers split text, by the names that GGUF files give in
 * tokenizer.ggml.pre. One table of all that llama.cpp knows (llama-vocab.cpp); a name that is not there is refused.
 * Where llama.cpp says which pattern of a tokenizer.json its own stands for, it is that one. Used by load/ through
 * spec.h. */
#include "config.h"

#include "text/split/presplit.h"
#include "text/spec.h"

#include <string.h>

/* ---- steps ---- */

#define PATTERN(text)                                                                                                  \
    {                                                                                                                  \
        .op = ATTN_PRESPLIT_PATTERN, .regex = true, .behavior = ATTN_SPLIT_ISOLATED, .pattern = {                      \
            (const uint8_t *)(text),                                                                                   \
            sizeof(text) - 1                                                                                           \
        }                                                                                                              \
    }
#define RULE(which)                                                                                                    \
    {                                                                                                                  \
        .op = ATTN_PRESPLIT_RULE, .rule = (which), .behavior = ATTN_SPLIT_ISOLATED                                     \
    }
#define STEPS(name, ...)                                                                                               \
    static const attn_presplit_step name##_steps[] = {__VA_ARGS__};                                                    \
    static const struct attn_presplitter name = {name##_steps, sizeof name##_steps / sizeof name##_steps[0]}

/* Parts that patterns share. */
#define ENDINGS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define LETTERS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define CASED(endings)                                                                                                 \
    "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" endings "|[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER "*" endings
#define SPACES "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SIGNS " ?[^\\s\\p{L}\\p{N}]+"
#define SIGNS_BEFORE_WORDS "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
#define WORDS_OR_SIGNS "[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+"
#define EAST_ASIA "[\\u4e00-\\u9fa5\\u3040-\\u309f\\u30a0-\\u30ff]+"
#define WIDE_RANGES "[\\u4e00-\\u9fa5\\u0800-\\u4e00\\uac00-\\ud7ff]+"

const char attn_pattern_o200k[] = CASED(ENDINGS "?") "|\\p{N}{1,3}|" SIGNS "[\\r\\n/]*|" SPACES;

STEPS(single_digits, {.op = ATTN_PRESPLIT_DIGITS, .individual = true}, RULE(ATTN_SPLIT_GPT2));
STEPS(falcon, PATTERN("[\\p{P}\\$\\+<=>\\^~\\|`]+"), RULE(ATTN_SPLIT_GPT2), PATTERN("[0-9][0-9][0-9]"));
STEPS(standard, PATTERN("[\\p{P}\\$\\+<=>\\^~\\|]+"), RULE(ATTN_SPLIT_GPT2), PATTERN("\\p{N}+"),
      PATTERN("[0-9][0-9][0-9]"));
STEPS(jais2, PATTERN(ENDINGS "|" LETTERS "|\\p{N}{1,3}|" SIGNS "[\\r\\n]*|\\s*[\\r\\n]+"
                             "|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)|\\s{32}(?!\\S)"
                             "|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s{1}"));
/* Latin, Greek, Cyrillic and the other letters that have case, by their code points. */
STEPS(deepseek_llm, PATTERN("[\\r\\n]"),
      PATTERN(
          "\\s?[A-Za-z\\u00b5\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u01ba\\u01bc-\\u01bf\\u01c4-\\u0293\\u0295-\\u02af"
          "\\u0370-\\u0373\\u0376\\u0377\\u037b-\\u037d\\u037f\\u0386\\u0388-\\u038a\\u038c\\u038e-\\u03a1"
          "\\u03a3-\\u03f5\\u03f7-\\u0481\\u048a-\\u052f\\u0531-\\u0556\\u10a0-\\u10c5\\u13a0-\\u13f5\\u13f8-\\u13fd"
          "\\u1c90-\\u1cba\\u1cbd-\\u1cbf\\u1d00-\\u1d2b\\u1d6b-\\u1d77\\u1d79-\\u1d9a\\u1e00-\\u1f15\\u1f18-\\u1f1d"
          "\\u1f20-\\u1f45\\u1f48-\\u1f4d\\u1f50-\\u1f57\\u1f59\\u1f5b\\u1f5d\\u1f5f-\\u1f7d\\u1f80-\\u1fb4"
          "\\u1fb6-\\u1fbc\\u1fbe\\u1fc2-\\u1fc4\\u1fc6-\\u1fcc\\u1fd0-\\u1fd3\\u1fd6-\\u1fdb\\u1fe0-\\u1fec"
          "\\u1ff2-\\u1ff4\\u1ff6-\\u1ffc\\u2102\\u2107\\u210a-\\u2113\\u2115\\u2119-\\u211d\\u2124\\u2126\\u2128"
          "\\u212a-\\u212d\\u212f-\\u2134\\u2139\\u213c-\\u213f\\u2145-\\u2149\\u214e\\u2183\\u2184\\u2c00-\\u2c7b"
          "\\u2c7e-\\u2ce4\\u2ceb-\\u2cee\\u2cf2\\u2cf3\\ua640-\\ua66d\\ua680-\\ua69b\\ua722-\\ua76f\\ua771-\\ua787"
          "\\ua78b-\\ua78e\\uab70-\\uabbf\\ufb00-\\ufb06\\ufb13-\\ufb17\\uff21-\\uff3a\\uff41-\\uff5a"
          "\\u{10400}-\\u{1044f}\\u{104b0}-\\u{104d3}\\u{104d8}-\\u{104fb}\\u{10c80}-\\u{10cb2}"
          "\\u{10cc0}-\\u{10cf2}\\u{118a0}-\\u{118df}\\u{1e900}-\\u{1e943}]+"),
      PATTERN("\\s?[!-/:-~\\uff01-\\uff0f\\uff1a-\\uff5e\\u2018-\\u201f\\u3000-\\u3002]+"), PATTERN("\\s+\\z"),
      PATTERN(WIDE_RANGES), PATTERN("\\p{N}+"));
STEPS(deepseek_coder, PATTERN("[\\r\\n]"), PATTERN("\\s?\\p{L}+"), PATTERN("\\s?\\p{P}+"), PATTERN(WIDE_RANGES),
      PATTERN("\\p{N}"));
STEPS(deepseek_v3, PATTERN("\\p{N}{1,3}"), PATTERN(EAST_ASIA),
      PATTERN(SIGNS_BEFORE_WORDS "|" WORDS_OR_SIGNS "[\\r\\n]*|" SPACES));
STEPS(spark, PATTERN("\\p{N}{1,3}"), PATTERN(EAST_ASIA),
      PATTERN(SIGNS_BEFORE_WORDS "|" WORDS_OR_SIGNS "|[\\r\\n]|\\s+(?!\\S)|\\s+"), PATTERN("\\p{N}"));
STEPS(youtu,
      PATTERN("[\\uac00-\\ud7a3\\u3131-\\u318e]+"
              "|[\\uff01\\u2026\\u201c\\u201d\\u2018\\u2019\\u2014\\uff1a\\uff1b\\uff0c\\u3001-\\u303f\\ufe30-\\ufe4f]+"
              "|[\\u3105-\\u312f]+|" EAST_ASIA),
      PATTERN(CASED(ENDINGS "?") "|\\p{N}|" SIGNS "[\\r\\n/]*|" SPACES));
STEPS(qwen35,
      PATTERN(ENDINGS "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" SPACES));
STEPS(bloom, PATTERN(" ?[^(\\s|.,!?\\u2026\\u3002\\uff0c\\u3001\\u0964\\u06d4\\u060c)]+"));
STEPS(viking, PATTERN(" ?[^(\\s|.,!?\\u2026\\u3002\\uff0c\\u3001\\u0964\\u06d4\\u060c)]+"), PATTERN("\\p{N}"));
STEPS(tekken, PATTERN(CASED("") "|\\p{N}|" SIGNS "[\\r\\n/]*|" SPACES));
STEPS(chameleon, PATTERN("<sentinel:[0-9]+>"), PATTERN("(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z"),
      PATTERN("([\\t\\n]|    |  )"), PATTERN("\\p{N}"), PATTERN("[\\p{P}!-/:-@\\[-`{-~]"), RULE(ATTN_SPLIT_GPT2));
STEPS(tiny_aya, PATTERN("\\d{1,3}(?=(?:\\d{3})*\\b)"),
      PATTERN(CASED(ENDINGS "?") "|\\p{N}{1,3}|" SIGNS "[\\r\\n/]*|" SPACES));
STEPS(kimi,
      PATTERN("[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*"
              "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+" ENDINGS "?|[^\\r\\n\\p{L}\\p{N}]?"
              "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*" ENDINGS
              "?|\\p{N}{1,3}|" SIGNS "[\\r\\n]*|" SPACES));
STEPS(superbpe, PATTERN("\\p{N}+"), PATTERN("(?=(\\d{3})+(?!\\d))"));
STEPS(bailing, PATTERN("'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*"
                       "|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"));
STEPS(seed_coder, PATTERN(ENDINGS "|" LETTERS "|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" SPACES));
STEPS(ufakzeka, PATTERN(LETTERS "|\\p{N}|" SIGNS "[\\r\\n]*|" SPACES));
STEPS(
    afmoe, PATTERN("\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))"),
    PATTERN("[\\u4e00-\\u9fff\\u3400-\\u4dbf\\uf900-\\ufaff\\u3040-\\u309f\\u30a0-\\u30ff\\uff65-\\uff9f\\u2f00-\\u2fdf"
            "\\u0e40-\\u0e7f\\u0e80-\\u0eff\\u1780-\\u17ff\\u1000-\\u109f\\uaa60-\\uaa7f\\ua9e0-\\ua9ff\\uac00-\\ud7af"
            "\\u1100-\\u11ff]+"),
    PATTERN(SIGNS_BEFORE_WORDS "|" WORDS_OR_SIGNS "[\\r\\n]*|" SPACES));
STEPS(laguna, PATTERN("[^\\n]+|[\\n]+"), RULE(ATTN_SPLIT_QWEN2));
STEPS(exaone_moe, PATTERN(ENDINGS "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}|" SIGNS
                                  "[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"));
STEPS(minicpm5, PATTERN("\\p{N}{1,3}"), PATTERN(ENDINGS "|" LETTERS "|\\p{N}+|" SIGNS "[\\r\\n]*|" SPACES));
STEPS(lines, PATTERN("[^\\n]+|[\\n]+"));
STEPS(white_space, {.op = ATTN_PRESPLIT_WHITESPACE});

/* ---- names ---- */

typedef struct way {
    const char *names[11]; /* then NULL */
    attn_pretokenizer split;
    const char *pattern;
    const struct attn_presplitter *presplitter;
    bool ignore_merges;
    bool begins;     /* a BOS stands before a text unless the file says otherwise */
    bool characters; /* no byte alphabet: characters, or bytes as <0xNN> */
    bool escapes;    /* of them those that spell a space as U+2581 */
} way;

/* clang-format off */
static const way ways[] = {
    {{"gpt-2", "gpt2", "phi-2", "roberta-bpe", "mpt", "olmo", "gigachat", "mellum", "modern-bert", "a.x-4.0"},
     .split = ATTN_SPLIT_GPT2},
    {{"jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "jina-v1-en", "jina-v2-code", "jais", "exaone4", "trillion",
      "granite-docling"},
     .split = ATTN_SPLIT_GPT2},
    {{"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"},
     .split = ATTN_SPLIT_LLAMA3, .ignore_merges = true, .begins = true},
    {{"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}, .split = ATTN_SPLIT_LLAMA3},
    {{"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan", "solar-open", "grok-2"},
     .split = ATTN_SPLIT_QWEN2},
    {{"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"},
     .presplitter = &single_digits},
    {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"},
     .split = ATTN_SPLIT_PATTERN, .pattern = attn_pattern_o200k},
    {{"granite-embed-multi-97m"},
     .split = ATTN_SPLIT_PATTERN, .pattern = attn_pattern_o200k, .ignore_merges = true},
    {{"default"}, .presplitter = &standard},
    {{"falcon"}, .presplitter = &falcon},
    {{"jais-2"}, .presplitter = &jais2},
    {{"deepseek-llm"}, .presplitter = &deepseek_llm},
    {{"deepseek-coder"}, .presplitter = &deepseek_coder},
    {{"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"}, .presplitter = &deepseek_v3},
    {{"spark2_5"}, .presplitter = &spark},
    {{"youtu"}, .presplitter = &youtu, .ignore_merges = true},
    {{"qwen35"}, .presplitter = &qwen35},
    {{"poro-chat", "bloom", "gpt3-finnish"}, .presplitter = &bloom},
    {{"viking"}, .presplitter = &viking},
    {{"tekken"}, .presplitter = &tekken, .ignore_merges = true, .begins = true},
    {{"chameleon"}, .presplitter = &chameleon, .begins = true},
    {{"tiny_aya", "cohere2moe"}, .presplitter = &tiny_aya},
    {{"kimi-k2"}, .presplitter = &kimi},
    {{"superbpe"}, .presplitter = &superbpe},
    {{"bailingmoe", "bailingmoe2", "llada-moe"}, .presplitter = &bailing},
    {{"seed-coder"}, .presplitter = &seed_coder},
    {{"ufakzeka"}, .presplitter = &ufakzeka},
    {{"afmoe"}, .presplitter = &afmoe},
    {{"laguna"}, .presplitter = &laguna},
    {{"exaone-moe"}, .presplitter = &exaone_moe},
    {{"minicpm5"}, .presplitter = &minicpm5, .ignore_merges = true},
    {{"gemma4", "granite-embed-multi-311m"},
     .presplitter = &lines, .begins = true, .characters = true, .escapes = true},
    {{"sarvam-moe"}, .presplitter = &lines, .characters = true, .escapes = true},
    {{"whitespace"}, .presplitter = &white_space, .characters = true}};
/* clang-format on */

static bool has_name(const way *w, const char *name)
{
    bool has = false;
    for (const char *const *own = w->names; *own != NULL; own++)
        has = has || strcmp(*own, name) == 0;
    return has;
}

attn_status attn_spec_split_as(attn_tokenizer_spec *spec, const char *name, bool *begins, attn_error *error)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (has_name(&ways[i], name)) {
            spec->split = ways[i].split;
            spec->pattern = ways[i].pattern;
            spec->presplitter = ways[i].presplitter;
            spec->ignore_merges = ways[i].ignore_merges;
            spec->byte_level = !ways[i].characters;
            spec->byte_fallback = ways[i].characters;
            spec->escape_spaces = ways[i].escapes;
            *begins = ways[i].begins;
            return ATTN_OK;
        }
    return attn_fail(error, ATTN_EUNSUPPORTED, "the pre-tokenizer '%s' is not supported", name);
}

const char *attn_split_name_at(size_t index)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        for (const char *const *name = ways[i].names; *name != NULL; name++)
            if (index-- == 0)
                return *name;
    return NULL;
}
