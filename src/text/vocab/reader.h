/* reader.h: the table of vocabulary file formats that load.c tells apart. Only files of text/
 * include it.
 *
 * Every reader fills SPEC from a file: what the spec points to lies in ARENA or in the bytes of
 * SOURCE, which both outlive attn_tokenizer_open. A reader sets spec->kind to what the file
 * declares and leaves NULL where it declares nothing; load.c then applies the caller's choice. */
#ifndef ATTN_TEXT_VOCAB_READER_H
#define ATTN_TEXT_VOCAB_READER_H

#include "base/file.h"
#include "base/memory.h"
#include "text/spec.h"

typedef struct attn_vocab_source {
    const char *path; /* borrowed; files beside it: attn_path_beside(path, …) */
    attn_bytes bytes; /* borrowed; the whole file, without a leading UTF-8 BOM */
    attn_arena *arena;
} attn_vocab_source;

typedef struct attn_vocab_format {
    const char *name; /* "vocab.txt": for messages, and the name to look for in a directory */
    /* True when the bytes look like this format. The first row that says so reads the file. */
    bool (*is)(const attn_vocab_source *source);
    attn_status (*read)(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);
} attn_vocab_format;

/* In the order in which a directory is searched; ends with a row whose name is NULL. */
extern const attn_vocab_format attn_vocab_formats[];

/* {"model": …, "added_tokens": …} (tokenizer_json.c) */
bool attn_is_tokenizer_json(const attn_vocab_source *source);
attn_status attn_spec_read_tokenizer_json(const attn_vocab_source *source, attn_tokenizer_spec *spec,
                                          attn_error *error);
/* {"token": id, …} with merges.txt beside it (vocab_json.c) */
bool attn_is_vocab_json(const attn_vocab_source *source);
attn_status attn_spec_read_vocab_json(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);
/* base64 and rank on each line (tiktoken.c) */
bool attn_is_tiktoken(const attn_vocab_source *source);
attn_status attn_spec_read_tiktoken(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);
/* SentencePiece's protobuf (spm_model.c) */
bool attn_is_spm_model(const attn_vocab_source *source);
attn_status attn_spec_read_spm_model(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);
/* llama2.c's tokenizer.bin (llama2c_vocab.c) */
bool attn_is_llama2c_vocab(const attn_vocab_source *source);
attn_status attn_spec_read_llama2c_vocab(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);
/* One token a line, the line's number is its id: BERT's vocab.txt, or a plain list (vocab_txt.c) */
bool attn_is_vocab_txt(const attn_vocab_source *source);
attn_status attn_spec_read_vocab_txt(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error);

#endif
