/* safetensors_index.c: model.safetensors.index.json: which shard each tensor lies in. Used by container.c.
 *
 * The index decides: of each shard only the tensors that the index maps to it are taken, every tensor of the index must
 * be there, and files it does not name are never opened. */
#include "config.h"

#include "formats/container_reader.h"

#include "base/foreign.h"
#include "base/json.h"

#include <string.h>

static bool sniff(attn_bytes bytes)
{
    static const char key[] = "\"weight_map\"";
    const size_t length = sizeof key - 1;
    if (bytes.size < length || memchr("\xef{ \t\r\n", bytes.data[0], 6) == NULL || attn_foreign_is_toy(bytes))
        return false;
    const uint8_t *at = bytes.data, *end = bytes.data + bytes.size - length;
    while (at <= end && (at = memchr(at, '"', (size_t)(end - at) + 1)) != NULL) { /* any metadata may come before it */
        if (memcmp(at, key, length) == 0)
            return true;
        at++;
    }
    return false;
}

typedef struct shard_index {
    attn_map shards; /* from a tensor's name to its shard's place in container->files */
    attn_map places; /* from a shard's file name to the same; the names of both lie in the container's arena */
} shard_index;

static attn_status keep_text(attn_container *container, attn_bytes text, attn_bytes *kept, attn_error *error)
{
    const char *copy;
    attn_status status = attn_container_name(container, text, &copy, error);
    if (status == ATTN_OK)
        *kept = (attn_bytes){(const uint8_t *)copy, text.size};
    return status;
}

/* The place of the shard NAME, which is noted when it is new. Place 0 is the index file's own. */
static attn_status place_of(attn_container *container, shard_index *list, attn_bytes name, size_t *place,
                            attn_error *error)
{
    attn_bytes kept;
    if (attn_map_find(&list->places, name, place))
        return ATTN_OK;
    if (name.size == 0 || memchr(name.data, '/', name.size) != NULL || attn_bytes_are(name, "..") ||
        attn_bytes_are(name, ".") || attn_bytes_are(name, "-"))
        return attn_fail(error, ATTN_EDATA, "the shard '%.*s' is not the name of a file beside the index",
                         (int)(name.size < 200 ? name.size : 200), (const char *)name.data);
    attn_status status = keep_text(container, name, &kept, error);
    if (status != ATTN_OK)
        return status;
    *place = list->places.count + 1;
    if (attn_map_add(&list->places, kept, *place) == ATTN_MAP_NOMEM)
        return attn_fail_memory(error);
    return ATTN_OK;
}

static attn_status read_map(attn_container *container, attn_json *json, shard_index *list, attn_error *error)
{
    attn_bytes name, shard;
    if (!attn_json_object(json))
        return attn_json_status(json);
    while (attn_json_key(json, &name)) {
        attn_bytes kept;
        size_t place;
        attn_status status = keep_text(container, name, &kept, error);
        if (status != ATTN_OK)
            return status;
        if (!attn_json_string(json, &shard))
            return attn_json_status(json);
        status = place_of(container, list, shard, &place, error);
        if (status != ATTN_OK)
            return status;
        if (attn_map_add(&list->shards, kept, place) == ATTN_MAP_NOMEM)
            return attn_fail_memory(error);
    }
    return attn_json_status(json);
}

static attn_status read_index(attn_container *container, attn_json *json, shard_index *list, attn_error *error)
{
    bool found = false;
    attn_bytes key;
    if (!attn_json_object(json))
        return attn_json_status(json);
    while (attn_json_key(json, &key)) {
        if (attn_bytes_are(key, "weight_map")) {
            attn_status status = read_map(container, json, list, error);
            if (status != ATTN_OK)
                return status;
            found = true;
        } else if (!attn_json_skip(json)) {
            return attn_json_status(json);
        }
    }
    if (attn_json_end(json) != ATTN_OK)
        return attn_json_status(json);
    return found ? ATTN_OK : attn_fail(error, ATTN_EDATA, "it has no \"weight_map\"");
}

static attn_status open_shard(attn_container *container, attn_bytes name, const attn_map *shards, attn_error *error)
{
    char *path = attn_path_beside(container->files[0].name, (const char *)name.data);
    attn_file file;
    if (path == NULL)
        return attn_fail_memory(error);
    attn_status status = attn_path_regular(path, error); /* a FIFO would be waited for, and can not be mapped */
    if (status == ATTN_OK)
        status = attn_file_open(path, container->files[0].list, &file, error);
    attn_free(path);
    if (status == ATTN_OK)
        status = attn_container_add_file(container, &file, error);
    if (status != ATTN_OK)
        return status;
    const attn_file *shard = &container->files[container->n_files - 1];
    const attn_format *format = attn_format_of_file(shard);
    if (format == NULL || format->read == NULL)
        status = attn_fail(error, ATTN_EDATA, "it is a shard in the index, but of no format that has shards");
    else
        status = format->read(container, container->n_files - 1, shards, error);
    if (status != ATTN_OK)
        attn_error_file(error, shard->name);
    else
        container->format = format; /* what holds the numbers */
    return status;
}

static attn_status open_shards(attn_container *container, const shard_index *list, attn_error *error)
{
    for (size_t i = 0; i < list->places.count; i++) {
        attn_status status = open_shard(container, attn_map_key(&list->places.entries[i]), &list->shards, error);
        if (status != ATTN_OK)
            return status;
    }
    for (size_t i = 0; i < list->shards.count; i++) {
        const attn_map_entry *tensor = &list->shards.entries[i];
        const char *name = (const char *)tensor->data;
        if (attn_container_find(container, name) == NULL)
            return attn_fail(error, ATTN_EDATA, "tensor '%s' is not in '%s', where the index puts it", name,
                             container->files[tensor->value].name);
    }
    return ATTN_OK;
}

static attn_status open_file(attn_container *container, attn_error *error)
{
    shard_index list = {0};
    attn_json *json = attn_json_open(container->files[0].bytes, container->files[0].name, error);
    attn_status status = json == NULL ? ATTN_ENOMEM : read_index(container, json, &list, error);
    attn_json_close(json);
    if (status == ATTN_OK)
        status = open_shards(container, &list, error);
    attn_map_free(&list.shards);
    attn_map_free(&list.places);
    return status;
}

const attn_format attn_format_safetensors_index = {.name = "safetensors",
                                                   .ending = ".safetensors.index.json",
                                                   .holds_weights = true,
                                                   .sniff = sniff,
                                                   .open = open_file};
