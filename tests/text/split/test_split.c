/* The split patterns. Examples are worked out by hand from the patterns; the hand-written splitters are then
 * compared with PCRE2 running the same patterns (two independent readings) on random text. That both agree with
 * the reference engine is shown by tests/text/npm_compare. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "testing/random.h"
#include "text/split/pattern.h"
#include "text/split/split.h"

#define LLAMA3(digits)                                                                                                 \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits                                               \
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

static const struct {
    attn_pretokenizer rule;
    const char *text, *pieces; /* separated by '|' */
} examples[] = {{ATTN_SPLIT_GPT2, "hello  world   ", "hello| | world|   "},
                {ATTN_SPLIT_GPT2, "   three, 12a", "  | three|,| 12|a"},
                {ATTN_SPLIT_GPT2, "don't I'LL we'll've 're", "don|'t| I|'|LL| we|'ll|'ve| '|re"},
                {ATTN_SPLIT_GPT2, "a\n\n\nb\n\n", "a|\n\n|\n|b|\n\n"},
                {ATTN_SPLIT_GPT2, "\tb\t\tc", "\t|b|\t|\t|c"},
                {ATTN_SPLIT_GPT2, "a\u00A0\u2003b", "a|\u00A0|\u2003|b"},
                {ATTN_SPLIT_GPT2, "x\u200By", "x|\u200B|y"},
                {ATTN_SPLIT_GPT2, "어부가 그물 ½٣", "어부가| 그물| ½٣"},
                {ATTN_SPLIT_GPT2, "cafe\u0301s", "cafe|\u0301|s"},
                {ATTN_SPLIT_GPT2, "'", "'"},
                {ATTN_SPLIT_GPT2, " ", " "},
                {ATTN_SPLIT_GPT2, "a \xFF\xE2\x80 b", "a| \xFF\xE2\x80| b"},
                {ATTN_SPLIT_LLAMA3, "don't I'LL we'll 'RE", "don|'t| I|'LL| we|'ll| '|RE"},
                {ATTN_SPLIT_LLAMA3, "it'\u017F 1234567", "it|'\u017F| |123|456|7"},
                {ATTN_SPLIT_LLAMA3, "(word) .x ..x", "(word|)| .|x| ..|x"},
                {ATTN_SPLIT_LLAMA3, "x'RE 'RE", "x|'RE| '|RE"},
                {ATTN_SPLIT_LLAMA3, "a \n \n  b!\n\nc", "a| \n \n| | b|!\n\n|c"},
                {ATTN_SPLIT_LLAMA3, "a  \n", "a|  \n"},
                {ATTN_SPLIT_LLAMA3, "\nb", "\n|b"},
                {ATTN_SPLIT_LLAMA3, "a\t\tb", "a|\t|\tb"},
                {ATTN_SPLIT_LLAMA3, "a \u2028\u2028b", "a| \u2028|\u2028b"},
                {ATTN_SPLIT_QWEN2, "a123 4", "a|1|2|3| |4"},
                {ATTN_SPLIT_QWEN2, "１２x", "１|２|x"}};

START_TEST(splits_as_worked_out)
{
    const attn_bytes text = attn_bytes_of(examples[_i].text);
    attn_buffer pieces = {0};
    for (size_t at = 0, end; at < text.size; at = end) {
        end = attn_split_end(examples[_i].rule, text, at);
        ck_assert_uint_gt(end, at);
        ck_assert_uint_le(end, text.size);
        if (at > 0)
            attn_buffer_byte(&pieces, '|');
        attn_buffer_put(&pieces, text.data + at, end - at);
    }
    attn_buffer_byte(&pieces, '\0');
    ck_assert_str_eq(pieces.data, examples[_i].pieces);
    attn_buffer_free(&pieces);
}
END_TEST

/* Characters that the patterns tell apart, all known to Unicode 14 (PCRE2's tables here). */
static const uint32_t characters[] = {
    ' ',    ' ',    ' ',    '\n',   '\n',   '\r',   '\t',    '\v',    '\'',    '\'',    's',     't',    'r',
    'e',    'v',    'm',    'l',    'd',    'S',    'L',     'R',     'E',     'x',     'Z',     '0',    '9',
    '5',    '!',    '.',    '/',    '_',    0,      0x1c,    0x1f,    0x7f,    0x85,    0xa0,    0xaa,   0xb2,
    0xbd,   0xd7,   0xe9,   0x130,  0x17f,  0x212a, 0x301,   0x483,   0x660,   0x6dd,   0x903,   0x966,  0x1100,
    0x1680, 0x180e, 0x2003, 0x200b, 0x200d, 0x2028, 0x2029,  0x202f,  0x205f,  0x2160,  0x2460,  0x3000, 0x3007,
    0x4e00, 0xac00, 0xe000, 0xfeff, 0xff11, 0xfffd, 0x10140, 0x1d7ce, 0x1f600, 0x20000, 0x10ffff};

static const struct {
    attn_pretokenizer rule;
    const char *pattern;
} rules[] = {{ATTN_SPLIT_GPT2, GPT2}, {ATTN_SPLIT_LLAMA3, LLAMA3("\\p{N}{1,3}")}, {ATTN_SPLIT_QWEN2, LLAMA3("\\p{N}")}};

START_TEST(splits_as_pcre2_does)
{
    uint32_t state = 7;
    attn_pattern *pattern;
    attn_pattern_search search;
    ck_assert_int_eq(attn_pattern_open(attn_bytes_of(rules[_i].pattern), &pattern, NULL), ATTN_OK);
    ck_assert_int_eq(attn_pattern_begin(pattern, (attn_bytes){NULL, 0}, &search, NULL), ATTN_OK);
    for (size_t round = 0; round < 20000; round++) {
        /* now and then a text longer than what PCRE2 sees at once, with words longer than that */
        const bool long_one = round % 64 == 0;
        uint8_t bytes[4000];
        attn_bytes text = {bytes, 0};
        size_t start, end, at = 0;
        for (size_t n = random_below(&state, long_one ? 300 : 30); n > 0; n--) {
            size_t many = random_below(&state, 4) == 0 ? 1 + random_below(&state, long_one ? 300 : 4) : 1;
            uint32_t code = characters[random_below(&state, sizeof characters / sizeof *characters)];
            while (many-- > 0 && text.size < sizeof bytes - 4)
                text.size += attn_utf8_encode(code, bytes + text.size);
        }
        attn_pattern_restart(&search, text);
        while (attn_pattern_next(&search, &start, &end)) {
            ck_assert_uint_eq(start, at);
            ck_assert_msg(attn_split_end(rules[_i].rule, text, at) == end, "'%.*s' at %zu", (int)text.size,
                          (const char *)text.data, at);
            at = end;
        }
        ck_assert_uint_eq(at, text.size);
    }
    attn_pattern_end(&search);
    attn_pattern_close(pattern);
}
END_TEST

START_TEST(knows_the_published_spellings)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        ck_assert_int_eq(attn_split_known(attn_bytes_of(rules[i].pattern)), rules[i].rule);
    ck_assert_int_eq(attn_split_known(attn_bytes_of("\\p{L}+")), ATTN_SPLIT_PATTERN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("split");
    TCase *tests = tcase_create("split");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, splits_as_worked_out, 0, sizeof examples / sizeof *examples);
    tcase_add_loop_test(tests, splits_as_pcre2_does, 0, sizeof rules / sizeof *rules);
    tcase_add_test(tests, knows_the_published_spellings);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
