/* svg_plane.c: points in a plane: words as circles, what moves them as arrows, who pulls whom as bands; the unit square
 * and its images. Panels stand side by side, all with the same scale, and a unit is as long across as it is up. */
#include "config.h"

#include "base/memory.h"
#include "output/svg.h"
#include "output/svg_labels.h"

#include <math.h>

enum {
    LARGE = 400, /* of a panel's inside, a side */
    MANY = 40,   /* points of a panel that stands alone, for which that is too little */
    LARGER = 640,
    SMALL = 220, /* of several squares beside each other */
    LEFT = 52,
    RIGHT = 24,
    ABOVE = 26,
    BELOW = 44,
    IN_LINE = 3,
    IN_LINE_SMALL = 4,
    TICKS = 6,
    ASIDE = 3,           /* pixels that arrows on one line give way */
    MOST_COMPARED = 500, /* arrows that are looked at for that */
    TITLE_COLUMNS = 52
};
#define LEAST_ARROW 3.0 /* pixels */

typedef struct frame { /* a panel's inside, and the scale of all of them */
    double x, y, size;
    double low[2], per_unit;
} frame;

typedef struct spot {
    double x, y;
} spot;

static spot spot_of(const frame *f, const double at[2])
{
    return (spot){.x = f->x + (at[0] - f->low[0]) * f->per_unit,
                  .y = f->y + f->size - (at[1] - f->low[1]) * f->per_unit};
}

/* ---- the scale ---- */

typedef struct bounds {
    double low[2], high[2];
    bool any;
} bounds;

static void stretch(bounds *b, const double at[2])
{
    for (int i = 0; i < 2 && isfinite(at[0]) && isfinite(at[1]); i++) {
        b->low[i] = !b->any || at[i] < b->low[i] ? at[i] : b->low[i];
        b->high[i] = !b->any || at[i] > b->high[i] ? at[i] : b->high[i];
    }
    b->any |= isfinite(at[0]) && isfinite(at[1]);
}

static frame make_scale(const attn_plane *plane, double size)
{
    static const double origin[2] = {0, 0};
    bounds b = {.any = false};
    stretch(&b, origin);
    for (size_t p = 0; p < plane->n_panels; p++) {
        const attn_plane_panel *panel = &plane->panels[p];
        for (size_t i = 0; i < panel->n_points; i++) {
            stretch(&b, panel->points[i].before);
            stretch(&b, panel->points[i].after);
        }
        for (size_t i = 0; i < 4 && panel->has_square; i++)
            stretch(&b, panel->square[i]);
    }
    for (size_t i = 0; i < plane->n_others; i++)
        stretch(&b, plane->others[i].before);
    double span = fmax(b.high[0] - b.low[0], b.high[1] - b.low[1]) * 1.2;
    if (!(span > 0 && isfinite(span)))
        span = 1;
    return (frame){.size = size,
                   .low = {(b.low[0] + b.high[0] - span) / 2, (b.low[1] + b.high[1] - span) / 2},
                   .per_unit = size / span};
}

/* 1, 2 or 5 times a power of ten, so that there are about TICKS of them. */
static double tick_step(double span)
{
    const double raw = span / TICKS, power = pow(10, floor(log10(raw)));
    return raw <= power ? power : raw <= 2 * power ? 2 * power : raw <= 5 * power ? 5 * power : 10 * power;
}

/* The lines of one dimension, their numbers, its name. */
static void put_axis(attn_svg *svg, const frame *f, int dimension, const char *name)
{
    attn_buffer *out = &svg->body;
    const double span = f->size / f->per_unit, step = tick_step(span), low = f->low[dimension];
    for (double n = ceil(low / step); n * step <= low + span; n++) {
        const double at = (n * step - low) * f->per_unit, x = f->x + at, y = f->y + f->size - at;
        if (dimension == 0)
            attn_svg_line(out, x, f->y, x, f->y + f->size);
        else
            attn_svg_line(out, f->x, y, f->x + f->size, y);
        attn_buffer_format(out, " stroke=\"currentColor\" stroke-opacity=\"%s\"/>", n == 0 ? ".4" : ".1");
        if (dimension == 0)
            attn_svg_text(out, x, f->y + f->size + 15, "middle");
        else
            attn_svg_text(out, f->x - 5, y + 4, "end");
        attn_buffer_text(out, "<tspan font-size=\"11\" fill-opacity=\".7\">");
        attn_svg_bound(out, n * step);
        attn_buffer_text(out, "</tspan></text>\n");
    }
    if (dimension == 0)
        attn_svg_text(out, f->x + f->size, f->y + f->size + 32, "end");
    else
        attn_svg_text(out, f->x - 40, f->y - 8, "start");
    attn_buffer_text(out, dimension == 0 ? "" : "↑ ");
    attn_svg_label(out, attn_bytes_of(name), TITLE_COLUMNS);
    attn_buffer_text(out, dimension == 0 ? " →</text>\n" : "</text>\n");
}

