/* gguf.c: GGUF versions 2 and 3, the files of llama.cpp: metadata and tensors. Used by container.c; must not know what
 * they mean.
 *
 *   | GGUF | version u32 | n_tensors u64 | n_keys u64 | keys … | tensors … | padding | numbers … |
 *   tensor: | name string | n_dims u32 | dims u64 … (innermost first) | type u32 | offset u64 |
 *
 * Offsets count from the numbers' beginning and are multiples of general.alignment. Big-endian files are refused by name.
 *
 * A model may be split in parts, NAME-00001-of-00003.gguf and so on: any of them opens all. Each is a file of its own,
 * with the keys split.no (from 0) and split.count; the other keys stand in the first. */
#include "config.h"

#include "formats/container_reader.h"
#include "formats/gguf_meta.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_ALIGNMENT = 32,
    MAX_GGUF_DIMS = 4,
    MIN_TENSOR = 24,    /* bytes of the smallest description */
    MOST_PARTS = 99999, /* five digits of a name */
    MOST_NAMED = 3      /* parts that are missing, in a message */
};

/* ggml's numbers of types. Those that it uses for activations only, and never in a file, have N_DTYPES. */
static const struct tensor_type {
    uint32_t number;
    const char *name;
    attn_dtype dtype;
} types[] = {
    {0, "F32", ATTN_F32},        {1, "F16", ATTN_F16},          {2, "Q4_0", ATTN_Q4_0},
    {3, "Q4_1", ATTN_Q4_1},      {6, "Q5_0", ATTN_Q5_0},        {7, "Q5_1", ATTN_Q5_1},
    {8, "Q8_0", ATTN_Q8_0},      {9, "Q8_1", ATTN_N_DTYPES},    {10, "Q2_K", ATTN_Q2_K},
    {11, "Q3_K", ATTN_Q3_K},     {12, "Q4_K", ATTN_Q4_K},       {13, "Q5_K", ATTN_Q5_K},
    {14, "Q6_K", ATTN_Q6_K},     {15, "Q8_K", ATTN_N_DTYPES},   {16, "IQ2_XXS", ATTN_IQ2_XXS},
    {17, "IQ2_XS", ATTN_IQ2_XS}, {18, "IQ3_XXS", ATTN_IQ3_XXS}, {19, "IQ1_S", ATTN_IQ1_S},
    {20, "IQ4_NL", ATTN_IQ4_NL}, {21, "IQ3_S", ATTN_IQ3_S},     {22, "IQ2_S", ATTN_IQ2_S},
    {23, "IQ4_XS", ATTN_IQ4_XS}, {24, "I8", ATTN_I8},           {25, "I16", ATTN_I16},
    {26, "I32", ATTN_I32},       {27, "I64", ATTN_I64},         {28, "F64", ATTN_F64},
    {29, "IQ1_M", ATTN_IQ1_M},   {30, "BF16", ATTN_BF16},       {34, "TQ1_0", ATTN_TQ1_0},
    {35, "TQ2_0", ATTN_TQ2_0},   {39, "MXFP4", ATTN_MXFP4},     {40, "NVFP4", ATTN_NVFP4},
    {41, "Q1_0", ATTN_Q1_0},     {42, "Q2_0", ATTN_Q2_0},
};

typedef struct gguf_info { /* one tensor's description */
    const char *name;
    size_t n_dims, shape[ATTN_MAX_DIMS]; /* outermost first */
    attn_dtype dtype;
    uint64_t offset;
    size_t bytes;
} gguf_info;

typedef struct gguf_reader { /* of one file */
    attn_container *container;
    size_t file; /* index of container->files */
    attn_cursor cursor;
    uint64_t alignment;
    gguf_info *infos; /* owned; [n_infos] */
    size_t n_infos, capacity;
} gguf_reader;

static bool sniff(attn_bytes bytes)
{
    return bytes.size >= 4 && memcmp(bytes.data, "GGUF", 4) == 0;
}

