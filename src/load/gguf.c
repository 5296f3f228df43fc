/* gguf.c: models in one GGUF file: metadata by key, the architecture's loader (family.h), the tokenizer. llama2.c's
 * .bin comes as the same keys and names. */
#include "config.h"

#include "load/family/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEY_ROOM = 160, MAX_COUNT = 1 << 24 };

bool attn_gguf_ignores(const attn_gguf *gguf, const char *key)
{
    char full[KEY_ROOM];
    snprintf(full, sizeof full, "%s.%s", gguf->architecture, key);
    return attn_setting_ignored(gguf->ignored, key) || attn_setting_ignored(gguf->ignored, full);
}

const attn_meta *attn_gguf_get(attn_gguf *gguf, const char *key)
{
    char full[KEY_ROOM];
    snprintf(full, sizeof full, "%s.%s", gguf->architecture, key);
    const attn_meta *meta = attn_container_meta(gguf->container, full);
    if (meta != NULL)
        gguf->used[meta - gguf->container->meta] = true;
    return attn_gguf_ignores(gguf, key) ? NULL : meta;
}

attn_status attn_gguf_fail(attn_gguf *gguf, const char *key, const char *message)
{
    if (gguf->status != ATTN_OK)
        return gguf->status;
    return gguf->status = attn_fail(gguf->error, ATTN_EDATA, "%s.%s: %s", gguf->architecture, key, message);
}

static bool is_number(const attn_meta *meta)
{
    return meta->type == ATTN_META_U64 || meta->type == ATTN_META_I64 || meta->type == ATTN_META_F64;
}

double attn_gguf_number(attn_gguf *gguf, const char *key, double fallback)
{
    const attn_meta *meta = attn_gguf_get(gguf, key);
    if (meta == NULL) {
        if (isnan(fallback))
            attn_gguf_fail(gguf, key, "expected a number, found none");
        return fallback;
    }
    if (!is_number(meta) || !isfinite(meta->f64)) {
        attn_gguf_fail(gguf, key, "expected a number");
        return 0.0;
    }
    return meta->f64;
}

/* The one value of an array of equal numbers; NAN: they differ, or are none. */
static double common_value(const attn_meta *meta)
{
    float first = NAN, value;
    if (meta->numbers == NULL)
        return NAN;
    for (size_t i = 0; i < meta->n_elements; i++) {
        const attn_tensor at = attn_tensor_at(*meta->numbers, i);
        attn_tensor_to_f32(&at, &value); /* exact for every count that is allowed */
        if (i == 0)
            first = value;
        else if (value != first)
            return NAN;
    }
    return (double)first;
}

size_t attn_gguf_count(attn_gguf *gguf, const char *key, size_t fallback)
{
    const attn_meta *meta = attn_gguf_get(gguf, key);
    if (meta == NULL) {
        if (fallback == SIZE_MAX)
            attn_gguf_fail(gguf, key, "expected a count, found none");
        return fallback == SIZE_MAX ? 0 : fallback;
    }
    const double value = meta->type == ATTN_META_ARRAY ? common_value(meta) : is_number(meta) ? meta->f64 : -1.0;
    if (isnan(value)) {
        attn_gguf_fail(gguf, key, "counts that differ by layer are not supported");
        return 0;
    }
    if (value < (fallback == 0 ? 0.0 : 1.0) || value > (double)MAX_COUNT || value != floor(value)) {
        attn_gguf_fail(gguf, key, "expected a whole number from 1 to 16777216");
        return 0;
    }
    return (size_t)value;
}

bool attn_gguf_bool(attn_gguf *gguf, const char *key, bool fallback)
{
    const attn_meta *meta = attn_gguf_get(gguf, key);
    if (meta == NULL)
        return fallback;
    if (meta->type != ATTN_META_BOOL)
        attn_gguf_fail(gguf, key, "expected true or false");
    return meta->boolean;
}

attn_bytes attn_gguf_text(attn_gguf *gguf, const char *key)
{
    const attn_meta *meta = attn_gguf_get(gguf, key);
    if (meta == NULL)
        return (attn_bytes){0};
    if (meta->type != ATTN_META_STRING)
        attn_gguf_fail(gguf, key, "expected a name");
    return meta->string;
}

void attn_gguf_check_heads(attn_gguf *gguf, size_t n_heads, size_t d_model)
{
    if (gguf->status == ATTN_OK && d_model % n_heads != 0)
        attn_gguf_fail(gguf, "attention.head_count", "it does not divide embedding_length");
}

