/* tokenizer.json: each component, what is refused, hostile files. The vocabulary of most examples is a list of
 * characters and a few words, so the ids say which pieces came out; expected ones follow from the components'
 * documentation, worked out by hand. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "testing/memory.h"
#include "testing/texts.h"

#include <string.h>

/* A BPE over the characters of the texts: no merges, each character is its token. */
#define CHARS                                                                                                          \
    "\"a\":0,\"b\":1,\"c\":2,\"d\":3,\"e\":4,\" "                                                                      \
    "\":5,\"▁\":6,\"1\":7,\"2\":8,\"!\":9,\",\":10,\"é\":11,\"\\u0301\":12,"                                        \
    "\"가\":13,\"\\u1100\":14,\"\\u1161\":15,\"A\":16,\"i\":17,\"\\u0307\":18,\"\\t\":19,\"中\":20,\"f\":21,\"<unk>" \
    "\":22"
#define MODEL "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"vocab\":{" CHARS "},\"merges\":[]}"
/* The same with pairs of letters, to see where words end: ab 23, cd 24, ▁a 25, de 26, 12 27, bc 28, !! 29. */
#define MERGES                                                                                                             \
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"vocab\":{" CHARS                                                \
    ",\"ab\":23,\"cd\":24,\"▁a\":25,\"de\":26,\"12\":27,\"bc\":28,\"!!\":29},\"merges\":[[\"▁\",\"a\"],[\"a\",\"b\"]," \
    "[\"c\",\"d\"],[\"d\",\"e\"],[\"1\",\"2\"],[\"b\",\"c\"],[\"!\",\"!\"]]}"

#define NORMAL(component) "{\"normalizer\":" component "," MODEL "}"
#define PRE(component) "{\"pre_tokenizer\":" component "," MERGES "}"
#define REPLACE(pattern, content) "{\"type\":\"Replace\",\"pattern\":" pattern ",\"content\":\"" content "\"}"
#define BEHAVIOR(name) "{\"type\":\"Split\",\"pattern\":{\"String\":\",\"},\"behavior\":\"" name "\",\"invert\":false}"

