/* file.h: a whole input file as bytes: mapped where it can be (pages are read when they are touched), read to its end
 * where it can not (a pipe, a FIFO, /proc, standard input). */
#ifndef ATTN_BASE_FILE_H
#define ATTN_BASE_FILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_list.h"

typedef struct attn_file {
    char *name;       /* owned; as messages show it: the path, or "standard input" */
    attn_bytes bytes; /* owned: a mapping or a heap block */
    bool mapped;
    attn_file_list *list; /* borrowed, NULL: none; where it is noted, as are files that are opened on its account */
} attn_file;

/* Open PATH ("-": standard input) and note it in LIST (NULL: nobody will ask). A directory, a missing or an unreadable
 * file is ATTN_EIO with its name. On failure *FILE is {0}. */
attn_status attn_file_open(const char *path, attn_file_list *list, attn_file *file, attn_error *error);
/* The same for a text, which somebody may change while it is read: one below 1 MiB is read, not mapped. */
attn_status attn_file_open_text(const char *path, attn_file_list *list, attn_file *file, attn_error *error);
/* The name of the mapped file that holds ADDRESS; NULL: none. Async-signal-safe: SIGBUS there means that the file has
 * been cut. */
const char *attn_file_mapped_at(const void *address);
void attn_file_close(attn_file *file);  /* leaves {0}; {0} is fine */
void attn_file_forget(attn_file *file); /* closes it but for its name; bytes are then empty */
/* The bytes FROM…TO−1 have been read: the system may have their pages back (they come again when touched). */
void attn_file_release(const attn_file *file, size_t from, size_t to);

/* PATH's directory joined with NAME ("a/b.json", "c" -> "a/c"), owned by the caller; NULL: no memory. */
char *attn_path_beside(const char *path, const char *name);
char *attn_path_join(const char *directory, const char *name);
/* The path of the file in DIRECTORY whose name has ENDING behind something; of several the first in the order of bytes.
 * Owned by the caller; NULL: there is none, or the directory may not be listed. */
attn_status attn_path_ending(const char *directory, const char *ending, char **found, attn_error *error);
/* False only where the system says that there is no such path: what can not be looked at for another reason (its
 * directory may not be read, the disk fails) is told when it is opened. */
bool attn_path_exists(const char *path);
/* ATTN_EDATA where PATH is there and no regular file: a directory, a FIFO, a device. */
attn_status attn_path_regular(const char *path, attn_error *error);
/* Whether there is such a directory. ATTN_EIO: the system can not say. */
attn_status attn_path_is_directory(const char *path, bool *is, attn_error *error);

#endif
