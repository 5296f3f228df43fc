/* load.c: a model from its parts: which loader reads -m, what -v, -e and -w replace, layers finished, the whole
 * checked. */
#include "config.h"

#include "base/foreign.h"
#include "load/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static attn_status no_model(attn_loader *loader, attn_file *file)
{
    if (attn_foreign_refuse_data(file->bytes, loader->error) == ATTN_OK) {
        attn_fail(loader->error, ATTN_EDATA, "the content is no model");
        attn_error_hint(loader->error, "-m takes a toy model in JSON, a model directory, a .gguf or a "
                                       ".safetensors; word vectors go with -e, a vocabulary with -v");
    }
    attn_error_file(loader->error, file->name);
    attn_file_close(file);
    return ATTN_EDATA;
}

static attn_status load_json(attn_loader *loader, attn_file *file)
{
    attn_model *model = loader->model;
    const char *name = attn_model_text(loader, file->name);
    if (name == NULL) {
        attn_file_close(file);
        return ATTN_ENOMEM;
    }
    model->family = "toy";
    model->format = "json";
    attn_status status = attn_load_toy(loader, file->bytes, name, false);
    attn_file_close(file);
    if (status != ATTN_OK && attn_bytes_end_with(attn_bytes_of(name), "config.json"))
        attn_error_hint(loader->error, "to read a published model, give its directory");
    return status;
}

/* -m: the loader that the content (or a directory) asks for. */
static attn_status load_model(attn_loader *loader)
{
    const char *path;
    attn_file file = {0};
    bool is_directory = false;
    attn_status status = attn_hub_path(loader, loader->request->model, &path);
    if (status == ATTN_OK)
        status = attn_path_is_directory(path, &is_directory, loader->error);
    if (status == ATTN_OK && is_directory)
        return attn_load_directory(loader, path);
    if (status == ATTN_OK)
        status = attn_file_open(path, &loader->model->files, &file, loader->error);
    if (status != ATTN_OK)
        return status;
    const attn_format *format = attn_format_of_file(&file);
    if (format == NULL)
        return no_model(loader, &file);
    if (format->may_be_toy)
        return load_json(loader, &file);
    return attn_load_container_model(loader, path, format, &file);
}

static attn_status identity_layer(attn_loader *loader)
{
    loader->drafts = attn_arena_alloc(&loader->model->arena, 1, sizeof *loader->drafts);
    if (loader->drafts == NULL)
        return attn_fail_memory(loader->error);
    loader->drafts[0] = attn_layer_draft_default(0);
    loader->n_drafts = 1;
    return ATTN_OK;
}

/* Weights alone: the text is ids, and each id a one-hot vector. */
static attn_status width_from_weights(attn_loader *loader)
{
    attn_model *model = loader->model;
    const attn_layer_draft *first = loader->drafts;
    const attn_kind *kind = loader->request->tokenizer;
    const bool numbered = kind != NULL && attn_kind_wordless(kind) == ATTN_WORDLESS_NUMBERED;
    if (model->n_vocab != 0)
        return ATTN_OK;
    if (!numbered && loader->request->weights == NULL) {
        attn_fail(loader->error, ATTN_EDATA,
                  "the model has no vocabulary: expected \"words\", or \"vocab\" with \"embeddings\"");
        attn_error_hint(loader->error, "or add -e or -v, or -t ids for a text of one-hot ids");
        return attn_error_file(loader->error, loader->request->model);
    }
    if (!numbered || loader->n_drafts == 0) {
        attn_fail(loader->error, ATTN_EUSAGE, "there are weights, but no vocabulary and no embeddings");
        return attn_error_hint(loader->error, "add -e or -v, or -t ids for a text of one-hot ids");
    }
    model->n_vocab = first->d_model;
    for (size_t role = 0; role < ATTN_ROLE_O && model->n_vocab == 0; role++)
        if (first->w[role].tensor.data != NULL)
            model->n_vocab = first->w[role].tensor.shape[0];
    if (model->n_vocab == 0 && first->heads != NULL && first->heads[0].w[0].tensor.data != NULL)
        model->n_vocab = first->heads[0].w[0].tensor.shape[0];
    if (model->n_vocab == 0)
        return attn_fail(loader->error, ATTN_EDATA, "the weights do not say how wide the vectors are");
    model->d_model = model->n_vocab;
    return ATTN_OK;
}

