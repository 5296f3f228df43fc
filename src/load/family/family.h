/* family.h: the families of published models. Each has one file that turns settings and tensors into the one model
 * struct, from config.json with Hugging Face's names, from GGUF's metadata with GGUF's, or both; it ends in its rows.
 * How to add one: a line in a family's rows (a kin that only its flags set apart), or such a file, declared here and
 * named in family.c's list. */
#ifndef ATTN_LOAD_FAMILY_FAMILY_H
#define ATTN_LOAD_FAMILY_FAMILY_H

#include "load/checkpoint.h"
#include "load/config_json.h"
#include "load/gguf.h"

typedef struct attn_family {
    const char *name; /* config.json's model_type */
    /* Fill CHECKPOINT's model from CONFIG; either may carry the failure. */
    attn_status (*load)(attn_checkpoint *checkpoint, attn_config *config, const struct attn_family *family);
    const void *flags; /* the family's own */
} attn_family;

typedef struct attn_architecture {
    const char *name; /* GGUF's general.architecture */
    attn_status (*load)(attn_checkpoint *checkpoint, attn_gguf *gguf, const struct attn_architecture *architecture);
    const void *flags;
    attn_rope_layout rope_layout; /* of its weights alone (-w): which numbers of a head are a pair */
} attn_architecture;

/* Each ends with a row whose name is NULL. */
extern const attn_family attn_families_bert[], attn_families_gpt2[], attn_families_gpt_neox[], attn_families_llama[];
extern const attn_architecture attn_architectures_bert[], attn_architectures_gpt2[], attn_architectures_llama[];

/* By config.json's model_type; NULL: unknown. */
const attn_family *attn_family_find(const char *model_type);
const char *attn_family_name_at(size_t index); /* for suggestions; NULL past the end */
/* By GGUF's general.architecture; NULL: unknown. */
const attn_architecture *attn_architecture_find(const char *name);

/* What all families do. */
/* Room for N layers in the model, each with the rule's defaults. Refused: more layers than the file has tensors. */
attn_status attn_family_layers(attn_checkpoint *checkpoint, size_t n);
/* The activation called NAME in config.json, or a failure at KEY. */
attn_activation attn_family_activation(attn_config *config, const char *key, const char *fallback);
/* A failure at KEY where N_HEADS do not divide WIDTH, which the file calls WIDTH_KEY. */
void attn_family_check_heads(attn_config *config, const char *key, size_t n_heads, const char *width_key, size_t width);
/* The token embeddings NAME [n_vocab][d_model]. */
void attn_family_embeddings(attn_checkpoint *checkpoint, const char *name, size_t n_vocab, size_t d_model);
/* Learned positions NAME [n_positions][d_model], of which the first OFFSET are not used. */
void attn_family_positions(attn_checkpoint *checkpoint, const char *name, size_t n_positions, size_t offset);
/* The output head: NAME.weight (the checkpoint's prefix does not stand before it), or, TIED, the token embeddings.
 * Without either the model has no head, and a warning says so. */
void attn_family_head(attn_checkpoint *checkpoint, const char *name, bool tied);

#endif