size_t attn_gguf_rows(const attn_gguf *gguf, const char *name)
{
    const attn_tensor *t = attn_container_find(gguf->container, name);
    attn_tensor rows;
    return t != NULL && attn_tensor_as_matrix(t, &rows) ? rows.shape[0] : 0;
}

size_t attn_gguf_vocab(const attn_gguf *gguf)
{
    return attn_gguf_rows(gguf, "token_embd.weight");
}

/* ---- the model ---- */

static attn_status load_layers(attn_loader *loader, attn_gguf *gguf)
{
    const attn_architecture *row = attn_architecture_find(gguf->architecture);
    attn_checkpoint checkpoint;
    if (row == NULL)
        return attn_fail(loader->error, ATTN_EUNSUPPORTED, "general.architecture: attn does not know '%s' in GGUF",
                         gguf->architecture);
    if (attn_gguf_vocab(gguf) == 0)
        return attn_fail(loader->error, ATTN_EDATA,
                         "the file holds no token_embd.weight: it is a vocabulary only (-v), no model");
    loader->model->family = gguf->architecture;
    attn_status status = attn_checkpoint_open(loader, gguf->container, &checkpoint);
    if (status == ATTN_OK)
        status = row->load(&checkpoint, gguf, row);
    if (status == ATTN_OK)
        status = attn_checkpoint_finish(&checkpoint);
    attn_checkpoint_close(&checkpoint);
    return status;
}

/* The tokenizer in the file; llama2.c keeps its own beside: tokenizer.bin, or tokN.bin for N tokens. */
static attn_status load_tokenizer(attn_loader *loader, const attn_container *container)
{
    attn_model *model = loader->model;
    const char *file = container->files[0].name;
    char names[2][40];
    if (loader->request->vocab != NULL)
        return ATTN_OK;
    if (attn_container_meta(container, "tokenizer.ggml.tokens") != NULL) {
        const attn_status status = attn_load_gguf_tokenizer(loader, container);
        return status == ATTN_OK ? ATTN_OK : attn_load_without_tokenizer(loader, status);
    }
    snprintf(names[0], sizeof names[0], "tok%zu.bin", model->n_vocab);
    snprintf(names[1], sizeof names[1], "tokenizer.bin");
    for (size_t i = 0; i < 2; i++) {
        char *path = attn_path_beside(file, names[i]);
        attn_status status = ATTN_OK;
        bool there = path != NULL && attn_path_exists(path);
        if (there)
            status =
                attn_tokenizer_load(path, &model->files, loader->request->tokenizer, &model->tokenizer, loader->error);
        attn_free(path);
        if (path == NULL)
            return attn_fail_memory(loader->error);
        if (there)
            return status == ATTN_OK ? ATTN_OK : attn_load_without_tokenizer(loader, status);
    }
    const attn_kind *kind = loader->request->tokenizer;
    if (kind != NULL && attn_kind_wordless(kind) != ATTN_WORDLESS_REFUSED)
        return ATTN_OK;
    attn_fail(loader->error, ATTN_EDATA, "the file holds no tokenizer, nor does one lie beside it");
    attn_error_file(loader->error, file);
    return attn_load_without_tokenizer(loader, ATTN_EDATA);
}

attn_status attn_load_gguf(attn_loader *loader, const attn_container *container)
{
    const attn_meta *name = attn_container_meta(container, "general.architecture");
    attn_status status;
    if (name == NULL || name->type != ATTN_META_STRING)
        return attn_fail(loader->error, ATTN_EDATA, "general.architecture is missing");
    attn_gguf gguf = {.container = container,
                      .error = loader->error,
                      .model = loader->model,
                      .ignored = &loader->request->ignored_settings,
                      .architecture =
                          attn_arena_text(&loader->model->arena, (const char *)name->string.data, name->string.size),
                      .used = attn_calloc_array(container->n_meta, sizeof *gguf.used)};
    loader->model->format = container->format->name;
    loader->has_settings = true;
    if (gguf.architecture == NULL || gguf.used == NULL)
        status = attn_fail_memory(loader->error);
    else
        status = load_layers(loader, &gguf);
    attn_free(gguf.used);
    if (status == ATTN_OK)
        status = load_tokenizer(loader, container);
    return status == ATTN_OK ? ATTN_OK : attn_error_file(loader->error, container->files[0].name);
}
