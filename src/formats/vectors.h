/* vectors.h: word vectors: GloVe text, word2vec text and binary, fastText .vec, JSON {"word": [..]}: words
 * and a float32 table. */
#ifndef ATTN_FORMATS_VECTORS_H
#define ATTN_FORMATS_VECTORS_H

#include "base/file.h"
#include "base/memory.h"

typedef struct attn_vectors {
    const char *format; /* "glove", "word2vec text", "word2vec binary", "fasttext", "json" */
    size_t n_words, dim;
    const attn_bytes *words; /* [n_words], first come first; in the arena or the file */
    const float *values;     /* [n_words][dim]; owned, 64-byte aligned rows are not promised */
    size_t n_duplicates;     /* later ones of a word, left out: the first wins */
    char duplicate[64];      /* the first such word, for the warning */
    attn_file file;          /* owned; words may point into it */
    attn_arena arena;
    float *owned;
} attn_vectors;

/* Called now and then while loading a large file: FRACTION done, 0…1. NULL: nobody listens. */
typedef void attn_progress(void *context, double fraction);

/* True when FILE's content looks like word vectors of one of the formats above. */
bool attn_vectors_sniff(attn_bytes head);
/* Takes FILE over, also on failure. */
attn_status attn_vectors_take(attn_file *file, attn_vectors *vectors, attn_progress *progress,
                              void *context, attn_error *error);
void attn_vectors_close(attn_vectors *vectors);

#endif
