/* Normal forms and the precompiled character map. Right values: utf8proc's NFC, and a map written by hand. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "testing/random.h"
#include "testing/texts.h"
#include "text/unicode/normalize.h"

#include <string.h>
#include <utf8proc.h>

/* What the quick look takes for composed is its own NFC by utf8proc, each code point and next to any other. */
START_TEST(composed_stays)
{
    uint32_t state = 9;
    int32_t before = 'a';
    size_t n = 0;
    for (size_t i = 0; i < 3 * 0x110000; i++) {
        const uint32_t code = i < 0x110000 ? (uint32_t)i : random_below(&state, 0xd7a4);
        uint8_t text[9] = {0};
        size_t size;
        utf8proc_uint8_t *composed;
        if (code == 0 || (code >= 0xd800 && code < 0xe000))
            continue;
        size = attn_utf8_encode((uint32_t)before, text);
        size += attn_utf8_encode(code, text + size);
        if (!attn_is_in_form(ATTN_NORMALIZE_NFC, (attn_bytes){text, size}))
            continue;
        composed = utf8proc_NFC(text);
        ck_assert_msg(strcmp((const char *)composed, (const char *)text) == 0, "U+%04X", (unsigned)code);
        free(composed);
        before = (int32_t)code;
        n++;
    }
    ck_assert_uint_gt(n, 100000);
    ck_assert(!attn_is_in_form(ATTN_NORMALIZE_NFKC, attn_bytes_of("é")));
}
END_TEST

START_TEST(character_map)
{
    static const struct {
        bool graphemes;
        const char *text, *normal;
    } examples[] = {{false, "xAB-A", "xb-ab"},  /* the longest entry */
                    {true, "xAB-A", "xabB-ab"}, /* cluster by cluster */
                    {false, "B\xFF", "B\xFF"}};
    uint8_t blob[TEXTS_CHARSMAP_ROOM];
    const size_t size = texts_charsmap(blob);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const attn_normalize_step step = {
            .op = ATTN_NORMALIZE_PRECOMPILED, .pattern = {blob, size}, .graphemes = examples[i].graphemes};
        const struct attn_normalizer list = {&step, 1};
        attn_normalize_program *program;
        attn_normal normal = {0};
        ck_assert_int_eq(attn_normalize_open(&list, &program, NULL), ATTN_OK);
        ck_assert_int_eq(attn_normalize_run(program, false, true, attn_bytes_of(examples[i].text), &normal, NULL),
                         ATTN_OK);
        ck_assert(attn_bytes_are(attn_buffer_bytes(&normal.text), examples[i].normal));
        attn_normal_free(&normal);
        attn_normalize_close(program);
    }
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = attn_alloc(cut);
        attn_charsmap map;
        memcpy(copy, blob, cut);
        ck_assert(attn_charsmap_open((attn_bytes){copy, cut}, &map, NULL) == ATTN_EDATA || cut >= size - 2);
        attn_free(copy);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("normalize");
    TCase *tests = tcase_create("normalize");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, composed_stays);
    tcase_add_test(tests, character_map);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
