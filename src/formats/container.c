/* container.c: the list of formats, and what all containers share. Used by load/, cli/ (masks) and tests; must not know
 * what the tensors mean. */
#include "config.h"

#include "formats/container_reader.h"

#include "base/buffer.h"
#include "base/foreign.h"
#include "base/suggest.h"

/* Asked from the first to the last. */
static const attn_format *const formats[] = {
    &attn_format_gguf,    &attn_format_npy,         &attn_format_torch,
    &attn_format_npz,     &attn_format_safetensors, &attn_format_safetensors_index,
    &attn_format_llama2c, &attn_format_json, /* any JSON: after those written in it */
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

const attn_format *attn_format_of(attn_bytes bytes)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i]->sniff(bytes))
            return formats[i];
    return NULL;
}

/* By the end of NAME, which must have more before it. */
static const attn_format *format_by_ending(attn_bytes name)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i]->ending != NULL && name.size > strlen(formats[i]->ending) &&
            attn_bytes_end_with(name, formats[i]->ending))
            return formats[i];
    return NULL;
}

const attn_format *attn_format_of_file(const attn_file *file)
{
    const attn_format *format = attn_format_of(file->bytes);
    return format != NULL ? format : format_by_ending(attn_bytes_of(file->name));
}

static attn_status fail_unknown(const attn_file *file, attn_error *error)
{
    attn_buffer names = {0};
    attn_status status;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (i == 0 || strcmp(formats[i]->name, formats[i - 1]->name) != 0)
            attn_buffer_format(&names, "%s%s", i > 0 ? ", " : "", formats[i]->name);
    attn_buffer_byte(&names, '\0');
    if (names.failed)
        status = attn_fail_memory(error);
    else if (file->bytes.size == 0)
        status = attn_fail(error, ATTN_EDATA, "the file is empty; expected one of %s", names.data);
    else
        status = attn_fail(error, ATTN_EDATA, "the content is of no known format; expected one of %s", names.data);
    attn_buffer_free(&names);
    return status;
}

attn_status attn_container_open(const char *path, attn_file_list *files, attn_container *container, attn_error *error)
{
    attn_file file;
    attn_status status = attn_file_open(path, files, &file, error);
    *container = (attn_container){0};
    return status == ATTN_OK ? attn_container_take(&file, container, error) : status;
}

attn_status attn_container_take(attn_file *file, attn_container *container, attn_error *error)
{
    *container = (attn_container){0};
    attn_status status = attn_container_add_file(container, file, error);
    if (status == ATTN_OK) {
        const attn_file *own = &container->files[0];
        container->format = attn_format_of_file(own);
        if (attn_format_of(own->bytes) == NULL)
            status = attn_foreign_refuse_data(own->bytes, error);
        if (status != ATTN_OK)
            attn_error_file(error, own->name);
        else if (container->format == NULL)
            status = fail_unknown(own, error);
        else
            status = container->format->open(container, error);
        if (status != ATTN_OK && status != ATTN_ENOMEM)
            attn_error_file(error, container->files[0].name);
    }
    if (status != ATTN_OK)
        attn_container_close(container);
    return status;
}

void attn_container_close(attn_container *container)
{
    attn_free(container->tensors);
    attn_free(container->unread);
    attn_free(container->meta);
    attn_map_free(&container->by_name);
    for (size_t i = 0; i < container->n_files; i++)
        attn_file_close(&container->files[i]);
    attn_free(container->files);
    attn_arena_free(&container->arena);
    *container = (attn_container){0};
}

attn_status attn_container_add_file(attn_container *container, attn_file *file, attn_error *error)
{
    attn_file *grown = NULL;
    if (container->n_files < SIZE_MAX)
        grown = attn_realloc_array(container->files, container->n_files + 1, sizeof *grown);
    if (grown == NULL) {
        attn_file_close(file);
        return attn_fail_memory(error);
    }
    container->files = grown;
    grown[container->n_files++] = *file;
    *file = (attn_file){0};
    return ATTN_OK;
}

