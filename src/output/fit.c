/* fit.c: see fit.h. */
#include "config.h"

#include "output/fit.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *cut_mark(bool ascii)
{
    return ascii ? "~" : "\xe2\x80\xa6"; /* … */
}

size_t attn_fit_label(attn_bytes text, size_t width, bool ascii, attn_buffer *out)
{
    size_t whole = attn_utf8_fit(text, width), cut;
    if (whole == text.size) {
        attn_buffer_put(out, text.data, text.size);
        return attn_utf8_width(text);
    }
    cut = attn_utf8_fit(text, width - 1);
    attn_buffer_put(out, text.data, cut);
    attn_buffer_text(out, cut_mark(ascii));
    return attn_utf8_width((attn_bytes){text.data, cut}) + 1;
}

size_t attn_fit_put(attn_sink *sink, attn_bytes text, size_t width, bool ascii)
{
    const size_t whole = attn_utf8_fit(text, width);
    const attn_bytes cut = {text.data, whole == text.size ? whole : attn_utf8_fit(text, width - 1)};
    attn_sink_put(sink, cut.data, cut.size);
    attn_sink_text(sink, whole == text.size ? "" : cut_mark(ascii));
    return attn_utf8_width(cut) + (whole != text.size);
}

/* The place where a word of WIDTH columns begins. */
static void go_to_word(attn_paragraph *paragraph, size_t width)
{
    if (paragraph->column > 0 && paragraph->column + 1 + width > paragraph->limit) {
        attn_sink_put(paragraph->sink, "\n", 1);
        paragraph->column = 0;
    }
    if (paragraph->column > 0) {
        attn_sink_put(paragraph->sink, " ", 1);
        paragraph->column++;
    }
    paragraph->column += width;
}

void attn_fit_word(attn_paragraph *paragraph, attn_bytes word, size_t width)
{
    go_to_word(paragraph, width);
    attn_sink_put(paragraph->sink, word.data, word.size);
}

/* One that holds no spaces. */
static void put_cut_word(attn_paragraph *paragraph, attn_bytes word)
{
    const size_t width = attn_utf8_width(word);
    go_to_word(paragraph, width < paragraph->limit ? width : paragraph->limit);
    attn_fit_put(paragraph->sink, word, paragraph->limit, paragraph->ascii);
}

void attn_fit_text(attn_paragraph *paragraph, attn_bytes text)
{
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        for (end = at; end < text.size && text.data[end] != ' '; end++)
            ;
        if (end > at)
            put_cut_word(paragraph, (attn_bytes){text.data + at, end - at});
    }
}

void attn_fit_end(attn_paragraph *paragraph)
{
    if (paragraph->column > 0)
        attn_sink_put(paragraph->sink, "\n", 1);
    paragraph->column = 0;
}

size_t attn_fit_number(double number, char text[ATTN_NUMBER_ROOM])
{
    const double size = fabs(number);
    size_t used;
    int exponent = 0;
    if (size > 0 && isfinite(size) && (size >= 9999.5 || size < 0.00095))
        exponent = (int)floor(log10(size));
    if (exponent != 0) {
        number /= pow(10, exponent);
        if (fabs(number) >= 9.995) { /* rounds to 10 */
            number /= 10;
            exponent++;
        }
    }
    used = attn_number_f32((float)number, exponent != 0 ? 2 : 4, text);
    if (exponent != 0)
        used += (size_t)snprintf(text + used, ATTN_NUMBER_ROOM - used, "e%d", exponent);
    return used;
}
