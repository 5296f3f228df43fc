/* The basic kinds: words, whitespace, longest, chars, bytes, ids. Expected tokens and byte offsets
 * are counted by hand from the texts' UTF-8. */
#include "config.h"

#include "testing.h"

#include "testing/texts.h"
#include "text/byte_alphabet.h"

#include <string.h>

typedef struct example {
    const char *name;
    const attn_kind *kind;
    bool lowercase;
    const char *list, *text, *expected;
} example;

#define NFD_FISHERMAN "\u110B\u1165\u1107\u116E" /* 어부 as six-byte syllables of jamo */
#define NFD_NET "\u1100\u1173\u1106\u116E\u11AF"
#define FAMILY "\U0001F469\u200D\U0001F469\u200D\U0001F467" /* 18 bytes */

static const example examples[] = {
    {"words: English", &attn_kind_words, false, "the\ncat\nsat\n.\ndon't", "the cat, don't sat.",
     "the@0-3 cat@4-7 don't@9-14 sat@15-18 .@18-19"},
    {"words: quotes around words are apart", &attn_kind_words, false, "tis\ndogs\ndon’t\n'", "'tis dogs' don’t",
     "'@0-1 tis@1-4 dogs@5-9 '@9-10 don’t@11-18"},
    {"words: numbers", &attn_kind_words, false, "3.14\n1,000\nnew_york\n5\n.\n,\n_", "3.14 1,000 new_york 5. 5,_",
     "3.14@0-4 1,000@5-10 new_york@11-19 5@20-21 .@21-22 5@23-24 ,@24-25 _@25-26"},
    {"words: each mark apart", &attn_kind_words, false, "a\n!\n-", "a!!-a", "a@0-1 !@1-2 !@2-3 -@3-4 a@4-5"},
    {"words: Korean", &attn_kind_words, false, "어부\n그물", "어부 그물", "어부@0-6 그물@7-13"},
    {"words: Korean text in jamo", &attn_kind_words, false, "어부\n그물", NFD_FISHERMAN " " NFD_NET,
     "어부@0-12 그물@13-28"},
    {"words: Korean vocabulary in jamo", &attn_kind_words, false, NFD_FISHERMAN "\n" NFD_NET, "어부 그물",
     NFD_FISHERMAN "@0-6 " NFD_NET "@7-13"},
    {"words: Chinese", &attn_kind_words, false, "我\n爱你\n。", "我\u3000爱你。", "我@0-3 爱你@6-12 。@12-15"},
    {"words: Japanese", &attn_kind_words, false, "りんご\nがぎ\n、", "りんご、か\u3099き\u3099",
     "りんご@0-9 、@9-12 がぎ@12-24"},
    {"words: emoji", &attn_kind_words, false, "hi\n" FAMILY "\n❤\uFE0F", "hi" FAMILY " ❤\uFE0F",
     "hi@0-2 " FAMILY "@2-20 ❤\uFE0F@21-27"},
    {"words: composed and decomposed", &attn_kind_words, false, "café", "caf\u00E9 cafe\u0301", "café@0-5 café@6-12"},
    {"words: joiners inside", &attn_kind_words, false, "a\u200Cb\na\nb", "a\u200Cb a\u200Bb",
     "a\u200Cb@0-5 a@6-7 b@10-11"},
    {"words: lower case", &attn_kind_words, true, "king\närger\nσ", "King KING ÄRGER A\u0308rger Σ",
     "king@0-4 king@5-9 ärger@10-16 ärger@17-24 σ@25-27"},
    {"words: CR and CRLF are white space", &attn_kind_words, false, "a\nb", "a\rb\r\na\r", "a@0-1 b@2-3 a@5-6"},
    {"words: blank", &attn_kind_words, false, "a", " \t\r\n\u00A0\u3000", ""},
    {"words: empty", &attn_kind_words, false, "a", "", ""},
    {"whitespace", &attn_kind_whitespace, false, "a,b\nc.\n어부가", "a,b\tc.\r\n어부가\u2003c.",
     "a,b@0-3 c.@4-6 어부가@8-17 c.@20-22"},
    {"whitespace: jamo", &attn_kind_whitespace, false, "어부!", NFD_FISHERMAN "!", "어부!@0-13"},
    {"longest: Korean particles", &attn_kind_longest, false, "어부\n그물", "어부가 그물을", "어부@0-6 그물@10-16"},
    {"longest: jamo", &attn_kind_longest, false, "어부\n그물", NFD_FISHERMAN "가 " NFD_NET "을",
     "어부@0-12 그물@16-31"},
    {"longest: the longest, from the left", &attn_kind_longest, false, "a\nab\nabc\nca", "abcab ca",
     "abc@0-3 ab@3-5 ca@6-8"},
    {"longest: Chinese and Japanese", &attn_kind_longest, false, "北京\n北京大学\n学生\nりんご\nを\n食べる",
     "北京大学生 りんごを食べる", "北京大学@0-12 りんご@16-25 を@25-28 食べる@28-37"},
    {"longest: no part of a character", &attn_kind_longest, false, "q\nx", "xq\u0323x", "x@0-1 x@4-5"},
    {"chars", &attn_kind_chars, false, "한\né\n" FAMILY "\nx\n ", "\u1112\u1161\u11ABe\u0301 " FAMILY "x",
     "한@0-9 é@9-12  @12-13 " FAMILY "@13-31 x@31-32"},
    {"chars: flags", &attn_kind_chars, false, "🇰🇷\n🇯🇵", "🇰🇷🇯🇵🇰🇷", "🇰🇷@0-8 🇯🇵@8-16 🇰🇷@16-24"},
    {"bytes", &attn_kind_bytes, false, "", "é!", "\\xC3@0-1 \\xA9@1-2 !@2-3"},
    {"bytes: spelled", &attn_kind_bytes, false, "<0x41>\nb\n<0x0a>", "bA\n", "b@0-1 A@1-2 \n@2-3"},
    {"ids", &attn_kind_ids, false, "zero\none\ntwo", " 0 2,1\n2", "zero@1-2 two@3-4 one@5-6 two@7-8"},
};

