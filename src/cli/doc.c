/* doc.c: a little program for the build: prints what the option table gives to documents. Not installed.
 * usage: attn-doc help|man|completion */
#include "config.h"

#include "cli/help.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*page)(attn_buffer *out);
} pages[] = {
    {"help", attn_help_page},
    {"man", attn_help_man},
    {"completion", attn_help_completion},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof pages[0]; i++) {
        attn_buffer text = {0};
        bool whole;
        if (strcmp(argv[1], pages[i].name) != 0)
            continue;
        pages[i].page(&text);
        whole = !text.failed && fwrite(text.data, 1, text.size, stdout) == text.size;
        attn_buffer_free(&text);
        return fflush(stdout) == 0 && whole ? 0 : 1;
    }
    fputs("usage: attn-doc help|man|completion\n", stderr);
    return 2;
}
