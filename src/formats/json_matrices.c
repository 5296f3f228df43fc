/* json_matrices.c: JSON as a container: an object whose members are matrices (rows of numbers) or vectors, by name, or
 * one bare matrix, whose name is "". A member "comment" that is a string is passed over. A row of container.c's table;
 * knows nothing of what the names mean (a toy model is read in load/). */
#include "config.h"

#include "base/json.h"
#include "formats/container_reader.h"

#include <string.h>

static bool sniff(attn_bytes bytes)
{
    int first = attn_json_first(bytes);
    return first == '{' || first == '[';
}

/* Reads the next value as the tensor NAME; its numbers go to the container's arena. */
static attn_status read_tensor(attn_json *json, const char *name, attn_container *container, attn_error *error)
{
    attn_json_numbers numbers;
    if (!attn_json_matrix(json, name[0] != '\0' ? name : NULL, 0, &numbers))
        return attn_json_status(json);
    if (!attn_arena_adopt(&container->arena, numbers.values)) {
        attn_free(numbers.values);
        return attn_fail_memory(error);
    }
    attn_tensor tensor = attn_tensor_f32(numbers.values, numbers.n_rows, numbers.n_columns);
    if (numbers.rank == 1)
        tensor = attn_tensor_at(tensor, 0);
    return attn_container_add(container, name, tensor, container->files[0].name, error);
}

/* Keys of a toy model, which is no container: who gives one here wants -m. */
static bool is_of_a_toy(const char *key)
{
    return strcmp(key, "words") == 0 || strcmp(key, "axes") == 0 || strcmp(key, "layers") == 0 ||
           strcmp(key, "vocab") == 0;
}

static attn_status read_members(attn_json *json, attn_container *container, attn_error *error)
{
    attn_status status = ATTN_OK;
    attn_bytes key;
    const char *name = NULL;
    if (!attn_json_object(json))
        return attn_json_status(json);
    while (status == ATTN_OK && attn_json_key(json, &key)) {
        if (attn_bytes_are(key, "comment") && attn_json_peek(json) == ATTN_JSON_STRING) {
            attn_json_skip(json);
            continue;
        }
        status = attn_container_name(container, key, &name, error);
        if (status == ATTN_OK)
            status = read_tensor(json, name, container, error);
        if (status != ATTN_OK && name != NULL && is_of_a_toy(name))
            attn_error_hint(error, "a whole toy model is given with -m");
    }
    if (status == ATTN_OK)
        status = attn_json_status(json);
    if (status == ATTN_OK && container->n_tensors == 0)
        status = attn_json_fail(json, "expected matrices by name, found an object without any");
    return status;
}

static attn_status open_json(attn_container *container, attn_error *error)
{
    attn_file *file = &container->files[0];
    attn_json *json = attn_json_open(file->bytes, file->name, error);
    attn_status status;
    if (json == NULL)
        return ATTN_ENOMEM;
    if (attn_json_peek(json) == ATTN_JSON_ARRAY)
        status = read_tensor(json, "", container, error);
    else
        status = read_members(json, container, error);
    if (status == ATTN_OK)
        status = attn_json_end(json);
    attn_json_close(json);
    if (status == ATTN_OK)
        attn_file_forget(file);
    return status;
}

const attn_format attn_format_json = {
    .name = "json", .ending = ".json", .may_be_toy = true, .in_out = true, .sniff = sniff, .open = open_json};
