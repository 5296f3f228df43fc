/* The normalizer's steps: the precompiled character map. Right values: a map written by hand. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "testing/texts.h"
#include "text/unicode/charsmap.h"
#include "text/unicode/normalize.h"

#include <string.h>

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
        attn_steps *program;
        attn_normal normal = {0};
        ck_assert_int_eq(attn_normalize_open(&list, &program, NULL), ATTN_OK);
        ck_assert_int_eq(attn_normalize_run(program, false, true, attn_bytes_of(examples[i].text), &normal, NULL),
                         ATTN_OK);
        ck_assert(normal.same ? strcmp(examples[i].text, examples[i].normal) == 0
                              : attn_bytes_are(attn_buffer_bytes(&normal.text), examples[i].normal));
        attn_normal_free(&normal);
        attn_steps_close(program);
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
    tcase_add_test(tests, character_map);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
