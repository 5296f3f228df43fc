/* safetensors.c: Hugging Face's safetensors: 8 bytes of header length, a JSON header, the numbers. Used by container.c
 * and safetensors_index.c; must not know what the tensors mean.
 *
 *   | length u64 | {"name": {"dtype": …, "shape": […], "data_offsets": [begin, end]}, …} | numbers … |
 *
 * As strict as the format's own library: the parts must fill the space behind the header exactly, without overlaps and
 * holes. */
#include "config.h"

#include "formats/container_reader.h"

#include "base/json.h"

/* The format's own limit on its header, in bytes. */
#define MAX_HEADER 100000000u

static const struct {
    const char *name;
    attn_dtype dtype;
} dtypes[] = {
    {"F32", ATTN_F32}, {"F16", ATTN_F16}, {"BF16", ATTN_BF16}, {"F64", ATTN_F64}, {"I64", ATTN_I64},
    {"I32", ATTN_I32}, {"I16", ATTN_I16}, {"I8", ATTN_I8},     {"U8", ATTN_U8},   {"BOOL", ATTN_BOOL},
    {"U16", ATTN_U16}, {"U32", ATTN_U32}, {"U64", ATTN_U64},
};

/* What a file under way holds. */
typedef struct header_reader {
    attn_container *container;
    size_t file;            /* index into container->files */
    const attn_map *shards; /* or NULL: every tensor is wanted */
    attn_bytes data;        /* what lies behind the header */
    attn_extents extents;   /* of every tensor; their index: into names */
    const char **names;     /* owned; [extents.count], the strings in the arena */
    size_t names_capacity;
    attn_json *json;
} header_reader;

typedef struct header_entry { /* one tensor of the header */
    bool has_dtype, has_shape, has_offsets;
    attn_dtype dtype;
    size_t n_dims, shape[ATTN_MAX_DIMS];
    uint64_t offsets[2];
} header_entry;

static bool sniff(attn_bytes bytes)
{
    return bytes.size >= 9 && bytes.data[8] == '{' && attn_load_u64(bytes.data) >> 40 == 0;
}

static bool read_dtype(attn_json *json, header_entry *entry)
{
    attn_bytes text;
    if (!attn_json_string(json, &text))
        return false;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (attn_bytes_are(text, dtypes[i].name)) {
            entry->dtype = dtypes[i].dtype;
            entry->has_dtype = true;
            return true;
        }
    attn_json_fail(json, "its type '%.*s' is not one that attn reads (F32, F16, BF16, F64, integers)",
                   (int)(text.size < 32 ? text.size : 32), (const char *)text.data);
    return false;
}

static bool read_shape(attn_json *json, header_entry *entry)
{
    if (!attn_json_array(json))
        return false;
    while (attn_json_element(json)) {
        uint64_t size;
        if (entry->n_dims == ATTN_MAX_DIMS) {
            attn_json_fail(json, "it has more than %d dimensions", ATTN_MAX_DIMS);
            return false;
        }
        if (!attn_json_u64(json, PTRDIFF_MAX, &size))
            return false;
        entry->shape[entry->n_dims++] = (size_t)size;
    }
    entry->has_shape = true;
    return attn_json_status(json) == ATTN_OK;
}

static bool read_offsets(attn_json *json, header_entry *entry)
{
    size_t count = 0;
    if (!attn_json_array(json))
        return false;
    while (attn_json_element(json)) {
        uint64_t offset;
        if (!attn_json_u64(json, UINT64_MAX, &offset))
            return false;
        if (count < 2)
            entry->offsets[count] = offset;
        count++;
    }
    if (attn_json_status(json) == ATTN_OK && count != 2)
        attn_json_fail(json, "expected two data_offsets, found %zu", count);
    entry->has_offsets = true;
    return attn_json_status(json) == ATTN_OK;
}

