/* gguf_meta.c: GGUF's metadata: keys with typed values and arrays of them. Used by gguf.c; must not know what a key
 * means.
 *
 *   | key string | type u32 | value |     array: | type u32 | count u64 | values … | */
#include "config.h"

#include "formats/gguf_meta.h"

#include <inttypes.h>

enum { TYPE_STRING = 8, TYPE_ARRAY = 9, MIN_ENTRY = 13 /* bytes of the smallest key and value */ };

/* GGUF's value types by number. */
static const struct value_type {
    attn_meta_type type;
    attn_dtype dtype; /* numbers and booleans */
} types[] = {
    {ATTN_META_U64, ATTN_U8},    {ATTN_META_I64, ATTN_I8},   {ATTN_META_U64, ATTN_U16}, {ATTN_META_I64, ATTN_I16},
    {ATTN_META_U64, ATTN_U32},   {ATTN_META_I64, ATTN_I32},  {ATTN_META_F64, ATTN_F32}, {ATTN_META_BOOL, ATTN_BOOL},
    {ATTN_META_STRING, ATTN_U8}, {ATTN_META_ARRAY, ATTN_U8}, {ATTN_META_U64, ATTN_U64}, {ATTN_META_I64, ATTN_I64},
    {ATTN_META_F64, ATTN_F64},
};

enum { N_TYPES = sizeof types / sizeof *types };

attn_status attn_gguf_fail_short(const attn_cursor *cursor, const char *what, attn_error *error)
{
    attn_fail_found(error, what, "the end of the file");
    attn_error_offset(error, cursor->position);
    return ATTN_EDATA;
}

attn_status attn_gguf_string(attn_cursor *cursor, const char *what, attn_bytes *string, attn_error *error)
{
    uint64_t length;
    if (!attn_cursor_u64(cursor, &length))
        return attn_gguf_fail_short(cursor, what, error);
    if (attn_cursor_take(cursor, length, string))
        return ATTN_OK;
    attn_fail(error, ATTN_EDATA, "%s has %" PRIu64 " bytes, but only %zu are left", what, length,
              attn_cursor_left(cursor));
    attn_error_offset(error, cursor->position - 8);
    return ATTN_EDATA;
}

static attn_status read_type(attn_cursor *cursor, uint32_t *number, attn_error *error)
{
    if (!attn_cursor_u32(cursor, number))
        return attn_gguf_fail_short(cursor, "the type of a value", error);
    if (*number < N_TYPES)
        return ATTN_OK;
    attn_fail_found(error, "a value type from 0 to 12", "%" PRIu32, *number);
    attn_error_offset(error, cursor->position - 4);
    return ATTN_EDATA;
}

static uint64_t load(const uint8_t *data, size_t bytes)
{
    switch (bytes) {
    case 1:
        return data[0];
    case 2:
        return attn_load_u16(data);
    case 4:
        return attn_load_u32(data);
    default:
        return attn_load_u64(data);
    }
}

/* DATA is one number of DTYPE. */
static void set_number(attn_meta *meta, attn_dtype dtype, const uint8_t *data)
{
    size_t bytes = attn_dtype_of(dtype)->block_bytes;
    uint64_t bits = load(data, bytes);
    if (meta->type == ATTN_META_F64) {
        meta->f64 = dtype == ATTN_F32 ? (double)attn_load_f32(data) : attn_load_f64(data);
    } else if (meta->type == ATTN_META_I64) {
        unsigned spare = (unsigned)(64 - 8 * bytes);
        meta->i64 = (int64_t)(bits << spare) >> spare; /* the sign comes down */
        meta->u64 = meta->i64 >= 0 ? (uint64_t)meta->i64 : 0;
        meta->f64 = (double)meta->i64;
    } else {
        meta->u64 = bits;
        meta->i64 = bits <= INT64_MAX ? (int64_t)bits : INT64_MAX;
        meta->f64 = (double)bits;
    }
}

static attn_status read_number(attn_cursor *cursor, attn_meta *meta, attn_dtype dtype, attn_error *error)
{
    attn_bytes data;
    if (!attn_cursor_take(cursor, attn_dtype_of(dtype)->block_bytes, &data))
        return attn_gguf_fail_short(cursor, "a value", error);
    set_number(meta, dtype, data.data);
    if (meta->type != ATTN_META_BOOL)
        return ATTN_OK;
    meta->boolean = meta->u64 != 0;
    if (meta->u64 <= 1)
        return ATTN_OK;
    attn_fail_found(error, "0 or 1 for a boolean", "%" PRIu64, meta->u64);
    attn_error_offset(error, cursor->position - 1);
    return ATTN_EDATA;
}

