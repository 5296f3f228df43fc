/* options.c: the one option table, and the reading of argv by it. Knows no attention: values are checked for
 * form here and for meaning by whoever uses them. */
#include "config.h"

#include "cli/options.h"
#include "attention/attention.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "report/report.h"
#include "text/tokenizer.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *report_choice(size_t index)
{
    const attn_report_kind *kind = attn_report_at(index);
    return kind != NULL ? kind->name : NULL;
}

static const char *format_choice(size_t index)
{
    const attn_output *format = attn_output_at(index);
    return format != NULL ? format->name : NULL;
}

static const char *tokenizer_choice(size_t index)
{
    return attn_kind_name_at(index);
}

static const char *score_choice(size_t index)
{
    return index < ATTN_N_SCORES ? attn_score_of((attn_score)index)->name : NULL;
}

static const char *pick(const char *const *names, size_t count, size_t index)
{
    return index < count ? names[index] : NULL;
}

static const char *special_choice(size_t index)
{
    static const char *const names[] = {"auto", "none"};
    return pick(names, sizeof names / sizeof names[0], index);
}

static const char *average_choice(size_t index)
{
    static const char *const names[] = {"heads"};
    return pick(names, sizeof names / sizeof names[0], index);
}

static const char *color_choice(size_t index)
{
    static const char *const names[] = {"auto", "always", "never"};
    return pick(names, sizeof names / sizeof names[0], index);
}

enum { MOST_THREADS = 1024, MOST_DECIMALS = 60 };

#define FIELD(name) offsetof(attn_options, name)
#define FLAG(letter, name, section, field, help)                                                                       \
    {                                                                                                                  \
        letter, name, NULL, section, ATTN_OPTION_FLAG, FIELD(field), NULL, 0, 0, help                                  \
    }
#define TEXT(letter, name, argument, section, field, help)                                                             \
    {                                                                                                                  \
        letter, name, argument, section, ATTN_OPTION_TEXT, FIELD(field), NULL, 0, 0, help                              \
    }
#define TEXTS(letter, name, argument, section, field, help)                                                            \
    {                                                                                                                  \
        letter, name, argument, section, ATTN_OPTION_TEXTS, FIELD(field), NULL, 0, 0, help                             \
    }
#define CHOICE(letter, name, argument, section, field, choice, help)                                                   \
    {                                                                                                                  \
        letter, name, argument, section, ATTN_OPTION_CHOICE, FIELD(field), choice, 0, 0, help                          \
    }
#define COUNT(letter, name, section, field, least, most, help)                                                         \
    {                                                                                                                  \
        letter, name, "N", section, ATTN_OPTION_COUNT, FIELD(field), NULL, least, most, help                           \
    }
#define NUMBER(name, section, field, positive, help)                                                                   \
    {                                                                                                                  \
        0, name, "X", section, ATTN_OPTION_NUMBER, FIELD(field), NULL, positive, 0, help                               \
    }

