/* zip.c: the directory of a zip archive. Used by npz.c; must not know what members mean.
 *
 *   | local header, data | local header, data | … | directory: one entry a member | end record |
 *
 * The directory is what counts (a writer to a pipe leaves the local headers' sizes empty); with zip64, sizes that do
 * not fit into 32 bits stand in an extra field, and the end record has a larger one before it. */
#include "config.h"

#include "formats/container_reader.h"
#include "formats/zip.h"

#include <inttypes.h>

enum {
    LOCAL_SIGNATURE = 0x04034b50,
    ENTRY_SIGNATURE = 0x02014b50,
    END_SIGNATURE = 0x06054b50,
    END64_SIGNATURE = 0x06064b50,
    LOCATOR_SIGNATURE = 0x07064b50,
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    ENCRYPTED = 1, /* bit of the flags */
    STORED = 0,
    DEFLATED = 8,
    DEFLATE_LIMIT = 1032, /* no deflated byte stands for more */
    GROWTH_LIMIT = 100    /* of the whole archive, beyond the allowance */
};

#define GROWTH_ALLOWANCE (UINT64_C(16) << 20)

typedef struct zip_directory {
    uint64_t offset, size, count;
    uint64_t end;    /* where what follows the directory begins */
    uint64_t before; /* bytes that stand before the archive: all offsets count from behind them */
} zip_directory;

typedef struct zip_entry { /* one entry of the directory */
    attn_bytes name;
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packed, size, offset;
} zip_entry;

/* The end record is the file's last, but for a comment of at most 65535 bytes whose length it says. */
static bool find_end(attn_bytes file, size_t *position)
{
    size_t limit = file.size >= END_SIZE + UINT16_MAX ? file.size - END_SIZE - UINT16_MAX : 0;
    if (file.size < END_SIZE)
        return false;
    for (size_t at = file.size - END_SIZE + 1; at-- > limit;)
        if (attn_load_u32(file.data + at) == END_SIGNATURE &&
            attn_load_u16(file.data + at + 20) == file.size - END_SIZE - at) {
            *position = at;
            return true;
        }
    return false;
}

/* The larger end record that the locator before the end record at END points to. */
static attn_status read_end64(attn_bytes file, size_t end, zip_directory *directory, attn_error *error)
{
    attn_cursor cursor = attn_cursor_at(file);
    uint32_t signature = 0;
    uint64_t at, here;
    bool good = end >= LOCATOR_SIZE && attn_cursor_skip(&cursor, end - LOCATOR_SIZE) &&
                attn_cursor_u32(&cursor, &signature) && signature == LOCATOR_SIGNATURE &&
                attn_cursor_skip(&cursor, 4) && attn_cursor_u64(&cursor, &at);
    if (good) {
        cursor = attn_cursor_at(file);
        good = attn_cursor_skip(&cursor, at) && attn_cursor_u32(&cursor, &signature) && signature == END64_SIGNATURE &&
               attn_cursor_skip(&cursor, 20) && attn_cursor_u64(&cursor, &here) &&
               attn_cursor_u64(&cursor, &directory->count) && attn_cursor_u64(&cursor, &directory->size) &&
               attn_cursor_u64(&cursor, &directory->offset) && here == directory->count;
    }
    if (!good)
        return attn_fail(error, ATTN_EDATA, "the zip64 end record of the archive is damaged");
    directory->end = at;
    return ATTN_OK;
}

/* The directory stands before the end record, or where it says (a zip64 record between them). When neither is so,
 * something stands before the archive. */
static void find_before(attn_bytes file, zip_directory *directory)
{
    const uint64_t at = directory->end - directory->size;
    if (directory->size < 4 || attn_load_u32(file.data + directory->offset) == ENTRY_SIGNATURE ||
        attn_load_u32(file.data + at) != ENTRY_SIGNATURE)
        return;
    directory->before = at - directory->offset;
    directory->offset = at;
}

