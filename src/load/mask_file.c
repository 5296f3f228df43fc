/* mask_file.c: see mask_file.h. Used by the command line and the toy loader. */
#include "config.h"

#include "load/mask_file.h"
#include "formats/container.h"

#include <math.h>
#include <string.h>

typedef struct mask_reader {
    attn_json *json;
    float *values; /* owned; grows */
    size_t count, capacity;
    size_t n_keys; /* of a row; 0: none read yet */
    size_t n_rows; /* of a head */
    size_t n_heads;
    bool zero, one, other; /* what entries there are */
} mask_reader;

/* Keep and hide, or hide and keep, or numbers to add: programs differ, and a silent guess is wrong for someone. */
static const char zero_and_one[] =
    "the mask holds only 0 and 1: expected booleans (true keeps, false hides) or numbers "
    "to add to the scores (0 keeps, %s hides)";

static bool read_entry(mask_reader *reader, float *value)
{
    bool keep;
    switch (attn_json_peek(reader->json)) {
    case ATTN_JSON_BOOL:
        if (!attn_json_bool(reader->json, &keep))
            return false;
        *value = keep ? 0 : -INFINITY;
        reader->other = true;
        return true;
    case ATTN_JSON_NULL:
        *value = -INFINITY;
        reader->other = true;
        return attn_json_null(reader->json);
    case ATTN_JSON_NUMBER:
        if (!attn_json_f32(reader->json, value))
            return false;
        reader->zero = reader->zero || *value == 0;
        reader->one = reader->one || *value == 1;
        reader->other = reader->other || (*value != 0 && *value != 1);
        return true;
    default:
        attn_json_fail(reader->json, "a mask holds true, false, null and numbers");
        return false;
    }
}

static bool keep_value(mask_reader *reader, float value)
{
    void *values = reader->values;
    if (!attn_grow(&values, &reader->capacity, reader->count, sizeof value))
        return attn_json_refuse_memory(reader->json);
    reader->values = values;
    reader->values[reader->count++] = value;
    return true;
}

/* The entries of a row whose array is entered; AT_ENTRY: its first element already is. */
static bool read_row(mask_reader *reader, bool at_entry)
{
    size_t n = 0;
    while (at_entry || attn_json_element(reader->json)) {
        float value;
        if (!read_entry(reader, &value) || !keep_value(reader, value))
            return false;
        at_entry = false;
        n++;
    }
    if (attn_json_status(reader->json) != ATTN_OK)
        return false;
    if (n == 0 || (reader->n_keys > 0 && n != reader->n_keys)) {
        attn_json_fail(reader->json, "mask: expected rows of %zu, found one of %zu",
                       reader->n_keys > 0 ? reader->n_keys : 1, n);
        return false;
    }
    reader->n_keys = n;
    return true;
}

/* The rows that are left of a head whose array is entered; ROWS were read, AT_ROW: the next is at hand. */
static bool read_rows(mask_reader *reader, size_t rows, bool at_row)
{
    while (at_row || attn_json_element(reader->json)) {
        if (!attn_json_array(reader->json) || !read_row(reader, false))
            return false;
        at_row = false;
        rows++;
    }
    if (attn_json_status(reader->json) != ATTN_OK)
        return false;
    if (rows == 0 || (reader->n_heads > 0 && rows != reader->n_rows)) {
        attn_json_fail(reader->json, "mask: expected %zu rows a head, found %zu",
                       reader->n_heads > 0 ? reader->n_rows : 1, rows);
        return false;
    }
    reader->n_rows = rows;
    reader->n_heads++;
    return true;
}

/* Two levels of arrays, or three: what the second level holds tells. The first is entered, its first element at
 * hand. */
static bool read_heads(mask_reader *reader)
{
    attn_json *json = reader->json;
    if (!attn_json_array(json))
        return false;
    bool entry = attn_json_element(json);
    if (!entry || attn_json_peek(json) != ATTN_JSON_ARRAY)
        return read_row(reader, entry) && read_rows(reader, 1, false);
    if (!read_rows(reader, 0, true))
        return false;
    while (attn_json_element(json))
        if (!attn_json_array(json) || !read_rows(reader, 0, false))
            return false;
    return attn_json_status(json) == ATTN_OK;
}

