/* weights.c: -w FILE: layers from named matrices: npz, safetensors, GGUF and the like become drafts. Matrices in npz
 * and npy are [in][out] whatever their names; the containers of published models keep the layout that the name tells
 * (roles.c). JSON with a layer's keys is toy.c's. */
#include "config.h"

#include "base/foreign.h"
#include "base/suggest.h"
#include "load/loader.h"
#include "load/roles.h"
#include "load/weights_settings.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ASKED = 200 }; /* tensors whose names are looked at for a suggestion */

typedef struct weighing {
    attn_loader *loader;
    const attn_container *container;
    attn_layer_draft *drafts;
    size_t n_layers;
    size_t bytes; /* of the files */
    size_t n_heads_listed;
} weighing;

static attn_status refuse(const weighing *w, const attn_named_tensor *t, const char *expected)
{
    char found[128];
    attn_tensor_describe(&t->tensor, found, sizeof found);
    attn_fail(w->loader->error, ATTN_EDATA, "%s: expected %s, found %s", t->name, expected, found);
    return attn_error_file(w->loader->error, t->file);
}

static attn_draft_matrix matrix_of(const attn_named_tensor *t, attn_tensor view)
{
    return (attn_draft_matrix){.tensor = view, .name = t->name};
}

/* [n] of [1][n], [n][1] and the like. */
static bool as_vector(attn_tensor *tensor)
{
    size_t count;
    return attn_tensor_count(tensor, &count) && attn_tensor_as(tensor, 1, &count, tensor);
}

/* A matrix of one row or one column whose dimension of 1 the writer left out: the width of the stream, or else that
 * there is one number a token, tells which it is. */
static attn_status take_line(const weighing *w, const attn_named_tensor *t, attn_weight_role role,
                             attn_layer_draft *draft)
{
    size_t n = t->tensor.shape[0], d = w->loader->model->d_model;
    bool row = role == ATTN_ROLE_O ? d == n && d > 1 : d == 1;
    attn_tensor view;
    if (draft->w[role].tensor.data != NULL)
        return refuse(w, t, "one matrix a role");
    attn_tensor_as(&t->tensor, 2, row ? (size_t[]){1, n} : (size_t[]){n, 1}, &view);
    draft->w[role] = matrix_of(t, view);
    return ATTN_OK;
}

/* [head][d_model][head_dim] as a head each; [head][value_dim][d_model] of W_O as one matrix. */
static attn_status take_heads(weighing *w, const attn_named_tensor *t, attn_weight_role role, attn_layer_draft *draft)
{
    if (role == ATTN_ROLE_O) {
        attn_tensor flat = t->tensor;
        if (flat.strides[0] != flat.strides[1] * (ptrdiff_t)flat.shape[1])
            return refuse(w, t, "a contiguous array");
        flat.n_dims = 2;
        flat.shape[0] *= flat.shape[1];
        flat.shape[1] = flat.shape[2];
        flat.strides[0] = flat.strides[1];
        flat.strides[1] = flat.strides[2];
        draft->w[role] = matrix_of(t, flat);
        return ATTN_OK;
    }
    if (draft->heads == NULL) {
        draft->n_listed = t->tensor.shape[0];
        w->n_heads_listed += draft->n_listed;
        if (w->n_heads_listed > ATTN_FREE_HEADS + w->bytes / ATTN_BYTES_A_HEAD)
            return refuse(w, t, "fewer heads for a file of this size");
        draft->heads = attn_arena_alloc(&w->loader->model->arena, draft->n_listed, sizeof *draft->heads);
        if (draft->heads == NULL)
            return attn_fail_memory(w->loader->error);
        memset(draft->heads, 0, draft->n_listed * sizeof *draft->heads);
    }
    if (draft->n_listed != t->tensor.shape[0])
        return refuse(w, t, "as many heads as the matrices before it");
    for (size_t h = 0; h < draft->n_listed; h++)
        draft->heads[h].w[role] = matrix_of(t, attn_tensor_at(t->tensor, h));
    return ATTN_OK;
}

static attn_status take_fused(const weighing *w, const attn_named_tensor *t, const attn_role_name *role,
                              attn_layer_draft *draft)
{
    attn_tensor whole = t->tensor, part;
    if (role->bias ? !as_vector(&whole) : !attn_tensor_as_matrix(&whole, &whole))
        return refuse(w, t, role->bias ? "a vector" : "a matrix");
    if (!role->bias && role->layout == ATTN_OUT_IN && !w->container->format->in_out)
        whole = attn_tensor_transpose(whole);
    size_t width = whole.shape[whole.n_dims - 1];
    if (width % 3 != 0)
        return refuse(w, t, "queries, keys and values of one width side by side");
    size_t third = width / 3;
    for (int r = 0; r < ATTN_ROLE_O; r++) {
        if (role->bias) {
            part = attn_tensor_rows(whole, (size_t)r * third, third);
            draft->b[r] = matrix_of(t, part);
        } else {
            part = attn_tensor_columns(whole, (size_t)r * third, third);
            draft->w[r] = matrix_of(t, part);
        }
    }
    return ATTN_OK;
}

