/* fuzz_gguf_model.c: models in GGUF, opened and run. */
#include "config.h"

#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = fuzz_file(data, size, path);
    fuzz_model(path, size);
    close(fd);
    return 0;
}
