/* file_list.c: see file_list.h. Used by file.c, which notes what it opens, and by cli for -o. */
#include "config.h"

#include "base/file_list.h"

#include <errno.h>
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

static attn_status add(attn_file_list *list, const struct stat *st, const char *name, uint64_t mapped,
                       attn_error *error)
{
    const attn_file_id found = id_of(st);
    void *entries = list->entries;
    attn_file_id *id;
    size_t place;
    if (!S_ISREG(st->st_mode))
        return ATTN_OK;
    if (attn_map_find(&list->places, key_of(&found), &place)) {
        if (list->entries[place].mapped < mapped)
            list->entries[place].mapped = mapped;
        return ATTN_OK;
    }
    place = list->places.count;
    id = attn_arena_alloc(&list->arena, 1, sizeof *id);
    if (id == NULL || !attn_grow(&entries, &list->capacity, place, sizeof *list->entries))
        return attn_fail_memory(error);
    *id = found;
    list->entries = entries;
    list->entries[place] =
        (attn_file_entry){.name = attn_arena_text(&list->arena, name, strlen(name)), .id = found, .mapped = mapped};
    if (list->entries[place].name == NULL || attn_map_add(&list->places, key_of(id), place) != ATTN_MAP_ADDED)
        return attn_fail_memory(error);
    return ATTN_OK;
}

attn_status attn_file_list_add(attn_file_list *list, int descriptor, const char *name, uint64_t mapped,
                               attn_error *error)
{
    struct stat st;
    if (list == NULL)
        return ATTN_OK;
    return fstat(descriptor, &st) == 0 ? add(list, &st, name, mapped, error) : attn_fail_system(error, name, errno);
}

attn_status attn_file_list_note(attn_file_list *list, const char *path, attn_error *error)
{
    const bool standard_input = strcmp(path, "-") == 0;
    struct stat st;
    if ((standard_input ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0)
        return add(list, &st, standard_input ? "standard input" : path, 0, error);
    /* what can not be opened either is told when it is */
    return standard_input || attn_errno_absent(errno) ? ATTN_OK : attn_fail_system(error, path, errno);
}

attn_status attn_file_list_has(const attn_file_list *list, const char *path, const char **name, attn_error *error)
{
    struct stat st;
    attn_file_id id;
    size_t place;
    *name = NULL;
    if (list->places.count == 0)
        return ATTN_OK;
    if (stat(path, &st) != 0)
        return attn_errno_absent(errno) ? ATTN_OK : attn_fail_system(error, path, errno);
    id = id_of(&st);
    if (attn_map_find(&list->places, key_of(&id), &place))
        *name = list->entries[place].name;
    return ATTN_OK;
}

attn_status attn_file_list_whole(const attn_file_list *list, attn_error *error)
{
    for (size_t i = 0; i < list->places.count; i++) {
        const attn_file_entry *entry = &list->entries[i];
        const bool standard_input = strcmp(entry->name, "standard input") == 0;
        struct stat st;
        if (entry->mapped == 0 || (standard_input ? fstat(STDIN_FILENO, &st) : stat(entry->name, &st)) != 0)
            continue;
        const attn_file_id id = id_of(&st);
        if (attn_bytes_equal(key_of(&id), key_of(&entry->id)) && (uint64_t)st.st_size < entry->mapped)
            return attn_fail(error, ATTN_EIO, "%s was cut short while it was read", entry->name);
    }
    return ATTN_OK;
}

void attn_file_list_free(attn_file_list *list)
{
    attn_map_free(&list->places);
    attn_free(list->entries);
    attn_arena_free(&list->arena);
    *list = (attn_file_list){0};
}
