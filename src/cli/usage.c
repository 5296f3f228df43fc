/* usage.c: see usage.h. Looks at names and files, not into them. */
#include "config.h"

#include "cli/usage.h"

#include "report/report.h"

#include <string.h>

enum { MOST_INPUTS = 5 };

/* The inputs that are not FILEs; returns how many. */
static size_t other_inputs(const attn_options *o, const char *inputs[MOST_INPUTS])
{
    const char *all[MOST_INPUTS] = {o->model, o->vocab, o->embeddings, o->weights, o->context};
    size_t n = 0;
    for (size_t i = 0; i < MOST_INPUTS; i++)
        if (all[i] != NULL)
            inputs[n++] = all[i];
    return n;
}

static size_t count_dashes(const char *const *names, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += strcmp(names[i], "-") == 0 || strncmp(names[i], "-:", 2) == 0;
    return n;
}

static bool reads_text(const attn_options *o)
{
    const attn_report_kind *kind = o->print != NULL ? attn_report_find(o->print) : attn_report_at(0);
    return kind->reads != ATTN_READS_NOTHING;
}

static attn_status check_standard_input(const attn_options *o, attn_error *error)
{
    const char *inputs[MOST_INPUTS];
    size_t n = other_inputs(o, inputs);
    size_t uses = count_dashes(inputs, n) + count_dashes(o->masks.items, o->masks.count) +
                  count_dashes(o->files.items, o->files.count);
    if (reads_text(o) && o->files.count == 0 && o->texts.count == 0)
        uses++;
    if (uses > 1)
        return attn_fail(error, ATTN_EUSAGE, "standard input can be read only once, here it is asked for %zu times",
                         uses);
    return ATTN_OK;
}

/* The texts are opened one by one, so which files they are is asked before: the last of a thousand FILEs must stop a
 * run before the first is read. Nobody asks where there is no --output. */
static attn_status note_texts(const attn_options *o, attn_file_list *inputs, attn_error *error)
{
    bool noted = o->files.count > 0 || o->texts.count > 0 || !reads_text(o) || attn_file_list_note(inputs, "-");
    for (size_t i = 0; i < o->files.count && noted; i++)
        noted = attn_file_list_note(inputs, o->files.items[i]);
    return noted ? ATTN_OK : attn_fail_memory(error);
}

attn_status attn_usage_output(const attn_options *o, const attn_file_list *inputs, attn_error *error)
{
    bool named = o->output != NULL && strcmp(o->output, "-") != 0;
    const char *input = named ? attn_file_list_has(inputs, o->output) : NULL;
    if (input == NULL)
        return ATTN_OK;
    return attn_fail(error, ATTN_EDATA, "the output %s is also the input %s", o->output, input);
}

attn_status attn_usage_check(const attn_options *o, attn_file_list *inputs, attn_error *error)
{
    attn_status status;
    if (o->output != NULL && o->output[0] == '\0')
        return attn_fail(error, ATTN_EUSAGE, "--output: expected the name of a file, found none");
    if (o->texts.count > 0 && o->files.count > 0)
        return attn_fail(error, ATTN_EUSAGE, "give either texts with --text or FILEs, not both ('%s')",
                         o->files.items[0]);
    status = check_standard_input(o, error);
    if (status == ATTN_OK && o->output != NULL)
        status = note_texts(o, inputs, error);
    return status == ATTN_OK ? attn_usage_output(o, inputs, error) : status;
}
