/* checkpoint.c: see checkpoint.h. */
#include "config.h"

#include "load/checkpoint.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 256 };

attn_status attn_checkpoint_open(attn_loader *loader, const attn_container *container, attn_checkpoint *checkpoint)
{
    memset(checkpoint, 0, sizeof *checkpoint);
    checkpoint->loader = loader;
    checkpoint->container = container;
    checkpoint->prefix = "";
    checkpoint->used = attn_calloc_array(container->n_tensors, sizeof *checkpoint->used);
    if (checkpoint->used == NULL)
        checkpoint->status = attn_fail_memory(loader->error);
    return checkpoint->status;
}

void attn_checkpoint_close(attn_checkpoint *checkpoint)
{
    attn_free(checkpoint->used);
    memset(checkpoint, 0, sizeof *checkpoint);
}

attn_name attn_name_of(const char *pattern, size_t layer)
{
    attn_name name;
    name.pattern = pattern;
    name.layer = layer;
    return name;
}

/* PREFIX, the pattern with the layer's number, SUFFIX. */
static void spell(const char *prefix, attn_name name, const char *suffix, char *out)
{
    const char *mark = strchr(name.pattern, '#');
    if (mark == NULL)
        snprintf(out, NAME_ROOM, "%s%s%s", prefix, name.pattern, suffix);
    else
        snprintf(out, NAME_ROOM, "%s%.*s%zu%s%s", prefix, (int)(mark - name.pattern), name.pattern, name.layer,
                 mark + 1, suffix);
}

/* The tensor called TEXT, NULL: none. */
static const attn_named_tensor *find(const attn_checkpoint *checkpoint, const char *text)
{
    attn_bytes key = attn_bytes_of(text);
    size_t index;
    if (!attn_map_find(&checkpoint->container->by_name, key, &index))
        return NULL;
    return &checkpoint->container->tensors[index];
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

bool attn_checkpoint_has(const attn_checkpoint *checkpoint, attn_name name)
{
    char text[NAME_ROOM];
    spell(checkpoint->prefix, name, "", text);
    return find(checkpoint, text) != NULL;
}

static void shape_text(size_t n_dims, const size_t *shape, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n_dims && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "[%zu]", shape[i]);
}

static bool shape_fits(const attn_tensor *t, size_t n_dims, const size_t *shape)
{
    if (t->n_dims != n_dims)
        return false;
    for (size_t i = 0; i < n_dims; i++)
        if (t->shape[i] != shape[i])
            return false;
    return true;
}

/* The tensor TEXT of this shape, marked as used; NULL after a failure (noted). */
static const attn_named_tensor *take(attn_checkpoint *checkpoint, const char *text, const char *role,
                                     const char *layout, size_t n_dims, const size_t *shape)
{
    attn_error *error = checkpoint->loader->error;
    char wanted[128], found[128];
    if (checkpoint->status != ATTN_OK)
        return NULL;
    const attn_named_tensor *t = find(checkpoint, text);
    if (t == NULL) {
        attn_container_missing(checkpoint->container, text, error);
        checkpoint->status = ATTN_EDATA;
        return NULL;
    }
    if (!shape_fits(&t->tensor, n_dims, shape)) {
        shape_text(n_dims, shape, wanted, sizeof wanted);
        shape_text(t->tensor.n_dims, t->tensor.shape, found, sizeof found);
        attn_fail(error, ATTN_EDATA, "%s (%s): the settings promise %s, found %s", text, role, wanted, found);
        attn_error_hint(error, "the settings and the weights belong to different models");
        attn_error_file(error, t->file);
        checkpoint->status = ATTN_EDATA;
        return NULL;
    }
    checkpoint->used[t - checkpoint->container->tensors] = true;
    checkpoint->status = attn_account_tensor(checkpoint->loader, t->name, t->file, &t->tensor, role, layout);
    return checkpoint->status == ATTN_OK ? t : NULL;
}