static bool read_entry(attn_json *json, header_entry *entry)
{
    attn_bytes key;
    *entry = (header_entry){0};
    if (!attn_json_object(json))
        return false;
    while (attn_json_key(json, &key)) {
        bool good;
        if (attn_bytes_are(key, "dtype"))
            good = read_dtype(json, entry);
        else if (attn_bytes_are(key, "shape"))
            good = read_shape(json, entry);
        else if (attn_bytes_are(key, "data_offsets"))
            good = read_offsets(json, entry);
        else
            good = attn_json_skip(json);
        if (!good)
            return false;
    }
    return attn_json_status(json) == ATTN_OK;
}

/* Checks ENTRY by itself; *TENSOR is its view. */
static attn_status check_entry(const header_reader *reader, const header_entry *entry, attn_tensor *tensor,
                               attn_error *error)
{
    size_t bytes;
    if (!entry->has_dtype || !entry->has_shape || !entry->has_offsets)
        return attn_fail(error, ATTN_EDATA, "it has no %s",
                         !entry->has_dtype   ? "dtype"
                         : !entry->has_shape ? "shape"
                                             : "data_offsets");
    if (entry->offsets[0] > entry->offsets[1])
        return attn_fail(error, ATTN_EDATA, "its data_offsets end before they begin: %ju, %ju",
                         (uintmax_t)entry->offsets[0], (uintmax_t)entry->offsets[1]);
    if (entry->offsets[1] > reader->data.size)
        return attn_fail(error, ATTN_EDATA, "its data ends at %ju, but only %zu bytes follow the header",
                         (uintmax_t)entry->offsets[1], reader->data.size);
    if (!attn_tensor_bytes(entry->dtype, entry->n_dims, entry->shape, &bytes))
        return attn_fail(error, ATTN_EDATA, "its shape is too large for any file");
    if (bytes != entry->offsets[1] - entry->offsets[0])
        return attn_fail(error, ATTN_EDATA, "its type and shape take %zu bytes, its data_offsets %ju", bytes,
                         (uintmax_t)(entry->offsets[1] - entry->offsets[0]));
    /* a file of nothing but empty tensors has no data to point into; NULL would be no tensor */
    static const uint8_t nothing[1];
    const uint8_t *data = reader->data.size > 0 ? reader->data.data + entry->offsets[0] : nothing;
    *tensor = attn_tensor_make(data, entry->dtype, entry->n_dims, entry->shape);
    return ATTN_OK;
}

static bool is_wanted(const header_reader *reader, const char *name)
{
    size_t file;
    return reader->shards == NULL ||
           (attn_map_find(reader->shards, attn_bytes_of(name), &file) && file == reader->file);
}

static attn_status keep_entry(header_reader *reader, const char *name, const header_entry *entry, attn_error *error)
{
    void *names = reader->names;
    size_t index = reader->extents.count;
    attn_tensor tensor;
    attn_status status = check_entry(reader, entry, &tensor, error);
    if (status != ATTN_OK) {
        attn_error_prefix(error, "tensor '%s': ", name);
        return status;
    }
    if (!attn_grow(&names, &reader->names_capacity, index, sizeof *reader->names))
        return attn_fail_memory(error);
    reader->names = names;
    reader->names[index] = name;
    if (!attn_extents_add(&reader->extents, (attn_extent){entry->offsets[0], entry->offsets[1], index}))
        return attn_fail_memory(error);
    if (!is_wanted(reader, name))
        return ATTN_OK;
    return attn_container_add(reader->container, name, tensor, reader->container->files[reader->file].name, error);
}

/* "__metadata__": an object of strings, which attn has no use for. */
static bool skip_metadata(attn_json *json)
{
    attn_bytes text;
    if (!attn_json_object(json))
        return false;
    while (attn_json_key(json, &text))
        if (!attn_json_string(json, &text))
            return false;
    return attn_json_status(json) == ATTN_OK;
}

