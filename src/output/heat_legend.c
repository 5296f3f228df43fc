/* heat_legend.c: what the colors and digits of maps mean; one stands below each block of them (heat_map.h). */
#include "config.h"

#include "output/fit.h"
#include "output/heat_map.h"

#include <math.h>
#include <string.h>

enum { STEPS = 8, STEPS_OF_BOTH_SIGNS = 9 };

void attn_heat_see(attn_heat_sight *sight, const attn_heat_map *map)
{
    const attn_pooled *cells = &map->cells;
    for (size_t i = 0; i < cells->rows * cells->columns; i++) {
        sight->masked = sight->masked || cells->visible[i] == 0;
        sight->no_number = sight->no_number || (cells->visible[i] != 0 && isnan(cells->values[i]));
    }
    sight->some_unit = sight->some_unit || map->range == ATTN_RANGE_UNIT;
    sight->unit = map->range == ATTN_RANGE_UNIT && (sight->n == 0 || sight->unit);
    if (map->range == ATTN_RANGE_SIGNED)
        sight->both_signs = true;
    else
        sight->from_0 = true;
    sight->down = cells->down;
    sight->across = cells->across;
    sight->largest = attn_pooled_largest(cells);
    sight->n++;
}

/* What full color stands for: a number, or words. True: a number. */
static bool put_full(const attn_heat_look *look, const attn_heat_sight *sight, const char *fulls, attn_buffer *out)
{
    char number[ATTN_NUMBER_ROOM];
    if (look->shade == ATTN_SHADE_ROW) {
        attn_buffer_format(out, "each %s's largest", look->row);
        return false;
    }
    if (sight->unit && look->shade != ATTN_SHADE_MAX) {
        attn_buffer_text(out, "1");
        return true;
    }
    if (fulls != NULL) {
        attn_buffer_format(out, "%s%s", sight->some_unit && look->shade != ATTN_SHADE_MAX ? "1, " : "", fulls);
        return false;
    }
    if (sight->n != 1) {
        attn_buffer_text(out, "each map's largest");
        return false;
    }
    attn_buffer_put(out, number, attn_fit_number(sight->largest, number));
    return true;
}

/* STEPS colors, from LOW to 1, as one word. */
static attn_status put_bar(attn_paragraph *paragraph, attn_palette palette, attn_range range, attn_error *error)
{
    const int steps = range == ATTN_RANGE_SIGNED ? STEPS_OF_BOTH_SIGNS : STEPS;
    attn_buffer bar = {0};
    char color[ATTN_PAINT_ROOM];
    for (int i = 0; i < steps; i++) {
        const double share = range == ATTN_RANGE_SIGNED ? (i - steps / 2) / (double)(steps / 2) : (i + 0.5) / steps;
        attn_buffer_put(&bar, color, attn_paint(palette, range, share, color));
        attn_buffer_byte(&bar, ' ');
    }
    attn_buffer_text(&bar, ATTN_PAINT_END);
    const attn_status status = bar.failed ? attn_fail_memory(error) : ATTN_OK;
    if (status == ATTN_OK)
        attn_fit_word(paragraph, attn_buffer_bytes(&bar), (size_t)steps);
    attn_buffer_free(&bar);
    return status;
}

/* "0 ▁▂▃" or "-2.5 ▁▂▃", or where FULL is words "- ▁▂▃ +"; FULL itself comes behind. */
static attn_status put_scale(attn_paragraph *paragraph, attn_palette palette, attn_range range, attn_bytes full,
                             bool is_number, attn_error *error)
{
    attn_buffer low = {0};
    attn_buffer_text(&low, range != ATTN_RANGE_SIGNED ? "0" : "-");
    if (range == ATTN_RANGE_SIGNED && is_number)
        attn_buffer_put(&low, full.data, full.size);
    attn_status status = low.failed ? attn_fail_memory(error) : ATTN_OK;
    if (status == ATTN_OK) {
        attn_fit_text(paragraph, attn_buffer_bytes(&low));
        status = put_bar(paragraph, palette, range, error);
    }
    if (status == ATTN_OK && range == ATTN_RANGE_SIGNED && !is_number)
        attn_fit_text(paragraph, attn_bytes_of("+"));
    attn_buffer_free(&low);
    return status;
}

static attn_status put_scales(attn_paragraph *paragraph, const attn_heat_look *look, const attn_heat_sight *sight,
                              attn_bytes full, bool is_number, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (sight->from_0)
        status = put_scale(paragraph, look->screen.palette, ATTN_RANGE_UNIT, full, is_number, error);
    if (sight->both_signs && status == ATTN_OK)
        status = put_scale(paragraph, look->screen.palette, ATTN_RANGE_SIGNED, full, is_number, error);
    return status;
}

/* What the digits are: "percent of 2.5", "tenths: …". */
static void put_digits(const attn_heat_look *look, const attn_heat_sight *sight, attn_bytes full, attn_buffer *out)
{
    const bool plain = full.size == 1 && full.data[0] == '1';
    attn_buffer_text(out, look->cell == 4 ? "percent" : "tenths");
    attn_buffer_text(out, plain ? "" : " of ");
    attn_buffer_put(out, full.data, plain ? 0 : full.size);
    attn_buffer_text(out, look->shade == ATTN_SHADE_SQRT ? ", square root" : "");
    if (look->cell == 4)
        return;
    attn_buffer_format(out, ": %s below .05, # from .95", attn_heat_dot(&look->screen));
    attn_buffer_text(out, sight->both_signs && look->cell == 1 ? ", a to i and j the same below 0" : "");
}

/* What stands behind the scale. */
static void put_notes(const attn_heat_look *look, const attn_heat_sight *sight, attn_bytes full, attn_buffer *out)
{
    const bool colored = look->screen.palette != ATTN_PALETTE_NONE;
    if (colored) {
        attn_buffer_put(out, full.data, full.size);
        attn_buffer_text(out, look->shade == ATTN_SHADE_SQRT ? ", square root" : "");
        attn_buffer_text(out, look->cell == 4 ? "; percent" : "");
        if (look->cell == 4 && !sight->unit)
            attn_buffer_text(out, " of the largest");
    } else {
        put_digits(look, sight, full, out);
    }
    attn_buffer_text(out, sight->masked ? "; blank: masked" : "");
    attn_buffer_text(out, sight->no_number && look->cell < 4 ? "; ?: no number" : "");
    if (sight->down * sight->across > 1)
        attn_buffer_format(out, "; %zu%s%zu cells a %s: the largest", sight->down,
                           look->screen.ascii ? "x" : "\xc3\x97", sight->across, colored ? "pixel" : "digit");
}

attn_status attn_heat_put_legend(attn_sink *sink, const attn_heat_look *look, const attn_heat_sight *sight,
                                 const char *fulls, attn_error *error)
{
    attn_paragraph paragraph = {.sink = sink, .limit = look->screen.width, .ascii = look->screen.ascii};
    attn_buffer full = {0}, notes = {0};
    const bool is_number = put_full(look, sight, fulls, &full);
    attn_status status = ATTN_OK;
    put_notes(look, sight, attn_buffer_bytes(&full), &notes);
    if (full.failed || notes.failed)
        status = attn_fail_memory(error);
    if (status == ATTN_OK && look->screen.palette != ATTN_PALETTE_NONE)
        status = put_scales(&paragraph, look, sight, attn_buffer_bytes(&full), is_number, error);
    if (status == ATTN_OK)
        attn_fit_text(&paragraph, attn_buffer_bytes(&notes));
    attn_fit_end(&paragraph);
    attn_buffer_free(&full);
    attn_buffer_free(&notes);
    return status;
}
