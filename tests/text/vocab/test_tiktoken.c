/* tiktoken's rank files: base64, and what is refused at which line, counted by hand. A whole published vocabulary as
 * ranks: tests/text/test_published.c. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "testing/texts.h"
#include "text/vocab/base64.h"

/* RFC 4648's examples. */
START_TEST(base64)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"Zg==", "f"},
                                           {"Zm8=", "fo"},
                                           {"Zm9v", "foo"},
                                           {"Zm9vYg==", "foob"},
                                           {"Zm9vYmE=", "fooba"},
                                           {"Zm9vYmFy", "foobar"},
                                           {"Zm8", "fo"}};
    static const char *const wrong[] = {"Z", "Zm9v!", "Zm 8=", "====", "Zm9vY"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        attn_buffer out = {0};
        ck_assert(attn_base64_decode(attn_bytes_of(pairs[i][0]), &out));
        ck_assert(attn_bytes_are(attn_buffer_bytes(&out), pairs[i][1]));
        attn_buffer_free(&out);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attn_buffer out = {0};
        ck_assert_msg(!attn_base64_decode(attn_bytes_of(wrong[i]), &out), "%s", wrong[i]);
        attn_buffer_free(&out);
    }
}
END_TEST

START_TEST(tiktoken_refusals)
{
    static const struct {
        const char *text;
        attn_status status;
        uint64_t line;
    } files[] = {{"IQ== 0\nIg== 1\n", ATTN_EUNSUPPORTED, 0}, /* not a published number of ranks */
                 {"IQ== 0\nI 1\n", ATTN_EDATA, 2},
                 {"IQ== 0\nIg== x\n", ATTN_EDATA, 2},
                 {"IQ== 0\nIg== 0\n", ATTN_EDATA, 2},
                 {"IQ== 99999999\n", ATTN_EDATA, 1},
                 {"IQ==\n", ATTN_EDATA, 1}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        attn_tokenizer *tokenizer;
        attn_error error = {0};
        ck_assert_int_eq(texts_open(&attn_vocab_reader_tiktoken, "x", attn_bytes_of(files[i].text), &tokenizer, &error),
                         files[i].status);
        ck_assert_uint_eq(error.line, files[i].line);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tiktoken");
    TCase *tests = tcase_create("tiktoken");
    tcase_add_test(tests, base64);
    tcase_add_test(tests, tiktoken_refusals);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
