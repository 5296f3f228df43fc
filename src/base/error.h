/* error.h: what every function that can fail returns and fills.
 *
 * A function returns an attn_status and, when it is not ATTN_OK, has filled the caller's attn_error: what
 * was expected, what was found, and where. Whoever sees the fault fills it; callers that know more (the
 * file's name) add it on the way up; only cli/ prints. All storage is fixed, so reporting an error can not
 * itself fail. An error pointer may be NULL: then only the status is returned. */
#ifndef ATTN_BASE_ERROR_H
#define ATTN_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ATTN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define ATTN_PRINTF(text, first)
#endif

typedef enum attn_status {
    ATTN_OK = 0,
    ATTN_ENOMEM,       /* memory is exhausted */
    ATTN_EIO,          /* the system refused: open, read, write, a full disk */
    ATTN_EDATA,        /* a file or text holds something it must not */
    ATTN_EUNSUPPORTED, /* understood, but not something attn does */
    ATTN_EUSAGE,       /* wrong command line */
    ATTN_ECLOSED       /* the reader of standard output has gone: end quietly */
} attn_status;

typedef struct attn_error {
    attn_status status;
    char file[512];  /* "" when unknown */
    uint64_t line;   /* from 1; 0: unknown */
    uint64_t column; /* in bytes, from 1; 0: unknown */
    uint64_t offset; /* in bytes, for binary files; see has_offset */
    bool has_offset;
    char message[1024]; /* the whole sentence, or "expected …, found …" */
    char hint[512];     /* "" or one sentence that helps: "try --lowercase" */
} attn_error;

/* Fill ERROR with STATUS and a message, forgetting what it held. Returns STATUS. */
attn_status attn_fail(attn_error *error, attn_status status, const char *format, ...) ATTN_PRINTF(3, 4);

/* The usual message of a bad file: "expected EXPECTED, found FOUND". EXPECTED is plain text, FOUND a
 * format. Status ATTN_EDATA. */
attn_status attn_fail_found(attn_error *error, const char *expected, const char *found, ...) ATTN_PRINTF(3, 4);

/* "out of memory" with ATTN_ENOMEM. */
attn_status attn_fail_memory(attn_error *error);

/* "PATH: strerror(ERRNUM)" with ATTN_EIO; ENOMEM is attn_fail_memory. */
attn_status attn_fail_system(attn_error *error, const char *path, int errnum);

/* By ERRNUM a path leads to nothing. Any other says that the system can not tell. */
bool attn_errno_absent(int errnum);

/* Say where, after a failure. Each returns error->status (ATTN_OK for a NULL error), so that a call can
 * stand in a return statement. attn_error_file keeps a name already there. */
attn_status attn_error_file(attn_error *error, const char *file);
attn_status attn_error_line(attn_error *error, uint64_t line, uint64_t column);
attn_status attn_error_offset(attn_error *error, uint64_t offset);
attn_status attn_error_hint(attn_error *error, const char *format, ...) ATTN_PRINTF(2, 3);

/* Put a few words before the message ("layer 0: W_Q: "). */
attn_status attn_error_prefix(attn_error *error, const char *format, ...) ATTN_PRINTF(2, 3);

/* "FILE:LINE:COLUMN: message (hint)" or "FILE: offset N: message" as one line without a line end, cut to
 * SIZE with its NUL. Control characters from files are shown escaped. */
void attn_error_text(const attn_error *error, char *text, size_t size);

#endif
