/* kinds.h: how a tokenizer is built inside: what the driver (tokenizer.c) does for every kind, and
 * the table row by which a kind plugs in. Only files of text/ include it.
 *
 *   text ─▶ split at added tokens ─▶ normalise ─▶ split at normalised added tokens ─▶ encode
 *           (tokenizer.c, added.c)   (the row)    (tokenizer.c)                       (the row)
 *
 * The driver puts the prefix and the suffix around it, applies the unknown rule and writes the
 * hints. */
#ifndef ATTN_TEXT_KINDS_KINDS_H
#define ATTN_TEXT_KINDS_KINDS_H

#include "base/map.h"
#include "base/memory.h"
#include "text/tokenizer.h"
#include "text/unicode/normal.h"

/* ---- what a compiled tokenizer holds ---- */

typedef enum attn_label_style {
    ATTN_LABEL_PLAIN,         /* the spelling is what a person reads */
    ATTN_LABEL_BYTE_LEVEL,    /* GPT-2's byte alphabet: 'Ġ' is a space */
    ATTN_LABEL_SENTENCEPIECE, /* '▁' is a space, <0xNN> a byte */
    ATTN_LABEL_BYTE           /* the spelling, or <0xNN>, is a byte */
} attn_label_style;

typedef struct attn_vocabulary {
    attn_bytes *tokens; /* owned by the tokenizer's arena; [n_tokens]; by id, as in the spec */
    size_t n_tokens;
    size_t n_own; /* those of the model, whose ids come first; the others are added tokens', which no model makes */
    attn_bytes
        *keys;    /* likewise; what is looked up: the spelling, composed where the kind composes texts; may be tokens */
    attn_map ids; /* owned; key → id, the first of equal keys wins */
    bool numbered;     /* tokens are called by their ids: no map is needed, nor made */
    size_t longest;    /* bytes of the longest key */
    uint8_t *is_plain; /* likewise; 1: read as it is spelled, whatever the kind's alphabet */
} attn_vocabulary;

/* The id of the model's own token that is spelled KEY. */
static inline bool attn_vocabulary_find(const attn_vocabulary *vocabulary, attn_bytes key, size_t *id)
{
    size_t found;
    if (!attn_map_find(&vocabulary->ids, key, &found) || found >= vocabulary->n_own)
        return false;
    *id = found;
    return true;
}

struct attn_added; /* added.h: finds added tokens in a text */

struct attn_tokenizer {
    attn_arena arena;      /* owns what the fields below point to, unless they say otherwise */
    const attn_kind *kind; /* spec.kind, or its variant */
    /* The spec's fields, with tokens, types, added, prefix and suffix copied into the
     * arena. What only a kind's open reads (scores, merges, pattern, charsmap, normalizer) is NULL here:
     * the kind keeps its own form of it. kind and continuation are never NULL. */
    attn_tokenizer_spec spec;
    attn_label_style label; /* the kind's, or by the byte alphabet where the spec's steps spell in it */
    attn_vocabulary vocabulary;
    struct attn_added *added;            /* owned; or NULL: recognised in the raw text */
    struct attn_added *added_normalized; /* owned; or NULL: recognised in the normalised text */
    void *state;                         /* owned by the kind, made by its open */
    attn_knows_word *knows;              /* or NULL: what words it knows beyond the vocabulary */
    const void *knows_context;
};

/* ---- one encode ---- */

/* A stretch of the text between added tokens, in normal form. */
typedef struct attn_run {
    attn_bytes text;             /* borrowed */
    const size_t *starts, *ends; /* borrowed; [text.size]; or both NULL: byte i is the original's base + i */
    size_t base;                 /* added to every offset */
    bool first;                  /* nothing of the text lies before it */
} attn_run;

typedef struct attn_span {
    size_t start, end;
} attn_span;

enum { ATTN_MISSING_KEPT = 8 };

/* What travels through one call of attn_tokenizer_encode. */
typedef struct attn_encoder {
    const attn_tokenizer *tokenizer;
    const attn_encode_options *options;
    bool lowercase;        /* the spec's or the option's */
    attn_bytes original;   /* the caller's text */
    uint32_t unknown;      /* emitted for what is not known; ATTN_NO_TOKEN: left out and counted */
    bool unknown_is_error; /* --unknown=error */
    attn_tokens *tokens;
    attn_unknowns *unknowns; /* or NULL */
    attn_error *error;
    uint32_t word;                        /* the number the next emitted token gets; a kind raises it after each word */
    size_t n_known;                       /* tokens emitted that are no specials and no stand-ins for unknowns */
    size_t n_unknown;                     /* units not in the vocabulary */
    attn_span missing[ATTN_MISSING_KEPT]; /* the first unknown units, in the original: for hints */
    size_t n_missing;
    void *scratch; /* the kind's own, made on its first use, freed by the row's free_scratch */
} attn_encoder;