/* Positions that are added to the embeddings stand with the first layer in a toy file. */
static attn_status take_added_positions(attn_loader *loader, const attn_draft_context *context,
                                        const attn_layer_draft *draft)
{
    attn_model *model = loader->model;
    if (!draft->positions_given ||
        (draft->positions != ATTN_POSITION_SINUSOIDAL && draft->positions != ATTN_POSITION_LEARNED))
        return ATTN_OK;
    if (draft->index != 0) {
        attn_fail(context->error, ATTN_EDATA,
                  "positions: these are added to the embeddings, so only the first layer can give them");
        return attn_draft_at(context, draft, draft->place);
    }
    model->positions = draft->positions;
    model->position_offset = 0;
    if (draft->positions == ATTN_POSITION_SINUSOIDAL)
        return ATTN_OK;
    if (draft->position_table.tensor.shape[1] != model->d_model) {
        attn_fail(context->error, ATTN_EDATA, "positions: rows of %zu numbers, but d_model is %zu",
                  draft->position_table.tensor.shape[1], model->d_model);
        return attn_draft_at(context, draft, draft->position_table.place);
    }
    model->position_embeddings = draft->position_table.tensor;
    return ATTN_OK;
}

static attn_status account_draft(attn_loader *loader, const attn_layer_draft *draft)
{
    attn_status status = ATTN_OK;
    for (size_t role = 0; role < ATTN_N_ROLES && status == ATTN_OK; role++)
        if (draft->w[role].tensor.data != NULL)
            status = attn_account_tensor(loader, draft->w[role].name, loader->drafts_file, &draft->w[role].tensor,
                                         attn_role_text((attn_weight_role)role), "[in][out]");
    return status;
}

/* A layer follows only where the one before it gives the stream's width. */
static attn_status check_follows(const attn_loader *loader, const attn_draft_context *context, size_t l)
{
    const attn_model *model = loader->model;
    size_t width = l == 0 ? model->d_model : attn_model_width(model, (ptrdiff_t)l - 1);
    if (width == model->d_model)
        return ATTN_OK;
    attn_fail(context->error, ATTN_EDATA, "no layer can follow layer %zu, which gives %zu numbers where d_model is %zu",
              l - 1, width, model->d_model);
    return attn_draft_at(context, &loader->drafts[l], loader->drafts[l].place);
}

static attn_status finish_drafts(attn_loader *loader)
{
    attn_model *model = loader->model;
    const attn_draft_context context = {.file = loader->drafts_file,
                                        .arena = &model->arena,
                                        .n_layers = loader->n_drafts,
                                        .n_heads = loader->request->overrides.n_heads,
                                        .n_kv_heads = loader->request->overrides.n_kv_heads,
                                        .error = loader->error};
    attn_status status = ATTN_OK;
    if (loader->n_drafts == 0)
        return ATTN_OK;
    model->layers = attn_arena_alloc(&model->arena, loader->n_drafts, sizeof *model->layers);
    if (model->layers == NULL)
        return attn_fail_memory(loader->error);
    for (size_t l = 0; l < loader->n_drafts && status == ATTN_OK; l++) {
        model->n_layers = l;
        status = check_follows(loader, &context, l);
        if (status == ATTN_OK)
            status = attn_draft_finish(&context, &loader->drafts[l], model->d_model, &model->layers[l]);
        model->n_layers = l + 1;
        if (status == ATTN_OK)
            status = take_added_positions(loader, &context, &loader->drafts[l]);
        if (status == ATTN_OK && !loader->drafts_noted)
            status = account_draft(loader, &loader->drafts[l]);
    }
    return status;
}

/* Rows without words: the text is their numbers, and each is called by its number; or, with -t bytes, its bytes are.
 * Other tokenizers would find nothing in them. */
