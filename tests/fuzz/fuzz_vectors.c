/* fuzz_vectors.c: word vectors of every format. */
#include "config.h"

#include "fuzz.h"

#include "base/map.h"
#include "formats/vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    attn_file file = {.name = attn_copy_text("x", 1), .bytes = {fuzz_copy(data, size), size}};
    attn_vectors vectors;
    attn_error error = {0};
    attn_map words = {0};
    fuzz_budget budget;
    static volatile float seen;
    attn_vectors_sniff(file.bytes);
    fuzz_begin(&budget, size, 256);
    attn_status status = attn_vectors_take(&file, &vectors, NULL, NULL, &error);
    fuzz_end();
    if (status != error.status || (status != ATTN_OK && error.message[0] == '\0'))
        abort();
    if (status == ATTN_OK && (vectors.n_words == 0 || vectors.dim == 0))
        abort();
    for (size_t i = 0; i < vectors.n_words; i++)
        if (attn_map_add(&words, vectors.words[i], i) != ATTN_MAP_ADDED)
            abort(); /* a word is there twice */
    for (size_t i = 0; i < vectors.n_words * vectors.dim; i++)
        seen = vectors.values[i];
    (void)seen;
    attn_map_free(&words);
    attn_vectors_close(&vectors);
    return 0;
}