static attn_draft_matrix *extra_of(attn_layer_draft *draft, attn_weight_role role)
{
    switch (role) {
    case ATTN_ROLE_ADDITIVE:
        return &draft->v_A;
    case ATTN_ROLE_SINKS:
        return &draft->sinks;
    case ATTN_ROLE_MIX:
        return &draft->head_mix;
    case ATTN_ROLE_SLOPES:
        return &draft->slopes;
    default:
        return NULL;
    }
}

static attn_status take(weighing *w, const attn_named_tensor *t, const attn_role_name *role, attn_layer_draft *draft)
{
    attn_tensor view = t->tensor;
    attn_draft_matrix *extra = extra_of(draft, role->role);
    if (attn_tensor_is_empty(&view))
        return refuse(w, t, "numbers");
    if (role->role == ATTN_ROLE_FUSED)
        return take_fused(w, t, role, draft);
    if (extra != NULL) {
        *extra = matrix_of(t, view);
        return ATTN_OK;
    }
    if (role->bias) {
        if (!as_vector(&view))
            return refuse(w, t, "a vector");
        draft->b[role->role] = matrix_of(t, view);
        return ATTN_OK;
    }
    if (view.n_dims == 3)
        return take_heads(w, t, role->role, draft);
    if (view.n_dims == 1)
        return take_line(w, t, role->role, draft);
    if (view.n_dims != 2)
        return refuse(w, t, "a matrix");
    if (role->layout == ATTN_OUT_IN && !w->container->format->in_out)
        view = attn_tensor_transpose(view);
    if (draft->w[role->role].tensor.data != NULL)
        return refuse(w, t, "one matrix a role");
    draft->w[role->role] = matrix_of(t, view);
    return ATTN_OK;
}

/* No tensor has a name of weights: the hint is a name that comes near, or what such names are. */
static attn_status no_weights(const weighing *w)
{
    const attn_container *c = w->container;
    attn_error *error = w->loader->error;
    const char *near = NULL;
    attn_fail(error, ATTN_EDATA, "no query, key, value or output weights by a name attn knows");
    for (size_t i = 0; i < c->n_tensors && i < MOST_ASKED && near == NULL; i++) {
        near = attn_suggest(c->tensors[i].name, attn_role_name_at);
        if (near != NULL)
            attn_error_hint(error, "'%s' is there: did you mean '%s'?", c->tensors[i].name, near);
    }
    if (near == NULL)
        attn_error_hint(error,
                        "known are W_Q, wq.weight, q_proj.weight, query.weight, in_proj_weight, c_attn.weight and the "
                        "like; the file has '%s'",
                        c->n_tensors > 0 ? c->tensors[0].name : "nothing");
    return attn_error_file(error, w->loader->drafts_file);
}

static attn_status count_layers(weighing *w)
{
    size_t used = 0, layer;
    for (size_t i = 0; i < w->container->n_tensors; i++) {
        if (attn_role_of(w->container->tensors[i].name, &layer) == NULL)
            continue;
        _Static_assert(ATTN_MAX_LAYERS == 2048, "as the message says");
        if (layer >= ATTN_MAX_LAYERS)
            return refuse(w, &w->container->tensors[i], "a layer number below 2048");
        used++;
        if (layer + 1 > w->n_layers)
            w->n_layers = layer + 1;
    }
    return used > 0 ? ATTN_OK : no_weights(w);
}

/* In a file of one's own a name beside the known ones is a slip: the matrix meant would be the identity. Published
 * files have many tensors that are no attention weights. */
static attn_status check_name(const weighing *w, const attn_named_tensor *t)
{
    const char *near = w->container->format->in_out ? attn_suggest(t->name, attn_role_name_at) : NULL;
    if (near == NULL)
        return ATTN_OK;
    attn_fail(w->loader->error, ATTN_EDATA, "'%s' is no name of weights that attn knows", t->name);
    attn_error_hint(w->loader->error, "did you mean '%s'?", near);
    return attn_error_file(w->loader->error, t->file);
}

/* What could not be read stops only who calls it as weights are called. */
static attn_status check_unread(const weighing *w)
{
    size_t layer;
    for (size_t i = 0; i < w->container->n_unread; i++) {
        const char *name = w->container->unread[i].name;
        if (attn_role_of(name, &layer) == NULL && attn_suggest(name, attn_role_name_at) == NULL)
            continue;
        attn_fail(w->loader->error, ATTN_EUNSUPPORTED, "%s: %s", name, w->container->unread[i].why);
        return attn_error_file(w->loader->error, w->loader->drafts_file);
    }
    return ATTN_OK;
}