static attn_status find_directory(attn_bytes file, zip_directory *directory, attn_error *error)
{
    size_t end;
    if (!find_end(file, &end))
        return attn_fail(error, ATTN_EDATA, "the archive has no directory at its end (cut short?)");
    const uint8_t *record = file.data + end;
    if (attn_load_u16(record + 4) != attn_load_u16(record + 6) ||
        attn_load_u16(record + 8) != attn_load_u16(record + 10))
        return attn_fail(error, ATTN_EUNSUPPORTED, "the archive spans several disks");
    directory->count = attn_load_u16(record + 10);
    directory->size = attn_load_u32(record + 12);
    directory->offset = attn_load_u32(record + 16);
    directory->end = end;
    if (directory->count == UINT16_MAX || directory->size == UINT32_MAX || directory->offset == UINT32_MAX) {
        attn_status status = read_end64(file, end, directory, error);
        if (status != ATTN_OK)
            return status;
    }
    if (directory->offset > directory->end || directory->size > directory->end - directory->offset)
        return attn_fail(error, ATTN_EDATA,
                         "the directory's %" PRIu64 " bytes at %" PRIu64 " do not fit into the archive",
                         directory->size, directory->offset);
    find_before(file, directory);
    if (directory->count > directory->size / ENTRY_SIZE)
        return attn_fail(error, ATTN_EDATA, "the archive claims %" PRIu64 " members in %" PRIu64 " bytes of directory",
                         directory->count, directory->size);
    return ATTN_OK;
}

/* The 64-bit values of what is saturated in ENTRY, in this order, from the extra field 1. */
static bool read_zip64(attn_bytes extra, zip_entry *entry)
{
    attn_cursor cursor = attn_cursor_at(extra);
    uint64_t *const fields[] = {&entry->size, &entry->packed, &entry->offset};
    uint16_t id, length;
    attn_bytes content;
    if (entry->size != UINT32_MAX && entry->packed != UINT32_MAX && entry->offset != UINT32_MAX)
        return true;
    while (attn_cursor_u16(&cursor, &id) && attn_cursor_u16(&cursor, &length) &&
           attn_cursor_take(&cursor, length, &content)) {
        attn_cursor values = attn_cursor_at(content);
        if (id != 1)
            continue;
        for (size_t i = 0; i < 3; i++)
            if (*fields[i] == UINT32_MAX && !attn_cursor_u64(&values, fields[i]))
                return false;
        return true;
    }
    return false;
}

static attn_status read_entry(attn_cursor *cursor, zip_entry *entry, attn_error *error)
{
    attn_bytes fixed, extra, comment;
    if (!attn_cursor_take(cursor, ENTRY_SIZE, &fixed) || attn_load_u32(fixed.data) != ENTRY_SIGNATURE ||
        !attn_cursor_take(cursor, attn_load_u16(fixed.data + 28), &entry->name) ||
        !attn_cursor_take(cursor, attn_load_u16(fixed.data + 30), &extra) ||
        !attn_cursor_take(cursor, attn_load_u16(fixed.data + 32), &comment))
        return attn_fail(error, ATTN_EDATA, "the archive's directory is damaged");
    entry->flags = attn_load_u16(fixed.data + 8);
    entry->method = attn_load_u16(fixed.data + 10);
    entry->crc = attn_load_u32(fixed.data + 16);
    entry->packed = attn_load_u32(fixed.data + 20);
    entry->size = attn_load_u32(fixed.data + 24);
    entry->offset = attn_load_u32(fixed.data + 42);
    if (!read_zip64(extra, entry))
        return attn_fail(error, ATTN_EDATA, "its zip64 sizes are missing");
    return ATTN_OK;
}

/* What the directory says about a member, by itself. */
static attn_status check_entry(const zip_entry *entry, attn_error *error)
{
    if ((entry->flags & ENCRYPTED) != 0)
        return attn_fail(error, ATTN_EUNSUPPORTED, "it is encrypted");
    if (entry->method != STORED && entry->method != DEFLATED)
        return attn_fail(error, ATTN_EUNSUPPORTED, "it is packed by method %d; attn reads stored and deflated members",
                         entry->method);
    if (entry->method == STORED ? entry->size != entry->packed : entry->size / DEFLATE_LIMIT > entry->packed)
        return attn_fail(error, ATTN_EDATA,
                         "it claims %" PRIu64 " bytes from %" PRIu64 ", which its packing cannot give", entry->size,
                         entry->packed);
    if (entry->size > PTRDIFF_MAX)
        return attn_fail(error, ATTN_EDATA, "it is too large");
    return ATTN_OK;
}

