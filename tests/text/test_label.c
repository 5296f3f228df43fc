/* Labels, and the alphabet that byte-level vocabularies spell bytes with. Expected: GPT-2's published table, and the bytes of
 * each spelling worked out by hand. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "testing/texts.h"
#include "text/byte_alphabet.h"

#include <string.h>

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

int main(void)
{
    Suite *suite = suite_create("label");
    TCase *tests = tcase_create("label");
    tcase_add_loop_test(tests, test_labels, 0, 2);
    tcase_add_test(tests, test_byte_alphabet);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