/* ---- what is in a panel ---- */

static void put_name(attn_svg *svg, const attn_plane_point *point)
{
    attn_svg_label(&svg->body, point->label, ATTN_SVG_TOKEN_COLUMNS);
}

static void put_numbers(attn_svg *svg, const double at[2], bool both)
{
    attn_buffer_byte(&svg->body, '(');
    attn_svg_bound(&svg->body, at[0]);
    if (both) {
        attn_buffer_text(&svg->body, ", ");
        attn_svg_bound(&svg->body, at[1]);
    }
    attn_buffer_byte(&svg->body, ')');
}

static bool has_reverse(const attn_plane_panel *panel, const attn_plane_pair *pair)
{
    for (size_t i = 0; i < panel->n_pairs && panel->n_pairs <= MOST_COMPARED; i++)
        if (panel->pairs[i].query == pair->key && panel->pairs[i].key == pair->query)
            return true;
    return false;
}

/* The way from A to B, moved to its right by DISTANCE. */
static void step_aside(spot *a, spot *b, double distance)
{
    const double dx = b->x - a->x, dy = b->y - a->y, length = hypot(dx, dy);
    if (!(length > 0))
        return;
    const double x = -dy / length * distance, y = dx / length * distance;
    *a = (spot){a->x + x, a->y + y};
    *b = (spot){b->x + x, b->y + y};
}

/* Who is pulled by whom, as wide as the weight; those that pull each other lie beside each other. */
static void put_band(attn_svg *svg, const frame *f, const attn_plane_panel *panel, const attn_plane_pair *pair)
{
    const attn_plane_point *query = &panel->points[pair->query], *key = &panel->points[pair->key];
    const double width = 1 + 5 * fmin(fmax((double)pair->weight, 0), 1);
    spot from = spot_of(f, query->before), to = spot_of(f, key->before);
    attn_buffer *out = &svg->body;
    if (has_reverse(panel, pair))
        step_aside(&from, &to, width / 2 + 0.5);
    attn_svg_line(out, from.x, from.y, to.x, to.y);
    attn_buffer_text(out, " class=\"pull\" stroke=\"#0072b2\" stroke-opacity=\".4\"");
    attn_svg_length(out, "stroke-width", width);
    attn_buffer_text(out, "><title>");
    put_name(svg, key);
    attn_buffer_text(out, " pulls ");
    put_name(svg, query);
    attn_buffer_text(out, ": weight ");
    attn_svg_number(svg, out, (double)pair->weight);
    attn_buffer_text(out, ", pull ");
    attn_svg_number(svg, out, (double)pair->pull);
    attn_buffer_text(out, "</title></line>\n");
}

/* Whether two arrows go opposite ways on one line, so that each would hide the other. */
static bool hide_each_other(const frame *f, const attn_plane_point *a, const attn_plane_point *b)
{
    const spot a0 = spot_of(f, a->before), a1 = spot_of(f, a->after), b0 = spot_of(f, b->before),
               b1 = spot_of(f, b->after);
    const double ax = a1.x - a0.x, ay = a1.y - a0.y, bx = b1.x - b0.x, by = b1.y - b0.y, length = hypot(ax, ay),
                 other = hypot(bx, by);
    if (length < LEAST_ARROW || other < LEAST_ARROW || ax * bx + ay * by > -0.99 * length * other)
        return false;
    const double off = fabs((b0.x - a0.x) * ay - (b0.y - a0.y) * ax) / length,
                 first = ((b0.x - a0.x) * ax + (b0.y - a0.y) * ay) / length,
                 last = ((b1.x - a0.x) * ax + (b1.y - a0.y) * ay) / length;
    return off < ASIDE + 1 && fmin(first, last) < length && fmax(first, last) > 0;
}

