/* bert.c: BERT (Devlin et al. 2018), RoBERTa (Liu et al. 2019) and DistilBERT (Sanh et al. 2019): every token sees
 * every other, learned positions, a norm after each residual, and a head that fills masks. */
#include "config.h"

#include "load/family/family.h"
#include "load/gguf.h"

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
    const char *transform, *transform_norm, *decoder, *decoder_bias;
} bert_names;

typedef struct bert_kin {
    const bert_names *names;
    bool distil, roberta;
} bert_kin;

static const char *const bert_prefixes[] = {"bert.", "", NULL};
static const char *const roberta_prefixes[] = {"roberta.", "", NULL};
static const char *const distil_prefixes[] = {"distilbert.", "", NULL};

static const bert_names names_bert = {bert_prefixes,
                                      "embeddings.word_embeddings.weight",
                                      "embeddings.position_embeddings.weight",
                                      "embeddings.token_type_embeddings.weight",
                                      "embeddings.LayerNorm",
                                      "encoder.layer.#.",
                                      "attention.self.query",
                                      "attention.self.key",
                                      "attention.self.value",
                                      "attention.output.dense",
                                      "attention.output.LayerNorm",
                                      "intermediate.dense",
                                      "output.dense",
                                      "output.LayerNorm",
                                      "cls.predictions.transform.dense",
                                      "cls.predictions.transform.LayerNorm",
                                      "cls.predictions.decoder",
                                      "cls.predictions.bias"};
static const bert_names names_roberta = {roberta_prefixes,
                                         "embeddings.word_embeddings.weight",
                                         "embeddings.position_embeddings.weight",
                                         "embeddings.token_type_embeddings.weight",
                                         "embeddings.LayerNorm",
                                         "encoder.layer.#.",
                                         "attention.self.query",
                                         "attention.self.key",
                                         "attention.self.value",
                                         "attention.output.dense",
                                         "attention.output.LayerNorm",
                                         "intermediate.dense",
                                         "output.dense",
                                         "output.LayerNorm",
                                         "lm_head.dense",
                                         "lm_head.layer_norm",
                                         "lm_head.decoder",
                                         "lm_head.bias"};
static const bert_names names_distil = {distil_prefixes,
                                        "embeddings.word_embeddings.weight",
                                        "embeddings.position_embeddings.weight",
                                        "embeddings.token_type_embeddings.weight",
                                        "embeddings.LayerNorm",
                                        "transformer.layer.#.",
                                        "attention.q_lin",
                                        "attention.k_lin",
                                        "attention.v_lin",
                                        "attention.out_lin",
                                        "sa_layer_norm",
                                        "ffn.lin1",
                                        "ffn.lin2",
                                        "output_layer_norm",
                                        "vocab_transform",
                                        "vocab_layer_norm",
                                        "vocab_projector",
                                        "vocab_projector.bias"};

static const char *const gguf_prefixes[] = {"", NULL};
static const bert_names names_gguf = {gguf_prefixes,
                                      "token_embd.weight",
                                      "position_embd.weight",
                                      "token_types.weight",
                                      "token_embd_norm",
                                      "blk.#.",
                                      "attn_q",
                                      "attn_k",
                                      "attn_v",
                                      "attn_output",
                                      "attn_output_norm",
                                      "ffn_up",
                                      "ffn_down",
                                      "layer_output_norm",
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL};

static const bert_kin kin_bert = {&names_bert, false, false};
static const bert_kin kin_roberta = {&names_roberta, false, true};
static const bert_kin kin_distil = {&names_distil, true, false};
static const bert_kin kin_gguf = {&names_gguf, false, false};

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
    bert_settings s;
    memset(&s, 0, sizeof s);
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
    if (config->status == ATTN_OK && s.d_model % s.n_heads != 0)
        attn_config_fail(config, kin->distil ? "n_heads" : "num_attention_heads", "%zu heads do not divide %zu",
                         s.n_heads, s.d_model);
    if (config->status == ATTN_OK && s.offset >= s.n_positions)
        attn_config_fail(config, "pad_token_id", "leaves none of the %zu positions", s.n_positions);
    return s;
}

/* The layer's prefix and a name in one pattern; in the arena. */
static attn_name in_layer(attn_checkpoint *checkpoint, const bert_names *names, const char *name, size_t l)
{
    char text[128];
    strcpy(text, names->layer);
    strcat(text, name);
    const char *kept = attn_model_text(checkpoint->loader, text);
    if (kept == NULL) {
        checkpoint->status = ATTN_ENOMEM;
        kept = "";
    }
    return attn_name_of(kept, l);
}