static attn_status read_counts(attn_cursor *cursor, uint64_t *n_tensors, uint64_t *n_keys, attn_error *error)
{
    uint32_t version;
    if (!attn_cursor_skip(cursor, 4) || !attn_cursor_u32(cursor, &version))
        return attn_gguf_fail_short(cursor, "a GGUF header", error);
    if (version != 0 && (version & 0xffffu) == 0)
        return attn_fail(error, ATTN_EUNSUPPORTED, "it is a big-endian GGUF file; attn reads little-endian ones");
    if (version != 2 && version != 3)
        return attn_fail(error, ATTN_EUNSUPPORTED, "its GGUF version is %" PRIu32 "; attn reads versions 2 and 3",
                         version);
    if (!attn_cursor_u64(cursor, n_tensors) || !attn_cursor_u64(cursor, n_keys))
        return attn_gguf_fail_short(cursor, "a GGUF header", error);
    if (*n_tensors > attn_cursor_left(cursor) / MIN_TENSOR)
        return attn_fail(error, ATTN_EDATA, "the file claims %" PRIu64 " tensors, but only %zu bytes are left",
                         *n_tensors, attn_cursor_left(cursor));
    return ATTN_OK;
}

/* META has the file's keys. */
static attn_status check_alignment(gguf_reader *reader, const attn_container *meta, attn_error *error)
{
    const attn_meta *alignment = attn_container_meta(meta, "general.alignment");
    reader->alignment = DEFAULT_ALIGNMENT;
    if (alignment == NULL)
        return ATTN_OK;
    if (alignment->type != ATTN_META_U64 || alignment->u64 == 0 || alignment->u64 > UINT32_MAX ||
        (alignment->u64 & (alignment->u64 - 1)) != 0)
        return attn_fail(error, ATTN_EDATA, "general.alignment is %" PRIu64 "; expected a power of two",
                         alignment->u64);
    reader->alignment = alignment->u64;
    return ATTN_OK;
}

static attn_status read_dims(attn_cursor *cursor, gguf_info *info, attn_error *error)
{
    uint32_t n_dims;
    if (!attn_cursor_u32(cursor, &n_dims))
        return attn_gguf_fail_short(cursor, "the number of dimensions", error);
    if (n_dims < 1 || n_dims > MAX_GGUF_DIMS)
        return attn_fail_found(error, "1 to 4 dimensions", "%" PRIu32, n_dims);
    info->n_dims = n_dims;
    for (size_t i = n_dims; i-- > 0;) {
        uint64_t size;
        if (!attn_cursor_u64(cursor, &size))
            return attn_gguf_fail_short(cursor, "a dimension", error);
        if (size == 0 || size > PTRDIFF_MAX)
            return attn_fail_found(error, "a dimension that a file can have", "%" PRIu64, size);
        info->shape[i] = (size_t)size;
    }
    return ATTN_OK;
}

static attn_status read_type(attn_cursor *cursor, gguf_info *info, attn_error *error)
{
    uint32_t number;
    if (!attn_cursor_u32(cursor, &number))
        return attn_gguf_fail_short(cursor, "the type of a tensor", error);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].number != number)
            continue;
        if (types[i].dtype == ATTN_N_DTYPES)
            return attn_fail(error, ATTN_EUNSUPPORTED, "attn does not read its type %s", types[i].name);
        info->dtype = types[i].dtype;
        return ATTN_OK;
    }
    return attn_fail(error, ATTN_EUNSUPPORTED, "attn does not know its type, number %" PRIu32, number);
}

