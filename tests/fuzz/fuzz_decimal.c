/* fuzz_decimal.c: decimals: bit for bit what the C library reads. */
#include "config.h"

#include "fuzz.h"

#include "base/decimal.h"
#include "base/decimal_short.h"

#include <math.h>

/* The double at the beginning of TEXT, in the two steps that readers take. */
static attn_decimal_result read_double(attn_bytes text, double *value, size_t *used)
{
    attn_decimal decimal;
    bool found = attn_decimal_scan(text, &decimal);
    *used = decimal.used;
    return found ? attn_decimal_to_f64(&decimal, value) : ATTN_DECIMAL_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1 + ATTN_DECIMAL_MARGIN), *end;
    uint8_t *copy = fuzz_copy(data, size);
    attn_bytes bytes = {copy, size};
    float single = 0, expected_single;
    double both = 0, expected_both;
    size_t used, used_both;
    attn_decimal_result result = attn_decimal_f32(bytes, &single, &used);
    attn_decimal_result result_both = read_double(bytes, &both, &used_both);
    if (text == NULL || used > size || used != used_both)
        abort();
    memset(text, 0, size + 1 + ATTN_DECIMAL_MARGIN);
    memcpy(text, copy, used); /* what was taken for a number, alone */
    attn_free(copy);
    if (result != ATTN_DECIMAL_NONE) {
        expected_single = strtof(text, &end);
        expected_both = strtod(text, NULL);
        if ((size_t)(end - text) != used || (isinf(expected_single) != 0) != (result == ATTN_DECIMAL_OVERFLOW) ||
            (isinf(expected_both) != 0) != (result_both == ATTN_DECIMAL_OVERFLOW))
            abort();
        if (result == ATTN_DECIMAL_OK && memcmp(&single, &expected_single, sizeof single) != 0)
            abort();
        if (result_both == ATTN_DECIMAL_OK && memcmp(&both, &expected_both, sizeof both) != 0)
            abort();
        if (attn_decimal_short((const uint8_t *)text, &single) != NULL &&
            memcmp(&single, &expected_single, sizeof single) != 0)
            abort();
    }
    free(text);
    return 0;
}
