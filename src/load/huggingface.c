/* huggingface.c: a model directory as published: config.json, model.safetensors or its shards, tokenizer files. Which
 * family it is and what its tensors mean is the families' own (family.h). */
#include "config.h"

#include "base/foreign.h"
#include "load/family/family.h"

#include <stdio.h>
#include <string.h>

typedef struct directory {
    attn_loader *loader;
    const char *path;    /* in the arena; the directory */
    const char *weights; /* in the arena; the file to open */
} directory;

/* DIRECTORY/NAME in the arena; NULL: no memory. */
static const char *join(attn_loader *loader, const char *path, const char *name)
{
    char *joined = attn_path_join(path, name);
    if (joined == NULL) {
        attn_fail_memory(loader->error);
        return NULL;
    }
    const char *kept = attn_model_text(loader, joined);
    attn_free(joined);
    return kept;
}

/* A LoRA adapter is what is added to a model's weights, and no model. */
static void hint_adapter(attn_loader *loader, const char *path)
{
    const char *adapter = join(loader, path, "adapter_config.json");
    if (adapter != NULL && attn_path_exists(adapter))
        attn_error_hint(loader->error, "adapter_config.json is there: this is a LoRA adapter, which attn does not add; "
                                       "merge it into its model and give that");
}

/* The index before the single file: where both lie, the index says what belongs to the model. Safetensors first: what
 * both say is the same, and it is read faster. */
static attn_status find_weights(directory *d)
{
    static const char *const names[] = {"model.safetensors.index.json", "model.safetensors",
                                        "pytorch_model.bin.index.json", "pytorch_model.bin"};
    static const char *const others[] = {"tf_model.h5", "flax_model.msgpack"};
    attn_error *error = d->loader->error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        d->weights = join(d->loader, d->path, names[i]);
        if (d->weights == NULL)
            return ATTN_ENOMEM;
        if (attn_path_exists(d->weights))
            return ATTN_OK;
    }
    attn_fail(
        error, ATTN_EIO,
        "expected model.safetensors or pytorch_model.bin or an index of their shards in the directory, found none");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *other = join(d->loader, d->path, others[i]);
        if (other == NULL)
            return ATTN_ENOMEM;
        if (attn_path_exists(other)) {
            attn_error_hint(error, "%s is there, which attn does not read: convert it to safetensors", others[i]);
            break;
        }
    }
    hint_adapter(d->loader, d->path);
    return attn_error_file(error, d->path);
}

