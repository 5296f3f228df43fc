/* fuzz_safetensors_index.c: the index of sharded safetensors; no shard exists. */
#include "config.h"

#include "fuzz_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_container("/nowhere/x.safetensors.index.json", data, size, 256);
    return 0;
}
