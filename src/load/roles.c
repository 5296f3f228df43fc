/* roles.c: one table of the names of attention weights. Used by weights.c (-w) and parts.c (-e). */
#include "config.h"

#include "load/roles.h"

#include <string.h>

#define LINEAR(name, role)                                                                                             \
    {name ".weight", NULL, role, false, ATTN_OUT_IN},                                                                  \
    {                                                                                                                  \
        name ".bias", NULL, role, true, ATTN_OUT_IN                                                                    \
    }
#define LINEAR_IN(name, within, role)                                                                                  \
    {name ".weight", within, role, false, ATTN_OUT_IN},                                                                \
    {                                                                                                                  \
        name ".bias", within, role, true, ATTN_OUT_IN                                                                  \
    }

static const attn_role_name role_names[] = {
    /* ours */
    {"W_Q", NULL, ATTN_ROLE_Q, false, ATTN_IN_OUT},
    {"W_K", NULL, ATTN_ROLE_K, false, ATTN_IN_OUT},
    {"W_V", NULL, ATTN_ROLE_V, false, ATTN_IN_OUT},
    {"W_O", NULL, ATTN_ROLE_O, false, ATTN_IN_OUT},
    {"b_Q", NULL, ATTN_ROLE_Q, true, ATTN_IN_OUT},
    {"b_K", NULL, ATTN_ROLE_K, true, ATTN_IN_OUT},
    {"b_V", NULL, ATTN_ROLE_V, true, ATTN_IN_OUT},
    {"b_O", NULL, ATTN_ROLE_O, true, ATTN_IN_OUT},
    {"v_A", NULL, ATTN_ROLE_ADDITIVE, false, ATTN_IN_OUT},
    {"head_mix", NULL, ATTN_ROLE_MIX, false, ATTN_IN_OUT},
    {"slopes", NULL, ATTN_ROLE_SLOPES, false, ATTN_IN_OUT},
    {"sinks", NULL, ATTN_ROLE_SINKS, false, ATTN_IN_OUT},
    /* plain arrays by the usual short names */
    {"wq", NULL, ATTN_ROLE_Q, false, ATTN_OUT_IN},
    {"wk", NULL, ATTN_ROLE_K, false, ATTN_OUT_IN},
    {"wv", NULL, ATTN_ROLE_V, false, ATTN_OUT_IN},
    {"wo", NULL, ATTN_ROLE_O, false, ATTN_OUT_IN},
    {"bq", NULL, ATTN_ROLE_Q, true, ATTN_OUT_IN},
    {"bk", NULL, ATTN_ROLE_K, true, ATTN_OUT_IN},
    {"bv", NULL, ATTN_ROLE_V, true, ATTN_OUT_IN},
    {"bo", NULL, ATTN_ROLE_O, true, ATTN_OUT_IN},
    {"q_proj", NULL, ATTN_ROLE_Q, false, ATTN_OUT_IN},
    {"k_proj", NULL, ATTN_ROLE_K, false, ATTN_OUT_IN},
    {"v_proj", NULL, ATTN_ROLE_V, false, ATTN_OUT_IN},
    {"o_proj", NULL, ATTN_ROLE_O, false, ATTN_OUT_IN},
    {"query", NULL, ATTN_ROLE_Q, false, ATTN_OUT_IN},
    {"key", NULL, ATTN_ROLE_K, false, ATTN_OUT_IN},
    {"value", NULL, ATTN_ROLE_V, false, ATTN_OUT_IN},
    {"c_attn", NULL, ATTN_ROLE_FUSED, false, ATTN_IN_OUT},
    /* torch's MultiheadAttention */
    {"in_proj_weight", NULL, ATTN_ROLE_FUSED, false, ATTN_OUT_IN},
    {"in_proj_bias", NULL, ATTN_ROLE_FUSED, true, ATTN_OUT_IN},
    /* GPT-2's Conv1D */
    {"c_attn.weight", NULL, ATTN_ROLE_FUSED, false, ATTN_IN_OUT},
    {"c_attn.bias", NULL, ATTN_ROLE_FUSED, true, ATTN_IN_OUT},
    {"c_proj.weight", "attn", ATTN_ROLE_O, false, ATTN_IN_OUT},
    {"c_proj.bias", "attn", ATTN_ROLE_O, true, ATTN_IN_OUT},
    /* Linear layers */
    LINEAR("wq", ATTN_ROLE_Q),
    LINEAR("wk", ATTN_ROLE_K),
    LINEAR("wv", ATTN_ROLE_V),
    LINEAR("wo", ATTN_ROLE_O),
    LINEAR("q_proj", ATTN_ROLE_Q),
    LINEAR("k_proj", ATTN_ROLE_K),
    LINEAR("v_proj", ATTN_ROLE_V),
    LINEAR("o_proj", ATTN_ROLE_O),
    LINEAR("out_proj", ATTN_ROLE_O),
    LINEAR("query", ATTN_ROLE_Q),
    LINEAR("key", ATTN_ROLE_K),
    LINEAR("value", ATTN_ROLE_V),
    LINEAR_IN("output.dense", "attention", ATTN_ROLE_O),
    LINEAR("q_lin", ATTN_ROLE_Q),
    LINEAR("k_lin", ATTN_ROLE_K),
    LINEAR("v_lin", ATTN_ROLE_V),
    LINEAR("out_lin", ATTN_ROLE_O),
    LINEAR("to_q", ATTN_ROLE_Q),
    LINEAR("to_k", ATTN_ROLE_K),
    LINEAR("to_v", ATTN_ROLE_V),
    LINEAR("to_out.0", ATTN_ROLE_O),
    LINEAR("qkv_proj", ATTN_ROLE_FUSED),
    LINEAR("qkv", ATTN_ROLE_FUSED),
    LINEAR("Wqkv", ATTN_ROLE_FUSED),
    /* GGUF */
    LINEAR("attn_q", ATTN_ROLE_Q),
    LINEAR("attn_k", ATTN_ROLE_K),
    LINEAR("attn_v", ATTN_ROLE_V),
    LINEAR("attn_output", ATTN_ROLE_O),
    LINEAR("attn_qkv", ATTN_ROLE_FUSED),
};
enum { N_ROLE_NAMES = sizeof role_names / sizeof role_names[0] };

