/* test_screen.c: which terminal has which width and colors: an xterm's, through a pseudo-terminal. What is right: the
 * manual's ENVIRONMENT, no-color.org (set and not empty), ECMA-48 and xterm's ctlseqs for the sequences, xterm's table
 * of its 256 colors (6×6×6 of 0 95 135 175 215 255). */
#include "config.h"

#include "output/color.h"
#include "output/screen.h"
#include "testing.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static const attn_output_request plain = {0};

/* Of a terminal of COLUMNS, or (SIZE_MAX) of /dev/null, with the environment of NAMES, "A=x B=y". */
static attn_screen screen_of(size_t columns, const char *names, const attn_output_request *request)
{
    static const char *const all[] = {"COLUMNS", "TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"};
    char copy[128], *rest = copy;
    const char *path = "/dev/null";
    int terminal = -1;
    attn_sink *sink;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        unsetenv(all[i]);
    snprintf(copy, sizeof copy, "%s", names);
    for (char *pair; (pair = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(pair, '=');
        *value = '\0';
        ck_assert_int_eq(setenv(pair, value + 1, 1), 0);
    }
    if (columns != SIZE_MAX) {
        const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
        terminal = posix_openpt(O_RDWR | O_NOCTTY);
        ck_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
        path = ptsname(terminal);
        ck_assert_int_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
    }
    ck_assert_int_eq(attn_sink_open(path, &sink, NULL), ATTN_OK);
    const attn_screen screen = attn_screen_of(sink, request);
    attn_sink_close(sink);
    if (terminal >= 0)
        close(terminal);
    return screen;
}

START_TEST(width_is_the_options_the_terminals_or_said)
{
    const attn_output_request of_33 = {.width = 33};
    ck_assert_uint_eq(screen_of(132, "COLUMNS=50", &plain).limit, 132);
    ck_assert_uint_eq(screen_of(132, "COLUMNS=50", &plain).width, 132);
    ck_assert_uint_eq(screen_of(132, "", &of_33).limit, 33);
    ck_assert_uint_eq(screen_of(0, "COLUMNS=50", &plain).limit, 50);
    ck_assert_uint_eq(screen_of(0, "COLUMNS=x", &plain).limit, 80);
    ck_assert_uint_eq(screen_of(7, "", &plain).limit, 20);
    ck_assert_uint_eq(screen_of(SIZE_MAX, "COLUMNS=50", &plain).limit, SIZE_MAX);
    ck_assert_uint_eq(screen_of(SIZE_MAX, "COLUMNS=50", &plain).width, 50);
    ck_assert_uint_eq(screen_of(SIZE_MAX, "", &plain).width, 80);
    ck_assert_uint_eq(screen_of(SIZE_MAX, "", &of_33).limit, 33);
}
END_TEST

static attn_palette palette_of(size_t columns, const char *names, attn_color color)
{
    return screen_of(columns, names, &(attn_output_request){.color = color}).palette;
}

START_TEST(colors_are_those_that_the_terminal_has)
{
    ck_assert_int_eq(palette_of(80, "TERM=xterm", ATTN_COLOR_UNSAID), ATTN_PALETTE_256);
    ck_assert_int_eq(palette_of(80, "TERM=xterm", ATTN_COLOR_AUTO), ATTN_PALETTE_256);
    ck_assert_int_eq(palette_of(80, "TERM=xterm COLORTERM=truecolor", ATTN_COLOR_AUTO), ATTN_PALETTE_RGB);
    ck_assert_int_eq(palette_of(80, "TERM=xterm COLORTERM=24bit", ATTN_COLOR_ALWAYS), ATTN_PALETTE_RGB);
    ck_assert_int_eq(palette_of(80, "TERM=xterm COLORTERM=yes", ATTN_COLOR_AUTO), ATTN_PALETTE_256);
    ck_assert_int_eq(palette_of(80, "TERM=dumb COLORTERM=truecolor", ATTN_COLOR_AUTO), ATTN_PALETTE_NONE);
    ck_assert_int_eq(palette_of(80, "", ATTN_COLOR_AUTO), ATTN_PALETTE_NONE);
    ck_assert_int_eq(palette_of(80, "TERM=xterm NO_COLOR=1", ATTN_COLOR_UNSAID), ATTN_PALETTE_NONE);
    ck_assert_int_eq(palette_of(80, "TERM=xterm NO_COLOR=", ATTN_COLOR_UNSAID), ATTN_PALETTE_256);
    ck_assert_int_eq(palette_of(80, "TERM=xterm", ATTN_COLOR_NEVER), ATTN_PALETTE_NONE);
    ck_assert_int_eq(palette_of(80, "TERM=dumb NO_COLOR=1", ATTN_COLOR_ALWAYS), ATTN_PALETTE_256);
    ck_assert_int_eq(palette_of(SIZE_MAX, "TERM=xterm", ATTN_COLOR_AUTO), ATTN_PALETTE_NONE);
    ck_assert_int_eq(palette_of(SIZE_MAX, "TERM=xterm COLORTERM=truecolor", ATTN_COLOR_ALWAYS), ATTN_PALETTE_256);
}
END_TEST

START_TEST(ascii_is_what_the_locale_says)
{
    ck_assert(!screen_of(80, "", &plain).ascii);
    ck_assert(!screen_of(80, "LANG=ko_KR.UTF-8", &plain).ascii);
    ck_assert(!screen_of(80, "LC_CTYPE=C.utf8 LANG=C", &plain).ascii);
    ck_assert(screen_of(80, "LC_ALL=C LC_CTYPE=C.UTF-8", &plain).ascii);
    ck_assert(screen_of(80, "LANG=ko_KR.eucKR", &plain).ascii);
}
END_TEST

static const char *painted(attn_palette palette, attn_range range, double share)
{
    static char text[ATTN_PAINT_ROOM];
    text[attn_paint(palette, range, share, text)] = '\0';
    return text;
}

static const char *letter(attn_palette palette, double share, const double *behind)
{
    static char text[ATTN_PAINT_ROOM];
    text[attn_paint_letter(palette, ATTN_RANGE_SIGNED, share, behind, text)] = '\0';
    return text;
}

START_TEST(each_sequence)
{
    static const double none = 0, full = 1;
    ck_assert_str_eq(painted(ATTN_PALETTE_NONE, ATTN_RANGE_UNIT, 0.5), "");
    ck_assert_str_eq(painted(ATTN_PALETTE_256, ATTN_RANGE_UNIT, 0), "\033[38;5;231;48;5;53m");
    ck_assert_str_eq(painted(ATTN_PALETTE_256, ATTN_RANGE_UNIT, 0.5), "\033[38;5;16;48;5;36m");
    ck_assert_str_eq(painted(ATTN_PALETTE_256, ATTN_RANGE_POSITIVE, 1), "\033[38;5;16;48;5;226m");
    ck_assert_str_eq(painted(ATTN_PALETTE_256, ATTN_RANGE_SIGNED, -1), "\033[38;5;231;48;5;25m");
    ck_assert_str_eq(painted(ATTN_PALETTE_256, ATTN_RANGE_SIGNED, 0), "\033[38;5;16;48;5;255m");
    ck_assert_str_eq(painted(ATTN_PALETTE_256, ATTN_RANGE_SIGNED, 1), "\033[38;5;231;48;5;130m");
    ck_assert_str_eq(painted(ATTN_PALETTE_RGB, ATTN_RANGE_UNIT, 0), "\033[38;5;231;48;2;68;1;84m");
    ck_assert_str_eq(painted(ATTN_PALETTE_RGB, ATTN_RANGE_UNIT, 1), "\033[38;5;16;48;2;253;231;37m");
    ck_assert_str_eq(letter(ATTN_PALETTE_NONE, 1, &none), "");
    ck_assert_str_eq(letter(ATTN_PALETTE_256, 1, &none), "\033[38;5;130;48;5;255m");
    ck_assert_str_eq(letter(ATTN_PALETTE_256, -1, NULL), "\033[38;5;25;49m");
    ck_assert_str_eq(letter(ATTN_PALETTE_RGB, 0, &full), "\033[38;2;247;247;247;48;2;138;61;0m");
    ck_assert_str_eq(letter(ATTN_PALETTE_RGB, 0, NULL), "\033[38;2;247;247;247;49m");
}
END_TEST

/* The background's number in what attn_paint gives, and whether its letters are white. */
static unsigned background(attn_range range, double share, bool *white)
{
    const char *text = painted(ATTN_PALETTE_256, range, share);
    *white = strstr(text, "38;5;231;") != NULL;
    return (unsigned)strtoul(strstr(text, "48;5;") + 5, NULL, 10);
}

/* WCAG 2.1's relative luminance of xterm's color INDEX. */
static double luminance(unsigned index)
{
    static const double cube[] = {0, 95, 135, 175, 215, 255}, parts[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned digit = (index - 16) / (i == 0 ? 36 : i == 1 ? 6 : 1) % 6;
        const double c = (index >= 232 ? 8.0 + 10 * (index - 232) : cube[digit]) / 255;
        sum += parts[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* A projector that shows gray, and eyes that see little of the hue, have the lightness. */
START_TEST(steps_rise_in_lightness_and_letters_can_be_read)
{
    double before = 0, above[5];
    bool white;
    for (int i = 0; i < 8; i++) {
        const double light = luminance(background(ATTN_RANGE_UNIT, (i + 0.5) / 8, &white));
        ck_assert_msg(light > before, "step %d", i);
        ck_assert_double_ge(white ? 1.05 / (light + 0.05) : (light + 0.05) / 0.05, 4.5);
        before = light;
    }
    for (int i = -4; i <= 4; i++) {
        const double light = luminance(background(ATTN_RANGE_SIGNED, i / 4.0, &white));
        ck_assert_double_ge(white ? 1.05 / (light + 0.05) : (light + 0.05) / 0.05, 4.5);
        ck_assert_msg(i == -4 || (i <= 0 ? light > before : light < before), "step %d", i);
        if (i <= 0)
            above[-i] = light;
        else /* both arms are about as dark */
            ck_assert_double_lt(fabs(light - above[i]), 0.16);
        before = light;
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("screen");
    TCase *tests = tcase_create("screen");
    tcase_add_test(tests, width_is_the_options_the_terminals_or_said);
    tcase_add_test(tests, colors_are_those_that_the_terminal_has);
    tcase_add_test(tests, ascii_is_what_the_locale_says);
    tcase_add_test(tests, each_sequence);
    tcase_add_test(tests, steps_rise_in_lightness_and_letters_can_be_read);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
