/* bert.c: BERT (Devlin et al. 2018), RoBERTa (Liu et al. 2019) and DistilBERT (Sanh et al. 2019): every token sees
 * every other, learned positions, a norm after each residual, and a head that fills masks. */
#include "config.h"

#include "load/family/family.h"

#include <string.h>

typedef struct bert_settings {
    size_t d_model, n_layers, n_heads, n_inner, n_positions, n_types, n_vocab, offset;
    attn_activation activation;
    double epsilon;
} bert_settings;

typedef struct bert_names {
    const char *const *prefixes;
    const char *words, *positions, *types, *norm;
    const char *layer; /* stands before the names below, '#' in it */
    const char *q, *k, *v, *o, *attention_norm, *up, *down, *ffn_norm;
    /* the masked-token head; without the prefix; NULL: never there */
    const char *transform, *transform_norm, *decoder_bias;
} bert_names;

typedef struct bert_kin {
    const bert_names *names;
    bool distil, roberta;
} bert_kin;

#define PREFIXES(...)                                                                                                  \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

/* What BERT and RoBERTa share; the names below stand before or behind. */
#define BERT_NAMES                                                                                                     \
    .words = "embeddings.word_embeddings.weight", .positions = "embeddings.position_embeddings.weight",                \
    .types = "embeddings.token_type_embeddings.weight", .norm = "embeddings.LayerNorm", .layer = "encoder.layer.#.",   \
    .q = "attention.self.query", .k = "attention.self.key", .v = "attention.self.value",                               \
    .o = "attention.output.dense", .attention_norm = "attention.output.LayerNorm", .up = "intermediate.dense",         \
    .down = "output.dense", .ffn_norm = "output.LayerNorm"

static const bert_names names_bert = {
    BERT_NAMES, .prefixes = PREFIXES("bert.", ""), .transform = "cls.predictions.transform.dense",
    .transform_norm = "cls.predictions.transform.LayerNorm", .decoder_bias = "cls.predictions.bias"};
static const bert_names names_roberta = {BERT_NAMES, .prefixes = PREFIXES("roberta.", ""), .transform = "lm_head.dense",
                                         .transform_norm = "lm_head.layer_norm", .decoder_bias = "lm_head.bias"};
static const bert_names names_distil = {.prefixes = PREFIXES("distilbert.", ""),
                                        .words = "embeddings.word_embeddings.weight",
                                        .positions = "embeddings.position_embeddings.weight",
                                        .norm = "embeddings.LayerNorm",
                                        .layer = "transformer.layer.#.",
                                        .q = "attention.q_lin",
                                        .k = "attention.k_lin",
                                        .v = "attention.v_lin",
                                        .o = "attention.out_lin",
                                        .attention_norm = "sa_layer_norm",
                                        .up = "ffn.lin1",
                                        .down = "ffn.lin2",
                                        .ffn_norm = "output_layer_norm",
                                        .transform = "vocab_transform",
                                        .transform_norm = "vocab_layer_norm",
                                        .decoder_bias = "vocab_projector.bias"};
static const bert_names names_gguf = {.prefixes = PREFIXES(""),
                                      .words = "token_embd.weight",
                                      .positions = "position_embd.weight",
                                      .types = "token_types.weight",
                                      .norm = "token_embd_norm",
                                      .layer = "blk.#.",
                                      .q = "attn_q",
                                      .k = "attn_k",
                                      .v = "attn_v",
                                      .o = "attn_output",
                                      .attention_norm = "attn_output_norm",
                                      .up = "ffn_up",
                                      .down = "ffn_down",
                                      .ffn_norm = "layer_output_norm"};

static void read_bert(attn_config *config, bert_settings *s)
{
    s->d_model = attn_config_count(config, "hidden_size", ATTN_CONFIG_REQUIRED);
    s->n_layers = attn_config_count(config, "num_hidden_layers", ATTN_CONFIG_REQUIRED);
    s->n_heads = attn_config_count(config, "num_attention_heads", ATTN_CONFIG_REQUIRED);
    s->n_inner = attn_config_count(config, "intermediate_size", ATTN_CONFIG_REQUIRED);
    s->n_types = attn_config_count(config, "type_vocab_size", 2);
    s->activation = attn_family_activation(config, "hidden_act", "gelu");
    s->epsilon = attn_config_number(config, "layer_norm_eps", 1e-12);
    attn_config_only_text(config, "position_embedding_type", "absolute");
}

