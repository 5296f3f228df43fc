/* spec.h: what a tokenizer is built from, whatever file it came from. The readers in text/vocab/ (reader.h lists them)
 * and the loaders in load/ (toy JSON, word vectors, GGUF metadata) fill it; attn_tokenizer_open compiles it. Everything
 * is borrowed by the spec and must live as long as the spec's owner says (the file or arena it came from);
 * attn_tokenizer_open copies what it needs. */
#ifndef ATTN_TEXT_SPEC_H
#define ATTN_TEXT_SPEC_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

/* How a text becomes tokens: a row of text/kinds/ (kinds.h). NULL stands for auto: what the spec holds decides. */
typedef struct attn_kind attn_kind;

/* The kinds, in the order of --help. Each line stands for the row attn_kind_NAME, with which the kind's file in
 * text/kinds/ ends. */
/* clang-format off */
#define ATTN_KINDS(KIND)                                                                         \
    KIND(words)      /* Unicode words, punctuation apart */                                      \
    KIND(whitespace) /* what white space separates */                                            \
    KIND(longest)    /* inside a run of letters the longest entry at each point */               \
    KIND(chars)      /* grapheme clusters */                                                     \
    KIND(bytes)      /* each byte */                                                             \
    KIND(ids)        /* the text is token ids in decimal */                                      \
    KIND(wordpiece)  /* BERT */                                                                  \
    KIND(bpe)        /* byte-level (GPT-2, Llama 3, Qwen) or SentencePiece-style (Llama 2) */    \
    KIND(unigram)    /* T5, XLM-R */
/* clang-format on */
#define ATTN_DECLARE(name) extern const attn_kind attn_kind_##name;
ATTN_KINDS(ATTN_DECLARE)
#undef ATTN_DECLARE

/* The names of the kinds on the command line and in JSON: "auto" at 0 and for NULL; NULL past the last. */
const char *attn_kind_name_at(size_t index);
const char *attn_kind_name(const attn_kind *kind);
/* The kind that NAME names in *KIND; false: there is none of this name. */
bool attn_kind_find(const char *name, const attn_kind **kind);

/* What a kind makes of rows that no words belong to: vectors without words, weights alone. */
typedef enum attn_wordless {
    ATTN_WORDLESS_REFUSED, /* nothing: it needs a vocabulary */
    ATTN_WORDLESS_OWN,     /* it brings a vocabulary of its own: bytes */
    ATTN_WORDLESS_NUMBERED /* any rows will do, called by their numbers: ids */
} attn_wordless;
attn_wordless attn_kind_wordless(const attn_kind *kind);

#define ATTN_NO_TOKEN UINT32_MAX

/* As GGUF and SentencePiece number them. */
typedef enum attn_token_type {
    ATTN_TOKEN_NORMAL = 1,
    ATTN_TOKEN_UNKNOWN,
    ATTN_TOKEN_CONTROL,
    ATTN_TOKEN_USER,
    ATTN_TOKEN_UNUSED,
    ATTN_TOKEN_BYTE
} attn_token_type;

typedef enum attn_bert_rules {                   /* how WordPiece folds a text: bert_normal.c tells where they differ */
                               ATTN_BERT_PYTHON, /* vocab.txt */
                               ATTN_BERT_RUST    /* tokenizer.json, GGUF */
} attn_bert_rules;

typedef struct attn_added_token { /* recognised in a text before anything else */
    attn_bytes content;
    uint32_t id;
    bool special; /* only with --parse-special (WordPiece: always) */
    bool lstrip, rstrip, single_word, normalized;
} attn_added_token;

/* How text is split before BPE looks at it. */
typedef enum attn_pretokenizer {
    ATTN_SPLIT_NONE,   /* not at all */
    ATTN_SPLIT_GPT2,   /* hand-written, as the next two */
    ATTN_SPLIT_LLAMA3, /* also cl100k */
    ATTN_SPLIT_QWEN2,
    ATTN_SPLIT_PATTERN /* any other, by PCRE2: spec->pattern */
} attn_pretokenizer;

