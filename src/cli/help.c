/* help.c: see help.h. Everything about options is read from their table. */
#include "config.h"

#include "cli/help.h"
#include "cli/options.h"
#include "kernels/kernels.h"
#include "output/sink.h"

#include <string.h>

enum { LINE_WIDTH = 79, TEXT_COLUMN = 30 };

static void put_usage(attn_buffer *out)
{
    attn_buffer_text(out, "Usage: attn [OPTION]... [FILE]...\n"
                          "Look inside attention: who attends to whom in a text, where each word's\n"
                          "vector moves, and which words it is then near. With no FILE, or when FILE is\n"
                          "-, read standard input.\n");
}

static void spaces(attn_buffer *out, size_t count)
{
    while (count-- > 0)
        attn_buffer_byte(out, ' ');
}

/* Take away the spaces that stand before a line end. */
static void trim(attn_buffer *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->size--;
}

/* TEXT wrapped into [TEXT_COLUMN, LINE_WIDTH), the cursor now at *COLUMN. */
static void wrap(attn_buffer *out, size_t *column, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (*column + length > LINE_WIDTH) {
            trim(out);
            attn_buffer_byte(out, '\n');
            spaces(out, TEXT_COLUMN);
            *column = TEXT_COLUMN;
        }
        attn_buffer_put(out, text, length);
        *column += length;
        text += length;
        while (*text == ' ') {
            if (*column < LINE_WIDTH)
                attn_buffer_byte(out, ' ');
            (*column)++;
            text++;
        }
    }
}

/* "help text: a, b, c" */
static void full_text(const attn_option *row, attn_buffer *text)
{
    attn_buffer_text(text, row->help);
    for (size_t i = 0; row->choices != NULL && row->choices->name(i) != NULL; i++) {
        attn_buffer_text(text, i > 0 ? ", " : ": ");
        attn_buffer_text(text, row->choices->name(i));
    }
    attn_buffer_byte(text, '\0');
}

static void help_row(const attn_option *row, attn_buffer *out)
{
    size_t start = out->size, column;
    attn_buffer text = {0};
    if (row->letter != 0)
        attn_buffer_format(out, "  -%c, ", row->letter);
    else
        attn_buffer_text(out, "      ");
    attn_buffer_format(out, "--%s%s%s", row->name, row->argument != NULL ? "=" : "",
                       row->argument != NULL ? row->argument : "");
    column = out->size - start;
    if (column + 2 > TEXT_COLUMN) {
        attn_buffer_byte(out, '\n');
        column = 0;
    }
    spaces(out, TEXT_COLUMN - column);
    column = TEXT_COLUMN;
    full_text(row, &text);
    if (text.failed)
        out->failed = true;
    else
        wrap(out, &column, text.data);
    attn_buffer_free(&text);
    trim(out);
    attn_buffer_byte(out, '\n');
}

void attn_help_page(attn_buffer *out)
{
    put_usage(out);
    for (size_t section = 0; section < ATTN_N_SECTIONS; section++) {
        attn_buffer_format(out, "\n%s\n", attn_section_name((attn_option_section)section));
        for (size_t i = 0; i < attn_n_options; i++)
            if (attn_option_table[i].section == (attn_option_section)section)
                help_row(&attn_option_table[i], out);
    }
    attn_buffer_text(out, "\nExamples\n"
                          "  echo 'apple and orange' | attn -m fruit.json\n"
                          "  attn -e glove.txt -p nearest -k 5 -T 'the king of Spain'\n"
                          "  attn -m gpt2/ -L 4 -H 7 -f matrix story.txt > heads.tsv\n"
                          "\nExit status: 0 fine, 1 bad data or a failed write, 2 wrong usage.\n"
                          "The manual, with the formats and every rule: man attn\n");
}

