/* reader.h: how a vocabulary file becomes a tokenizer's spec: the row by which a reader plugs in, and what readers
 * share. Only files of text/ include it.
 *
 * A reader fills SPEC: what the spec points to lies in the source's arena or in its bytes, which both outlive
 * attn_tokenizer_open. It sets spec->kind to what the file declares and leaves NULL where it declares nothing; load.c
 * then applies the caller's choice. */
#ifndef ATTN_TEXT_VOCAB_READER_H
#define ATTN_TEXT_VOCAB_READER_H

#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "text/spec.h"

typedef struct attn_vocab_source {
    const char *path;      /* borrowed; "-": standard input, with no file beside it */
    attn_file_list *files; /* borrowed or NULL; where files beside it are noted when they are opened */
    attn_bytes bytes;      /* borrowed; the whole file, without a leading UTF-8 BOM */
    attn_arena *arena;
} attn_vocab_source;

/* The row that a reader's file ends with; all else in the file is static. Its name stands in ATTN_VOCAB_READERS. */
typedef struct attn_vocab_reader {
    /* Under which names such a file lies in a directory, best first; "*.tiktoken": any that ends so. Ends with NULL. */
    const char *const *files;
    /* Whether the bytes look like this format; NULL: any do. The first in the list that says so reads the file. It fails
     * (ATTN_ENOMEM) where it can not tell. ERROR is not NULL. */
    attn_status (*is)(const attn_vocab_source *source, bool *is, attn_error *error);
    /* ERROR is not NULL. */
    attn_status (*read)(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);
    /* The file itself says what stands around a text and which tokens were added: files beside it do not. */
    bool complete;
} attn_vocab_reader;

/* The readers, in the order in which a content is told and a directory searched. Each line stands for the row
 * attn_vocab_reader_NAME. */
/* clang-format off */
#define ATTN_VOCAB_READERS(READER)                                                       \
    READER(tokenizer_json) /* Hugging Face's tokenizer.json */                           \
    READER(vocab_json)     /* an object of tokens and ids, with merges.txt or alone */   \
    READER(tiktoken)       /* base64 and rank on each line */                            \
    READER(spm_model)      /* SentencePiece's protobuf */                                \
    READER(llama2c)        /* llama2.c's tokenizer.bin */                                \
    READER(vocab_txt)      /* a token a line: any content is one, so this is the last */
/* clang-format on */
#define ATTN_DECLARE(name) extern const attn_vocab_reader attn_vocab_reader_##name;
ATTN_VOCAB_READERS(ATTN_DECLARE)
#undef ATTN_DECLARE

/* The reader of SOURCE by its content. ERROR is not NULL. */
attn_status attn_vocab_reader_of(const attn_vocab_source *source, const attn_vocab_reader **reader, attn_error *error);

/* Appends the names of all readers' files, as in "a, b or c". */
void attn_vocab_file_names(attn_buffer *out);

/* The first of NAMES (ends with NULL) that lies beside SOURCE, opened; *FILE is {0} where none does. */
attn_status attn_vocab_open_beside(const attn_vocab_source *source, const char *const *names, attn_file *file,
                                   attn_error *error);

/* The JSON file NAME (tokenizer_config.json, …) beside SOURCE, the caller's to free; NULL in *ROOT: there is none. */
attn_status attn_vocab_config(const attn_vocab_source *source, const char *name, attn_json_node **root,
                              attn_error *error);

/* *VALUE is the switch KEY of OBJECT, of the file NAME beside SOURCE; absent or null: it stays. Anything else than true and
 * false is refused. */
attn_status attn_vocab_switch(const attn_vocab_source *source, const char *name, const attn_json_node *object,
                              const char *key, bool *value, attn_error *error);

/* What files beside a vocabulary that is not complete say of it (beside.c): SPEC's prefix and suffix, and more added
 * tokens. */
attn_status attn_vocab_beside(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);

/* Puts steps before SPEC's normalizer (prepare.c): those of ALBERT and XLNet where it PREPARES, and lower case; what
 * CONFIG (tokenizer_config.json, or NULL) says of them, LOWERCASE where it does not say. */
attn_status attn_vocab_prepare(const attn_vocab_source *source, const attn_json_node *config, bool prepares,
                               bool lowercase, attn_tokenizer_spec *spec, attn_error *error);

#endif
