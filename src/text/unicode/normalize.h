/* normalize.h: the normalizers of tokenizer.json and of SentencePiece as a list of steps. Readers and the kinds' open
 * fill the list; a compiled program runs it and keeps where each byte came from. Only files of text/ include it, and
 * load/ where a GGUF asks for a step. */
#ifndef ATTN_TEXT_UNICODE_NORMALIZE_H
#define ATTN_TEXT_UNICODE_NORMALIZE_H

#include "text/steps.h"
#include "text/unicode/normal.h"
#include "text/unicode/spm_normal.h"

typedef enum attn_normalize_op {
    ATTN_NORMALIZE_NFC,
    ATTN_NORMALIZE_NFD,
    ATTN_NORMALIZE_NFKC,
    ATTN_NORMALIZE_NFKD,
    ATTN_NORMALIZE_LOWERCASE,
    ATTN_NORMALIZE_STRIP_ACCENTS,   /* combining marks (M) leave; decompose first */
    ATTN_NORMALIZE_BERT,            /* clean_text, split_cjk, strip_accents, lowercase */
    ATTN_NORMALIZE_REPLACE,         /* pattern (a regular expression or a string) → content */
    ATTN_NORMALIZE_PREPEND,         /* content before a text that is not empty */
    ATTN_NORMALIZE_STRIP,           /* white space at the ends: left, right */
    ATTN_NORMALIZE_PRECOMPILED,     /* pattern: SentencePiece's charsmap */
    ATTN_NORMALIZE_NMT,             /* control characters leave, odd spaces become ' ' */
    ATTN_NORMALIZE_BYTE_LEVEL,      /* each byte becomes its letter of GPT-2's byte alphabet */
    ATTN_NORMALIZE_COLLAPSE_SPACES, /* SentencePiece: none at the ends, one between words */
    ATTN_NORMALIZE_SENTENCEPIECE    /* its whole normalizer: pattern (a charsmap, or empty), rules, symbols */
} attn_normalize_op;

typedef struct attn_normalize_step {
    attn_normalize_op op;
    attn_bytes pattern, content; /* borrowed */
    bool regex;                  /* REPLACE: pattern is a regular expression */
    bool dummy;                  /* not done to an added token's content */
    bool left, right;            /* STRIP */
    bool graphemes;              /* PRECOMPILED: look up whole grapheme clusters, as tokenizer.json's users
                     * do; else the longest match, as SentencePiece does */
    bool combining;              /* STRIP_ACCENTS: what has a combining class leaves, in the place of all marks */
    bool clean_text, split_cjk, strip_accents, lowercase; /* BERT */
    bool python;                                          /* BERT: by Python's rules, where a last Σ is ς */
    attn_spm_rules rules;                                 /* SENTENCEPIECE */
    const attn_bytes *symbols;                            /* likewise; borrowed, [n_symbols]: kept as they are */
    size_t n_symbols;
} attn_normalize_step;

struct attn_normalizer {              /* as the spec points to it */
    const attn_normalize_step *steps; /* borrowed; [n_steps] */
    size_t n_steps;
};

/* What tokenizer.json calls a step: "NFC", "Replace" …; errors do, too. */
const char *attn_normalize_name(attn_normalize_op op);

/* Checks and copies NORMALIZER's steps; attn_steps_close them. A pattern or charsmap that can not be used is refused.
 * No steps: NULL and ATTN_OK. */
attn_status attn_normalize_open(const struct attn_normalizer *normalizer, attn_steps **program, attn_error *error);

/* The normal form of RAW in NORMAL (empty on entry), or NORMAL->same where nothing changes. Ill-formed bytes pass
 * unchanged. NULL PROGRAM: the same. LOWERCASE: a last step that lower-cases. IS_TEXT: RAW is no added token's content.
 * A step that fails is named: its pattern gives up on this text (the error's offset is the place in RAW), or it makes
 * more than attn_normalize_limit bytes. */
attn_status attn_normalize_run(const attn_steps *program, bool lowercase, bool is_text, attn_bytes raw,
                               attn_normal *normal, attn_error *error);

/* The bytes that steps may make of RAW: 64 for each, and 64 KB. Without a limit a file of a kilobyte, some twenty steps
 * that double a text, takes all memory. */
size_t attn_normalize_limit(attn_bytes raw);

#endif
