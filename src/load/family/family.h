/* family.h: the families of published models. Each has one file that turns settings and tensors into the one model
 * struct: from config.json with Hugging Face's names, and from GGUF's metadata with GGUF's names. */
#ifndef ATTN_LOAD_FAMILY_FAMILY_H
#define ATTN_LOAD_FAMILY_FAMILY_H

#include "load/config_json.h"
#include "load/checkpoint.h"

typedef struct attn_family {
    const char *name; /* config.json's model_type, or GGUF's general.architecture */
    /* Fill CHECKPOINT's model from CONFIG; either may carry the failure. */
    attn_status (*load)(attn_checkpoint *checkpoint, attn_config *config, const struct attn_family *family);
    const void *flags; /* the family's own */
} attn_family;

/* By config.json's model_type; NULL: unknown. */
const attn_family *attn_family_find(const char *model_type);
const char *attn_family_name_at(size_t index); /* for suggestions; NULL past the end */

extern const attn_family attn_families_gpt2[], attn_families_llama[], attn_families_bert[],
    attn_families_gpt_neox[]; /* each ends with a row whose name is NULL */

/* What all families do. */
enum { ATTN_MAX_LAYERS = 10000 };
/* Room for N layers in the model, each with the rule's defaults. Refused: more layers than the file has tensors. */
attn_status attn_family_layers(attn_checkpoint *checkpoint, size_t n);
/* The activation called NAME in config.json, or a failure at KEY. */
attn_activation attn_family_activation(attn_config *config, const char *key, const char *fallback);
/* The token embeddings NAME.weight [n_vocab][d_model]. */
void attn_family_embeddings(attn_checkpoint *checkpoint, const char *name, size_t n_vocab, size_t d_model);
/* The output head: NAME.weight (with a prefix of its own), or, TIED, the token embeddings. Without either the model has
 * no head, and a warning says so. */
void attn_family_head(attn_checkpoint *checkpoint, const char *name, bool tied, attn_bias bias);

#endif