START_TEST(test_examples)
{
    const example *e = &examples[_i];
    attn_tokenizer *tokenizer = texts_tokenizer(e->kind, e->list, e->lowercase);
    const char *shown = texts_show(tokenizer, attn_bytes_of(e->text), NULL, NULL);
    ck_assert_msg(strcmp(shown, e->expected) == 0, "%s: expected '%s', found '%s'", e->name, e->expected, shown);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_unknown_rules)
{
    attn_tokenizer *tokenizer = texts_tokenizer(&attn_kind_words, "a\nb\nUNKNOWN", false);
    attn_encode_options options = attn_encode_options_default();
    attn_unknowns unknowns = {0};
    const attn_bytes text = attn_bytes_of("x a\nyy x b");
    ck_assert_str_eq(texts_show(tokenizer, text, &options, &unknowns), "a@2-3 b@9-10");
    ck_assert_uint_eq(unknowns.count, 3);
    ck_assert_uint_eq(unknowns.n_kept, 2);
    ck_assert_str_eq(unknowns.kept[0], "x");
    ck_assert_str_eq(unknowns.kept[1], "yy");
    options.unknown = ATTN_UNKNOWN_TOKEN;
    options.unknown_token = 2;
    ck_assert_str_eq(texts_show(tokenizer, text, &options, &unknowns),
                     "UNKNOWN@0-1 a@2-3 UNKNOWN@4-6 UNKNOWN@7-8 b@9-10");
    ck_assert_uint_eq(unknowns.count, 3);
    options.unknown_token = 3;
    ck_assert_str_eq(texts_ids(tokenizer, text, &options),
                     "ERROR: the unknown token's id 3 is beyond the vocabulary's 3");
    options.unknown = ATTN_UNKNOWN_ERROR;
    ck_assert_str_eq(texts_show(tokenizer, attn_bytes_of("a\nb yy"), &options, NULL),
                     "ERROR: 2:3: 'yy' is not in the vocabulary");
    attn_unknowns_free(&unknowns);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* The run's list counts over several texts, keeps five, and cuts a very long word. */
START_TEST(test_unknown_list)
{
    attn_tokenizer *tokenizer = texts_tokenizer(&attn_kind_whitespace, "a", false);
    attn_unknowns unknowns = {0};
    char text[512];
    memset(text, 'z', sizeof text);
    text[0] = 'a';
    text[1] = ' ';
    texts_show(tokenizer, (attn_bytes){(const uint8_t *)text, sizeof text}, NULL, &unknowns);
    ck_assert_uint_eq(unknowns.n_kept, 1);
    ck_assert_uint_lt(strlen(unknowns.kept[0]), 100);
    texts_show(tokenizer, attn_bytes_of("a b c d e f g"), NULL, &unknowns);
    texts_show(tokenizer, attn_bytes_of("a \xFF"), NULL, &unknowns);
    ck_assert_uint_eq(unknowns.count, 8);
    ck_assert_uint_eq(unknowns.n_kept, ATTN_UNKNOWNS_KEPT);
    ck_assert_str_eq(unknowns.kept[4], "e");
    attn_unknowns_free(&unknowns);
    attn_tokenizer_close(tokenizer);
}
END_TEST

typedef struct hint {
    const attn_kind *kind;
    const char *list, *text, *message, *hint;
} hint;

static const hint hints[] = {
    {&attn_kind_words, "king\nqueen", "The King", "nothing of the text is in the vocabulary: 'The', 'King'",
     "'King': 'king' is there, try --lowercase"},
    {&attn_kind_words, "어부\n그물", "어부가 그물을", "nothing of the text is in the vocabulary: '어부가', '그물을'",
     "'어부가' begins with '어부': try -t longest"},
    {&attn_kind_whitespace, "어부\n그물", NFD_FISHERMAN "가",
     "nothing of the text is in the vocabulary: '" NFD_FISHERMAN "가'",
     "'" NFD_FISHERMAN "가' begins with '어부': try -t longest"},
    {&attn_kind_words, "a", "1 2 3 4", "nothing of the text is in the vocabulary: '1', '2', '3', …", ""},
    {&attn_kind_ids, "a\nb", "1\n0 2", "expected a token id below 2, found '2'", ""},
    {&attn_kind_ids, "a\nb", "-1", "expected a token id below 2, found '-1'", ""},
    {&attn_kind_ids, "a\nb", "99999999999999999999", "expected a token id below 2, found '99999999999999999999'", ""},
};

START_TEST(test_hints)
{
    const hint *h = &hints[_i];
    attn_tokenizer *tokenizer = texts_tokenizer(h->kind, h->list, false);
    attn_tokens tokens = {0};
    attn_error error = {0};
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, attn_bytes_of(h->text), NULL, &tokens, NULL, &error), ATTN_EDATA);
    ck_assert_str_eq(error.message, h->message);
    ck_assert_str_eq(error.hint, h->hint);
    ck_assert_uint_eq(tokens.count, 0);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

