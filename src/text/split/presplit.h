/* presplit.h: the pre-tokenizers of tokenizer.json as a list of steps: a run of normalised text
 * becomes the words that a model then cuts into tokens. Only files of text/ include it. */
#ifndef ATTN_TEXT_SPLIT_PRESPLIT_H
#define ATTN_TEXT_SPLIT_PRESPLIT_H

#include "text/kinds/kinds.h"
#include "text/unicode/normalize.h"

typedef enum attn_presplit_op {
    ATTN_PRESPLIT_RULE,        /* a hand-written splitter: rule */
    ATTN_PRESPLIT_PATTERN,     /* a regular expression or a string: pattern */
    ATTN_PRESPLIT_PREFIX,      /* a space before each word that begins with none (ByteLevel's add_prefix_space) */
    ATTN_PRESPLIT_WORDS,       /* \w+|[^\w\s]+ (tokenizer.json's Whitespace) */
    ATTN_PRESPLIT_WHITESPACE,  /* what white space separates */
    ATTN_PRESPLIT_BERT,        /* what white space separates, punctuation apart */
    ATTN_PRESPLIT_METASPACE,   /* ' ' becomes pattern, one is put before, a word begins at each */
    ATTN_PRESPLIT_DIGITS,      /* runs of digits apart, or each */
    ATTN_PRESPLIT_PUNCTUATION, /* each punctuation mark, as behavior says */
    ATTN_PRESPLIT_LENGTH,      /* each length characters */
    ATTN_PRESPLIT_SCRIPTS,     /* where the script changes: tokenizer.json's UnicodeScripts */
    ATTN_PRESPLIT_SPELL        /* each byte becomes its letter of GPT-2's byte alphabet */
} attn_presplit_op;

/* What becomes of what a step finds. */
typedef enum attn_split_behavior {
    ATTN_SPLIT_REMOVED,
    ATTN_SPLIT_ISOLATED,
    ATTN_SPLIT_MERGED_WITH_PREVIOUS,
    ATTN_SPLIT_MERGED_WITH_NEXT,
    ATTN_SPLIT_CONTIGUOUS
} attn_split_behavior;

typedef enum attn_prepend_scheme { ATTN_PREPEND_NEVER, ATTN_PREPEND_FIRST, ATTN_PREPEND_ALWAYS } attn_prepend_scheme;

typedef struct attn_presplit_step {
    attn_presplit_op op;
    attn_pretokenizer rule;
    attn_bytes pattern;           /* borrowed */
    bool regex;                   /* PATTERN: pattern is a regular expression */
    attn_split_behavior behavior; /* RULE, PATTERN, PUNCTUATION */
    bool invert;                  /* RULE, PATTERN: what the pattern does not match is found */
    bool individual;              /* DIGITS */
    size_t length;                /* LENGTH; not 0 */
    attn_prepend_scheme prepend;  /* METASPACE */
    bool split;                   /* METASPACE */
} attn_presplit_step;

struct attn_presplitter {            /* as the spec points to it */
    const attn_presplit_step *steps; /* borrowed; [n_steps] */
    size_t n_steps;
};

/* Checks and copies the steps; attn_steps_close them. No steps: NULL and ATTN_OK. */
attn_status attn_presplit_open(const struct attn_presplitter *presplitter, attn_steps **program, attn_error *error);

/* The hand-written splitter that is all of PROGRAM, or ATTN_SPLIT_NONE: then words can be taken one
 * by one. */
attn_pretokenizer attn_presplit_rule(const attn_steps *program);

typedef struct attn_word {
    size_t start, end; /* in run.text */
} attn_word;

typedef struct attn_words { /* {0} at first; reused from run to run */
    attn_run run;           /* the text that the words lie in */
    attn_word *items;       /* owned; [count] */
    size_t count, capacity;
    attn_normal text; /* owned; a changed text */
    attn_word *spare; /* owned; [spare_capacity] */
    size_t spare_capacity;
} attn_words;

/* The words of RUN. NULL PROGRAM: one, all of it. */
attn_status attn_presplit_run(const attn_steps *program, const attn_run *run, attn_words *words, attn_error *error);
void attn_words_free(attn_words *words);

#endif