static const struct {
    const char *json, *text, *ids;
} examples[] = {
    {"{" MODEL "}", "ab?c", "0 1 22 2"},
    /* normalizers */
    {NORMAL("{\"type\":\"NFC\"}"), "e\u0301\u1100\u1161", "11 13"},
    {NORMAL("{\"type\":\"NFD\"}"), "é가", "4 12 14 15"},
    {NORMAL("{\"type\":\"NFKC\"}"), "\uFF21e\u0301①", "16 11 7"},
    {NORMAL("{\"type\":\"NFKD\"}"), "é\u00A0", "4 12 5"},
    {NORMAL("{\"type\":\"Lowercase\"}"), "ABÉ\u0130", "0 1 11 17 18"},
    {NORMAL("{\"type\":\"StripAccents\"}"), "e\u0301é", "4 11"},
    {NORMAL("{\"type\":\"Strip\",\"strip_left\":true,\"strip_right\":false}"), " \t a ", "0 5"},
    {NORMAL("{\"type\":\"Strip\",\"strip_left\":false,\"strip_right\":true}"), " a\u3000 ", "5 0"},
    {NORMAL("{\"type\":\"Prepend\",\"prepend\":\"▁\"}"), "a", "6 0"},
    {NORMAL(REPLACE("{\"String\":\" \"}", "▁")), " a  b", "6 0 6 6 1"},
    {NORMAL(REPLACE("{\"Regex\":\"\\\\s+\"}", "")), "a \tb", "0 1"},
    {NORMAL("{\"type\":\"Nmt\"}"), "a\001\tb\u200Bc", "0 5 1 5 2"},
    {NORMAL("{\"type\":\"BertNormalizer\",\"lowercase\":true}"), "A\001é\u3000中\u00ADb", "0 4 5 5 20 5 1"},
    {NORMAL("{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFD\"},{\"type\":\"Sequence\",\"normalizers\":["
            "{\"type\":\"StripAccents\"},{\"type\":\"Lowercase\"}]}]}"),
     "É", "4"},
    {NORMAL("null"), "É", "22"},
    /* pre-tokenizers: merges do not cross the edges of words */
    {"{" MERGES "}", "abcde12", "23 24 4 27"},
    {PRE("{\"type\":\"Digits\",\"individual_digits\":true}"), "ab12", "23 7 8"},
    {PRE("{\"type\":\"Digits\",\"individual_digits\":false}"), "ab12", "23 27"},
    {PRE("{\"type\":\"Punctuation\",\"behavior\":\"Isolated\"}"), "ab!!,", "23 9 9 10"},
    {PRE("{\"type\":\"Punctuation\",\"behavior\":\"Contiguous\"}"), "ab!!,", "23 29 10"},
    {PRE("{\"type\":\"Punctuation\",\"behavior\":\"Removed\"}"), "a!b", "0 1"},
    {PRE("{\"type\":\"Whitespace\"}"), " ab !!c\td", "23 29 2 3"},
    {PRE("{\"type\":\"WhitespaceSplit\"}"), "ab! cd", "23 9 24"},
    {PRE("{\"type\":\"BertPreTokenizer\"}"), "ab!! cd", "23 9 9 24"},
    {PRE("{\"type\":\"CharDelimiterSplit\",\"delimiter\":\",\"}"), "a,b,", "0 1"},
    {PRE("{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"always\"}"), "ab a", "25 1 25"},
    {PRE("{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"always\"}"), " a", "25"},
    {PRE("{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"never\"}"), "ab a", "23 25"},
    {PRE("{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"add_prefix_space\":false}"), "ab a", "23 25"},
    {PRE("{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"first\"}"), "a a", "25 25"},
    {PRE("{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"WhitespaceSplit\"},{\"type\":\"Metaspace\","
         "\"replacement\":\"▁\",\"prepend_scheme\":\"first\"}]}"),
     "ab ab", "25 1 23"},
    {PRE(BEHAVIOR("Isolated")), "a,,b", "0 10 10 1"},
    {PRE(BEHAVIOR("Removed")), "a,,b", "0 1"},
    /* where "cd" and "de" may be joined shows the edges: 'd' with the delimiter before or behind it */
    {PRE("{\"type\":\"Split\",\"pattern\":{\"String\":\"c\"},\"behavior\":\"MergedWithPrevious\",\"invert\":false}"),
     "bcde", "28 26"},
    {PRE("{\"type\":\"Split\",\"pattern\":{\"String\":\"c\"},\"behavior\":\"MergedWithNext\",\"invert\":false}"),
     "bcde", "1 24 4"},
    {PRE("{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[bc]\"},\"behavior\":\"Contiguous\",\"invert\":false}"), "abcd",
     "0 28 3"},
    {PRE("{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[bc]+\"},\"behavior\":\"Removed\",\"invert\":true}"), "abcd",
     "28"},
    {PRE("{\"type\":\"Split\",\"pattern\":{\"String\":\"!\"},\"behavior\":\"MergedWithNext\",\"invert\":false}"),
     "!!a!", "9 9 0 9"},
    {PRE("{\"type\":\"Split\",\"pattern\":{\"String\":\"!\"},\"behavior\":\"MergedWithPrevious\",\"invert\":false}"),
     "!!a!!", "9 9 0 9 9"}};