typedef struct label_example {
    bool byte_level; /* else SentencePiece-style */
    const char *spelling, *label, *raw;
} label_example;

static const label_example label_examples[] = {
    {true, "Ġthe", " the", "Ġthe"},
    {true, "Ã©", "é", "Ã©"},              /* the bytes C3 A9 */
    {true, "é", "\\xE9", "é"},            /* the byte E9 alone */
    {true, "ĠíķľĢ", " 한\\x80", "ĠíķľĢ"}, /* 20, ED 95 9C, a stray 80 */
    {true, "ĊĊ", "\n\n", "ĊĊ"},
    {true, "<é>", "<é>", "<é>"}, /* added: spelled as it is read */
    {false, "▁the", " the", "▁the"},
    {false, "▁", " ", "▁"},
    {false, "<0xE3>", "\\xE3", "<0xE3>"},
    {false, "<0x0A>", "\n", "<0x0A>"},
    {false, "<é>", "<é>", "<é>"},
    {false, "a\xFF", "a\\xFF", "a\\xFF"},
};
enum { N_LABELS = sizeof label_examples / sizeof *label_examples };

START_TEST(test_labels)
{
    attn_bytes tokens[N_LABELS];
    attn_added_token added = {.content = attn_bytes_of("<é>"), .special = true};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    const float scores[N_LABELS] = {0};
    for (size_t i = 0; i < N_LABELS; i++)
        if (label_examples[i].byte_level == (_i == 0)) {
            if (strcmp(label_examples[i].spelling, "<é>") == 0)
                added.id = (uint32_t)spec.n_tokens;
            tokens[spec.n_tokens++] = attn_bytes_of(label_examples[i].spelling);
        }
    spec.kind = &attn_kind_bpe;
    spec.byte_level = _i == 0;
    spec.tokens = tokens;
    spec.scores = _i == 0 ? NULL : scores;
    spec.split = _i == 0 ? ATTN_SPLIT_GPT2 : ATTN_SPLIT_NONE;
    spec.added = &added;
    spec.n_added = 1;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    for (size_t i = 0, id = 0; i < N_LABELS; i++) {
        const label_example *e = &label_examples[i];
        attn_buffer label = {0};
        attn_buffer raw = {0};
        if (e->byte_level != (_i == 0))
            continue;
        attn_tokenizer_label(tokenizer, (uint32_t)id, false, &label);
        attn_tokenizer_label(tokenizer, (uint32_t)id, true, &raw);
        ck_assert_msg(attn_bytes_are(attn_buffer_bytes(&label), e->label), "%s: '%.*s'", e->spelling, (int)label.size,
                      label.data);
        ck_assert_msg(attn_bytes_are(attn_buffer_bytes(&raw), e->raw), "%s: raw '%.*s'", e->spelling, (int)raw.size,
                      raw.data);
        attn_buffer_free(&label);
        attn_buffer_free(&raw);
        id++;
    }
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of(" the")), 0);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of(_i == 0 ? "Ġthe" : "▁the")), 0);
    ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("<é>")), added.id);
    if (_i == 0)
        ck_assert_uint_eq(attn_tokenizer_find(tokenizer, attn_bytes_of("é")), 1);
    attn_tokenizer_close(tokenizer);
}
END_TEST

