/* file_list.c: see file_list.h. Used by file.c, which notes what it opens, and by cli for -o. */
#include "config.h"

#include "base/file_list.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static attn_file_id id_of(const struct stat *st)
{
    return (attn_file_id){.device = (uint64_t)st->st_dev, .inode = (uint64_t)st->st_ino};
}

static attn_bytes key_of(const attn_file_id *id)
{
    return (attn_bytes){(const uint8_t *)id, sizeof *id};
}

static bool add(attn_file_list *list, const struct stat *st, const char *name)
{
    const attn_file_id found = id_of(st);
    void *names = list->names;
    attn_file_id *id;
    size_t place;
    if (!S_ISREG(st->st_mode) || attn_map_find(&list->places, key_of(&found), &place))
        return true;
    place = list->places.count;
    id = attn_arena_alloc(&list->arena, 1, sizeof *id);
    if (id == NULL || !attn_grow(&names, &list->capacity, place, sizeof *list->names))
        return false;
    *id = found;
    list->names = names;
    list->names[place] = attn_arena_text(&list->arena, name, strlen(name));
    return list->names[place] != NULL && attn_map_add(&list->places, key_of(id), place) == ATTN_MAP_ADDED;
}

bool attn_file_list_add(attn_file_list *list, int descriptor, const char *name)
{
    struct stat st;
    return list == NULL || fstat(descriptor, &st) != 0 || add(list, &st, name);
}

bool attn_file_list_note(attn_file_list *list, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return attn_file_list_add(list, STDIN_FILENO, "standard input");
    return stat(path, &st) != 0 || add(list, &st, path);
}

const char *attn_file_list_has(const attn_file_list *list, const char *path)
{
    struct stat st;
    attn_file_id id;
    size_t place;
    if (list->places.count == 0 || stat(path, &st) != 0)
        return NULL;
    id = id_of(&st);
    return attn_map_find(&list->places, key_of(&id), &place) ? list->names[place] : NULL;
}

void attn_file_list_free(attn_file_list *list)
{
    attn_map_free(&list->places);
    attn_free(list->names);
    attn_arena_free(&list->arena);
    *list = (attn_file_list){0};
}
