/* vectors_reader.h: what the readers of vectors_text.c, vectors_binary.c and vectors_json.c share. Only
 * formats/vectors*.c include it. */
#ifndef ATTN_FORMATS_VECTORS_READER_H
#define ATTN_FORMATS_VECTORS_READER_H

#include "base/map.h"
#include "formats/vectors.h"

typedef struct vectors_reader {
    attn_file *file; /* borrowed */
    attn_bytes text; /* the file without its byte order mark */
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

/* True when the row of DIM numbers at OFFSET is text. */
bool attn_vectors_is_text_row(attn_bytes text, size_t offset, size_t dim);
bool attn_vectors_sniff_text(attn_bytes head);
bool attn_vectors_sniff_json(attn_bytes head);

attn_status attn_vectors_read_glove(vectors_reader *reader);
attn_status attn_vectors_read_text(vectors_reader *reader);
attn_status attn_vectors_read_binary(vectors_reader *reader);
attn_status attn_vectors_read_json(vectors_reader *reader);

#endif