typedef struct added_example {
    const char *name;
    bool parse_special;
    const char *text, *expected;
} added_example;

/* Tokens: <a> and <a>b plain; <s> special; <l>, <r> take white space on their left or right; <w>
 * only apart from word characters; <N> is looked for in the lower-cased text. */
static const added_example added_examples[] = {
    {"the longest wins", false, "x<a>bx<a>x", "x@0-1 <a>b@1-5 x@5-6 <a>@6-9 x@9-10"},
    {"special ones are text", false, "x <s>", "x@0-1 <@2-3 s@3-4 >@4-5"},
    {"unless asked for", true, "x<s>x", "x@0-1 <s>@1-4 x@4-5"},
    {"lstrip", false, "x \u3000<l> x", "x@0-1 <l>@1-8 x@9-10"},
    {"rstrip", false, "x <r> \t\nx", "x@0-1 <r>@2-8 x@8-9"},
    {"single_word", false, "x <w> x<w> <w>é", "x@0-1 <w>@2-5 x@6-7 <@7-8 w@8-9 >@9-10 <@11-12 w@12-13 >@13-14"},
    {"normalized", false, "<n> <N> x", "<N>@0-3 <N>@4-7 x@8-9"},
    {"not normalized", false, "<A> x", "<@0-1 a@1-2 >@2-3 x@4-5"},
    {"two of them", false, "<a><a>", "<a>@0-3 <a>@3-6"},
    {"cut short", false, "x <a", "x@0-1 <@2-3 a@3-4"},
};

