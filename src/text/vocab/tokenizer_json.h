/* tokenizer_json.h: the parts of the reader of tokenizer.json. Only tokenizer_json*.c
 * include it. */
#ifndef ATTN_TEXT_VOCAB_TOKENIZER_JSON_H
#define ATTN_TEXT_VOCAB_TOKENIZER_JSON_H

#include "base/json.h"
#include "text/unicode/normalize.h"
#include "text/split/presplit.h"

typedef struct attn_id_list {
    uint32_t *ids; /* owned; [count] */
    size_t count, capacity;
} attn_id_list;

/* What the file says, gathered key by key: the keys come in any order. */
typedef struct attn_tokenizer_json {
    attn_json *json;
    attn_arena *arena; /* borrowed; takes all that the spec points to */
    attn_tokenizer_spec *spec;
    attn_error *error;
    const char *unknown;                       /* the model's unk_token; NULL: none */
    bool framed;                               /* a post-processor has put tokens around the text */
    bool has_unknown_id;                       /* Unigram's unk_id, in spec->unknown */
    struct attn_presplitter *made_presplitter; /* what the spec's points to */
    const char *bad_switch; /* the first switch that is neither true nor false, at bad_line; NULL: none */
    uint64_t bad_line;
    const char *normalizer; /* the outermost component's type, or NULL */
    const char *pre_tokenizer;
    attn_id_list prefix, suffix; /* what post-processors put around a text; the spec's in the end */
} attn_tokenizer_json;

/* Each reads the value at the reader. ATTN_EUNSUPPORTED names what is not supported. */
attn_status attn_tokenizer_json_model(attn_tokenizer_json *file);
attn_status attn_tokenizer_json_normalizer(attn_tokenizer_json *file);
attn_status attn_tokenizer_json_pre_tokenizer(attn_tokenizer_json *file);

/* ---- small helps ---- */

/* NODE's component ("type"), or a failure. */
attn_status attn_component_type(attn_tokenizer_json *file, const attn_json_node *node, const char **type);
/* "the WHAT 'NAME' is not supported", with NODE's line. */
attn_status attn_component_refuse(attn_tokenizer_json *file, const attn_json_node *node, const char *what,
                                  const char *name);
/* NODE's member KEY must be TYPE. */
attn_status attn_component_missing(attn_tokenizer_json *file, const attn_json_node *node, const char *key,
                                   const char *type);
/* A copy of TEXT in the arena; data NULL: out of memory. */
attn_bytes attn_component_text(attn_tokenizer_json *file, const char *text);
/* A member that is true or false; FALLBACK where it is absent or null. */
bool attn_component_switch(attn_tokenizer_json *file, const attn_json_node *node, const char *key, bool fallback);

#endif