static attn_status read_entries(header_reader *reader, attn_error *error)
{
    attn_json *json = reader->json;
    attn_bytes key;
    if (!attn_json_object(json))
        return attn_json_status(json);
    while (attn_json_key(json, &key)) {
        const char *name;
        header_entry entry;
        attn_status status;
        if (attn_bytes_are(key, "__metadata__")) {
            if (!skip_metadata(json))
                return attn_json_status(json);
            continue;
        }
        status = attn_container_name(reader->container, key, &name, error);
        if (status != ATTN_OK)
            return status;
        if (!read_entry(json, &entry)) {
            attn_error_prefix(error, "tensor '%s': ", name);
            return attn_json_status(json);
        }
        status = keep_entry(reader, name, &entry, error);
        if (status != ATTN_OK)
            return status;
    }
    return attn_json_end(json);
}

/* The parts lie one behind the other and fill the space exactly. */
static attn_status check_layout(header_reader *reader, attn_error *error)
{
    uint64_t end = 0;
    size_t second;
    if (attn_extents_overlap(&reader->extents, &second))
        return attn_fail(error, ATTN_EDATA, "the tensors '%s' and '%s' overlap",
                         reader->names[reader->extents.items[second - 1].index],
                         reader->names[reader->extents.items[second].index]);
    for (size_t i = 0; i < reader->extents.count; i++) {
        const attn_extent *extent = &reader->extents.items[i];
        if (extent->begin != end)
            return attn_fail(error, ATTN_EDATA, "%ju bytes before tensor '%s' belong to no tensor",
                             (uintmax_t)(extent->begin - end), reader->names[extent->index]);
        end = extent->end;
    }
    if (end != reader->data.size)
        return attn_fail(error, ATTN_EDATA, "%ju bytes at the end belong to no tensor",
                         (uintmax_t)(reader->data.size - end));
    return ATTN_OK;
}

/* Splits files[FILE] into *HEADER and the data. */
static attn_status split(attn_bytes bytes, attn_bytes *header, attn_bytes *data, attn_error *error)
{
    attn_cursor cursor = attn_cursor_at(bytes);
    uint64_t length;
    if (!attn_cursor_u64(&cursor, &length))
        return attn_fail_found(error, "8 bytes of header length", "%zu bytes in all", bytes.size);
    if (length > MAX_HEADER && length <= attn_cursor_left(&cursor))
        return attn_fail_found(error, "a header of at most 100000000 bytes", "one of %ju", (uintmax_t)length);
    if (!attn_cursor_take(&cursor, length, header))
        return attn_fail_found(error, "a header that fits into the file", "the length %ju where %zu bytes are left",
                               (uintmax_t)length, attn_cursor_left(&cursor));
    if (length < 2 || header->data[0] != '{')
        return attn_fail_found(error, "a header that begins with '{'", "one of %ju bytes that does not",
                               (uintmax_t)length);
    return attn_cursor_take(&cursor, attn_cursor_left(&cursor), data) ? ATTN_OK : ATTN_EDATA;
}

static attn_status read_file(attn_container *container, size_t file, const attn_map *shards, attn_error *error)
{
    header_reader reader = {.container = container, .file = file, .shards = shards};
    attn_bytes header;
    attn_status status = split(container->files[file].bytes, &header, &reader.data, error);
    if (status != ATTN_OK)
        return status;
    reader.json = attn_json_open(header, container->files[file].name, error);
    if (reader.json == NULL)
        return ATTN_ENOMEM;
    status = read_entries(&reader, error);
    if (status == ATTN_OK)
        status = check_layout(&reader, error);
    attn_json_close(reader.json);
    attn_extents_free(&reader.extents);
    attn_free(reader.names);
    return status;
}

static attn_status open_file(attn_container *container, attn_error *error)
{
    return read_file(container, 0, NULL, error);
}

const attn_format attn_format_safetensors = {.name = "safetensors",
                                             .ending = ".safetensors",
                                             .holds_weights = true,
                                             .sniff = sniff,
                                             .open = open_file,
                                             .read = read_file};
