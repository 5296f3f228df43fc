/* test_base.c: memory, bytes, buffer, map, error. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/suggest.h"

START_TEST(sizes_that_overflow_are_refused)
{
    size_t result = 7;
    ck_assert(!attn_multiply(SIZE_MAX / 2, 3, &result));
    ck_assert(!attn_add(SIZE_MAX, 1, &result));
    ck_assert_uint_eq(result, 7);
    ck_assert(attn_multiply(6, 7, &result));
    ck_assert_uint_eq(result, 42);
    ck_assert_ptr_null(attn_alloc_array(SIZE_MAX / 4, 8));
}
END_TEST

START_TEST(arena_aligns_and_keeps)
{
    attn_arena arena = {0};
    char *first = attn_arena_text(&arena, "abc", 3);
    for (size_t i = 0; i < 1000; i++) {
        void *aligned = attn_arena_aligned(&arena, i, 8);
        ck_assert_uint_eq((uintptr_t)aligned % 64, 0);
    }
    ck_assert_ptr_nonnull(attn_arena_alloc(&arena, 1, 1 << 20));
    ck_assert_str_eq(first, "abc");
    attn_arena_free(&arena);
    ck_assert_ptr_null(arena.blocks);
}
END_TEST

START_TEST(cursor_never_passes_the_end)
{
    static const uint8_t data[] = {1, 2, 3, 4, 5};
    attn_cursor cursor = attn_cursor_at((attn_bytes){data, sizeof data});
    uint32_t word = 0;
    uint64_t wide = 9;
    attn_bytes taken;
    ck_assert(attn_cursor_u32(&cursor, &word));
    ck_assert_uint_eq(word, 0x04030201);
    ck_assert(!attn_cursor_u64(&cursor, &wide));
    ck_assert_uint_eq(wide, 9);
    ck_assert(!attn_cursor_take(&cursor, UINT64_MAX, &taken));
    ck_assert_uint_eq(attn_cursor_left(&cursor), 1);
}
END_TEST

START_TEST(map_keeps_the_first)
{
    static char keys[5000][8];
    attn_map map = {0};
    size_t value = 0;
    for (size_t i = 0; i < 5000; i++) {
        snprintf(keys[i], sizeof keys[i], "k%zu", i);
        ck_assert_int_eq(attn_map_add(&map, attn_bytes_of(keys[i]), i), ATTN_MAP_ADDED);
    }
    ck_assert_int_eq(attn_map_add(&map, attn_bytes_of("k77"), 1), ATTN_MAP_PRESENT);
    ck_assert(attn_map_find(&map, attn_bytes_of("k77"), &value));
    ck_assert_uint_eq(value, 77);
    ck_assert(!attn_map_find(&map, attn_bytes_of("absent"), &value));
    ck_assert_int_eq(attn_map_add(&map, (attn_bytes){NULL, 0}, 3), ATTN_MAP_ADDED);
    ck_assert(attn_map_find(&map, attn_bytes_of(""), &value));
    ck_assert_uint_eq(value, 3);
    attn_map_free(&map);
}
END_TEST

START_TEST(error_says_where)
{
    attn_error error;
    char text[256];
    attn_fail_found(&error, "a number", "'%s'", "x\n");
    attn_error_file(&error, "w.json");
    attn_error_line(&error, 3, 14);
    attn_error_prefix(&error, "W_Q: ");
    attn_error_text(&error, text, sizeof text);
    ck_assert_str_eq(text, "w.json:3:14: W_Q: expected a number, found 'x\\x0A'");
    attn_fail(&error, ATTN_EDATA, "too short");
    attn_error_offset(&error, 8);
    attn_error_file(&error, "m.gguf");
    attn_error_hint(&error, "half downloaded?");
    attn_error_text(&error, text, sizeof text);
    ck_assert_str_eq(text, "m.gguf: offset 8: too short (half downloaded?)");
    attn_fail(&error, ATTN_EDATA, "그 \u202e \xc2\x9b \xe9");
    attn_error_text(&error, text, sizeof text);
    ck_assert_str_eq(text, "그 \\xE2\\x80\\xAE \\xC2\\x9B \\xE9");
}
END_TEST

static const char *fruit_at(size_t index)
{
    static const char *const fruit[] = {"apple", "orange", "pear"};
    return index < 3 ? fruit[index] : NULL;
}

START_TEST(suggestions_are_near)
{
    ck_assert_uint_eq(attn_edit_distance("kitten", "sitting"), 3);
    ck_assert_uint_eq(attn_edit_distance("ab", "BA"), 1);
    ck_assert_uint_eq(attn_edit_distance("", "abc"), 3);
    ck_assert_str_eq(attn_suggest("ornage", fruit_at), "orange");
    ck_assert_str_eq(attn_suggest("paer", fruit_at), "pear");
    ck_assert_ptr_null(attn_suggest("android", fruit_at));
    char near[ATTN_SUGGESTION];
    ck_assert_str_eq(attn_suggestion("aple", fruit_at, near), "; did you mean 'apple'?");
    ck_assert_str_eq(attn_suggestion("android", fruit_at, near), "");
}
END_TEST

/* The mark is U+FEFF in UTF-8, three bytes, and only at the beginning (RFC 3629, section 6). */
START_TEST(ends_and_marks_are_seen)
{
    ck_assert(attn_bytes_end_with(attn_bytes_of("a.npy"), ".npy"));
    ck_assert(!attn_bytes_end_with(attn_bytes_of("a.npz"), ".npy"));
    ck_assert(!attn_bytes_end_with(attn_bytes_of("npy"), ".npy"));
    ck_assert(attn_bytes_are(attn_bytes_without_bom(attn_bytes_of("\xEF\xBB\xBFx\xEF\xBB\xBF")), "x\xEF\xBB\xBF"));
    ck_assert(attn_bytes_are(attn_bytes_without_bom(attn_bytes_of("\xEF\xBB")), "\xEF\xBB"));
    ck_assert_uint_eq(attn_bytes_without_bom((attn_bytes){NULL, 0}).size, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base");
    TCase *tests = tcase_create("base");
    tcase_add_test(tests, sizes_that_overflow_are_refused);
    tcase_add_test(tests, arena_aligns_and_keeps);
    tcase_add_test(tests, cursor_never_passes_the_end);
    tcase_add_test(tests, map_keeps_the_first);
    tcase_add_test(tests, error_says_where);
    tcase_add_test(tests, suggestions_are_near);
    tcase_add_test(tests, ends_and_marks_are_seen);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