static bool gives_way(const frame *f, const attn_plane_panel *panel, size_t index)
{
    for (size_t i = 0; i < panel->n_points && panel->n_points <= MOST_COMPARED; i++)
        if (i != index && panel->points[i].moves && hide_each_other(f, &panel->points[index], &panel->points[i]))
            return true;
    return false;
}

static void put_head(attn_buffer *out, spot from, spot to)
{
    const double length = hypot(to.x - from.x, to.y - from.y), x = (to.x - from.x) / length,
                 y = (to.y - from.y) / length, long_ = fmin(9, length), wide = long_ * 0.45;
    const spot corners[3] = {to,
                             {to.x - x * long_ - y * wide, to.y - y * long_ + x * wide},
                             {to.x - x * long_ + y * wide, to.y - y * long_ - x * wide}};
    attn_buffer_text(out, "<path class=\"move\" fill=\"#d55e00\" d=\"");
    for (int i = 0; i < 3; i++) {
        attn_buffer_text(out, i == 0 ? "M" : " ");
        attn_svg_coordinate(out, corners[i].x);
        attn_buffer_byte(out, ' ');
        attn_svg_coordinate(out, corners[i].y);
    }
    attn_buffer_text(out, "z\"/>");
}

static void put_arrow(attn_svg *svg, const frame *f, const attn_plane_panel *panel, size_t index)
{
    const attn_plane_point *point = &panel->points[index];
    spot from = spot_of(f, point->before), to = spot_of(f, point->after);
    const double length = hypot(to.x - from.x, to.y - from.y), shaft = fmax(0, length - 7);
    const bool both = panel->axes[1] != NULL;
    attn_buffer *out = &svg->body;
    attn_buffer_text(out, "<g><title>");
    put_name(svg, point);
    attn_buffer_text(out, " moves ");
    attn_svg_number(svg, out, point->distance);
    attn_buffer_text(out, ": ");
    put_numbers(svg, point->before, both);
    attn_buffer_text(out, " → ");
    put_numbers(svg, point->after, both);
    attn_buffer_text(out, "</title>");
    if (length >= LEAST_ARROW) {
        if (gives_way(f, panel, index))
            step_aside(&from, &to, ASIDE);
        attn_svg_line(out, from.x, from.y, from.x + (to.x - from.x) * shaft / length,
                      from.y + (to.y - from.y) * shaft / length);
        attn_buffer_text(out, " class=\"move\" stroke=\"#d55e00\" stroke-width=\"2\"/>");
        put_head(out, from, to);
    }
    attn_buffer_text(out, "</g>\n");
}

/* A word's place: a ring where it was before it moved, a disk where it stays. */
static void put_circle(attn_svg *svg, const frame *f, const attn_plane_panel *panel, const attn_plane_point *point)
{
    const spot at = spot_of(f, point->before);
    attn_buffer *out = &svg->body;
    attn_buffer_text(out, "<circle");
    attn_svg_length(out, "cx", at.x);
    attn_svg_length(out, "cy", at.y);
    attn_buffer_text(out,
                     point->moves
                         ? " r=\"4\" class=\"paper\" fill=\"#fff\" stroke=\"currentColor\" stroke-width=\"1.5\"><title>"
                         : " r=\"3\"><title>");
    put_name(svg, point);
    attn_buffer_byte(out, ' ');
    put_numbers(svg, point->before, panel->axes[1] != NULL);
    attn_buffer_text(out, "</title></circle>\n");
}