static attn_status read_strings(attn_container *container, attn_cursor *cursor, attn_meta *meta, attn_error *error)
{
    attn_bytes *strings = attn_arena_alloc(&container->arena, meta->n_elements, sizeof *strings);
    if (strings == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < meta->n_elements; i++) {
        attn_status status = attn_gguf_string(cursor, "a string", &strings[i], error);
        if (status != ATTN_OK)
            return status;
    }
    meta->strings = strings;
    return ATTN_OK;
}

static attn_status read_array(attn_container *container, attn_cursor *cursor, attn_meta *meta, attn_error *error)
{
    uint32_t number;
    uint64_t count;
    attn_bytes data;
    attn_status status = read_type(cursor, &number, error);
    if (status != ATTN_OK)
        return status;
    if (number == TYPE_ARRAY)
        return attn_fail(error, ATTN_EUNSUPPORTED, "an array of arrays is not read");
    if (!attn_cursor_u64(cursor, &count))
        return attn_gguf_fail_short(cursor, "the length of an array", error);
    size_t smallest = number == TYPE_STRING ? 8 : attn_dtype_of(types[number].dtype)->block_bytes;
    if (count > attn_cursor_left(cursor) / smallest) {
        attn_fail(error, ATTN_EDATA, "an array has %" PRIu64 " elements, but only %zu bytes are left", count,
                  attn_cursor_left(cursor));
        attn_error_offset(error, cursor->position - 8);
        return ATTN_EDATA;
    }
    meta->element = types[number].type;
    meta->n_elements = (size_t)count;
    if (number == TYPE_STRING)
        return read_strings(container, cursor, meta, error);
    attn_tensor *numbers = attn_arena_alloc(&container->arena, 1, sizeof *numbers);
    if (numbers == NULL)
        return attn_fail_memory(error);
    attn_cursor_take(cursor, count * smallest, &data);
    *numbers = attn_tensor_make(data.data, types[number].dtype, 1, &meta->n_elements);
    meta->numbers = numbers;
    return ATTN_OK;
}

static attn_status read_entry(attn_container *container, attn_cursor *cursor, attn_meta *meta, attn_error *error)
{
    uint32_t number;
    attn_status status = attn_gguf_string(cursor, "a key", &meta->key, error);
    if (status == ATTN_OK)
        status = read_type(cursor, &number, error);
    if (status != ATTN_OK)
        return status;
    meta->type = types[number].type;
    if (number == TYPE_STRING)
        status = attn_gguf_string(cursor, "a string", &meta->string, error);
    else if (number == TYPE_ARRAY)
        status = read_array(container, cursor, meta, error);
    else
        status = read_number(cursor, meta, types[number].dtype, error);
    if (status != ATTN_OK && status != ATTN_ENOMEM)
        attn_error_prefix(error, "key '%.*s': ", (int)(meta->key.size < 64 ? meta->key.size : 64),
                          (const char *)meta->key.data);
    return status;
}

static attn_status add_entry(attn_container *container, attn_cursor *cursor, attn_map *keys, attn_error *error)
{
    void *entries = container->meta;
    attn_meta meta = {0};
    attn_status status = read_entry(container, cursor, &meta, error);
    if (status != ATTN_OK)
        return status;
    switch (attn_map_add(keys, meta.key, container->n_meta)) {
    case ATTN_MAP_NOMEM:
        return attn_fail_memory(error);
    case ATTN_MAP_PRESENT:
        return attn_fail(error, ATTN_EDATA, "the key '%.*s' is there twice",
                         (int)(meta.key.size < 64 ? meta.key.size : 64), (const char *)meta.key.data);
    case ATTN_MAP_ADDED:
        break;
    }
    if (!attn_grow(&entries, &container->meta_capacity, container->n_meta, sizeof meta))
        return attn_fail_memory(error);
    container->meta = entries;
    container->meta[container->n_meta++] = meta;
    return ATTN_OK;
}

attn_status attn_gguf_meta_read(attn_container *container, attn_cursor *cursor, uint64_t count, attn_error *error)
{
    attn_map keys = {0};
    attn_status status = ATTN_OK;
    if (count > attn_cursor_left(cursor) / MIN_ENTRY)
        return attn_fail(error, ATTN_EDATA, "the file claims %" PRIu64 " keys, but only %zu bytes are left", count,
                         attn_cursor_left(cursor));
    for (uint64_t i = 0; i < count && status == ATTN_OK; i++)
        status = add_entry(container, cursor, &keys, error);
    attn_map_free(&keys);
    return status;
}