static attn_status read_place(const gguf_reader *reader, attn_cursor *cursor, gguf_info *info, attn_error *error)
{
    if (!attn_cursor_u64(cursor, &info->offset))
        return attn_gguf_fail_short(cursor, "the offset of a tensor", error);
    if (info->offset % reader->alignment != 0)
        return attn_fail(error, ATTN_EDATA, "its offset %" PRIu64 " is no multiple of the alignment %" PRIu64,
                         info->offset, reader->alignment);
    if (!attn_tensor_bytes(info->dtype, info->n_dims, info->shape, &info->bytes)) {
        if (info->shape[info->n_dims - 1] % attn_dtype_of(info->dtype)->block_elements != 0)
            return attn_fail(error, ATTN_EDATA, "its rows of %zu are no whole blocks of %s",
                             info->shape[info->n_dims - 1], attn_dtype_of(info->dtype)->name);
        return attn_fail(error, ATTN_EDATA, "its shape is too large for any file");
    }
    return ATTN_OK;
}

static attn_status read_info(gguf_reader *reader, gguf_info *info, attn_error *error)
{
    attn_cursor *cursor = &reader->cursor;
    attn_bytes name;
    attn_status status = attn_gguf_string(cursor, "the name of a tensor", &name, error);
    if (status == ATTN_OK)
        status = attn_container_name(reader->container, name, &info->name, error);
    if (status != ATTN_OK)
        return status;
    status = read_dims(cursor, info, error);
    if (status == ATTN_OK)
        status = read_type(cursor, info, error);
    if (status == ATTN_OK)
        status = read_place(reader, cursor, info, error);
    if (status != ATTN_OK)
        attn_error_prefix(error, "tensor '%s': ", info->name);
    return status;
}

static attn_status read_infos(gguf_reader *reader, uint64_t count, attn_error *error)
{
    if (count > attn_cursor_left(&reader->cursor) / MIN_TENSOR)
        return attn_gguf_fail_short(&reader->cursor, "the tensors that the header claims", error);
    for (uint64_t i = 0; i < count; i++) {
        void *infos = reader->infos;
        gguf_info info = {0};
        attn_status status = read_info(reader, &info, error);
        if (status != ATTN_OK)
            return status;
        if (!attn_grow(&infos, &reader->capacity, reader->n_infos, sizeof info))
            return attn_fail_memory(error);
        reader->infos = infos;
        reader->infos[reader->n_infos++] = info;
    }
    return ATTN_OK;
}

/* The numbers begin at the next multiple of the alignment; each tensor must lie within them. */
static attn_status place_infos(gguf_reader *reader, attn_extents *extents, attn_error *error)
{
    attn_bytes file = reader->cursor.bytes;
    uint64_t position = reader->cursor.position;
    uint64_t start = (position + reader->alignment - 1) / reader->alignment * reader->alignment;
    uint64_t size = start < file.size ? file.size - start : 0;
    for (size_t i = 0; i < reader->n_infos; i++) {
        const gguf_info *info = &reader->infos[i];
        attn_status status;
        if (info->offset > size || info->bytes > size - info->offset)
            return attn_fail(error, ATTN_EDATA,
                             "tensor '%s': its %zu bytes at %" PRIu64 " do not fit into the %" PRIu64
                             " that the file has for numbers",
                             info->name, info->bytes, info->offset, size);
        if (!attn_extents_add(extents, (attn_extent){info->offset, info->offset + info->bytes, i}))
            return attn_fail_memory(error);
        status = attn_container_add(
            reader->container, info->name,
            attn_tensor_make(file.data + start + info->offset, info->dtype, info->n_dims, info->shape),
            reader->container->files[reader->file].name, error);
        if (status != ATTN_OK)
            return status;
    }
    return ATTN_OK;
}

static attn_status place_all(gguf_reader *reader, attn_error *error)
{
    attn_extents extents = {0};
    size_t second;
    attn_status status = place_infos(reader, &extents, error);
    if (status == ATTN_OK && attn_extents_overlap(&extents, &second))
        status = attn_fail(error, ATTN_EDATA, "the tensors '%s' and '%s' overlap",
                           reader->infos[extents.items[second - 1].index].name,
                           reader->infos[extents.items[second].index].name);
    attn_extents_free(&extents);
    return status;
}

