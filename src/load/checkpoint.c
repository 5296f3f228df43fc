/* checkpoint.c: see checkpoint.h. */
#include "config.h"

#include "load/checkpoint.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 256 };

attn_status attn_checkpoint_open(attn_loader *loader, const attn_container *container, attn_checkpoint *checkpoint)
{
    *checkpoint = (attn_checkpoint){.loader = loader,
                                    .container = container,
                                    .prefix = "",
                                    .used = attn_calloc_array(container->n_tensors, sizeof *checkpoint->used)};
    if (checkpoint->used == NULL)
        checkpoint->status = attn_fail_memory(loader->error);
    return checkpoint->status;
}

void attn_checkpoint_close(attn_checkpoint *checkpoint)
{
    attn_free(checkpoint->used);
    *checkpoint = (attn_checkpoint){0};
}

attn_name attn_name_of(const char *pattern, size_t layer)
{
    return (attn_name){.within = "", .pattern = pattern, .layer = layer};
}

attn_name attn_name_whole(const char *pattern)
{
    return (attn_name){.within = "", .pattern = pattern, .whole = true};
}

/* PREFIX (or none), NAME with the layer's number, SUFFIX. */
static void spell(const char *prefix, attn_name name, const char *suffix, char out[static NAME_ROOM])
{
    char pattern[NAME_ROOM / 2];
    snprintf(pattern, sizeof pattern, "%s%s%s%s", name.whole ? "" : prefix, name.within, name.pattern, suffix);
    const char *mark = strchr(pattern, '#');
    if (mark == NULL)
        snprintf(out, NAME_ROOM, "%s", pattern);
    else
        snprintf(out, NAME_ROOM, "%.*s%zu%s", (int)(mark - pattern), pattern, name.layer, mark + 1);
}

static const attn_named_tensor *find(const attn_checkpoint *checkpoint, const char *text)
{
    return attn_container_named(checkpoint->container, text);
}

bool attn_checkpoint_choose_prefix(attn_checkpoint *checkpoint, const char *const *prefixes, const char *name)
{
    char text[NAME_ROOM];
    for (size_t i = 0; prefixes[i] != NULL; i++) {
        spell(prefixes[i], attn_name_of(name, 0), "", text);
        if (find(checkpoint, text) == NULL)
            continue;
        checkpoint->prefix = prefixes[i];
        return true;
    }
    return false;
}

bool attn_checkpoint_has(const attn_checkpoint *checkpoint, attn_name name, const char *suffix)
{
    char text[NAME_ROOM];
    spell(checkpoint->prefix, name, suffix, text);
    return find(checkpoint, text) != NULL;
}

static void shape_text(size_t n_dims, const size_t *shape, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n_dims && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "[%zu]", shape[i]);
}

/* The tensor TEXT as *VIEW of this shape, marked as used; false after a failure (noted). */
static bool take(attn_checkpoint *checkpoint, const char *text, const char *role, const char *layout, size_t n_dims,
                 const size_t *shape, attn_tensor *view)
{
    attn_error *error = checkpoint->loader->error;
    char wanted[128], found[128];
    if (checkpoint->status != ATTN_OK)
        return false;
    const attn_named_tensor *t = find(checkpoint, text);
    if (t == NULL) {
        attn_container_missing(checkpoint->container, text, error);
        checkpoint->status = ATTN_EDATA;
        return false;
    }
    if (!attn_tensor_as(&t->tensor, n_dims, shape, view)) {
        shape_text(n_dims, shape, wanted, sizeof wanted);
        shape_text(t->tensor.n_dims, t->tensor.shape, found, sizeof found);
        attn_fail(error, ATTN_EDATA, "%s (%s): the settings promise %s, found %s", text, role, wanted, found);
        bool turned =
            n_dims == 2 && t->tensor.n_dims == 2 && t->tensor.shape[0] == shape[1] && t->tensor.shape[1] == shape[0];
        attn_error_hint(error,
                        turned ? "its transpose would fit" : "the settings and the weights belong to different models");
        attn_error_file(error, t->file);
        checkpoint->status = ATTN_EDATA;
        return false;
    }
    if (attn_tensor_is_empty(&t->tensor)) {
        shape_text(n_dims, shape, found, sizeof found);
        attn_fail(error, ATTN_EDATA, "%s (%s): expected numbers, found %s", text, role, found);
        checkpoint->status = attn_error_file(error, t->file);
        return false;
    }
    checkpoint->used[t - checkpoint->container->tensors] = true;
    checkpoint->status = attn_account_tensor(checkpoint->loader, t->name, t->file, &t->tensor, role, layout);
    return checkpoint->status == ATTN_OK;
}

attn_tensor attn_checkpoint_matrix(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t rows,
                                   size_t columns)
{
    char text[NAME_ROOM];
    spell(checkpoint->prefix, name, "", text);
    attn_tensor view;
    return take(checkpoint, text, role, "", 2, (size_t[]){rows, columns}, &view) ? view : (attn_tensor){0};
}

static const float *take_vector(attn_checkpoint *checkpoint, const char *text, const char *role, size_t n)
{
    attn_tensor view;
    if (!take(checkpoint, text, role, "", 1, &n, &view))
        return NULL;
    const float *values = attn_model_floats(checkpoint->loader, &view);
    if (values == NULL)
        checkpoint->status = ATTN_ENOMEM;
    return values;
}