static attn_status take_all(weighing *w)
{
    attn_status status = check_unread(w);
    size_t layer;
    for (size_t i = 0; i < w->container->n_tensors && status == ATTN_OK; i++) {
        const attn_named_tensor *t = &w->container->tensors[i];
        const attn_role_name *role = attn_role_of(t->name, &layer);
        bool setting = role == NULL && attn_weights_setting(t, w->drafts, w->n_layers);
        if (role != NULL)
            status = take(w, t, role, &w->drafts[layer]);
        else if (!setting)
            status = check_name(w, t);
        if (status == ATTN_OK)
            status = attn_account_tensor(w->loader, t->name, t->file, &t->tensor,
                                         role != NULL ? attn_role_text(role->role)
                                         : setting    ? "setting"
                                                      : NULL,
                                         role == NULL                                                  ? ""
                                         : role->bias                                                  ? "[out]"
                                         : role->layout == ATTN_IN_OUT || w->container->format->in_out ? "[in][out]"
                                                                                                       : "[out][in]");
    }
    return status;
}

/* A layer with none of its weights, between others, is a hole in the file. */
static attn_status check_holes(const weighing *w)
{
    for (size_t l = 0; l < w->n_layers; l++) {
        const attn_layer_draft *d = &w->drafts[l];
        if (d->w[0].tensor.data != NULL || d->w[1].tensor.data != NULL || d->w[2].tensor.data != NULL ||
            d->w[3].tensor.data != NULL || d->heads != NULL)
            continue;
        attn_fail(w->loader->error, ATTN_EDATA, "layer %zu of %zu has no weights", l, w->n_layers);
        return attn_error_file(w->loader->error, w->loader->drafts_file);
    }
    return ATTN_OK;
}

static attn_status from_container(attn_loader *loader, attn_file *file)
{
    attn_container *kept;
    attn_status status = attn_model_take_container(loader, file, &kept);
    if (status != ATTN_OK)
        return status;
    weighing w = {.loader = loader, .container = kept};
    for (size_t i = 0; i < kept->n_files; i++)
        w.bytes += kept->files[i].bytes.size;
    loader->drafts_noted = true;
    status = count_layers(&w);
    if (status != ATTN_OK)
        return status;
    w.drafts = attn_arena_alloc(&loader->model->arena, w.n_layers, sizeof *w.drafts);
    if (w.drafts == NULL)
        return attn_fail_memory(loader->error);
    for (size_t l = 0; l < w.n_layers; l++)
        w.drafts[l] = attn_layer_draft_default(l);
    attn_weights_meta(kept, w.drafts, w.n_layers);
    status = take_all(&w);
    if (status == ATTN_OK)
        status = check_holes(&w);
    loader->drafts = w.drafts;
    loader->n_drafts = w.n_layers;
    return status;
}

/* A published model's matrices say nothing of its heads and positions: config.json does, which -m reads. */
static attn_status warn_of_settings(attn_loader *loader, const attn_format *format)
{
    char *path = format->holds_weights ? attn_path_beside(loader->drafts_file, "config.json") : NULL;
    if (!format->holds_weights || path == NULL)
        return path != NULL || !format->holds_weights ? ATTN_OK : attn_fail_memory(loader->error);
    loader->unread_settings = attn_path_exists(path);
    if (loader->unread_settings &&
        (loader->request->overrides.n_heads == 0 || loader->request->overrides.positions == NULL))
        attn_model_warn(
            loader->model,
            "of %s the matrices alone are read; what %s says of heads, positions, windows and norms goes by "
            "options (--n-heads, --positions, \xE2\x80\xA6), or with -m",
            loader->drafts_file, path);
    attn_free(path);
    return ATTN_OK;
}

attn_status attn_load_weights(attn_loader *loader, const char *path)
{
    attn_file file = {0};
    attn_status status = attn_file_open(path, &loader->model->files, &file, loader->error);
    if (status != ATTN_OK)
        return status;
    loader->drafts = NULL;
    loader->n_drafts = 0;
    loader->drafts_file = attn_model_text(loader, file.name);
    const attn_format *format = attn_format_of_file(&file);
    if (format != NULL && attn_request_path(loader->request) == loader->request->weights)
        loader->model->format = format->name;
    if (loader->drafts_file == NULL) {
        attn_file_close(&file);
        return ATTN_ENOMEM;
    }
    if (format != NULL && !format->may_be_toy) {
        status = warn_of_settings(loader, format);
        return status == ATTN_OK ? from_container(loader, &file) : (attn_file_close(&file), status);
    }
    loader->drafts_noted = false;
    status = format == NULL ? attn_foreign_refuse_data(file.bytes, loader->error) : ATTN_OK;
    if (status == ATTN_OK)
        status = attn_load_toy(loader, file.bytes, loader->drafts_file, true);
    else
        attn_error_file(loader->error, loader->drafts_file);
    attn_file_close(&file);
    return status;
}
