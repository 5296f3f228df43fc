/* file_list.h: which files were read, by device and inode, so that no output takes the place of one of them, however
 * its path is spelled, and so that one that was cut meanwhile is told. Only regular files are noted: what else can be read (a pipe, /dev/null) is not lost when it is
 * written to. */
#ifndef ATTN_BASE_FILE_LIST_H
#define ATTN_BASE_FILE_LIST_H

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"

typedef struct attn_file_id {
    uint64_t device, inode;
} attn_file_id;

typedef struct attn_file_entry {
    const char *name; /* as it was first opened; in the arena */
    attn_file_id id;
    uint64_t mapped; /* bytes of it that are read where they lie; 0: what was read is ours */
} attn_file_entry;

typedef struct attn_file_list { /* initialise with {0} */
    attn_map places;            /* from an attn_file_id in the arena to its entry's place */
    attn_file_entry *entries;   /* owned; [places.count] */
    size_t capacity;
    attn_arena arena;
} attn_file_list;

/* The regular file that is open as DESCRIPTOR, read as NAME, MAPPED bytes of it as a mapping. LIST NULL: nothing to do.
 * ATTN_ENOMEM, or ATTN_EIO where the system can not say which file that is. */
attn_status attn_file_list_add(attn_file_list *list, int descriptor, const char *name, uint64_t mapped,
                               attn_error *error);
/* The same for PATH, or "-" for standard input, which need not be open yet; a file that is not there is none. */
attn_status attn_file_list_note(attn_file_list *list, const char *path, attn_error *error);
/* *NAME: the name under which the file that PATH leads to (through symlinks, as a hard link) was read; NULL: it was not.
 * ATTN_EIO: the system can not say. */
attn_status attn_file_list_has(const attn_file_list *list, const char *path, const char **name, attn_error *error);
/* ATTN_EIO: a mapped file is shorter now than it was when it was opened. Where the cut lies within the last page, its
 * reader got zeros and no SIGBUS. Another file that has taken its place, or none there, is no fault. */
attn_status attn_file_list_whole(const attn_file_list *list, attn_error *error);
void attn_file_list_free(attn_file_list *list); /* leaves {0} */

#endif