START_TEST(test_added)
{
    static const char *const words[] = {"x", "<", ">", "a", "s", "w"};
    const added_example *e = &added_examples[_i];
    attn_added_token added[] = {{.content = attn_bytes_of("<a>")},
                                {.content = attn_bytes_of("<a>b")},
                                {.content = attn_bytes_of("<s>"), .special = true},
                                {.content = attn_bytes_of("<l>"), .lstrip = true},
                                {.content = attn_bytes_of("<r>"), .rstrip = true},
                                {.content = attn_bytes_of("<w>"), .single_word = true},
                                {.content = attn_bytes_of("<N>"), .normalized = true}};
    enum { N_WORDS = sizeof words / sizeof *words, N_ADDED = sizeof added / sizeof *added };
    attn_bytes tokens[N_WORDS];
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_encode_options options = attn_encode_options_default();
    attn_tokenizer *tokenizer = NULL;
    for (size_t i = 0; i < N_WORDS; i++)
        tokens[i] = attn_bytes_of(words[i]);
    for (size_t i = 0; i < N_ADDED; i++)
        added[i].id = (uint32_t)(N_WORDS + i);
    spec.tokens = tokens;
    spec.n_tokens = N_WORDS;
    spec.added = added;
    spec.n_added = N_ADDED;
    spec.lowercase = true;
    options.parse_special = e->parse_special;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), N_WORDS + N_ADDED);
    const char *shown = texts_show(tokenizer, attn_bytes_of(e->text), &options, NULL);
    ck_assert_msg(strcmp(shown, e->expected) == 0, "%s: expected '%s', found '%s'", e->name, e->expected, shown);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* GPT-2's published table (encoder.py's bytes_to_unicode): its well-known letters, and back again.
 */
START_TEST(test_byte_alphabet)
{
    static const struct {
        uint8_t byte;
        uint32_t code;
    } known[] = {{0, 0x100},    {'\n', 0x10A}, {' ', 0x120}, {'!', '!'},    {'~', '~'},   {0x7F, 0x121},
                 {0xA0, 0x142}, {0xA1, 0xA1},  {0xAC, 0xAC}, {0xAD, 0x143}, {0xAE, 0xAE}, {0xFF, 0xFF}};
    attn_buffer spelled = {0};
    attn_buffer bytes = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_uint_eq(attn_byte_alphabet_code(known[i].byte), known[i].code);
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t one = (uint8_t)byte;
        ck_assert_int_eq(attn_byte_alphabet_byte((int32_t)attn_byte_alphabet_code(one)), (int)byte);
        attn_byte_alphabet_encode((attn_bytes){&one, 1}, &spelled);
    }
    attn_byte_alphabet_decode(attn_buffer_bytes(&spelled), &bytes);
    ck_assert_uint_eq(bytes.size, 256);
    for (unsigned byte = 0; byte < 256; byte++)
        ck_assert_uint_eq((uint8_t)bytes.data[byte], byte);
    ck_assert_int_eq(attn_byte_alphabet_byte(' '), -1);
    ck_assert_int_eq(attn_byte_alphabet_byte(0xAD), -1);
    ck_assert_int_eq(attn_byte_alphabet_byte(0x144), -1);
    ck_assert_int_eq(attn_byte_alphabet_byte(-1), -1);
    ck_assert_int_eq(attn_byte_token(attn_bytes_of("<0xe3>")), 0xE3);
    ck_assert_int_eq(attn_byte_token(attn_bytes_of("<0xG3>")), -1);
    ck_assert_int_eq(attn_byte_token(attn_bytes_of("<0xE3> ")), -1);
    attn_buffer_free(&spelled);
    attn_buffer_free(&bytes);
}
END_TEST

