/* family.c: the table of families, and what they share. */
#include "config.h"

#include "load/family/family.h"

#include <string.h>

static const attn_family *const tables[] = {attn_families_gpt2, attn_families_llama, attn_families_bert,
                                            attn_families_gpt_neox};

const char *attn_family_name_at(size_t index)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (size_t k = 0; tables[i][k].name != NULL; k++)
            if (index-- == 0)
                return tables[i][k].name;
    return NULL;
}

const attn_family *attn_family_find(const char *model_type)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (size_t k = 0; tables[i][k].name != NULL; k++)
            if (strcmp(tables[i][k].name, model_type) == 0)
                return &tables[i][k];
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
    model->layers = attn_arena_alloc(&model->arena, n, sizeof *model->layers);
    if (model->layers == NULL)
        return checkpoint->status = attn_fail_memory(checkpoint->loader->error);
    memset(model->layers, 0, n * sizeof *model->layers);
    model->n_layers = n;
    for (size_t l = 0; l < n; l++) {
        model->layers[l].d_model = model->d_model;
        model->layers[l].rule = attn_rule_default();
        model->layers[l].residual = true;
    }
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

void attn_family_embeddings(attn_checkpoint *checkpoint, const char *name, size_t n_vocab, size_t d_model)
{
    attn_model *model = checkpoint->loader->model;
    size_t shape[2];
    shape[0] = n_vocab;
    shape[1] = d_model;
    model->n_vocab = n_vocab;
    model->d_model = d_model;
    model->embeddings = attn_checkpoint_tensor(checkpoint, attn_name_of(name, 0), "token embeddings", 2, shape);
}

void attn_family_head(attn_checkpoint *checkpoint, const char *name, bool tied, attn_bias bias)
{
    attn_model *model = checkpoint->loader->model;
    const char *prefix = checkpoint->prefix;
    char full[128];
    checkpoint->prefix = "";
    strncpy(full, name, sizeof full - 8);
    full[sizeof full - 8] = '\0';
    strcat(full, ".weight");
    if (tied) {
        if (checkpoint->status == ATTN_OK)
            model->head.w = attn_tensor_transpose(model->embeddings);
    } else if (attn_checkpoint_has(checkpoint, attn_name_of(full, 0))) {
        bool conv1d = checkpoint->conv1d;
        checkpoint->conv1d = false; /* output heads are Linear everywhere */
        model->head = attn_checkpoint_linear(checkpoint, attn_name_of(name, 0), "output head", model->d_model,
                                             model->n_vocab, bias);
        checkpoint->conv1d = conv1d;
    } else {
        attn_model_warn(model, "there is no output head (%s), so -p next is not possible", full);
    }
    checkpoint->prefix = prefix;
}
