/* The basic kinds: words, whitespace, longest, chars, bytes, ids. Expected tokens and byte offsets
 * are counted by hand from the texts' UTF-8. */
#include "config.h"

#include "testing.h"

#include "testing/texts.h"

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
    {"longest: no part of a character", &attn_kind_longest, false, "q\nx", "xq\u0323x x", "x@0-1 x@6-7"},
    {"longest: from a word's start", &attn_kind_longest, false, "수\n가", "원수이며 수가 가수 수가가 나수",
     "수@13-16 가@16-19 가@20-23 수@23-26 수@27-30 가@30-33 가@33-36"},
    {"longest: no letters inside", &attn_kind_longest, false, "a\nthor", "Author zathor athor", "a@14-15 thor@15-19"},
    {"longest: behind what is skipped", &attn_kind_longest, false, "我\n北京", "我喜欢北京", "我@0-3 北京@9-15"},
    {"longest: Thai, Lao, Khmer, Myanmar", &attn_kind_longest, false, "ข้าว\nເຂົ້າ\nបាយ\nထမင်း",
     "กินข้าว ກິນເຂົ້າ ញ៉ាំបាយ စားထမင်း", "ข้าว@9-21 ເຂົ້າ@31-46 បាយ@59-68 ထမင်း@78-93"},
    {"longest: where the script changes", &attn_kind_longest, false, "我\nking", "xking我xking y我king我",
     "我@5-8 我@15-18 king@18-22 我@22-25"},
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
    tcase_add_test(cases, test_nul_and_ill_formed);
    tcase_add_test(cases, test_words_are_numbered);
    tcase_add_test(cases, test_names);
    tcase_add_test(cases, test_needs_a_vocabulary);
    tcase_add_test(cases, test_wrong_ids);
    suite_add_tcase(suite, cases);
    return testing_run(suite);
}
