/* replay.c: a main that gives files to a fuzz target, for builds without libFuzzer: what once
 * crashed stays tested. Arguments are files and directories of files, as libFuzzer takes them. */
#include "config.h"

#include "fuzz/fuzz.h"

#include "base/file.h"

#include <dirent.h>

static size_t n_runs;

static int run_file(const char *path)
{
    attn_file file;
    attn_error error;
    if (attn_file_open(path, NULL, &file, &error) != ATTN_OK) {
        fprintf(stderr, "%s: %s\n", error.file, error.message);
        return 1;
    }
    uint8_t *copy = fuzz_copy(file.bytes.data, file.bytes.size);
    LLVMFuzzerTestOneInput(copy, file.bytes.size);
    n_runs++;
    attn_free(copy);
    attn_file_close(&file);
    return 0;
}

static int run_directory(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int failed = 0;
    if (directory == NULL) {
        perror(path);
        return 1;
    }
    while (failed == 0 && (entry = readdir(directory)) != NULL) {
        char *name = entry->d_name[0] != '.' ? attn_path_join(path, entry->d_name) : NULL;
        if (name != NULL)
            failed = run_file(name);
        attn_free(name);
    }
    closedir(directory);
    return failed;
}

static bool is_directory(const char *path)
{
    bool is;
    return attn_path_is_directory(path, &is, NULL) == ATTN_OK && is;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc && failed == 0; i++)
        if (argv[i][0] != '-') /* libFuzzer's options */
            failed = is_directory(argv[i]) ? run_directory(argv[i]) : run_file(argv[i]);
    printf("%zu inputs\n", n_runs);
    return failed;
}
