/* fuzz_npz.c: numpy archives; deflate may grow a byte to 1032. */
#include "config.h"

#include "fuzz_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_container("x.npz", data, size, 1100);
    return 0;
}