static attn_status open_wordless_tokenizer(attn_loader *loader)
{
    const bool chosen = loader->request->tokenizer != NULL && loader->model->no_tokenizer == NULL;
    const attn_kind *kind = chosen ? loader->request->tokenizer : &attn_kind_ids;
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    if (loader->model->tokenizer != NULL)
        return ATTN_OK;
    if (attn_kind_wordless(kind) == ATTN_WORDLESS_REFUSED)
        return attn_fail(loader->error, ATTN_EUSAGE,
                         "--tokenizer=%s needs a vocabulary, and these vectors have no words: give one with "
                         "-v, or take ids or bytes",
                         attn_kind_name(kind));
    spec.kind = kind;
    spec.n_tokens = loader->model->n_vocab;
    return attn_tokenizer_open(&spec, &loader->model->tokenizer, loader->error);
}

static void forget(attn_error *error)
{
    if (error != NULL)
        *error = (attn_error){0};
}

attn_status attn_load_without_tokenizer(attn_loader *loader, attn_status status)
{
    attn_model *model = loader->model;
    const attn_kind *kind = loader->request->tokenizer;
    const attn_error *why = loader->error;
    char text[1024];
    attn_error *kept = attn_arena_aligned(&model->arena, 1, sizeof *kept);
    if (status == ATTN_ENOMEM || kept == NULL)
        return attn_fail_memory(loader->error);
    if (kind != NULL && attn_kind_wordless(kind) != ATTN_WORDLESS_REFUSED) {
        if (why != NULL)
            attn_error_text(why, text, sizeof text);
        attn_model_warn(model, "the model's tokenizer is not read: %.600s", why != NULL ? text : "it can not be");
        forget(loader->error);
        return ATTN_OK;
    }
    attn_fail(kept, status, "the model's tokenizer can not be read");
    if (why != NULL)
        *kept = *why;
    forget(loader->error);
    const size_t used = strlen(kept->hint);
    snprintf(kept->hint + used, sizeof kept->hint - used, "%s-t ids takes a text of token ids, -v another tokenizer",
             used > 0 ? "; " : "");
    model->no_tokenizer = kept;
    return ATTN_OK;
}

static attn_status load_all(attn_loader *loader)
{
    const attn_model_request *request = loader->request;
    attn_status status = attn_load_masks(loader);
    if (status == ATTN_OK && request->model != NULL)
        status = load_model(loader);
    if (status == ATTN_OK)
        status = attn_load_parts(loader);
    if (status == ATTN_OK && loader->n_drafts == 0 && loader->model->n_layers == 0)
        status = identity_layer(loader);
    if (status == ATTN_OK)
        status = width_from_weights(loader);
    if (status == ATTN_OK)
        status = open_wordless_tokenizer(loader);
    if (status == ATTN_OK && (status = finish_drafts(loader)) == ATTN_EDATA && loader->unread_settings &&
        loader->error != NULL && loader->error->hint[0] == '\0')
        attn_error_hint(loader->error, "config.json beside it may say; -m reads both");
    if (status == ATTN_OK && request->ignored_settings.count > 0 && !loader->has_settings)
        return attn_fail(loader->error, ATTN_EUSAGE,
                         "--ignore-setting is for the settings of a published model, and none are read here");
    return status == ATTN_OK ? attn_apply_overrides(loader) : status;
}

const char *attn_request_path(const attn_model_request *request)
{
    return request->model != NULL        ? request->model
           : request->embeddings != NULL ? request->embeddings
           : request->vocab != NULL      ? request->vocab
           : request->weights != NULL    ? request->weights
                                         : "";
}

attn_status attn_model_open(const attn_model_request *request, attn_model *model, attn_error *error)
{
    attn_loader loader = {.model = model, .request = request, .error = error};
    attn_status status;
    *model = (attn_model){.embedding_scale = 1.0F, .logit_scale = 1.0F, .family = "toy"};
    model->name = attn_model_text(&loader, attn_request_path(request));
    if (model->name == NULL)
        status = ATTN_ENOMEM;
    else if (model->name[0] == '\0')
        status = attn_fail(error, ATTN_EUSAGE, "no model: give -m, or parts of one with -e, -v and -w");
    else
        status = load_all(&loader);
    if (status != ATTN_OK)
        attn_model_close(model);
    return status;
}
