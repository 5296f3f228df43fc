/* fuzz_gguf.c: GGUF files. */
#include "config.h"

#include "fuzz_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_container("x.gguf", data, size, 256);
    return 0;
}