static void read_distil(attn_config *config, bert_settings *s)
{
    s->d_model = attn_config_count(config, "dim", ATTN_CONFIG_REQUIRED);
    s->n_layers = attn_config_count(config, "n_layers", ATTN_CONFIG_REQUIRED);
    s->n_heads = attn_config_count(config, "n_heads", ATTN_CONFIG_REQUIRED);
    s->n_inner = attn_config_count(config, "hidden_dim", ATTN_CONFIG_REQUIRED);
    s->activation = attn_family_activation(config, "activation", "gelu");
    s->epsilon = 1e-12; /* fixed in this family */
}

static bert_settings read_settings(attn_config *config, const bert_kin *kin)
{
    bert_settings s = {0};
    if (kin->distil)
        read_distil(config, &s);
    else
        read_bert(config, &s);
    s.n_vocab = attn_config_count(config, "vocab_size", ATTN_CONFIG_REQUIRED);
    s.n_positions = attn_config_count(config, "max_position_embeddings", ATTN_CONFIG_REQUIRED);
    attn_config_only_bool(config, "tie_word_embeddings", true);
    /* RoBERTa counts positions from the one after the padding token's id */
    s.offset = attn_config_count(config, "pad_token_id", kin->roberta ? 1 : 0) + 1;
    if (!kin->roberta)
        s.offset = 0;
    attn_family_check_heads(config, kin->distil ? "n_heads" : "num_attention_heads", s.n_heads,
                            kin->distil ? "dim" : "hidden_size", s.d_model);
    if (config->status == ATTN_OK && s.offset >= s.n_positions)
        attn_config_fail(config, "pad_token_id", "leaves none of the %zu positions", s.n_positions);
    return s;
}

static attn_name in_layer(const bert_names *names, const char *name, size_t l)
{
    return (attn_name){.within = names->layer, .pattern = name, .layer = l};
}

static attn_linear part(attn_checkpoint *checkpoint, const bert_names *names, const char *name, size_t l,
                        const char *role, size_t in, size_t out)
{
    return attn_checkpoint_linear(checkpoint, in_layer(names, name, l), role, in, out, true);
}

static void load_layer(attn_checkpoint *checkpoint, const bert_settings *s, const bert_names *names, size_t l)
{
    attn_layer *layer = &checkpoint->loader->model->layers[l];
    size_t d = s->d_model;
    layer->rule.n_heads = layer->rule.n_kv_heads = s->n_heads;
    layer->rule.head_dim = layer->rule.value_dim = d / s->n_heads;
    layer->mask_given = true; /* and empty: every token sees every other */
    layer->q = part(checkpoint, names, names->q, l, "query", d, d);
    layer->k = part(checkpoint, names, names->k, l, "key", d, d);
    layer->v = part(checkpoint, names, names->v, l, "value", d, d);
    layer->o = part(checkpoint, names, names->o, l, "output", d, d);
    layer->attention_post_residual = attn_checkpoint_norm(checkpoint, in_layer(names, names->attention_norm, l),
                                                          "norm after attention", ATTN_NORM_LAYER, d, s->epsilon);
    layer->ffn.up = part(checkpoint, names, names->up, l, "feed-forward up", d, s->n_inner);
    layer->ffn.down = part(checkpoint, names, names->down, l, "feed-forward down", s->n_inner, d);
    layer->ffn.activation = s->activation;
    layer->ffn_post_residual = attn_checkpoint_norm(checkpoint, in_layer(names, names->ffn_norm, l),
                                                    "norm after feed-forward", ATTN_NORM_LAYER, d, s->epsilon);
}

static void load_embeddings(attn_checkpoint *checkpoint, const bert_settings *s, const bert_names *names)
{
    attn_model *model = checkpoint->loader->model;
    attn_family_embeddings(checkpoint, names->words, s->n_vocab, s->d_model);
    attn_family_positions(checkpoint, names->positions, s->n_positions, s->offset);
    if (s->n_types > 0)
        model->token_types =
            attn_checkpoint_matrix(checkpoint, attn_name_of(names->types, 0), "token types", s->n_types, s->d_model);
    model->embedding_norm = attn_checkpoint_norm(checkpoint, attn_name_of(names->norm, 0), "norm of embeddings",
                                                 ATTN_NORM_LAYER, s->d_model, s->epsilon);
}

