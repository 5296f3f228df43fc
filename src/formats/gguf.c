/* gguf.c: GGUF versions 2 and 3, the files of llama.cpp: metadata and tensors. Used by container.c; must not know what
 * they mean.
 *
 *   | GGUF | version u32 | n_tensors u64 | n_keys u64 | keys … | tensors … | padding | numbers … |
 *   tensor: | name string | n_dims u32 | dims u64 … (innermost first) | type u32 | offset u64 |
 *
 * Offsets count from the numbers' beginning and are multiples of general.alignment. Big-endian files and files split in
 * parts are refused by name. */
#include "config.h"

#include "formats/container_reader.h"
#include "formats/gguf_meta.h"

#include <inttypes.h>

enum {
    DEFAULT_ALIGNMENT = 32,
    MAX_GGUF_DIMS = 4,
    MIN_TENSOR = 24 /* bytes of the smallest description */
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

typedef struct gguf_reader {
    attn_container *container;
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

static attn_status check_meta(gguf_reader *reader, attn_error *error)
{
    const attn_meta *alignment = attn_container_meta(reader->container, "general.alignment");
    const attn_meta *parts = attn_container_meta(reader->container, "split.count");
    reader->alignment = DEFAULT_ALIGNMENT;
    if (alignment != NULL) {
        if (alignment->type != ATTN_META_U64 || alignment->u64 == 0 || alignment->u64 > UINT32_MAX ||
            (alignment->u64 & (alignment->u64 - 1)) != 0)
            return attn_fail(error, ATTN_EDATA, "general.alignment is %" PRIu64 "; expected a power of two",
                             alignment->u64);
        reader->alignment = alignment->u64;
    }
    if (parts != NULL && parts->u64 > 1)
        return attn_fail(error, ATTN_EUNSUPPORTED,
                         "it is one of %" PRIu64 " parts of a model; join them first "
                         "(llama-gguf-split --merge)",
                         parts->u64);
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
            reader->container->files[0].name, error);
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

static attn_status open_file(attn_container *container, attn_error *error)
{
    gguf_reader reader = {.container = container, .cursor = attn_cursor_at(container->files[0].bytes)};
    uint64_t n_tensors, n_keys;
    attn_status status = read_counts(&reader.cursor, &n_tensors, &n_keys, error);
    if (status == ATTN_OK)
        status = attn_gguf_meta_read(container, &reader.cursor, n_keys, error);
    if (status == ATTN_OK)
        status = check_meta(&reader, error);
    if (status == ATTN_OK)
        status = read_infos(&reader, n_tensors, error);
    if (status == ATTN_OK)
        status = place_all(&reader, error);
    attn_free(reader.infos);
    return status;
}

const attn_format attn_format_gguf = {.name = "gguf",
                                      .ending = ".gguf",
                                      .holds_model = true,
                                      .holds_vocabulary = true,
                                      .sniff = sniff,
                                      .open = open_file};