const attn_option attn_option_table[] = {
    TEXT('m', "model", "PATH", ATTN_SECTION_MODEL, model,
         "toy .json, model directory, .gguf, or .safetensors with config.json beside it"),
    TEXT('v', "vocab", "FILE", ATTN_SECTION_MODEL, vocab,
         "token list, vocab.txt, vocab.json (merges.txt beside it), tokenizer.json or GGUF"),
    TEXT('e', "embeddings", "FILE[:TENSOR]", ATTN_SECTION_MODEL, embeddings,
         "word vectors (GloVe, word2vec, fastText), npy, JSON, or a tensor of a container"),
    TEXT('w', "weights", "FILE", ATTN_SECTION_MODEL, weights,
         "W_Q W_K W_V [W_O] and biases: JSON, npz, safetensors, GGUF"),

    TEXTS('T', "text", "TEXT", ATTN_SECTION_TEXT, texts, "a text given here instead of FILEs; repeatable"),
    CHOICE('t', "tokenizer", "KIND", ATTN_SECTION_TEXT, tokenizer, tokenizer_choice,
           "how text becomes tokens; auto does what the vocabulary's file declares"),
    FLAG('l', "lines", ATTN_SECTION_TEXT, lines, "each input line is a text of its own"),
    TEXT('c', "context", "FILE", ATTN_SECTION_TEXT, context, "cross-attention: keys and values come from this text"),
    FLAG(0, "lowercase", ATTN_SECTION_TEXT, lowercase, "lower-case the text before looking words up"),
    TEXT(0, "unknown", "skip|error|TOKEN", ATTN_SECTION_TEXT, unknown,
         "unknown words: leave out, refuse, or take TOKEN for them"),
    CHOICE(0, "special", "RULE", ATTN_SECTION_TEXT, special, special_choice,
           "add the tokens a model puts around a text, or not"),
    FLAG(0, "parse-special", ATTN_SECTION_TEXT, parse_special,
         "special tokens spelled out in the text are meant as such"),
    TEXT(0, "pad-token", "TOKEN", ATTN_SECTION_TEXT, pad_token,
         "hide these keys; positions count from the first other token"),
    FLAG(0, "keep-newline", ATTN_SECTION_TEXT, keep_newline, "keep a text's final line end"),
    COUNT(0, "max-tokens", ATTN_SECTION_TEXT, max_tokens, 1, SIZE_MAX / 2,
          "cut longer texts to N tokens, with a warning"),

    TEXTS('a', "mask", "RULE", ATTN_SECTION_ATTENTION, masks,
          "causal, none, window:W, band:W, prefix:N, or a file (JSON, npy); repeatable, all must allow"),
    CHOICE('s', "score", "RULE", ATTN_SECTION_ATTENTION, score, score_choice, "how a query meets a key"),
    NUMBER("scale", ATTN_SECTION_ATTENTION, scale, 0, "multiply the scores by X"),
    NUMBER("temperature", ATTN_SECTION_ATTENTION, temperature, 1, "divide the scores by X before softmax"),
    NUMBER("softcap", ATTN_SECTION_ATTENTION, softcap, 1, "bound the scores: X tanh(score / X)"),
    TEXT(0, "positions", "RULE", ATTN_SECTION_ATTENTION, positions,
         "how a token's place counts: none, sinusoidal, rope, alibi, or a file of vectors to add"),
    COUNT(0, "n-heads", ATTN_SECTION_ATTENTION, n_heads, 1, 1 << 20, "cut queries into N heads"),
    COUNT(0, "n-kv-heads", ATTN_SECTION_ATTENTION, n_kv_heads, 1, 1 << 20,
          "cut keys and values into N heads, shared by groups of query heads"),

    TEXT('L', "layer", "LIST", ATTN_SECTION_SELECT, layers, "layers: 3  0,3  5-7  2-  -1 (the last)"),
    TEXT('H', "head", "LIST", ATTN_SECTION_SELECT, heads, "heads, likewise, or LAYER.HEAD"),
    TEXT(0, "query", "LIST", ATTN_SECTION_SELECT, queries, "positions of queries"),
    TEXT(0, "key", "LIST", ATTN_SECTION_SELECT, keys, "positions of keys"),
    TEXTS(0, "query-token", "TEXT", ATTN_SECTION_SELECT, query_tokens, "queries whose token is TEXT; repeatable"),
    TEXTS(0, "key-token", "TEXT", ATTN_SECTION_SELECT, key_tokens, "keys whose token is TEXT; repeatable"),
    NUMBER("min", ATTN_SECTION_SELECT, min, 0, "leave out what is below X"),
    COUNT('k', "top", ATTN_SECTION_SELECT, top, 1, SIZE_MAX / 2,
          "keep the N largest of each query (nearest, similar, next: 10)"),
    CHOICE(0, "average", "heads", ATTN_SECTION_SELECT, average, average_choice, "the mean over the heads"),
    FLAG(0, "by-word", ATTN_SECTION_SELECT, by_word, "join the pieces of words: keys summed, queries averaged"),

    CHOICE('p', "print", "WHAT", ATTN_SECTION_PRINT, print, report_choice, "what to print"),
    TEXT(0, "at", "before,after", ATTN_SECTION_PRINT, at, "vectors before or after the layer, or both"),
    FLAG(0, "final-norm", ATTN_SECTION_PRINT, final_norm,
         "nearest, embeddings: through the model's final norm (the logit lens)"),
    FLAG(0, "with-self", ATTN_SECTION_PRINT, with_self, "nearest: list the token itself too"),
    FLAG(0, "raw-tokens", ATTN_SECTION_PRINT, raw_tokens, "tokens as the vocabulary spells them"),
    CHOICE('f', "format", "FORMAT", ATTN_SECTION_PRINT, format, format_choice, "how; table on a terminal, else tsv"),
    TEXT(0, "columns", "LIST", ATTN_SECTION_PRINT, columns, "which columns, in which order; also file and line"),
    COUNT(0, "precision", ATTN_SECTION_PRINT, precision, 0, MOST_DECIMALS,
          "N decimals (else the shortest text that reads back to the same number)"),
    FLAG(0, "no-header", ATTN_SECTION_PRINT, no_header, "no line of column names"),
    CHOICE(0, "color", "WHEN", ATTN_SECTION_PRINT, color, color_choice, "shade the weights of tables"),
    TEXT('o', "output", "FILE", ATTN_SECTION_PRINT, output, "write FILE, whole or not at all"),

    COUNT('j', "threads", ATTN_SECTION_GENERAL, threads, 1, MOST_THREADS,
          "N threads (else as many as processors); the output is the same"),
    FLAG('q', "quiet", ATTN_SECTION_GENERAL, quiet, "no warnings and no progress"),
    FLAG('h', "help", ATTN_SECTION_GENERAL, help, "this page"),
    FLAG('V', "version", ATTN_SECTION_GENERAL, version, "version and kernels"),
};

