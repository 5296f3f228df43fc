/* select.h: LISTs of the command line. Private to report/.
 *
 *   LIST = ITEM[,ITEM]…    ITEM = 3 | 5-7 | 2- | -1 | LAYER.ITEM     (−1: the last, −2 the one before …)
 *
 * A list is checked when it is parsed and resolved when the count is known: at once for layers and heads, per
 * text for positions. */
#ifndef ATTN_REPORT_SELECT_H
#define ATTN_REPORT_SELECT_H

#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

typedef struct attn_list_item {
    bool has_layer, range, open; /* open: to the end */
    int64_t layer, first, last;
} attn_list_item;

typedef struct attn_list {
    const attn_list_item *items; /* in the arena; [n] */
    size_t n;
    const char *text; /* as given; NULL: not given */
} attn_list;

/* OPTION ("--layer") names it in messages. TEXT NULL gives the empty list, which stands for all. */
attn_status attn_list_parse(const char *option, const char *text, bool layers_too, attn_arena *arena, attn_list *list,
                            attn_error *error);

/* Sets CHOSEN[i] = 1 for each of the COUNT indices the list names; the empty list names all. A single index
 * beyond the count is refused; a range is too when STRICT, else cut. WHAT: "layers", "tokens". */
attn_status attn_list_resolve(const attn_list *list, const char *option, const char *what, size_t count, bool strict,
                              uint8_t *chosen, attn_error *error);

typedef struct attn_selection { /* of layers and heads; all arrays in the arena */
    const uint8_t *layers;      /* [n_layers] */
    const uint8_t *heads;       /* [n_layers][max_heads] */
    size_t max_heads, n_layers; /* n_layers: selected ones */
    size_t n_heads;             /* selected in each selected layer; 0: not the same in all */
} attn_selection;

typedef struct attn_select_request {
    const attn_model *model;
    const char *layers, *heads; /* LISTs, or NULL */
    bool all_layers;            /* when no layers are given; else the last */
    bool key_heads;             /* heads are key/value heads; else query heads */
} attn_select_request;

/* With heads given or all layers, layers without a selected head are dropped; none left is an error. */
attn_status attn_select(const attn_select_request *request, attn_arena *arena, attn_selection *selection,
                        attn_error *error);
/* How many heads of LAYER are selected. */
size_t attn_selected_heads(const attn_selection *selection, size_t layer);
/* The last selected layer of N_LAYERS; one is selected. */
size_t attn_selected_last(const attn_selection *selection, size_t n_layers);

#endif
