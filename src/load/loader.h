/* loader.h: what the files that fill a model share; for load/ only. A loader reads its format into the one attn_model;
 * toy files and -w leave drafts of layers (draft.h), finished when the width is known. */
#ifndef ATTN_LOAD_LOADER_H
#define ATTN_LOAD_LOADER_H

#include "base/json.h"
#include "load/draft.h"
#include "load/load.h"

/* Layers and listed heads cost thousands of bytes here, and in a file perhaps two ("{},"): there are at most so many,
 * and one more for each so many bytes of the file. */
enum { ATTN_MAX_LAYERS = 2048, ATTN_FREE_LAYERS = 1024, ATTN_FREE_HEADS = 2048 };
enum { ATTN_BYTES_A_LAYER = 1024, ATTN_BYTES_A_HEAD = 512 };

typedef struct attn_loader {
    attn_model *model;                 /* borrowed; filled */
    const attn_model_request *request; /* borrowed */
    attn_error *error;                 /* borrowed; may be NULL */
    attn_layer_draft *drafts;          /* in the model's arena; [n_drafts]; not finished yet */
    size_t n_drafts;
    const char *drafts_file; /* borrowed; the file they came from, for messages */
    bool unread_settings;    /* config.json lies beside -w's file */
    bool has_settings;       /* a published model's were read, of which some may be ignored */
    bool drafts_noted;       /* their tensors are in the accounts already */
    attn_mask mask;          /* of the options; its matrices in the model's arena */
    const attn_bytes *words; /* borrowed; [n_vocab], the embeddings' own; NULL: rows are known by id only */
} attn_loader;

/* load.c: the path that gives the model its name and format: -m, or of its parts the first of -e, -v, -w; "": none. */
const char *attn_request_path(const attn_model_request *request);
/* toy/toy.c: a toy model (-m), or only its layers (-w). */
attn_status attn_load_toy(attn_loader *loader, attn_bytes text, const char *file, bool weights_only);
/* load.c: the model can be read, its tokenizer can not, as STATUS and the loader's error say: of no matter where the text
 * is ids or bytes (a warning), or else kept for whoever needs a text. ATTN_ENOMEM stays that. */
attn_status attn_load_without_tokenizer(attn_loader *loader, attn_status status);
/* hub.c: *PATH is NAME, or the directory of the model that is called so in the Hugging Face cache (in the model's arena)
 * where no file is. */
attn_status attn_hub_path(attn_loader *loader, const char *name, const char **path);
/* huggingface.c: a model directory; and -m FILE that is a container, taken over (a GGUF, a .safetensors with
 * config.json beside it). */
attn_status attn_load_directory(attn_loader *loader, const char *path);
attn_status attn_load_container_model(attn_loader *loader, const char *path, const attn_format *format,
                                      attn_file *file);
/* parts.c: -v, -e, -w. */
attn_status attn_load_parts(attn_loader *loader);
/* gguf.c: a model in one GGUF file, kept by the model. */
attn_status attn_load_gguf(attn_loader *loader, const attn_container *container);
/* gguf_vocab.c: the tokenizer of a GGUF file. */
attn_status attn_load_gguf_tokenizer(attn_loader *loader, const attn_container *container);
/* weights.c: -w FILE of a container: drafts of layers by the names of its tensors. */
attn_status attn_load_weights(attn_loader *loader, const char *path);
/* masks.c: the mask of the options. */
attn_status attn_load_masks(attn_loader *loader);
/* overrides.c: what options say against the model's own. */
attn_status attn_apply_overrides(attn_loader *loader);

/* accounts.c */
/* Note what became of TENSOR; ROLE NULL: unused. Strings are borrowed by the model. */
attn_status attn_account_tensor(attn_loader *loader, const char *name, const char *file, const attn_tensor *tensor,
                                const char *role, const char *layout);
/* Add one sentence to the model's warnings. */
void attn_model_warn(attn_model *model, const char *format, ...) ATTN_PRINTF(2, 3);

/* FILE (taken over, also on failure), or the file at PATH, as a container that the model keeps: *KEPT. */
attn_status attn_model_take_container(attn_loader *loader, attn_file *file, attn_container **kept);
attn_status attn_model_open_container(attn_loader *loader, const char *path, attn_container **kept);
/* A name in the model's arena. NULL: no memory. */
const char *attn_model_text(attn_loader *loader, const char *text);
/* A vector or matrix as float32 in the model's arena, or in place where it already is. NULL: no memory. */
const float *attn_model_floats(attn_loader *loader, const attn_tensor *tensor);

/* The tokenizer of a list of words; kind NULL is words. The unknown token is known by its usual names ([UNK], <unk>,
 * <UNK>) where UNKNOWN is empty. */
typedef struct attn_word_list {
    const attn_bytes *words; /* [n] */
    size_t n;
    const attn_kind *kind;
    bool lowercase;
    attn_bytes unknown; /* or empty */
} attn_word_list;
attn_status attn_tokenizer_of_words(const attn_word_list *list, attn_tokenizer **tokenizer, attn_error *error);

#endif
