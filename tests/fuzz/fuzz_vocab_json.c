/* fuzz_vocab_json.c: {"token": id, …} without merges, a NUL and a text. */
#include "config.h"

#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(attn_vocab_reader_vocab_json.read, data, size, true);
    return 0;
}
