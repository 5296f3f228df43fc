/* fuzz_torch.c: PyTorch's checkpoints: a whole file when it begins as an archive, else a pickle that gets an archive
 * around it, so that the search is for programs and not for checksums. */
#include "config.h"

#include "fuzz_container.h"

#include <zlib.h>

enum { NUMBERS = 24 };

static size_t put(uint8_t *out, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
    return size;
}

/* A local header, or (ENTRY) the directory's entry; the fields that both have stand in the same order. */
static size_t put_header(uint8_t *out, bool entry, const char *name, const uint8_t *data, size_t size, size_t offset)
{
    size_t n = put(out, entry ? 0x02014b50 : 0x04034b50, 4);
    n += entry ? put(out + n, 20, 2) : 0;
    n += put(out + n, 20, 2);
    n += put(out + n, 0, 8); /* flags, method, time, date */
    n += put(out + n, crc32(0, data, (uInt)size), 4);
    n += put(out + n, size, 4);
    n += put(out + n, size, 4);
    n += put(out + n, strlen(name), 2);
    n += put(out + n, 0, 2);
    n += entry ? put(out + n, 0, 10) + put(out + n + 10, offset, 4) : 0;
    memcpy(out + n, name, strlen(name));
    return n + strlen(name);
}

static size_t put_member(uint8_t *out, const char *name, const uint8_t *data, size_t size)
{
    size_t n = put_header(out, false, name, data, size, 0);
    memcpy(out + n, data, size);
    return n + size;
}

/* OUT has room for SIZE + 512. */
static size_t pack(const uint8_t *pickle, size_t size, uint8_t *out)
{
    static const uint8_t numbers[NUMBERS] = {0, 0, 128, 63};
    const size_t second = put_member(out, "a/data.pkl", pickle, size);
    size_t directory = second + put_member(out + second, "a/data/0", numbers, NUMBERS), n = directory;
    n += put_header(out + n, true, "a/data.pkl", pickle, size, 0);
    n += put_header(out + n, true, "a/data/0", numbers, NUMBERS, second);
    const size_t length = n - directory;
    n += put(out + n, 0x06054b50, 4);
    n += put(out + n, 0, 4);
    n += put(out + n, 2, 2) + put(out + n + 2, 2, 2);
    n += put(out + n, length, 4);
    n += put(out + n, directory, 4);
    return n + put(out + n, 0, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 2 && data[0] == 'P' && data[1] == 'K') {
        fuzz_container("x.pt", data, size, 1100);
        return 0;
    }
    uint8_t *packed = malloc(size + 512);
    if (packed == NULL)
        abort();
    fuzz_container("x.pt", packed, pack(data, size, packed), 16);
    free(packed);
    return 0;
}
