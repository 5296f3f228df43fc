/* fuzz_tokenizer_pair.c: the pair of a tokenizer.json and a text (behind a NUL), within bounds on memory and on steps: a
 * small file must not make a text take time beyond a multiple of both their sizes. A step is a comparison, which the
 * compiler counts for libFuzzer (local.mk puts the functions here between); without libFuzzer only memory is bounded. */
#include "config.h"

#include "fuzz_reader.h"

enum {
    BASE_STEPS = 4 << 20,     /* the library's tables are set up once */
    PATTERN_STEPS = 96 << 20, /* a pattern's own limit (attn_pattern_limit) in comparisons */
    STEPS = 8000              /* a byte: 64 steps of a normalizer or a few of a pattern's look at each */
};

static uint64_t n_steps;

#ifdef FUZZ_STEPS
#define COUNTED(name, type)                                                                                            \
    void __real___sanitizer_cov_trace_##name(type a, type b);                                                          \
    void __wrap___sanitizer_cov_trace_##name(type a, type b);                                                          \
    __attribute__((no_sanitize("coverage"))) void __wrap___sanitizer_cov_trace_##name(type a, type b)                  \
    {                                                                                                                  \
        n_steps++;                                                                                                     \
        __real___sanitizer_cov_trace_##name(a, b);                                                                     \
    }
COUNTED(cmp1, uint8_t)
COUNTED(cmp2, uint16_t)
COUNTED(cmp4, uint32_t)
COUNTED(cmp8, uint64_t)
COUNTED(const_cmp1, uint8_t)
COUNTED(const_cmp2, uint16_t)
COUNTED(const_cmp4, uint32_t)
COUNTED(const_cmp8, uint64_t)
#endif

static uint64_t most_steps(const uint8_t *data, size_t size)
{
    uint64_t most = BASE_STEPS + STEPS * (uint64_t)size;
    for (const uint8_t *at = data, *end = data + size; at < end; at++, most += PATTERN_STEPS) {
        at = memmem(at, (size_t)(end - at), "Regex", 5);
        if (at == NULL)
            break;
    }
    return most;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t most = most_steps(data, size);
    n_steps = 0;
    fuzz_reader(attn_vocab_reader_tokenizer_json.read, data, size, true);
    if (n_steps > most) {
        fprintf(stderr, "fuzz: %llu steps for %zu bytes: more than %llu\n", (unsigned long long)n_steps, size,
                (unsigned long long)most);
        abort();
    }
    if (getenv("ATTN_FUZZ_LOUD") != NULL)
        fprintf(stderr, "%llu steps for %zu bytes\n", (unsigned long long)n_steps, size);
    return 0;
}
