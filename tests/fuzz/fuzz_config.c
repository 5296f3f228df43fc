/* fuzz_config.c: config.json of a model directory. The first line of an input names the family of
 * tests/model/families whose weights lie beside it.
 *
 * The directory is made once and holds two links, to the descriptors CONFIG and WEIGHTS of this
 * process, so that an input costs no work of a file system. */
#include "config.h"

#include "fuzz_model.h"

#include <fcntl.h>

enum {
    CONFIG = 900, /* descriptors */
    WEIGHTS = 901,
    MAX_NAME = 32,
    WEIGHTS_SIZE = 32768 /* of a family, more or less */
};

static char directory[] = "/tmp/attn-fuzz-XXXXXX";
static char config_link[64], weights_link[64];

static void remove_directory(void)
{
    unlink(config_link);
    unlink(weights_link);
    rmdir(directory);
}

static void make_directory(void)
{
    if (config_link[0] != '\0')
        return;
    if (mkdtemp(directory) == NULL)
        abort();
    snprintf(config_link, sizeof config_link, "%s/config.json", directory);
    snprintf(weights_link, sizeof weights_link, "%s/model.safetensors", directory);
    if (symlink("/proc/self/fd/900", config_link) != 0 || symlink("/proc/self/fd/901", weights_link) != 0 ||
        atexit(remove_directory) != 0)
        abort();
}

/* Opens the weights of the family NAME; false when there is no such family. */
static bool open_weights(const char *name)
{
    const char *source = getenv("ATTN_SOURCE");
    char path[512];
    if (name[0] == '\0' || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        return false;
    snprintf(path, sizeof path, "%s/tests/model/families/%s/model.safetensors", source != NULL ? source : ".", name);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    if (dup2(fd, WEIGHTS) < 0)
        abort();
    close(fd);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[MAX_NAME] = "", path[64];
    const uint8_t *end = size > 0 ? memchr(data, '\n', size < MAX_NAME ? size : MAX_NAME - 1) : NULL;
    if (end == NULL)
        return 0;
    memcpy(name, data, (size_t)(end - data));
    make_directory();
    if (!open_weights(name))
        return 0;
    int fd = fuzz_file(end + 1, size - (size_t)(end + 1 - data), path);
    if (dup2(fd, CONFIG) < 0)
        abort();
    close(fd);
    fuzz_model(directory, size + WEIGHTS_SIZE);
    close(CONFIG);
    close(WEIGHTS);
    return 0;
}
