/* model.c: the names of position rules, how wide a model's stream is, and its end. */
#include "config.h"

#include "model/model.h"

#include <string.h>

const char *attn_position_rule_name(attn_position_rule rule)
{
    static const char *const names[] = {
        [ATTN_POSITION_NONE] = "none",       [ATTN_POSITION_ROPE] = "rope",
        [ATTN_POSITION_ALIBI] = "alibi",     [ATTN_POSITION_SINUSOIDAL] = "sinusoidal",
        [ATTN_POSITION_LEARNED] = "learned", [ATTN_POSITION_T5] = "t5",
    };
    return names[rule];
}

bool attn_position_rule_find(const char *name, attn_position_rule *rule)
{
    for (int i = 0; i < ATTN_N_PLAIN_POSITIONS; i++)
        if (strcmp(name, attn_position_rule_name((attn_position_rule)i)) == 0) {
            *rule = (attn_position_rule)i;
            return true;
        }
    return false;
}

size_t attn_linear_out(const attn_linear *linear)
{
    size_t columns = linear->w.shape[1];
    if (linear->group == 0)
        return columns;
    return (columns + linear->group_stride - linear->group) / linear->group_stride * linear->group;
}

attn_status attn_model_reads(const attn_model *model, size_t n_tokens, attn_error *error)
{
    if (model->max_tokens == 0 || n_tokens <= model->max_tokens)
        return ATTN_OK;
    attn_fail(error, ATTN_EDATA, "the text has %zu tokens, the model reads at most %zu", n_tokens, model->max_tokens);
    attn_error_hint(error, "--max-tokens=%zu cuts it", model->max_tokens);
    return ATTN_EDATA;
}

static attn_status refuse_id(const attn_model *model, uint32_t id, attn_error *error)
{
    attn_buffer label = {0};
    if (model->tokenizer != NULL)
        attn_tokenizer_label(model->tokenizer, id, false, &label);
    int size = (int)(label.size < 200 ? label.size : 200);
    if (id < model->n_vocab)
        attn_fail(error, ATTN_EDATA, "token '%.*s' (id %lu) has no vector", size, label.data != NULL ? label.data : "",
                  (unsigned long)id);
    else
        attn_fail(error, ATTN_EDATA, "token '%.*s' has id %lu, but the embeddings have %zu rows (ids 0 to %zu)", size,
                  label.data != NULL ? label.data : "", (unsigned long)id, model->n_vocab, model->n_vocab - 1);
    attn_buffer_free(&label);
    return ATTN_EDATA;
}

attn_status attn_model_has_vector(const attn_model *model, uint32_t id, attn_error *error)
{
    bool has = id < model->n_vocab && (model->no_vector == NULL || model->no_vector[id] == 0);
    return has ? ATTN_OK : refuse_id(model, id, error);
}

size_t attn_model_width(const attn_model *model, ptrdiff_t layer)
{
    if (layer < 0 || model->n_layers == 0)
        return model->d_model;
    const attn_layer *l = &model->layers[layer];
    if (l->o.w.data != NULL)
        return l->o.w.shape[1];
    return l->head_mix != NULL ? l->rule.value_dim : l->rule.n_heads * l->rule.value_dim;
}

void attn_model_close(attn_model *model)
{
    if (model == NULL)
        return;
    attn_tokenizer_close(model->tokenizer);
    for (size_t i = 0; i < model->n_containers; i++)
        attn_container_close(&model->containers[i]);
    if (model->vectors != NULL)
        attn_vectors_close(model->vectors);
    attn_free(model->vectors);
    attn_free(model->accounts);
    attn_free(model->containers);
    attn_file_list_free(&model->files);
    attn_arena_free(&model->arena);
    memset(model, 0, sizeof *model);
}