START_TEST(components)
{
    attn_tokenizer *tokenizer = texts_open_json(examples[_i].json);
    const attn_encode_options options = texts_plain();
    const char *ids = texts_ids(tokenizer, attn_bytes_of(examples[_i].text), &options);
    ck_assert_msg(strcmp(ids, examples[_i].ids) == 0, "'%s' by %.60s: expected %s, found %s", examples[_i].text,
                  examples[_i].json, examples[_i].ids, ids);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* ---- offsets through normal forms ---- */

static const struct {
    const char *json, *text, *shown;
} offsets[] = {{NORMAL("{\"type\":\"NFC\"}"), "ae\u0301b", "a@0-1 é@1-4 b@4-5"},
               /* what a form leaves alone keeps its place, beside what it composes */
               {NORMAL("{\"type\":\"NFC\"}"), "e\u0301\u0301a", "é@0-3 \u0301@3-5 a@5-6"},
               {NORMAL("{\"type\":\"NFC\"}"), "b\u0301b", "b@0-1 \u0301@1-3 b@3-4"},
               {NORMAL(REPLACE("{\"String\":\" \"}", "▁")), "a b", "a@0-1  @1-2 b@2-3"},
               {NORMAL("{\"type\":\"NFD\"}"), "é가a", "e@0-2 \u0301@0-2 \u1100@2-5 \u1161@2-5 a@5-6"},
               /* a letter stands for the marks that were taken off it */
               {NORMAL("{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFD\"},{\"type\":\"StripAccents\"}]}"),
                "e\u0301a é", "e@0-3 a@3-4  @4-5 e@5-7"},
               {NORMAL("{\"type\":\"BertNormalizer\",\"lowercase\":true}"), "E\u0301a", "e@0-3 a@3-4"},
               {NORMAL("{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":\"▁\"}," REPLACE(
                    "{\"String\":\" \"}", "▁") "]}"),
                "a b", " @0-0 a@0-1  @1-2 b@2-3"},
               {PRE("{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":\"always\"}"), "ab a",
                " a@0-1 b@1-2  a@2-4"},
               {PRE("{\"type\":\"Whitespace\"}"), " ab\t!", "ab@1-3 !@4-5"}};

START_TEST(offsets_in_the_original)
{
    attn_tokenizer *tokenizer = texts_open_json(offsets[_i].json);
    ck_assert_str_eq(texts_show(tokenizer, attn_bytes_of(offsets[_i].text), NULL, NULL), offsets[_i].shown);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* ---- added tokens and post-processors ---- */

#define ADDED(more)                                                                                                    \
    "{\"added_tokens\":[{\"id\":30,\"content\":\"<x>\",\"single_word\":false,\"lstrip\":false,\"rstrip\":"             \
    "false,\"normalized\":false,\"special\":true},{\"id\":31,\"content\":\"d\",\"single_word\":true,"                  \
    "\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special\":false},{\"id\":32,\"content\":\"[m]\","        \
    "\"single_word\":false,\"lstrip\":true,\"rstrip\":true,\"normalized\":false,\"special\":false}" more "],"

static const struct {
    const char *json, *text;
    bool add, parse;
    const char *ids;
} around[] = {
    {ADDED("") MODEL "}", "a<x>b", false, true, "0 30 1"},
    {ADDED("") MODEL "}", "a<x>b", false, false, "0 22 22 22 1"},
    {ADDED("") MODEL "}", "d cd d!", false, false, "31 5 2 3 5 31 9"},
    {ADDED("") MODEL "}", "a [m] b", false, false, "0 32 1"},
    {ADDED(",{\"id\":33,\"content\":\"É\",\"normalized\":true}") "\"normalizer\":{\"type\":\"Lowercase\"}," MODEL "}",
     "aéÉ", false, false, "0 33 33"},
    {ADDED("") "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"<s>\","
               "\"type_id\":0}},{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},{\"SpecialToken\":{\"id\":\"</"
               "s>\",\"type_id\":0}}],"
               "\"pair\":[],\"special_tokens\":{\"<s>\":{\"id\":\"<s>\",\"ids\":[1,2],\"tokens\":[\"b\",\"c\"]},\"</"
               "s>\":{\"id\":"
               "\"</s>\",\"ids\":[3],\"tokens\":[\"d\"]}}}," MODEL "}",
     "a", true, false, "1 2 0 3"},
    {ADDED("") "\"post_processor\":{\"type\":\"BertProcessing\",\"sep\":[\"b\",1],\"cls\":[\"c\",2]}," MODEL "}", "a",
     true, false, "2 0 1"},
    {ADDED(
         "") "\"post_processor\":{\"type\":\"Sequence\",\"processors\":[{\"type\":\"ByteLevel\",\"trim_offsets\":true},"
             "{\"type\":\"RobertaProcessing\",\"sep\":[\"b\",1],\"cls\":[\"c\",2],\"trim_offsets\":true,\"add_prefix_"
             "space\":"
             "false}]}," MODEL "}",
     "a", true, false, "2 0 1"},
    {ADDED("") "\"post_processor\":null," MODEL "}", "a", true, false, "0"}};

START_TEST(tokens_around_and_inside)
{
    attn_tokenizer *tokenizer = texts_open_json(around[_i].json);
    attn_encode_options options = attn_encode_options_default();
    options.add_special = around[_i].add;
    options.parse_special = around[_i].parse;
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of(around[_i].text), &options), around[_i].ids);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* ---- models ---- */

#define UNI(vocab, more) "{\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0]," vocab "]" more "}}"

#define WORDPIECE(vocab)                                                                                               \
    "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix\":\"##\","                 \
    "\"max_input_chars_per_word\":100,\"vocab\":{\"[UNK]\":0," vocab "}},\"normalizer\":{\"type\":\"BertNormalizer\"," \
    "\"lowercase\":true},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}}"

static const struct {
    const char *json, *text, *ids;
} models[] = {
    /* ab (−3) beats a + b (−4); abc: ab + c (−4.5) beats a + bc (−5) */
    {UNI("[\"a\",-2],[\"b\",-2],[\"ab\",-3],[\"c\",-1.5],[\"bc\",-3]", ""), "ab abc", "3 0 3 4"},
    /* two unknown characters are one */
    {UNI("[\"a\",-2]", ""), "x?a?", "0 1 0"},
    /* an unknown character costs 10 more than the worst token: ab (−9) beats it with b (−20) */
    {UNI("[\"ab\",-9],[\"b\",-1]", ""), "ab", "1"},
    /* byte_fallback: each byte of an unknown character where all have tokens, else unknown */
    {UNI("[\"a\",-2],[\"<0xC3>\",-9],[\"<0xA9>\",-9]", ",\"byte_fallback\":true"), "éaß", "2 3 1 0"},
    /* … and unknown neighbours become bytes together or not at all */
    {UNI("[\"a\",-2],[\"<0xC3>\",-9],[\"<0xA9>\",-9]", ",\"byte_fallback\":true"), "éßaßé", "0 1 0"},
    /* a long token is worth less than its parts; in double the sums differ: ab c (−16777216) beats a bc (−16777217) */
    {UNI("[\"a\",-16777216],[\"bc\",-1],[\"ab\",-16777216],[\"c\",0]", ""), "abc", "3 4"},
    {UNI("[\"a\",-1],[\"aa\",-5]", ""), "aa", "1 1"},
    {"{\"model\":{\"type\":\"BPE\",\"unk_token\":\"u\",\"fuse_unk\":true,\"vocab\":{\"u\":0,\"a\":1},\"merges\":[]}}",
     "xya!", "0 1 0"},
    {"{\"model\":{\"type\":\"BPE\",\"unk_token\":\"u\",\"fuse_unk\":false,\"vocab\":{\"u\":0,\"a\":1},\"merges\":[]}}",
     "xya!", "0 0 1 0"},
    {"{\"model\":{\"type\":\"BPE\",\"unk_token\":\"u\",\"byte_fallback\":true,\"vocab\":{\"u\":0,\"<0xC3>\":1,\"<0xA9>"
     "\":2},"
     "\"merges\":[]}}",
     "éa", "1 2 0"},
    /* without unk_token an unknown symbol is dropped before merging: its neighbours meet */
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]}}", "axb xbxax", "2 1 0"},
    {"{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false},\"model\":{\"type\":\"BPE\",\"vocab\":{"
     "\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]}}",
     "axb xbxax axb", "2 1 0 2"},
    {"{\"model\":{\"type\":\"BPE\",\"unk_token\":\"u\",\"vocab\":{\"u\":0,\"a\":1,\"b\":2,\"ab\":3},\"merges\":[\"a "
     "b\"]}}",
     "axb", "1 0 2"},
    /* the type left out: merges make a BPE; a model before its merges' vocabulary */
    {"{\"model\":{\"merges\":[\"a b\"],\"vocab\":{\"ab\":0,\"a\":1,\"b\":2}}}", "aab", "1 0"},
    /* ignore_merges: a word that is a token is taken whole, though no merge makes it */
    {"{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false},\"model\":{\"type\":\"BPE\",\"ignore_"
     "merges\":true,"
     "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"aba\":3},\"merges\":[\"a b\"]}}",
     "aba!abab", "3 2 2"},
    {"{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true},\"model\":{\"type\":\"BPE\",\"vocab\":{"
     "\"a\":0,\"Ġ\":1,"
     "\"Ġa\":2},\"merges\":[\"Ġ a\"]}}",
     "a a", "2 2"},
    /* what only an added token is called the model does not make: a 'c' inside of a word is unknown to it */
    {"{\"added_tokens\":[{\"id\":2,\"content\":\"c\",\"single_word\":true}],\"model\":{\"type\":\"BPE\",\"unk_token\":"
     "\"b\","
     "\"vocab\":{\"a\":0,\"b\":1},\"merges\":[]}}",
     "ac c", "0 1 1 2"},
    {WORDPIECE("\"a\":1,\"##b\":2"), "AB a-b", "1 2 1 0 0"},
    /* by the Rust library's rules: Σ is σ at a word's end, too, and U+2B820 is no ideograph (U+2B920 is) */
    {WORDPIECE("\"οδοσ\":1,\"οδος\":2,\"a\":3,\"a\\ud86e\\udc20\":4,\"\\ud86e\\udd20\":5"),
     "ΟΔΟΣ a\U0002B820 a\U0002B920", "1 4 3 5"}};

