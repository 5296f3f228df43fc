/* option_table.c: the one option table. A new option is a row here and a field in the request of the stage that reads
 * it; when only some reports take it, a flag in report/report.h too. Knows no attention. */
#include "config.h"

#include "cli/options.h"

#define MANY (SIZE_MAX / 2)
enum { MOST_HEADS = 1 << 20, MOST_THREADS = 1024, MOST_DECIMALS = 60, LEAST_WIDTH = 20, MOST_WIDTH = 1 << 16 };

static const char *report_name(size_t index)
{
    const attn_report_kind *kind = attn_report_at(index);
    return kind != NULL ? kind->name : NULL;
}

static void set_report(void *field, size_t index)
{
    *(const attn_report_kind **)field = attn_report_at(index);
}

static const char *format_name(size_t index)
{
    const attn_output *format = attn_output_at(index);
    return format != NULL ? format->name : NULL;
}

static void set_format(void *field, size_t index)
{
    *(const attn_output **)field = attn_output_at(index);
}

static void set_tokenizer(void *field, size_t index)
{
    attn_kind_find(attn_kind_name_at(index), field);
}

static const char *score_name(size_t index)
{
    return index < ATTN_N_SCORES ? attn_score_of((attn_score)index)->name : NULL;
}

static void set_score(void *field, size_t index)
{
    attn_overrides *overrides = field;
    overrides->has_score = true;
    overrides->score = (attn_score)index;
}