/* Transform and norm, then the token embeddings again and a bias of the head's. */
static void load_head(attn_checkpoint *checkpoint, const bert_settings *s, const bert_kin *kin)
{
    attn_model *model = checkpoint->loader->model;
    const bert_names *names = kin->names;
    attn_name transform = attn_name_whole(names->transform);
    if (checkpoint->status != ATTN_OK || names->transform == NULL ||
        !attn_checkpoint_has(checkpoint, transform, ".weight"))
        return;
    model->masked_lm = true;
    model->head_transform =
        attn_checkpoint_linear(checkpoint, transform, "head's transform", s->d_model, s->d_model, true);
    model->head_activation = kin->roberta ? ATTN_GELU : s->activation;
    model->head_norm = attn_checkpoint_norm(checkpoint, attn_name_whole(names->transform_norm), "head's norm",
                                            ATTN_NORM_LAYER, s->d_model, s->epsilon);
    model->head.w = attn_tensor_transpose(model->embeddings);
    model->head.bias =
        attn_checkpoint_vector(checkpoint, attn_name_whole(names->decoder_bias), "head's bias", s->n_vocab);
}

static attn_status build(attn_checkpoint *checkpoint, const bert_settings *s, const bert_kin *kin)
{
    attn_checkpoint_choose_prefix(checkpoint, kin->names->prefixes, kin->names->words);
    load_embeddings(checkpoint, s, kin->names);
    if (checkpoint->status != ATTN_OK || attn_family_layers(checkpoint, s->n_layers) != ATTN_OK)
        return checkpoint->status;
    for (size_t l = 0; l < s->n_layers && checkpoint->status == ATTN_OK; l++)
        load_layer(checkpoint, s, kin->names, l);
    load_head(checkpoint, s, kin);
    return checkpoint->status;
}

static attn_status load(attn_checkpoint *checkpoint, attn_config *config, const attn_family *family)
{
    const bert_kin *kin = family->flags;
    bert_settings s = read_settings(config, kin);
    return attn_config_finish(config) == ATTN_OK ? build(checkpoint, &s, kin) : config->status;
}

static attn_status load_gguf(attn_checkpoint *checkpoint, attn_gguf *gguf, const attn_architecture *row)
{
    bert_settings s = {0};
    s.d_model = attn_gguf_count(gguf, "embedding_length", SIZE_MAX);
    s.n_layers = attn_gguf_count(gguf, "block_count", SIZE_MAX);
    s.n_heads = attn_gguf_count(gguf, "attention.head_count", SIZE_MAX);
    s.n_inner = attn_gguf_count(gguf, "feed_forward_length", SIZE_MAX);
    s.n_positions = attn_gguf_count(gguf, "context_length", SIZE_MAX);
    s.n_types = attn_gguf_rows(gguf, names_gguf.types);
    s.n_vocab = attn_gguf_vocab(gguf);
    s.epsilon = attn_gguf_number(gguf, "attention.layer_norm_epsilon", 1e-12);
    s.activation = ATTN_GELU;
    if (attn_gguf_bool(gguf, "attention.causal", false))
        attn_gguf_fail(gguf, "attention.causal", "only false is supported");
    attn_gguf_check_heads(gguf, s.n_heads, s.d_model);
    return attn_gguf_finish(gguf) == ATTN_OK ? build(checkpoint, &s, row->flags) : gguf->status;
}

const attn_family attn_families_bert[] = {
    {"bert", load, &(const bert_kin){.names = &names_bert}},
    {"roberta", load, &(const bert_kin){.names = &names_roberta, .roberta = true}},
    {"xlm-roberta", load, &(const bert_kin){.names = &names_roberta, .roberta = true}},
    {"camembert", load, &(const bert_kin){.names = &names_roberta, .roberta = true}},
    {"distilbert", load, &(const bert_kin){.names = &names_distil, .distil = true}},
    {.name = NULL},
};
const attn_architecture attn_architectures_bert[] = {
    {.name = "bert", .load = load_gguf, .flags = &(const bert_kin){.names = &names_gguf}},
    {.name = NULL},
};