attn_status attn_container_name(attn_container *container, attn_bytes name, const char **copy, attn_error *error)
{
    if (name.size > 0 && memchr(name.data, '\0', name.size) != NULL)
        return attn_fail_found(error, "a tensor's name", "one with a NUL byte in it");
    *copy = attn_arena_text(&container->arena, (const char *)name.data, name.size);
    return *copy != NULL ? ATTN_OK : attn_fail_memory(error);
}

attn_status attn_container_add(attn_container *container, const char *name, attn_tensor tensor, const char *file,
                               attn_error *error)
{
    void *tensors = container->tensors;
    size_t index = container->n_tensors;
    if (!attn_grow(&tensors, &container->tensor_capacity, index, sizeof *container->tensors))
        return attn_fail_memory(error);
    container->tensors = tensors;
    switch (attn_map_add(&container->by_name, attn_bytes_of(name), index)) {
    case ATTN_MAP_NOMEM:
        return attn_fail_memory(error);
    case ATTN_MAP_PRESENT:
        return attn_fail(error, ATTN_EDATA, "there are two tensors '%s'", name);
    case ATTN_MAP_ADDED:
        break;
    }
    container->tensors[index] = (attn_named_tensor){name, tensor, file};
    container->n_tensors++;
    return ATTN_OK;
}

attn_status attn_container_leave(attn_container *container, const char *name, const char *why, attn_error *error)
{
    void *unread = container->unread;
    const char *copy = attn_arena_text(&container->arena, why, strlen(why));
    if (copy == NULL || !attn_grow(&unread, &container->unread_capacity, container->n_unread, sizeof(attn_unread)))
        return attn_fail_memory(error);
    container->unread = unread;
    container->unread[container->n_unread++] = (attn_unread){name, copy};
    return ATTN_OK;
}

const attn_named_tensor *attn_container_named(const attn_container *container, const char *name)
{
    size_t index;
    return attn_map_find(&container->by_name, attn_bytes_of(name), &index) ? &container->tensors[index] : NULL;
}

const attn_tensor *attn_container_find(const attn_container *container, const char *name)
{
    const attn_named_tensor *named = attn_container_named(container, name);
    return named != NULL ? &named->tensor : NULL;
}

const attn_meta *attn_container_meta(const attn_container *container, const char *key)
{
    for (size_t i = 0; i < container->n_meta; i++)
        if (attn_bytes_are(container->meta[i].key, key))
            return &container->meta[i];
    return NULL;
}

attn_status attn_container_missing(const attn_container *container, const char *name, attn_error *error)
{
    enum { SHOWN = 3 };
    size_t nearest[SHOWN], distance[SHOWN], shown = 0;
    for (size_t i = 0; i < container->n_unread; i++)
        if (strcmp(container->unread[i].name, name) == 0)
            return attn_fail(error, ATTN_EUNSUPPORTED, "'%s': %s", name, container->unread[i].why);
    for (size_t i = 0; i < container->n_tensors; i++) {
        size_t far = attn_edit_distance(name, container->tensors[i].name), at = shown;
        while (at > 0 && distance[at - 1] > far)
            at--;
        if (shown < SHOWN)
            shown++;
        for (size_t j = shown; j-- > at + 1;) {
            nearest[j] = nearest[j - 1];
            distance[j] = distance[j - 1];
        }
        if (at < shown) {
            nearest[at] = i;
            distance[at] = far;
        }
    }
    attn_fail(error, ATTN_EDATA, "there is no tensor '%s'", name);
    if (container->n_tensors == 1 && container->tensors[0].name[0] == '\0')
        attn_error_hint(error, "the file holds one array without a name");
    else if (shown == 1)
        attn_error_hint(error, "there is only '%s'", container->tensors[nearest[0]].name);
    else if (shown > 1)
        attn_error_hint(error, "there is%s '%s', '%s'%s%s%s", container->n_tensors > SHOWN ? ", for instance," : "",
                        container->tensors[nearest[0]].name, container->tensors[nearest[1]].name,
                        shown > 2 ? ", '" : "", shown > 2 ? container->tensors[nearest[2]].name : "",
                        shown > 2 ? "'" : "");
    attn_error_file(error, container->n_files > 0 ? container->files[0].name : NULL);
    return ATTN_EDATA;
}
