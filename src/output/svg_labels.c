/* svg_labels.c: see svg_labels.h. Each name takes the first of some places around its point that nothing is on, the
 * nearest first; or the one that the least is on. */
#include "config.h"

#include "output/svg_labels.h"
#include "base/memory.h"

#include <math.h>

enum {
    CROWD = 400,
    BOXES = 100 /* a point with its arrow and its name has fewer */,
    HEIGHT = 13,
    RINGS = 4,
    RING = 14
};

typedef struct place { /* of a name, from its point: where its text begins, or ends, or has its middle */
    double x, y;
    const char *anchor;
} place;

static const place places[] = {{8, -6, "start"},  {-8, -6, "end"},   {8, 15, "start"},  {-8, 15, "end"},
                               {0, -9, "middle"}, {0, 19, "middle"}, {9, 4.5, "start"}, {-9, 4.5, "end"}};
enum { N_PLACES = sizeof places / sizeof *places };

attn_status attn_svg_labels_open(attn_svg_labels *labels, size_t n, attn_error *error)
{
    *labels = (attn_svg_labels){.room = n > CROWD ? 0 : n * BOXES, .crowded = n > CROWD};
    labels->boxes = attn_alloc_array(labels->room, sizeof *labels->boxes);
    return labels->boxes != NULL ? ATTN_OK : attn_fail_memory(error);
}

static void add_box(attn_svg_labels *labels, attn_svg_box box)
{
    if (labels->n < labels->room)
        labels->boxes[labels->n++] = box;
}

void attn_svg_labels_avoid(attn_svg_labels *labels, double x, double y, double radius)
{
    add_box(labels, (attn_svg_box){.left = x - radius, .top = y - radius, .right = x + radius, .bottom = y + radius});
}

static attn_svg_box box_at(place at, double x, double y, double width)
{
    const double left = x + at.x - (at.anchor[0] == 's' ? 0 : at.anchor[0] == 'e' ? width : width / 2);
    return (attn_svg_box){.left = left, .top = y + at.y - HEIGHT + 3, .right = left + width, .bottom = y + at.y + 3};
}

/* How much of BOX lies on what is there, or outside. */
static double cost_of(const attn_svg_labels *labels, attn_svg_box box)
{
    double cost = 0;
    for (size_t i = 0; i < labels->n; i++) {
        const attn_svg_box *other = &labels->boxes[i];
        const double wide = fmin(box.right, other->right) - fmax(box.left, other->left),
                     high = fmin(box.bottom, other->bottom) - fmax(box.top, other->top);
        if (wide > 0 && high > 0)
            cost += wide * high;
    }
    if (box.left < labels->left || box.right > labels->right || box.top < labels->top || box.bottom > labels->bottom)
        cost += 1000;
    return cost;
}

static place farther(place at, int ring)
{
    at.y += (at.y < 0 ? -1 : 1) * ring * RING;
    at.x += (at.x < 0 ? -1 : at.x > 0 ? 1 : 0) * ring * RING / 2;
    return at;
}

static place choose(const attn_svg_labels *labels, double x, double y, double width, int *ring)
{
    place best = places[0];
    double least = INFINITY;
    *ring = 0;
    for (int r = 0; r < RINGS && least > 0 && !labels->crowded; r++)
        for (size_t i = 0; i < N_PLACES && least > 0; i++) {
            const place at = farther(places[i], r);
            const double cost = cost_of(labels, box_at(at, x, y, width));
            if (cost < least) {
                least = cost;
                best = at;
                *ring = r;
            }
        }
    return best;
}

void attn_svg_labels_put(attn_svg *svg, attn_svg_labels *labels, double x, double y, attn_bytes name)
{
    attn_buffer text = {0}, *out = &svg->body;
    int ring;
    attn_svg_label(&text, name, ATTN_SVG_TOKEN_COLUMNS);
    out->failed |= text.failed;
    if (!text.failed && text.size > 0) {
        const double width = attn_svg_text_width(attn_buffer_bytes(&text));
        const place at = choose(labels, x, y, width, &ring);
        if (ring > 0) {
            attn_svg_line(out, x, y, x + at.x, y + at.y - (at.y < 0 ? 0 : HEIGHT - 4));
            attn_buffer_text(out, " stroke=\"currentColor\" stroke-opacity=\".4\"/>");
        }
        attn_svg_text(out, x + at.x, y + at.y, at.anchor);
        attn_buffer_put(out, text.data, text.size);
        attn_buffer_text(out, "</text>\n");
        add_box(labels, box_at(at, x, y, width));
    }
    attn_buffer_free(&text);
}

void attn_svg_labels_close(attn_svg_labels *labels)
{
    attn_free(labels->boxes);
    *labels = (attn_svg_labels){0};
}
