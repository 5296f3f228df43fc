/* tokenizer.h: text in, tokens out. A tokenizer is read-only once open: threads may share it. */
#ifndef ATTN_TEXT_TOKENIZER_H
#define ATTN_TEXT_TOKENIZER_H

#include "base/buffer.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "text/spec.h"

typedef struct attn_token {
    uint32_t id;
    uint32_t word : 31; /* number of the word it is a piece of, from 0: --by-word joins equal ones */
    uint32_t special : 1;
    size_t start, end; /* byte offsets into the text; equal for an added special */
} attn_token;

enum { ATTN_WORD_NUMBERS = INT32_MAX };

typedef struct attn_tokens {
    attn_token *items; /* owned; [count] */
    size_t count, capacity;
    /* Words that the vocabulary lacks and that are known all the same (attn_tokenizer_knows_more), each once: the ids
     * that follow the vocabulary's. */
    attn_map made;         /* owned; keys in made_texts */
    attn_arena made_texts; /* owned */
} attn_tokens;
void attn_tokens_clear(attn_tokens *tokens); /* what it had room for it keeps */
void attn_tokens_free(attn_tokens *tokens);

typedef struct attn_tokenizer attn_tokenizer;

/* Compiles SPEC, which may be freed afterwards (what is needed is copied). */
attn_status attn_tokenizer_open(const attn_tokenizer_spec *spec, attn_tokenizer **tokenizer, attn_error *error);
void attn_tokenizer_close(attn_tokenizer *tokenizer);

/* The vocabulary file that is best in a model's DIRECTORY, by the names that the readers of text/vocab/ know
 * (reader.h): its path, owned by the caller, or NULL in *FOUND where there is none. ATTN_OK or ATTN_ENOMEM. */
attn_status attn_vocab_find(const char *directory, char **found, attn_error *error);

/* Reads a vocabulary file, told by its content: whatever a reader of text/vocab/ takes (tokenizer.json, vocab.json with
 * merges.txt beside it, tiktoken's ranks, SentencePiece's .model, llama2.c's tokenizer.bin, vocab.txt, a list of
 * tokens). A directory: the file in it that attn_vocab_find names. KIND other than NULL overrides what the file
 * declares. Every file that is read is noted in FILES (or NULL). GGUF is not read here (load/ does). */
attn_status attn_tokenizer_load(const char *path, attn_file_list *files, const attn_kind *kind,
                                attn_tokenizer **tokenizer, attn_error *error);

/* The same of FILE, open already (a pipe is read but once); it stays the caller's. PATH, as it was given, is
 * where files beside it are looked for. */
attn_status attn_tokenizer_of_file(const char *path, const attn_file *file, const attn_kind *kind,
                                   attn_tokenizer **tokenizer, attn_error *error);

typedef enum attn_unknown_rule {
    ATTN_UNKNOWN_DEFAULT, /* the unknown token if the vocabulary has one, else leave out and count */
    ATTN_UNKNOWN_SKIP,
    ATTN_UNKNOWN_ERROR,
    ATTN_UNKNOWN_TOKEN
} attn_unknown_rule;

typedef struct attn_encode_options {
    bool add_special;   /* --special=auto */
    bool parse_special; /* --parse-special */
    int lowercase;      /* −1: as the spec says; 0, 1 */
    attn_unknown_rule unknown;
    uint32_t unknown_token; /* with ATTN_UNKNOWN_TOKEN */
} attn_encode_options;
attn_encode_options attn_encode_options_default(void); /* add_special, lowercase −1 */

/* What a run could not find: counted, the first few kept, for one warning at its end. */
enum {
    ATTN_UNKNOWNS_KEPT = 5,
    ATTN_UNKNOWN_SHOWN = 64 /* bytes of a word; of a megabyte's word no more is shown */
};
typedef struct attn_unknowns {
    size_t count;
    size_t n_kept;                  /* distinct ones */
    char *kept[ATTN_UNKNOWNS_KEPT]; /* owned */
    bool more;                      /* there are others than these */
} attn_unknowns;
/* Counts WORD; false: out of memory. */
bool attn_unknowns_note(attn_unknowns *unknowns, attn_bytes word);
void attn_unknowns_free(attn_unknowns *unknowns);

/* Appends the tokens of TEXT to TOKENS. Words left out are counted in UNKNOWNS (may be NULL). A text that
 * holds something but none of it is known is ATTN_EDATA (nothing is counted then) with a hint ('king' is there, try --lowercase). An
 * empty text (or one of white space) gives no tokens but the specials, and ATTN_OK. Byte offsets count from
 * TEXT's first byte. */
attn_status attn_tokenizer_encode(const attn_tokenizer *tokenizer, attn_bytes text, const attn_encode_options *options,
                                  attn_tokens *tokens, attn_unknowns *unknowns, attn_error *error);

/* The same of WORD, which is asked for by itself and stands for what it is in a running text: the one token that it is,
 * in the form that follows a space (Ġking, ▁king) where the vocabulary has one, or else its pieces. OPTIONS' lower case
 * comes first; their specials are the caller's to leave out. */
attn_status attn_tokenizer_encode_word(const attn_tokenizer *tokenizer, attn_bytes word,
                                       const attn_encode_options *options, attn_tokens *tokens, attn_unknowns *unknowns,
                                       attn_error *error);

/* From now on a word that the vocabulary lacks is known when KNOWS says so, which must answer alike as long as the
 * tokenizer lives; CONTEXT is borrowed. For kinds that look whole words up. */
typedef bool attn_knows_word(const void *context, attn_bytes word);
void attn_tokenizer_knows_more(attn_tokenizer *tokenizer, attn_knows_word *knows, const void *context);

const attn_kind *attn_tokenizer_kind_of(const attn_tokenizer *tokenizer);
size_t attn_tokenizer_size(const attn_tokenizer *tokenizer); /* ids are below this */
/* The id of a token by its own spelling, or by what it shows; ATTN_NO_TOKEN: none. */
uint32_t attn_tokenizer_find(const attn_tokenizer *tokenizer, attn_bytes token);
/* The vocabulary's own spelling (borrowed; size 0 with data NULL: no such token). */
attn_bytes attn_tokenizer_spelling(const attn_tokenizer *tokenizer, uint32_t id);
/* Appends what a person reads: valid UTF-8, 'Ġ' and '▁' as a space, bytes of a split character as \xNN.
 * RAW: the spelling itself (ill-formed bytes still as \xNN). */
void attn_tokenizer_label(const attn_tokenizer *tokenizer, uint32_t id, bool raw, attn_buffer *label);
/* The word of ID, one of TOKENS' that the vocabulary lacks; data NULL: it is the vocabulary's. */
attn_bytes attn_tokens_made(const attn_tokens *tokens, const attn_tokenizer *tokenizer, uint32_t id);
/* The label of ID, the vocabulary's or one of TOKENS'. */
void attn_tokens_label(const attn_tokens *tokens, const attn_tokenizer *tokenizer, uint32_t id, bool raw,
                       attn_buffer *label);

#endif