typedef struct attn_tokenizer_spec {
    const attn_kind *kind; /* NULL: auto */
    /* the vocabulary, by id */
    const attn_bytes *tokens; /* [n_tokens]; size 0 with data NULL: no token has this id. NULL: n_tokens rows without
                               * words, of which the kind makes what attn_kind_wordless says */
    size_t n_tokens;
    const float *scores; /* [n_tokens] or NULL: unigram, SentencePiece BPE */
    const double
        *double_scores;   /* [n_tokens] or NULL: unigram's, where the file gives more digits than a float32 has */
    const uint8_t *types; /* [n_tokens] attn_token_type, or NULL */
    const attn_added_token *added;
    size_t n_added;
    uint32_t unknown;         /* an id, or ATTN_NO_TOKEN */
    const char *unknown_name; /* what the file calls the unknown token where nothing is spelled so: a text that needs it
                               * fails, unless the caller says what becomes of unknown words; NULL: none is called so */
    /* tokens the model puts around a text (post-processor; BOS/EOS; [CLS] … [SEP]) */
    const uint32_t *prefix, *suffix;
    size_t n_prefix, n_suffix;
    /* words, whitespace, longest, chars, wordpiece */
    bool lowercase;
    /* wordpiece */
    bool clean_text, split_cjk, strip_accents; /* loaders set strip_accents from lowercase unless told */
    attn_bert_rules bert_rules;
    const char *continuation; /* "##" */
    bool word_marks;          /* GGUF's spelling: U+2581 before a piece that begins a word, nothing before the others;
                               * attn_tokenizer_open respells both as in vocab.txt */
    size_t max_word_chars;    /* 100 */
    /* bpe */
    bool byte_level;               /* GPT-2's byte alphabet; else SentencePiece-style */
    const attn_bytes (*merges)[2]; /* [n_merges], best first; NULL: what the vocabulary holds is merged, with
                                    * scores the highest first, else the lowest id */
    size_t n_merges;
    attn_pretokenizer split;
    const char *pattern; /* ATTN_SPLIT_PATTERN */
    bool ignore_merges;  /* a pre-token that is a token is taken whole */
    bool add_prefix_space;
    const char *piece_prefix; /* by merges, over characters: before each piece of a word but the first; NULL: nothing */
    const char *word_suffix;  /* likewise: behind the last piece of a word ("</w>"); NULL: nothing */
    bool byte_fallback;       /* <0xNN> for what is not in the vocabulary */
    bool dummy_prefix;        /* SentencePiece: a space before the text */
    bool escape_spaces;       /* ' ' becomes U+2581 */
    bool collapse_spaces;
    /* unigram */
    attn_bytes charsmap; /* SentencePiece's precompiled normaliser, or empty */
    bool fuse_unknown;
    bool
        drop_unknown; /* BPE by merges: what is unknown, unless a token stands for it, goes before anything is merged */
    bool float_sums;  /* the scores of a path are summed in float32: SentencePiece's own files; else in double */
    /* more of tokenizer.json's components: see tokenizer_json.c */
    const struct attn_normalizer *normalizer;   /* text/unicode/normalize.h; NULL: what the fields above say */
    const struct attn_presplitter *presplitter; /* text/split/presplit.h; NULL: likewise */
    bool byte_spelled; /* their steps spell the text in GPT-2's byte alphabet, which labels are then read by */
} attn_tokenizer_spec;

/* ---- what a GGUF file's metadata become (load/ fills the struct) ----
 *
 * tokens, scores and token_type are tokenizer.ggml.tokens, .scores, .token_type as they are. Tokens of type
 * CONTROL become added tokens with special set, those of type USER added tokens without; unknown is
 * .unknown_token_id; prefix holds .bos_token_id where .add_bos_token says so, suffix .eos_token_id where
 * .add_eos_token does (the values when absent stand below).
 *
 * tokenizer.ggml.model
 *   "gpt2"   kind bpe, byte_level; merges from .merges, cut at the first space behind their first
 *            byte; attn_spec_split_as(.pre), a missing one is GPT-2's. Bytes are spelled in GPT-2's byte
 *            alphabet, but for a few names. BOS as attn_spec_split_as says, no EOS. "gemma4": the same.
 *   "llama"  kind bpe, byte_level false, merges NULL: by score; byte_fallback, escape_spaces; dummy_prefix
 *            unless .add_space_prefix is false. BOS, no EOS.
 *   "t5"     kind unigram; escape_spaces; dummy_prefix unless .add_space_prefix is false; collapse_spaces where
 *            .remove_extra_whitespaces is true; charsmap from .precompiled_charsmap. No BOS, EOS.
 *   "bert"   kind wordpiece, word_marks, bert_rules RUST, clean_text, split_cjk; lowercase as .normalizer.lowercase
 *            says, or unless the vocabulary has capitals; strip_accents as .normalizer.strip_accents says, or as
 *            lowercase. prefix [CLS] (.cls_token_id or .bos_token_id), suffix [SEP] (.seperator_token_id, so spelled,
 *            or .eos_token_id).
 */

/* The split of published byte-pair tokenizers by tokenizer.ggml.pre's names ("gpt-2", "llama-bpe", "qwen2", …): sets
 * split, pattern, presplitter, ignore_merges, and byte_level, or else byte_fallback and escape_spaces. *BEGINS: BOS stands
 * before a text where the file does not say. An unknown name is ATTN_EUNSUPPORTED. */
attn_status attn_spec_split_as(attn_tokenizer_spec *spec, const char *name, bool *begins, attn_error *error);
const char *attn_split_name_at(size_t index); /* NULL past the last */
extern const char attn_pattern_o200k[];       /* GPT-4o's */

/* The id of the token spelled NAME, or ATTN_NO_TOKEN: a walk over all. */
uint32_t attn_spec_find(const attn_tokenizer_spec *spec, const char *name);
/* The id of the token that is by its name the unknown one ([UNK], <unk> or <UNK>, in this order), or ATTN_NO_TOKEN. */
uint32_t attn_spec_find_unknown(const attn_tokenizer_spec *spec);

/* The caller's KIND over what the file declares: another kind's specials and steps go with it. NULL: no choice. */
void attn_spec_override(attn_tokenizer_spec *spec, const attn_kind *kind);

/* All fields at "none": kind NULL, unknown ATTN_NO_TOKEN, max_word_chars 100, continuation "##". */
attn_tokenizer_spec attn_tokenizer_spec_default(void);

#endif
