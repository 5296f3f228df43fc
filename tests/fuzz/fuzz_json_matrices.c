/* fuzz_json_matrices.c: JSON as a container of matrices. */
#include "config.h"

#include "fuzz_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_container("x.json", data, size, 256);
    return 0;
}
