/* test_position.c: position rules against values worked out by hand from their papers. */
#include "config.h"

#include "testing.h"

#include "attention/position.h"

#include <math.h>

static void turn_at_one(attn_rope_layout layout, float *x)
{
    attn_rope_settings settings = {.dims = 4, .theta = 10000, .layout = layout};
    attn_arena arena = {0};
    attn_rope rope;
    float position = 1, table[4];
    ck_assert_int_eq(attn_rope_make(&settings, 2, &arena, &rope, NULL), ATTN_OK);
    attn_rope_table(&rope, &position, 1, table);
    attn_rope_apply(&rope, table, x, 1, 4, 1, 4);
    attn_arena_free(&arena);
}

/* cos 1 = .5403023059, sin 1 = .8414709848, cos .01 = .9999500004, sin .01 = .0099998333 */
START_TEST(rope_turns_pairs_of_either_layout)
{
    float x[] = {1, 2, 3, 4}, y[] = {1, 2, 3, 4};
    turn_at_one(ATTN_ROPE_INTERLEAVED, x);
    ck_assert_double_eq_tol(x[0], -1.142639664, 1e-6);
    ck_assert_double_eq_tol(x[1], 1.922075597, 1e-6);
    ck_assert_double_eq_tol(x[2], 2.959850668, 1e-6);
    ck_assert_double_eq_tol(x[3], 4.029799502, 1e-6);
    turn_at_one(ATTN_ROPE_HALF, y);
    ck_assert_double_eq_tol(y[0], -1.984110649, 1e-6);
    ck_assert_double_eq_tol(y[1], 1.959900667, 1e-6);
    ck_assert_double_eq_tol(y[2], 2.462377902, 1e-6);
    ck_assert_double_eq_tol(y[3], 4.019799668, 1e-6);
}
END_TEST

START_TEST(rope_leaves_what_is_not_rotated)
{
    attn_rope_settings settings = {.dims = 2, .theta = 10000, .layout = ATTN_ROPE_HALF};
    attn_arena arena = {0};
    attn_rope rope;
    float position = 3, table[2], x[] = {1, 0, 7, 8};
    ck_assert_int_eq(attn_rope_make(&settings, 4, &arena, &rope, NULL), ATTN_OK);
    attn_rope_table(&rope, &position, 1, table);
    attn_rope_apply(&rope, table, x, 1, 4, 1, 4);
    ck_assert_double_eq_tol(x[0], cos(3), 1e-7);
    ck_assert_double_eq_tol(x[1], sin(3), 1e-7);
    ck_assert(x[2] == 7 && x[3] == 8);
    attn_arena_free(&arena);
}
END_TEST

/* Llama 3.1's numbers: factor 8, low 1, high 4, 8192 positions, theta 500000, head 128. Pair 0 (wavelength
 * 6.28) stays; the last pair (wavelength 2.56e6) is divided by 8; pair 36, wavelength
 * 2π·500000^(72/128) = 10089, lies above 8192 and is divided; pair 32, 2π·√500000 = 4442.9, is between:
 * smooth = (8192/4442.9 − 1)/3. */
START_TEST(rope_llama3_scales_long_waves_only)
{
    attn_rope_settings settings = {.dims = 128,
                                   .theta = 500000,
                                   .scaling = ATTN_ROPE_LLAMA3,
                                   .factor = 8,
                                   .low_freq_factor = 1,
                                   .high_freq_factor = 4,
                                   .original_max_positions = 8192};
    attn_arena arena = {0};
    attn_rope rope;
    double middle = 1 / sqrt(500000.0);
    double smooth = (8192 * middle / 6.283185307179586 - 1) / 3;
    ck_assert_int_eq(attn_rope_make(&settings, 2, &arena, &rope, NULL), ATTN_OK);
    ck_assert_double_eq_tol(rope.frequencies[0], 1, 1e-12);
    ck_assert_double_eq_tol(rope.frequencies[63] * 8 * pow(500000, 126.0 / 128), 1, 1e-9);
    ck_assert_double_eq_tol(rope.frequencies[36] * 8 * pow(500000, 72.0 / 128), 1, 1e-9);
    ck_assert_double_eq_tol(rope.frequencies[32], middle * (smooth + (1 - smooth) / 8), 1e-12);
    attn_arena_free(&arena);
}
END_TEST

