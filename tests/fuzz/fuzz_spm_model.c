/* fuzz_spm_model.c: SentencePiece's .model files. */
#include "config.h"

#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(attn_vocab_reader_spm_model.read, data, size, false);
    return 0;
}
