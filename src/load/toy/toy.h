/* toy.h: the reader of toy JSON, between toy.c (the model's keys) and toy_layer.c (a layer's keys). */
#ifndef ATTN_LOAD_TOY_TOY_H
#define ATTN_LOAD_TOY_TOY_H

#include "load/loader.h"

typedef struct attn_toy {
    attn_loader *loader; /* borrowed */
    attn_json *json;     /* borrowed; the scanner */
    const char *file;    /* borrowed */
    size_t size;         /* bytes of the file: what costs more here than there is limited by it */
    size_t n_heads_listed;
    attn_arena *arena; /* borrowed; the model's */
} attn_toy;

/* True when KEY is one of a layer's. */
bool attn_toy_is_layer_key(attn_bytes key);
/* Read the value of KEY, a layer's, into DRAFT. False: the scanner has failed. */
bool attn_toy_layer_value(attn_toy *toy, attn_bytes key, attn_layer_draft *draft);
/* Read one object of layer keys. */
bool attn_toy_layer(attn_toy *toy, attn_layer_draft *draft);
/* The INDEXth layer key, for suggestions; NULL past the end. */
const char *attn_toy_layer_key_at(size_t index);
/* Refuse KEY, with the names NAME_AT gives and the nearest. False. */
bool attn_toy_unknown_key(attn_toy *toy, attn_bytes key, const char *(*name_at)(size_t));
/* Refuse the value FOUND of KEY, with all names that NAME_AT gives. False. */
bool attn_toy_unknown_name(attn_toy *toy, const char *key, const char *found, const char *(*name_at)(size_t));
/* After a failure: KEY before the message where the value that begins at PLACE, not something in it, is at fault. */
void attn_toy_name_key(const attn_toy *toy, const char *key, attn_place place);
/* A matrix or vector (RANK as attn_json_matrix) to the arena. */
bool attn_toy_matrix(attn_toy *toy, const char *name, size_t rank, attn_draft_matrix *matrix);

#endif