const float *attn_checkpoint_vector(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t n)
{
    char text[NAME_ROOM];
    spell(checkpoint->prefix, name, "", text);
    return take_vector(checkpoint, text, role, n);
}

attn_linear attn_checkpoint_linear(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t in, size_t out,
                                   bool bias)
{
    bool in_out = checkpoint->conv1d;
    char text[NAME_ROOM];
    spell(checkpoint->prefix, name, ".weight", text);
    attn_tensor view;
    if (!take(checkpoint, text, role, in_out ? "[in][out]" : "[out][in]", 2,
              in_out ? (size_t[]){in, out} : (size_t[]){out, in}, &view))
        return (attn_linear){0};
    attn_linear linear = {.w = in_out ? view : attn_tensor_transpose(view)};
    spell(checkpoint->prefix, name, ".bias", text);
    if (bias)
        linear.bias = take_vector(checkpoint, text, role, out);
    return linear;
}

void *attn_checkpoint_alloc(attn_checkpoint *checkpoint, size_t count, size_t size)
{
    void *memory = attn_arena_aligned(&checkpoint->loader->model->arena, count, size);
    if (memory == NULL)
        checkpoint->status = attn_fail_memory(checkpoint->loader->error);
    return memory;
}

/* A norm's vector by its name or its old name, copied with 1 added where the family stores it less one. */
static const float *norm_vector(attn_checkpoint *checkpoint, attn_name name, const char *role, const char *suffix,
                                const char *old, size_t width)
{
    char text[NAME_ROOM], before[NAME_ROOM];
    spell(checkpoint->prefix, name, suffix, text);
    spell(checkpoint->prefix, name, old, before);
    bool renamed = find(checkpoint, text) == NULL && find(checkpoint, before) != NULL;
    const float *values = take_vector(checkpoint, renamed ? before : text, role, width);
    if (values == NULL || !checkpoint->plus_one)
        return values;
    float *copy = attn_checkpoint_alloc(checkpoint, width, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < width; i++)
        copy[i] = values[i] + 1.0F;
    return copy;
}

attn_norm attn_checkpoint_norm(attn_checkpoint *checkpoint, attn_name name, const char *role, attn_norm_kind kind,
                               size_t width, double epsilon)
{
    attn_norm norm = {.kind = kind, .epsilon = (float)epsilon};
    norm.weight = norm_vector(checkpoint, name, role, ".weight", ".gamma", width);
    if (kind == ATTN_NORM_LAYER)
        norm.bias = norm_vector(checkpoint, name, role, ".bias", ".beta", width);
    return norm;
}

attn_linear attn_linear_part(attn_linear whole, size_t from, size_t count)
{
    if (whole.w.data == NULL)
        return whole; /* after a failure */
    whole.w = attn_tensor_columns(whole.w, from, count);
    if (whole.bias != NULL)
        whole.bias += from;
    return whole;
}

/* Whether T, called STEM and ENDING, is left out beside a matrix STEM.weight that was taken. */
static bool is_left_out(const attn_checkpoint *checkpoint, const attn_named_tensor *t, const char *ending)
{
    static const char weight[] = ".weight";
    const size_t size = strlen(t->name), stem = size - strlen(ending);
    char name[256];
    const attn_tensor *matrix;
    if (size <= strlen(ending) || strcmp(t->name + stem, ending) != 0 || stem + sizeof weight > sizeof name)
        return false;
    memcpy(name, t->name, stem);
    memcpy(name + stem, weight, sizeof weight);
    matrix = attn_container_find(checkpoint->container, name);
    for (size_t i = 0; i < checkpoint->container->n_tensors && matrix != NULL; i++)
        if (&checkpoint->container->tensors[i].tensor == matrix)
            return checkpoint->used[i];
    return false;
}

attn_status attn_checkpoint_finish(attn_checkpoint *checkpoint)
{
    const char *first = NULL;
    size_t n_biases = 0;
    for (size_t i = 0; i < checkpoint->container->n_tensors && checkpoint->status == ATTN_OK; i++) {
        const attn_named_tensor *t = &checkpoint->container->tensors[i];
        if (checkpoint->used[i])
            continue;
        checkpoint->status = attn_account_tensor(checkpoint->loader, t->name, t->file, &t->tensor, NULL, "");
        if (is_left_out(checkpoint, t, ".bias") && n_biases++ == 0) /* not declared, so the family has none */
            first = t->name;
        if (is_left_out(checkpoint, t, ".scale")) /* the numbers stored are not the numbers meant */
            checkpoint->status = attn_fail(checkpoint->loader->error, ATTN_EUNSUPPORTED,
                                           "tensor '%s' scales a matrix that attn takes as it is stored", t->name);
    }
    if (checkpoint->status == ATTN_OK && n_biases > 0)
        attn_model_warn(checkpoint->loader->model,
                        "%zu bias%s the settings do not declare %s left out (the first is '%.60s')", n_biases,
                        n_biases == 1 ? " that" : "es that", n_biases == 1 ? "is" : "are", first);
    return checkpoint->status;
}
