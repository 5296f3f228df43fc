/* weights_settings.h: settings beside the matrices of a container of weights; for weights.c only. */
#ifndef ATTN_LOAD_WEIGHTS_SETTINGS_H
#define ATTN_LOAD_WEIGHTS_SETTINGS_H

#include "formats/container.h"
#include "load/draft.h"

/* T as a setting (one number by a toy's key) of all N_LAYERS drafts; false: it is none. */
bool attn_weights_setting(const attn_named_tensor *t, attn_layer_draft *drafts, size_t n_layers);
/* GGUF's metadata on rotary positions, for --positions=rope. */
void attn_weights_meta(const attn_container *container, attn_layer_draft *drafts, size_t n_layers);

#endif
