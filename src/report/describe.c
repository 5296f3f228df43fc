/* describe.c: the report `model`: what was understood: the model's own settings, each layer's
 * rules, and each tensor with the role it plays. */
#include "config.h"

#include "kernels/kernels.h"
#include "output/number.h"
#include "report/kind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct page {
    attn_report *report;
    attn_status status;
    attn_error *error;
    char item[32];
} page;

static attn_cell text_cell(const char *text)
{
    attn_cell none = {.type = ATTN_CELL_NONE};
    return text != NULL && text[0] != '\0' ? attn_cell_label(attn_bytes_of(text)) : none;
}

static void put_row(page *p, const char *name, const char *value, const attn_account *account)
{
    attn_cell cells[7] = {text_cell(p->item), text_cell(name), text_cell(value)};
    char shape[ATTN_MAX_DIMS * 24] = "";
    size_t used = 0;
    if (p->status != ATTN_OK)
        return;
    for (size_t i = 3; i < 7; i++)
        cells[i].type = ATTN_CELL_NONE;
    if (account != NULL) {
        for (size_t i = 0; i < account->n_dims && used < sizeof shape; i++)
            used += (size_t)snprintf(shape + used, sizeof shape - used, "[%zu]", account->shape[i]);
        cells[3] = text_cell(attn_dtype_of(account->dtype)->name);
        cells[4] = text_cell(shape);
        cells[5] = text_cell(account->layout);
        cells[6] = text_cell(account->file);
    }
    p->status = attn_report_record(p->report, cells, p->error);
}

static void put(page *p, const char *name, const char *format, ...) ATTN_PRINTF(3, 4);
static void put(page *p, const char *name, const char *format, ...)
{
    char value[256];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    put_row(p, name, value, NULL);
}

static void put_number(page *p, const char *name, float number)
{
    char text[ATTN_NUMBER_ROOM + 1];
    text[attn_number_f32(number, ATTN_SHORTEST, text)] = '\0';
    put_row(p, name, text, NULL);
}

static const char *norm_name(attn_norm_kind kind)
{
    static const char *const names[] = {
        [ATTN_NORM_NONE] = "none", [ATTN_NORM_LAYER] = "layer norm", [ATTN_NORM_RMS] = "rms norm"};
    return names[kind];
}

static void put_model(page *p)
{
    const attn_model *model = p->report->model;
    snprintf(p->item, sizeof p->item, "model");
    put_row(p, "name", model->name, NULL);
    put_row(p, "family", model->family, NULL);
    if (model->format != NULL)
        put_row(p, "format", model->format, NULL);
    put_row(p, "kernel", attn_kernels()->name, NULL);
    if (model->tokenizer != NULL) {
        put(p, "tokenizer", "%s",
            model->no_tokenizer != NULL ? "not read" : attn_kind_name(attn_tokenizer_kind_of(model->tokenizer)));
        put(p, "vocabulary", "%zu", attn_tokenizer_size(model->tokenizer));
    }
    if (model->embeddings.data != NULL)
        put(p, "embeddings", "[%zu][%zu]", model->n_vocab, model->d_model);
    else
        put(p, "embeddings", "one-hot [%zu][%zu]", model->n_vocab, model->d_model);
    if (model->embedding_scale != 1.0f)
        put_number(p, "embedding_scale", model->embedding_scale);
    if (model->embedding_norm.kind != ATTN_NORM_NONE)
        put_row(p, "embedding_norm", norm_name(model->embedding_norm.kind), NULL);
    put_row(p, "positions", attn_position_rule_name(model->positions), NULL);
    if (model->max_tokens != 0)
        put(p, "max_tokens", "%zu", model->max_tokens);
    put(p, "layers", "%zu", model->n_layers);
    if (model->final_norm.kind != ATTN_NORM_NONE)
        put_row(p, "final_norm", norm_name(model->final_norm.kind), NULL);
    put_row(p, "output_head",
            model->head.w.data == NULL ? "none"
            : model->masked_lm         ? "masked token"
                                       : "next token",
            NULL);
    if (model->logit_softcap != 0)
        put_number(p, "logit_softcap", model->logit_softcap);
}

static void put_mask(page *p, const attn_mask *mask)
{
    char text[160] = "";
    size_t used = 0;
    const struct {
        bool on;
        const char *name;
        size_t number;
    } rules[] = {{mask->causal, "causal", 0},
                 {mask->window != 0, "window", mask->window},
                 {mask->band != 0, "band", mask->band},
                 {mask->has_prefix, "prefix", mask->prefix},
                 {mask->n_matrices != 0, "matrices", mask->n_matrices}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rules[i].on)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "", rules[i].name);
        if (rules[i].number != 0)
            used += (size_t)snprintf(text + used, sizeof text - used, ":%zu", rules[i].number);
    }
    put_row(p, "mask", used > 0 ? text : "none", NULL);
}

