/* accounts.c: what the loaders share: notes on each tensor, warnings, and giving the model things to own. */
#include "config.h"

#include "load/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static attn_status add_account(attn_loader *loader, const attn_account *account)
{
    attn_model *model = loader->model;
    if (!attn_grow((void **)&model->accounts, &model->account_room, model->n_accounts, sizeof *model->accounts))
        return attn_fail_memory(loader->error);
    model->accounts[model->n_accounts++] = *account;
    return ATTN_OK;
}

attn_status attn_account_tensor(attn_loader *loader, const char *name, const char *file, const attn_tensor *tensor,
                                const char *role, const char *layout)
{
    attn_account account = {
        .tensor = name, .file = file, .role = role, .layout = layout, .dtype = tensor->dtype, .n_dims = tensor->n_dims};
    memcpy(account.shape, tensor->shape, sizeof account.shape);
    return add_account(loader, &account);
}

void attn_model_warn(attn_model *model, const char *format, ...)
{
    size_t used = strlen(model->warning), room = sizeof model->warning - used;
    va_list arguments;
    if (used > 0 && room > 3) {
        memcpy(model->warning + used, "; ", 3);
        used += 2;
        room -= 2;
    }
    va_start(arguments, format);
    vsnprintf(model->warning + used, room, format, arguments);
    va_end(arguments);
}

/* Give the model CONTAINER to keep (taken over, also on failure). */
static attn_status keep_container(attn_loader *loader, attn_container *container, attn_container **kept)
{
    attn_model *model = loader->model;
    *kept = NULL;
    if (!attn_grow((void **)&model->containers, &model->container_room, model->n_containers,
                   sizeof *model->containers)) {
        attn_container_close(container);
        return attn_fail_memory(loader->error);
    }
    model->containers[model->n_containers] = *container;
    *container = (attn_container){0};
    *kept = &model->containers[model->n_containers++];
    return ATTN_OK;
}

attn_status attn_model_take_container(attn_loader *loader, attn_file *file, attn_container **kept)
{
    attn_container container;
    attn_status status = attn_container_take(file, &container, loader->error);
    return status == ATTN_OK ? keep_container(loader, &container, kept) : status;
}

attn_status attn_model_open_container(attn_loader *loader, const char *path, attn_container **kept)
{
    attn_container container;
    attn_status status = attn_container_open(path, &loader->model->files, &container, loader->error);
    return status == ATTN_OK ? keep_container(loader, &container, kept) : status;
}

const char *attn_model_text(attn_loader *loader, const char *text)
{
    const char *copy = attn_arena_text(&loader->model->arena, text, strlen(text));
    if (copy == NULL)
        attn_fail_memory(loader->error);
    return copy;
}

const float *attn_model_floats(attn_loader *loader, const attn_tensor *tensor)
{
    const float *values = attn_tensor_floats(tensor, &loader->model->arena);
    if (values == NULL)
        attn_fail_memory(loader->error);
    return values;
}

attn_status attn_tokenizer_of_words(const attn_word_list *list, attn_tokenizer **tokenizer, attn_error *error)
{
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    spec.kind = list->kind;
    spec.tokens = list->words;
    spec.n_tokens = list->n;
    spec.lowercase = list->lowercase;
    spec.strip_accents = list->lowercase; /* these three: for "tokenizer": "wordpiece" */
    spec.clean_text = true;
    spec.split_cjk = true;
    spec.unknown = attn_spec_find_unknown(&spec);
    if (list->unknown.data != NULL) {
        size_t i = 0;
        while (i < list->n && !attn_bytes_equal(list->words[i], list->unknown))
            i++;
        if (i == list->n)
            return attn_fail(error, ATTN_EDATA, "unknown: '%.*s' is not in the vocabulary",
                             (int)(list->unknown.size < 60 ? list->unknown.size : 60),
                             (const char *)list->unknown.data);
        spec.unknown = (uint32_t)i;
    }
    return attn_tokenizer_open(&spec, tokenizer, error);
}