attn_tensor attn_checkpoint_tensor(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t n_dims,
                                   const size_t *shape)
{
    attn_tensor none = {0};
    char text[NAME_ROOM];
    spell(checkpoint->prefix, name, "", text);
    const attn_named_tensor *t = take(checkpoint, text, role, "", n_dims, shape);
    return t != NULL ? t->tensor : none;
}

const float *attn_checkpoint_vector(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t n)
{
    attn_tensor t = attn_checkpoint_tensor(checkpoint, name, role, 1, &n);
    if (checkpoint->status != ATTN_OK)
        return NULL;
    const float *values = attn_model_floats(checkpoint->loader, &t);
    if (values == NULL)
        checkpoint->status = ATTN_ENOMEM;
    return values;
}

attn_linear attn_checkpoint_linear(attn_checkpoint *checkpoint, attn_name name, const char *role, size_t in, size_t out,
                                   attn_bias bias)
{
    attn_linear linear = {0};
    char text[NAME_ROOM];
    size_t shape[2];
    shape[0] = checkpoint->conv1d ? in : out;
    shape[1] = checkpoint->conv1d ? out : in;
    spell(checkpoint->prefix, name, ".weight", text);
    const attn_named_tensor *t = take(checkpoint, text, role, checkpoint->conv1d ? "[in][out]" : "[out][in]", 2, shape);
    if (t == NULL)
        return linear;
    linear.w = checkpoint->conv1d ? t->tensor : attn_tensor_transpose(t->tensor);
    spell(checkpoint->prefix, name, ".bias", text);
    if (bias == ATTN_BIAS_NEEDED || (bias == ATTN_BIAS_IF_THERE && find(checkpoint, text) != NULL)) {
        const char *prefix = checkpoint->prefix;
        checkpoint->prefix = "";
        linear.bias = attn_checkpoint_vector(checkpoint, attn_name_of(text, 0), role, out);
        checkpoint->prefix = prefix;
    }
    return linear;
}

/* A norm's vector by its name or its old name, copied with 1 added where the family stores it less one. */
static const float *norm_vector(attn_checkpoint *checkpoint, attn_name name, const char *role, const char *suffix,
                                const char *old, size_t width)
{
    const float *values;
    char text[NAME_ROOM], before[NAME_ROOM];
    spell(checkpoint->prefix, name, suffix, text);
    spell(checkpoint->prefix, name, old, before);
    const attn_named_tensor *t =
        take(checkpoint, find(checkpoint, text) == NULL && find(checkpoint, before) != NULL ? before : text, role, "",
             1, &width);
    if (t == NULL)
        return NULL;
    if (!checkpoint->plus_one) {
        values = attn_model_floats(checkpoint->loader, &t->tensor);
        if (values == NULL)
            checkpoint->status = ATTN_ENOMEM;
        return values;
    }
    float *copy = attn_arena_aligned(&checkpoint->loader->model->arena, width, sizeof *copy);
    if (copy == NULL) {
        checkpoint->status = attn_fail_memory(checkpoint->loader->error);
        return NULL;
    }
    attn_tensor_to_f32(&t->tensor, copy);
    for (size_t i = 0; i < width; i++)
        copy[i] += 1.0F;
    return copy;
}

attn_norm attn_checkpoint_norm(attn_checkpoint *checkpoint, attn_name name, const char *role, attn_norm_kind kind,
                               size_t width, double epsilon)
{
    attn_norm norm = {0};
    norm.kind = kind;
    norm.epsilon = (float)epsilon;
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

attn_status attn_checkpoint_finish(attn_checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->container->n_tensors && checkpoint->status == ATTN_OK; i++) {
        const attn_named_tensor *t = &checkpoint->container->tensors[i];
        if (!checkpoint->used[i])
            checkpoint->status = attn_account_tensor(checkpoint->loader, t->name, t->file, &t->tensor, NULL, "");
    }
    return checkpoint->status;
}
