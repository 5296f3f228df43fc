/* file_list.h: which files were read, by device and inode, so that no output takes the place of one of them, however
 * its path is spelled. Only regular files are noted: what else can be read (a pipe, /dev/null) is not lost when it is
 * written to. */
#ifndef ATTN_BASE_FILE_LIST_H
#define ATTN_BASE_FILE_LIST_H

#include "base/map.h"
#include "base/memory.h"

typedef struct attn_file_id {
    uint64_t device, inode;
} attn_file_id;

typedef struct attn_file_list { /* initialise with {0} */
    attn_map places;            /* from an attn_file_id in the arena to its name's place */
    const char **names;         /* owned; [places.count], as each was first opened; in the arena */
    size_t capacity;
    attn_arena arena;
} attn_file_list;

/* The regular file that is open as DESCRIPTOR, read as NAME. LIST NULL: nothing to do. False: out of memory. */
bool attn_file_list_add(attn_file_list *list, int descriptor, const char *name);
/* The same for PATH, or "-" for standard input, which need not be open yet; a file that is not there is none. */
bool attn_file_list_note(attn_file_list *list, const char *path);
/* The name under which the file that PATH leads to (through symlinks, as a hard link) was read; NULL: it was not. */
const char *attn_file_list_has(const attn_file_list *list, const char *path);
void attn_file_list_free(attn_file_list *list); /* leaves {0} */

#endif
