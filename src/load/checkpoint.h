/* checkpoint.h: a published model's tensors by name: each is asked for with the shape the settings promise, and noted
 * in the accounts; what nobody asked for is noted as unused. Used by the families' files. Like config_json.h's, the
 * functions remember the first failure. */
#ifndef ATTN_LOAD_CHECKPOINT_H
#define ATTN_LOAD_CHECKPOINT_H

#include "load/loader.h"

typedef struct attn_checkpoint {
    attn_loader *loader;             /* borrowed */
    const attn_container *container; /* borrowed; the model's own */
    const char *prefix;              /* borrowed; stands before every name asked for ("model."), or "" */
    bool *used;                      /* owned; [n_tensors] */
    bool conv1d;                     /* matrices are [in][out] (GPT-2's Conv1D) instead of Linear's [out][in] */
    bool plus_one;                   /* RMS norms are stored as w − 1 (Gemma) */
    attn_status status;              /* the first failure */
} attn_checkpoint;

attn_status attn_checkpoint_open(attn_loader *loader, const attn_container *container, attn_checkpoint *checkpoint);
/* Note the tensors nobody asked for. The checkpoint's status. */
attn_status attn_checkpoint_finish(attn_checkpoint *checkpoint);
void attn_checkpoint_close(attn_checkpoint *checkpoint);

/* The first of PREFIXES (NULL-terminated) with which NAME is there becomes the prefix. False: none. */
bool attn_checkpoint_choose_prefix(attn_checkpoint *checkpoint, const char *const *prefixes, const char *name);

/* A tensor's name; '#' in it stands for the layer's number: "h.#.ln_1". */
typedef struct attn_name {
    const char *within;  /* borrowed; "" or what stands before the pattern ("encoder.layer.#.") */
    const char *pattern; /* borrowed */
    size_t layer;
    bool whole; /* the checkpoint's prefix does not stand before it (output heads) */
} attn_name;
attn_name attn_name_of(const char *pattern, size_t layer);
attn_name attn_name_whole(const char *pattern);

/* Whether the tensor is there, SUFFIX (".weight", or "") behind its name. */
bool attn_checkpoint_has(const attn_checkpoint *checkpoint, attn_name name, const char *suffix);
/* [rows][columns] as it lies, noted as ROLE. */
attn_tensor attn_checkpoint_matrix(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t rows,
                                   size_t columns);
/* NAME.weight as y = x·W of IN × OUT, and, where there is to be one, NAME.bias. */
attn_linear attn_checkpoint_linear(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t in, size_t out,
                                   bool bias);
/* A vector as float32; NULL after a failure. */
const float *attn_checkpoint_vector(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t n);
/* NAME.weight (and .bias for LayerNorm; the old names gamma and beta too) of WIDTH numbers. */
attn_norm attn_checkpoint_norm(attn_checkpoint *checkpoint, attn_name name, const char *role, attn_norm_kind kind,
                               size_t width, double epsilon);
/* COUNT elements of SIZE bytes in the model's arena, 64-byte aligned; NULL: out of memory, noted. */
void *attn_checkpoint_alloc(attn_checkpoint *checkpoint, size_t count, size_t size);
/* Columns FROM…FROM+COUNT−1 of a linear map: part of a fused one. */
attn_linear attn_linear_part(attn_linear whole, size_t from, size_t count);

#endif