/* Reads the head of a file, its keys into META; READER goes on with the tensors. */
static attn_status read_head(gguf_reader *reader, attn_container *meta, uint64_t *n_tensors, attn_error *error)
{
    uint64_t n_keys;
    reader->cursor = attn_cursor_at(reader->container->files[reader->file].bytes);
    attn_status status = read_counts(&reader->cursor, n_tensors, &n_keys, error);
    if (status == ATTN_OK)
        status = attn_gguf_meta_read(meta, &reader->cursor, n_keys, error);
    return status == ATTN_OK ? check_alignment(reader, meta, error) : status;
}

static attn_status read_tensors(gguf_reader *reader, uint64_t n_tensors, attn_error *error)
{
    attn_status status = read_infos(reader, n_tensors, error);
    if (status == ATTN_OK)
        status = place_all(reader, error);
    attn_free(reader->infos);
    reader->infos = NULL;
    return status;
}

/* ---- models in parts ---- */

/* A count of META's; 0 where there is none. */
static uint64_t split_count(const attn_container *meta, const char *key)
{
    const attn_meta *found = attn_container_meta(meta, key);
    return found != NULL && (found->type == ATTN_META_U64 || found->type == ATTN_META_I64) ? found->u64 : 0;
}

/* Whether NAME ends as part PART (from 0) of COUNT does; *STEM is what stands before. */
static bool is_part(attn_bytes name, uint64_t part, uint64_t count, attn_bytes *stem)
{
    char end[64];
    snprintf(end, sizeof end, "-%05" PRIu64 "-of-%05" PRIu64 ".gguf", part + 1, count);
    if (!attn_bytes_end_with(name, end))
        return false;
    *stem = (attn_bytes){name.data, name.size - strlen(end)};
    return true;
}

/* The paths of all COUNT parts of files[0], which is part OWN, in the arena. */
static attn_status name_parts(attn_container *container, uint64_t own, uint64_t count, const char ***paths,
                              attn_error *error)
{
    enum { END = 64 };
    attn_bytes stem;
    if (!is_part(attn_bytes_of(container->files[0].name), own, count, &stem) || stem.size > INT_MAX) {
        attn_fail(error, ATTN_EDATA,
                  "it is part %" PRIu64 " of %" PRIu64 " parts of a model; expected a name that ends in -%05" PRIu64
                  "-of-%05" PRIu64 ".gguf, by which the others are found",
                  own + 1, count, own + 1, count);
        attn_error_hint(error, "llama-gguf-split --merge makes one file of them");
        return ATTN_EDATA;
    }
    *paths = attn_arena_alloc(&container->arena, (size_t)count, sizeof **paths);
    for (uint64_t i = 0; *paths != NULL && i < count; i++) {
        char *path = attn_arena_alloc(&container->arena, stem.size + END, 1);
        if (path == NULL)
            return attn_fail_memory(error);
        snprintf(path, stem.size + END, "%.*s-%05" PRIu64 "-of-%05" PRIu64 ".gguf", (int)stem.size,
                 (const char *)stem.data, i + 1, count);
        (*paths)[i] = path;
    }
    return *paths != NULL ? ATTN_OK : attn_fail_memory(error);
}

/* All parts that are not there, by name, before any is read. */
static attn_status check_parts(const char *const *paths, uint64_t count, attn_error *error)
{
    char names[512] = "";
    uint64_t missing = 0;
    for (uint64_t i = 0; i < count; i++) {
        const char *slash = strrchr(paths[i], '/');
        const size_t used = strlen(names);
        if (attn_path_exists(paths[i]))
            continue;
        if (missing++ < MOST_NAMED)
            snprintf(names + used, sizeof names - used, "%s'%.150s'", used > 0 ? ", " : "",
                     slash != NULL ? slash + 1 : paths[i]);
    }
    if (missing == 0)
        return ATTN_OK;
    attn_fail(error, ATTN_EIO, "it is one of %" PRIu64 " parts of a model, and %" PRIu64 " %s not beside it: %s%s",
              count, missing, missing == 1 ? "is" : "are", names, missing > MOST_NAMED ? " \xE2\x80\xA6" : "");
    return ATTN_EIO;
}

