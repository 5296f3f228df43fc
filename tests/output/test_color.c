/* color.c: the scale's anchors are those of viridis as published (matplotlib's table, every tenth); lightness is CIE
 * L*, reckoned here from its definition. */
#include "config.h"

#include "output/color.h"
#include "testing.h"

#include <math.h>

static uint32_t hex_of(attn_rgb color)
{
    return (uint32_t)color.red << 16 | (uint32_t)color.green << 8 | color.blue;
}

static double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4);
}

static double lightness(attn_rgb color)
{
    const double y =
        0.2126 * linear(color.red / 255.0) + 0.7152 * linear(color.green / 255.0) + 0.0722 * linear(color.blue / 255.0);
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

START_TEST(test_anchors_are_viridis)
{
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_UNIT, 0)), 0x440154);
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_UNIT, 0.1)), 0x482475);
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_POSITIVE, 0.5)), 0x21918c);
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_UNIT, 1)), 0xfde725);
    /* halfway between 44 01 54 and 48 24 75: 46, 12.5, 64.5 */
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_UNIT, 0.05)), 0x461365);
}
END_TEST

START_TEST(test_beyond_the_scale_is_its_end)
{
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_UNIT, 7)), 0xfde725);
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_UNIT, -7)), 0x440154);
    ck_assert_uint_eq(hex_of(attn_color_at(ATTN_RANGE_SIGNED, (double)NAN)),
                      hex_of(attn_color_at(ATTN_RANGE_SIGNED, -1)));
}
END_TEST

START_TEST(test_lightness_rises_evenly)
{
    double before = lightness(attn_color_at(ATTN_RANGE_UNIT, 0));
    for (int i = 1; i <= 100; i++) {
        const double now = lightness(attn_color_at(ATTN_RANGE_UNIT, i / 100.0));
        ck_assert(now > before && now < before + 2);
        before = now;
    }
}
END_TEST

START_TEST(test_both_signs_darken_alike)
{
    for (int i = 0; i <= 10; i++) {
        const attn_rgb below = attn_color_at(ATTN_RANGE_SIGNED, -i / 10.0),
                       above = attn_color_at(ATTN_RANGE_SIGNED, i / 10.0);
        ck_assert_msg(fabs(lightness(below) - lightness(above)) < 3, "at %d tenths", i);
        if (i > 0) {
            ck_assert(below.blue > below.red);
            ck_assert(above.red > above.blue);
        }
    }
}
END_TEST

/* Contrast of black with white is 21, of #595959 with white 7.0 (WCAG's examples); letters are the better of the two. */
START_TEST(test_letters_can_be_read)
{
    ck_assert(attn_color_is_dark((attn_rgb){0x59, 0x59, 0x59}));
    ck_assert(!attn_color_is_dark((attn_rgb){255, 255, 255}));
    ck_assert(attn_color_is_dark(attn_color_at(ATTN_RANGE_UNIT, 0)));
    ck_assert(!attn_color_is_dark(attn_color_at(ATTN_RANGE_UNIT, 1)));
    ck_assert(attn_color_is_dark(attn_color_at(ATTN_RANGE_SIGNED, -1)));
    ck_assert(!attn_color_is_dark(attn_color_at(ATTN_RANGE_SIGNED, 0)));
}
END_TEST

static const attn_bounds some = {.row = 0.5, .map = 4};

START_TEST(test_share_by_rule)
{
    ck_assert_double_eq_tol(attn_color_share(ATTN_RANGE_UNIT, ATTN_SHADE_LINEAR, 0.25, some), 0.25, 1e-12);
    ck_assert_double_eq_tol(attn_color_share(ATTN_RANGE_UNIT, ATTN_SHADE_SQRT, 0.25, some), 0.5, 1e-12);
    ck_assert_double_eq_tol(attn_color_share(ATTN_RANGE_UNIT, ATTN_SHADE_ROW, 0.25, some), 0.5, 1e-12);
    ck_assert_double_eq_tol(attn_color_share(ATTN_RANGE_UNIT, ATTN_SHADE_MAX, 1, some), 0.25, 1e-12);
    /* without a bound of its own: the largest in sight */
    ck_assert_double_eq_tol(attn_color_share(ATTN_RANGE_POSITIVE, ATTN_SHADE_LINEAR, 1, some), 0.25, 1e-12);
    ck_assert_double_eq_tol(attn_color_share(ATTN_RANGE_SIGNED, ATTN_SHADE_LINEAR, -1, some), -0.25, 1e-12);
    ck_assert_double_eq_tol(attn_color_share(ATTN_RANGE_SIGNED, ATTN_SHADE_SQRT, -1, some), -0.5, 1e-12);
}
END_TEST

START_TEST(test_share_of_what_is_no_number)
{
    const attn_bounds none = {0};
    ck_assert_double_eq(attn_color_share(ATTN_RANGE_POSITIVE, ATTN_SHADE_LINEAR, 0, none), 0);
    ck_assert_double_eq(attn_color_share(ATTN_RANGE_UNIT, ATTN_SHADE_LINEAR, (double)NAN, some), 0);
    ck_assert_double_eq(attn_color_share(ATTN_RANGE_SIGNED, ATTN_SHADE_LINEAR, -(double)INFINITY, some), -1);
    ck_assert_double_eq(attn_color_share(ATTN_RANGE_UNIT, ATTN_SHADE_LINEAR, 1.5, some), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("color");
    TCase *tests = tcase_create("color");
    tcase_add_test(tests, test_anchors_are_viridis);
    tcase_add_test(tests, test_beyond_the_scale_is_its_end);
    tcase_add_test(tests, test_lightness_rises_evenly);
    tcase_add_test(tests, test_both_signs_darken_alike);
    tcase_add_test(tests, test_letters_can_be_read);
    tcase_add_test(tests, test_share_by_rule);
    tcase_add_test(tests, test_share_of_what_is_no_number);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