const size_t attn_n_options = sizeof attn_option_table / sizeof attn_option_table[0];

const char *attn_section_name(attn_option_section section)
{
    static const char *const names[ATTN_N_SECTIONS] = {"Model", "Text", "Attention", "Select", "Print", "General"};
    return names[section];
}

/* getopt_long's own tables, made from ours. */
typedef struct getopt_tables {
    char letters[2 * 64 + 2];
    struct option longs[64 + 1];
} getopt_tables;

enum { FIRST_LONG_ONLY = 256 };

static void make_tables(getopt_tables *tables)
{
    size_t used = 0;
    memset(tables, 0, sizeof *tables);
    tables->letters[used++] = ':'; /* a missing argument is ':' */
    for (size_t i = 0; i < attn_n_options; i++) {
        const attn_option *row = &attn_option_table[i];
        tables->longs[i].name = row->name;
        tables->longs[i].has_arg = row->argument != NULL ? required_argument : no_argument;
        tables->longs[i].val = FIRST_LONG_ONLY + (int)i;
        if (row->letter != 0) {
            tables->letters[used++] = row->letter;
            if (row->argument != NULL)
                tables->letters[used++] = ':';
        }
    }
}

static const attn_option *row_of(int code)
{
    for (size_t i = 0; i < attn_n_options; i++)
        if (code == FIRST_LONG_ONLY + (int)i || (code != 0 && code == attn_option_table[i].letter))
            return &attn_option_table[i];
    return NULL;
}

static const char *option_name_at(size_t index)
{
    return index < attn_n_options ? attn_option_table[index].name : NULL;
}

/* "--t": the options it may be short for, or false when it begins fewer than two. */
static bool ambiguous(const char *name, size_t length, attn_error *error)
{
    char all[256] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < attn_n_options; i++) {
        const char *known = attn_option_table[i].name;
        if (strncmp(known, name, length) != 0 || used + strlen(known) + 5 > sizeof all)
            continue;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s--%s", count > 0 ? ", " : "", known);
        count++;
    }
    if (count < 2)
        return false;
    attn_fail(error, ATTN_EUSAGE, "option '--%.*s' may be %s", (int)length, name, all);
    return true;
}

static attn_status unknown_option(const char *argument, int letter, attn_error *error)
{
    const char *near;
    char name[64];
    size_t length;
    if (letter != 0 && row_of(letter) == NULL)
        return attn_fail(error, ATTN_EUSAGE, "unknown option '-%c'", letter);
    length = strcspn(argument + 2, "=");
    if (row_of(letter) != NULL) /* --quiet=yes */
        return attn_fail(error, ATTN_EUSAGE, "option '--%s' takes no argument", row_of(letter)->name);
    if (length > 0 && ambiguous(argument + 2, length, error))
        return ATTN_EUSAGE;
    attn_fail(error, ATTN_EUSAGE, "unknown option '%.*s'", (int)length + 2, argument);
    if (length < sizeof name) {
        memcpy(name, argument + 2, length);
        name[length] = '\0';
        near = attn_suggest(name, option_name_at);
        if (near != NULL)
            attn_error_hint(error, "did you mean '--%s'?", near);
    }
    return ATTN_EUSAGE;
}

static attn_status read_choice(const attn_option *row, const char *value, attn_error *error)
{
    char all[256] = "";
    size_t used = 0;
    const char *near;
    for (size_t i = 0; row->choice(i) != NULL; i++) {
        const char *choice = row->choice(i);
        size_t length = strlen(choice);
        if (strcmp(choice, value) == 0)
            return ATTN_OK;
        if (used + length + 3 < sizeof all) {
            used += i > 0 ? 2 : 0;
            memcpy(all + used - (i > 0 ? 2 : 0), i > 0 ? ", " : "", i > 0 ? 2 : 0);
            memcpy(all + used, choice, length + 1);
            used += length;
        }
    }
    near = attn_suggest(value, row->choice);
    attn_fail(error, ATTN_EUSAGE, "--%s: expected one of %s; found '%s'", row->name, all, value);
    if (near != NULL)
        attn_error_hint(error, "did you mean '%s'?", near);
    return ATTN_EUSAGE;
}

