/* fuzz_config.c: config.json of a model directory. The first line of an input names the family of
 * tests/model/families whose weights lie beside it. */
#include "config.h"

#include "fuzz_model.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { MAX_NAME = 32, WEIGHTS_SIZE = 32768 /* of a family, more or less */ };

/* Links the weights of the family NAME into DIRECTORY; false when there is no such family. */
static bool link_weights(const char *directory, const char *name)
{
    const char *source = getenv("ATTN_SOURCE");
    char from[512], to[128];
    if (name[0] == '\0' || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        return false;
    snprintf(from, sizeof from, "%s/tests/model/families/%s/model.safetensors",
             source != NULL ? source : ".", name);
    snprintf(to, sizeof to, "%s/model.safetensors", directory);
    unlink(to);
    return access(from, R_OK) == 0 && symlink(from, to) == 0;
}

static void write_config(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size))
        abort();
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char directory[64], config[96], weights[96], name[MAX_NAME] = "";
    const uint8_t *end = memchr(data, '\n', size < MAX_NAME ? size : MAX_NAME - 1);
    if (size == 0 || end == NULL)
        return 0;
    memcpy(name, data, (size_t)(end - data));
    snprintf(directory, sizeof directory, "/tmp/attn-fuzz-config-%ld", (long)getpid());
    snprintf(config, sizeof config, "%s/config.json", directory);
    snprintf(weights, sizeof weights, "%s/model.safetensors", directory);
    if (mkdir(directory, 0700) == 0 && link_weights(directory, name)) {
        write_config(config, end + 1, size - (size_t)(end + 1 - data));
        fuzz_model(directory, size + WEIGHTS_SIZE);
    }
    unlink(config);
    unlink(weights);
    rmdir(directory);
    return 0;
}