static bool finish(mask_reader *reader, attn_arena *arena, attn_mask_file *mask)
{
    if (reader->zero && reader->one && !reader->other) {
        attn_json_fail(reader->json, zero_and_one, "null");
        return false;
    }
    float *values = attn_arena_alloc(arena, reader->count, sizeof *values);
    if (values == NULL)
        return attn_json_refuse_memory(reader->json);
    memcpy(values, reader->values, reader->count * sizeof *values);
    mask->matrix = (attn_mask_matrix){values, reader->n_heads, reader->n_rows, reader->n_keys};
    return true;
}

bool attn_mask_file_json(attn_json *json, attn_arena *arena, attn_mask_file *mask)
{
    if (!attn_json_array(json))
        return false;
    if (!attn_json_element(json)) {
        attn_json_fail(json, "a mask needs at least one row");
        return false;
    }
    return attn_mask_file_json_rest(json, arena, mask);
}

bool attn_mask_file_json_rest(attn_json *json, attn_arena *arena, attn_mask_file *mask)
{
    mask_reader reader = {.json = json};
    bool done = read_heads(&reader) && finish(&reader, arena, mask);
    attn_free(reader.values);
    return done;
}

static attn_status from_json(attn_file *file, attn_arena *arena, attn_mask_file *mask, attn_error *error)
{
    attn_json *json = attn_json_open(file->bytes, file->name, error);
    if (json == NULL) {
        attn_file_close(file);
        return ATTN_ENOMEM;
    }
    if (attn_mask_file_json(json, arena, mask))
        attn_json_end(json);
    attn_status status = attn_json_status(json);
    attn_json_close(json);
    attn_file_close(file);
    return status;
}

/* A tensor's numbers as a mask. */
static attn_status from_tensor(const attn_tensor *tensor, attn_arena *arena, attn_mask_file *mask, attn_error *error)
{
    attn_tensor row;
    if (tensor->n_dims == 1 && attn_tensor_as_matrix(tensor, &row))
        return from_tensor(&row, arena, mask, error);
    size_t n = tensor->n_dims, count;
    bool zero = false, one = false, other = tensor->dtype == ATTN_BOOL;
    if ((n != 2 && n != 3) || !attn_tensor_count(tensor, &count) || count == 0)
        return attn_fail(error, ATTN_EDATA, "a mask has the shape [queries][keys] or [heads][queries][keys]");
    float *values = attn_arena_alloc(arena, count, sizeof *values);
    if (values == NULL)
        return attn_fail_memory(error);
    attn_tensor_to_f32(tensor, values);
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]) || values[i] == INFINITY)
            return attn_fail(error, ATTN_EDATA, "number %zu of the mask is NaN or infinity", i);
        zero = zero || values[i] == 0;
        one = one || values[i] == 1;
        other = other || (values[i] != 0 && values[i] != 1);
        if (tensor->dtype == ATTN_BOOL)
            values[i] = values[i] != 0 ? 0 : -INFINITY;
    }
    if (zero && one && !other)
        return attn_fail(error, ATTN_EDATA, zero_and_one, "-inf");
    mask->matrix =
        (attn_mask_matrix){values, n == 3 ? tensor->shape[0] : 1, tensor->shape[n - 2], tensor->shape[n - 1]};
    return ATTN_OK;
}

attn_status attn_mask_file_read(const char *path, attn_file_list *files, attn_arena *arena, attn_mask_file *mask,
                                attn_error *error)
{
    attn_container container;
    attn_file file;
    attn_status status = attn_file_open(path, files, &file, error);
    if (status != ATTN_OK)
        return status;
    if (attn_json_first(file.bytes) == '[')
        return from_json(&file, arena, mask, error);
    status = attn_container_take(&file, &container, error);
    if (status != ATTN_OK)
        return status;
    if (container.n_tensors != 1)
        status = attn_fail(error, ATTN_EDATA, "a mask file holds one array, this one %zu", container.n_tensors);
    else
        status = from_tensor(&container.tensors[0].tensor, arena, mask, error);
    attn_container_close(&container);
    if (status != ATTN_OK)
        attn_error_file(error, path);
    return status;
}