static void put_square(attn_svg *svg, const frame *f, const attn_plane_panel *panel)
{
    attn_buffer *out = &svg->body;
    attn_buffer_text(out, "<path class=\"move\" fill=\"#d55e00\" fill-opacity=\".18\" stroke=\"#d55e00\" d=\"");
    for (int i = 0; i < 4; i++) {
        const spot corner = spot_of(f, panel->square[i]);
        attn_buffer_text(out, i == 0 ? "M" : " ");
        attn_svg_coordinate(out, corner.x);
        attn_buffer_byte(out, ' ');
        attn_svg_coordinate(out, corner.y);
    }
    attn_buffer_text(out, "z\"><title>");
    for (int i = 0; i < 4; i++) {
        attn_buffer_text(out, i == 0 ? "the unit square: " : " ");
        put_numbers(svg, panel->square[i], true);
    }
    attn_buffer_text(out, "</title></path>\n");
}

/* ---- names beside the points ---- */

static void avoid_things(attn_svg_labels *labels, const frame *f, const attn_plane *plane,
                         const attn_plane_panel *panel)
{
    for (size_t i = 0; i < panel->n_points; i++) {
        const attn_plane_point *point = &panel->points[i];
        const spot from = spot_of(f, point->before), to = spot_of(f, point->after);
        attn_svg_labels_avoid(labels, from.x, from.y, 4);
        const double length = hypot(to.x - from.x, to.y - from.y);
        for (double done = 8; point->moves && done <= length; done += 8)
            attn_svg_labels_avoid(labels, from.x + (to.x - from.x) * done / length,
                                  from.y + (to.y - from.y) * done / length, 2);
    }
    for (size_t i = 0; i < plane->n_others; i++) {
        const spot at = spot_of(f, plane->others[i].before);
        attn_svg_labels_avoid(labels, at.x, at.y, 3);
    }
}

static void put_label(attn_svg *svg, attn_svg_labels *labels, const frame *f, const attn_plane_point *point)
{
    const spot at = spot_of(f, point->before);
    attn_svg_labels_put(svg, labels, at.x, at.y, point->label);
}

static void put_others(attn_svg *svg, attn_svg_labels *labels, const frame *f, const attn_plane *plane,
                       const attn_plane_panel *panel)
{
    attn_buffer_text(&svg->body, "<g opacity=\".5\">\n");
    for (size_t i = 0; i < plane->n_others; i++) {
        put_circle(svg, f, panel, &plane->others[i]);
        put_label(svg, labels, f, &plane->others[i]);
    }
    attn_buffer_text(&svg->body, "</g>\n");
}

/* The words of a panel's text, and which it is, above it. */
static void put_title(attn_svg *svg, const frame *f, const attn_plane *plane, const attn_plane_panel *panel)
{
    attn_buffer *out = &svg->body, words = {0};
    const char *separator = "";
    bool one_text = true, one_layer = true;
    for (size_t i = 0; i < plane->n_panels; i++) {
        one_text &= plane->panels[i].text == panel->text;
        one_layer &= plane->panels[i].layer == panel->layer;
    }
    if (panel->name == NULL && one_text && one_layer)
        return;
    attn_svg_text(out, f->x + f->size / 2, f->y - ABOVE + 2, "middle");
    if (panel->name != NULL)
        attn_buffer_text(out, panel->name);
    else if (!one_layer)
        attn_buffer_format(out, "layer %zu%s", panel->layer, one_text ? "" : ": ");
    for (size_t i = 0; i < panel->n_points && panel->name == NULL && !one_text; i++, separator = " ") {
        attn_buffer_text(&words, separator);
        attn_buffer_put(&words, panel->points[i].label.data, panel->points[i].label.size);
    }
    out->failed |= words.failed;
    if (!words.failed)
        attn_svg_label(out, attn_buffer_bytes(&words), TITLE_COLUMNS);
    attn_buffer_text(out, "</text>\n");
    attn_buffer_free(&words);
}

