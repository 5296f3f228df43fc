/* texts.h: the texts of a run, one after the other: those of -T, or of FILEs, whole or line by line. */
#ifndef ATTN_CLI_TEXTS_H
#define ATTN_CLI_TEXTS_H

#include "base/file.h"
#include "base/given.h"
#include "base/line_stream.h"

typedef struct attn_texts_request { /* which texts the command line gives; {0}: standard input. Strings borrowed */
    attn_strings texts, files;      /* of -T; FILEs */
    const char *context;            /* -c: a file with the text that the others attend to */
    bool lines, keep_newline;
} attn_texts_request;

typedef struct attn_texts {
    const attn_texts_request *request; /* borrowed */
    bool any_bytes;                    /* FILEs that are no UTF-8 but UTF-16 or UTF-32 are taken, not refused */
    size_t next;                       /* index of the next -T or FILE */
    size_t number;                     /* texts so far: the number of the next one */
    bool open;
    attn_file file; /* owned while open (or a view of a -T) */
    bool streams;   /* the open source comes line by line instead */
    attn_stream stream;
    void (*waits)(void *context); /* called before the next line has to be waited for; or NULL */
    void *context;
    size_t position, line;
    const char *converted; /* of the open file; see attn_raw_text */
} attn_texts;

typedef struct attn_raw_text {
    const char *file;      /* as the user named it; "-"; "" for -T */
    attn_bytes bytes;      /* valid until the next call; without BOM and final line end (options) */
    size_t number;         /* from 0 */
    size_t line;           /* from 1 with --lines, else 0 */
    const char *converted; /* the encoding its file was in; NULL: UTF-8 */
} attn_raw_text;

typedef enum attn_next {
    ATTN_NEXT_TEXT,  /* *TEXT is one */
    ATTN_NEXT_ERROR, /* a FILE could not be read: its number is used up, ERROR says why, go on */
    ATTN_NEXT_END
} attn_next;

attn_texts attn_texts_of(const attn_texts_request *request, bool any_bytes);
attn_next attn_texts_next(attn_texts *texts, attn_raw_text *text, attn_error *error);
void attn_texts_close(attn_texts *texts);

/* Whether more than one text will come, as far as is known before they are read. */
bool attn_texts_are_several(const attn_texts_request *request);

/* BYTES without a UTF-8 BOM at its start and, unless KEEP_NEWLINE, without one final line end. */
attn_bytes attn_text_body(attn_bytes bytes, bool keep_newline);

#endif