static attn_status unknown_family(attn_config *config, const char *type)
{
    static const char *const with_experts[] = {"mixtral", "qwen2_moe",   "qwen3_moe",   "olmoe",
                                               "phimoe",  "deepseek_v2", "deepseek_v3", "granitemoe"};
    char names[sizeof config->error->hint - 16];
    size_t used = 0;
    for (size_t i = 0; i < sizeof with_experts / sizeof with_experts[0]; i++)
        if (strcmp(type, with_experts[i]) == 0)
            return attn_config_fail(config, "model_type", "'%.60s' has feed-forward experts, which attn does not run",
                                    type);
    for (size_t i = 0; attn_family_name_at(i) != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", attn_family_name_at(i));
    attn_config_fail(config, "model_type", "attn does not know the family '%.60s'", type);
    attn_error_hint(config->error, "it knows %s", names); /* what is near in spelling may be far in kind */
    return config->status;
}

static attn_status load_family(directory *d, attn_config *config)
{
    attn_container *kept;
    attn_checkpoint checkpoint;
    if (attn_config_enter(config, "text_config") != ATTN_OK)
        return config->status;
    const char *type = attn_config_text(config, "model_type", NULL);
    if (config->status != ATTN_OK)
        return config->status;
    const attn_family *family = attn_family_find(type);
    if (family == NULL)
        return unknown_family(config, type);
    attn_status status = attn_model_open_container(d->loader, d->weights, &kept);
    if (status != ATTN_OK)
        return status;
    d->loader->model->family = family->name;
    d->loader->model->format = kept->format->name;
    status = attn_checkpoint_open(d->loader, kept, &checkpoint);
    if (status == ATTN_OK)
        status = family->load(&checkpoint, config, family);
    if (status == ATTN_OK)
        status = attn_checkpoint_finish(&checkpoint);
    else
        attn_error_file(d->loader->error, d->weights);
    attn_checkpoint_close(&checkpoint);
    return status;
}

static attn_status load_config(directory *d)
{
    const char *path = join(d->loader, d->path, "config.json");
    attn_file file = {0};
    attn_config config;
    if (path == NULL)
        return ATTN_ENOMEM;
    attn_status status = attn_file_open(path, &d->loader->model->files, &file, d->loader->error);
    if (status != ATTN_OK)
        return status;
    status = attn_foreign_refuse_page(file.bytes, d->loader->error);
    if (status != ATTN_OK)
        attn_error_file(d->loader->error, path);
    else
        status = attn_config_open(file.bytes, path, &config, d->loader->error);
    if (status == ATTN_OK) {
        config.ignored = &d->loader->request->ignored_settings;
        config.model = d->loader->model;
        d->loader->has_settings = true;
        status = load_family(d, &config);
        attn_config_close(&config);
    }
    attn_file_close(&file);
    return status;
}

/* Its tokenizer, unless -v brings another. That a directory has none matters to a text of words only. */
static attn_status load_tokenizer(directory *d)
{
    const attn_model_request *request = d->loader->request;
    attn_model *model = d->loader->model;
    char *found = NULL;
    if (request->vocab != NULL)
        return ATTN_OK;
    const bool wordless = request->tokenizer != NULL && attn_kind_wordless(request->tokenizer) != ATTN_WORDLESS_REFUSED;
    attn_status status = attn_vocab_find(d->path, &found, d->loader->error);
    if (status == ATTN_OK && found == NULL && wordless)
        return ATTN_OK;
    if (status == ATTN_OK)
        status = attn_tokenizer_load(found != NULL ? found : d->path, &model->files, request->tokenizer,
                                     &model->tokenizer, d->loader->error);
    attn_free(found);
    if (status != ATTN_OK) {
        attn_error_file(d->loader->error, d->path);
        return attn_load_without_tokenizer(d->loader, status);
    }
    if (attn_tokenizer_size(model->tokenizer) > model->n_vocab)
        attn_model_warn(model, "the tokenizer has %zu tokens, the embeddings %zu rows: those beyond can not be used",
                        attn_tokenizer_size(model->tokenizer), model->n_vocab);
    return ATTN_OK;
}

static attn_status load(directory *d)
{
    attn_status status = load_config(d);
    return status == ATTN_OK ? load_tokenizer(d) : status;
}

attn_status attn_load_directory(attn_loader *loader, const char *path)
{
    directory d = {.loader = loader, .path = attn_model_text(loader, path)};
    if (d.path == NULL)
        return ATTN_ENOMEM;
    const char *config = join(loader, path, "config.json");
    if (config == NULL)
        return ATTN_ENOMEM;
    if (!attn_path_exists(config)) {
        attn_fail(loader->error, ATTN_EIO, "expected config.json in the directory, found none");
        hint_adapter(loader, path);
        return attn_error_file(loader->error, path);
    }
    attn_status status = find_weights(&d);
    return status == ATTN_OK ? load(&d) : status;
}

attn_status attn_load_container_model(attn_loader *loader, const char *path, const attn_format *format, attn_file *file)
{
    const char *slash = strrchr(path, '/');
    if (format->holds_model) {
        attn_container *kept;
        attn_status status = attn_model_take_container(loader, file, &kept);
        return status == ATTN_OK ? attn_load_gguf(loader, kept) : status;
    }
    if (!format->holds_weights) { /* what is in it may say better why */
        attn_container *kept;
        const attn_status status = attn_model_take_container(loader, file, &kept);
        if (status != ATTN_OK)
            return status;
        attn_fail(loader->error, ATTN_EUNSUPPORTED, "a file in %s is no model by itself", format->name);
        attn_error_hint(loader->error, "give its matrices with -w, or its rows with -e");
        return attn_error_file(loader->error, path);
    }
    attn_file_close(file);
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    directory d = {.loader = loader,
                   .path = slash == NULL ? "." : attn_arena_text(&loader->model->arena, path, length),
                   .weights = attn_model_text(loader, path)};
    if (d.weights == NULL || d.path == NULL)
        return attn_fail_memory(loader->error);
    return load(&d);
}
