/* html_plane.c: points in a plane in a page: where words stand before and after each layer, and who pulls whom. All of
 * it comes at once, behind the texts. Used by html.c. */
#include "config.h"

#include "output/html.h"

#include <math.h>

static void put_coordinates(attn_buffer *out, const double at[2])
{
    for (int i = 0; i < 2; i++) {
        attn_buffer_byte(out, i == 0 ? '[' : ',');
        if (isfinite((float)at[i]))
            attn_buffer_number(out, (float)at[i], ATTN_SHORTEST);
        else
            attn_buffer_text(out, "null");
    }
    attn_buffer_byte(out, ']');
}

static void put_point(attn_html *html, const attn_plane_point *point, const char *before)
{
    attn_buffer *out = &html->out;
    attn_buffer_format(out, "%s{\"label\":", before);
    attn_html_label(html, point->label, out);
    attn_buffer_format(out, ",\"position\":%zu,\"moves\":%s,\"before\":", point->position,
                       point->moves ? "true" : "false");
    put_coordinates(out, point->before);
    attn_buffer_text(out, ",\"after\":");
    put_coordinates(out, point->after);
    attn_buffer_text(out, ",\"distance\":");
    attn_html_number(html, (float)point->distance, out);
    attn_buffer_byte(out, '}');
}

static void put_pair(attn_html *html, const attn_plane_pair *pair, const char *before)
{
    attn_buffer_format(&html->out, "%s[%zu,%zu,", before, pair->query, pair->key);
    attn_html_number(html, pair->weight, &html->out);
    attn_buffer_byte(&html->out, ',');
    attn_html_number(html, pair->pull, &html->out);
    attn_buffer_byte(&html->out, ']');
}

static attn_status put_panel(attn_html *html, const attn_plane_panel *panel, const char *before, attn_error *error)
{
    attn_buffer *out = &html->out;
    attn_buffer_format(out, "%s{\"text\":%llu,\"layer\":%zu,\"axes\":[", before, (unsigned long long)panel->text,
                       panel->layer);
    for (int i = 0; i < 2; i++) {
        attn_buffer_text(out, i > 0 ? "," : "");
        attn_html_label(html, attn_bytes_of(panel->axes[i] != NULL ? panel->axes[i] : ""), out);
    }
    attn_buffer_text(out, "],\"points\":[");
    for (size_t i = 0; i < panel->n_points; i++)
        put_point(html, &panel->points[i], i > 0 ? "," : "");
    attn_buffer_text(out, "],\"pairs\":[");
    for (size_t i = 0; i < panel->n_pairs; i++)
        put_pair(html, &panel->pairs[i], i > 0 ? "," : "");
    attn_buffer_text(out, "]}");
    return attn_html_flush(html, error);
}

static attn_status put_plane(attn_html *html, const attn_plane *plane, attn_error *error)
{
    attn_buffer *out = &html->out;
    attn_status status = ATTN_OK;
    attn_buffer_text(out, "<script type=\"application/json\" id=\"plane\">{\"spread\":");
    attn_html_number(html, (float)plane->spread, out);
    attn_buffer_text(out, ",\"others\":[");
    for (size_t i = 0; i < plane->n_others; i++)
        put_point(html, &plane->others[i], i > 0 ? "," : "");
    attn_buffer_text(out, "],\"panels\":[");
    for (size_t i = 0; i < plane->n_panels && status == ATTN_OK; i++)
        status = put_panel(html, &plane->panels[i], i > 0 ? "," : "", error);
    attn_buffer_text(out, "]}</script>\n");
    return status == ATTN_OK ? attn_html_flush(html, error) : status;
}

static attn_status end_text(attn_html *html, attn_error *error)
{
    (void)error;
    attn_buffer_text(&html->out, ",\"heads\":[]");
    return ATTN_OK;
}

const attn_html_view attn_html_plane = {
    .name = "plane",
    .state_size = 1,
    .plane = put_plane,
    .text_end = end_text,
};
