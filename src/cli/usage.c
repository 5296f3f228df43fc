/* usage.c: see usage.h. Goes by the option table; looks at names and files, not into them. */
#include "config.h"

#include "cli/usage.h"

#include <string.h>
#include <unistd.h>

/* What does not apply is refused: an option that does nothing would mislead. */
static attn_status check_report(const attn_request *request, attn_error *error)
{
    const attn_report_kind *kind = request->report.kind;
    for (size_t i = 0; i < attn_n_options; i++) {
        const attn_option *row = &attn_option_table[i];
        if (request->given[i] && row->takes != 0 && (attn_report_takes(kind) & row->takes) == 0)
            return attn_fail(error, ATTN_EUSAGE, "--%s does not apply to --print=%s", row->name, kind->name);
    }
    return ATTN_OK;
}

static size_t count_dashes(const char *const *names, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += strcmp(names[i], "-") == 0 || strncmp(names[i], "-:", 2) == 0;
    return n;
}

/* No text is named, and one is needed. */
static bool reads_standard_input(const attn_request *request)
{
    const attn_texts_request *texts = &request->texts;
    return request->report.kind->reads != ATTN_READS_NOTHING && texts->files.count == 0 && texts->texts.count == 0;
}

static attn_status check_standard_input(const attn_request *request, attn_error *error)
{
    const attn_strings *files = &request->texts.files;
    size_t uses = count_dashes(files->items, files->count) + reads_standard_input(request);
    for (size_t i = 0; i < attn_n_options; i++) {
        const char *const *values;
        const size_t n = attn_option_values(&attn_option_table[i], request, &values);
        if (attn_option_table[i].file == ATTN_FILE_READ)
            uses += count_dashes(values, n);
    }
    if (uses > 1)
        return attn_fail(error, ATTN_EUSAGE, "standard input can be read only once, here it is asked for %zu times",
                         uses);
    if (reads_standard_input(request) && isatty(STDIN_FILENO))
        return attn_fail(error, ATTN_EUSAGE, "no text: give FILEs, a text with -T, or pipe one into standard input");
    return ATTN_OK;
}

/* The texts are opened one by one, so which files they are is asked before: the last of a thousand FILEs must stop a
 * run before the first is read. Nobody asks where there is no --output. */
static attn_status note_texts(const attn_request *request, attn_file_list *inputs, attn_error *error)
{
    const attn_strings *files = &request->texts.files;
    attn_status status = reads_standard_input(request) ? attn_file_list_note(inputs, "-", error) : ATTN_OK;
    for (size_t i = 0; i < files->count && status == ATTN_OK; i++)
        status = attn_file_list_note(inputs, files->items[i], error);
    return status;
}

attn_status attn_usage_output(const attn_request *request, const attn_file_list *inputs, attn_error *error)
{
    const char *path = request->output.path;
    bool named = path != NULL && strcmp(path, "-") != 0;
    const char *input = NULL;
    const attn_status status = named ? attn_file_list_has(inputs, path, &input, error) : ATTN_OK;
    if (input == NULL)
        return status;
    return attn_fail(error, ATTN_EDATA, "the output %s is also the input %s", path, input);
}

attn_status attn_usage_check(const attn_request *request, attn_file_list *inputs, attn_error *error)
{
    const attn_texts_request *texts = &request->texts;
    const char *path = request->output.path;
    attn_status status;
    if (path != NULL && path[0] == '\0')
        return attn_fail(error, ATTN_EUSAGE, "--output: expected the name of a file, found none");
    if (texts->texts.count > 0 && texts->files.count > 0)
        return attn_fail(error, ATTN_EUSAGE, "give either texts with --text or FILEs, not both ('%s')",
                         texts->files.items[0]);
    status = check_report(request, error);
    if (status == ATTN_OK)
        status = check_standard_input(request, error);
    if (status == ATTN_OK && path != NULL)
        status = note_texts(request, inputs, error);
    return status == ATTN_OK ? attn_usage_output(request, inputs, error) : status;
}
