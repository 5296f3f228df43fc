/* vectors.h: word vectors: words and a float32 table, from GloVe text, word2vec text and binary, fastText's .vec,
 * JSON {"word": [..]} or attn's own embeddings as TSV, each as it is or packed by gzip; and from fastText's models
 * (.bin). The format is told by the content:
 *
 *   fastText  its magic number. The file stays open: words that it does not know have a vector too.
 *   attn      a first line of column names, tabs between them: `token`, and v0 v1 … the last.
 *   JSON      an object whose first member is an array of numbers (a member "comment" that is a
 *             string does not count). All rows are as long as the first; a word that is there
 *             twice is refused, as in all JSON.
 *   word2vec  a first line of two whole numbers, COUNT and DIM; fastText's .vec is the same. So a
 *             GloVe file of one dimension whose first word is a whole number loses that row.
 *             Binary when the first row is no text row and holds a control character, else text.
 *   GloVe     anything else: rows only. DIM is how many numbers most of the first rows end in.
 *
 * Text rows: a word, then DIM numbers, between them spaces or tabs, also at the end of the row; lines end in LF or
 * CRLF; a line without anything is passed over; a byte order mark is skipped. The last DIM fields are the vector, so a
 * word may hold spaces. Binary rows: a word, one space, DIM little-endian float32; line feeds before a word do not
 * belong to it, a vector's bytes are never taken for one. Words are bytes: they need not be UTF-8. Numbers in text are
 * finite; a binary row is taken as it is.
 *
 * A header that promises more rows than there are, or more than the file can hold, is an error; has_more tells of rows
 * beyond those it promises. The first of several rows of a word is kept. */
#ifndef ATTN_FORMATS_VECTORS_H
#define ATTN_FORMATS_VECTORS_H

#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"

typedef struct attn_subwords attn_subwords;

typedef struct attn_vectors {
    const char *format; /* "glove", "word2vec text", "word2vec binary", "json", "attn", "fasttext" */
    size_t n_words, dim;
    attn_bytes *words;       /* owned; [n_words], in file order; their bytes lie in the arena */
    float *values;           /* owned; [n_words][dim] */
    size_t n_duplicates;     /* later rows of a word, left out: the first wins */
    char duplicate[64];      /* the first such word, for the warning */
    bool falling;            /* one number a word, each no larger than the last: as neighbors are listed */
    bool has_more;           /* rows follow those the header promises; they are not read */
    attn_subwords *subwords; /* owned; NULL: words are all there is */
    attn_arena arena;
} attn_vectors;

/* True when a file that begins with HEAD (all of it if short) looks like word vectors. */
bool attn_vectors_sniff(attn_bytes head);
/* Refuses a list of neighbors, by the words of those programs that print one. */
attn_status attn_vectors_refuse_neighbors(attn_bytes head, attn_error *error);
/* Takes FILE over, also on failure: what is needed is copied and FILE closed. */
attn_status attn_vectors_take(attn_file *file, attn_vectors *vectors, attn_progress *progress, void *context,
                              attn_error *error);
/* Whether WORD has a vector beyond the words: VECTORS, an attn_vectors, are a fastText model's that knows the word or
 * some of its n-grams. */
bool attn_vectors_knows(const void *vectors, attn_bytes word);
/* That vector, to VECTOR[dim]; false and zeros: it has none. */
bool attn_vectors_compose(const attn_vectors *vectors, attn_bytes word, float *vector);
void attn_vectors_close(attn_vectors *vectors); /* leaves {0} */

#endif