/* "F16 [312][312]", as y = x·W uses it, or what stands for it where there is none. */
static void put_linear(page *p, const char *name, const attn_linear *linear, const char *absent)
{
    char text[128];
    if (linear->w.data != NULL)
        attn_tensor_describe(&linear->w, text, sizeof text);
    put_row(p, name, linear->w.data != NULL ? text : absent, NULL);
}

static void put_feed_forward(page *p, const attn_layer *layer)
{
    const attn_feed_forward *ffn = &layer->ffn;
    static const char *const names[] = {[ATTN_GELU] = "gelu",
                                        [ATTN_GELU_TANH] = "gelu by tanh",
                                        [ATTN_SILU] = "silu",
                                        [ATTN_RELU] = "relu",
                                        [ATTN_QUICK_GELU] = "quick gelu"};
    if (layer->cut_short != NULL)
        put_row(p, "feed_forward", "not run", NULL);
    else if (ffn->down.w.data == NULL)
        put_row(p, "feed_forward", "none", NULL);
    else
        put(p, "feed_forward", "%s%s", names[ffn->activation], ffn->gate.w.data != NULL ? ", gated" : "");
}

static void put_norms(page *p, const attn_layer *layer)
{
    const struct {
        const char *name;
        const attn_norm *norm;
    } norms[] = {{"attention_norm_before", &layer->attention_before},
                 {"attention_norm_after", &layer->attention_after},
                 {"attention_norm_post_residual", &layer->attention_post_residual},
                 {"ffn_norm_before", &layer->ffn_before},
                 {"ffn_norm_after", &layer->ffn_after},
                 {"ffn_norm_post_residual", &layer->ffn_post_residual},
                 {"q_norm", &layer->q_norm},
                 {"k_norm", &layer->k_norm}};
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++)
        if (norms[i].norm->kind != ATTN_NORM_NONE)
            put_row(p, norms[i].name, norm_name(norms[i].norm->kind), NULL);
}

static void put_layer(page *p, size_t index)
{
    const attn_layer *layer = &p->report->model->layers[index];
    const attn_rule *rule = &layer->rule;
    snprintf(p->item, sizeof p->item, "layer %zu", index);
    put(p, "heads", "%zu", rule->n_heads);
    if (rule->n_kv_heads != rule->n_heads)
        put(p, "kv_heads", "%zu", rule->n_kv_heads);
    put(p, "head_dim", "%zu", rule->head_dim);
    if (rule->value_dim != rule->head_dim)
        put(p, "value_dim", "%zu", rule->value_dim);
    put_row(p, "score", attn_score_of(rule->score)->name, NULL);
    put_number(p, "scale", attn_rule_scale(rule));
    if (rule->temperature != 1.0f)
        put_number(p, "temperature", rule->temperature);
    if (rule->softcap != 0)
        put_number(p, "softcap", rule->softcap);
    if (rule->sinks != NULL)
        put_row(p, "sinks", "yes", NULL);
    put_mask(p, &layer->mask);
    put_row(p, "positions", attn_position_rule_name(layer->positions), NULL);
    if (layer->positions == ATTN_POSITION_ROPE) {
        put(p, "rope_dims", "%zu", layer->rope.dims);
        put_number(p, "rope_theta", (float)layer->rope.theta);
        put_row(p, "rope_layout", layer->rope.layout == ATTN_ROPE_HALF ? "half-split" : "interleaved", NULL);
    }
    put_linear(p, "W_Q", &layer->q, "identity");
    put_linear(p, "W_K", &layer->k, "identity");
    put_linear(p, "W_V", &layer->v, "identity");
    put_linear(p, "W_O", &layer->o, layer->head_mix != NULL ? "head_mix" : "none");
    put_row(p, "residual", layer->residual ? "yes" : "no", NULL);
    put_norms(p, layer);
    put_feed_forward(p, layer);
}

static attn_status print_model(attn_report *report, attn_error *error)
{
    const attn_model *model = report->model;
    page p = {.report = report, .error = error};
    put_model(&p);
    for (size_t i = 0; i < model->n_layers; i++)
        put_layer(&p, i);
    snprintf(p.item, sizeof p.item, "tensor");
    for (size_t i = 0; i < model->n_accounts; i++)
        put_row(&p, model->accounts[i].tensor, model->accounts[i].role != NULL ? model->accounts[i].role : "unused",
                &model->accounts[i]);
    return p.status;
}

const attn_report_kind attn_report_model = {
    .name = "model",
    .summary = "what was understood: settings, layers, tensors and their roles",
    .columns = "item name value type shape layout file",
    .reads = ATTN_READS_NOTHING,
    .shape = ATTN_SHAPE_RECORDS,
    .text = print_model,
};
