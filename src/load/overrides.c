/* overrides.c: what the command line says against the model's own rules. */
#include "config.h"

#include "base/suggest.h"
#include "load/loader.h"

#include <math.h>
#include <string.h>

static attn_status set_rope(attn_loader *loader, attn_layer *layer, size_t index)
{
    if (layer->positions == ATTN_POSITION_ROPE)
        return ATTN_OK;
    if (layer->rope.theta == 0.0) /* a published model that has none */
        layer->rope = (attn_rope_settings){.dims = layer->rule.head_dim, .theta = 10000.0, .layout = ATTN_ROPE_HALF};
    if (layer->rope.dims == layer->rule.head_dim && layer->rope.dims % 2 != 0)
        return attn_fail(loader->error, ATTN_EUSAGE,
                         "--positions=rope turns pairs of numbers, but heads of layer %zu have %zu", index,
                         layer->rule.head_dim);
    if (attn_layer_rope(layer, loader->error) == ATTN_OK)
        return ATTN_OK;
    attn_error_file(loader->error, loader->drafts_file);
    return attn_error_prefix(loader->error, "--positions=rope, layer %zu: ", index);
}

/* One rule takes the place of all that the model has. */
static attn_status set_layers(attn_loader *loader, attn_position_rule rule)
{
    attn_model *model = loader->model;
    attn_status status = ATTN_OK;
    model->positions = rule == ATTN_POSITION_SINUSOIDAL || rule == ATTN_POSITION_LEARNED ? rule : ATTN_POSITION_NONE;
    for (size_t l = 0; l < model->n_layers && status == ATTN_OK; l++) {
        attn_layer *layer = &model->layers[l];
        if (rule != ATTN_POSITION_ALIBI)
            layer->rule.slopes = NULL;
        if (rule != ATTN_POSITION_T5)
            layer->rule.relative = (attn_relative_bias){0};
        if (rule == ATTN_POSITION_ROPE) {
            status = set_rope(loader, layer, l);
        } else if (rule == ATTN_POSITION_ALIBI) {
            status = attn_layer_alibi(layer, &model->arena, loader->error);
        } else {
            layer->positions = ATTN_POSITION_NONE;
        }
    }
    return status;
}

/* A file of rows to add to the embeddings, by position. */
static attn_status set_table(attn_loader *loader, const char *path)
{
    attn_model *model = loader->model;
    attn_container *kept;
    attn_status status = attn_model_open_container(loader, path, &kept);
    if (status != ATTN_OK)
        return status;
    attn_tensor table;
    if (kept->n_tensors != 1 || !attn_tensor_as_matrix(&kept->tensors[0].tensor, &table) ||
        table.shape[1] != model->d_model || table.shape[0] == 0) {
        attn_fail(loader->error, ATTN_EDATA, "--positions: expected one matrix of rows %zu wide", model->d_model);
        return attn_error_file(loader->error, path);
    }
    model->position_embeddings = table;
    model->position_offset = 0;
    status = attn_account_tensor(loader, kept->tensors[0].name, kept->tensors[0].file, &table, "positions",
                                 "[position][d_model]");
    return status == ATTN_OK ? set_layers(loader, ATTN_POSITION_LEARNED) : status;
}

static const char *position_name_at(size_t index)
{
    return index < ATTN_N_PLAIN_POSITIONS ? attn_position_rule_name((attn_position_rule)index) : NULL;
}

static attn_status set_positions(attn_loader *loader, const char *text)
{
    attn_position_rule rule;
    if (attn_position_rule_find(text, &rule))
        return set_layers(loader, rule);
    if (attn_path_exists(text))
        return set_table(loader, text);
    attn_fail(loader->error, ATTN_EUSAGE,
              "--positions: expected none, rope, alibi, sinusoidal or a file of rows to add, found '%s'", text);
    attn_suggest_hint(text, position_name_at, loader->error);
    return ATTN_EUSAGE;
}

static void override_rule(const attn_loader *loader, attn_layer *layer)
{
    const attn_overrides *o = &loader->request->overrides;
    const bool published = loader->n_drafts == 0;
    attn_rule *rule = &layer->rule;
    if (o->has_score && o->score != rule->score) {
        rule->score = o->score;
        rule->scale = NAN; /* a scale belongs to its score rule */
    }
    if (o->scale.given)
        rule->scale = o->scale.value;
    if (o->temperature.given)
        rule->temperature = o->temperature.value;
    if (o->softcap.given)
        rule->softcap = o->softcap.value;
    if (o->masks.count > 0) {
        layer->mask = loader->mask;
        layer->mask_given = true;
    } else if (!layer->mask_given) {
        layer->mask.causal = true;
    } else if (published) {
        layer->mask_given = false; /* its family's, for a text by itself: with a context there is none */
    }
}

/* Counts of heads belong to weights whose file leaves them open (drafts); a published model fixes its own. */
static attn_status check_counts(attn_loader *loader)
{
    const attn_overrides *o = &loader->request->overrides;
    if (loader->n_drafts > 0 || (o->n_heads == 0 && o->n_kv_heads == 0))
        return ATTN_OK;
    return attn_fail(loader->error, ATTN_EUSAGE,
                     "--n-heads and --n-kv-heads are for weights of your own: a %s model has its own counts",
                     loader->model->family);
}

attn_status attn_apply_overrides(attn_loader *loader)
{
    const attn_overrides *o = &loader->request->overrides;
    attn_model *model = loader->model;
    attn_status status = check_counts(loader);
    for (size_t l = 0; l < model->n_layers; l++)
        override_rule(loader, &model->layers[l]);
    if (status == ATTN_OK && o->positions != NULL)
        status = set_positions(loader, o->positions);
    for (size_t l = 0; l < model->n_layers && status == ATTN_OK; l++) {
        status = attn_rule_check(&model->layers[l].rule, loader->error);
        if (status != ATTN_OK && model->n_layers > 1)
            attn_error_prefix(loader->error, "layer %zu: ", l);
    }
    return status;
}
