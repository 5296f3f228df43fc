/* normalize.h: the normalizers of tokenizer.json and of SentencePiece as a list of steps. Readers
 * and the kinds' open fill the list; a compiled program runs it and keeps where each byte came
 * from. Only files of text/ include it, and load/ where a GGUF asks for a step. */
#ifndef ATTN_TEXT_UNICODE_NORMALIZE_H
#define ATTN_TEXT_UNICODE_NORMALIZE_H

#include "text/kinds/kinds.h"

typedef enum attn_normalize_op {
    ATTN_NORMALIZE_NFC,
    ATTN_NORMALIZE_NFD,
    ATTN_NORMALIZE_NFKC,
    ATTN_NORMALIZE_NFKD,
    ATTN_NORMALIZE_LOWERCASE,
    ATTN_NORMALIZE_STRIP_ACCENTS,  /* combining marks (M) leave; decompose first */
    ATTN_NORMALIZE_BERT,           /* clean_text, split_cjk, strip_accents, lowercase */
    ATTN_NORMALIZE_REPLACE,        /* pattern (a regular expression or a string) → content */
    ATTN_NORMALIZE_PREPEND,        /* content before a text that is not empty */
    ATTN_NORMALIZE_STRIP,          /* white space at the ends: left, right */
    ATTN_NORMALIZE_PRECOMPILED,    /* pattern: SentencePiece's charsmap */
    ATTN_NORMALIZE_NMT,            /* control characters leave, odd spaces become ' ' */
    ATTN_NORMALIZE_COLLAPSE_SPACES /* SentencePiece: none at the ends, one between words */
} attn_normalize_op;

typedef struct attn_normalize_step {
    attn_normalize_op op;
    attn_bytes pattern, content; /* borrowed */
    bool regex;                  /* REPLACE: pattern is a regular expression */
    bool dummy;                  /* PREPEND: not before an added token's content */
    bool left, right;            /* STRIP */
    bool graphemes;              /* PRECOMPILED: look up whole grapheme clusters, as tokenizer.json's users
                     * do; else the longest match, as SentencePiece does */
    bool clean_text, split_cjk, strip_accents, lowercase; /* BERT */
} attn_normalize_step;

struct attn_normalizer {              /* as the spec points to it */
    const attn_normalize_step *steps; /* borrowed; [n_steps] */
    size_t n_steps;
};

typedef struct attn_normalize_program attn_normalize_program;

/* Checks and copies NORMALIZER's steps. A pattern or charsmap that can not be used is refused. No
 * steps: NULL and ATTN_OK. */
attn_status attn_normalize_open(const struct attn_normalizer *normalizer, attn_normalize_program **program,
                                attn_error *error);
void attn_normalize_close(attn_normalize_program *program);

/* The normal form of RAW in NORMAL (empty on entry), or NORMAL->same where nothing changes.
 * Ill-formed bytes pass unchanged. NULL PROGRAM: the same. LOWERCASE: a last step that lower-cases.
 * IS_TEXT: RAW is no added token's content. */
attn_status attn_normalize_run(const attn_normalize_program *program, bool lowercase, bool is_text, attn_bytes raw,
                               attn_normal *normal, attn_error *error);

/* ---- for the files that make the steps: normalize_unicode.c, charsmap.c ---- */

/* A text and where its bytes came from. */
typedef struct attn_source {
    attn_bytes text;             /* borrowed */
    const size_t *starts, *ends; /* borrowed; [text.size]; both NULL: byte i is byte i */
} attn_source;

/* Appends SOURCE's bytes FROM … TO as they are. False: out of memory, as for all below. */
bool attn_normal_copy(attn_normal *out, const attn_source *source, size_t from, size_t to);
/* Appends DATA in the place of SOURCE's bytes FROM … TO. */
bool attn_normal_replace(attn_normal *out, const attn_source *source, size_t from, size_t to, const void *data,
                         size_t size);

bool attn_step_normal_form(attn_normalize_op form, const attn_source *source, attn_normal *out);
/* True when FORM surely leaves TEXT as it is: a quick look, which may say false for no reason. */
bool attn_is_in_form(attn_normalize_op form, attn_bytes text);
bool attn_step_lowercase(const attn_source *source, attn_normal *out);
bool attn_step_strip_accents(const attn_source *source, attn_normal *out);
bool attn_step_clean(const attn_source *source, attn_normal *out);            /* BERT's */
bool attn_step_split_cjk(const attn_source *source, attn_normal *out);        /* BERT's */
bool attn_step_strip_nonspacing(const attn_source *source, attn_normal *out); /* Mn, BERT's */
bool attn_step_nmt(const attn_source *source, attn_normal *out);

/* SentencePiece's precompiled map: a double-array trie and a block of replacements. */
typedef struct attn_charsmap {
    const uint8_t *units; /* borrowed; [n_units] little-endian 32-bit units */
    size_t n_units;
    attn_bytes replacements; /* borrowed; strings ended by NUL */
} attn_charsmap;
attn_status attn_charsmap_open(attn_bytes blob, attn_charsmap *map, attn_error *error);
bool attn_step_charsmap(const attn_charsmap *map, bool graphemes, const attn_source *source, attn_normal *out);

#endif