/* Appends token ID for bytes START … END (exclusive) of RUN's text, as a piece of the current word. */
attn_status attn_encoder_emit(attn_encoder *encoder, const attn_run *run, uint32_t id, size_t start, size_t end);
/* RUN's bytes START … END are not in the vocabulary: the unknown token, an error, or counted and
 * left out. */
attn_status attn_encoder_unknown(attn_encoder *encoder, const attn_run *run, size_t start, size_t end);
/* Emits the token spelled like RUN's bytes START … END if there is one, else attn_encoder_unknown. */
attn_status attn_encoder_look_up(attn_encoder *encoder, const attn_run *run, size_t start, size_t end);

/* ---- a kind ---- */

/* The row that a kind's file ends with; all else in the file is static. Its name stands in ATTN_KINDS (spec.h). */
struct attn_kind {
    const char *name; /* on the command line and in toy JSON */
    /* The row for SPEC where one name covers several (BPE over bytes and over characters). NULL: this one. */
    const attn_kind *(*variant)(const attn_tokenizer_spec *spec);
    /* A spec that names no kind is read by the first in the list that SUITS it, or else by the first of all. NULL:
     * suits none. */
    bool (*suits)(const attn_tokenizer_spec *spec);
    /* What becomes of a spec without tokens, and the function that then makes some, in the tokenizer's ARENA; N_TOKENS
     * holds the number of rows, and then that of the tokens (NULL where WORDLESS is REFUSED). */
    attn_wordless wordless;
    attn_status (*vocabulary)(attn_arena *arena, attn_bytes **tokens, size_t *n_tokens, attn_error *error);
    /* Special added tokens are recognised in a text even without --parse-special (WordPiece). */
    bool always_special;
    attn_label_style label;
    /* Fills tokenizer->state from SPEC (the caller's, with merges and all). tokenizer's other
     * fields are ready. On failure the state may be partly made: close is called. NULL: no state. */
    attn_status (*open)(attn_tokenizer *tokenizer, const attn_tokenizer_spec *spec, attn_error *error);
    void (*close)(void *state); /* NULL state is fine */
    /* The normal form of RAW in NORMAL (empty on entry), or NORMAL->same. NULL: every text is its own. A step that
     * fails says so in ERROR, with the place in RAW as its offset where it knows one. Called at open too, for
     * normalized added tokens, with IS_TEXT false. LAZY: encode takes raw text, too (run->starts NULL), so this is
     * called only where there are normalized added tokens. */
    bool lazy;
    /* The text may be taken in blocks that end where attn_segment_block says, so that the normal
     * form and its offsets, 17 bytes a byte, never exist for all of a long text. */
    bool in_blocks;
    attn_status (*normalize)(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool is_text,
                             attn_normal *normal, attn_error *error);
    /* Emits RUN's tokens. */
    attn_status (*encode)(attn_encoder *encoder, const attn_run *run);
    void (*free_scratch)(void *scratch);
    /* Words left out may have a better spelling in the vocabulary: the driver looks for lower case (hints.c). */
    bool hints;
    /* A word is taken whole, so that -t longest may find what it begins with: the driver looks for that, too. */
    bool hints_longest;
};

/* tokenizer.json's models whose steps are no kind's on the command line: WordLevel (a word is a token), and WordPiece
 * behind steps of its own (wordpiece's row for a spec with steps). */
extern const attn_kind attn_kind_wordlevel, attn_kind_wordpiece_steps;
/* SentencePiece's models of type CHAR and WORD. */
extern const attn_kind attn_kind_spm_chars, attn_kind_spm_words;

/* The row that reads SPEC; its kind, where it named none, is filled in. */
const attn_kind *attn_kind_for(attn_tokenizer_spec *spec);

/* The canonical composition of RAW, lower-cased where asked, with offsets: words, whitespace,
 * longest, chars (compose.c). */
attn_status attn_compose_normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool is_text,
                                   attn_normal *normal, attn_error *error);

#endif