static const char *special_name(size_t index)
{
    static const char *const names[] = {"auto", "none"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static void set_no_special(void *field, size_t index)
{
    *(bool *)field = index == 1;
}

static const char *average_name(size_t index)
{
    return index == 0 ? "heads" : NULL;
}

static void set_average(void *field, size_t index)
{
    *(bool *)field = index == 0;
}

static const char *color_name(size_t index)
{
    static const char *const names[] = {"auto", "always", "never"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static void set_color(void *field, size_t index)
{
    static const attn_color colors[] = {ATTN_COLOR_AUTO, ATTN_COLOR_ALWAYS, ATTN_COLOR_NEVER};
    *(attn_color *)field = colors[index];
}

static const attn_choices reports = {.name = report_name, .set = set_report};
static const attn_choices formats = {.name = format_name, .set = set_format};
static const attn_choices tokenizers = {.name = attn_kind_name_at, .set = set_tokenizer};
static const attn_choices scores = {.name = score_name, .set = set_score};
static const attn_choices specials = {.name = special_name, .set = set_no_special};
static const attn_choices averages = {.name = average_name, .set = set_average};
static const char *shade_name(size_t index)
{
    static const char *const names[] = {"linear", "sqrt", "row", "max"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static void set_shade(void *field, size_t index)
{
    static const attn_shade shades[] = {ATTN_SHADE_LINEAR, ATTN_SHADE_SQRT, ATTN_SHADE_ROW, ATTN_SHADE_MAX};
    *(attn_shade *)field = shades[index];
}

static const char *drawing_name(size_t index)
{
    static const char *const names[] = {"large", "lines", "squares"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static void set_drawing(void *field, size_t index)
{
    static const attn_drawing drawings[] = {ATTN_DRAW_LARGE, ATTN_DRAW_LINES, ATTN_DRAW_SQUARES};
    *(attn_drawing *)field = drawings[index];
}

static const attn_choices colors = {.name = color_name, .set = set_color};
static const attn_choices shades = {.name = shade_name, .set = set_shade};
static const attn_choices drawings = {.name = drawing_name, .set = set_drawing};

/* What an option fills: a FIELD of another type does not compile. */
#define FIELD(type, field) _Generic(((attn_request *)0)->field, type : offsetof(attn_request, field))
#define FLAG(field) .kind = ATTN_OPTION_FLAG, .offset = FIELD(bool, field)
#define TEXT(field) .kind = ATTN_OPTION_TEXT, .offset = FIELD(const char *, field)
#define TEXTS(field) .kind = ATTN_OPTION_TEXTS, .offset = FIELD(attn_strings, field)
#define CHOICE(type, field, rows) .kind = ATTN_OPTION_CHOICE, .offset = FIELD(type, field), .choices = &(rows)
#define COUNT(field, upto) .kind = ATTN_OPTION_COUNT, .offset = FIELD(size_t, field), .least = 1, .most = (upto)
#define COUNT_FROM_0(field, upto)                                                                                      \
    .kind = ATTN_OPTION_COUNT_FROM_0, .offset = FIELD(attn_given_count, field), .most = (upto)
#define NUMBER(field) .kind = ATTN_OPTION_NUMBER, .offset = FIELD(attn_given_number, field)
#define POSITIVE(field) .kind = ATTN_OPTION_POSITIVE, .offset = FIELD(attn_given_number, field)
#define READS .file = ATTN_FILE_READ
#define WRITES .file = ATTN_FILE_WRITTEN

/* clang-format off */
const attn_option attn_option_table[] = {
    {'m', "model", "PATH", ATTN_SECTION_MODEL, TEXT(model.model), READS,
     .help = "toy .json, model directory, .gguf, or .safetensors with config.json beside it"},
    {'v', "vocab", "FILE", ATTN_SECTION_MODEL, TEXT(model.vocab), READS,
     .help = "token list, vocab.txt, vocab.json (merges.txt beside it), tokenizer.json or GGUF"},
    {'e', "embeddings", "FILE[:TENSOR]", ATTN_SECTION_MODEL, TEXT(model.embeddings), READS,
     .help = "word vectors (GloVe, word2vec, fastText), npy, JSON, or a tensor of a container"},
    {'w', "weights", "FILE", ATTN_SECTION_MODEL, TEXT(model.weights), READS, .takes = ATTN_TAKES_WEIGHTS,
     .help = "W_Q W_K W_V [W_O] and biases: JSON, npz, safetensors, GGUF"},
    {0, "ignore-setting", "NAME", ATTN_SECTION_MODEL, TEXTS(model.ignored_settings),
     .help = "go on without a setting of config.json or GGUF; repeatable"},

    {'T', "text", "TEXT", ATTN_SECTION_TEXT, TEXTS(texts.texts),
     .help = "a text given here instead of FILEs; repeatable"},
    {'t', "tokenizer", "KIND", ATTN_SECTION_TEXT, CHOICE(const attn_kind *, model.tokenizer, tokenizers),
     .help = "how text becomes tokens; auto does what the vocabulary's file declares"},
    {'l', "lines", NULL, ATTN_SECTION_TEXT, FLAG(texts.lines),
     .help = "each input line is a text of its own"},
    {'c', "context", "FILE", ATTN_SECTION_TEXT, TEXT(texts.context), READS, .takes = ATTN_TAKES_ATTENTION,
     .help = "cross-attention: keys and values come from this text"},
    {0, "lowercase", NULL, ATTN_SECTION_TEXT, FLAG(encode.lowercase),
     .help = "lower-case the text before looking words up"},
    {0, "unknown", "skip|error|TOKEN", ATTN_SECTION_TEXT, TEXT(encode.unknown),
     .help = "unknown words: leave out, refuse, or take TOKEN for them"},
    {0, "special", "RULE", ATTN_SECTION_TEXT, CHOICE(bool, encode.no_special, specials), .takes = ATTN_TAKES_TEXTS,
     .help = "add the tokens a model puts around a text, or not"},
    {0, "parse-special", NULL, ATTN_SECTION_TEXT, FLAG(encode.parse_special),
     .help = "special tokens spelled out in the text are meant as such"},
    {0, "pad-token", "TOKEN", ATTN_SECTION_TEXT, TEXT(encode.pad_token), .takes = ATTN_TAKES_ATTENTION,
     .help = "hide these keys; positions count from the first other token"},
    {0, "keep-newline", NULL, ATTN_SECTION_TEXT, FLAG(texts.keep_newline), .takes = ATTN_TAKES_TEXTS,
     .help = "keep a text's final line end"},
    {0, "max-tokens", "N", ATTN_SECTION_TEXT, COUNT(encode.max_tokens, MANY), .takes = ATTN_TAKES_TEXTS,
     .help = "cut longer texts to N tokens, with a warning"},

    {'a', "mask", "RULE", ATTN_SECTION_ATTENTION, TEXTS(model.overrides.masks), READS, .takes = ATTN_TAKES_ATTENTION,
     .help = "causal, none, window:W, band:W, prefix:N, or a file (JSON, npy); repeatable, all must allow"},
    {'s', "score", "RULE", ATTN_SECTION_ATTENTION, CHOICE(attn_overrides, model.overrides, scores),
     .takes = ATTN_TAKES_ATTENTION,
     .help = "how a query meets a key"},
    {0, "scale", "X", ATTN_SECTION_ATTENTION, NUMBER(model.overrides.scale), .takes = ATTN_TAKES_ATTENTION,
     .help = "the score rule's factor, in place of its own (scaled: 1/sqrt(head_dim))"},
    {0, "temperature", "X", ATTN_SECTION_ATTENTION, POSITIVE(model.overrides.temperature),
     .takes = ATTN_TAKES_ATTENTION,
     .help = "divide the scores by X before softmax"},
    {0, "softcap", "X", ATTN_SECTION_ATTENTION, POSITIVE(model.overrides.softcap), .takes = ATTN_TAKES_ATTENTION,
     .help = "bound the scores: X tanh(score / X)"},
    {0, "positions", "RULE", ATTN_SECTION_ATTENTION, TEXT(model.overrides.positions), READS,
     .takes = ATTN_TAKES_ATTENTION,
     .help = "how a token's place counts: none, sinusoidal, rope, alibi, or a file of vectors to add"},
    {0, "n-heads", "N", ATTN_SECTION_ATTENTION, COUNT(model.overrides.n_heads, MOST_HEADS),
     .takes = ATTN_TAKES_ATTENTION,
     .help = "cut queries into N heads"},
    {0, "n-kv-heads", "N", ATTN_SECTION_ATTENTION, COUNT(model.overrides.n_kv_heads, MOST_HEADS),
     .takes = ATTN_TAKES_ATTENTION,
     .help = "cut keys and values into N heads, shared by groups of query heads"},

    {'L', "layer", "LIST", ATTN_SECTION_SELECT, TEXT(report.layers), .takes = ATTN_TAKES_LAYERS,
     .help = "layers: 3  0,3  5-7  2-  -1 (the last)"},
    {'H', "head", "LIST", ATTN_SECTION_SELECT, TEXT(report.heads), .takes = ATTN_TAKES_HEADS,
     .help = "heads, likewise, or LAYER.HEAD"},
    {0, "query", "LIST", ATTN_SECTION_SELECT, TEXT(report.queries), .takes = ATTN_TAKES_QUERIES,
     .help = "positions of queries"},
    {0, "key", "LIST", ATTN_SECTION_SELECT, TEXT(report.keys), .takes = ATTN_TAKES_KEYS,
     .help = "positions of keys"},
    {0, "query-token", "TEXT", ATTN_SECTION_SELECT, TEXTS(report.query_tokens), .takes = ATTN_TAKES_QUERIES,
     .help = "queries whose token is TEXT; repeatable"},
    {0, "key-token", "TEXT", ATTN_SECTION_SELECT, TEXTS(report.key_tokens), .takes = ATTN_TAKES_KEYS,
     .help = "keys whose token is TEXT; repeatable"},
    {0, "min", "X", ATTN_SECTION_SELECT, NUMBER(report.min), .takes = ATTN_TAKES_MIN,
     .help = "leave out what is below X"},
    {'k', "top", "N", ATTN_SECTION_SELECT, COUNT_FROM_0(report.top, MANY), .takes = ATTN_TAKES_TOP,
     .help = "keep the N largest of each query (nearest, similar, next: 10)"},
    {0, "average", "heads", ATTN_SECTION_SELECT, CHOICE(bool, report.average_heads, averages),
     .takes = ATTN_TAKES_AVERAGE,
     .help = "the mean over the heads"},
    {0, "by-word", NULL, ATTN_SECTION_SELECT, FLAG(report.by_word), .takes = ATTN_TAKES_WORDS,
     .help = "join the pieces of words: keys summed, queries averaged"},

    {'p', "print", "WHAT", ATTN_SECTION_PRINT, CHOICE(const attn_report_kind *, report.kind, reports),
     .help = "what to print"},
    {0, "at", "before,after", ATTN_SECTION_PRINT, TEXT(report.at), .takes = ATTN_TAKES_AT,
     .help = "vectors before or after the layer (queries, keys: rotary positions), or both"},
    {0, "axes", "X,Y", ATTN_SECTION_PRINT, TEXT(report.axes), .takes = ATTN_TAKES_AXES,
     .help = "pictures of vectors: these two dimensions, by name or number, or pca (the two of most spread)"},
    {0, "final-norm", NULL, ATTN_SECTION_PRINT, FLAG(report.final_norm), .takes = ATTN_TAKES_LENS,
     .help = "nearest, embeddings: through the model's final norm"},
    {0, "with-self", NULL, ATTN_SECTION_PRINT, FLAG(report.with_self), .takes = ATTN_TAKES_SELF,
     .help = "nearest: list the token itself too"},
    {0, "raw-tokens", NULL, ATTN_SECTION_PRINT, FLAG(report.raw_tokens),
     .help = "tokens as the vocabulary spells them"},
    {'f', "format", "FORMAT", ATTN_SECTION_PRINT, CHOICE(const attn_output *, output.format, formats),
     .help = "how; table on a terminal (a grid too wide: heat), else tsv"},
    {0, "columns", "LIST", ATTN_SECTION_PRINT, TEXT(output.columns),
     .help = "which columns, in which order; also file and line"},
    {0, "precision", "N", ATTN_SECTION_PRINT, COUNT_FROM_0(output.precision, MOST_DECIMALS),
     .help = "N decimals (else the shortest text that reads back to the same number)"},
    {0, "no-header", NULL, ATTN_SECTION_PRINT, FLAG(output.no_header),
     .help = "no line of column names"},
    {0, "color", "WHEN", ATTN_SECTION_PRINT, CHOICE(attn_color, output.color, colors),
     .help = "numbers on their shade; auto: on a terminal, unless NO_COLOR or TERM=dumb says otherwise"},
    {0, "shade", "RULE", ATTN_SECTION_PRINT, CHOICE(attn_shade, output.shade, shades),
     .help = "what is full color: 1 (or the largest of all), 1 of the square roots, each row's largest, the map's"},
    {0, "width", "N", ATTN_SECTION_PRINT, .kind = ATTN_OPTION_COUNT, .offset = FIELD(size_t, output.width),
     .least = LEAST_WIDTH, .most = MOST_WIDTH,
     .help = "no line of a table or a map wider than N columns (else a terminal's own)"},
    {0, "draw", "HOW", ATTN_SECTION_PRINT, CHOICE(attn_drawing, output.draw, drawings),
     .help = "how a picture is drawn"},
    {'o', "output", "FILE", ATTN_SECTION_PRINT, TEXT(output.path), WRITES,
     .help = "write FILE, whole or not at all"},

    {'j', "threads", "N", ATTN_SECTION_GENERAL, COUNT(threads, MOST_THREADS),
     .help = "N threads (else as many as processors); the output is the same"},
    {'q', "quiet", NULL, ATTN_SECTION_GENERAL, FLAG(quiet),
     .help = "no warnings and no progress"},
    {'h', "help", NULL, ATTN_SECTION_GENERAL, FLAG(help),
     .help = "this page"},
    {'V', "version", NULL, ATTN_SECTION_GENERAL, FLAG(version),
     .help = "version and kernels"},
};
/* clang-format on */

const size_t attn_n_options = sizeof attn_option_table / sizeof attn_option_table[0];
_Static_assert(sizeof attn_option_table / sizeof attn_option_table[0] <= ATTN_MOST_OPTIONS, "more room is needed");

const char *attn_section_name(attn_option_section section)
{
    static const char *const names[ATTN_N_SECTIONS] = {"Model", "Text", "Attention", "Select", "Print", "General"};
    return names[section];
}
