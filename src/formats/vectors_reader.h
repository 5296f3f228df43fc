/* vectors_reader.h: what the readers of vectors_text.c, vectors_binary.c and vectors_json.c share. Only
 * formats/vectors*.c include it. */
#ifndef ATTN_FORMATS_VECTORS_READER_H
#define ATTN_FORMATS_VECTORS_READER_H

#include "base/map.h"
#include "formats/vectors.h"

typedef struct vectors_reader {
    attn_file *file; /* borrowed */
    attn_bytes text; /* what is in sight of it: all, without its byte order mark, or a window (vectors_window.c) */
    struct attn_gunzip *packed;  /* owned; NULL: all is in sight */
    uint8_t *window;             /* owned; [room], of which `filled` hold something */
    size_t room, filled, before; /* before: bytes that have gone out of sight */
    bool ended;                  /* nothing follows what is in sight */
    bool by_lines;
    attn_vectors *out;
    size_t row_capacity, word_capacity;
    size_t expected; /* rows there will be, as far as one can tell: room for so many at once */
    attn_map seen;   /* word to row */
    attn_progress *progress;
    void *context;
    size_t reported; /* offset in text: how far the last report was */
    attn_error *error;
} vectors_reader;

typedef struct vectors_header {
    uint64_t count, dim;
    size_t end; /* offset in text behind its line */
} vectors_header;

/* Opens the window on the file. */
attn_status attn_vectors_window_open(vectors_reader *reader);
void attn_vectors_window_close(vectors_reader *reader);
/* What lies before *AT goes out of sight, more comes in behind: *AT becomes 0. Only where not all has been seen. */
attn_status attn_vectors_more(vectors_reader *reader, size_t *at);
/* From now on only whole lines are in sight. */
void attn_vectors_by_lines(vectors_reader *reader);
/* Brings all of it in sight. */
attn_status attn_vectors_all(vectors_reader *reader);
/* How much of the file is read, when OFFSET of what is in sight is. */
double attn_vectors_fraction(const vectors_reader *reader, size_t offset);

/* Place for the next row, [dim]. MOST: how many rows the file can hold at the outside, this one included. NULL: out of
 * memory, the error is filled. */
float *attn_vectors_row(vectors_reader *reader, size_t most);
/* Keeps the row written there under WORD (copied), or leaves it out if the word has one. */
attn_status attn_vectors_keep(vectors_reader *reader, attn_bytes word);
/* Tells who listens, and the system, that the text up to OFFSET is read. */
void attn_vectors_report(vectors_reader *reader, size_t offset);
/* How much of WORD a message shows. */
int attn_vectors_shown(attn_bytes word);

/* Reads a word2vec header (two whole numbers alone on the first line) and checks it against the file. */
attn_status attn_vectors_read_header(vectors_reader *reader, bool binary, vectors_header *header);

/* The line at AT without its end and the blanks before that; *NEXT is where the next one begins. */
attn_bytes attn_vectors_line(attn_bytes text, size_t at, size_t *next);

/* True when the row of DIM numbers at OFFSET is text. */
bool attn_vectors_is_text_row(attn_bytes text, size_t offset, size_t dim);
bool attn_vectors_sniff_text(attn_bytes head);
bool attn_vectors_sniff_fasttext(attn_bytes head);
bool attn_vectors_sniff_json(attn_bytes head);
bool attn_vectors_has_columns(attn_bytes text);

/* The reader's file is then still needed: attn_subwords_take takes it over. */
attn_status attn_vectors_read_fasttext(vectors_reader *reader);
void attn_subwords_take(attn_subwords *subwords, attn_file *file);
void attn_subwords_close(attn_subwords *subwords); /* NULL is fine */
attn_status attn_vectors_read_columns(vectors_reader *reader);
attn_status attn_vectors_read_glove(vectors_reader *reader);
attn_status attn_vectors_read_text(vectors_reader *reader);
attn_status attn_vectors_read_binary(vectors_reader *reader);
attn_status attn_vectors_read_json(vectors_reader *reader);

#endif
