/* fuzz_command_line.c: the whole program in process: arguments, a toy and a text. An input is the arguments, a line each,
 * an empty line, the toy, a NUL and the text. The arguments stand between -m TOY and the text; the words TOY and TEXT
 * among them are the paths of those two.
 *
 * A run works in a folder of its own, and none of its arguments holds a slash: nothing else is read, or written over. */
#include "config.h"

#include "fuzz_model.h"
#include "fuzz_quiet.h"

#include "cli/run.h"

#include <dirent.h>

enum { MOST_ARGUMENTS = 24, MOST_BYTES = 1024, BASE_BYTES = 64 << 20 /* windows, maps and pictures */ };

static char directory[] = "/tmp/attn-fuzz-XXXXXX";

static void clear_directory(void)
{
    DIR *stream = opendir(directory);
    struct dirent *entry;
    while (stream != NULL && (entry = readdir(stream)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(entry->d_name) != 0)
            abort();
    closedir(stream);
}

static void remove_directory(void)
{
    rmdir(directory);
}

/* Where we were, to be gone back to. */
static int enter_directory(void)
{
    static bool made;
    const int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!made && (mkdtemp(directory) == NULL || atexit(remove_directory) != 0))
        abort();
    made = true;
    if (before < 0 || chdir(directory) != 0)
        abort();
    return before;
}

static void leave_directory(int before)
{
    clear_directory();
    if (fchdir(before) != 0)
        abort();
    close(before);
}

typedef struct command {
    char *words[MOST_ARGUMENTS + 5];
    int n;
    char bytes[MOST_BYTES + 1]; /* of the arguments, a NUL behind each */
    char toy[64], text[64];     /* paths */
} command;

/* The arguments of SIZE bytes at DATA; false: they may not be run. */
static bool read_arguments(command *c, const uint8_t *data, size_t size)
{
    if (size > MOST_BYTES || memchr(data, '/', size) != NULL || memchr(data, '\0', size) != NULL)
        return false;
    memcpy(c->bytes, data, size);
    c->words[c->n++] = "attn";
    c->words[c->n++] = "-m";
    c->words[c->n++] = c->toy;
    for (char *word = strtok(c->bytes, "\n"); word != NULL; word = strtok(NULL, "\n")) {
        if (c->n == MOST_ARGUMENTS)
            return false;
        c->words[c->n++] = strcmp(word, "TOY") == 0 ? c->toy : strcmp(word, "TEXT") == 0 ? c->text : word;
    }
    c->words[c->n] = NULL;
    return true;
}

static bool gives_texts(const command *c)
{
    bool gives = false;
    for (int i = 3; i < c->n; i++)
        gives = gives || strncmp(c->words[i], "-T", 2) == 0 || strncmp(c->words[i], "--te", 4) == 0;
    return gives;
}

static void run_command(command *c, size_t size)
{
    fuzz_budget budget;
    if (!gives_texts(c))
        c->words[c->n++] = c->text;
    c->words[c->n] = NULL;
    fuzz_quiet quiet = fuzz_hush(-1);
    fuzz_begin(&budget, size + BASE_BYTES / FUZZ_MODEL_FACTOR, FUZZ_MODEL_FACTOR);
    const int status = attn_cli_run(c->n, c->words);
    fuzz_end();
    fuzz_speak(&quiet);
    if (status < 0 || status > 2)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t none[1];
    command c = {.n = 0};
    const uint8_t *toy = size > 1 ? memmem(data, size, "\n\n", 2) : NULL;
    if (toy == NULL || !read_arguments(&c, data, (size_t)(toy - data)))
        return 0;
    toy += 2;
    const uint8_t *end = data + size, *nul = memchr(toy, '\0', (size_t)(end - toy));
    const uint8_t *toy_end = nul != NULL ? nul : end, *text = nul != NULL ? nul + 1 : none;
    const int before = enter_directory();
    const int toy_file = fuzz_file(toy, (size_t)(toy_end - toy), c.toy);
    const int text_file = fuzz_file(text, nul != NULL ? (size_t)(end - text) : 0, c.text);
    run_command(&c, size);
    close(toy_file);
    close(text_file);
    leave_directory(before);
    return 0;
}
