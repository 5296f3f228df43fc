/* hub.c: models by the name that they have at Hugging Face, in the cache that `hf download` and the Python libraries
 * fill. Only looked at: nothing is downloaded or written. Used by load.c and parts.c.
 *
 *   CACHE/models--ORG--NAME/refs/main          the snapshot's name
 *   CACHE/models--ORG--NAME/snapshots/SNAPSHOT the files, as symbolic links
 *
 * CACHE is $HF_HUB_CACHE, or else $HF_HOME/hub, or else $XDG_CACHE_HOME/huggingface/hub, XDG_CACHE_HOME being ~/.cache
 * where it is not set: as huggingface_hub finds it. */
#include "config.h"

#include "base/buffer.h"
#include "base/file.h"
#include "load/loader.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 200 };

static bool is_part_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
}

/* A name as the hub has them, NAME or ORG/NAME, that is not meant as a file of some kind (fruit.json). */
static bool is_model_name(const char *path)
{
    static const char *const endings[] = {".json", ".gguf", ".safetensors", ".bin", ".txt", ".npy", ".npz", ".vec",
                                          ".pt",   ".pth",  ".model",       ".gz",  ".zip", ".tsv", ".csv"};
    size_t slashes = 0, n = strlen(path);
    if (n == 0 || n > MOST_NAME || path[0] == '.' || path[0] == '/' || path[n - 1] == '/')
        return false;
    for (size_t i = 0; i < n; i++) {
        slashes += path[i] == '/';
        if (path[i] != '/' && !is_part_of_name(path[i]))
            return false;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (attn_bytes_end_with(attn_bytes_of(path), endings[i]))
            return false;
    return slashes <= 1 && strstr(path, "/.") == NULL;
}

/* Where the cache is: a directory's path, failed: no memory; "": nobody says where. */
static void put_cache(attn_buffer *path)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"HF_HUB_CACHE", ""},
                  {"HF_HOME", "/hub"},
                  {"XDG_CACHE_HOME", "/huggingface/hub"},
                  {"HOME", "/.cache/huggingface/hub"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *value = getenv(places[i].variable), *home = getenv("HOME");
        if (value == NULL || value[0] == '\0')
            continue;
        if (value[0] == '~' && (value[1] == '/' || value[1] == '\0') && home != NULL) {
            attn_buffer_text(path, home);
            value++;
        }
        attn_buffer_text(path, value);
        attn_buffer_text(path, places[i].below);
        return;
    }
}

/* CACHE/models--ORG--NAME. */
static void put_model(const char *cache, const char *name, attn_buffer *path)
{
    attn_buffer_text(path, cache);
    attn_buffer_text(path, "/models--");
    for (; *name != '\0'; name++) {
        if (*name == '/')
            attn_buffer_text(path, "--");
        else
            attn_buffer_byte(path, *name);
    }
}

/* The name of the snapshot that refs/main of the directory MODEL names, appended to PATH. */
static attn_status put_snapshot(const char *model, attn_buffer *path, attn_error *error)
{
    attn_file file;
    char *reference = attn_path_join(model, "refs/main");
    if (reference == NULL)
        return attn_fail_memory(error);
    attn_status status = attn_file_open(reference, NULL, &file, error);
    attn_bytes name = file.bytes;
    while (status == ATTN_OK && name.size > 0 && (name.data[name.size - 1] == '\n' || name.data[name.size - 1] == ' '))
        name.size--;
    for (size_t i = 0; i < name.size && status == ATTN_OK; i++)
        if (name.size > MOST_NAME || !is_part_of_name((char)name.data[i]))
            status = ATTN_EDATA;
    if (status == ATTN_EDATA || (status == ATTN_OK && (name.size == 0 || name.data[0] == '.'))) {
        attn_fail(error, ATTN_EDATA, "expected the name of a snapshot, found something else");
        status = attn_error_file(error, reference);
    }
    if (status == ATTN_OK) {
        attn_buffer_text(path, "/snapshots/");
        attn_buffer_put(path, name.data, name.size);
    }
    attn_file_close(&file);
    attn_free(reference);
    return status;
}

static attn_status not_there(const char *name, const char *cache, attn_error *error)
{
    if (cache[0] == '\0')
        attn_fail(error, ATTN_EIO,
                  "no such file or directory, and no variable (HF_HUB_CACHE, HF_HOME, HOME) says where "
                  "the Hugging Face cache is");
    else
        attn_fail(error, ATTN_EIO,
                  "no such file or directory, nor a model of that name in the Hugging Face cache %.300s", cache);
    attn_error_hint(error, "hf download %s puts it there; HF_HUB_CACHE or HF_HOME say where else to look", name);
    return attn_error_file(error, name);
}

static attn_status find(const char *name, char **found, attn_error *error)
{
    attn_buffer cache = {0}, path = {0};
    attn_status status = ATTN_OK;
    bool there = false;
    put_cache(&cache);
    attn_buffer_byte(&cache, '\0');
    if (!cache.failed)
        put_model(cache.data, name, &path);
    attn_buffer_byte(&path, '\0');
    if (cache.failed || path.failed)
        status = attn_fail_memory(error);
    else
        status = attn_path_is_directory(path.data, &there, error);
    if (status == ATTN_OK && (!there || cache.data[0] == '\0'))
        status = not_there(name, cache.data, error);
    if (status == ATTN_OK) {
        char *model = attn_copy_text(path.data, path.size - 1);
        path.size--;
        status = model != NULL ? put_snapshot(model, &path, error) : attn_fail_memory(error);
        attn_buffer_byte(&path, '\0');
        attn_free(model);
    }
    if (status == ATTN_OK && !path.failed)
        *found = attn_copy_text(path.data, path.size - 1);
    if (status == ATTN_OK && *found == NULL)
        status = attn_fail_memory(error);
    attn_buffer_free(&path);
    attn_buffer_free(&cache);
    return status;
}

attn_status attn_hub_path(attn_loader *loader, const char *name, const char **path)
{
    char *found = NULL;
    *path = name;
    if (strcmp(name, "-") == 0 || attn_path_exists(name) || !is_model_name(name))
        return ATTN_OK;
    attn_status status = find(name, &found, loader->error);
    if (status == ATTN_OK && (*path = attn_model_text(loader, found)) == NULL)
        status = ATTN_ENOMEM;
    attn_free(found);
    return status;
}
