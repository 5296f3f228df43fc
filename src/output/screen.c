/* screen.c: see screen.h. The one place of output/ that looks at the environment. */
#include "config.h"

#include "output/screen.h"
#include "base/decimal.h"
#include "output/color.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Of the environment; NULL where it is empty too. */
static const char *said(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static attn_palette palette_of(bool terminal, attn_color color)
{
    const char *depth = said("COLORTERM"), *kind = said("TERM");
    const bool colors = terminal && kind != NULL && strcmp(kind, "dumb") != 0;
    if (color == ATTN_COLOR_NEVER || (color != ATTN_COLOR_ALWAYS && (!colors || said("NO_COLOR") != NULL)))
        return ATTN_PALETTE_NONE;
    if (colors && depth != NULL && (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0))
        return ATTN_PALETTE_RGB;
    return ATTN_PALETTE_256;
}

/* Where no locale is set at all, what the terminal shows is not said: UTF-8, as nearly everywhere. */
static bool is_ascii(void)
{
    const char *locale = said("LC_ALL");
    if (locale == NULL)
        locale = said("LC_CTYPE");
    if (locale == NULL)
        locale = said("LANG");
    if (locale == NULL)
        return false;
    const char *charset = strchr(locale, '.');
    return charset == NULL || (strncasecmp(charset, ".UTF-8", 6) != 0 && strncasecmp(charset, ".utf8", 5) != 0);
}

static size_t at_least_readable(size_t width)
{
    return width < ATTN_LEAST_WIDTH ? ATTN_LEAST_WIDTH : width;
}

static size_t usual_width(void)
{
    const char *columns = said("COLUMNS");
    uint64_t number;
    if (columns != NULL && attn_decimal_u64(attn_bytes_of(columns), SIZE_MAX / 2, &number) && number > 0)
        return (size_t)number;
    return ATTN_USUAL_WIDTH;
}

attn_screen attn_screen_of(const attn_sink *sink, const attn_output_request *request)
{
    const bool terminal = attn_sink_is_terminal(sink);
    size_t width = request->width;
    if (width == 0 && terminal)
        width = attn_sink_columns(sink);
    const bool limited = width > 0 || terminal;
    width = at_least_readable(width > 0 ? width : usual_width());
    return (attn_screen){.limit = limited ? width : SIZE_MAX,
                         .width = width,
                         .palette = palette_of(terminal, request->color),
                         .ascii = is_ascii()};
}

/* Of xterm's colors 16 to 255, as its manual defines them. */
static attn_rgb rgb_of(uint8_t index)
{
    static const uint8_t cube[] = {0, 95, 135, 175, 215, 255};
    if (index >= 232) {
        const uint8_t gray = (uint8_t)(8 + 10 * (index - 232));
        return (attn_rgb){gray, gray, gray};
    }
    const unsigned i = index - 16U;
    return (attn_rgb){cube[i / 36], cube[i / 6 % 6], cube[i % 6]};
}

/* Steps of the scales of color.c among the 256: lightness (CIE L*) 21 32 42 51 64 78 91 97, and 40 55 70 84 94 88 78 63
 * 49. Neighbors differ by 12 and more (CIE 1976) to eyes that lack one of the three colors, too; black or white letters
 * have a contrast of 4.6 and more. */
static uint8_t step_of(attn_range range, double share)
{
    static const uint8_t from_0[] = {53, 90, 60, 30, 36, 78, 119, 226};
    static const uint8_t both_signs[] = {25, 67, 110, 153, 255, 223, 215, 172, 130};
    const double bounded = share > 1 ? 1 : share < -1 ? -1 : share;
    if (range == ATTN_RANGE_SIGNED)
        return both_signs[4 + lround(bounded * 4)];
    return from_0[bounded >= 1 ? 7 : bounded > 0 ? (int)(bounded * 8) : 0];
}

/* "38;5;30" or "38;2;33;145;140": WHAT is 38, letters, or 48, what is behind them. */
static size_t put_color(attn_palette palette, int what, attn_range range, double share, char *text, size_t room)
{
    if (palette == ATTN_PALETTE_256)
        return (size_t)snprintf(text, room, "%d;5;%d", what, step_of(range, share));
    const attn_rgb color = attn_color_at(range, share);
    return (size_t)snprintf(text, room, "%d;2;%d;%d;%d", what, color.red, color.green, color.blue);
}

size_t attn_paint(attn_palette palette, attn_range range, double share, char text[ATTN_PAINT_ROOM])
{
    if (palette == ATTN_PALETTE_NONE)
        return 0;
    const bool dark =
        attn_color_is_dark(palette == ATTN_PALETTE_256 ? rgb_of(step_of(range, share)) : attn_color_at(range, share));
    size_t used = (size_t)snprintf(text, ATTN_PAINT_ROOM, "\033[38;5;%d;", dark ? 231 : 16);
    used += put_color(palette, 48, range, share, text + used, ATTN_PAINT_ROOM - used);
    text[used++] = 'm';
    return used;
}

size_t attn_paint_letter(attn_palette palette, attn_range range, double letter, const double *share,
                         char text[ATTN_PAINT_ROOM])
{
    if (palette == ATTN_PALETTE_NONE)
        return 0;
    size_t used = (size_t)snprintf(text, ATTN_PAINT_ROOM, "\033[");
    used += put_color(palette, 38, range, letter, text + used, ATTN_PAINT_ROOM - used);
    text[used++] = ';';
    used += share != NULL ? put_color(palette, 48, range, *share, text + used, ATTN_PAINT_ROOM - used)
                          : (size_t)snprintf(text + used, ATTN_PAINT_ROOM - used, "49");
    text[used++] = 'm';
    return used;
}