static attn_linear part(attn_checkpoint *checkpoint, const bert_names *names, const char *name, size_t l,
                        const char *role, size_t in, size_t out)
{
    return attn_checkpoint_linear(checkpoint, in_layer(checkpoint, names, name, l), role, in, out, ATTN_BIAS_NEEDED);
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
    layer->attention_post_residual =
        attn_checkpoint_norm(checkpoint, in_layer(checkpoint, names, names->attention_norm, l), "norm after attention",
                             ATTN_NORM_LAYER, d, s->epsilon);
    layer->ffn.up = part(checkpoint, names, names->up, l, "feed-forward up", d, s->n_inner);
    layer->ffn.down = part(checkpoint, names, names->down, l, "feed-forward down", s->n_inner, d);
    layer->ffn.activation = s->activation;
    layer->ffn_post_residual = attn_checkpoint_norm(checkpoint, in_layer(checkpoint, names, names->ffn_norm, l),
                                                    "norm after feed-forward", ATTN_NORM_LAYER, d, s->epsilon);
}

static void load_embeddings(attn_checkpoint *checkpoint, const bert_settings *s, const bert_names *names)
{
    attn_model *model = checkpoint->loader->model;
    size_t shape[2];
    attn_family_embeddings(checkpoint, names->words, s->n_vocab, s->d_model);
    shape[0] = s->n_positions;
    shape[1] = s->d_model;
    model->positions = ATTN_POSITION_LEARNED;
    model->position_offset = s->offset;
    model->max_tokens = s->n_positions - s->offset;
    model->position_embeddings =
        attn_checkpoint_tensor(checkpoint, attn_name_of(names->positions, 0), "positions", 2, shape);
    if (s->n_types > 0) {
        shape[0] = s->n_types;
        model->token_types = attn_checkpoint_tensor(checkpoint, attn_name_of(names->types, 0), "token types", 2, shape);
    }
    model->embedding_norm = attn_checkpoint_norm(checkpoint, attn_name_of(names->norm, 0), "norm of embeddings",
                                                 ATTN_NORM_LAYER, s->d_model, s->epsilon);
}

/* Transform and norm, then the token embeddings again (or a matrix of its own) and a bias of the head's. */
static void load_head(attn_checkpoint *checkpoint, const bert_settings *s, const bert_kin *kin)
{
    attn_model *model = checkpoint->loader->model;
    const bert_names *names = kin->names;
    const char *prefix = checkpoint->prefix;
    char text[128];
    if (names->transform == NULL)
        return;
    checkpoint->prefix = "";
    strcpy(text, names->transform);
    strcat(text, ".weight");
    if (checkpoint->status == ATTN_OK && attn_checkpoint_has(checkpoint, attn_name_of(text, 0))) {
        model->masked_lm = true;
        model->head_transform = attn_checkpoint_linear(checkpoint, attn_name_of(names->transform, 0),
                                                       "head's transform", s->d_model, s->d_model, ATTN_BIAS_NEEDED);
        model->head_activation = kin->roberta ? ATTN_GELU : s->activation;
        model->head_norm = attn_checkpoint_norm(checkpoint, attn_name_of(names->transform_norm, 0), "head's norm",
                                                ATTN_NORM_LAYER, s->d_model, s->epsilon);
        if (checkpoint->status == ATTN_OK) {
            model->head.w = attn_tensor_transpose(model->embeddings);
            model->head.bias =
                attn_checkpoint_vector(checkpoint, attn_name_of(names->decoder_bias, 0), "head's bias", s->n_vocab);
        }
    }
    checkpoint->prefix = prefix;
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

static size_t rows_of(const attn_gguf *gguf, const char *name)
{
    const attn_tensor *t = attn_container_find(gguf->container, name);
    return t != NULL && t->n_dims == 2 ? t->shape[0] : 0;
}

static attn_status load_gguf(attn_checkpoint *checkpoint, attn_gguf *gguf, const attn_gguf_architecture *row)
{
    bert_settings s = {0};
    s.d_model = attn_gguf_count(gguf, "embedding_length", SIZE_MAX);
    s.n_layers = attn_gguf_count(gguf, "block_count", SIZE_MAX);
    s.n_heads = attn_gguf_count(gguf, "attention.head_count", SIZE_MAX);
    s.n_inner = attn_gguf_count(gguf, "feed_forward_length", SIZE_MAX);
    s.n_positions = attn_gguf_count(gguf, "context_length", SIZE_MAX);
    s.n_types = rows_of(gguf, names_gguf.types);
    s.n_vocab = attn_gguf_vocab(gguf);
    s.epsilon = attn_gguf_number(gguf, "attention.layer_norm_epsilon", 1e-12);
    s.activation = ATTN_GELU;
    if (attn_gguf_bool(gguf, "attention.causal", false))
        attn_gguf_fail(gguf, "attention.causal", "only false is supported");
    if (gguf->status == ATTN_OK && s.d_model % s.n_heads != 0)
        attn_gguf_fail(gguf, "attention.head_count", "it does not divide embedding_length");
    return attn_gguf_finish(gguf) == ATTN_OK ? build(checkpoint, &s, row->flags) : gguf->status;
}

const attn_family attn_families_bert[] = {{"bert", load, &kin_bert},           {"roberta", load, &kin_roberta},
                                          {"xlm-roberta", load, &kin_roberta}, {"camembert", load, &kin_roberta},
                                          {"distilbert", load, &kin_distil},   {NULL, NULL, NULL}};
const attn_gguf_architecture attn_gguf_bert[] = {{"bert", load_gguf, &kin_gguf}, {NULL, NULL, NULL}};