START_TEST(each_model)
{
    attn_tokenizer *tokenizer = texts_open_json(models[_i].json);
    attn_encode_options options = texts_plain();
    if (strstr(models[_i].json, "ignore_merges") != NULL) /* '!' is unknown to it: left out */
        options.unknown = ATTN_UNKNOWN_SKIP;
    const char *ids = texts_ids(tokenizer, attn_bytes_of(models[_i].text), &options);
    ck_assert_msg(strcmp(ids, models[_i].ids) == 0, "%.80s: expected %s, found %s", models[_i].json, models[_i].ids,
                  ids);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* An unknown token that the vocabulary lacks is missed by the first text that needs it, and by no other; a key without a
 * value stops no file. */
START_TEST(missing_unknown_token)
{
    attn_tokenizer *tokenizer =
        texts_open_json("{\"model\":{\"type\":\"BPE\",\"unk_token\":\"<gone>\",\"novelty\":null,"
                        "\"other\":false,\"vocab\":{\"a\":0,\"b\":1},\"merges\":[]}}");
    attn_encode_options options = texts_plain();
    const char *found = texts_ids(tokenizer, attn_bytes_of("ac"), &options);
    ck_assert_ptr_nonnull(strstr(found, "'<gone>'"));
    ck_assert_ptr_nonnull(strstr(found, "'c'"));
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab"), &options), "0 1");
    options.unknown = ATTN_UNKNOWN_SKIP;
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ac"), &options), "0");
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* The marks of a word's parts are no text: a piece has the place of its characters, a mark that became bytes none, and
 * labels read what ByteLevel spelled. */
static const struct {
    const char *json, *text, *shown;
} marked[] = {
    {"{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":\"BPE\",\"continuing_subword_prefix\":\"@@"
     "\","
     "\"end_of_word_suffix\":\"</w>\",\"vocab\":{\"a\":0,\"@@b\":1,\"@@c</w>\":2,\"ab\":3,\"a</w>\":4},\"merges\":["
     "\"a @@b\"]}}",
     "abc a", "ab@0-2 @@c</w>@2-3 a</w>@4-5"},
    {"{\"model\":{\"type\":\"BPE\",\"end_of_word_suffix\":\"!\",\"byte_fallback\":true,\"vocab\":{\"a\":0,\"<0xC3>\":1,"
     "\"<0xA9>\":2,\"<0x21>\":3},\"merges\":[]}}",
     "aé", "a@0-1 \\xC3@1-2 \\xA9@2-3 !@3-3"},
    {"{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"ByteLevel\",\"add_prefix_space\":false},"
     "{\"type\":\"Digits\"}]},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"a\",\"vocab\":{\"a\":0,\"Ġ\":1,\"ÃĮ\":"
     "2,"
     "\"12\":3}}}",
     "a 12Ì", "a@0-1  @1-2 12@2-4 Ì@4-6"}};

START_TEST(marks_are_no_text)
{
    attn_tokenizer *tokenizer = texts_open_json(marked[_i].json);
    ck_assert_str_eq(texts_show(tokenizer, attn_bytes_of(marked[_i].text), NULL, NULL), marked[_i].shown);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* A word that is asked for by itself ends where it does: it is the token with the mark of a word's end. */
START_TEST(a_word_has_its_end)
{
    attn_tokenizer *tokenizer =
        texts_open_json("{\"model\":{\"type\":\"BPE\",\"end_of_word_suffix\":\"</w>\",\"vocab\":{\"a\":0,\"a</w>\":1},"
                        "\"merges\":[]}}");
    const attn_encode_options options = texts_plain();
    attn_tokens tokens = {0};
    ck_assert_int_eq(attn_tokenizer_encode_word(tokenizer, attn_bytes_of("a"), &options, &tokens, NULL, NULL), ATTN_OK);
    ck_assert_uint_eq(tokens.count, 1);
    ck_assert_uint_eq(tokens.items[0].id, 1);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Dropped symbols are counted as before, and the token over one reaches over it. */
START_TEST(dropped_symbols)
{
    attn_tokenizer *tokenizer =
        texts_open_json("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]}}");
    attn_unknowns unknowns = {0};
    ck_assert_str_eq(texts_show(tokenizer, attn_bytes_of("xaxybxb"), NULL, &unknowns), "ab@1-5 b@6-7");
    ck_assert_uint_eq(unknowns.count, 4);
    attn_unknowns_free(&unknowns);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* ---- what a text must not make of a file ---- */

#define LONG16(x) x x x x x x x x x x x x x x x x
#define LONG4K LONG16(LONG16(LONG16("_")))

/* A Metaspace of 4 KB for each blank is more than 64 times the text and 64 KB; an added token's content is normalised
 * when the file is read. */
START_TEST(growth_is_limited)
{
    const char *const json = "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"" LONG4K "\"}," MODEL "}";
    attn_tokenizer *tokenizer = texts_open_json(json);
    attn_tokens tokens = {0};
    attn_error error = {0};
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, attn_bytes_of("a a"), NULL, &tokens, NULL, NULL), ATTN_OK);
    tokens.count = 0;
    ck_assert_int_eq(
        attn_tokenizer_encode(tokenizer, attn_bytes_of("a                    a"), NULL, &tokens, NULL, &error),
        ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "step 1 of the pre-tokenizer"));
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(a_pattern_gives_up_on_an_added_token)
{
    static const char json[] = "{\"added_tokens\":[{\"id\":30,\"content\":"
                               "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"normalized\":true}],"
                               "\"normalizer\":" REPLACE("{\"Regex\":\"(?:a+)+[bc]\"}", "") "," MODEL "}";
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    ck_assert_int_eq(
        texts_open(&attn_vocab_reader_tokenizer_json, "tokenizer.json", attn_bytes_of(json), &tokenizer, &error),
        ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "the added token 'aaaa"));
    ck_assert_ptr_nonnull(strstr(error.message, "(?:a+)+[bc]"));
    ck_assert(!error.has_offset);
}
END_TEST

/* ---- refusals ---- */

static const struct {
    const char *json;
    attn_status status;
    uint64_t line;
    const char *names;
} refused[] = {
    {"{\n\"normalizer\":{\n\"type\":\"Levels\"}," MODEL "}", ATTN_EUNSUPPORTED, 2, "'Levels'"},
    {"{\"pre_tokenizer\":{\"type\":\"Scripts\"}," MODEL "}", ATTN_EUNSUPPORTED, 1, "'Scripts'"},
    {"{\"pre_tokenizer\":{\"type\":\"FixedLength\",\"length\":0}," MODEL "}", ATTN_EDATA, 1, "'length'"},
    {"{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"_\",\"add_prefix_space\":false,"
     "\"prepend_scheme\":\"first\"}," MODEL "}",
     ATTN_EUNSUPPORTED, 1, "'first'"},
    {"{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\h\"},\"behavior\":\"Isolated\"}," MODEL "}",
     ATTN_EUNSUPPORTED, 0, "\\h"},
    {"{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"a\"},\"behavior\":\"Sideways\"}," MODEL "}",
     ATTN_EUNSUPPORTED, 1, "'Sideways'"},
    {"{\"post_processor\":{\"type\":\"Sequence\",\"processors\":[{\"type\":\"BertProcessing\",\"sep\":[\"b\",1],"
     "\"cls\":"
     "[\"a\",0]},{\"type\":\"BertProcessing\",\"sep\":[\"b\",1],\"cls\":[\"a\",0]}]}," MODEL "}",
     ATTN_EUNSUPPORTED, 1, "second"},
    {"{\"post_processor\":{\"type\":\"Other\"}," MODEL "}", ATTN_EUNSUPPORTED, 1, "'Other'"},
    {"{\"model\":{\"type\":\"Sentences\",\"vocab\":{}}}", ATTN_EUNSUPPORTED, 1, "'Sentences'"},
    {"{\"model\":{\"type\":\"BPE\",\"dropout\":0.1,\"vocab\":{},\"merges\":[]}}", ATTN_EUNSUPPORTED, 1, "dropout"},
    {"{\"model\":{\"type\":\"BPE\",\"novelty\":1,\"vocab\":{},\"merges\":[]}}", ATTN_EUNSUPPORTED, 1, "novelty"},
    {"{\"model\":{\"type\":\"BPE\",\"novelty\":\"x\",\"vocab\":{},\"merges\":[]}}", ATTN_EUNSUPPORTED, 1, "novelty"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a b\"]}}", ATTN_EDATA, 0, "merge 1"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\n\"ab\"]}}", ATTN_EDATA, 2, "two tokens"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[[\"a\",\"a\",\"a\"]]}}", ATTN_EDATA, 1,
     "merge of two"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":0},\"merges\":[]}}", ATTN_EDATA, 1, "same id"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":4000000000},\"merges\":[]}}", ATTN_EDATA, 1, "4000000000"},
    {"{\"model\":{\"type\":\"Unigram\",\"vocab\":[[\"a\"]]}}", ATTN_EDATA, 1, "score"},
    {"{\"model\":{\"type\":\"Unigram\",\"unk_id\":7,\"vocab\":[[\"a\",0]]}}", ATTN_EDATA, 0, "7"},
    {"{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AAAA\"}," MODEL "}", ATTN_EDATA, 0,
     "damaged"},
    {"{\"version\":\"1.0\"}", ATTN_EDATA, 0, "vocabulary"},
    {"{\"added_tokens\":[{\"id\":5000000,\"content\":\"x\"}]," MODEL "}", ATTN_EDATA, 0, "5000000"}};

START_TEST(refuses_by_name)
{
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    attn_status status =
        texts_open(&attn_vocab_reader_tokenizer_json, "x", attn_bytes_of(refused[_i].json), &tokenizer, &error);
    ck_assert_msg(status == refused[_i].status, "%.80s: status %d: %s", refused[_i].json, status, error.message);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.message, refused[_i].names) != NULL, "%.80s: %s", refused[_i].json, error.message);
    if (refused[_i].line > 0)
        ck_assert_uint_eq(error.line, refused[_i].line);
    ck_assert_ptr_null(tokenizer);
}
END_TEST

/* ---- hostile files ---- */

/* Something of everything. */
static const char everything[] = ADDED(
    "") "\"version\":\"1.0\",\"truncation\":null,\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":"
        "\"NFC\"}," REPLACE("{\"Regex\":\"x+\"}",
                            "a") "]},\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":"
                                 "\"Split\",\"pattern\":{\"Regex\":\"[^\\\\s&&[^b]]\"},\"behavior\":\"Isolated\","
                                 "\"invert\":false},{\"type\":\"Metaspace\","
                                 "\"replacement\":\"▁\",\"prepend_scheme\":\"first\"}]},\"post_processor\":{\"type\":"
                                 "\"BertProcessing\",\"sep\":[\"b\",1],"
                                 "\"cls\":[\"c\",2]},\"decoder\":{\"type\":\"Metaspace\"}," MERGES "}";

static attn_status try_all(attn_bytes json, attn_error *error)
{
    attn_tokenizer *tokenizer;
    attn_tokens tokens = {0};
    attn_status status = texts_open(&attn_vocab_reader_tokenizer_json, "x", json, &tokenizer, error);
    if (status == ATTN_OK)
        status =
            attn_tokenizer_encode(tokenizer, attn_bytes_of("xa b\xFF<x>e\u0301 cd[m]12"), NULL, &tokens, NULL, error);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
    return status;
}

START_TEST(cut_short_at_every_byte)
{
    const attn_bytes json = attn_bytes_of(everything);
    for (size_t size = 0; size < json.size; size++) {
        attn_error error = {0};
        uint8_t *copy = attn_alloc(size);
        memcpy(copy, json.data, size);
        ck_assert_int_eq(try_all((attn_bytes){copy, size}, &error), ATTN_EDATA);
        ck_assert_str_ne(error.message, "");
        attn_free(copy);
    }
    ck_assert_int_eq(try_all(json, NULL), ATTN_OK);
}
END_TEST

static attn_status try_everything(void *context, attn_error *error)
{
    (void)context;
    return try_all(attn_bytes_of(everything), error);
}

START_TEST(survives_failing_allocations)
{
    ck_assert_uint_gt(memory_fail_each(try_everything, NULL, MEMORY_FROM).failures, 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer.json");
    TCase *tests = tcase_create("tokenizer.json");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, components, 0, sizeof examples / sizeof *examples);
    tcase_add_loop_test(tests, offsets_in_the_original, 0, sizeof offsets / sizeof *offsets);
    tcase_add_loop_test(tests, tokens_around_and_inside, 0, sizeof around / sizeof *around);
    tcase_add_test(tests, missing_unknown_token);
    tcase_add_loop_test(tests, marks_are_no_text, 0, sizeof marked / sizeof *marked);
    tcase_add_test(tests, a_word_has_its_end);
    tcase_add_test(tests, dropped_symbols);
    tcase_add_loop_test(tests, each_model, 0, sizeof models / sizeof *models);
    tcase_add_test(tests, growth_is_limited);
    tcase_add_test(tests, a_pattern_gives_up_on_an_added_token);
    tcase_add_loop_test(tests, refuses_by_name, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, cut_short_at_every_byte);
    tcase_add_test(tests, survives_failing_allocations);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