const char *attn_role_text(attn_weight_role role)
{
    static const char *const texts[] = {
        [ATTN_ROLE_Q] = "query",
        [ATTN_ROLE_K] = "key",
        [ATTN_ROLE_V] = "value",
        [ATTN_ROLE_O] = "output",
        [ATTN_ROLE_FUSED] = "query, key, value",
        [ATTN_ROLE_ADDITIVE] = "additive score",
        [ATTN_ROLE_SINKS] = "sinks",
        [ATTN_ROLE_MIX] = "head mix",
        [ATTN_ROLE_SLOPES] = "slopes",
    };
    return texts[role];
}

const char *attn_role_name_at(size_t index)
{
    return index < N_ROLE_NAMES ? role_names[index].name : NULL;
}

const char *attn_embedding_name_at(size_t index)
{
    static const char *const names[] = {
        "embeddings",
        "model.embed_tokens.weight",
        "embed_tokens.weight",
        "transformer.wte.weight",
        "wte.weight",
        "gpt_neox.embed_in.weight",
        "embeddings.word_embeddings.weight",
        "bert.embeddings.word_embeddings.weight",
        "roberta.embeddings.word_embeddings.weight",
        "distilbert.embeddings.word_embeddings.weight",
        "tok_embeddings.weight",
        "token_embd.weight",
        "token_embedding_table",
    };
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

static bool ends_with(const char *name, size_t size, const char *end)
{
    size_t n = strlen(end);
    if (size < n || memcmp(name + size - n, end, n) != 0)
        return false;
    return size == n || name[size - n - 1] == '.' || name[size - n - 1] == '/';
}

/* The first part of the name's beginning that is a number. */
static size_t layer_number(const char *name, size_t size)
{
    size_t i = 0;
    while (i < size) {
        size_t from = i, value = 0;
        while (i < size && name[i] >= '0' && name[i] <= '9' && i - from < 6)
            value = value * 10 + (size_t)(name[i++] - '0');
        if (i > from && (i == size || name[i] == '.' || name[i] == '/'))
            return value;
        while (i < size && name[i] != '.' && name[i] != '/')
            i++;
        i++;
    }
    return 0;
}

static bool holds(const char *name, size_t size, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(name + i, part, n) == 0)
            return true;
    return false;
}

const attn_role_name *attn_role_of(const char *name, size_t *layer)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < N_ROLE_NAMES; i++) {
        const attn_role_name *role = &role_names[i];
        size_t before;
        if (!ends_with(name, size, role->name))
            continue;
        before = size - strlen(role->name);
        if (role->within != NULL && !holds(name, before, role->within))
            continue;
        *layer = layer_number(name, before);
        return role;
    }
    return NULL;
}