static attn_status put_panel(attn_svg *svg, const frame *f, const attn_plane *plane, const attn_plane_panel *panel,
                             attn_error *error)
{
    attn_svg_labels labels;
    attn_status status = attn_svg_labels_open(&labels, panel->n_points + plane->n_others, error);
    if (status != ATTN_OK)
        return status;
    labels.left = f->x;
    labels.top = f->y;
    labels.right = f->x + f->size + RIGHT;
    labels.bottom = f->y + f->size;
    avoid_things(&labels, f, plane, panel);
    put_title(svg, f, plane, panel);
    for (int i = 0; i < 2; i++)
        if (panel->axes[i] != NULL)
            put_axis(svg, f, i, panel->axes[i]);
    if (panel->has_square)
        put_square(svg, f, panel);
    for (size_t i = 0; i < panel->n_pairs; i++)
        put_band(svg, f, panel, &panel->pairs[i]);
    for (size_t i = 0; i < panel->n_points; i++)
        if (panel->points[i].moves)
            put_arrow(svg, f, panel, i);
    for (size_t i = 0; i < panel->n_points; i++)
        put_circle(svg, f, panel, &panel->points[i]);
    for (size_t i = 0; i < panel->n_points; i++)
        put_label(svg, &labels, f, &panel->points[i]);
    if (plane->n_others > 0)
        put_others(svg, &labels, f, plane, panel);
    attn_svg_labels_close(&labels);
    return ATTN_OK;
}

/* ---- the whole ---- */

static void put_caption(attn_svg *svg, const attn_plane *plane)
{
    bool moves = false, pulls = false;
    attn_buffer *out = &svg->body;
    for (size_t i = 0; i < plane->n_panels; i++) {
        for (size_t k = 0; k < plane->panels[i].n_points; k++)
            moves |= plane->panels[i].points[k].moves;
        pulls |= plane->panels[i].n_pairs > 0;
    }
    const double y = svg->height + ATTN_SVG_LINE;
    attn_svg_text(out, 0, y, "start");
    const size_t from = out->size;
    if (moves)
        attn_buffer_text(out, "○ before, arrow to after");
    if (pulls)
        attn_buffer_text(out, "; bands: who pulls whom, as wide as the weight");
    if (plane->spread > 0) {
        const long tenths = lround(plane->spread * 1000);
        attn_buffer_format(out, "%sthe plane shows %ld.%ld %% of the spread", out->size > from ? "; " : "", tenths / 10,
                           tenths % 10);
    }
    if (!out->failed && out->size > from)
        attn_svg_reach(
            svg, attn_svg_text_width((attn_bytes){(const uint8_t *)out->data + from, out->size - from}) * 0.9, y + 6);
    attn_buffer_text(out, "</text>\n");
}

static double size_of(const attn_plane *plane, bool squares)
{
    if (squares)
        return SMALL;
    return plane->n_panels == 1 && plane->panels[0].n_points > MANY ? LARGER : LARGE;
}

static attn_status put_plane(attn_svg *svg, const attn_plane *plane, attn_error *error)
{
    bool squares = false;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < plane->n_panels; i++)
        squares |= plane->panels[i].has_square;
    const size_t in_line = squares ? IN_LINE_SMALL : IN_LINE;
    const double size = size_of(plane, squares);
    frame f = make_scale(plane, size);
    attn_buffer_format(&svg->about, "%zu panel%s of points; the arrows' numbers are their titles.", plane->n_panels,
                       plane->n_panels == 1 ? "" : "s");
    for (size_t i = 0; i < plane->n_panels && status == ATTN_OK; i++) {
        f.x = LEFT + (double)(i % in_line) * (LEFT + size + RIGHT);
        f.y = ATTN_SVG_LINE + ABOVE + (double)(i / in_line) * (ATTN_SVG_LINE + ABOVE + size + BELOW);
        status = put_panel(svg, &f, plane, &plane->panels[i], error);
        attn_svg_reach(svg, f.x + size + RIGHT, f.y + size + BELOW);
    }
    if (plane->n_panels > 0)
        put_caption(svg, plane);
    return status;
}

static attn_status open_plane(attn_svg *svg, attn_error *error)
{
    const attn_drawing draw = svg->writer.options.draw;
    if (draw == ATTN_DRAW_LARGE || draw == ATTN_DRAW_LINES)
        return attn_fail(error, ATTN_EUSAGE, "--draw=%s does not apply to --print=%s",
                         draw == ATTN_DRAW_LARGE ? "large" : "lines", svg->writer.schema.report);
    return ATTN_OK;
}

const attn_svg_drawing attn_svg_plane = {
    .size = 1,
    .open = open_plane,
    .plane = put_plane,
};