void attn_help_version(attn_buffer *out)
{
    const attn_kernel_table *kernel;
    bool usable;
    attn_buffer_format(out, "attn %s\nkernel: %s (of", PACKAGE_VERSION, attn_kernels()->name);
    for (size_t i = 0; (kernel = attn_kernels_list(i, &usable)) != NULL; i++)
        attn_buffer_format(out, "%s %s%s", i > 0 ? "," : "", kernel->name, usable ? "" : " [not on this machine]");
    attn_buffer_text(out, ")");
    attn_buffer_text(out, "\nLicence: MIT. There is no warranty.\n");
}

/* Roff text: '-' as \-, a leading '.' or '\'' can not occur. */
static void roff(attn_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-')
            attn_buffer_text(out, "\\-");
        else if (*text == '\\')
            attn_buffer_text(out, "\\e");
        else
            attn_buffer_byte(out, *text);
    }
}

static void man_row(const attn_option *row, attn_buffer *out)
{
    attn_buffer text = {0};
    attn_buffer_text(out, ".TP\n");
    if (row->letter != 0)
        attn_buffer_format(out, "\\fB\\-%c\\fR, ", row->letter);
    attn_buffer_text(out, "\\fB\\-\\-");
    roff(out, row->name);
    attn_buffer_text(out, "\\fR");
    if (row->argument != NULL) {
        attn_buffer_text(out, "=\\fI");
        roff(out, row->argument);
        attn_buffer_text(out, "\\fR");
    }
    attn_buffer_byte(out, '\n');
    full_text(row, &text);
    if (text.failed)
        out->failed = true;
    else
        roff(out, text.data);
    attn_buffer_free(&text);
    attn_buffer_byte(out, '\n');
}

void attn_help_man(attn_buffer *out)
{
    for (size_t section = 0; section < ATTN_N_SECTIONS; section++) {
        attn_buffer_format(out, ".SS %s\n", attn_section_name((attn_option_section)section));
        for (size_t i = 0; i < attn_n_options; i++)
            if (attn_option_table[i].section == (attn_option_section)section)
                man_row(&attn_option_table[i], out);
    }
}

/* One case of the completion: the choices of a row, or files. */
static void completion_row(const attn_option *row, attn_buffer *out)
{
    if (row->choices == NULL && row->file == ATTN_FILE_NONE)
        return;
    attn_buffer_format(out, "    --%s", row->name);
    if (row->letter != 0)
        attn_buffer_format(out, "|-%c", row->letter);
    if (row->choices == NULL) {
        attn_buffer_text(out, ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
        return;
    }
    attn_buffer_text(out, ") COMPREPLY=($(compgen -W '");
    for (size_t i = 0; row->choices->name(i) != NULL; i++)
        attn_buffer_format(out, "%s%s", i > 0 ? " " : "", row->choices->name(i));
    attn_buffer_text(out, "' -- \"$word\")); return ;;\n");
}

void attn_help_completion(attn_buffer *out)
{
    attn_buffer_text(out, "# bash completion for attn, made from its option table: do not edit\n"
                          "_attn()\n{\n"
                          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                          "    if [ \"$word\" = = ]; then word=; fi\n"
                          "    if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                          "    case $before in\n");
    for (size_t i = 0; i < attn_n_options; i++)
        completion_row(&attn_option_table[i], out);
    attn_buffer_text(out, "    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < attn_n_options; i++)
        attn_buffer_format(out, "%s--%s", i > 0 ? " " : "", attn_option_table[i].name);
    attn_buffer_text(out, "' -- \"$word\")) ;;\n"
                          "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
                          "    esac\n}\ncomplete -o filenames -F _attn attn\n");
}

attn_status attn_help_print(void (*page)(attn_buffer *out), attn_error *error)
{
    attn_buffer text = {0};
    attn_sink *sink = NULL;
    attn_status status;
    page(&text);
    status = text.failed ? attn_fail_memory(error) : attn_sink_open(NULL, &sink, error);
    if (status == ATTN_OK) {
        attn_sink_put(sink, text.data, text.size);
        status = attn_sink_commit(sink, error);
    }
    attn_sink_close(sink);
    attn_buffer_free(&text);
    return status;
}
