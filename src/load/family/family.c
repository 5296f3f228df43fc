/* family.c: the list of families, and what they share. */
#include "config.h"

#include "load/family/family.h"

#include <string.h>

static const attn_family *const families[] = {
    attn_families_gpt2,
    attn_families_llama,
    attn_families_bert,
    attn_families_gpt_neox,
};
static const attn_architecture *const architectures[] = {
    attn_architectures_llama,
    attn_architectures_gpt2,
    attn_architectures_bert,
};

const char *attn_family_name_at(size_t index)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const attn_family *row = families[i]; row->name != NULL; row++)
            if (index-- == 0)
                return row->name;
    return NULL;
}

const attn_family *attn_family_find(const char *model_type)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const attn_family *row = families[i]; row->name != NULL; row++)
            if (strcmp(row->name, model_type) == 0)
                return row;
    return NULL;
}

const attn_architecture *attn_architecture_find(const char *name)
{
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        for (const attn_architecture *row = architectures[i]; row->name != NULL; row++)
            if (strcmp(row->name, name) == 0)
                return row;
    return NULL;
}

attn_status attn_family_layers(attn_checkpoint *checkpoint, size_t n)
{
    attn_model *model = checkpoint->loader->model;
    if (n > checkpoint->container->n_tensors) { /* before any memory is asked for */
        attn_fail(checkpoint->loader->error, ATTN_EDATA,
                  "the settings promise %zu layers, but there are only %zu tensors", n,
                  checkpoint->container->n_tensors);
        return checkpoint->status = ATTN_EDATA;
    }
    model->layers = attn_checkpoint_alloc(checkpoint, n, sizeof *model->layers);
    if (model->layers == NULL)
        return checkpoint->status;
    model->n_layers = n;
    for (size_t l = 0; l < n; l++)
        model->layers[l] = (attn_layer){.d_model = model->d_model, .rule = attn_rule_default(), .residual = true};
    return ATTN_OK;
}

attn_activation attn_family_activation(attn_config *config, const char *key, const char *fallback)
{
    static const struct {
        const char *name;
        attn_activation activation;
    } names[] = {
        {"gelu", ATTN_GELU},
        {"gelu_python", ATTN_GELU},
        {"gelu_new", ATTN_GELU_TANH},
        {"gelu_fast", ATTN_GELU_TANH},
        {"gelu_pytorch_tanh", ATTN_GELU_TANH},
        {"gelu_python_tanh", ATTN_GELU_TANH},
        {"silu", ATTN_SILU},
        {"swish", ATTN_SILU},
        {"relu", ATTN_RELU},
        {"quick_gelu", ATTN_QUICK_GELU},
    };
    const char *name = attn_config_text(config, key, fallback);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].activation;
    attn_config_fail(config, key, "there is no activation '%.60s'", name);
    return ATTN_GELU;
}

void attn_family_check_heads(attn_config *config, const char *key, size_t n_heads, const char *width_key, size_t width)
{
    if (config->status == ATTN_OK && width % n_heads != 0)
        attn_config_fail(config, key, "%zu heads do not divide %s %zu", n_heads, width_key, width);
}

void attn_family_embeddings(attn_checkpoint *checkpoint, const char *name, size_t n_vocab, size_t d_model)
{
    attn_model *model = checkpoint->loader->model;
    model->n_vocab = n_vocab;
    model->d_model = d_model;
    model->embeddings = attn_checkpoint_matrix(checkpoint, attn_name_of(name, 0), "token embeddings", n_vocab, d_model);
}

void attn_family_positions(attn_checkpoint *checkpoint, const char *name, size_t n_positions, size_t offset)
{
    attn_model *model = checkpoint->loader->model;
    model->positions = ATTN_POSITION_LEARNED;
    model->position_offset = offset;
    model->max_tokens = n_positions - offset;
    model->position_embeddings =
        attn_checkpoint_matrix(checkpoint, attn_name_of(name, 0), "positions", n_positions, model->d_model);
}

void attn_family_head(attn_checkpoint *checkpoint, const char *name, bool tied)
{
    attn_model *model = checkpoint->loader->model;
    attn_name head = attn_name_whole(name);
    if (tied) {
        if (checkpoint->status == ATTN_OK)
            model->head.w = attn_tensor_transpose(model->embeddings);
    } else if (attn_checkpoint_has(checkpoint, head, ".weight")) {
        bool conv1d = checkpoint->conv1d;
        checkpoint->conv1d = false; /* output heads are Linear everywhere */
        model->head = attn_checkpoint_linear(checkpoint, head, "output head", model->d_model, model->n_vocab, false);
        checkpoint->conv1d = conv1d;
    } else {
        attn_model_warn(model, "there is no output head (%s.weight), so -p next is not possible", name);
    }
}
