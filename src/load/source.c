/* source.c: see source.h. */
#include "config.h"

#include "load/source.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 256 };

attn_status attn_source_open(attn_loader *loader, const attn_container *container, attn_source *source)
{
    memset(source, 0, sizeof *source);
    source->loader = loader;
    source->container = container;
    source->prefix = "";
    source->used = attn_calloc_array(container->n_tensors, sizeof *source->used);
    if (source->used == NULL)
        source->status = attn_fail_memory(loader->error);
    return source->status;
}

void attn_source_close(attn_source *source)
{
    attn_free(source->used);
    memset(source, 0, sizeof *source);
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
static const attn_named_tensor *find(const attn_source *source, const char *text)
{
    attn_bytes key = attn_bytes_of(text);
    size_t index;
    if (!attn_map_find(&source->container->by_name, key, &index))
        return NULL;
    return &source->container->tensors[index];
}

bool attn_source_choose_prefix(attn_source *source, const char *const *prefixes, const char *name)
{
    size_t i;
    char text[NAME_ROOM];
    for (i = 0; prefixes[i] != NULL; i++) {
        spell(prefixes[i], attn_name_of(name, 0), "", text);
        if (find(source, text) == NULL)
            continue;
        source->prefix = prefixes[i];
        return true;
    }
    return false;
}

bool attn_source_has(const attn_source *source, attn_name name)
{
    char text[NAME_ROOM];
    spell(source->prefix, name, "", text);
    return find(source, text) != NULL;
}

static void shape_text(size_t n_dims, const size_t *shape, char *out, size_t room)
{
    size_t i, used = 0;
    out[0] = '\0';
    for (i = 0; i < n_dims && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "[%zu]", shape[i]);
}

static bool shape_fits(const attn_tensor *t, size_t n_dims, const size_t *shape)
{
    size_t i;
    if (t->n_dims != n_dims)
        return false;
    for (i = 0; i < n_dims; i++)
        if (t->shape[i] != shape[i])
            return false;
    return true;
}

/* The tensor TEXT of this shape, marked as used; NULL after a failure (noted). */
static const attn_named_tensor *take(attn_source *source, const char *text, const char *role, const char *layout,
                                     size_t n_dims, const size_t *shape)
{
    const attn_named_tensor *t;
    attn_error *error = source->loader->error;
    char wanted[128], found[128];
    if (source->status != ATTN_OK)
        return NULL;
    t = find(source, text);
    if (t == NULL) {
        attn_container_missing(source->container, text, error);
        source->status = ATTN_EDATA;
        return NULL;
    }
    if (!shape_fits(&t->tensor, n_dims, shape)) {
        shape_text(n_dims, shape, wanted, sizeof wanted);
        shape_text(t->tensor.n_dims, t->tensor.shape, found, sizeof found);
        attn_fail(error, ATTN_EDATA, "%s (%s): the settings promise %s, found %s", text, role, wanted, found);
        attn_error_hint(error, "the settings and the weights belong to different models");
        attn_error_file(error, t->file);
        source->status = ATTN_EDATA;
        return NULL;
    }
    source->used[t - source->container->tensors] = true;
    source->status = attn_account_tensor(source->loader, t->name, t->file, &t->tensor, role, layout);
    return source->status == ATTN_OK ? t : NULL;
}

attn_tensor attn_source_tensor(attn_source *source, attn_name name, const char *role, size_t n_dims,
                               const size_t *shape)
{
    attn_tensor none = {0};
    const attn_named_tensor *t;
    char text[NAME_ROOM];
    spell(source->prefix, name, "", text);
    t = take(source, text, role, "", n_dims, shape);
    return t != NULL ? t->tensor : none;
}

const float *attn_source_vector(attn_source *source, attn_name name, const char *role, size_t n)
{
    attn_tensor t = attn_source_tensor(source, name, role, 1, &n);
    const float *values;
    if (source->status != ATTN_OK)
        return NULL;
    values = attn_model_floats(source->loader, &t);
    if (values == NULL)
        source->status = ATTN_ENOMEM;
    return values;
}

attn_linear attn_source_linear(attn_source *source, attn_name name, const char *role, size_t in, size_t out,
                               attn_bias bias)
{
    attn_linear linear = {0};
    const attn_named_tensor *t;
    char text[NAME_ROOM];
    size_t shape[2];
    shape[0] = source->conv1d ? in : out;
    shape[1] = source->conv1d ? out : in;
    spell(source->prefix, name, ".weight", text);
    t = take(source, text, role, source->conv1d ? "[in][out]" : "[out][in]", 2, shape);
    if (t == NULL)
        return linear;
    linear.w = source->conv1d ? t->tensor : attn_tensor_transpose(t->tensor);
    spell(source->prefix, name, ".bias", text);
    if (bias == ATTN_BIAS_NEEDED || (bias == ATTN_BIAS_IF_THERE && find(source, text) != NULL)) {
        const char *prefix = source->prefix;
        source->prefix = "";
        linear.bias = attn_source_vector(source, attn_name_of(text, 0), role, out);
        source->prefix = prefix;
    }
    return linear;
}

/* A norm's vector by its name or its old name, copied with 1 added where the family stores it less
 * one. */
static const float *norm_vector(attn_source *source, attn_name name, const char *role, const char *suffix,
                                const char *old, size_t width)
{
    const attn_named_tensor *t;
    const float *values;
    float *copy;
    char text[NAME_ROOM], before[NAME_ROOM];
    size_t i;
    spell(source->prefix, name, suffix, text);
    spell(source->prefix, name, old, before);
    t = take(source, find(source, text) == NULL && find(source, before) != NULL ? before : text, role, "", 1, &width);
    if (t == NULL)
        return NULL;
    if (!source->plus_one) {
        values = attn_model_floats(source->loader, &t->tensor);
        if (values == NULL)
            source->status = ATTN_ENOMEM;
        return values;
    }
    copy = attn_arena_aligned(&source->loader->model->arena, width, sizeof *copy);
    if (copy == NULL) {
        source->status = attn_fail_memory(source->loader->error);
        return NULL;
    }
    attn_tensor_to_f32(&t->tensor, copy);
    for (i = 0; i < width; i++)
        copy[i] += 1.0F;
    return copy;
}

attn_norm attn_source_norm(attn_source *source, attn_name name, const char *role, attn_norm_kind kind, size_t width,
                           double epsilon)
{
    attn_norm norm = {0};
    norm.kind = kind;
    norm.epsilon = (float)epsilon;
    norm.weight = norm_vector(source, name, role, ".weight", ".gamma", width);
    if (kind == ATTN_NORM_LAYER)
        norm.bias = norm_vector(source, name, role, ".bias", ".beta", width);
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

attn_status attn_source_finish(attn_source *source)
{
    size_t i;
    for (i = 0; i < source->container->n_tensors && source->status == ATTN_OK; i++) {
        const attn_named_tensor *t = &source->container->tensors[i];
        if (!source->used[i])
            source->status = attn_account_tensor(source->loader, t->name, t->file, &t->tensor, NULL, "");
    }
    return source->status;
}
