/* files.h: temporary files and folders, which go when the test's process ends, however it ends (but by a signal);
 * whole files read and written; paths. What can not be done fails the test. */
#ifndef ATTN_TESTING_FILES_H
#define ATTN_TESTING_FILES_H

#include <stddef.h>

/* A new empty folder of this test's. */
const char *files_folder(void);
/* A new file that holds TEXT, or the SIZE bytes of DATA. */
const char *files_text(const char *text);
const char *files_bytes(const void *data, size_t size);

/* Writes a whole file: over what is there, too. */
void files_write(const char *path, const void *data, size_t size);
/* A whole file, a NUL behind it; *SIZE (NULL: not wanted) without that. Owned by the caller: free. */
char *files_read(const char *path, size_t *size);

/* "A/B"; what FORMAT says. */
const char *files_join(const char *a, const char *b);
const char *files_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