/* Case 110: a NUL ends nothing; an ill-formed byte is a unit of its own and shown escaped. */
START_TEST(test_nul_and_ill_formed)
{
    attn_tokenizer *tokenizer = texts_tokenizer(&attn_kind_words, "a\nb", false);
    attn_unknowns unknowns = {0};
    ck_assert_str_eq(texts_show(tokenizer, (attn_bytes){(const uint8_t *)"a \0 b a", 7}, NULL, &unknowns),
                     "a@0-1 b@4-5 a@6-7");
    ck_assert_uint_eq(unknowns.count, 1);
    ck_assert_str_eq(texts_show(tokenizer,
                                attn_bytes_of("a\xFF\xE3\x81"
                                              "b"),
                                NULL, &unknowns),
                     "a@0-1 b@4-5");
    ck_assert_uint_eq(unknowns.count, 4);
    ck_assert_str_eq(unknowns.kept[0], "\\x00");
    ck_assert_str_eq(unknowns.kept[1], "\\xFF");
    attn_unknowns_free(&unknowns);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* Appended tokens go on with the word numbers; a failed text leaves the tokens as they were. */
START_TEST(test_words_are_numbered)
{
    attn_tokenizer *tokenizer = texts_tokenizer(&attn_kind_longest, "ab\nc", false);
    attn_tokens tokens = {0};
    attn_error error = {0};
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, attn_bytes_of("abc c"), NULL, &tokens, NULL, &error), 0);
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, attn_bytes_of("ab"), NULL, &tokens, NULL, &error), 0);
    ck_assert_int_eq(attn_tokenizer_encode(tokenizer, attn_bytes_of("z"), NULL, &tokens, NULL, &error), ATTN_EDATA);
    ck_assert_uint_eq(tokens.count, 4);
    ck_assert_uint_eq(tokens.items[0].word, 0);
    ck_assert_uint_eq(tokens.items[1].word, 0);
    ck_assert_uint_eq(tokens.items[2].word, 1);
    ck_assert_uint_eq(tokens.items[3].word, 2);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_names)
{
    const attn_kind *kind;
    size_t n = 0;
    ck_assert(attn_kind_find("longest", &kind));
    ck_assert_ptr_eq(kind, &attn_kind_longest);
    ck_assert(attn_kind_find("auto", &kind));
    ck_assert_ptr_null(kind);
    ck_assert(!attn_kind_find("word", &kind));
    ck_assert(!attn_kind_find("", &kind));
    ck_assert_str_eq(attn_kind_name_at(0), "auto");
    ck_assert_str_eq(attn_kind_name(NULL), "auto");
    for (; attn_kind_name_at(n) != NULL; n++) {
        ck_assert(attn_kind_find(attn_kind_name_at(n), &kind));
        ck_assert_str_eq(attn_kind_name(kind), attn_kind_name_at(n));
    }
    ck_assert_uint_ge(n, 10); /* auto and the nine of the design */
}
END_TEST

START_TEST(test_needs_a_vocabulary)
{
    const attn_kind *const kinds[] = {&attn_kind_words, &attn_kind_whitespace, &attn_kind_longest,
                                      &attn_kind_chars, &attn_kind_ids,        &attn_kind_wordpiece};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        attn_tokenizer_spec spec = attn_tokenizer_spec_default();
        attn_tokenizer *tokenizer = NULL;
        attn_error error;
        spec.kind = kinds[i];
        ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, &error), ATTN_EDATA);
        ck_assert_ptr_null(tokenizer);
    }
}
END_TEST

/* Ids of prefix, suffix, unknown and added tokens are checked before anything uses them. */
START_TEST(test_wrong_ids)
{
    const attn_bytes tokens[] = {attn_bytes_of("a")};
    const uint32_t beyond = 1;
    attn_tokenizer *tokenizer = NULL;
    attn_error error;
    for (int i = 0; i < 4; i++) {
        attn_tokenizer_spec spec = attn_tokenizer_spec_default();
        attn_added_token added = {.content = attn_bytes_of("<x>"), .id = ATTN_NO_TOKEN - 1};
        spec.tokens = tokens;
        spec.n_tokens = 1;
        if (i == 0)
            spec.unknown = beyond;
        spec.prefix = &beyond;
        spec.n_prefix = i == 1;
        spec.suffix = &beyond;
        spec.n_suffix = i == 2;
        spec.added = &added;
        spec.n_added = i == 3;
        ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, &error), ATTN_EDATA);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kinds");
    TCase *cases = tcase_create("all");
    tcase_add_loop_test(cases, test_examples, 0, sizeof examples / sizeof *examples);
    tcase_add_test(cases, test_unknown_rules);
    tcase_add_test(cases, test_unknown_list);
    tcase_add_loop_test(cases, test_hints, 0, sizeof hints / sizeof *hints);
    tcase_add_loop_test(cases, test_added, 0, sizeof added_examples / sizeof *added_examples);
    tcase_add_loop_test(cases, test_labels, 0, 2);
    tcase_add_test(cases, test_byte_alphabet);
    tcase_add_test(cases, test_nul_and_ill_formed);
    tcase_add_test(cases, test_words_are_numbered);
    tcase_add_test(cases, test_names);
    tcase_add_test(cases, test_needs_a_vocabulary);
    tcase_add_test(cases, test_wrong_ids);
    suite_add_tcase(suite, cases);
    return testing_run(suite);
}