static attn_status read_count(const attn_option *row, const char *value, size_t *field, attn_error *error)
{
    uint64_t number;
    if (!attn_decimal_u64(attn_bytes_of(value), row->most, &number) || number < row->least) {
        if (row->most < SIZE_MAX / 2)
            return attn_fail(error, ATTN_EUSAGE, "--%s: expected a whole number from %zu to %zu, found '%s'", row->name,
                             row->least, row->most, value);
        return attn_fail(error, ATTN_EUSAGE, "--%s: expected a whole number of at least %zu, found '%s'", row->name,
                         row->least, value);
    }
    *field = (size_t)number;
    return ATTN_OK;
}

static attn_status read_number(const attn_option *row, const char *value, float *field, attn_error *error)
{
    attn_bytes text = attn_bytes_of(value);
    size_t used = 0;
    if (attn_decimal_f32(text, field, &used) != ATTN_DECIMAL_OK || used != text.size ||
        (row->least > 0 && !(*field > 0)))
        return attn_fail(error, ATTN_EUSAGE, "--%s: expected a %snumber, found '%s'", row->name,
                         row->least > 0 ? "positive " : "", value);
    return ATTN_OK;
}

static attn_status store(const attn_option *row, const char *value, attn_options *options, attn_error *error)
{
    char *field = (char *)options + row->offset;
    attn_strings *strings;
    attn_status status;
    switch (row->kind) {
    case ATTN_OPTION_FLAG:
        *(bool *)(void *)field = true;
        return ATTN_OK;
    case ATTN_OPTION_TEXTS:
        strings = (attn_strings *)(void *)field;
        strings->items[strings->count++] = value;
        return ATTN_OK;
    case ATTN_OPTION_COUNT:
        return read_count(row, value, (size_t *)(void *)field, error);
    case ATTN_OPTION_NUMBER:
        return read_number(row, value, (float *)(void *)field, error);
    case ATTN_OPTION_CHOICE:
        status = read_choice(row, value, error);
        if (status != ATTN_OK)
            return status;
        break;
    case ATTN_OPTION_TEXT:
        break;
    }
    *(const char **)(void *)field = value;
    return ATTN_OK;
}

enum { N_STRING_FIELDS = 5 };

static void string_fields(attn_options *options, attn_strings *fields[N_STRING_FIELDS])
{
    fields[0] = &options->texts;
    fields[1] = &options->files;
    fields[2] = &options->masks;
    fields[3] = &options->query_tokens;
    fields[4] = &options->key_tokens;
}

static attn_status make_room(attn_options *options, int argc, attn_error *error)
{
    attn_strings *fields[N_STRING_FIELDS];
    memset(options, 0, sizeof *options);
    options->scale = options->temperature = options->softcap = options->min = NAN;
    options->precision = ATTN_NO_PRECISION;
    string_fields(options, fields);
    for (size_t i = 0; i < N_STRING_FIELDS; i++) {
        fields[i]->items = attn_calloc_array((size_t)argc + 1, sizeof *fields[i]->items);
        if (fields[i]->items == NULL)
            return attn_fail_memory(error);
    }
    return ATTN_OK;
}

attn_status attn_options_read(int argc, char **argv, attn_options *options, attn_error *error)
{
    getopt_tables tables;
    attn_status status = make_room(options, argc, error);
    int code;
    make_tables(&tables);
    opterr = 0;
    optind = 0; /* a fresh start: tests call this more than once in a process */
    while (status == ATTN_OK && (code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
        const char *argument = argv[optind > 0 ? optind - 1 : 0];
        if (code == '?')
            status = unknown_option(argument, optopt, error);
        else if (code == ':')
            status = attn_fail(error, ATTN_EUSAGE, "option '%s' needs an argument", argument);
        else
            status = store(row_of(code), optarg, options, error);
    }
    for (int i = optind; status == ATTN_OK && i < argc; i++)
        options->files.items[options->files.count++] = argv[i];
    return status;
}

void attn_options_free(attn_options *options)
{
    attn_strings *fields[N_STRING_FIELDS];
    string_fields(options, fields);
    for (size_t i = 0; i < N_STRING_FIELDS; i++) {
        attn_free(fields[i]->items);
        *fields[i] = (attn_strings){0};
    }
}