/* The member's data, behind the local header, which must agree with the directory. */
static attn_status find_data(attn_bytes file, const zip_directory *directory, const zip_entry *entry, attn_bytes *data,
                             attn_error *error)
{
    attn_cursor cursor = attn_cursor_at((attn_bytes){file.data, (size_t)directory->offset});
    attn_bytes fixed, name;
    if (entry->offset > file.size || !attn_cursor_skip(&cursor, directory->before + entry->offset) ||
        !attn_cursor_take(&cursor, LOCAL_SIZE, &fixed) || attn_load_u32(fixed.data) != LOCAL_SIGNATURE ||
        !attn_cursor_take(&cursor, attn_load_u16(fixed.data + 26), &name) ||
        !attn_cursor_skip(&cursor, attn_load_u16(fixed.data + 28)))
        return attn_fail(error, ATTN_EDATA, "its local header is not where the directory says");
    if (!attn_bytes_equal(name, entry->name) || attn_load_u16(fixed.data + 8) != entry->method)
        return attn_fail(error, ATTN_EDATA, "its local header contradicts the directory");
    if (!attn_cursor_take(&cursor, entry->packed, data))
        return attn_fail(error, ATTN_EDATA, "its %" PRIu64 " bytes do not fit before the directory", entry->packed);
    return ATTN_OK;
}

static attn_status read_member(attn_bytes file, const zip_directory *directory, attn_cursor *cursor, attn_zip *zip,
                               attn_extents *extents, attn_error *error)
{
    attn_zip_member *member = &zip->members[zip->n_members];
    zip_entry entry = {.name = {NULL, 0}};
    attn_bytes data = {NULL, 0};
    attn_status status = read_entry(cursor, &entry, error);
    if (status == ATTN_OK)
        status = check_entry(&entry, error);
    if (status == ATTN_OK)
        status = find_data(file, directory, &entry, &data, error);
    if (status != ATTN_OK) {
        if (entry.name.size > 0)
            attn_error_prefix(error, "member '%.*s': ", (int)(entry.name.size < 64 ? entry.name.size : 64),
                              (const char *)entry.name.data);
        return status;
    }
    *member = (attn_zip_member){entry.name, data, (size_t)entry.size, entry.crc, entry.method == DEFLATED};
    if (!attn_extents_add(
            extents,
            (attn_extent){entry.offset, entry.offset + LOCAL_SIZE + entry.name.size + entry.packed, zip->n_members}))
        return attn_fail_memory(error);
    zip->n_members++;
    return ATTN_OK;
}

/* Bombs: members that share bytes, or a whole that grows beyond reason. */
static attn_status check_whole(attn_bytes file, const attn_zip *zip, attn_extents *extents, attn_error *error)
{
    uint64_t total = 0, limit = GROWTH_ALLOWANCE + (uint64_t)file.size * GROWTH_LIMIT;
    size_t second;
    if (attn_extents_overlap(extents, &second)) {
        attn_bytes name = zip->members[extents->items[second].index].name;
        return attn_fail(error, ATTN_EDATA, "member '%.*s' overlaps another one",
                         (int)(name.size < 64 ? name.size : 64), (const char *)name.data);
    }
    for (size_t i = 0; i < zip->n_members; i++) {
        const attn_zip_member *member = &zip->members[i];
        if (member->deflated && (member->size > limit || (total += member->size) > limit)) {
            attn_fail(error, ATTN_EDATA, "its members would grow beyond %" PRIu64 " bytes, more than a hundredfold",
                      limit);
            attn_error_hint(error, "store them uncompressed: numpy.savez");
            return ATTN_EDATA;
        }
    }
    return ATTN_OK;
}

attn_status attn_zip_open(attn_bytes file, attn_zip *zip, attn_error *error)
{
    zip_directory directory = {0};
    attn_extents extents = {0};
    attn_status status = find_directory(file, &directory, error);
    *zip = (attn_zip){0};
    if (status != ATTN_OK)
        return status;
    zip->members = attn_alloc_array((size_t)directory.count, sizeof *zip->members);
    if (zip->members == NULL)
        return attn_fail_memory(error);
    attn_cursor cursor = attn_cursor_at((attn_bytes){file.data + directory.offset, (size_t)directory.size});
    for (uint64_t i = 0; i < directory.count && status == ATTN_OK; i++)
        status = read_member(file, &directory, &cursor, zip, &extents, error);
    if (status == ATTN_OK && attn_cursor_left(&cursor) > 0)
        status = attn_fail(error, ATTN_EDATA, "the archive's directory is longer than its members");
    if (status == ATTN_OK)
        status = check_whole(file, zip, &extents, error);
    attn_extents_free(&extents);
    if (status != ATTN_OK)
        attn_zip_close(zip);
    return status;
}

void attn_zip_close(attn_zip *zip)
{
    attn_free(zip->members);
    *zip = (attn_zip){0};
}
