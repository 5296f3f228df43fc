/* foreign.c: see foreign.h. Knows beginnings of files, no format. */
#include "config.h"

#include "base/foreign.h"
#include "base/utf8.h"

#include <string.h>

enum { LOOKED_AT = 4096, LEAST_PAIRS = 3 };

static const struct {
    const char *name;
    uint8_t size, unit; /* of the mark; of a character */
    uint8_t mark[4];
    uint8_t place; /* in a unit, of what is not zero in ASCII */
} encodings[] = {
    {"UTF-32LE", 4, 4, {0xFF, 0xFE, 0, 0}, 0}, /* before UTF-16LE, whose mark it begins with */
    {"UTF-32BE", 4, 4, {0, 0, 0xFE, 0xFF}, 3},
    {"UTF-16LE", 2, 2, {0xFF, 0xFE}, 0},
    {"UTF-16BE", 2, 2, {0xFE, 0xFF}, 1},
};
enum { N_ENCODINGS = sizeof encodings / sizeof *encodings };

/* Whether the first characters are ASCII, each in UNIT bytes of which only the one at PLACE is not zero. */
static bool is_wide_ascii(attn_bytes bytes, size_t unit, size_t place)
{
    const size_t size = bytes.size < 64 ? bytes.size / unit * unit : 64;
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = bytes.data[i];
        if (i % unit != place ? byte != 0 : byte >= 0x80 || (byte < ' ' && (byte < '\t' || byte > '\r')))
            return false;
    }
    return size >= 4 * unit;
}

const char *attn_foreign_utf(attn_bytes bytes)
{
    for (size_t i = 0; i < N_ENCODINGS; i++)
        if (bytes.size >= encodings[i].size && memcmp(bytes.data, encodings[i].mark, encodings[i].size) == 0)
            return encodings[i].name;
    for (size_t i = 0; i < N_ENCODINGS; i++)
        if (is_wide_ascii(bytes, encodings[i].unit, encodings[i].place))
            return encodings[i].name;
    return NULL;
}

static const char decompress[] = "decompress it first: ",
                  other_option[] = "weights and vectors are given by -m, -w or -e";

static const struct {
    const char *name, *hint, *tool;
    uint8_t size, mark[10]; /* '?' is any byte */
} binaries[] = {
    {"a gzip file", decompress, "gunzip", 2, {0x1F, 0x8B}},
    {"a bzip2 file", decompress, "bunzip2", 6, {'B', 'Z', 'h', '?', '1', 'A'}},
    {"a zstd file", decompress, "unzstd", 4, {0x28, 0xB5, 0x2F, 0xFD}},
    {"an xz file", decompress, "unxz", 6, {0xFD, '7', 'z', 'X', 'Z', 0}},
    {"a zip file", decompress, "unzip", 4, {'P', 'K', 3, 4}},
    {"a GGUF file", other_option, "", 4, {'G', 'G', 'U', 'F'}},
    {"an npy file", other_option, "", 6, {0x93, 'N', 'U', 'M', 'P', 'Y'}},
    {"a safetensors file", other_option, "", 9, {'?', '?', '?', 0, 0, 0, 0, 0, '{'}},
};
static const struct {
    const char *name, *hint, *beginning; /* lower-case */
} pages[] = {
    {"a Git LFS pointer", "the file itself is fetched by git lfs pull", "version https://git-lfs.github.com/spec/"},
    {"an HTML page", "it is what a server said instead of the file", "<!doctype html"},
    {"an HTML page", "it is what a server said instead of the file", "<html"},
};

static bool begins(attn_bytes bytes, const uint8_t *mark, size_t size)
{
    if (bytes.size < size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (mark[i] != '?' && bytes.data[i] != mark[i])
            return false;
    return true;
}

static attn_status refuse_binary(attn_bytes bytes, const char *expected, attn_error *error)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (begins(bytes, binaries[i].mark, binaries[i].size)) {
            attn_fail(error, ATTN_EDATA, "expected %s, found %s", expected, binaries[i].name);
            attn_error_hint(error, "%s%s", binaries[i].hint, binaries[i].tool);
            return ATTN_EDATA;
        }
    return ATTN_OK;
}

attn_status attn_foreign_refuse(attn_bytes bytes, attn_error *error)
{
    const char *name = attn_foreign_utf(bytes);
    if (name == NULL)
        return refuse_binary(bytes, "text", error);
    attn_fail(error, ATTN_EDATA, "expected UTF-8, found %s", name);
    attn_error_hint(error, "convert it: iconv -f %s -t UTF-8", name);
    return ATTN_EDATA;
}

attn_status attn_foreign_refuse_page(attn_bytes bytes, attn_error *error)
{
    bytes = attn_bytes_without_bom(bytes);
    while (bytes.size > 0 && (*bytes.data == ' ' || (*bytes.data >= '\t' && *bytes.data <= '\r'))) {
        bytes.data++;
        bytes.size--;
    }
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const char *beginning = pages[i].beginning;
        size_t n = 0;
        while (n < bytes.size && beginning[n] != '\0' &&
               (bytes.data[n] | (bytes.data[n] >= 'A' && bytes.data[n] <= 'Z' ? 0x20 : 0)) == beginning[n])
            n++;
        if (beginning[n] == '\0') {
            attn_fail(error, ATTN_EDATA, "this is %s, not the file of that name", pages[i].name);
            attn_error_hint(error, "%s", pages[i].hint);
            return ATTN_EDATA;
        }
    }
    return ATTN_OK;
}

attn_status attn_foreign_refuse_data(attn_bytes bytes, attn_error *error)
{
    attn_status status = attn_foreign_refuse_page(bytes, error);
    return status == ATTN_OK ? refuse_binary(bytes, "a model, weights or vectors", error) : status;
}

bool attn_foreign_is_toy(attn_bytes bytes)
{
    static const char *const keys[] = {"\"words\"", "\"vocab\"", "\"layers\"", "\"W_Q\""};
    bytes = attn_bytes_without_bom(bytes);
    while (bytes.size > 0 &&
           (*bytes.data == ' ' || *bytes.data == '\n' || *bytes.data == '\r' || *bytes.data == '\t')) {
        bytes.data++;
        bytes.size--;
    }
    if (bytes.size == 0 || *bytes.data != '{')
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t at = 0, n = strlen(keys[i]); at + n < bytes.size && at < LOOKED_AT; at++)
            if (memcmp(bytes.data + at, keys[i], n) == 0)
                return true;
    return false;
}

bool attn_foreign_is_code_page(attn_bytes bytes, size_t *bad)
{
    size_t pairs = 0;
    if (bytes.size > LOOKED_AT)
        bytes.size = LOOKED_AT;
    if (attn_utf8_valid(bytes, bad) || *bad + 4 > LOOKED_AT) /* the last character may be cut */
        return false;
    for (size_t i = 0; i < bytes.size; i++) {
        const uint8_t lead = bytes.data[i];
        if (lead < 0x80)
            continue;
        if (i + 1 == bytes.size)
            break;
        if (lead == 0x80 || lead == 0xFF || bytes.data[++i] < 0x40)
            return false;
        pairs += bytes.data[i] >= 0x80;
    }
    return pairs >= LEAST_PAIRS;
}