/* File READER->file as part PART of COUNT: META gets its keys. */
static attn_status read_part(gguf_reader *reader, attn_container *meta, uint64_t part, uint64_t count,
                             attn_error *error)
{
    uint64_t n_tensors;
    attn_status status = read_head(reader, meta, &n_tensors, error);
    if (status != ATTN_OK)
        return status;
    if (split_count(meta, "split.no") != part || split_count(meta, "split.count") != count)
        return attn_fail(error, ATTN_EDATA,
                         "by its name it is part %" PRIu64 " of %" PRIu64 ", by split.no and split.count %" PRIu64
                         " of %" PRIu64,
                         part + 1, count, split_count(meta, "split.no") + 1, split_count(meta, "split.count"));
    return read_tensors(reader, n_tensors, error);
}

/* Opens the parts that are not OWN, and reads all; the first becomes files[0], and its keys the container's. */
static attn_status read_parts(attn_container *container, const char *const *paths, uint64_t own, uint64_t count,
                              attn_error *error)
{
    attn_status status = ATTN_OK;
    for (uint64_t i = 0; i < count && status == ATTN_OK; i++) {
        gguf_reader reader = {.container = container, .file = i == own ? 0 : container->n_files};
        attn_container meta = {0}; /* of the others nothing but split.* counts */
        attn_file file;
        if (i != own) {
            status = attn_path_regular(paths[i], error); /* a FIFO would be waited for */
            if (status == ATTN_OK)
                status = attn_file_open(paths[i], container->files[0].list, &file, error);
            if (status == ATTN_OK)
                status = attn_container_add_file(container, &file, error);
        }
        if (status == ATTN_OK) {
            status = read_part(&reader, i == 0 ? container : &meta, i, count, error);
            if (status != ATTN_OK && status != ATTN_ENOMEM)
                attn_error_file(error, container->files[reader.file].name);
        }
        attn_container_close(&meta);
    }
    return status;
}

/* container->meta has the keys of files[0], which give way to those of the first part. */
static attn_status open_parts(attn_container *container, uint64_t count, attn_error *error)
{
    const uint64_t own = split_count(container, "split.no");
    const char **paths = NULL;
    if (count > MOST_PARTS || own >= count)
        return attn_fail(error, ATTN_EDATA,
                         "split.no is %" PRIu64 " and split.count %" PRIu64
                         "; expected a number below a count of up to %d",
                         own, count, MOST_PARTS);
    attn_status status = name_parts(container, own, count, &paths, error);
    if (status == ATTN_OK)
        status = check_parts(paths, count, error);
    container->n_meta = 0;
    if (status == ATTN_OK)
        status = read_parts(container, paths, own, count, error);
    if (status != ATTN_OK)
        return status;
    if (own > 0) {
        attn_file first = container->files[1]; /* opened before all others */
        container->files[1] = container->files[0];
        container->files[0] = first;
    }
    const uint64_t n_tensors = split_count(container, "split.tensors.count");
    if (n_tensors != 0 && n_tensors != container->n_tensors)
        return attn_fail(error, ATTN_EDATA, "split.tensors.count is %" PRIu64 ", but its parts hold %zu tensors",
                         n_tensors, container->n_tensors);
    return ATTN_OK;
}

static attn_status open_file(attn_container *container, attn_error *error)
{
    gguf_reader reader = {.container = container};
    uint64_t n_tensors;
    attn_status status = read_head(&reader, container, &n_tensors, error);
    if (status != ATTN_OK)
        return status;
    const uint64_t n_parts = split_count(container, "split.count");
    return n_parts > 1 ? open_parts(container, n_parts, error) : read_tensors(&reader, n_tensors, error);
}

const attn_format attn_format_gguf = {.name = "gguf",
                                      .ending = ".gguf",
                                      .holds_model = true,
                                      .holds_vocabulary = true,
                                      .sniff = sniff,
                                      .open = open_file};
