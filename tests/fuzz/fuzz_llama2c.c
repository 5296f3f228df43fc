/* fuzz_llama2c.c: llama2.c models. */
#include "config.h"

#include "fuzz_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_container("x.bin", data, size, 256);
    return 0;
}
