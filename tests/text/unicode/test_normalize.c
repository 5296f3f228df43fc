/* The normalizer's steps: the precompiled character map. Right values: a map written by hand. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "testing/memory.h"
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

/* ---- how much may be made of a text: 64 times it and 64 KB ---- */

/* N steps that double the a's of a text. */
static attn_status double_text(size_t n, attn_bytes text, size_t *size, attn_error *error)
{
    attn_normalize_step steps[64];
    const struct attn_normalizer list = {steps, n};
    attn_steps *program;
    attn_normal normal = {0};
    attn_status status;
    for (size_t i = 0; i < n; i++)
        steps[i] = (attn_normalize_step){
            .op = ATTN_NORMALIZE_REPLACE, .pattern = attn_bytes_of("a"), .content = attn_bytes_of("aa")};
    ck_assert_int_eq(attn_normalize_open(&list, &program, NULL), ATTN_OK);
    status = attn_normalize_run(program, false, true, text, &normal, error);
    *size = normal.text.size;
    attn_normal_free(&normal);
    attn_steps_close(program);
    return status;
}

static attn_status double_one(void *context, attn_error *error)
{
    size_t size;
    (void)context;
    return double_text(22, attn_bytes_of("a"), &size, error);
}

/* 2¹⁶ bytes are within the limit of one byte's text, the next step makes 2¹⁷. The whole attempt takes the two texts and
 * their origins, at 17 bytes a byte and half as much again, not the 70 MB that 22 steps would make of it. */
START_TEST(growth_is_limited)
{
    char text[1000];
    size_t size;
    attn_error error = {0};
    ck_assert_int_eq(double_text(16, attn_bytes_of("a"), &size, &error), ATTN_OK);
    ck_assert_uint_eq(size, 1 << 16);
    ck_assert_int_eq(double_text(22, attn_bytes_of("a"), &size, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "step 17 of the normalizer, Replace"));
    ck_assert_ptr_nonnull(strstr(error.message, "65600 bytes"));
    ck_assert_uint_le(memory_cost(double_one, NULL), 20 << 20);
    memset(text, 'a', sizeof text); /* 64000 + 65536: 2⁷ times it is within the limit, 2⁸ is not */
    ck_assert_int_eq(double_text(7, (attn_bytes){(uint8_t *)text, sizeof text}, &size, &error), ATTN_OK);
    ck_assert_int_eq(double_text(8, (attn_bytes){(uint8_t *)text, sizeof text}, &size, &error), ATTN_EDATA);
}
END_TEST

/* A step of any kind is held to it: a map's replacement of 20 KB for each A. */
START_TEST(a_maps_growth_is_limited)
{
    enum { LONG = 20000 };
    uint8_t *blob = attn_calloc_array(TEXTS_CHARSMAP_ROOM + LONG, 1);
    const size_t size = texts_charsmap(blob);
    attn_normalize_step step = {.op = ATTN_NORMALIZE_PRECOMPILED, .pattern = {blob, size - 5 + LONG + 4}};
    const struct attn_normalizer list = {&step, 1};
    attn_steps *program;
    attn_normal normal = {0};
    attn_error error = {0};
    memset(blob + size - 5, 'b', LONG); /* "ab" and "b", NUL-ended, were the replacements of A and AB */
    blob[size - 5 + LONG + 3] = '\0';
    ck_assert_int_eq(attn_normalize_open(&list, &program, NULL), ATTN_OK);
    ck_assert_int_eq(attn_normalize_run(program, false, true, attn_bytes_of("AAA"), &normal, &error), ATTN_OK);
    ck_assert_uint_eq(normal.text.size, 3 * LONG);
    attn_normal_free(&normal);
    ck_assert_int_eq(attn_normalize_run(program, false, true, attn_bytes_of("AAAA"), &normal, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "step 1 of the normalizer, Precompiled"));
    attn_normal_free(&normal);
    attn_steps_close(program);
    attn_free(blob);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("normalize");
    TCase *tests = tcase_create("normalize");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, character_map);
    tcase_add_test(tests, growth_is_limited);
    tcase_add_test(tests, a_maps_growth_is_limited);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