/* YaRN with factor 4: the fastest pair keeps 1, the slowest is divided by 4, magnitude 0.1·ln 4 + 1. */
START_TEST(rope_yarn_interpolates_slow_pairs)
{
    attn_rope_settings settings = {.dims = 64,
                                   .theta = 10000,
                                   .scaling = ATTN_ROPE_YARN,
                                   .factor = 4,
                                   .original_max_positions = 2048,
                                   .truncate = true};
    attn_arena arena = {0};
    attn_rope rope;
    ck_assert_int_eq(attn_rope_make(&settings, 2, &arena, &rope, NULL), ATTN_OK);
    ck_assert_double_eq_tol(rope.frequencies[0], 1, 1e-12);
    ck_assert_double_eq_tol(rope.frequencies[31], pow(10000, -62.0 / 64) / 4, 1e-12);
    ck_assert_double_eq_tol(rope.magnitude, 1.1386294361, 1e-9);
    attn_arena_free(&arena);
}
END_TEST

START_TEST(rope_linear_and_dynamic)
{
    attn_rope_settings settings = {.dims = 4, .theta = 100, .scaling = ATTN_ROPE_LINEAR, .factor = 2};
    attn_arena arena = {0};
    attn_rope rope;
    ck_assert_int_eq(attn_rope_make(&settings, 2, &arena, &rope, NULL), ATTN_OK);
    ck_assert_double_eq_tol(rope.frequencies[1], 0.05, 1e-12);
    settings.scaling = ATTN_ROPE_DYNAMIC; /* 8 of 4 positions: 2·8/4 − 1 = 3; theta 900 */
    settings.max_positions = 4;
    ck_assert_int_eq(attn_rope_make(&settings, 8, &arena, &rope, NULL), ATTN_OK);
    ck_assert_double_eq_tol(rope.frequencies[1], 1 / 30.0, 1e-12);
    settings.dims = 3;
    ck_assert_int_eq(attn_rope_make(&settings, 8, &arena, &rope, NULL), ATTN_EDATA);
    attn_arena_free(&arena);
}
END_TEST

START_TEST(alibi_slopes_of_any_head_count)
{
    float slopes[12];
    static const double six[] = {0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125};
    attn_alibi_slopes(8, slopes);
    for (int i = 0; i < 8; i++)
        ck_assert_double_eq_tol(slopes[i], pow(2, -(i + 1)), 1e-9);
    attn_alibi_slopes(12, slopes);
    for (int i = 0; i < 8; i++)
        ck_assert_double_eq_tol(slopes[i], pow(2, -(i + 1)), 1e-9);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(slopes[8 + i], pow(2, -(i + 0.5)), 1e-7);
    attn_alibi_slopes(6, slopes); /* case 080 */
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(slopes[i], six[i], 1e-9);
}
END_TEST

START_TEST(t5_buckets)
{
    static const ptrdiff_t causal[][2] = {{0, 0}, {15, 15}, {16, 16}, {20, 17}, {64, 26}, {128, 31}, {999, 31}};
    for (size_t i = 0; i < sizeof causal / sizeof causal[0]; i++)
        ck_assert_uint_eq(attn_t5_bucket(-causal[i][0], false, 32, 128), (size_t)causal[i][1]);
    ck_assert_uint_eq(attn_t5_bucket(5, false, 32, 128), 0);
    /* both ways: 16 buckets each; 7 → 7, 8 → 8, 16 → 8 + 8·ln2/ln16 = 10, 64 → 8 + 6 */
    ck_assert_uint_eq(attn_t5_bucket(-7, true, 32, 128), 7);
    ck_assert_uint_eq(attn_t5_bucket(-16, true, 32, 128), 10);
    ck_assert_uint_eq(attn_t5_bucket(-64, true, 32, 128), 14);
    ck_assert_uint_eq(attn_t5_bucket(64, true, 32, 128), 30);
}
END_TEST

START_TEST(sinusoidal_vectors)
{
    float out[4];
    attn_sinusoidal(3, 4, out);
    ck_assert_double_eq_tol(out[0], sin(3), 1e-7);
    ck_assert_double_eq_tol(out[1], cos(3), 1e-7);
    ck_assert_double_eq_tol(out[2], sin(.03), 1e-7);
    ck_assert_double_eq_tol(out[3], cos(.03), 1e-7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("position");
    TCase *tests = tcase_create("position");
    tcase_add_test(tests, rope_turns_pairs_of_either_layout);
    tcase_add_test(tests, rope_leaves_what_is_not_rotated);
    tcase_add_test(tests, rope_llama3_scales_long_waves_only);
    tcase_add_test(tests, rope_yarn_interpolates_slow_pairs);
    tcase_add_test(tests, rope_linear_and_dynamic);
    tcase_add_test(tests, alibi_slopes_of_any_head_count);
    tcase_add_test(tests, t5_buckets);
    tcase_add_test(tests, sinusoidal_vectors);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
