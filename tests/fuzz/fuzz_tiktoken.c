/* fuzz_tiktoken.c: rank files. Those that are read through are refused at the end: no published one is small. */
#include "config.h"

#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(attn_vocab_reader_tiktoken.read, data, size, false);
    return 0;
}
