/* fuzz_spm_model.c: SentencePiece's .model files. */
#include "config.h"

#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(attn_spec_read_spm_model, data, size, false);
    return 0;
}
