/* html_steps.c: how numbers came about, in a page: the sections of a head, each query's steps a part of their own that
 * opens. What stands in a part is what a table for eyes shows (steps_page.c). Used by html.c. */
#include "config.h"

#include "output/html.h"
#include "output/steps_page.h"

enum { PAGE_WIDTH = 110 };

typedef struct state {
    attn_writer writer;   /* the page's, but into memory */
    attn_sink *sink;      /* owned; into text */
    attn_buffer text;     /* owned; of one table */
    attn_steps_page page; /* whose writer is the above */
    attn_buffer heads;    /* owned; members of the text's "heads", without the bracket behind the last */
    bool in_section, has_part;
} state;

static attn_status open_steps(attn_html *html, attn_error *error)
{
    state *s = html->state;
    return attn_sink_open_memory(&s->text, &s->sink, error);
}

static attn_status begin_text(attn_html *html, attn_error *error)
{
    state *s = html->state;
    (void)error;
    s->writer = html->writer;
    s->writer.sink = s->sink;
    s->writer.options.screen = (attn_screen){.limit = SIZE_MAX, .width = PAGE_WIDTH};
    s->heads.size = 0;
    s->in_section = false;
    return ATTN_OK;
}

static void end_section(state *s)
{
    if (s->in_section)
        attn_buffer_text(&s->heads, "]}");
    s->in_section = false;
}

static attn_status put_section(attn_html *html, const attn_section *section, attn_error *error)
{
    state *s = html->state;
    end_section(s);
    attn_buffer_format(&s->heads, "%s{\"layer\":%zu,\"head\":\"", s->heads.size > 0 ? "," : "", section->layer);
    if (section->head == ATTN_HEAD_NONE)
        attn_buffer_text(&s->heads, "all");
    else
        attn_buffer_count(&s->heads, section->head);
    attn_buffer_text(&s->heads, "\",\"facts\":");
    attn_html_label(html, attn_bytes_of(section->facts), &s->heads);
    attn_buffer_text(&s->heads, ",\"parts\":[");
    s->page = (attn_steps_page){.writer = &s->writer, .width = PAGE_WIDTH};
    s->in_section = true;
    s->has_part = false;
    return s->heads.failed ? attn_fail_memory(error) : ATTN_OK;
}

/* A part: the query that it is about (none: all rows), and its lines. */
static void put_part(attn_html *html, const attn_step_table *steps)
{
    state *s = html->state;
    attn_bytes text = attn_buffer_bytes(&s->text);
    while (text.size > 0 && *text.data == '\n') {
        text.data++;
        text.size--;
    }
    if (text.size == 0)
        return;
    attn_buffer_text(&s->heads, s->has_part ? "," : "");
    s->has_part = true;
    if (steps->query == ATTN_NO_POSITION) {
        attn_buffer_text(&s->heads, "{\"query\":null,\"token\":\"\"");
    } else {
        attn_buffer_format(&s->heads, "{\"query\":%zu,\"token\":", steps->query);
        attn_html_label(html, steps->query_label, &s->heads);
    }
    attn_buffer_text(&s->heads, ",\"lines\":");
    attn_escape_script(text, &s->heads);
    attn_buffer_byte(&s->heads, '}');
}

static attn_status put_steps(attn_html *html, const attn_step_table *steps, attn_error *error)
{
    state *s = html->state;
    s->text.size = 0;
    attn_status status = attn_steps_page_table(&s->page, steps, error);
    attn_sink_flush(s->sink);
    if (status == ATTN_OK && !s->text.failed)
        put_part(html, steps);
    if (status == ATTN_OK && (s->text.failed || s->heads.failed || html->label.failed))
        status = attn_fail_memory(error);
    return status;
}

static attn_status end_text(attn_html *html, attn_error *error)
{
    state *s = html->state;
    end_section(s);
    attn_buffer_text(&html->out, ",\"heads\":[");
    if (s->heads.size > 0)
        attn_buffer_put(&html->out, s->heads.data, s->heads.size);
    attn_buffer_byte(&html->out, ']');
    return s->heads.failed ? attn_fail_memory(error) : ATTN_OK;
}

static void close_steps(attn_html *html)
{
    state *s = html->state;
    attn_sink_close(s->sink);
    attn_buffer_free(&s->text);
    attn_buffer_free(&s->heads);
}

const attn_html_view attn_html_steps = {
    .name = "steps",
    .state_size = sizeof(state),
    .open = open_steps,
    .text_begin = begin_text,
    .section = put_section,
    .steps = put_steps,
    .text_end = end_text,
    .close = close_steps,
};
