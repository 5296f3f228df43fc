/* texts.h: tokenizers from lists, files and outside data, and what they make of a text, as text. */
#ifndef ATTN_TESTING_TEXTS_H
#define ATTN_TESTING_TEXTS_H

#include "text/tokenizer.h"
#include "text/vocab/reader.h"

/* A tokenizer over LIST, tokens separated by '\n'. */
attn_tokenizer *texts_tokenizer(const attn_kind *kind, const char *list, bool lowercase);
/* From a file or folder; it must open. */
attn_tokenizer *texts_load(const char *path, const attn_kind *kind);
/* From a folder with LIST [SIZE] as its vocab.txt and CONFIG (NULL: none) as its tokenizer_config.json. */
attn_tokenizer *texts_load_list(const void *list, size_t size, const char *config);
/* READER over BYTES as if they were PATH's. *TOKENIZER NULL: failed. */
attn_status texts_open(const attn_vocab_reader *reader, const char *path, attn_bytes bytes, attn_tokenizer **tokenizer,
                       attn_error *error);
/* tokenizer.json's text; it must open. */
attn_tokenizer *texts_open_json(const char *json);

/* The default options but without the model's own special tokens around the text. */
attn_encode_options texts_plain(void);

/* What TOKENIZER makes of TEXT: "label@start-end label@start-end …"; its ids, joined by spaces. "ERROR: message" where
 * it fails. OPTIONS NULL: the defaults. */
const char *texts_show(const attn_tokenizer *tokenizer, attn_bytes text, const attn_encode_options *options,
                       attn_unknowns *unknowns);
const char *texts_ids(const attn_tokenizer *tokenizer, attn_bytes text, const attn_encode_options *options);
/* The ids by texts_plain are IDS. */
void texts_expect(const attn_tokenizer *tokenizer, attn_bytes text, const char *ids);

/* llama.cpp's conformance texts for one vocabulary: FOLDER's conformance.inp and .out, 47 texts and their ids. */
void texts_conform(const attn_tokenizer *tokenizer, const char *folder);

/* Writes a precompiled character map to BLOB, its size: "A" → "ab", "AB" → "b". */
enum { TEXTS_CHARSMAP_ROOM = 512 };
size_t texts_charsmap(uint8_t *blob);

#endif
